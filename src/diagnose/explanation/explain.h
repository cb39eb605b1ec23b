/* Explanations of a hang from ranks that did otherwise than ranks like them.
 * Private to this room. */
#ifndef NCS_DIAGNOSE_EXPLANATION_EXPLAIN_H
#define NCS_DIAGNOSE_EXPLANATION_EXPLAIN_H

#include "diagnose/explanation/divergence.h"
#include "diagnose/rules/rule.h"

enum {
    NCS_CANDIDATES_TRIED = 64, /* rehearsals, at most */
    NCS_EXPLANATIONS_KEPT = 6,
    NCS_ROUNDS_LIKE = 3, /* own rounds of a course that differ: one may have a log, another a checkpoint */
};

/* In the order in which explanations are preferred. */
struct ncs_cost {
    size_t ranks;    /* that have to change */
    size_t misfit;   /* distance of the courses with the change (explanation/misfit.c) */
    size_t size;     /* ncs_divergence_size */
    size_t turns;    /* back in the program, where nobody has gone back */
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
    size_t rounds;               /* if not 0: the changes are this many whole rounds of a loop */
    struct ncs_cost cost;
};

/* What most ranks do at a place (explanation/usual.c). */
struct ncs_usual {
    const struct ncs_courses *courses;
    const struct ncs_ways *ways;
    struct ncs_map roles; /* site -> the role (distance of the peer, or kind of key) of more than half there */
    struct ncs_map turns; /* from site to site, where some rank has gone back in the program -> 1 */
};

struct ncs_explanations {
    const struct ncs_analysis *q;
    struct ncs_courses courses;
    struct ncs_cast *cast;
    struct ncs_ways ways;
    struct ncs_usual usual;
    struct ncs_misfits *misfits;
    struct ncs_examples *examples;
    struct ncs_explanation candidate[NCS_CANDIDATES_TRIED]; /* not yet rehearsed, the cheapest first */
    size_t candidates;
    struct ncs_explanation best[NCS_EXPLANATIONS_KEPT]; /* the cheapest first */
    size_t count;
};

/* ---- candidates ---- */

/* Candidates from the steps that the ways of ranks have more or less than others
 * (explanation/candidates.c). */
void ncs_candidates_apart(struct ncs_explanations *s);
/* The same for several ways at once: ranks that are wrong, each in its own manner. */
void ncs_candidates_at_once(struct ncs_explanations *s);
/* Candidates that answer the waiting calls, or that remove these calls
 * (explanation/missed_calls.c). */
void ncs_candidates_missed(struct ncs_explanations *s);
/* Candidates for ranks that name another peer than most ranks do at that place. */
void ncs_candidates_peers(struct ncs_explanations *s);
/* Candidates for keys, barriers and threads of hosts (explanation/candidates_host.c),
 * from the waits and from the steps that a way has more or less. host_gap: false = the
 * gap does not matter. */
void ncs_candidates_hosts(struct ncs_explanations *s);
bool ncs_host_gap(const struct ncs_explanations *s, size_t course, const struct ncs_divergence *d,
                  const struct ncs_gap *g, struct ncs_change *out);
/* A course that has left a loop before the model has lacks whole rounds
 * (explanation/candidates_round.c). Those that the model has not gone through are as its own round
 * `like`, from 0: its newest that differ from each other. */
void ncs_candidate_rounds(struct ncs_explanations *s, size_t way, size_t model, size_t like);
/* One that ends with a round too few lacks all of it, also what nobody else has come to in it so
 * far: as much as its own round `like` had. False: it has none. */
bool ncs_candidate_end_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course,
                             const struct ncs_divergence *d, size_t like);
/* The course's call like that step, before its step `at`; nth: how many of the step's like are put
 * in before it. False: nothing is there to be put in. */
bool ncs_candidate_put_in(const struct ncs_explanations *s, size_t course, size_t at, const struct ncs_step *step,
                          size_t nth, struct ncs_change *out);
/* Adds a change behind those of its course. */
void ncs_candidate_add(struct ncs_explanation *c, const struct ncs_change *change);
/* Takes over the candidate. It is rehearsed if it is among the cheapest
 * (explanation/cheapest.c). */
void ncs_candidate_try(struct ncs_explanations *s, struct ncs_explanation *c);
/* Keeps the cheapest of those with which all go on. */
void ncs_candidates_rehearse(struct ncs_explanations *s);
void ncs_candidate_free(struct ncs_explanation *c); /* the contents */
/* The rank's communicator that is a sibling of the model's, and the rank's number
 * in it; -1 = none. */
int ncs_sibling_comm(const struct ncs_explanations *s, const struct ncs_call *model, int rank, int *comm_rank);

/* ---- calls to put in (explanation/examples.c) ---- */

struct ncs_examples *ncs_examples_new(const struct ncs_courses *courses);
void ncs_examples_free(struct ncs_examples *e); /* NULL is a no-op */
/* The nth call, from 0, at the site on that communicator by another of its ranks; if there are
 * fewer, the last. NULL = none. */
