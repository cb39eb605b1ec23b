/* Finds the causes of a hang in the wait graph (diagnose/README.md, rule 5), and the machine's notices, and asks the
 * rules about each. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "api/meeting.h"
#include "base/hash.h"
#include "base/mem.h"

/* Absent ranks of one unmet wait make one finding for each class of reasons, since one mistake
 * makes several ranks absent in the same way. The classes are asked in this order. */
static int causes_class_of(enum ncs_reason reason)
{
    static const int classes[] = {
        [NCS_ABSENT_KILLED] = 0,    [NCS_ABSENT_ERROR] = 1,    [NCS_ABSENT_FAILED] = 1, [NCS_ABSENT_GAVE_UP] = 1,
        [NCS_ABSENT_DROPPED] = 1,   [NCS_ABSENT_EMPTY] = 2,    [NCS_ABSENT_GROUP] = 3,  [NCS_ABSENT_ABORTED] = 4,
        [NCS_ABSENT_DESTROYED] = 5, [NCS_ABSENT_FINISHED] = 5, [NCS_ABSENT_QUEUED] = 6, [NCS_ABSENT_CONTACT] = 6,
        [NCS_ABSENT_ELSEWHERE] = 6,
    };
    return classes[reason];
}

enum {
    FAILURES = 1,
    OTHERS = 6, /* ranks that are alive, but wait elsewhere */
    NEVER,      /* no class: of OTHERS only ranks that never made the call */
};

/* Asks about the absent ranks of that class, -1 = about all of them at once, even if there are
 * none. True if there are any. */
static bool judge_absents(const struct ncs_analysis *q, const struct ncs_unmet *n, int class, struct ncs_why asked,
                          struct ncs_drafts *all)
{
    struct ncs_cause r = { .kind = NCS_CAUSE_ABSENT, .asked = asked, .unmet = n, .comm = -1, .rank = -1 };
    size_t room = 0;
    for (size_t i = 0; i < n->absents; i++)
        if (class < 0 || causes_class_of(n->absent[i].reason) == class ||
            (class == NEVER && n->absent[i].reason == NCS_ABSENT_ELSEWHERE))
            NCS_PUSH(r.absent, r.absents, room, &n->absent[i]);
    bool any = r.absents > 0;
    if (any || class < 0)
        ncs_judge(q, &r, all);
    ncs_free(r.absent);
    return any;
}

/* True if the wait can never be met, because of itself: ranks are gone, calls disagree, or no rank
 * is known to come (no edge leaves its node). All other unmet waits are part of a cycle, or lead to
 * one. */
static bool is_final(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_why *why)
{
    size_t gone = 0;
    for (size_t i = 0; i < n->absents; i++)
        gone += n->absent[i].reason <= NCS_ABSENT_LAST_FINAL;
    bool stuck = n->kind == NCS_UNMET_STUCK || (n->job >= 0 && q->snap->job[n->job].refused);
    bool nobody = q->out[ncs_unmet_node(q, (size_t)(n - q->unmet))] < 0;
    /* anybody may set a key: one live rank is enough */
    return NCS_BY(why, FINAL, stuck || (ncs_is_key(q, n) ? gone == n->absents : gone > 0 || nobody));
}

/* Calls that met disagree, because an earlier collective had count 0 on one rank alone: a call
 * without data takes part in nothing (ncs_ineffective), so all later calls of that rank meet the
 * others' previous ones. Finds the earliest such collective and asks about it instead of the calls
 * that met. */
static bool judge_empty(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_drafts *all)
{
    const struct ncs_call *best = NULL;
    struct ncs_why why;
    for (size_t i = 0; i < n->presents; i++) {
        uint32_t end = ncs_position(q, n->present[i]);
        const struct ncs_sequence *own = &q->comm[n->comm].seq[n->present[i]->comm_rank];
        for (uint32_t at = own->base; end != UINT32_MAX && at <= end; at++) {
            const struct ncs_call *c = ncs_sequence_at(own, at), *cause;
            enum ncs_reason reason;
            if (!c || !ncs_ineffective(q, c, &reason, &cause) || reason != NCS_ABSENT_EMPTY)
                continue;
            bool alone = false;
            for (size_t k = 0; k < n->presents; k++) {
                const struct ncs_call *other = ncs_sequence_at(&q->comm[n->comm].seq[n->present[k]->comm_rank], at);
                alone |= other && ncs_call_count(other) > 0;
            }
            if (NCS_BY(&why, EMPTY_CALL, alone && (!best || c->number < best->number)))
                best = c;
            break;
        }
    }
    if (!best)
        return false;
    const struct ncs_absent empty = {
        .rank = best->rank, .comm_rank = best->comm_rank, .op = -1, .context = -1, .reason = NCS_ABSENT_EMPTY, .call = best
    };
    const struct ncs_absent *absent = &empty;
    struct ncs_cause r = {
        .kind = NCS_CAUSE_ABSENT, .unmet = n, .absent = &absent, .absents = 1, .comm = -1, .rank = -1, .asked = why
    };
    ncs_judge(q, &r, all);
    return true;
}

