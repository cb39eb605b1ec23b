/* What a thread of another process does outside of the machine's calls, by /proc. */
#ifndef NCS_SHIM_DOING_H
#define NCS_SHIM_DOING_H

#include <sys/types.h>

/* "waits for a message (poll)", "is stopped", "runs, perhaps in MPI"; "" = it computes, as far as that shows. */
const char *doing_name(pid_t process, pid_t thread);

#endif
