/* The processes that a process has started, and those that these have started. */
#ifndef NCS_CLI_DESCENDANTS_H
#define NCS_CLI_DESCENDANTS_H

#include <sys/types.h>

/* Ends them all by SIGKILL, and takes their statuses if they are the caller's children. */
void ncs_descendants_kill(pid_t of);

/* Sends them all a signal, except one and those that it has started; 0 = none is left out. */
void ncs_descendants_signal(pid_t of, int signal, pid_t except);

#endif
