/* Is the result right? Every collective's, every receive's and every put's output, on every rank,
 * element by element, against what the journal says was asked for. Shares no arithmetic, no matching and no
 * tables of behaviour with the simulator: it must be able to catch the simulator being wrong.
 *
 * Inputs are taken at the instant before the data moves, and compared with the outputs at the
 * instant after: by copies, or where they are, if nothing overwrites them (ncs_verify_trust). Calls are paired by their number among the collectives of the communicator, sends
 * with receives by that among those of (communicator, source, destination), both from the journal
 * alone. Exact for integers,
 * min, max and moved data; within a bound derived from type, operator and rank count for the rest.
 *
 * All-to-all, gather and scatter move pair by pair: a rank's inputs are copied before its first step,
 * its output is looked at after its last one. A put is looked at in the window of its peer the moment
 * it is there: what becomes of the window afterwards (another put, a kernel, the target reading
 * before it has waited) is the scenario's own business and is not checked. A wait must not end before
 * as many signals as it takes have been sent by each peer that it lists.
 *
 * What is not verified has a reason (api/unverified.h), and is counted under it. */
#ifndef NCS_VERIFY_VERIFY_H
#define NCS_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/machine.h"

enum ncs_pattern {
    NCS_PATTERN_NONE,
    NCS_PATTERN_MISSING,  /* the contribution of rank `which` is missing; -1: of one of several */
    NCS_PATTERN_TWICE,    /* the contribution of rank `which` counts twice; -1: as above */
    NCS_PATTERN_SHIFT,    /* the right values, `which` elements late (negative: early) */
    NCS_PATTERN_BIT,      /* one bit differs: number `which` (from 0) */
    NCS_PATTERN_ROOT,     /* the data of rank `which`, which is not the root; -1: of nobody known */
    NCS_PATTERN_STALE,    /* the output buffer was not written */
    NCS_PATTERN_BLOCKS,   /* where rank `which`'s block should be is another one's */
    NCS_PATTERN_ROUNDING, /* off by roundings: other roundings or another order could give it */
    NCS_PATTERN_SCALAR,   /* fits the pre-mul-sum without its scalars */
};

struct ncs_wrong {
    struct ncs_call *call;  /* pinned */
    int comm, comm_rank;
    uint32_t number;
    int rank;               /* of the run */
    uint64_t first;         /* first differing element of the output, from 1 */
    uint64_t differ, total; /* elements */
    char got[48], want[48]; /* of the first, as numbers; with %a-like precision where needed */
    enum ncs_pattern pattern;
    int64_t which;
    char text[160];         /* the pattern in words, "rank 2's contribution is missing"; or empty */
};

/* An output that was checked, as runs of the same scenario on two drivers can be compared by. */
struct ncs_value {
    int rank;           /* of the run */
    int comm_rank, nranks;
    enum ncs_fn fn;
    uint64_t number;    /* of a collective: among those of its communicator; of a receive: from its peer */
    int line;           /* 0 = unknown */
    bool exact;         /* there is one right result; otherwise one of several within a bound */
    uint64_t hash;      /* of its bytes */
};

/* A result that is right, as NCCL computes, and not what plain arithmetic gives: the first element of the
 * first call at a place. */
struct ncs_inexact {
    struct ncs_call *call;    /* pinned; of the rank that has the result, the lowest */
    uint64_t element;         /* of its output, from 1 */
    int ranks;                /* of the communicator */
    bool integer, average;    /* of an average of integers the fraction is cut off, if not overflow */
    bool overflow;            /* the sum, or a part of it, does not fit the type */
    bool partial, saturates;  /* the whole sum would fit; the type ends at its largest number */
    char in[160];             /* what the ranks gave, by rank: "100, 100" */
    char got[48], sum[48], exact[48]; /* sum: exact, before an average divides it */
};

/* Results that were not checked for one reason: how many, and the calls of the first of them. */
struct ncs_left_out {
    uint64_t count;
    struct ncs_call *call[4]; /* pinned */
    size_t calls;
};

