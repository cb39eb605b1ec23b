/* The other processes of the program that `exec` has started. */
#ifndef NCS_SHIM_RELATIVES_H
#define NCS_SHIM_RELATIVES_H

#include <stdbool.h>
#include <sys/types.h>

/* True if this process may be one of many: another one started it, and may start more, or it has forked others that run the same
 * file. */
bool relatives_are_there(void);

/* True if a process that descends from `root`, by any number of steps, may still join: it is alive, and no process of the job; or it
 * is an ancestor of one (a launcher) that does not rest, and may start another one. This process does not count. is_of_job: tells processes of the job. */
bool relatives_may_join(pid_t root, bool (*is_of_job)(pid_t process));

#endif
