/* A job's steps as a tree: groups, and loops in place of repetitions. */
#ifndef NCS_REPRODUCE_FOLD_H
#define NCS_REPRODUCE_FOLD_H

#include "reproduce/workload.h"

enum ncs_fold_kind { NCS_FOLD_STEP, NCS_FOLD_GROUP, NCS_FOLD_LOOP };

/* In one iteration of a loop other ranks make the step. */
struct ncs_fold_exception {
    size_t iteration; /* from 1 */
    size_t set;
};

struct ncs_fold {
    enum ncs_fold_kind kind;
    size_t step;  /* STEP; GROUP: where it begins */
    size_t set;   /* of ranks that make it: index of ncs_folded.set */
    size_t times; /* LOOP */
    bool named;   /* LOOP: a step in it has exceptions */
    struct ncs_fold_exception *exception;
    size_t exceptions;
    struct ncs_fold *item;
    size_t items;
};

struct ncs_folded {
    struct ncs_fold *item;
    size_t items;
    bool **set;
    size_t sets, set_room; /* by rank */
};

/* `statements`: the text of each step without its condition: equal texts are equal steps. */
void ncs_workload_fold(const struct ncs_workload *job, char *const *statements, struct ncs_folded *out);
void ncs_folded_free(struct ncs_folded *f);

#endif
