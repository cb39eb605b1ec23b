/* An index of the journal, made in one pass (index.c). Records lie far apart in memory, so passes
 * over them are slow: a rule asks the index instead, and a rule about calls that never occur ends
 * at once. Private to this room. */
#ifndef NCS_DIAGNOSE_INDEX_H
#define NCS_DIAGNOSE_INDEX_H

#include "api/journal.h"
#include "base/map.h"

struct ncs_calls { /* a list of calls, by id */
    const struct ncs_call **of;
    size_t count, room;
};

/* The collectives of one rank of a communicator, in order. Sends and receives are not in it,
 * because they match per pair. */
struct ncs_sequence {
    const struct ncs_call **call;
    uint64_t *signature; /* of each */
    uint64_t *mark;      /* signature and label of each */
    size_t held, room;
    uint32_t base;                /* position of call[0]: so many older collectives are no longer held */
    bool cut;                     /* older calls of any kind are no longer held */
    bool placed;                  /* base is known, by the ordinal of a call */
    uint32_t last;                /* number of the newest call that was read */
    bool doubtful;                /* one of the calls failed or moves nothing */
    bool grouped;                 /* one of the calls was made in a group */
    const struct ncs_call **side; /* the rank's sends, receives and one-sided calls, in order */
    size_t sides, side_room;
    struct ncs_calls rare; /* its calls that make, change and end the communicator */
};

struct ncs_made { /* a record of the journal, in short */
    const struct ncs_call *call;
    uint64_t signature; /* of a collective; 0 = none */
    int rank, thread;
    uint32_t next;   /* the next record of the same function, index + 1; 0 = none */
    uint32_t before; /* earlier calls of its thread on communicators */
};

/* All records, by id. */
struct ncs_index {
    struct ncs_made *made;
    size_t mades, room;
    struct ncs_map on_comms;                          /* by rank and thread: calls on communicators */
    uint32_t first[NCS_FN_COUNT], last[NCS_FN_COUNT]; /* by function: index + 1; 0 = it was never called */
    struct ncs_calls failed;                          /* failed calls on communicators */
    struct ncs_calls memory;                          /* allocations of memory */
    struct ncs_calls rivals;                          /* calls of threads that nothing orders relative to another thread */
};

/* The calls of one function, from the first on; NULL = there is none (any more). */
static inline const struct ncs_made *ncs_first_made(const struct ncs_index *x, enum ncs_fn fn)
{
    return x->first[fn] ? &x->made[x->first[fn] - 1] : NULL;
}

static inline const struct ncs_made *ncs_next_made(const struct ncs_index *x, const struct ncs_made *m)
{
    return m->next ? &x->made[m->next - 1] : NULL;
}

#endif
