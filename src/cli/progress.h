/* The line on a terminal that shows a suite's progress. It is on standard error, and erased
 * before any other output. */
#ifndef NCS_CLI_PROGRESS_H
#define NCS_CLI_PROGRESS_H

#include <stddef.h>

/* No effect unless standard error is a terminal that can erase a line. */
void ncs_progress_start(void);
void ncs_progress_stop(void);
/* At most ten times a second; other calls do nothing. */
void ncs_progress_show(size_t done, size_t all, size_t unexpected, const char *name);
void ncs_progress_clear(void);

#endif
