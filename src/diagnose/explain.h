/* Explanations of a hang by what ranks did otherwise than those who do alike. Private to this room. */
#ifndef NCS_DIAGNOSE_EXPLAIN_H
#define NCS_DIAGNOSE_EXPLAIN_H

#include "diagnose/divergence.h"
#include "diagnose/rule.h"

enum { NCS_EXPLANATIONS_KEPT = 3 };

/* In the order in which explanations are preferred. */
struct ncs_cost {
    size_t ranks;    /* that have to change */
    size_t misfit;   /* ncs_misfit */
    size_t size;     /* ncs_divergence_size */
    size_t kind;     /* 0: another communicator, 1: calls put in, 2: calls left out */
    size_t supposed; /* meetings that need calls which nobody has seen */
    size_t edits;
};

/* A set of changes with which all go on, by the journal. */
struct ncs_explanation {
    const struct ncs_explanations *of; /* that it is one of */
    struct ncs_divergence *part; /* one for each way that is mended */
    size_t parts, part_room;
    struct ncs_change *change;   /* by course and step */
    size_t changes, change_room;
    struct ncs_cost cost;
};

struct ncs_explanations {
    const struct ncs_inquiry *q;
    struct ncs_courses courses;
    struct ncs_ways ways;
    size_t misfit; /* of the run as it is */
    size_t trials;
    struct ncs_explanation best[NCS_EXPLANATIONS_KEPT]; /* the cheapest first */
    size_t count;
};

/* The cheapest ones first; none where the run has what this knows nothing of. The caller's. */
struct ncs_explanations *ncs_explain_hang(const struct ncs_inquiry *q);
size_t ncs_explanations_count(const struct ncs_explanations *e);
const struct ncs_explanation *ncs_explanation_at(const struct ncs_explanations *e, size_t i);
void ncs_explanations_free(struct ncs_explanations *e); /* NULL is a no-op */

/* It is the cheapest, and no other one that blames somebody else fits as well. */
bool ncs_explanation_is_likelier(const struct ncs_explanation *e);
/* Adds the finding; false: there are no words for it. */
bool ncs_explanation_say(const struct ncs_explanation *e, struct ncs_drafts *all);

#endif
