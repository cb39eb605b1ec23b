/* Partial results, for the steps of rings and trees: one element, with the roundings of its type. */
#ifndef NCS_REPORT_DRAW_MATH_H
#define NCS_REPORT_DRAW_MATH_H

#include "report/draw_grid.h"

union ncs_partial {
    double value;  /* of floating-point types */
    uint64_t word; /* of integers */
};

/* What the rank puts in at that element, as the operator takes it: scaled, where it scales. */
union ncs_partial ncs_partial_of(const struct ncs_seen *seen, int rank, uint64_t element);
union ncs_partial ncs_partial_join(const struct ncs_seen *seen, union ncs_partial a,
                                   union ncs_partial b);
/* When all have been joined: an average of integers is divided then. */
union ncs_partial ncs_partial_end(const struct ncs_seen *seen, union ncs_partial a);
bool ncs_partial_text(const struct ncs_seen *seen, union ncs_partial a, struct ncs_str *out);
/* Whether every rank's element is known. */
bool ncs_partial_known(const struct ncs_seen *seen, uint64_t element);

#endif
