/* The kind of mistake that a wrong output looks like. */
#ifndef NCS_VERIFY_PATTERN_H
#define NCS_VERIFY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/operation.h"
#include "verify/reduce.h"
#include "verify/verify.h"

struct ncs_suspect {
    const struct ncs_operation *op;
    int share; /* whose output */
    const unsigned char *out;
    int dtype;                      /* of the output */
    size_t total, first, differ;    /* elements; first from 0 */
    size_t offset;                  /* of a reduction: where the output begins in every input, in elements */
    enum ncs_arithmetic arithmetic; /* by which the output was compared */
    bool others_right;              /* another rank has the right output of the same data */
    bool all_wrong;                 /* no output of the operation is right */
    struct ncs_expected *scratch;
};

bool ncs_is_reduction(const struct ncs_operation *op);

/* Where expected element i of a share's moved data lies; *run is the number of elements
 * that follow there contiguously. */
const unsigned char *ncs_moved_at(const struct ncs_operation *op, int share, size_t bytes, size_t i, size_t *run);

/* Sets pattern, which and text: the first mistake that explains the whole output. */
void ncs_name_pattern(const struct ncs_suspect *s, struct ncs_wrong *w);

#endif
