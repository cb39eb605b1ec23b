/* Divergences of courses, by the places that they visit. Ranks of one program visit the same
 * places, so a rank that differs from most ranks is probably the wrong one. Private to this
 * room. */
#ifndef NCS_DIAGNOSE_EXPLANATION_DIVERGENCE_H
#define NCS_DIAGNOSE_EXPLANATION_DIVERGENCE_H

#include "diagnose/course/roles.h"

/* Courses that visit the same places in the same order, of ranks in groups of the same kinds. */
struct ncs_way {
    size_t *course; /* indices; the first stands for all */
    size_t courses, room;
    const struct ncs_step *step; /* of the first */
    size_t steps;
    bool open;  /* its ranks may still make steps */
    bool *spot; /* by number of a place: all its courses are expected to send or receive there */
};

struct ncs_ways {
    struct ncs_way *of;
    size_t count, room;
    struct ncs_roles roles;
};

void ncs_ways_read(const struct ncs_analysis *q, const struct ncs_courses *courses, struct ncs_ways *out);
void ncs_ways_free(struct ncs_ways *w);

/* One step that the way has and the model lacks, or the reverse. */
struct ncs_gap {
    bool more; /* the way has the step and the model has not; else the reverse */
    size_t at; /* step of the way; for a missing step, the one that follows it */
    size_t of; /* step of the model */
};

struct ncs_divergence {
    size_t way, model;
    struct ncs_gap *gap; /* in order; the caller frees it */
    size_t gaps, room;
};

/* The costs of an extra and of a missing step. No one knows which rank is right, so doubtful cases
 * are tried with both weightings. collectives: compares only collectives, because stages of a
 * pipeline differ in their messages. */
struct ncs_weights {
    unsigned more, fewer;
    bool collectives;
};

/* Fills *out with the cheapest alignment's gaps. False = the ways do not diverge: one goes on as
 * the other does, as far as both are known. */
bool ncs_diverge(const struct ncs_ways *ways, size_t way, size_t model, struct ncs_weights weights, struct ncs_divergence *out);

/* How many steps differ; a whole round of a loop counts as one. */
size_t ncs_divergence_size(const struct ncs_ways *ways, const struct ncs_divergence *d);

#endif
