/* The processes that a process has started, and those that these have started. */
#ifndef NCS_CLI_DESCENDANTS_H
#define NCS_CLI_DESCENDANTS_H

#include <sys/types.h>

/* Ends them all by SIGKILL, and takes their statuses if they are the caller's children. */
void ncs_descendants_kill(pid_t of);

#endif
