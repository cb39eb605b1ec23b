/* Memory of the virtual machine: host memory with the bounds, the owner and the capacity of the
 * real thing. */
#ifndef NCS_SIM_MEMORY_H
#define NCS_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct process;

enum memory_kind { MEMORY_DEVICE, MEMORY_PINNED, MEMORY_MANAGED };

struct allocation {
    char *base;
    void *block; /* that base lies in */
    size_t bytes;
    enum memory_kind kind;
    struct process *process;
    int device;
};

/* The allocation that holds p, or NULL. */
struct allocation *memory_find(const void *p);

/* cudaError_t: 0, or 2 when the device's capacity or the host's memory is spent. Fresh memory is
 * poisoned: the first MiB of it, the rest is zero. */
int memory_new(struct process *process, int device, enum memory_kind kind, size_t bytes, void **p);
void memory_free(struct allocation *a);
void memory_free_all(void);

/* Whether a device of this process may touch all of [p, p + bytes): one allocation of its own. */
bool memory_reachable(const struct process *process, const void *p, size_t bytes);

/* Whether the call in flight may touch memory that the machine did not give out. */
bool memory_of_caller(const void *p, size_t bytes);

/* Bytes in use on the device under that process. */
size_t memory_used(const struct process *process, int device);
size_t memory_capacity(void);

#endif
