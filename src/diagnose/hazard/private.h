/* Shared by the files of the wing hazard.
 *
 * Operations are ordered by vector clocks. A lane is a row of operations, numbered by ticks: each stream is a lane, and
 * a non-blocking communicator has a lane for its launches in progress, until each is known to be on its stream. A
 * clock has for each lane the tick up to which operations have ended. */
#ifndef NCS_DIAGNOSE_HAZARD_PRIVATE_H
#define NCS_DIAGNOSE_HAZARD_PRIVATE_H

#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/sorted.h"
#include "diagnose/hazard/hazard.h"

struct clock {
    uint32_t *at; /* by lane; lanes beyond: 0 */
    uint32_t lanes, changes;
};

/* ---- uses of memory ---- */

struct access {
    struct ncs_call *call; /* pinned; NULL = none */
    uint32_t tick;         /* on its lane; 0 = it has ended, as every clock knows */
    unsigned lane : 24, does : 8;
};

struct span { /* bytes of an allocation with the same last uses */
    uintptr_t from, to;
    struct access write;
    struct access *read; /* reads since that write: the newest of each lane */
    size_t reads, read_room;
};

struct hollow { /* bytes of an allocation that are no result of the call that has them as its receive buffer */
    uintptr_t from, to;
    struct ncs_call *call, *by; /* pinned; by: what cut the call short or reported it, NULL = nothing */
    struct ncs_broken broken;   /* without `by`: the error that cuts it short */
    enum ncs_hazard_kind kind;
    bool kept; /* in place: the bytes are still the rank's own input, and the program may read them as that */
};

struct block { /* an allocation */
    uintptr_t base, end;
    bool on_device;    /* the host cannot touch it without a copy */
    int device;        /* of the thread that allocated it */
    bool shared;       /* a window, to which other ranks put: not checked */
    struct span *span; /* ascending, disjoint */
    size_t spans, room;
    struct hollow *hollow; /* disjoint, in no order */
    size_t hollows, hollow_room;
    uintptr_t result_from, result_to; /* within these bytes calls of NCCL have written; equal: nowhere */
};

/* ---- order ---- */

struct stream {
    int device;
    const struct thread *thread; /* of the per-thread stream */
    bool blocking, legacy, destroyed;
    unsigned lane;
    struct clock clock; /* the clock when all its operations have ended */
    uint32_t drained;   /* clock.changes when the host's clock last took all of it */
    struct stream *next;
};

struct event {
    struct clock clock;
};

/* One operation, while it is checked and noted. */
struct step {
    struct ncs_call *call;
    struct clock *after; /* the operations that have ended before it begins */
    unsigned lane;
    uint32_t tick;  /* 0 = the host does it: it has ended when its call returns */
    bool in_launch; /* it runs at once with others of the same tick */
};

struct piece { /* of memory that a call touches */
    uintptr_t from;
    size_t bytes;
    unsigned does;
};

#define PIECES 4

/* A launch: when it has ended, the work before the launches that it met has ended, too. */
struct past {
    uint64_t *met; /* keys of its calls (hazard_key_of): calls that meet have the same */
    size_t mets, room;
    unsigned lane;
    uint32_t tick;
    struct clock before;
};

#define PASTS 16

/* A rank's part of a communicator. */
struct line {
    int comm, comm_rank;
    struct clock clock;  /* the clock when its last launch has ended */
    unsigned lane;       /* of its launches in progress; 0 = none so far */
    uint32_t first;      /* the first tick of the launch in progress */
    bool in_progress;    /* launched, but not known to be on its streams (ncclInProgress) */
    uint64_t group;      /* of the launch in progress */
    struct clock coming; /* the clock when the launch in progress has ended */
    struct stream **on;  /* the streams of the launch */
    size_t ons, room;
    struct past *past; /* launches of the ranks of one process: a ring of PASTS, the newest at (pasts - 1) % PASTS */
    uint64_t pasts;
    struct line *next;
};

struct arguments { /* of a call of NCCL */
    const void *in, *out, *stream;
    size_t count, bytes; /* bytes: of an element */
    bool counts;         /* it has a count */
};

struct queued { /* a call in an open group */
    struct ncs_call *call;
    struct arguments arguments;
    struct stream *stream;
    struct line *line;
    struct ncs_call *sync; /* a wait within the group, which does not cover this call; NULL = none. Pinned */
    bool launched;
};

