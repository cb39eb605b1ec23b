/* Shared by the files about outcomes: sets of ranks, the cause of a result, and texts of
 * declared and actual outcomes. */
#ifndef NCS_SCENARIO_OUTCOME_H
#define NCS_SCENARIO_OUTCOME_H

#include "scenario/scenario.h"

/* Sorted, each rank once. */
struct ncs_rank_set {
    int *rank;
    size_t count;
};

struct ncs_rank_set ncs_rank_set_of(const int *list, size_t count);
struct ncs_rank_set ncs_rank_set_of_culprits(const struct ncs_finding *f); /* NULL: none */
struct ncs_rank_set ncs_rank_set_of_cycle(const struct ncs_finding *f);    /* NULL: none */
bool ncs_rank_sets_equal(struct ncs_rank_set a, struct ncs_rank_set b);    /* frees both */
void ncs_rank_set_format(struct ncs_str *out, struct ncs_rank_set set);    /* frees it */

const char *ncs_result_comm(const struct ncs_result *r, int comm); /* its name; NULL = none */
const char *ncs_declared_comm(const struct ncs_outcome *o);

/* Appends "declared ..., got: ..." with the details that differ. */
void ncs_outcome_format_verdict(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r);
void ncs_outcome_format_finding(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r);
void ncs_outcome_format_findings(struct ncs_str *out, const struct ncs_outcome *o, const struct ncs_result *r);

#endif
