/* Explanations of a hang from ranks that did otherwise than ranks like them.
 * Private to this room. */
#ifndef NCS_DIAGNOSE_EXPLANATION_EXPLAIN_H
#define NCS_DIAGNOSE_EXPLANATION_EXPLAIN_H

#include "diagnose/explanation/divergence.h"
#include "diagnose/rules/rule.h"

enum {
    NCS_CANDIDATES_TRIED = 64, /* rehearsals, at most; as many again if none of them helps */
    NCS_EXPLANATIONS_KEPT = 6,
    NCS_ROUNDS_LIKE = 3, /* different rounds of a course that are tried as examples: one may have a log,
                          * another a checkpoint */
};

/* In the order of preference (diagnose/README.md, rule 16). */
struct ncs_cost {
    size_t ranks;    /* courses that have to change */
    size_t size;     /* steps that are inserted or removed; a whole round counts as one */
    int64_t further; /* from what others do at its places (explanation/support.c); below 0: closer */
    size_t kind;     /* 0: another communicator, peer or key, 1: calls inserted, 2: calls removed: leaving
                      * a call out is the commoner mistake */
    size_t supposed; /* meetings in the rehearsal that need calls which no rank has made */
    size_t edits;
};

/* A set of changes. As a candidate it is not rehearsed yet; as an explanation all ranks go on with
 * it. */
struct ncs_explanation {
    const struct ncs_explanations *of; /* the set that has it */
    struct ncs_divergence *part;       /* one for each way that it makes like another; its gaps are owned */
    size_t parts, part_room;
    struct ncs_change *change; /* sorted by course and step */
    size_t changes, change_room;
    size_t rounds; /* if not 0: the changes are this many whole rounds of a loop */
    bool shifted;  /* of calls at one place (explanation/shifted.c) */
    size_t number; /* in the order of rehearsals, from 1 */
    struct ncs_cost cost;
};

/* The usual behavior of ranks at each place of the program (explanation/usual.c). */
struct ncs_usual {
    const struct ncs_courses *courses;
    const struct ncs_ways *ways;
    struct ncs_map roles; /* site -> the role (distance of the peer, or kind of key) of more than half there */
};

struct ncs_explanations {
    const struct ncs_analysis *q;
    struct ncs_courses courses;
    struct ncs_cast *cast;
    struct ncs_ways ways;
    struct ncs_usual usual;
    struct ncs_support *support;
    struct ncs_examples *examples;
    struct ncs_explanation candidate[NCS_CANDIDATES_TRIED]; /* not yet rehearsed, the cheapest first */
    size_t candidates, rehearsed;
    struct ncs_explanation best[NCS_EXPLANATIONS_KEPT]; /* the cheapest first */
    size_t count;
    bool in_step; /* no rehearsal lets all ranks go on as if one of them were a call behind or ahead */
};

/* ---- candidates ---- */

/* Candidates from the steps that the ways of ranks have more or less than others
 * (explanation/candidates.c). */
void ncs_candidates_apart(struct ncs_explanations *s);
/* Candidates that change several ways at once: several ranks are wrong, each in its own manner. */
void ncs_candidates_at_once(struct ncs_explanations *s);
/* Candidates that insert the calls which waiting calls lack, or that remove the waiting calls
 * (explanation/missed_calls.c). */
void ncs_candidates_missed(struct ncs_explanations *s);
/* Candidates for ranks that name another peer than most ranks do at that place. Only these exist
 * where all courses are alike. */
void ncs_candidates_peers(struct ncs_explanations *s);
/* Candidates for calls that met at one place and disagree: the odd rank is a call behind or ahead
 * (explanation/shifted.c). */
void ncs_candidates_shifted(struct ncs_explanations *s);
/* Candidates for keys, barriers and threads of hosts (explanation/candidates_host.c), from the
 * waits. ncs_host_gap() makes the change that closes one gap of a divergence; false = the gap needs
 * no change. */
void ncs_candidates_hosts(struct ncs_explanations *s);
bool ncs_host_gap(const struct ncs_explanations *s, size_t course, const struct ncs_divergence *d, const struct ncs_gap *g,
                  struct ncs_change *out);
/* Tries to insert whole rounds into a way that has left a loop before its model
 * (explanation/candidates_round.c). Rounds that the model itself has not completed are copied from
 * the course's own round number `like`: 0 = the newest, then the next newest that differs from
 * those before. */
void ncs_candidate_rounds(struct ncs_explanations *s, size_t way, size_t model, size_t like);
/* Adds to c the rest of the round that the divergence only begins at its end, copied from the
 * course's own round `like`. False = there is nothing to add. */
bool ncs_candidate_end_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course,
                             const struct ncs_divergence *d, size_t like);
/* Makes the change that inserts the course's own call like the step, before its step `at`. nth: how
 * many calls like it the candidate already inserts there. False = no such call can be made. */
