/* Shared by the rules about a rank that will never come to a meeting. */
#include "diagnose/rules/rule.h"

#include "api/meeting.h"
#include "base/mem.h"

/* A gate has no calls, so there the ranks whose contexts wait directly are present. Of other waits
 * the calls count: a rank may have made its call and be elsewhere by now. */
int *ncs_present_ranks(const struct ncs_analysis *q, const struct ncs_unmet *unmet, size_t *count)
{
    int *ranks = NULL;
    size_t room = 0;
    *count = 0;
    bool *direct = ncs_direct_waiters(q, unmet);
    bool *here = ncs_new((size_t)(q->ranks + 1) * sizeof *here);
    for (size_t i = 0; i < unmet->presents; i++)
        if (unmet->present[i]->rank >= 0 && unmet->present[i]->rank < q->ranks)
            here[unmet->present[i]->rank] = true;
    for (int r = 0; r < q->ranks; r++) {
        for (int i = ncs_first_context(q, r); i >= 0 && !unmet->presents; i = q->next_context[i])
            here[r] |= direct[i];
        if (here[r])
            NCS_PUSH(ranks, *count, room, r);
    }
    ncs_free(here);
    ncs_free(direct);
    return ranks;
}

void ncs_fill_unmet(const struct ncs_analysis *q, struct ncs_draft *d, const struct ncs_unmet *unmet, uint32_t call)
{
    d->f.call = call;
    d->order = unmet->call ? unmet->call->id : UINT64_MAX;
    ncs_set_title(q, d, unmet->call);
    ncs_add_unmet_rows(q, d, unmet);
    ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(unmet - q->unmet)));
}

bool ncs_is_because(const struct ncs_cause *r, enum ncs_reason first, enum ncs_reason last)
{
    return r->kind == NCS_CAUSE_ABSENT && r->absents > 0 && r->absent[0]->reason >= first && r->absent[0]->reason <= last;
}

struct ncs_fact ncs_fact_present(const char *name, const struct ncs_analysis *q, const struct ncs_unmet *unmet)
{
    size_t count;
    int *ranks = ncs_present_ranks(q, unmet, &count);
    struct ncs_fact fact = ncs_fact_ranks(name, ranks, count);
    ncs_free(ranks);
    return fact;
}

struct ncs_fact ncs_fact_waits(const struct ncs_analysis *q, const struct ncs_unmet *unmet, bool several)
{
    struct ncs_fact who = ncs_fact_present("who", q, unmet);
    bool alike = unmet->call && !ncs_is_init(unmet->call);
    for (size_t i = 0; i < unmet->presents; i++)
        alike = alike && ncs_calls_are_alike(unmet->present[i], unmet->call);
    if (!who.ranks)
        ncs_free(who.rank);
    return ncs_fact_sentence("waits", !who.ranks ? NULL
                                                 : ncs_say(who_waits, who, ncs_fact_is("several", several),
                                                           ncs_fact_call("call", q->journal, alike ? unmet->call : NULL)));
}

/* True if the absent rank made a call, which failed, was empty or is still in a group. */
static bool made_a_call(const struct ncs_absent *a)
{
    return a->call && a->reason >= NCS_ABSENT_FAILED && a->reason <= NCS_ABSENT_GROUP;
}

/* The number of the absent rank's own call if it made one in vain, else of the call that waits. */
static uint32_t number_of(const struct ncs_cause *r)
{
    const struct ncs_absent *a = r->absent[0];
    if (made_a_call(a) && a->call->number && a->call->comm == r->unmet->comm)
        return a->call->number;
    return r->unmet->call ? r->unmet->call->number : 0;
}

/* The call for the title, which must have the finding's number: made by a rank that is there, else
 * by the absent rank itself. The call that waits may have another number, if it was queued in the
 * same group. */
static const struct ncs_call *numbered(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_call *own = r->absent[0]->call, *there = r->unmet->call;
    if (!there || number_of(r) == there->number)
        return there;
    if (ncs_call_is_pair(own))
        return own; /* sends and receives have other numbers on each rank */
    for (size_t i = 0; i < r->unmet->presents; i++) {
        int rank = r->unmet->present[i]->comm_rank;
        const struct ncs_call *c = q->journal->comm[r->unmet->comm]->member[rank].first;
        for (; c; c = c->next_counted)
            if (c->number == own->number)
                return c;
    }
    return own;
}

