/* The plan of a scenario: each rank's calls in a run on driver "dry-run". */
#ifndef NCS_REPORT_PLAN_H
#define NCS_REPORT_PLAN_H

#include "base/str.h"
#include "run/run.h"

struct ncs_call_plan_line {
    int line;     /* of the script */
    int thread;   /* 0: the rank's main thread */
    int depth;    /* depth of its group */
    int times;    /* in a row */
    bool unknown; /* it reads values known only in a run */
    char *text;   /* "world: AllReduce float32 x 1024 sum, buffer 1 in place, stream 1" */
};

/* A mistake that is one whatever the other ranks do. */
struct ncs_call_plan_fault {
    struct ncs_place place;
    char *text;
    int *rank;
    size_t ranks;
    bool unsure; /* depends on a value that is known only in a run */
};

struct ncs_call_plan {
    char *name; /* the case: "ranks=4,dtype=float32"; NULL = the file is one case */
    struct ncs_call_plan_rank {
        struct ncs_call_plan_line *line;
        size_t lines, room;
    } * rank;
    int ranks;
    char *end;        /* why it ends before the scripts; NULL = it does not */
    uint64_t dropped; /* calls at the beginning that were not kept */
    struct ncs_call_plan_fault *fault;
    size_t faults, faults_room;
};

/* Makes the plan from the result of a run on driver "dry-run", which must still exist. plan is
 * zeroed except for its name. */
void ncs_call_plan_make(const struct ncs_result *r, struct ncs_call_plan *plan);
void ncs_call_plan_free(struct ncs_call_plan *plan);

bool ncs_call_plan_same(const struct ncs_call_plan *plan, int a, int b); /* both ranks do the same */
/* Appends the plan for people; ranks with the same plan share one section. */
void ncs_call_plan_text(const struct ncs_call_plan *plan, struct ncs_str *out);

#endif
