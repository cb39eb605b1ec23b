/* Launches: the work that one group end puts on the streams for one rank of one communicator. A
 * launch is one operation; inside it one-sided parts go in issue order, then collectives in issue
 * order, then all point-to-point parts at once. */
#ifndef NCS_SIM_LAUNCH_H
#define NCS_SIM_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/gen/api.h"
#include "api/snapshot.h"
#include "sim/cuda/above.h"
#include "sim/data/data.h"
#include "sim/kernel/above.h"

struct comm_rank;
struct ncs_call;
struct op;
struct rma;
struct meeting;
struct composed;
struct stream;

/* One call's share. */
struct part {
    enum ncs_fn fn; /* a composed call becomes sends and receives (composed.h), an
                              * all-to-all only when it must (matrix.h) */
    enum ncs_part_state state;
    struct comm_rank *cr;
    struct ncs_call *call; /* pinned; NULL = not journalled */
    struct stream *stream;
    uint64_t capture; /* id of the capture that the stream was in at the call; 0 = none */
    const void *send;
    void *recv;
    size_t count;
    size_t bytes;         /* count * size of the type */
    size_t reads, writes; /* bytes at send and recv, when nothing is in the way; 0 = they are beyond any memory */
    int dtype;
    bool beyond; /* count * size of the type is beyond any memory, for one rank or for all */
    int op;      /* a built-in one; ncclSum of a user operator */
    bool premul;
    unsigned char scalar[8]; /* of premul; from the device: read when the data moves */
    const void *scalar_pointer;
    int root;          /* or the peer */
    uint64_t sequence; /* of its meeting, among those of its kind */
    struct meeting *meeting;
    struct composed *composed; /* the all-to-all, gather or scatter it belongs to; referenced */
    struct rma *rma;           /* of a put, signal or wait; owned */
    bool cut;                  /* one-sided, over a cut link: never completes */
    size_t agenda_place;       /* of those; 0 = not there */
    struct launch *launch;
};

struct launch {
    struct op *op;
    struct comm_rank *cr;
    struct part **part;    /* ordered parts first, then the pairs; owned, or `only` */
    struct part *only;     /* room for one */
    size_t parts, ordered; /* ordered: how many run one by one */
    size_t open;           /* parts that are not over */
    bool started;          /* its parts have been posted */
    struct op *before;     /* launch of this device that must start first; referenced */
    struct op *behind;     /* launch that waits for this one to start; referenced */
};

static inline bool sim_part_is_pair(const struct part *p)
{
    return ncs_fn_info[p->fn].pair;
}

static inline bool sim_part_is_one_sided(const struct part *p)
{
    return ncs_fn_info[p->fn].one_sided;
}

/* As NCCL's messages write it: "AllReduce". */
static inline const char *sim_request_name(enum ncs_fn fn)
{
    return ncs_fn_info[fn].name + sizeof "nccl" - 1;
}

void sim_part_measure(struct part *p);       /* fills in the bytes, from its function, count, type, root and communicator */
size_t sim_part_moved(const struct part *p); /* bytes that the cost of a collective depends on */
void sim_part_free(struct part *p);
/* The reason why the part's buffers cannot be used, in words; NULL = they can. */
const char *sim_part_misplaced(const struct part *p);

/* Puts the parts (of one comm rank, in issue order; ownership passes) on their streams. */
void sim_launch_enqueue(struct comm_rank *cr, struct part **parts, size_t count);

#endif
