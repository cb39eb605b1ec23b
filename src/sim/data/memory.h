/* Memory of the virtual machine: memory of the host that has an owner, bounds and a limited amount, as a
 * GPU's has. */
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
    size_t mapped; /* bytes of the block if it is a mapping of its own; 0 = it is not */
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
/* The allocation that begins at p, if this process may free it: no stream is about to. */
struct allocation *sim_memory_at(const struct process *process, const void *p);

/* Returns a cudaError_t: 0, or 2 when the device or the host has no room, which the observer is told of.
 * The first MiB of fresh memory is poisoned, the rest is zero; for a program from outside all is zero. A
 * large allocation takes no memory of the host until it is written. */
int sim_memory_new(struct process *process, int device, enum memory_kind kind, size_t bytes, void **p);
/* Memory of the caller's own becomes pinned. cudaError_t: 712 when part of it is already. */
int sim_memory_register(struct process *process, int device, void *p, size_t bytes, unsigned flags);
/* The same for ncclMemAlloc. */
int sim_memory_new_by_nccl(struct process *process, int device, size_t bytes, void **p);
void sim_memory_free(struct allocation *a);
/* The allocation no longer counts as used: a stream will free it. */
void sim_memory_leave(struct allocation *a);
/* The stream frees it now, unless a reset of the device already has. */
void sim_memory_left(uint64_t serial, const void *p);
/* Frees all that a process has on a device. */
void sim_memory_free_device(const struct process *process, int device);
void sim_memory_free_all(void);

/* Reserves the host's memory before [p, p + bytes) is written. False if there is none left: then the
 * caller must not write, and the run has been told to end. */
bool sim_memory_commit(const void *p, size_t bytes);

/* Reports to the observer that the host has no memory for a call's `bytes`. Returns CUDA's error for it. */
int sim_memory_refused(size_t bytes);

/* Whether a device of this process may touch all of [p, p + bytes): one allocation of its own. */
bool sim_memory_reachable(const struct process *process, const void *p, size_t bytes);
/* The same for work that was enqueued earlier: the memory must still belong to the allocation with this
 * serial; 0 = any. */
bool sim_memory_still_reachable(const struct process *process, uint64_t serial, const void *p,
                                size_t bytes);

/* Whether a kernel of gpu may use p, which is allocated: on its own device, or by peer access. */
bool sim_memory_in_reach(const struct gpu *gpu, const void *p);

/* Whether the current call may touch memory that the machine did not allocate. A script may touch only
 * what it has lent for this call. A program from outside may touch anything. */
bool sim_memory_of_caller(const void *p, size_t bytes);
/* Whether the host may touch the memory during the current call: the machine's own, or the caller's. */
bool sim_memory_usable(const struct process *process, const void *p, size_t bytes);

/* What ncs_machine says of these. */
bool sim_memory_readable(const void *p, size_t bytes);
uint64_t sim_memory_watch(const void *p);
bool sim_memory_freed(uint64_t serial, struct ncs_freed *how);

/* Bytes in use on the device under that process. */
size_t sim_memory_used(const struct process *process, int device);
size_t sim_memory_capacity(void);

#endif