void ncs_fill_absent(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    for (size_t i = 0; i < r->absents; i++) {
        const struct ncs_absent *a = r->absent[i];
        uint32_t call = made_a_call(a)                                        ? a->call->number
                        : r->unmet->kind == NCS_UNMET_PAIR || !r->unmet->call ? 0
                                                                              : r->unmet->call->number;
        int line = a->call ? a->call->place.line : a->context >= 0 ? ncs_context_place(q, a->context).line : 0;
        if (a->rank >= 0)
            ncs_add_culprit(d, a->rank, call, line);
    }
    static const enum ncs_phrase evidence[] = {
        [NCS_ABSENT_KILLED] = NCS_PHRASE_absent_by_end,           [NCS_ABSENT_ERROR] = NCS_PHRASE_absent_by_end,
        [NCS_ABSENT_GAVE_UP] = NCS_PHRASE_absent_by_last_result,  [NCS_ABSENT_FAILED] = NCS_PHRASE_absent_by_result,
        [NCS_ABSENT_DROPPED] = NCS_PHRASE_absent_by_group_result, [NCS_ABSENT_EMPTY] = NCS_PHRASE_absent_by_count,
        [NCS_ABSENT_GROUP] = NCS_PHRASE_absent_by_group,          [NCS_ABSENT_ABORTED] = NCS_PHRASE_absent_by_own_call,
        [NCS_ABSENT_DESTROYED] = NCS_PHRASE_absent_by_own_call,   [NCS_ABSENT_FINISHED] = NCS_PHRASE_absent_by_finish,
    };
    const struct ncs_snap_context *c = r->absent[0]->context >= 0 ? &q->snap->context[r->absent[0]->context] : NULL;
    /* a recorded run: how a rank ended is concluded from the record, and not observed */
    if (c && c->state == NCS_CONTEXT_ENDED && c->ending >= NCS_END_SILENT)
        d->f.evidence = ncs_say(absent_by_record);
    else if (r->absent[0]->reason <= NCS_ABSENT_LAST_FINAL)
        d->f.evidence = ncs_sentence_of(evidence[r->absent[0]->reason], (struct ncs_fact[]){ { 0 } }, 1);
    ncs_fill_unmet(q, d, r->unmet, number_of(r));
    ncs_set_title(q, d, numbered(q, r));
    /* the mistake is the absent rank's, so the finding is as early as its call */
    if (r->absent[0]->call && r->absent[0]->call->id < d->order)
        d->order = r->absent[0]->call->id;
}

void ncs_blame_absent(const struct ncs_cause *r, struct ncs_draft *d)
{
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->rank >= 0)
            ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
}

struct ncs_fact ncs_fact_absent(const struct ncs_cause *r)
{
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++)
        ranks[i] = r->absent[i]->rank;
    struct ncs_fact fact = ncs_fact_ranks("absent", ranks, r->absents);
    ncs_free(ranks);
    return fact;
}

struct ncs_fact ncs_fact_before(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    const struct ncs_unmet *n = r->unmet;
    bool meeting = ncs_is_meeting(n), call = !meeting && n->kind == NCS_UNMET_COLLECTIVE && n->call;
    bool made = call && ncs_has_made(q, n, r->absent[0]);
    return ncs_fact_sentence("before", ncs_say(before, ncs_fact_call("call", q->journal, n->call), ncs_fact_comm(q, n->comm),
                                               ncs_fact_is("meeting", meeting), ncs_fact_is("during", made),
                                               ncs_fact_is("before", call && !made),
                                               ncs_fact_is("join", !meeting && n->kind == NCS_UNMET_INIT)));
}

void ncs_fill_left(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, const char *how)
{
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    const struct ncs_member *m = &q->journal->comm[r->unmet->comm]->member[a->comm_rank];
    d->f.why = ncs_say(left_why, ncs_fact_absent(r), ncs_fact_is(how, true), ncs_fact_comm(q, r->unmet->comm),
                       ncs_fact_line("line", a->call ? a->call->place.line : 0), ncs_fact_number("calls", m->calls),
                       ncs_fact_waits(q, r->unmet, r->absents > 1));
}

bool ncs_lacks(const struct ncs_cause *r, enum ncs_unmet_kind kind)
{
    return r->kind == NCS_CAUSE_ABSENT && r->absents && r->unmet->kind == kind && r->unmet->call &&
           r->absent[0]->reason >= NCS_ABSENT_DESTROYED;
}

static bool has_concluded_job(const struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->jobs; i++)
        if (s->job[i].concluded)
            return true;
    return false;
}

void ncs_doubt_teardown(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_draft *d)
{
    if (!has_concluded_job(q->snap))
        return;
    char *doubt = ncs_sentence_take(ncs_say(teardown_doubt, ncs_fact_call("call", q->journal, call)));
    ncs_finding_doubt(&d->f, doubt);
    ncs_free(doubt);
}