struct thread {
    int rank, thread; /* as of its calls */
    int device;       /* -1: not known */
    int depth;        /* of groups */
    struct queued *queue;
    size_t queues, room;
    struct thread *next;
};

struct vain { /* a wait in vain: it came before the operations were on their stream */
    unsigned lane;
    uint32_t first, last;  /* the ticks of the operations */
    struct ncs_call *sync; /* the wait; pinned */
    bool in_group;         /* the operations were in an open group; false = in a launch in progress */
};

#define VAINS 8 /* newest waits in vain that a rank remembers */
#define FOUND 8
#define RECENT 8 /* newest reads of the host that a rank remembers */

struct recent { /* what the host has read since the last comparison */
    uintptr_t from, to;
    int found;                    /* index of a hazard; -1 = none */
    struct ncs_call *kept, *read; /* pinned; it has read what the call `kept` left as it was; NULL = no such call */
};

struct rank {
    int rank;
    struct ncs_hazards *all;
    bool blind;             /* calls no longer show the work: a stream is captured, or the device was reset */
    struct clock host;      /* what the host knows to have ended */
    struct clock scratch;   /* of the operation at work: saves an allocation for each call */
    struct clock callbacks; /* what has ended when all host functions in streams have run, and in one process also when
                             * all writes to memory that the host can read have ended */
    uint32_t *tick;         /* by lane (from 1): its operations so far */
    size_t tick_room;
    unsigned lanes;
    unsigned *spare; /* lanes that no stream uses any more; a new one continues their ticks */
    size_t spares, spare_room;
    struct stream *streams;
    size_t destroyed;       /* of them; they are not among the handles */
    struct ncs_map handles; /* handle that the program made -> stream */
    struct ncs_map events;
    struct line *lines;
    struct thread *threads;
    struct ncs_sorted blocks;   /* by address; disjoint */
    struct block *found[FOUND]; /* the latest that were looked for, by address; NULL = none */
    struct vain vain[VAINS];
    unsigned vains;
    struct recent recent[RECENT];
    unsigned recents;
};

struct ncs_hazards {
    const struct ncs_journal *journal;
    struct ncs_hazards_options options;
    struct rank **rank;
    size_t ranks;
    struct ncs_hazard *found;
    size_t founds, found_room;
    struct ncs_map tainted; /* key of a call -> index of a hazard + 1 */
    uint64_t *missed;       /* keys of calls whose results were wrong */
    size_t misses, miss_room;
};

/* ---- order.c ---- */

static inline bool hazard_covers(const struct clock *c, unsigned lane, uint32_t tick)
{
    return tick == 0 || (lane < c->lanes && c->at[lane] >= tick);
}

void hazard_join(struct clock *into, const struct clock *from); /* the later tick of each lane */
void hazard_copy(struct clock *into, const struct clock *from);
void hazard_set(struct clock *c, unsigned lane, uint32_t tick);
bool hazard_is_within(const struct clock *c, const struct clock *of);

struct rank *hazard_rank(struct ncs_hazards *h, int rank); /* made if there is none */
void hazard_free_order(struct rank *r);
struct thread *hazard_thread(struct rank *r, const struct ncs_call *call); /* that makes the call */
int hazard_device(struct rank *r, const struct ncs_call *call);
struct stream *hazard_stream(struct rank *r, const void *handle, int device, const struct ncs_call *call);
void hazard_new_stream(struct rank *r, const void *handle, int device, bool blocking);
void hazard_end_stream(struct rank *r, const void *handle);
unsigned hazard_lane(struct rank *r);
void hazard_spare_lane(struct rank *r, unsigned lane);
/* Adds to the clock the operations before the one that is now put into the stream. */
void hazard_before(const struct rank *r, const struct stream *s, struct clock *c);
/* The host waits for all streams of a device; -1: of all devices. */
void hazard_drain(struct rank *r, int device);

/* ---- memory.c ---- */

