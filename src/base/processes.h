/* Other processes, as /proc shows them. */
#ifndef NCS_BASE_PROCESSES_H
#define NCS_BASE_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A process is 0 = this one, in what follows. */

/* Reads the first line of a file of a thread ("comm", "schedstat"). False: it cannot be read. */
bool ncs_task_line(pid_t process, pid_t thread, const char *file, char *line, size_t room);
/* As proc(5) has it ('S' = it sleeps); '\0' = the thread has ended. */
char ncs_task_state(pid_t process, pid_t thread);
/* Calls `look` for each thread of the process, until it returns true. Returns 1 if one did, 0 if none did, -1 if the process has
 * ended. */
int ncs_each_task(pid_t process, bool (*look)(pid_t thread, void *arg), void *arg);
/* Calls `look` for each child of the process's threads, until it returns true. Returns whether one did. */
bool ncs_each_child(pid_t parent, bool (*look)(pid_t child, void *arg), void *arg);
/* True if the process has mapped a file whose path contains this. */
bool ncs_process_has_mapped(pid_t process, const char *file);

#endif
