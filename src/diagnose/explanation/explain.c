/* Finds the cheapest explanations of a hang: the few calls whose omission, excess or misplacement
 * explains that no rank goes on. Candidates come from comparing the courses of ranks and from the
 * waits; each is rehearsed with its changes, and kept if all ranks then go on. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/mem.h"

/* Rehearses the courses without a change. False: the run has something that rehearsals do not model, so no candidate
 * could be trusted (diagnose/README.md, rule 14). */
static bool is_as_seen(const struct ncs_explanations *s)
{
    struct ncs_rehearsed r;
    ncs_rehearse(s->cast, NULL, 0, &r);
    bool same = true;
    for (size_t i = 0; i < s->courses.count && same; i++) {
        int context = s->courses.of[i].context;
        if (s->courses.of[i].holder)
            continue;
        same = r.waits[i] == (context >= 0 && s->q->snap->context[context].state != NCS_CONTEXT_ENDED);
    }
    ncs_free(r.waits);
    return same && r.blocked > 0;
}

/* True if a rank waits for a key or at a barrier, which are no calls of NCCL or CUDA. */
static bool waits_for_hosts(const struct ncs_analysis *q)
{
    for (size_t i = 0; i < q->unmets; i++)
        if (q->unmet[i].kind == NCS_UNMET_GATE && (ncs_is_key(q, &q->unmet[i]) || ncs_is_barrier(q, &q->unmet[i])))
            return true;
    return false;
}

/* True if the rank is absent for a reason that no comparison explains better. A destroy that the
 * others make at the same place is no such reason: the rank left a call out before it. */
static bool has_own_reason(const struct ncs_analysis *q, const struct ncs_absent *a)
{
    if (a->reason == NCS_ABSENT_DESTROYED)
        return !(a->call && a->call->ending) && !ncs_ends_like_others(q, a->call);
    return a->reason < NCS_ABSENT_FINISHED && a->reason != NCS_ABSENT_EMPTY;
}

/* Why the cause is known without comparing courses: a missed rank has a reason of its own, such
 * as an abort or an error; or a communicator is being made, which rehearsals cannot play. Waits for
 * hosts are an exception, because they may keep a communicator from being made. NULL = it is not known. */
static const char *explain_why_known(const struct ncs_analysis *q)
{
    bool hosts = waits_for_hosts(q);
    for (size_t i = 0; i < q->unmets; i++) {
        const struct ncs_unmet *n = &q->unmet[i];
        bool split = n->call && n->call->fn == NCS_FN_ncclCommSplit;
        if (!hosts && !split && (ncs_is_meeting(n) || n->kind == NCS_UNMET_INIT))
            return "a meeting is open that no rehearsal plays";
        for (size_t k = 0; k < n->absents; k++)
            if (has_own_reason(q, &n->absent[k]))
                return "a rank that lacks has a reason of its own";
    }
    return NULL;
}

/* True if explanations are looked for (README, rule 14); --debug=diagnosis prints why not. */
static bool explain_begin(struct ncs_explanations *s)
{
    enum { MOST_WAYS = 64 };
    struct ncs_diagnosis *d = s->q->result;
    const char *known = explain_why_known(s->q);
    struct ncs_why why;
    if (NCS_BY(&why, NOTHING, known != NULL)) {
        ncs_weighed(d, why, "none is looked for: %s", known);
        return false;
    }
    if (NCS_BY(&why, NOTHING, !ncs_courses_read(s->q, &s->courses))) {
        ncs_weighed(d, why, "none is looked for: not every call of every rank is known");
        return false;
    }
    ncs_ways_read(s->q, &s->courses, &s->ways);
    if (NCS_BY(&why, NOTHING, s->courses.count < 2 || s->ways.count > MOST_WAYS)) {
        ncs_weighed(d, why, "none is looked for: %zu courses, %zu ways; there must be 2 courses, and at most %d ways",
                    s->courses.count, s->ways.count, MOST_WAYS);
        return false;
    }
    s->cast = ncs_cast_new(s->q, &s->courses);
    ncs_usual_read(&s->courses, &s->ways, &s->usual);
    s->support = ncs_support_new(s->q, &s->courses, &s->ways, &s->usual);
    if (!NCS_BY(&why, NOTHING, !is_as_seen(s)))
        return true;
    ncs_weighed(d, why, "none is looked for: without a change, a rehearsal leaves others waiting than the run did");
    return false;
}

/* The finders of candidates. If all courses are alike, no rank did more or less than the others, so
 * only a wrong peer or calls of one place (alike: true) can explain the hang. */
static const struct {
    void (*find)(struct ncs_explanations *s);
    bool alike;
} kinds[] = {
    { ncs_candidates_apart, false }, { ncs_candidates_missed, false }, { ncs_candidates_hosts, false },
    { ncs_candidates_peers, true },  { ncs_candidates_shifted, true },
};

static void explain_look(struct ncs_explanations *s)
{
    enum { KINDS = sizeof kinds / sizeof *kinds };
    bool alike = s->ways.count < 2;
    s->examples = ncs_examples_new(&s->courses);
    s->in_step = true;
    for (size_t i = 0; i < KINDS; i++) {
        size_t kind = ncs_nth_kind(i, KINDS);
        if (!alike || kinds[kind].alike)
            kinds[kind].find(s);
    }
    ncs_candidates_rehearse(s);
    if (alike || s->count)
        return;
    ncs_candidates_at_once(s);
    ncs_candidates_rehearse(s);
}

struct ncs_explanations *ncs_explain_hang(const struct ncs_analysis *q)
{
    struct ncs_explanations *e = ncs_new(sizeof *e);
    e->q = q;
    if (explain_begin(e))
        explain_look(e);
    return e;
}

void ncs_explanations_free(struct ncs_explanations *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->count; i++)
        ncs_candidate_free(&e->best[i]);
    ncs_support_free(e->support);
    ncs_usual_free(&e->usual);
    ncs_examples_free(e->examples);
    ncs_cast_free(e->cast);
    ncs_ways_free(&e->ways);
    ncs_courses_free(&e->courses);
    ncs_free(e);
}
