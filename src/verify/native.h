/* Reductions computed in the element type itself, many elements at a time. Their bytes filter the results that
 * are plainly right; whatever differs from them is judged by ncs_expect, which is the authority, and of whose
 * results (ncs_differ) these bytes are always one. They share no code with the simulator's loops, on purpose. */
#ifndef NCS_VERIFY_NATIVE_H
#define NCS_VERIFY_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/reduce.h"

struct ncs_native {
    const struct ncs_terms *terms; /* borrowed; none of its mistakes is set */
    double scale; /* what every input is multiplied with; 0 = nothing, or the scalar of its rank */
    bool scalars; /* every input is multiplied with the scalar of its rank */
    /* See ncs_native_run. */
    bool (*loop)(const struct ncs_native *k, size_t first, size_t count, void *out);
};

/* Of terms in ascending order of ranks, with the best instructions that this processor has. */
struct ncs_native ncs_native_of(const struct ncs_terms *terms);

/* Writes elements first .. first + count - 1 to `out`, at any alignment. Whether a sum of integers has wrapped
 * round, or an average of integers has lost a fraction. */
bool ncs_native_run(const struct ncs_native *k, size_t first, size_t count, void *out);

#endif