/* The calls that met, of ranks that have a record: only these can be compared. All of them if none has. The caller frees
 * the list. */
static const struct ncs_call **causes_recorded(const struct ncs_analysis *q, const struct ncs_unmet *n, size_t *count)
{
    const struct ncs_call **call = ncs_new((n->presents + 1) * sizeof *call);
    *count = 0;
    for (int pass = 0; pass < 2 && !*count; pass++)
        for (size_t i = 0; i < n->presents; i++)
            if (pass || !ncs_is_unrecorded(q, n->present[i]->rank))
                call[(*count)++] = n->present[i];
    return call;
}

/* True if a rank was lost, and the calls of others failed only because of it: ncclRemoteError says no more than that another rank
 * is gone. */
static bool failed_by_loss(const struct ncs_unmet *n)
{
    bool lost = false, remote = true;
    for (size_t i = 0; i < n->absents; i++) {
        const struct ncs_absent *a = &n->absent[i];
        lost |= a->reason == NCS_ABSENT_KILLED;
        remote &= causes_class_of(a->reason) != FAILURES || (a->call && a->call->rc == ncclRemoteError);
    }
    return lost && remote;
}

static void judge_unmet(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_why asked, struct ncs_drafts *all)
{
    if (n->kind == NCS_UNMET_STUCK && n->src < 0 && judge_empty(q, n, all))
        return;
    if (NCS_BY(&asked, MET, n->kind == NCS_UNMET_STUCK)) {
        struct ncs_cause r = { .kind = NCS_CAUSE_DIFFER, .asked = asked, .unmet = n, .comm = -1, .rank = -1 };
        const struct ncs_call **recorded = causes_recorded(q, n, &r.calls);
        r.call = recorded;
        const struct ncs_notice *met = ncs_mismatch_notice(q, n->call);
        if (met && met->calls > r.calls) { /* some ranks left with part of the data, so fewer still wait */
            r.call = (const struct ncs_call *const *)met->call;
            r.calls = met->calls;
        }
        ncs_judge(q, &r, all);
        ncs_free(recorded);
        return;
    }
    size_t final = 0;
    for (size_t i = 0; i < n->absents; i++)
        final += n->absent[i].reason <= NCS_ABSENT_LAST_FINAL;
    if (!final || (n->job >= 0 && q->snap->job[n->job].refused)) {
        judge_absents(q, n, -1, asked, all);
        return;
    }
    for (int class = 0; class < OTHERS; class ++)
        if (class == FAILURES && failed_by_loss(n))
            continue;
        else if (judge_absents(q, n, class, asked, all) && n->kind == NCS_UNMET_GATE)
            return; /* any absent rank could have opened the gate; one that failed is the likeliest */
}

/* Asks about the cause behind a cycle, the first of these that there is; else about the cycle. */
static void judge_cycle(const struct ncs_analysis *q, struct ncs_cause *r, struct ncs_drafts *all)
{
    const struct ncs_unmet *n;
    const struct ncs_call *kernel;
    struct ncs_why why;
    if (ncs_frees_beside(q, r->path, r->length, &kernel, &r->asked))
        ncs_judge(q, r, all);
    else if ((n = ncs_missed_teardown(q, r->path, r->length, &why)) || (n = ncs_left_out(q, r->path, r->length, &why)))
        judge_absents(q, n, OTHERS, why, all);
    else if ((n = ncs_missing_link(q, r->path, r->length, &why)) || (n = ncs_missed_meeting(q, r->path, r->length, &why)))
        judge_absents(q, n, NEVER, why, all);
    else if (NCS_BY(&r->asked, CYCLE, !(n = ncs_unset_key(q, r->path, r->length, &why))))
        ncs_judge(q, r, all);
    else
        judge_unmet(q, n, why, all);
}

