/* A job that stands still, but where some process may yet act: it is no hang that is certain. */
#ifndef NCS_SHIM_STALL_H
#define NCS_SHIM_STALL_H

#include <stdint.h>

/* Prints once who waits for whom, if nothing has changed for so many nanoseconds. The program goes on. Called by one thread,
 * which makes no calls of the program. */
void stall_look(int64_t limit);

/* A file that keeps the report, beside standard error; -1 = there was none. */
int stall_report(void);

#endif
