/* In the place of src/diagnose/order.c: another order of kinds for each NCCLSCRIPT_KINDS, a number from 1 on. */
#include <stdlib.h>

#include "base/hash.h"
#include "diagnose/analysis.h"

enum { MOST = 256 };

/* Fisher-Yates, the same for the same seed and the same number of kinds. */
size_t ncs_nth_kind(size_t i, size_t kinds)
{
    const char *given = getenv("NCCLSCRIPT_KINDS");
    uint64_t state = ncs_hash(given ? strtoull(given, NULL, 10) : 0, kinds);
    size_t order[MOST];
    if (!given || kinds > MOST)
        abort();
    for (size_t k = 0; k < kinds; k++)
        order[k] = k;
    for (size_t k = kinds; k > 1; k--) {
        state = ncs_hash(state, k);
        size_t other = state % k, kind = order[k - 1];
        order[k - 1] = order[other];
        order[other] = kind;
    }
    return order[i];
}
