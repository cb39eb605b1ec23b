/* What the files of room verify share of its state. */
#ifndef NCS_VERIFY_PRIVATE_H
#define NCS_VERIFY_PRIVATE_H

#include "verify/inexact.h"
#include "verify/look.h"
#include "verify/operation.h"
#include "verify/reduce.h"
#include "verify/verify.h"

enum { NCS_WRONGS = 64 }; /* that are kept */

struct ncs_verify {
    struct ncs_capture capture;
    struct ncs_map signals;  /* struct signals by (communicator, target, origin) */
    enum ncs_arithmetic arithmetic;
    bool off;                /* nothing is compared, only counted */
    uint64_t checked, wrongs;
    struct ncs_left_out left_out[NCS_UNVERIFIED_REASONS];
    struct ncs_wrong wrong[NCS_WRONGS];
    size_t kept;
    struct ncs_value *value; /* at most keep */
    size_t values, values_room, keep;
    struct ncs_look look;
    struct ncs_inexacts inexacts;
    struct ncs_expected scratch;
};

/* An output under comparison. */
struct tally {
    const unsigned char *out; /* NULL: not to be checked */
    size_t differ, first;     /* elements; from 0 */
};

/* ---- compare.c ---- */

/* Outputs from .. end - 1 hold the same reduction, `offset` elements into every input. */
void ncs_compare_reduction(struct ncs_verify *v, const struct ncs_operation *op, struct tally *tallies,
                           int from, int end, size_t offset);
/* `share`: one of those whose outputs are compared; they all have the same `total` elements. */
void ncs_compare_moved(const struct ncs_operation *op, struct tally *tallies, int share, size_t bytes,
                       size_t total);
/* Writes what the operation should give to op->copies, in the instant before its data moves: one result, or of
 * a reduction with parts one for each rank, one after another. Notes what it loses (verify/inexact.h). */
void ncs_foresee_all(struct ncs_verify *v, struct ncs_operation *op);

/* ---- keep.c ---- */

/* All inputs of the operation are there, and none has moved yet: keeps what would be lost of them by then.
 * Nothing to do for an operation that copies its inputs as they come, or whose calls have not all come. */
void ncs_keep_inputs(struct ncs_verify *v, struct ncs_operation *op);

/* ---- wrong.c ---- */

/* `tallies`: of each share, after the comparison. */
void ncs_verify_report(struct ncs_verify *v, const struct ncs_operation *op, const struct tally *tallies);
/* A zeroed entry among the wrong results, for one of this call's; NULL: the result is only counted. */
struct ncs_wrong *ncs_verify_add_wrong(struct ncs_verify *v, struct ncs_call *call);

/* ---- signals.c ---- */

/* A one-sided call has been carried out: counts its signals. */
void ncs_verify_count_signals(struct ncs_verify *v, struct ncs_call *call);
void ncs_verify_free_signals(struct ncs_verify *v);

#endif
