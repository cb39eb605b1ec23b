/* The graph of device operations. A stream is the name of its last operation; edges are added when
 * an operation is enqueued and point to older operations only, so the graph has no cycle. */
#ifndef NCS_SIM_OP_H
#define NCS_SIM_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ncclscript/cuda_abi.h"
#include "sim/kernel/above.h"
#include "sim/kernel/wait.h"

struct gpu;
struct launch;
struct ncs_call;
struct stream;

enum op_kind { OP_LAUNCH, OP_COPY, OP_SET, OP_ADD, OP_EVENT, OP_DELAY, OP_HOST, OP_FREE };

enum op_state { OP_BLOCKED, OP_ENABLED, OP_ACTIVE, OP_DONE };

enum kernel_slot { KERNEL_SLOT_NONE, KERNEL_SLOT_WANTED, KERNEL_SLOT_HELD };

/* The instruction of a simple operation: copy dst <- src, set dst to byte, add src to dst, call a
 * host function with dst, free dst. Copies and sets are of `rows` rows of `bytes` bytes. */
struct op_work {
    void *dst;
    const void *src;
    size_t bytes, rows;
    size_t dst_pitch, src_pitch; /* from row to row */
    cudaHostFn_t function;       /* one of these two, of a host function */
    cudaStreamCallback_t callback;
    cudaStream_t handle;             /* the stream that the callback gets */
    void *staged;                    /* a copy from pageable memory: the bytes at the call; owned */
    int byte;                        /* of a set */
    int dtype;                       /* of an add; of a copy that of what a script reads, ncclInt8 if it is not known */
    bool dst_device, src_device;     /* memory that must be valid when the operation ends, */
    uint64_t dst_memory, src_memory; /* in these allocations, by serial; 0 = any */
};

struct op {
    enum op_kind kind;
    enum op_state state;
    int status;    /* when DONE: cudaError_t, 0 = ok */
    int64_t ended; /* when DONE */
    unsigned references;
    size_t blockers; /* edges not yet done */
    struct op **successor;
    size_t successors, successors_room;
    struct waitable done;
    struct gpu *gpu;
    struct stream **stream; /* the streams on which it is unfinished; owned, or `only` */
    size_t streams;
    struct stream *only;        /* room for one */
    struct ncs_call *call;      /* the call that enqueued it, pinned; NULL = not journalled */
    struct op *previous, *next; /* all unfinished ones */
    struct op *next_queued;
    bool queued;
    bool captured; /* a node of a graph: it never runs */
    bool of_graph; /* made by a launch of a graph */
    uint64_t serial;
    int64_t cost;
    size_t agenda_place; /* 0 = not there */
    struct op_work work;
    struct launch *launch;        /* of a LAUNCH; freed with the operation */
    enum kernel_slot kernel_slot; /* of a LAUNCH */
};

/* A new operation behind the tails of the given streams, at least one, and behind what the legacy stream
 * implies. It becomes their tail. The caller may add edges and then calls sim_op_submit. On capturing streams it is
 * the new node of a graph (capture.h), which gets no such edges. */
struct op *sim_op_new(enum op_kind kind, struct gpu *gpu, struct stream *const *streams, size_t count, int64_t cost);
void sim_op_after(struct op *op, struct op *older); /* NULL or done: no edge */
void sim_op_submit(struct op *op);

/* Marks the operation done and releases its successors. */
void sim_op_end(struct op *op, int status);

/* Lets the next sim_ops_activate look at the operation, because it was enabled or a part of its
 * launch is done. */
void sim_op_queue(struct op *op);

extern const char *const sim_op_kind_names[]; /* by kind, as in ncs_snap_op */

#endif
