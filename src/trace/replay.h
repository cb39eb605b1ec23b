/* Replays a journal: the work that ranks have put into streams, the part of it that can have completed,
 * and what the rest waits for. Private to this room. */
#ifndef NCS_TRACE_REPLAY_H
#define NCS_TRACE_REPLAY_H

#include "base/map.h"
#include "trace/infer.h"

#define NCS_NO_SLOT SIZE_MAX

struct played_part {
    const struct ncs_call *call;
    size_t launch, slot; /* slot: NCS_NO_SLOT for one-sided calls and in groups that are still open */
    size_t next;         /* next part of its launch, + 1 */
    bool reached, met;
    bool over;   /* known to be over, or given up */
    bool queued; /* in a group that is still open: part of no launch */
    int shown;   /* its index in the snapshot */
};

enum launch_kind { LAUNCH_OF_NCCL, LAUNCH_CALLBACK, LAUNCH_EVENT };

struct played_launch {
    const struct ncs_call *call; /* its first */
    enum launch_kind kind;
    int device;
    size_t before[2]; /* launches + 1: earlier in the stream; on the communicator, or marked by an event; 0 = none */
    size_t first;     /* part + 1 */
    size_t awaits;    /* ending: the part + 1 up to which all partners have come */
    size_t shown;     /* its index in the snapshot, + 1 */
    int context;      /* of an unfinished callback: the context that runs it, -1 = none yet */
    bool held;        /* an unfinished callback */
    bool ending;      /* its group's end has not returned: nothing of it begins before all that it meets is there */
    bool done;
    bool waiting; /* in `todo` */
};

struct played_slot {
    int comm, src, dst; /* -1 = a collective */
    size_t *part;
    size_t parts, room;
    size_t reached;        /* of the parts */
    size_t contacts;       /* the first ones, whose hosts have made contact */
    bool woken;            /* its launches have been looked at since it was met */
    bool known;            /* to have completed */
    bool known_of_some;    /* of its calls; the others may be behind */
    enum ncs_stuck differ; /* once all are there */
};

/* Where a rank of the run is; process 0: not known. `lost`: its process has ended, and with it all that it had. */
struct played_seat {
    int process, host;
    bool lost;
};

struct played {
    struct played_part *part;
    size_t parts, part_room;
    struct played_launch *launch;
    size_t launches, launch_room;
    struct played_slot *slot;
    size_t slots, slot_room;
    struct ncs_map slot_of, launch_of, tail, count, open, event, sent, taken;
    struct played_group *group;
    size_t groups, group_room; /* of calls on several communicators */
    struct ncs_map group_of;
    size_t *after;       /* two for each launch: the next one with the same `before`, + 1 */
    size_t *first_after; /* of each launch: index of such an entry, + 1; 0 = none */
    size_t *todo;        /* launches to be tried again */
    size_t todos, todo_room;
    size_t wait_room, lack_room;
    struct played_seat *seat; /* by rank; once teardown.c has asked */
    size_t seats;
};

/* Reads a group whose end has not returned. Its calls are not enqueued, or, if its thread has come to the end, wait there for contact
 * with all their partners. */
void ncs_replay_open_group(struct played *p, uint64_t group, bool ending);

/* held: the unfinished callbacks of a real machine's snapshot. */
void ncs_replay(struct played *p, const struct ncs_journal *j, const struct ncs_known *known, const struct ncs_snap_op *held,
                size_t count);
void ncs_replay_free(struct played *p);

bool ncs_replay_is_reached(const struct played *p, const struct played_launch *l);
/* True if all parts of the meeting are there and agree. */
bool ncs_replay_is_met(struct played *p, const struct ncs_journal *j, size_t slot);
enum ncs_stuck ncs_replay_disagreement(const struct played *p, const struct played_slot *slot);
size_t ncs_replay_expected(const struct played_slot *slot, const struct ncs_journal *j);

/* Signals from the peer that a wait on its rank can still take. */
uint64_t ncs_replay_came(struct played *p, const struct ncs_call *wait, int peer);

/* The launch + 1 that an event of the rank marks; 0 = none. */
size_t ncs_replay_event(struct played *p, int rank, const void *event);

/* teardown.c: adds the job of a call that ends a communicator, in the context or in the group that the context ends. False:
 * what it waits for is not known, or is the rank's own work. */
bool ncs_infer_teardown(struct played *p, const struct ncs_journal *j, struct ncs_snapshot *s, const struct ncs_snap_context *c,
                        const struct ncs_call *call);

#endif
