/* Other processes, as /proc shows them. */
#ifndef NCS_BASE_PROCESSES_H
#define NCS_BASE_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* Calls `look` for each child of the process's threads, until it returns true. Returns whether one did. */
bool ncs_each_child(pid_t parent, bool (*look)(pid_t child, void *arg), void *arg);
/* True if the process has mapped a file whose path contains this. */
bool ncs_process_has_mapped(pid_t process, const char *file);

#endif
