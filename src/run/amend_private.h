/* Edits prepared for another run. Private to the files of amendments. */
#ifndef NCS_RUN_AMEND_PRIVATE_H
#define NCS_RUN_AMEND_PRIVATE_H

#include <limits.h>

#include "run/amend.h"
#include "run/private.h"

enum { NCS_ANY_THREAD = INT_MIN };

/* A place in a program, described so that it holds in every run of the program. */
struct spot {
    char *file; /* NULL = unknown */
    int line;
    enum ncs_fn fn;
    uint64_t nth; /* the nth use by the rank, or by one thread of it, from 1 */
};

/* A buffer as an allocation of its rank and an offset. */
struct origin {
    struct spot spot;
    uint64_t offset;
};

/* The last two lie at the rank's own block. */
enum in_place { APART, SAME, SEND_IN_RECV, RECV_IN_SEND };

struct change {
    struct ncs_edit edit;    /* without its texts */
    uint32_t nth, other_nth; /* the nth communicators that the rank joined, from 1 */
    /* INSERT */
    enum ncs_fn fn;
    union ncs_arg arg[NCS_MAX_ARGS];
    char *label;
    struct ncs_place place;    /* of the model: this rank would call there, too; owns file */
    ncclWaitSignalDesc_t wait; /* a wait for signals, with the changed peer */
    struct origin send, recv;
    enum in_place in_place;
    int thread;        /* the thread that makes it; may be NCS_ANY_THREAD */
    struct spot after; /* made after this call of its own; a host step, or if exact: before it */
    bool exact;
    char *key; /* of a host's */
    int *rank;
    size_t ranks;                  /* of a barrier: who comes. Owned here: a rank may end while it waits there */
    bool with_previous, with_next; /* in the group of the previous, the next insertion */
    uint32_t beside, beside_call;  /* joins the group of this call on the rank's nth communicator
                                   * (beside); 0 = none */
    bool opens, closes;            /* a group of its own, alone or with the next ones */
    bool follows;                  /* in the group that the previous inserted call has opened */
};

struct round {
    struct change *change;
    size_t changes, room;
};

struct ncs_amendments {
    struct round **round;
    size_t rounds, room;
};

/* The communicator's number among those that its rank has joined, from 1; 0 = unknown. */
uint32_t ncs_amend_membership(const struct ncs_journal *j, int comm, int comm_rank);

/* ---- memory (amend_memory.c) ---- */

/* A rank's calls that allocate or free, oldest first. */
struct memory {
    struct ncs_call **call;
    size_t calls, room;
};

/* Keeps and pins the call if it allocates or frees. */
void ncs_amend_remember(struct memory *m, struct ncs_call *call);
void ncs_amend_forget(struct memory *m);
/* The allocation that holds the address. *room is set to the bytes from there to its end. */
const struct ncs_call *ncs_amend_allocation(const struct memory *m, const void *address, size_t *room);
void ncs_amend_origin(const struct memory *m, const void *address, struct origin *out);
/* The memory that the rank has at this origin in this run, with room for so many
 * bytes; NULL = none. */
void *ncs_amend_own(const struct memory *m, const struct origin *o, size_t bytes);
/* Zeroed memory, ordered in the stream. The run frees it. NULL = no memory. */
void *ncs_amend_scratch(struct ncs_run *run, size_t bytes, const void *stream);

/* ---- the run that was (amend_past.c) ---- */

struct ncs_past;

static inline uint64_t ncs_amend_member_key(int comm, int comm_rank)
{
    return ((uint64_t)(uint32_t)comm << 32 | (uint32_t)comm_rank) + 1;
}

struct ncs_past *ncs_amend_past(const struct ncs_journal *j);
void ncs_amend_past_free(struct ncs_past *p);
/* The previous call of the same thread. */
const struct ncs_call *ncs_past_before(const struct ncs_past *p, const struct ncs_call *c);
/* How many calls its rank (or its thread alone) had made from its place, this one included; 0 = the
 * call is not the script's. */
uint64_t ncs_past_use(const struct ncs_past *p, const struct ncs_call *c, bool by_thread);
/* All uses by the rank; thread may be NCS_ANY_THREAD. */
uint64_t ncs_past_uses(const struct ncs_past *p, int rank, int thread, const struct ncs_call *like);
uint32_t ncs_past_nth(const struct ncs_past *p, int comm, int comm_rank); /* ncs_amend_membership */
const struct memory *ncs_past_memory(const struct ncs_past *p, int rank);

/* ---- on a rank of a run (amend_state.c) ---- */

struct held { /* a call that waits for another to be made first */
    size_t change;
    struct ncs_call call;
    struct ncs_local said; /* label and the like */
};

struct put_off { /* until the thread's group has ended */
    const struct ncs_local *thread;
    const void *stream;
    bool device; /* all of its streams */
};

/* One round on one rank. Calls are counted per communicator, whichever thread makes them. A group,
 * and the edits that wait for its end, belong to the thread that started it. */
