/* The line on a terminal that says how far a suite is. It is on standard error, and gone before
 * anything else is written. */
#ifndef NCS_CLI_PROGRESS_H
#define NCS_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Only where standard error is a terminal that can erase a line. */
void ncs_progress_start(void);
void ncs_progress_stop(void);
/* At most ten times a second; other calls do nothing. */
void ncs_progress_show(size_t done, size_t all, size_t unexpected, const char *name);
void ncs_progress_clear(void);

#endif
