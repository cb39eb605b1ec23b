/* Memory of a program that the machine did not allocate. It may belong to another process than the machine's own, and is then
 * copied through the kernel (process_vm_readv(2)). */
#ifndef NCS_SIM_CALLER_H
#define NCS_SIM_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process;

/* As memmove; of each side says whether it is the caller's memory. False: some of it cannot be touched. */
bool sim_caller_copy(const struct process *process, void *dst, bool dst_is_callers, const void *src, bool src_is_callers,
                     size_t bytes);

/* Memory of another process. False: some of it cannot be touched. */
bool sim_caller_read(pid_t pid, void *here, const void *there, size_t bytes);
bool sim_caller_write(pid_t pid, void *there, const void *here, size_t bytes);

#endif