bool ncs_candidate_put_in(const struct ncs_explanations *s, size_t course, size_t at, const struct ncs_step *step, size_t nth,
                          struct ncs_change *out);
/* Where the course would have made the model's step: behind the last place that the model visits before it, in the same
 * round. What the course has launched since may be of later rounds. */
size_t ncs_candidate_place(const struct ncs_course *own, const struct ncs_course *model, const struct ncs_step *step);
/* Makes the change that leaves the call out. False = no course has it. */
bool ncs_candidate_leave_out(const struct ncs_explanations *s, const struct ncs_call *call, struct ncs_change *out);
/* Adds a change behind those of its course, so that changes stay sorted. */
void ncs_candidate_add(struct ncs_explanation *c, const struct ncs_change *change);
/* Takes over the candidate's contents. It is rehearsed later if it is among the cheapest
 * (explanation/cheapest.c). */
void ncs_candidate_try(struct ncs_explanations *s, struct ncs_explanation *c);
/* Rehearses the candidates and keeps the cheapest with which all ranks go on. */
void ncs_candidates_rehearse(struct ncs_explanations *s);
void ncs_candidate_free(struct ncs_explanation *c); /* the contents */
/* The model's communicator if the rank is in it, else one of the rank's of the same class, and the
 * rank's number in it; -1 = none. */
int ncs_sibling_comm(const struct ncs_explanations *s, const struct ncs_call *model, int rank, int *comm_rank);

/* ---- examples of calls to insert (explanation/examples.c) ---- */

struct ncs_examples *ncs_examples_new(const struct ncs_courses *courses);
void ncs_examples_free(struct ncs_examples *e); /* NULL is a no-op */
/* The nth call, from 0, at the site on that communicator by another of its ranks; if there are
 * fewer, the last. NULL = none. */
const struct ncs_call *ncs_example(const struct ncs_examples *e, uint64_t site, int comm, int comm_rank, size_t nth);

/* ---- the usual behavior at a place (explanation/usual.c) ---- */

void ncs_usual_read(const struct ncs_courses *courses, const struct ncs_ways *ways, struct ncs_usual *out);
void ncs_usual_free(struct ncs_usual *u); /* the contents */
/* How many of the steps name another peer or key than most ranks do at their places. */
size_t ncs_usual_count_unlike(const struct ncs_usual *u, const struct ncs_step *step, size_t steps);
/* The peer that the rank would name in the step if it did as most ranks; -1: it does, or there is
 * no majority. */
int ncs_usual_peer(const struct ncs_usual *u, const struct ncs_step *s);
/* ---- what others did at the places of a change (explanation/support.c) ---- */

struct ncs_support *ncs_support_new(const struct ncs_analysis *q, const struct ncs_courses *courses, const struct ncs_ways *ways,
                                    const struct ncs_usual *usual);
void ncs_support_free(struct ncs_support *s); /* NULL is a no-op */
/* How much further from what other ranks did at their places the changes take the courses; negative: closer. The changes
 * are sorted by course. */
int64_t ncs_support_further(const struct ncs_support *s, const struct ncs_change *change, size_t changes);

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
/* True if some rank has visited the places of all answers that it inserts, what ranks did at its places does not contradict it,
 * and no rank may be in the wrong communicator. */
bool ncs_explanation_is_placed(const struct ncs_explanation *e);
/* True if it inserts or removes a send or a receive. */
bool ncs_explanation_is_of_messages(const struct ncs_explanation *e);
/* True if it brings the changed ranks closer to the others. */
bool ncs_explanation_brings_closer(const struct ncs_explanation *e);
/* True if no other one is cheaper, no matter if calls are inserted or left out, and it brings ranks
 * closer to the others. */
bool ncs_explanation_is_as_good(const struct ncs_explanation *e);
/* The id of the call before which a change at that step inserts; 0 = the step is no call, or the
 * end. */
uint64_t ncs_edit_before(const struct ncs_course *c, size_t step);
/* For an explanation that changes steps of hosts alone (explanation/finding_host.c): its edit,
 * which borrows its key from the change, and its finding. */
struct ncs_edit ncs_host_edit(const struct ncs_explanations *s, const struct ncs_change *c);
bool ncs_format_hosts(const struct ncs_explanation *e, struct ncs_cause *r, struct ncs_drafts *all);
/* Adds the finding with words of its own, for explanations that no rule has words for
 * (explanation/text.c). */
bool ncs_explanation_word(const struct ncs_explanation *e, const struct ncs_edit *edit, struct ncs_why why,
                          struct ncs_drafts *all);
/* Appends its edits, a sentence each (explanation/finding.c). */
void ncs_explanation_format_edits(const struct ncs_explanation *e, struct ncs_str *out);
/* Adds the finding: by a rule, else by ncs_explanation_word(). False = it cannot be put into
 * words. */
bool ncs_explanation_format(const struct ncs_explanation *e, struct ncs_drafts *all);

#endif