struct stage {
    const struct change **change; /* those of this rank; none: the round does not concern it */
    size_t changes, changes_room;
    bool *done;                    /* by change */
    bool *begun;                   /* by change: of its two calls only the first has come */
    const struct ncs_local **open; /* by change: who started its group; NULL = nobody */
    uint64_t *seen;                /* by change: uses of the place that an insertion follows */
    uint32_t *count;               /* counted calls, by the rank's nth communicator */
    size_t counts;
    struct held *held;
    size_t helds, held_room;
    struct put_off *due;
    size_t dues, due_room; /* edits that synchronise */
    struct put_off *back;
    size_t backs, back_room; /* the script's own */
};

struct amender {
    struct stage *stage;
    size_t stages;
    struct ncs_map nth; /* (communicator, rank in it) -> its number among the rank's, from 1 */
    struct memory memory;
    const void *stream; /* the stream of its last call with one; NULL = none */
};

/* A call on its way through one round: call `number` on the rank's nth communicator; number
 * 0 = not counted. */
struct passing {
    struct ncs_run *run;
    struct amender *a;
    size_t level;
    struct stage *s;
    struct ncs_call *call; /* NULL: a place where the rank may wait, or its end */
    uint32_t nth, number;
    bool ends; /* the script or the communicator ends */
    bool over; /* the thread's function is over */
};

int ncs_amend_make(const struct passing *p, enum ncs_fn fn, const union ncs_arg *arg);
int ncs_amend_make_plain(const struct passing *p, enum ncs_fn fn); /* without arguments */
uint32_t ncs_amend_counted(const struct stage *s, uint32_t nth);
/* Finds the rank's nth communicator. False = the rank has none, or it was freed. */
bool ncs_amend_find_member(const struct passing *p, uint32_t nth, int *comm, int *comm_rank);

static inline const struct change *ncs_amend_change(const struct passing *p, size_t i)
{
    return p->s->change[i];
}

static inline bool ncs_amend_is(const struct passing *p, size_t i, enum ncs_edit_kind kind)
{
    return p->s->change[i]->edit.kind == kind;
}

static inline bool ncs_amend_at(const struct passing *p, uint32_t nth, uint32_t number)
{
    return p->number && p->nth == nth && p->number == number;
}

/* ---- inserted calls (amend_insert.c) ---- */

bool ncs_amend_any_due(const struct passing *p);
void ncs_amend_insert_due(const struct passing *p);

/* ---- steps of hosts (amend_host.c) ---- */

const struct ncs_call *ncs_amend_call_with(const struct ncs_journal *j, uint64_t id);
/* It is the spot's call, or would be if it came as often. */
bool ncs_amend_is_at_spot(const struct ncs_call *call, const struct spot *at);

/* False = the edit cannot be prepared. */
bool ncs_amend_prepare_host(const struct ncs_journal *j, const struct ncs_past *past, struct change *c);
void ncs_amend_hosts_before(struct ncs_run *run, const struct ncs_call *call); /* NULL: at the thread's end */

/* ---- order (amend_order.c) ---- */

/* Finds the swap for which this call must wait. */
bool ncs_amend_waits(const struct passing *p, size_t *which);
void ncs_amend_hold(const struct passing *p, size_t which);
bool ncs_amend_in_own_group(const struct passing *p); /* the thread */
bool ncs_amend_owes_sync(const struct passing *p);    /* the thread, by an edit */
void ncs_amend_start_groups(const struct passing *p);
/* True if this call, or a wait without one, ends an exchange whose group an edit has begun (`further`): it is no message, or one
 * like another of the group, so the next exchange. */
bool ncs_amend_exchange_is_over(const struct passing *p);
void ncs_amend_end_exchange(const struct passing *p);
void ncs_amend_put_off(const struct passing *p); /* delays a call that synchronises */
/* Makes the calls that follow this call, which returned rc. Returns the first code
 * that is not success. */
int ncs_amend_after(const struct passing *p, int rc);
void ncs_amend_end_all(const struct passing *p);
int ncs_amend_end_groups(const struct passing *p, bool all); /* all: every group of the thread */

/* ---- arguments (amend_arguments.c) ---- */

/* Fills the arguments of the change's call for this rank of the communicator. */
void ncs_amend_compose(struct ncs_run *run, const struct change *c, int comm, int comm_rank, const void *stream,
                       union ncs_arg *arg);
/* Replaces an argument; false = the call has no such argument. */
bool ncs_amend_replace(struct ncs_run *run, struct ncs_call *call, const struct change *c);
/* Replaces buffers that are too small for the changed arguments by larger ones. ncs_amend_give_back
 * copies the results back. */
struct stand_in {
    void *own, *other; /* NULL = none was needed */
    size_t bytes;
};
void ncs_amend_make_room(struct ncs_run *run, struct ncs_call *call, struct stand_in *recv);
void ncs_amend_give_back(struct ncs_run *run, const struct stand_in *recv, const void *stream);

#endif
