/* Memory of the virtual machine: host memory with an owner, bounds and a limited amount, as a GPU's
 * memory has. */
#ifndef NCS_SIM_MEMORY_H
#define NCS_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/data/pages.h"
#include "sim/data/spans.h"

struct process;

enum memory_kind {
    MEMORY_DEVICE,
    MEMORY_PINNED,
    MEMORY_MANAGED,
    MEMORY_REGISTERED, /* the caller's own, pinned in place */
};

/* The memory is in use by another process than its owner, which has opened a handle. */
struct import {
    struct process *process;
    int device; /* where it was opened, whose kernels may use the memory */
    unsigned times;
    struct import *next;
};

struct allocation {
    uint64_t serial;
    char *base;
    void *block;   /* the block that base lies in; NULL = the caller's memory */
    size_t mapped; /* bytes of the block if it is a mapping of its own; else 0 */
    size_t bytes;
    enum memory_kind kind;
    struct process *process; /* its owner */
    struct import *imports;
    int device;
    unsigned flags;         /* of pinned memory */
    bool foreign;           /* a use by another device was reported */
    bool leaving;           /* a stream will free it */
    bool watched;           /* keeps a record of the call that frees it */
    struct pool *pool;      /* the pool that it came from; NULL = none */
    uint64_t address;       /* of base, as the log gives it: the same in every run */
    struct pages pages;     /* of large memory of a program from outside */
    size_t taken;           /* bytes counted against the host's budget */
    unsigned char *piece;   /* lazy memory: a bit for each piece that was written; NULL = all of the
                           * memory counts as taken */
    struct spans unwritten; /* bytes that nothing has written, from base on */
    bool by_nccl;           /* from ncclMemAlloc: on pages of its own; cudaFree rejects it */
};

struct gpu;
struct ncs_freed;
struct pool;

/* p as the log names it, the same in every run; 0 = NULL. */
uint64_t sim_memory_address(const void *p);

/* The allocation that holds p, or NULL. */
struct allocation *sim_memory_find(const void *p);
/* The first allocation that begins beyond p, or NULL. */
struct allocation *sim_memory_next(const void *p);
/* The allocation that begins at p, if this process may free it, that is, unless a
 * stream is about to. */
struct allocation *sim_memory_at(const struct process *process, const void *p);

/* Returns a cudaError_t: 0, or 2 if the device or the host has no room; the observer is informed.
 * The first MiB of fresh memory is poisoned, the rest is zero; for a program from outside all is
 * zero. A large allocation takes no host memory until it is written. */
int sim_memory_new(struct process *process, int device, enum memory_kind kind, size_t bytes, void **p);
/* Pins memory of the caller's own. Returns a cudaError_t: 712 if part of it is pinned already. */
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

/* Reserves the host's memory before [p, p + bytes) is written. False if none is left: then the
 * caller must not write, and the run is about to end. */
bool sim_memory_commit(const void *p, size_t bytes);

/* Reports to the observer that the host has no memory for a call's `bytes`. Returns CUDA's error for it. */
int sim_memory_refused(size_t bytes);

/* True if the process owns the memory, or has opened a handle of it. */
bool sim_memory_is_of(const struct process *process, const struct allocation *a);
/* Opens the memory for a process that does not own it, once more if it has it already. */
void sim_memory_import(struct allocation *a, struct process *process, int device);
/* What the process has opened, there or on another device; NULL = nothing. */
struct import *sim_memory_imported(const struct allocation *a, const struct process *process, int device);
void sim_memory_end_import(struct allocation *a, struct import *import);

/* True if a device of this process may touch all of [p, p + bytes), which must lie
 * in one allocation. */
bool sim_memory_reachable(const struct process *process, const void *p, size_t bytes);
/* The same for work that was enqueued earlier: the memory must still belong to the allocation with this
 * serial; 0 = any. */
bool sim_memory_still_reachable(const struct process *process, uint64_t serial, const void *p, size_t bytes);

/* True if a kernel of gpu may use allocated memory at p: on its own device, or by peer access. */
bool sim_memory_in_reach(const struct gpu *gpu, const void *p);

/* True if the current call may touch memory that the machine did not allocate. A script may touch
 * only memory that it has lent for this call. A program from outside may touch any. */
bool sim_memory_of_caller(const void *p, size_t bytes);
/* True if the host may touch the memory during the current call: the machine's own,
 * or the caller's. */
bool sim_memory_usable(const struct process *process, const void *p, size_t bytes);

/* See ncs_machine. */
bool sim_memory_readable(const void *p, size_t bytes);
uint64_t sim_memory_watch(const void *p);
bool sim_memory_freed(uint64_t serial, struct ncs_freed *how);
bool sim_memory_written(const void *p, size_t bytes);

/* Bytes in use on the device under that process. */
uint64_t sim_memory_used(const struct process *process, int device);
uint64_t sim_memory_capacity(void);

#endif
