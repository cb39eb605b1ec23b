/* Correct results that differ from the result of plain arithmetic: an average of integers whose fraction
 * is cut off, a sum that does not fit its type. */
#ifndef NCS_VERIFY_INEXACT_H
#define NCS_VERIFY_INEXACT_H

#include "verify/reduce.h"
#include "verify/verify.h"

enum { NCS_INEXACTS = 16 }; /* places that are kept */

struct ncs_inexacts {
    struct ncs_inexact place[NCS_INEXACTS];
    size_t count;
    bool (*written)(const void *p, size_t bytes); /* as the machine's; NULL: all memory counts as written */
};

/* True if a result of the call must still be examined: it is a sum, and no earlier one at its place is known. */
bool ncs_inexact_asks(const struct ncs_inexacts *all, const struct ncs_operation *op, const struct ncs_call *call);
/* True if one of these floating-point numbers may stand for a sum that has overflowed. */
bool ncs_inexact_overflow(int dtype, const unsigned char *got, size_t bytes);

/* `e`: the expected values of terms from element `first` on; `got`: the equal values that share i received. */
void ncs_inexact_look(struct ncs_inexacts *all, const struct ncs_terms *terms, size_t first, int i, const struct ncs_expected *e,
                      const unsigned char *got);
/* Moves what `from` has found to `all`, unless all know better. */
void ncs_inexact_take(struct ncs_inexacts *all, struct ncs_inexacts *from);
void ncs_inexact_free(struct ncs_inexacts *all); /* unpins */

#endif
