/* The expected result of a reduction, and the comparison of given elements with it. */
#ifndef NCS_VERIFY_REDUCE_H
#define NCS_VERIFY_REDUCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verify/operation.h"

#define NCS_CHUNK 1024 /* elements that are computed at a time */

/* The terms of a reduction; the last four members state a mistake to try, none by default. */
struct ncs_terms {
    const struct ncs_operation *op;
    size_t offset;            /* into every input, in elements */
    int without, twice, only; /* ranks; -1 = none */
    bool unscaled;            /* as if every scalar of the pre-mul-sum were 1 */
};

struct ncs_terms ncs_terms_of(const struct ncs_operation *op, size_t offset);

/* Floating-point types only: the factor by which each of the rank's elements is multiplied before they are
 * summed. False: none. */
bool ncs_terms_scale(const struct ncs_terms *t, int rank, double *scale);

enum ncs_arithmetic {
    NCS_ASCENDING,    /* in order of ranks, to the nearest number of the type after every step */
    NCS_ANY_ORDER,    /* to the nearest after every step, in whatever order */
    NCS_ANY_ROUNDING, /* to either neighbour after every step, in whatever order */
};

/* The possible values of an element if the order is unknown. */
struct ncs_bound {
    long double value, tolerance;
    long double limit;                               /* finite numbers up to this size are possible too; negative = none */
    bool finite, nan, plus_infinity, minus_infinity; /* possible kinds of results */
};

/* A stretch of expected elements, at most NCS_CHUNK. Large: lives on the heap. */
struct ncs_expected {
    int dtype;
    size_t count;
    bool words, by_value;    /* integers; floats for which +0 and -0 count as equal */
    bool wide, any_rounding; /* `bound` holds, not `value`; see NCS_ANY_ROUNDING */
    bool over, cut;          /* integers: a sum has wrapped round, an average has lost a fraction */
    uint64_t word[NCS_CHUNK], word_term[NCS_CHUNK];
    double value[NCS_CHUNK], term[NCS_CHUNK];
    struct ncs_bound bound[NCS_CHUNK];
};

/* Computes elements first .. first + count - 1 of the output: exact values for NCS_ASCENDING and for
 * results that do not depend on the order, otherwise bounds. */
void ncs_expect(const struct ncs_terms *terms, enum ncs_arithmetic arithmetic, size_t first, size_t count,
                struct ncs_expected *e);

/* The number of the e->count elements at got that differ; *where is the first of them, from 0. */
size_t ncs_differ(struct ncs_expected *e, const void *got, size_t *where);

/* Expected element i as text. */
void ncs_expected_text(const struct ncs_expected *e, size_t i, char *text, size_t room);

#endif
