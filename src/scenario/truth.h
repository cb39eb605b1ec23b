/* The truth about a case, derived from its declared outcome; reports are scored against it. */
#ifndef NCS_SCENARIO_TRUTH_H
#define NCS_SCENARIO_TRUTH_H

#include "scenario/outcome.h"

struct ncs_truth {
    bool any_verdict; /* the outcome accepts any verdict */
    enum ncs_verdict verdict;
    const char *rule;                     /* of the finding that names the cause; NULL = not declared */
    struct ncs_rank_set culprit, blocked; /* empty: not declared */
    int64_t call;                         /* on comm; 0 = not declared */
    const char *comm;                     /* NULL = not declared */
    int64_t findings;                     /* of level error; -1 = not declared */
};

/* Its texts belong to the outcome. */
struct ncs_truth ncs_truth_of(const struct ncs_outcome *outcome);
void ncs_truth_free(struct ncs_truth *truth);
/* True if the truth states a problem. */
bool ncs_truth_is_bug(const struct ncs_truth *truth);

#endif
