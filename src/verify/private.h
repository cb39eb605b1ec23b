/* Shared by the files of the room verify. */
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
/* Writes the expected outputs of the operation to op->copies, just before its data move: one result, or for a
 * reduction with parts one result per rank, one after another. Notes lost information (verify/inexact.h). */
void ncs_foresee_all(struct ncs_verify *v, struct ncs_operation *op);

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