/* Asks about each cycle once; judged[] marks unmet waits whose cause is found. Cycles of host waits
 * alone (gates_only) come first: whatever else such ranks keep back forms larger cycles through the
 * same waits, which would hide the small one. */
static void judge_cycles(const struct ncs_analysis *q, bool *judged, bool gates_only, struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->unmets; i++) {
        if (judged[i] || (gates_only && q->unmet[i].kind != NCS_UNMET_GATE))
            continue;
        struct ncs_cause r = { .kind = NCS_CAUSE_CYCLE, .unmet = &q->unmet[i], .comm = -1, .rank = -1 };
        r.path = ncs_cycle_of(q, i, gates_only, &r.length);
        bool known = r.length == 0;
        for (size_t k = 0; k < r.length; k++) {
            int unmet = ncs_node_unmet(q, r.path[k]);
            known |= unmet >= 0 && judged[unmet];
        }
        for (size_t k = 0; k < r.length && !known; k++)
            if (ncs_node_unmet(q, r.path[k]) >= 0)
                judged[ncs_node_unmet(q, r.path[k])] = true;
        if (!known)
            judge_cycle(q, &r, all);
        ncs_free(r.path);
    }
}

/* True if the wait graph has the meeting that the notice is about; judge_unmet() asks about it. */
static bool is_stuck_meeting(const struct ncs_analysis *q, const struct ncs_notice *notice)
{
    for (size_t i = 0; i < q->unmets; i++)
        if (q->unmet[i].kind == NCS_UNMET_STUCK && ncs_mismatch_notice(q, q->unmet[i].call) == notice)
            return true;
    return false;
}

/* Compares signatures, because labels and buffers may differ in calls that agree. A send and a
 * receive have different signatures anyway: a notice about such a pair is a mismatch by itself. */
static bool causes_disagree(const struct ncs_notice *n)
{
    if (n->calls == 2 && ncs_call_is_pair(n->call[0]) && ncs_call_is_pair(n->call[1]))
        return true;
    for (size_t i = 1; i < n->calls; i++)
        if (!ncs_calls_are_alike(n->call[i], n->call[0]))
            return true;
    return false;
}

void ncs_judge_notices(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    enum { SILENT = -1 }; /* no cause of its own */
    static const int kinds[] = {
        /* 0: a notice like any other */
        [NCS_NOTICE_DOUBT] = SILENT,
        [NCS_NOTICE_ERROR] = SILENT,
        [NCS_NOTICE_INEXACT] = SILENT,
        [NCS_NOTICE_RETYPED] = SILENT,
        [NCS_NOTICE_UNWRITTEN] = SILENT,
        [NCS_NOTICE_HAZARD] = NCS_CAUSE_HAZARD,
        [NCS_NOTICE_LOST] = NCS_CAUSE_LOST,
        [NCS_NOTICE_FOREIGN] = NCS_CAUSE_FOREIGN,
        [NCS_NOTICE_UNUSED] = NCS_CAUSE_UNUSED,
        [NCS_NOTICE_LEFT] = NCS_CAUSE_LOST_RESOURCE,
        [NCS_NOTICE_STALE] = NCS_CAUSE_STALE,
        [NCS_NOTICE_SETTING] = NCS_CAUSE_SETTING,
    };
    for (size_t i = 0; i < q->notices; i++) {
        const struct ncs_notice *n = &q->notice[i];
        struct ncs_cause r = { .kind = NCS_CAUSE_NOTICE, .notice = n, .comm = -1, .rank = -1 };
        if (!NCS_BY(&r.asked, NOTICE, kinds[n->kind] != SILENT))
            continue;
        if (n->kind == NCS_NOTICE_MISMATCH && causes_disagree(n)) {
            if (is_stuck_meeting(q, n))
                continue;
            r.kind = NCS_CAUSE_DIFFER;
            r.call = (const struct ncs_call *const *)n->call;
            r.calls = n->calls;
        }
        if (kinds[n->kind])
            r.kind = (enum ncs_cause_kind)kinds[n->kind];
        ncs_judge(q, &r, all);
    }
}

