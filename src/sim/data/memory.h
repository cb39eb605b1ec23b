/* Memory of the virtual machine: host memory with the bounds, the owner and the capacity of the
 * real thing. */
#ifndef NCS_SIM_MEMORY_H
#define NCS_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/data/pages.h"

struct process;

enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_PINNED,
    MEMORY_MANAGED,
    MEMORY_REGISTERED, /* the caller's own, pinned in place */
};

struct allocation {
    uint64_t serial;
    char *base;
    void *block; /* that base lies in; NULL: the caller's */
    size_t mapped; /* bytes of the block that is a mapping of its own; 0 = it is not */
    size_t bytes;
    enum memory_kind kind;
    struct process *process;
    int device;
    unsigned flags;    /* of pinned memory */
    bool foreign;      /* another device has used it, which has been told */
    bool leaving;      /* will be freed in the order of a stream */
    bool watched;      /* somebody will ask what has freed it */
    struct pool *pool; /* that it is from; NULL = none */
    uint64_t address; /* of base, as the log gives it: the same in every run */
    struct pages pages; /* of large memory of a program from outside */
    size_t taken;       /* of the host's budget */
    unsigned char *piece; /* of memory that takes room when it is written: a bit for each piece that
                           * has been; NULL = all of it is taken */
    bool by_nccl; /* device memory of ncclMemAlloc: on pages of its own, and none of cudaFree's */
};

struct gpu;
struct ncs_freed;
struct pool;

/* p as the log names it, the same in every run; 0 = NULL. */
uint64_t sim_memory_address(const void *p);

/* The allocation that holds p, or NULL. */
struct allocation *sim_memory_find(const void *p);
/* What this process may free by p: it begins there, and has not been given to a stream to free. */
struct allocation *sim_memory_at(const struct process *process, const void *p);

/* cudaError_t: 0, or 2 when the device's capacity or the host's memory is spent, which the observer
 * is told of. Fresh memory is poisoned: the first MiB of it, the rest is zero. That of a program from
 * outside is all zero. What is large takes no memory of the host's until it is written. */
int sim_memory_new(struct process *process, int device, enum memory_kind kind, size_t bytes, void **p);
/* Memory of the caller's own becomes pinned. cudaError_t: 712 when part of it is already. */
int sim_memory_register(struct process *process, int device, void *p, size_t bytes, unsigned flags);
/* The same for ncclMemAlloc. */
int sim_memory_new_by_nccl(struct process *process, int device, size_t bytes, void **p);
void sim_memory_free(struct allocation *a);
/* It no longer counts as used: it will be freed in the order of a stream. */
void sim_memory_leave(struct allocation *a);
/* The stream has come to it. The reset of its device may have been faster. */
void sim_memory_left(uint64_t serial, const void *p);
/* Frees all that a process has on a device. */
void sim_memory_free_device(const struct process *process, int device);
void sim_memory_free_all(void);

/* Before [p, p + bytes) is written: takes the host's memory for it. False when there is none left:
 * then nothing may be written, and the run has been told to end. */
bool sim_memory_commit(const void *p, size_t bytes);

/* The host has no memory for so many bytes that a call wants: tells the observer, gives CUDA's error
 * for it. */
int sim_memory_refused(size_t bytes);

/* Whether a device of this process may touch all of [p, p + bytes): one allocation of its own. */
bool sim_memory_reachable(const struct process *process, const void *p, size_t bytes);
/* The same of work that was given out earlier: that is still the allocation with this serial; 0 = any. */
bool sim_memory_still_reachable(const struct process *process, uint64_t serial, const void *p,
                                size_t bytes);

/* Whether a kernel of gpu may touch p, which is allocated, without a copy in between. */
bool sim_memory_in_reach(const struct gpu *gpu, const void *p);

/* Whether the call in flight may touch memory that the machine did not give out: a script only what
 * it has lent for this call; a program from outside anything, as all memory is its own. */
bool sim_memory_of_caller(const void *p, size_t bytes);
/* Whether the call in flight may touch it at once, from the host: either of the two. */
bool sim_memory_usable(const struct process *process, const void *p, size_t bytes);

/* What ncs_machine says of these. */
bool sim_memory_readable(const void *p, size_t bytes);
uint64_t sim_memory_watch(const void *p);
bool sim_memory_freed(uint64_t serial, struct ncs_freed *how);

/* Bytes in use on the device under that process. */
size_t sim_memory_used(const struct process *process, int device);
size_t sim_memory_capacity(void);

#endif
