/* Verifies results: every output of every collective, receive and put, on every rank, element by element,
 * against the journal's arguments. Shares no arithmetic, no matching and no tables of behaviour with the
 * simulator: it must be able to catch the simulator being wrong.
 *
 * Inputs are taken just before the data move, and compared with the outputs just after: from copies, or
 * from the buffers if nothing overwrites them (ncs_verify_trust). Collectives are paired by their position
 * among those of the communicator, sends with receives by their position among those of (communicator,
 * source, destination), both from the journal alone. The comparison is exact for integers, min, max and
 * moved data; for other results within a bound derived from type, operator and rank count.
 *
 * All-to-all, gather and scatter move pair by pair: a rank's inputs are copied before its first step, and
 * its output is compared after its last one. A put is compared in the window of its peer the moment it
 * arrives: later changes of the window (another put, a kernel, the target reading before it has waited)
 * are the scenario's own business and are not checked. A wait must not end before each peer in its list
 * has sent as many signals as the wait takes.
 *
 * Every result that is not verified has a reason (api/unverified.h), under which it is counted. */
#ifndef NCS_VERIFY_VERIFY_H
#define NCS_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/journal.h"
#include "api/machine.h"

enum ncs_pattern {
    NCS_PATTERN_NONE,
    NCS_PATTERN_MISSING,  /* the contribution of rank `which` is missing; -1: of one of several ranks */
    NCS_PATTERN_TWICE,    /* the contribution of rank `which` counts twice; -1: of one of several ranks */
    NCS_PATTERN_SHIFT,    /* the right values, `which` elements late (negative: early) */
    NCS_PATTERN_BIT,      /* one bit differs: number `which` (from 0) */
    NCS_PATTERN_ROOT,     /* the data of rank `which`, which is not the root; -1: of an unknown rank */
    NCS_PATTERN_STALE,    /* the output buffer was not written */
    NCS_PATTERN_BLOCKS,   /* rank `which`'s block holds another rank's */
    NCS_PATTERN_ROUNDING, /* off by roundings: other roundings or another order could produce it */
    NCS_PATTERN_SCALAR,   /* fits the pre-mul-sum without its scalars */
};

struct ncs_wrong {
    struct ncs_call *call; /* pinned */
    int comm, comm_rank;
    uint32_t number;
    int rank;               /* of the run */
    uint64_t first;         /* first differing element of the output, from 1 */
    uint64_t differ, total; /* elements */
    char got[48], want[48]; /* of the first wrong element, with as many digits as tell them apart */
    enum ncs_pattern pattern;
    int64_t which;
    char text[160]; /* the pattern in words, "rank 2's contribution is missing"; or empty */
};

/* A checked output, by which runs of the same scenario on two drivers can be compared. */
struct ncs_value {
    int rank; /* of the run */
    int comm_rank, nranks;
    enum ncs_fn fn;
    uint64_t number; /* of a collective: among those of its communicator; of a receive: among
                         * those from its peer */
    int line;        /* 0 = unknown */
    bool exact;      /* there is one right result; otherwise several within a bound, or it has bytes that
                         * nothing has written */
    uint64_t hash;   /* of its bytes */
};

/* A result that is right, as NCCL computes, but differs from plain arithmetic: the first element of the
 * first call at a place. */
struct ncs_inexact {
    struct ncs_call *call;            /* pinned; of the lowest rank that has the result */
    uint64_t element;                 /* of its output, from 1 */
    int ranks;                        /* of the communicator */
    bool integer, average;            /* an average of integers whose fraction is cut off, if not overflow */
    bool overflow;                    /* the sum, or a part of it, does not fit the type */
    bool partial, saturates;          /* the whole sum would fit; the type ends at its largest number */
    char in[160];                     /* the inputs, by rank: "100, 100" */
    char got[48], sum[48], exact[48]; /* sum: exact, before an average divides it */
};

/* Results that were not checked for one reason: their number, and the first of their calls. */
struct ncs_left_out {
    uint64_t count;
    struct ncs_call *call[4]; /* pinned */
    size_t calls;
};

struct ncs_verify;
struct ncs_seen;

/* budget: most bytes of inputs held at a time. journal: borrowed. */
struct ncs_verify *ncs_verify_open(const struct ncs_journal *journal, size_t budget);
void ncs_verify_close(struct ncs_verify *v); /* unpins; NULL is a no-op */

