/* Memory of the virtual machine that several processes share: a file in memory, mapped at one address in all of them, so that
 * a pointer means the same everywhere. Only the process with the machine takes and gives back. */
#ifndef NCS_SIM_ARENA_H
#define NCS_SIM_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Far from where Linux puts programs, libraries and stacks, and what AddressSanitizer keeps for itself. */
#define SIM_ARENA_ADDRESS ((uintptr_t)0x200000000000)
#define SIM_ARENA_BYTES ((size_t)4 << 40)

/* Makes the file and maps it. Returns its descriptor; -1 with errno if that fails. */
int sim_arena_open(void);
/* Maps the file of another process. False with errno if that fails. */
bool sim_arena_join(int file);

/* In this process, memory comes from here. */
bool sim_arena_is_open(void);
/* Zero bytes, at a multiple of 4096; NULL = no room is left. */
void *sim_arena_take(size_t bytes);
void sim_arena_give(void *block);

#endif
