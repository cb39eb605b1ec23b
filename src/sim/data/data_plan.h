/* The plan of one task, shared by the files of the data path. */
#ifndef NCS_SIM_DATA_PLAN_H
#define NCS_SIM_DATA_PLAN_H

#include "sim/data/data.h"
#include "sim/data/data_loops.h"

/* How outputs of one type and operator are computed. */
struct data_recipe {
    int dtype, op;
    bool premul;
    bool average;   /* by a scaled sum; inverse is the scalar */
    size_t element; /* bytes */
    const struct data_loops *loops;
    enum data_step step;
    unsigned char inverse[8];
};

struct data_plan {
    const struct data_task *task;
    size_t bytes;                   /* of one rank's contribution to one output: count elements */
    size_t blocks;                  /* of those bytes */
    int from, to;                   /* the outputs: ranks from up to, but not including, to */
    int left_out;                   /* the rank that does not contribute to reductions; -1 = none */
    const struct data_loops *loops; /* by type */
    struct data_recipe *recipe;     /* the distinct ones of the outputs, in order of first use */
    int recipes;
    int *which;   /* the recipe by rank; NULL = all use the first */
    bool streams; /* outputs go past the caches */
};

/* The loops of this processor. */
const struct data_loops *sim_data_loops(void);

/* As sim_data_move, with the task's plant applied. */
void sim_data_move_planted(const struct data_task *task);

/* Moves with the given loops and without a plant. left_out: see the plan. */
void sim_data_move_with(const struct data_task *task, const struct data_loops *loops, int left_out);

#endif
