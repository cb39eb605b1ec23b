/* What the files of amendments share: edits made ready for another run. Private to this room. */
#ifndef NCS_RUN_AMEND_PRIVATE_H
#define NCS_RUN_AMEND_PRIVATE_H

#include <limits.h>

#include "run/amend.h"
#include "run/private.h"

enum { NCS_ANY_THREAD = INT_MIN };

/* A place in a program, in words that hold in every run of it. */
struct spot {
    char *file;   /* NULL = unknown */
    int line;
    enum ncs_fn fn;
    uint64_t nth; /* use of it by its rank, or by one thread of it, from 1 */
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
    struct ncs_place place;       /* the model's: where this rank would make it, too; its file is a copy */
    ncclWaitSignalDesc_t wait;    /* of a wait for signals, also where its peer is changed */
    struct origin send, recv;
    enum in_place in_place;
    int thread;                   /* that makes it; NCS_ANY_THREAD */
    struct spot after;            /* not before this call of its own; of a host's right before it */
    char *key;                    /* of a host's */
    bool with_previous, with_next; /* in the group of the call before it, after it */
    uint32_t beside, beside_call; /* in the group of this call, of this communicator of the rank's; 0 = of none */
    bool opens, closes;           /* a group of its own, alone or with the next ones */
    bool follows;                 /* in the group that the inserted call before it has opened */
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

/* A rank's calls that allocate or free, oldest first. */
struct memory {
    struct ncs_call **call;
    size_t calls, room;
};

void ncs_amend_remember(struct memory *m, struct ncs_call *call); /* if it is one of those; pins it */
void ncs_amend_forget(struct memory *m);
/* The allocation that holds the address; *room: bytes from there on. */
const struct ncs_call *ncs_amend_allocation(const struct memory *m, const void *address, size_t *room);
void ncs_amend_origin(const struct memory *m, const void *address, struct origin *out);
/* What the rank of the run has there in this run, with room for that many bytes; NULL = nothing. */
void *ncs_amend_own(const struct memory *m, const struct origin *o, size_t bytes);
/* Memory of zeros, in the order of the stream, that is given back with the run; NULL = there is none. */
void *ncs_amend_scratch(struct ncs_run *run, size_t bytes, const void *stream);

/* ---- the run that was (amend_past.c) ---- */

struct ncs_past;

static inline uint64_t ncs_amend_member_key(int comm, int comm_rank)
{
    return ((uint64_t)(uint32_t)comm << 32 | (uint32_t)comm_rank) + 1;
}

struct ncs_past *ncs_amend_past(const struct ncs_journal *j);
void ncs_amend_past_free(struct ncs_past *p);
/* The one before it, of its thread. */
const struct ncs_call *ncs_past_before(const struct ncs_past *p, const struct ncs_call *c);
/* How many times its rank, or its thread alone, had called from its place, with it; 0 = it is none of the
 * script's. */
uint64_t ncs_past_use(const struct ncs_past *p, const struct ncs_call *c, bool by_thread);
/* In all; of all threads NCS_ANY_THREAD. */
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

/* A round, on one rank. Calls are counted on communicators, whichever thread makes them; a group, and
 * what waits for its end, is of the thread that has started it. */
struct stage {
    const struct change **change; /* the rank's own; none: the round does not concern it */
    size_t changes, changes_room;
    bool *done;                     /* by change */
    const struct ncs_local **open;  /* by change: who has started the group; NULL = nobody */
    uint64_t *seen;                 /* by change: uses of the place that an inserted call comes after */
    uint32_t *count;                /* counted calls by communicator, as numbered for this rank */
    size_t counts;
    struct held *held;              size_t helds, held_room;
    struct put_off *due;            size_t dues, due_room;   /* edits that synchronise */
    struct put_off *back;           size_t backs, back_room; /* the script's own */
};

struct amender {
    struct stage *stage;
    size_t stages;
    struct ncs_map nth;   /* (communicator, rank in it) -> which of the rank's, from 1 */
    struct memory memory;
    const void *stream;   /* that of its last call that had one; NULL = none */
};

/* What a call is, for a round: `number` there, on the rank's nth communicator; 0 = not counted. */
struct passing {
    struct ncs_run *run;
    struct amender *a;
    size_t level;
    struct stage *s;
    struct ncs_call *call; /* NULL: no call, but a place where the rank may wait, or its end */
    uint32_t nth, number;
    bool ends;             /* of the script, or of the communicator */
    bool over;             /* of the thread's function */
};

int ncs_amend_make(const struct passing *p, enum ncs_fn fn, const union ncs_arg *arg);
int ncs_amend_make_plain(const struct passing *p, enum ncs_fn fn); /* without arguments */
uint32_t ncs_amend_counted(const struct stage *s, uint32_t nth);
/* The rank's nth communicator; false when it has none, or is not there any more. */
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

/* False: it cannot be made. */
bool ncs_amend_prepare_host(const struct ncs_journal *j, const struct ncs_past *past, struct change *c);
void ncs_amend_hosts_before(struct ncs_run *run, const struct ncs_call *call); /* NULL: at the thread's end */

/* ---- order (amend_order.c) ---- */

/* The swap that this call has to wait for. */
bool ncs_amend_waits(const struct passing *p, size_t *which);
void ncs_amend_hold(const struct passing *p, size_t which);
bool ncs_amend_in_own_group(const struct passing *p); /* the thread */
bool ncs_amend_owes_sync(const struct passing *p);    /* the thread, by an edit */
void ncs_amend_start_groups(const struct passing *p);
void ncs_amend_put_off(const struct passing *p); /* a call that synchronises */
/* What comes behind the call, which gave that code: the first code that is none of success. */
int ncs_amend_after(const struct passing *p, int rc);
void ncs_amend_end_all(const struct passing *p);
int ncs_amend_end_groups(const struct passing *p, bool all); /* all: of the thread */

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
