/* Shared by the files of the room verify. */
#ifndef NCS_VERIFY_PRIVATE_H
#define NCS_VERIFY_PRIVATE_H

#include <pthread.h>

#include "verify/inexact.h"
#include "verify/look.h"
#include "verify/operation.h"
#include "verify/reduce.h"
#include "verify/verify.h"

enum { NCS_WRONGS = 64 }; /* that are kept */

/* The operation whose blocks are compared as they are written (watch.c). */
struct ncs_watching {
    struct ncs_watch watch;
    struct ncs_operation *op; /* NULL = none */
    bool gone;                /* its inputs are overwritten in place */
    size_t stretches;         /* of one result */
    bool *seen;               /* each, behind op->doubtful */
    pthread_mutex_t lock;     /* of what follows, and of the scratch */
    struct ncs_inexacts found;
    size_t found_at; /* where in the inputs; SIZE_MAX = nothing was found */
};

struct ncs_verify {
    struct ncs_capture capture;
    struct ncs_map signals; /* struct signals by (communicator, target, origin) */
    enum ncs_arithmetic arithmetic;
    bool off;                  /* nothing is compared, only counted */
    enum ncs_unverified doubt; /* why right results do not count; NCS_FIT = they do */
    uint64_t checked, wrongs;
    struct ncs_left_out left_out[NCS_UNVERIFIED_REASONS];
    struct ncs_wrong wrong[NCS_WRONGS];
    size_t kept;
    struct ncs_map spoilt;   /* texts, by the id of the call that a planted fault spoils */
    struct ncs_value *value; /* at most keep */
    size_t values, values_room, keep;
    struct ncs_look look;
    struct ncs_inexacts inexacts;
    struct ncs_expected scratch;
    struct ncs_watching watching;
};

/* An output under comparison. */
struct tally {
    const unsigned char *out; /* NULL: not to be checked */
    size_t differ, first;     /* elements; from 0 */
};

/* ---- compare.c ---- */

/* Outputs from .. end - 1 hold the same reduction, whose inputs begin `offset` elements into every input. */
void ncs_compare_reduction(struct ncs_verify *v, const struct ncs_operation *op, struct tally *tallies, int from, int end,
                           size_t offset);
/* `share`: one of those whose outputs are compared; all expect the same `total` elements. */
void ncs_compare_moved(const struct ncs_operation *op, struct tally *tallies, int share, size_t bytes, size_t total);
/* The first of the shares from .. end - 1 whose result is verified; -1 = none. Whether its result may lose information that
 * is not reported yet. */
int ncs_first_verified(const struct ncs_operation *op, int from, int end);
bool ncs_asks_exactness(const struct ncs_verify *v, const struct ncs_operation *op, int first);

/* ---- watch.c ---- */

/* True if the driver shows the blocks of the operation. */
bool ncs_can_watch(const struct ncs_verify *v, const struct ncs_operation *op);
/* `gone`: the movement overwrites inputs, each by its own output alone. */
void ncs_watch_begin(struct ncs_verify *v, struct ncs_operation *op, bool gone);
/* The data have moved: what was seen of the operation is in op->doubtful, or it is NULL. */
void ncs_watch_end(struct ncs_verify *v, struct ncs_operation *op);
/* Elements of `bytes` bytes that have one entry there; the entries of the result whose inputs begin at `offset`. */
size_t ncs_watch_stretch(size_t bytes);
const bool *ncs_watched(const struct ncs_operation *op, size_t offset);

/* ---- keep.c ---- */

/* Called when all inputs of the operation are there, before the data move: copies the inputs that the
 * movement overwrites. No effect on an operation that copies its inputs at each call, or some of whose
 * calls are missing. */
void ncs_keep_inputs(struct ncs_verify *v, struct ncs_operation *op);

/* ---- wrong.c ---- */

/* `tallies`: one per share, filled by the comparison. */
void ncs_verify_report(struct ncs_verify *v, const struct ncs_operation *op, const struct tally *tallies);
/* A zeroed entry among the wrong results, for one of this call's; NULL: the result is only counted. */
struct ncs_wrong *ncs_verify_add_wrong(struct ncs_verify *v, struct ncs_call *call);

/* ---- signals.c ---- */

/* A one-sided call has been carried out: counts its signals. */
void ncs_verify_count_signals(struct ncs_verify *v, struct ncs_call *call);
void ncs_verify_free_signals(struct ncs_verify *v);

#endif
