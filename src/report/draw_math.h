/* Partial results in the steps of rings and trees: one element, rounded as its type rounds. */
#ifndef NCS_REPORT_DRAW_MATH_H
#define NCS_REPORT_DRAW_MATH_H

#include "report/draw_grid.h"

union ncs_partial {
    double value;  /* of floating-point types */
    uint64_t word; /* of integers */
};

/* The rank's contribution to that element, scaled if the operator scales its inputs. */
union ncs_partial ncs_partial_of(const struct ncs_seen *seen, int rank, uint64_t element);
union ncs_partial ncs_partial_join(const struct ncs_seen *seen, union ncs_partial a, union ncs_partial b);
/* Ends a reduction after all ranks are joined: an average of integers is divided here. */
union ncs_partial ncs_partial_end(const struct ncs_seen *seen, union ncs_partial a);
bool ncs_partial_text(const struct ncs_seen *seen, union ncs_partial a, struct ncs_str *out);
/* True if the element of every rank was kept. */
bool ncs_partial_known(const struct ncs_seen *seen, uint64_t element);

#endif