/* Sets where to find the bytes of a call while a hook runs; NULL: at the call's own pointers. A call for
 * which `staged` returns NULL is not checked. */
void ncs_verify_from(struct ncs_verify *v, const void *(*staged)(const struct ncs_call *call, enum ncs_staged what),
                     enum ncs_unverified (*unstaged)(const struct ncs_call *call));
/* Declares that nothing spoils results, so that wrong ones are not expected. Then an input that no output of
 * its operation overlaps is read from its buffer after the data have moved, and reductions are compared while their
 * data move, by ncs_verify_watch. A wrong result is still found; of one in place, the mistake that it looks like is not named.
 * Off at opening, and without effect while inputs are staged or samples are kept (ncs_verify_look). */
void ncs_verify_trust(struct ncs_verify *v, bool trusts);
/* Declares that a planted fault, named by `what` with its line, changes what the call writes: it is then the reason
 * of a wrong result. Calls off the thread of the hooks are allowed before the call's data move. */
void ncs_verify_spoilt(struct ncs_verify *v, const struct ncs_call *call, const char *what);
/* From now on results are only counted, not checked. */
void ncs_verify_off(struct ncs_verify *v);

/* From now on results are compared, but those that are right count as not verified, for this reason: their inputs may
 * not be what the program would compute. */
void ncs_verify_doubt(struct ncs_verify *v, enum ncs_unverified why);

/* Sets how to test that a call's memory still exists and that something has written it, as ncs_machine.readable and
 * ncs_machine.written; NULL: it always does, it always has. */
void ncs_verify_asks(struct ncs_verify *v, bool (*readable)(const void *p, size_t bytes),
                     bool (*written)(const void *p, size_t bytes));

/* From now on keeps checked outputs, at most `most`. */
void ncs_verify_keep(struct ncs_verify *v, size_t most);
const struct ncs_value *ncs_verify_values(const struct ncs_verify *v, size_t *count);

/* From now on keeps samples of operations (verify/seen.h), at most `most`. */
void ncs_verify_look(struct ncs_verify *v, size_t most);
/* After the machine has stopped: adds a call that is under way; `present`: it has reached its partners. */
void ncs_verify_unfinished(struct ncs_verify *v, const struct ncs_call *call, bool present);
/* The machine goes on: drops all that ncs_verify_unfinished added. */
void ncs_verify_forget_unfinished(struct ncs_verify *v);
/* In the order in which they ended, then the unfinished ones; `more`: those beyond what is kept. */
const struct ncs_seen *const *ncs_verify_seen(const struct ncs_verify *v, size_t *count, uint64_t *more);

/* One for each communicator, function and line; at most 16. */
const struct ncs_inexact *ncs_verify_inexact(const struct ncs_verify *v, size_t *count);

/* The driver reduces in ascending order of ranks and rounds to nearest even in the type after every step,
 * as the simulator documents: its results are then compared bit for bit (any NaN equals any). Off at
 * opening, because NCCL promises no order. */
void ncs_verify_ascending(struct ncs_verify *v, bool ascending);

/* The observer's hooks (api/machine.h): self is the struct ncs_verify. */
void ncs_verify_before(void *self, struct ncs_call *const *calls, size_t count);
/* Between before and after; the driver must show each block. */
const struct ncs_watch *ncs_verify_watch(struct ncs_verify *v);
void ncs_verify_after(void *self, struct ncs_call *const *calls, size_t count);
void ncs_verify_finished(void *self, struct ncs_call *call);

/* The ranks disagree on the arguments of these calls: they are not checked. */
void ncs_verify_exclude(struct ncs_verify *v, struct ncs_call *const *calls, size_t count);

/* Outputs checked (one per rank and call); outputs not checked though data moved; the latter by reason, an
 * array of NCS_UNVERIFIED_REASONS. */
uint64_t ncs_verify_checked(const struct ncs_verify *v);
uint64_t ncs_verify_unchecked(const struct ncs_verify *v);
const struct ncs_left_out *ncs_verify_left_out(const struct ncs_verify *v);

/* The wrong results in order of the calls' ids; at most 64 are kept, `count` goes on. */
const struct ncs_wrong *ncs_verify_wrong(const struct ncs_verify *v, size_t *kept, uint64_t *count);

#endif