/* The place in the program where a context waits, as a number. */
static uint64_t causes_place_key(const struct ncs_analysis *q, size_t context)
{
    struct ncs_place p = ncs_context_place(q, (int)context);
    uint64_t file = p.file ? ncs_hash_bytes(0, p.file, strlen(p.file)) : 0;
    return ncs_hash(file, (uint64_t)p.line);
}

/* True if the ranks that are behind at the later divergence have passed the call that they lack, so
 * they will not make it any more: each has ended well, or waits at the same place as a rank that
 * has made the call. */
static bool have_passed(const struct ncs_analysis *q, int comm)
{
    enum { BEHIND = 1, AHEAD };
    const struct ncs_call_divergence *p = &q->comm[comm].later;
    char *of = ncs_new((size_t)q->ranks * sizeof *of); /* by rank of the run; 0 = not concerned, or passed */
    struct ncs_map places = { 0 };
    for (int r = 0; r < q->journal->comm[comm]->nranks; r++)
        if (ncs_run_rank(q, comm, r) >= 0)
            of[ncs_run_rank(q, comm, r)] = ncs_sequence_at(&q->comm[comm].seq[r], p->at) ? AHEAD : BEHIND;
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->rank >= 0 && of[c->rank] == AHEAD && c->state != NCS_CONTEXT_ENDED)
            ncs_map_put(&places, causes_place_key(q, i), of);
    }
    size_t passed = 0;
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->rank < 0 || of[c->rank] != BEHIND)
            continue;
        bool over = !ncs_may_go_on(q, c->rank);
        if (over ? c->state != NCS_CONTEXT_ENDED || c->ending == NCS_END_RETURNED
                 : ncs_map_get(&places, causes_place_key(q, i)) != NULL) {
            of[c->rank] = 0;
            passed++;
        }
    }
    ncs_map_free(&places);
    ncs_free(of);
    return passed == p->minority_size;
}

/* A communicator stops at the first calls that disagree, and what is wrong behind them cannot be
 * compared. Only calls that a minority left out there are certain, once it has passed their
 * place. */
static void judge_later(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->journal->comms; i++) {
        const struct ncs_call_divergence *p = &q->comm[i].later;
        bool few = p->how == NCS_DIVERGENCE_FEWER && 2 * p->minority_size <= (size_t)q->journal->comm[i]->nranks;
        struct ncs_cause r = { .kind = NCS_CAUSE_LATER, .comm = (int)i, .rank = -1 };
        if (NCS_BY(&r.asked, LATER, few && have_passed(q, (int)i)))
            ncs_judge(q, &r, all);
    }
}

/* True if every rank that polls in vain is blocked by a cause that was found. */
static bool polls_explained(const struct ncs_analysis *q, const struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        bool covered = c->state == NCS_CONTEXT_ENDED || !ncs_polls(q, c);
        for (size_t k = 0; k < all->count && !covered; k++)
            for (size_t b = 0; b < all->draft[k].f.blockeds; b++)
                covered |= all->draft[k].f.blocked[b] == c->rank;
        if (!covered)
            return false;
    }
    return all->count > 0;
}

/* In the order of diagnose/README.md, rule 5. */
void ncs_judge_hang(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    bool *judged = ncs_new((q->unmets + 1) * sizeof *judged);
    for (size_t i = 0; i < q->unmets; i++) {
        struct ncs_why why;
        judged[i] = is_final(q, &q->unmet[i], &why);
        const struct ncs_unmet *instead = judged[i] ? ncs_meeting_instead(q, &q->unmet[i], &why) : NULL;
        if (instead)
            judge_absents(q, instead, NEVER, why, all);
        else if (judged[i])
            judge_unmet(q, &q->unmet[i], why, all);
    }
    judge_cycles(q, judged, true, all);
    judge_cycles(q, judged, false, all);
    struct ncs_cause polls = { .kind = NCS_CAUSE_POLL, .comm = -1, .rank = -1 };
    if (NCS_BY(&polls.asked, POLLS, q->snap->stop == NCS_STOP_LIVELOCK && !polls_explained(q, all)))
        ncs_judge(q, &polls, all);
    judge_later(q, all);
    ncs_free(judged);
}