struct ncs_verify;
struct ncs_seen;

/* budget: bytes of inputs held at most at a time. journal: borrowed. */
struct ncs_verify *ncs_verify_open(const struct ncs_journal *journal, size_t budget);
void ncs_verify_close(struct ncs_verify *v); /* unpins; NULL is a no-op */

/* Where the bytes of a call are while a hook is told of it; NULL: at the call's own pointers. What it
 * has not makes the call one that cannot be checked. */
void ncs_verify_from(struct ncs_verify *v,
                     const void *(*staged)(const struct ncs_call *call, enum ncs_staged what),
                     enum ncs_unverified (*unstaged)(const struct ncs_call *call));
/* Wrong results are not to be expected, since nothing spoils any: an input that no output of its operation
 * overlaps is read when the data has moved, where it is, and of results in place only what they should be is
 * kept. A result that is wrong all the same is found, but not which mistake it looks like. Off at opening, and
 * without effect while inputs are staged or operations are looked at. */
void ncs_verify_trust(struct ncs_verify *v, bool trusts);
/* Nothing is checked, only counted. */
void ncs_verify_off(struct ncs_verify *v);

/* Whether memory is still what a call took it for, as ncs_machine.readable; NULL: it always is. */
void ncs_verify_asks(struct ncs_verify *v, bool (*readable)(const void *p, size_t bytes));

/* From here on keeps what it has checked, at most so many. */
void ncs_verify_keep(struct ncs_verify *v, size_t most);
const struct ncs_value *ncs_verify_values(const struct ncs_verify *v, size_t *count);

/* From here on keeps what operations looked like (verify/seen.h), at most so many. */
void ncs_verify_look(struct ncs_verify *v, size_t most);
/* When the machine has stopped: a call that is under way, and whether it has come to its partners. */
void ncs_verify_unfinished(struct ncs_verify *v, const struct ncs_call *call, bool came);
/* The machine goes on: what was told so is known no longer. */
void ncs_verify_forget_unfinished(struct ncs_verify *v);
/* In the order in which they were over, then those that are not; `more`: those beyond what is kept. */
const struct ncs_seen *const *ncs_verify_seen(const struct ncs_verify *v, size_t *count,
                                              uint64_t *more);

/* One for each communicator, function and line; at most 16. */
const struct ncs_inexact *ncs_verify_inexact(const struct ncs_verify *v, size_t *count);

/* The driver reduces in ascending order of ranks and rounds to nearest even in the type after every
 * step, as the simulator documents: then its results are compared bit for bit (any NaN equals any).
 * Off at opening: NCCL promises no order. */
void ncs_verify_ascending(struct ncs_verify *v, bool ascending);

/* The observer's hooks (api/machine.h): self is the struct ncs_verify. */
void ncs_verify_before(void *self, struct ncs_call *const *calls, size_t count);
void ncs_verify_after(void *self, struct ncs_call *const *calls, size_t count);
void ncs_verify_finished(void *self, struct ncs_call *call);

/* The call waits for others, and nothing else will come before it: its record gets what it puts in. */
void ncs_verify_waiting(const struct ncs_verify *v, struct ncs_call *call);

/* The ranks disagree on these calls: they are not checked. */
void ncs_verify_exclude(struct ncs_verify *v, struct ncs_call *const *calls, size_t count);

/* Outputs checked (one per rank and call), and not checked though data moved: in all, and by reason, of
 * which there are NCS_UNVERIFIED_REASONS. */
uint64_t ncs_verify_checked(const struct ncs_verify *v);
uint64_t ncs_verify_unchecked(const struct ncs_verify *v);
const struct ncs_left_out *ncs_verify_left_out(const struct ncs_verify *v);

/* What was wrong, in order of the calls' ids; at most 64 are kept, the count goes on. */
const struct ncs_wrong *ncs_verify_wrong(const struct ncs_verify *v, size_t *kept, uint64_t *count);

#endif