const struct ncs_call *ncs_example(const struct ncs_examples *e, uint64_t site, int comm, int comm_rank, size_t nth);

/* ---- what most ranks do at a place (explanation/usual.c) ---- */

void ncs_usual_read(const struct ncs_courses *courses, const struct ncs_ways *ways, struct ncs_usual *out);
void ncs_usual_free(struct ncs_usual *u); /* the contents */
/* How many of the steps name another peer or key than most ranks do at their places. */
size_t ncs_usual_count_unlike(const struct ncs_usual *u, const struct ncs_step *step, size_t steps);
/* How many of the steps go back in the program where no rank has gone back. */
size_t ncs_usual_count_turns(const struct ncs_usual *u, const struct ncs_step *step, size_t steps);
/* The peer that the rank would name in the step if it did as most ranks; -1: it does, or there is
 * no majority. */
int ncs_usual_peer(const struct ncs_usual *u, const struct ncs_step *s);
/* The course's first step that names another peer or key than most ranks name there; NULL =
 * none. */
const struct ncs_step *ncs_usual_first_unlike(const struct ncs_usual *u, size_t course);

/* ---- distances of courses (explanation/misfit.c) ---- */

/* The present distances between all courses that have anything in common. */
struct ncs_misfits *ncs_misfits_new(const struct ncs_analysis *q, const struct ncs_courses *courses,
                                    const struct ncs_ways *ways, const struct ncs_usual *usual);
void ncs_misfits_free(struct ncs_misfits *m); /* NULL is a no-op */
size_t ncs_misfit_now(const struct ncs_misfits *m); /* the sum of them */
/* Places the change before the step, among `last` and the steps before it, that brings the course
 * closest to the others. Returns the sum of distances then. */
size_t ncs_misfit_place(struct ncs_misfits *m, struct ncs_change *change, size_t last);
size_t ncs_misfit_of(struct ncs_misfits *m, size_t course); /* the sum of those between it and all others */
size_t ncs_misfits_way(const struct ncs_misfits *m, size_t course);
bool ncs_misfits_related(const struct ncs_misfits *m, size_t way, size_t other); /* they have something in common */
/* The sum of distances with the changes, which are sorted by course and step. Adds to *turns (may
 * be NULL) how often a changed course goes back in the program where no course has done so. */
size_t ncs_misfit_with(struct ncs_misfits *m, const struct ncs_change *change, size_t changes, size_t *turns);

/* ---- explanations ---- */

/* The explanations, the cheapest first; none if the run has something that rehearsals do not model.
 * The caller frees them. */
struct ncs_explanations *ncs_explain_hang(const struct ncs_analysis *q);
size_t ncs_explanations_count(const struct ncs_explanations *e);
const struct ncs_explanation *ncs_explanation_at(const struct ncs_explanations *e, size_t i);
void ncs_explanations_free(struct ncs_explanations *e); /* NULL is a no-op */

/* True if it is the cheapest, and no other one that blames other ranks fits as well. */
bool ncs_explanation_is_likelier(const struct ncs_explanation *e);
/* How many tiers are cheaper; equally cheap explanations form one tier. */
size_t ncs_explanation_tier(const struct ncs_explanation *e);
/* True if the steps of ranks at the same places support it, and it does not blame most ranks. */
bool ncs_explanation_is_sure(const struct ncs_explanation *e);
/* True if some rank has visited the places of all calls that it inserts, and no rank may be in the
 * wrong communicator. */
bool ncs_explanation_is_placed(const struct ncs_explanation *e);
/* It puts in, or leaves out, a send or a receive. */
bool ncs_explanation_is_of_messages(const struct ncs_explanation *e);
/* True if it brings the changed ranks closer to the others. */
bool ncs_explanation_brings_closer(const struct ncs_explanation *e);
/* True if no other one is cheaper, no matter if calls are inserted or left out, and it brings ranks
 * closer to the others. */
bool ncs_explanation_is_as_good(const struct ncs_explanation *e);
/* A short finding about the rank that is furthest from the others; false = none. The caller frees
 * the contents. */
bool ncs_find_minority(const struct ncs_explanations *e, struct ncs_finding *out);
/* The id of the call before which a change at that step inserts; 0 = the step is no call, or the
 * end. */
uint64_t ncs_edit_before(const struct ncs_course *c, size_t step);
/* For an explanation that changes steps of hosts alone (explanation/finding_host.c): its edit,
 * which owns its key, and the finding. */
struct ncs_edit ncs_host_edit(const struct ncs_explanations *s, const struct ncs_change *c);
bool ncs_format_hosts(const struct ncs_explanation *e, struct ncs_cause *r, struct ncs_drafts *all);
/* The same with words of its own and with the edits (explanation/text.c). */
bool ncs_explanation_word(const struct ncs_explanation *e, const struct ncs_edit *edit, struct ncs_drafts *all);
/* Adds the finding; false: there are no words for it. */
bool ncs_explanation_format(const struct ncs_explanation *e, struct ncs_drafts *all);

#endif
