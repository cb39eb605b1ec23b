/* How a run ended, as far as a scenario that is made of it keeps it. */
#ifndef NCS_REPRODUCE_ENDING_H
#define NCS_REPRODUCE_ENDING_H

#include "base/str.h"
#include "run/run.h"

struct ncs_reproduced {
    enum ncs_verdict verdict;
    char *error; /* the name of the first error that ended a rank; NULL = none */
    char *why;   /* class of the cause; NULL = none */
    int *rank;
    size_t ranks; /* its culprits */
};
void ncs_reproduced_of(const struct ncs_result *r, struct ncs_reproduced *out);
/* By rank, the statement by which a rank ends that does not come to its end: an error, or a fault that stops it. */
char **ncs_reproduced_last(const struct ncs_result *r, const struct ncs_reproduced *of);
void ncs_reproduced_free_last(char **last, const struct ncs_result *r);
void ncs_reproduced_free(struct ncs_reproduced *r); /* the contents */
bool ncs_reproduced_equal(const struct ncs_reproduced *a, const struct ncs_reproduced *b);
/* Appends "hang: skipped-call, rank 2". */
void ncs_reproduced_add(const struct ncs_reproduced *r, struct ncs_str *out);
/* Appends "hangs (skipped-call, rank 2)", "passes": what follows "a job that" or "its run". */
void ncs_reproduced_add_clause(const struct ncs_reproduced *r, struct ncs_str *out);
/* Appends "passes, where the record hangs (skipped-call, rank 2)": what follows "its run". */
void ncs_reproduced_add_difference(const struct ncs_reproduced *now, const struct ncs_reproduced *recorded, struct ncs_str *out);

#endif
