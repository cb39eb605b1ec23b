/* What the files of amendments share: edits made ready for another run. Private to this room. */
#ifndef NCS_RUN_AMEND_PRIVATE_H
#define NCS_RUN_AMEND_PRIVATE_H

#include "run/amend.h"
#include "run/private.h"

/* A place in a program, in words that hold in every run of it. */
struct spot {
    char *file;   /* NULL = unknown */
    int line;
    enum ncs_fn fn;
    uint64_t nth; /* use of it by its rank, from 1 */
};

/* Where in which allocation of its rank a buffer is. */
struct origin {
    struct spot spot;
    uint64_t offset;
};

enum in_place { APART, SAME, SEND_IN_RECV, RECV_IN_SEND }; /* the last two: at its rank's block */

struct change {
    struct ncs_edit edit;         /* without its texts */
    uint32_t nth, other_nth;      /* the communicators, among those that the rank has joined, from 1 */
    /* INSERT */
    enum ncs_fn fn;
    union ncs_arg arg[NCS_MAX_ARGS];
    char *label;
    struct origin send, recv;
    enum in_place in_place;
    struct spot after;            /* not before this call of its own */
    bool with_previous, with_next; /* in the group of the call before it, after it */
    bool opens, closes;           /* a group of its own, alone or with the next ones */
};

struct round {
    struct change *change;
    size_t changes, room;
};

struct ncs_amendments {
    struct round **round;
    size_t rounds, room;
};

/* The how manieth communicator of its rank of the run that is; 0 = it is not known there. */
uint32_t ncs_amend_membership(const struct ncs_journal *j, int comm, int comm_rank);

/* ---- memory (amend_memory.c) ---- */

/* The allocation of the caller's rank that holds the address; *room: bytes from there on. */
const struct ncs_call *ncs_amend_allocation(const struct ncs_journal *j, int rank, const void *address,
                                            size_t *room);
void ncs_amend_origin(const struct ncs_journal *j, int rank, const void *address, struct origin *out);
/* What the rank of the run has there in this run, with room for that many bytes; NULL = nothing. */
void *ncs_amend_own(const struct ncs_journal *j, int rank, const struct origin *o, size_t bytes);
/* Memory of zeros, in the order of the stream, that is given back with the run; NULL = there is none. */
void *ncs_amend_scratch(struct ncs_run *run, size_t bytes, const void *stream);

/* ---- arguments (amend_arguments.c) ---- */

/* The arguments of a call like the change's for a rank of a communicator. */
void ncs_amend_compose(struct ncs_run *run, const struct change *c, int comm, int comm_rank,
                       const void *stream, union ncs_arg *arg);
/* Replaces one; false when it has none of that name. */
bool ncs_amend_replace(struct ncs_run *run, struct ncs_call *call, const struct change *c);
/* Buffers that are too small for the arguments as they are now give way to others. What was written
 * goes back with ncs_amend_give_back. */
struct stand_in {
    void *own, *other; /* NULL = none was needed */
    size_t bytes;
};
void ncs_amend_make_room(struct ncs_run *run, struct ncs_call *call, struct stand_in *recv);
void ncs_amend_give_back(struct ncs_run *run, const struct stand_in *recv, const void *stream);

#endif
