/* Computes reductions in the element type itself, many elements at a time. An output with the same bytes
 * is right; any other is judged by ncs_expect, which is the authority and accepts these bytes always
 * (ncs_differ). Deliberately shares no code with the simulator's loops. */
#ifndef NCS_VERIFY_NATIVE_H
#define NCS_VERIFY_NATIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "verify/reduce.h"

struct ncs_native {
    const struct ncs_terms *terms; /* borrowed; states no mistake */
    double scale;                  /* factor of every input; 0 = none, or the scalar of its rank */
    bool scalars;                  /* every input is multiplied by the scalar of its rank */
    /* See ncs_native_run. */
    bool (*loop)(const struct ncs_native *k, size_t first, size_t count, void *out);
};

/* The loop for terms in ascending order of ranks, with the best instructions of this processor. */
struct ncs_native ncs_native_of(const struct ncs_terms *terms);

/* Writes elements first .. first + count - 1 to `out`, at any alignment. Returns true if a sum of integers
 * has wrapped round, or an average of integers has lost a fraction. */
bool ncs_native_run(const struct ncs_native *k, size_t first, size_t count, void *out);

#endif