void hazard_add_block(struct rank *r, const void *base, size_t bytes, int device, bool on_device);
struct block *hazard_block(struct rank *r, uintptr_t at);
/* The first one that begins beyond the address; NULL = none. */
struct block *hazard_next_block(const struct rank *r, uintptr_t at);
void hazard_drop_block(struct rank *r, struct block *b);
void hazard_share(struct rank *r, const void *base);
void hazard_free_memory(struct rank *r);
/* Checks the use against the earlier uses of the same bytes. */
void hazard_look(struct rank *r, const struct step *s, const struct piece *p);
/* Notes the use, for later ones to be checked against. */
void hazard_note(struct rank *r, const struct step *s, const struct piece *p);
void hazard_host_read(struct rank *r, uintptr_t from, size_t bytes, int found);
void hazard_forget_reads(struct rank *r);
void hazard_each_writer(struct rank *r, uintptr_t from, uintptr_t to,
                        void (*visit)(struct ncs_hazards *h, const struct ncs_call *call), struct ncs_hazards *h);

/* ---- hollow.c ---- */

void hazard_drop_hollows(struct block *b);
void hazard_fill_hollow(struct block *b, uintptr_t from, uintptr_t to); /* the bytes are written */
void hazard_result(struct block *b, uintptr_t from, uintptr_t to);      /* by a call of NCCL */
/* A use reads the bytes. Returns the index of the hazard; -1 = none of them is hollow. */
int hazard_read_hollow(struct rank *r, const struct block *b, const struct step *s, uintptr_t from, uintptr_t to);
/* The call in place that has left some of the bytes as they were; NULL = none. */
struct ncs_call *hazard_kept_by(const struct block *b, uintptr_t from, uintptr_t to);
/* The rank is not the root of the call, which would write `out`, and reads `in`. */
void hazard_off_root(struct rank *r, struct ncs_call *call, struct piece out, struct piece in);
/* True if the asynchronous error is about calls in flight. A misuse of a later call leaves them alone, and so does one
 * that was not carried out yet. */
bool hazard_breaks_calls(int code);
/* What the communicator has in flight for all that the host knows is cut short: by an error that the call reports, or
 * because the call aborts the communicator. */
void hazard_cut_short(struct rank *r, struct ncs_call *by);

/* ---- launch.c ---- */

void hazard_communicate(struct rank *r, struct ncs_call *call);
void hazard_group_end(struct rank *r, const struct ncs_call *call);
void hazard_settled(struct rank *r, const struct ncs_call *call); /* polled to success */
/* The call waits for the communicator's launches. `gone`: it frees the communicator. */
void hazard_end_line(struct rank *r, const struct ncs_call *call, bool gone);
/* The host waits for the present work of the stream (NULL: of all the rank's streams), or an event
 * stands for it. */
void hazard_in_vain(struct rank *r, struct ncs_call *sync, const struct stream *s);
/* Checks memory that the host touches in an open group after a wait in it. */
void hazard_look_in_group(struct rank *r, const struct step *s, const struct piece *p);
/* Checks an operation of the stream against the memory of calls that are still queued for
 * the same stream. */
void hazard_look_ahead(struct rank *r, const struct step *s, const struct stream *stream, const struct piece *p);
void hazard_free_launches(struct rank *r);

/* ---- peers.c ---- */

/* Begins to remember a launch of the communicator, before which the operations of the clock end. NULL = nothing is to be
 * remembered. */
struct past *hazard_new_past(struct rank *r, struct line *l, const struct clock *before);
/* The launch of the queue's calls of this communicator is on its lane. */
void hazard_end_past(struct rank *r, struct past *past, const struct line *l, const struct queued *queue, size_t count,
                     unsigned lane);
/* True if the access has ended for whoever knows that the operations of the clock have: because of what these met. */
bool hazard_ends_through_peers(struct rank *r, const struct clock *known, const struct access *a);
void hazard_free_past(struct line *l);

/* ---- found.c ---- */

/* One key for all calls that meet: those of a collective, or a send and its receive. */
uint64_t hazard_key_of(const struct ncs_hazards *h, const struct ncs_call *call);

/* True for two uses in one group that nothing orders: messages that move at once, or calls of
 * different communicators. */
static inline bool hazard_same_launch(const struct access *earlier, const struct step *later)
{
    const struct ncs_call *a = earlier->call, *b = later->call;
    return (later->in_launch && earlier->lane == later->lane && earlier->tick == later->tick) ||
           (a->group && a->group == b->group && a->number && b->number && a->comm != b->comm);
}

/* Records two unordered accesses; returns the index of the hazard, -1 = too many were found. */
int hazard_found(struct rank *r, enum ncs_hazard_kind kind, const struct access *earlier, const struct step *later, unsigned does,
                 struct ncs_call *sync);

#endif
