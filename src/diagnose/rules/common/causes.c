/* Asks the rules about everything in the graph, the notices and the journal that has no cause
 * further back. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

static int causes_class_of(enum ncs_reason reason)
{
    static const int classes[] = {
        [NCS_ABSENT_KILLED] = 0,    [NCS_ABSENT_ERROR] = 1,    [NCS_ABSENT_FAILED] = 1,
        [NCS_ABSENT_GAVE_UP] = 1,
        [NCS_ABSENT_DROPPED] = 1,   [NCS_ABSENT_EMPTY] = 2,    [NCS_ABSENT_GROUP] = 3,
        [NCS_ABSENT_ABORTED] = 4,   [NCS_ABSENT_DESTROYED] = 5, [NCS_ABSENT_FINISHED] = 5,
        [NCS_ABSENT_QUEUED] = 6,    [NCS_ABSENT_CONTACT] = 6,  [NCS_ABSENT_ELSEWHERE] = 6,
    };
    return classes[reason];
}

enum { OTHERS = 6, NEVER };

/* Returns if there are absent ranks of that class. */
static bool judge_absents(const struct ncs_analysis *q, const struct ncs_unmet *n, int class,
                          struct ncs_drafts *all)
{
    struct ncs_cause r = { .kind = NCS_CAUSE_ABSENT, .unmet = n, .comm = -1, .rank = -1 };
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

/* True if the wait cannot be met, whatever the others do. */
static bool is_final(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    size_t gone = 0;
    for (size_t i = 0; i < n->absents; i++)
        gone += n->absent[i].reason <= NCS_ABSENT_LAST_FINAL;
    if (n->kind == NCS_UNMET_STUCK || (n->job >= 0 && q->snap->job[n->job].refused))
        return true;
    if (ncs_is_key(q, n)) /* anybody may set it: one live rank is enough */
        return gone == n->absents;
    return gone > 0 || q->out[ncs_unmet_node(q, (size_t)(n - q->unmet))] < 0;
}

static const struct ncs_notice *notice_of(const struct ncs_analysis *q, const struct ncs_call *call)
{
    for (size_t i = 0; i < q->notices; i++)
        for (size_t k = 0; k < q->notice[i].calls; k++)
            if (q->notice[i].kind == NCS_NOTICE_MISMATCH && q->notice[i].call[k] == call)
                return &q->notice[i];
    return NULL;
}

/* The earliest collective up to those that met which was empty on one rank and not on the others: from there
 * on that rank's calls meet others than they were meant for. */
static bool judge_empty(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_drafts *all)
{
    const struct ncs_call *best = NULL;
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
                const struct ncs_call *other =
                    ncs_sequence_at(&q->comm[n->comm].seq[n->present[k]->comm_rank], at);
                alone |= other && ncs_call_count(other) > 0;
            }
            if (alone && (!best || c->number < best->number))
                best = c;
            break;
        }
    }
    if (!best)
        return false;
    const struct ncs_absent empty = { .rank = best->rank, .comm_rank = best->comm_rank, .op = -1,
                                      .context = -1, .reason = NCS_ABSENT_EMPTY, .call = best };
    const struct ncs_absent *absent = &empty;
    struct ncs_cause r = { .kind = NCS_CAUSE_ABSENT, .unmet = n, .absent = &absent, .absents = 1, .comm = -1,
                          .rank = -1 };
    ncs_judge(q, &r, all);
    return true;
}

static void judge_need(const struct ncs_analysis *q, const struct ncs_unmet *n, struct ncs_drafts *all)
{
    if (n->kind == NCS_UNMET_STUCK && n->src < 0 && judge_empty(q, n, all))
        return;
    if (n->kind == NCS_UNMET_STUCK) {
        struct ncs_cause r = { .kind = NCS_CAUSE_DIFFER, .unmet = n, .call = n->present,
                              .calls = n->presents, .comm = -1, .rank = -1 };
        const struct ncs_notice *told = notice_of(q, n->call);
        if (told && told->calls > r.calls) { /* one side went on, with part of the data */
            r.call = (const struct ncs_call *const *)told->call;
            r.calls = told->calls;
        }
        ncs_judge(q, &r, all);
        return;
    }
    size_t final = 0;
    for (size_t i = 0; i < n->absents; i++)
        final += n->absent[i].reason <= NCS_ABSENT_LAST_FINAL;
    if (!final || (n->job >= 0 && q->snap->job[n->job].refused)) {
        judge_absents(q, n, -1, all);
        return;
    }
    for (int class = 0; class < OTHERS; class++)
        if (judge_absents(q, n, class, all) && n->kind == NCS_UNMET_GATE)
            return; /* of those who might have opened it, one that failed is the likeliest */
}

/* A ring of communicators because of a call that one rank has left out, or made in excess. Of one in
 * another order it is noted whose order that is. */
static bool judge_across(const struct ncs_analysis *q, struct ncs_cause *ring, struct ncs_drafts *all)
{
    struct ncs_across across;
    if (!ncs_part_across(q, ring->path, ring->length, &across))
        return false;
    if (across.how == NCS_DIVERGENCE_SWAPPED) {
        ring->rank = across.odd;
        return false;
    }
    const struct ncs_unmet *n = across.unmet;
    struct ncs_cause r = { .kind = NCS_CAUSE_ABSENT, .unmet = n, .comm = -1, .rank = -1 };
    size_t room = 0;
    for (size_t i = 0; i < n->absents; i++)
        if (across.call || (n->absent[i].reason == NCS_ABSENT_ELSEWHERE &&
                            n->absent[i].rank == across.odd))
            NCS_PUSH(r.absent, r.absents, room, &n->absent[i]);
    int odd = across.call ? across.call->comm_rank : -1;
    struct ncs_call_divergence extra = { .how = NCS_DIVERGENCE_EXTRA, .shift = across.shift, .odd = &odd,
                                 .odds = 1 };
    if (across.call && n->absents) {
        extra.at = ncs_position(q, across.call);
        extra.number = across.call->number;
        extra.model = n->absent[0].comm_rank;
        r.divergence = extra.at != UINT32_MAX ? &extra : NULL;
    }
    if (r.absents)
        ncs_judge(q, &r, all);
    ncs_free(r.absent);
    return r.absents > 0;
}

/* Rings of host waits alone come first: what else they keep back forms rings with them, too. */
static void judge_cycles(const struct ncs_analysis *q, bool *told, bool gates_only,
                         struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->unmets; i++) {
        if (told[i] || (gates_only && q->unmet[i].kind != NCS_UNMET_GATE))
            continue;
        struct ncs_cause r = { .kind = NCS_CAUSE_CYCLE, .unmet = &q->unmet[i], .comm = -1,
                              .rank = -1 };
        r.path = ncs_cycle_of(q, i, gates_only, &r.length);
        bool known = r.length == 0;
        for (size_t k = 0; k < r.length; k++) {
            int unmet = ncs_node_unmet(q, r.path[k]);
            known |= unmet >= 0 && told[unmet];
        }
        for (size_t k = 0; k < r.length && !known; k++)
            if (ncs_node_unmet(q, r.path[k]) >= 0)
                told[ncs_node_unmet(q, r.path[k])] = true;
        const struct ncs_unmet *n = known ? NULL : ncs_left_out(q, r.path, r.length);
        const struct ncs_unmet *key = known ? NULL : ncs_unset_key(q, r.path, r.length);
        const struct ncs_unmet *link = known ? NULL : ncs_missing_link(q, r.path, r.length);
        if (!n && !known)
            link = link ? link : ncs_missed_meeting(q, r.path, r.length);
        if (n)
            judge_absents(q, n, OTHERS, all);
        else if (link)
            judge_absents(q, link, NEVER, all);
        else if (key)
            judge_need(q, key, all);
        else if (!known && !judge_across(q, &r, all))
            ncs_judge(q, &r, all);
        ncs_free(r.path);
    }
}

static bool in_stuck_slot(const struct ncs_analysis *q, const struct ncs_notice *notice)
{
    for (size_t i = 0; i < q->unmets; i++)
        if (q->unmet[i].kind == NCS_UNMET_STUCK && notice_of(q, q->unmet[i].call) == notice)
            return true;
    return false;
}

static bool causes_disagree(const struct ncs_notice *n)
{
    if (n->calls == 2 && ncs_call_is_pair(n->call[0]) && ncs_call_is_pair(n->call[1]))
        return true;
    for (size_t i = 1; i < n->calls; i++)
        if (ncs_call_signature(n->call[i]) != ncs_call_signature(n->call[0]))
            return true;
    return false;
}

void ncs_judge_notices(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    static const enum ncs_root_kind kinds[] = { /* 0: a notice like any other */
        [NCS_NOTICE_HAZARD] = NCS_CAUSE_HAZARD, [NCS_NOTICE_LOST] = NCS_CAUSE_LOST,
        [NCS_NOTICE_FOREIGN] = NCS_CAUSE_FOREIGN, [NCS_NOTICE_UNUSED] = NCS_CAUSE_UNUSED,
    };
    for (size_t i = 0; i < q->notices; i++) {
        const struct ncs_notice *n = &q->notice[i];
        if (n->kind == NCS_NOTICE_DOUBT || n->kind == NCS_NOTICE_ERROR || n->kind == NCS_NOTICE_INEXACT)
            continue;
        struct ncs_cause r = { .kind = NCS_CAUSE_NOTICE, .notice = n, .comm = -1, .rank = -1 };
        if (n->kind == NCS_NOTICE_MISMATCH && causes_disagree(n)) {
            if (in_stuck_slot(q, n))
                continue;
            r.kind = NCS_CAUSE_DIFFER;
            r.call = (const struct ncs_call *const *)n->call;
            r.calls = n->calls;
        }
        if (kinds[n->kind])
            r.kind = kinds[n->kind];
        ncs_judge(q, &r, all);
    }
}

static bool destroyed_by_some(const struct ncs_analysis *q, const struct ncs_comm_info *info)
{
    bool some = false, left = false;
    for (int i = 0; i < info->nranks; i++) {
        const struct ncs_member *m = &info->member[i];
        some |= m->gone != 0;
        left |= m->gone == 0 && m->rank >= 0;
        for (int k = ncs_first_context(q, m->rank); k >= 0; k = q->next_context[k])
            if (q->snap->context[k].ending != NCS_END_RETURNED)
                return false; /* who fails may leave things behind */
    }
    return some && left;
}

static void judge_open_group(const struct ncs_analysis *q, int rank, int depth, int line,
                             struct ncs_drafts *all)
{
    struct ncs_cause r = { .kind = NCS_CAUSE_LEFT, .comm = -1, .rank = rank, .depth = depth,
                          .line = line };
    if (depth > 0)
        ncs_judge(q, &r, all);
}

struct depth {
    int rank, thread, depth, line;
};

/* Without a snapshot the journal tells the depths, as long as it is whole. */
static void judge_open_groups(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    struct depth *of = NULL;
    size_t count = 0, room = 0;
    for (const struct ncs_call *c = q->journal->dropped ? NULL : q->journal->oldest; c;
         c = c->newer) {
        if (c->fn != NCS_FN_ncclGroupStart && c->fn != NCS_FN_ncclGroupEnd)
            continue;
        size_t i = 0;
        while (i < count && (of[i].rank != c->rank || of[i].thread != c->thread))
            i++;
        if (i == count) {
            struct depth fresh = { .rank = c->rank, .thread = c->thread };
            NCS_PUSH(of, count, room, fresh);
        }
        if (c->fn == NCS_FN_ncclGroupEnd) {
            of[i].depth -= of[i].depth > 0;
        } else if (of[i].depth++ == 0) {
            of[i].line = c->place.line;
        }
    }
    for (size_t i = 0; i < count; i++)
        judge_open_group(q, of[i].rank, of[i].depth, of[i].line, all);
    ncs_free(of);
}

static uint64_t causes_place_key(const struct ncs_analysis *q, size_t context)
{
    struct ncs_place p = ncs_said_place(q, (int)context);
    uint64_t file = p.file ? ncs_hash_bytes(0, p.file, strlen(p.file)) : 0;
    return ncs_hash(file, (uint64_t)p.line);
}

/* True if the ranks that are behind at the later divergence have passed the call that they lack:
 * each has ended well, or waits at the same place as a rank that has made the call. */
static bool have_passed(const struct ncs_analysis *q, int comm)
{
    enum { BEHIND = 1, AHEAD };
    const struct ncs_call_divergence *p = &q->comm[comm].later;
    char *of = ncs_new((size_t)q->ranks * sizeof *of);
    struct ncs_map places = { 0 };
    for (int r = 0; r < q->journal->comm[comm]->nranks; r++)
        if (ncs_run_rank(q, comm, r) >= 0)
            of[ncs_run_rank(q, comm, r)] =
                ncs_sequence_at(&q->comm[comm].seq[r], p->at) ? AHEAD : BEHIND;
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
    return passed == p->odds;
}

/* Calls that disagree hide whatever is wrong further on: calls that were left out show all the
 * same. */
static void judge_later(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->journal->comms; i++) {
        const struct ncs_call_divergence *p = &q->comm[i].later;
        if (p->how != NCS_DIVERGENCE_FEWER || 2 * p->odds > (size_t)q->journal->comm[i]->nranks)
            continue;
        struct ncs_cause r = { .kind = NCS_CAUSE_LATER, .comm = (int)i, .rank = -1 };
        if (have_passed(q, (int)i))
            ncs_judge(q, &r, all);
    }
}

/* Judges facts that show in the journal alone, whether or not any rank waits because of them. */
static bool judge_journal(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    struct ncs_cause r = { .kind = NCS_CAUSE_THREADS, .comm = -1, .rank = -1 };
    bool speaks = ncs_judge(q, &r, all);
    r.kind = NCS_CAUSE_GONE;
    speaks |= ncs_judge(q, &r, all);
    r.kind = NCS_CAUSE_PARTS;
    speaks |= ncs_judge(q, &r, all);
    for (size_t i = 0; i < q->journal->comms && !q->journal->dropped; i++) {
        r.comm = (int)i;
        r.kind = NCS_CAUSE_WINDOWS;
        if (q->journal->comm[i]->windows)
            speaks |= ncs_judge(q, &r, all);
        r.kind = NCS_CAUSE_MESSAGES;
        speaks |= ncs_judge(q, &r, all);
        r.kind = NCS_CAUSE_OPERATORS;
        if (q->journal->comm[i]->redops)
            speaks |= ncs_judge(q, &r, all);
        r.kind = NCS_CAUSE_BUFFERS;
        speaks |= ncs_judge(q, &r, all);
    }
    return speaks;
}

static void judge_left_overs(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    const struct ncs_call *call[4];
    struct ncs_cause order = { .kind = NCS_CAUSE_ORDER, .call = call, .calls = 4, .comm = -1 };
    if (ncs_opposite_order(q, call))
        ncs_judge(q, &order, all);
    all->journal_speaks = !q->journal_silent && judge_journal(q, all);
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->state == NCS_CONTEXT_ENDED &&
            (c->ending == NCS_END_RETURNED || c->ending == NCS_END_SILENT))
            judge_open_group(q, c->rank, c->group_depth, c->place.line, all);
    }
    if (!q->snap->contexts)
        judge_open_groups(q, all);
    for (size_t i = 0; i < q->journal->comms; i++) {
        const struct ncs_call_divergence *p = &q->comm[i].divergence;
        struct ncs_cause r = { .kind = NCS_CAUSE_LABELS, .comm = (int)i, .rank = -1 };
        if ((p->how == NCS_DIVERGENCE_SWAPPED && (p->by_label || p->evidence)) ||
            (!q->hung && p->evidence == NCS_EVIDENCE_RESULT))
            ncs_judge(q, &r, all);
        r.kind = NCS_CAUSE_LEFT;
        if (q->snap->contexts && q->snap->stop == NCS_STOP_DONE &&
            destroyed_by_some(q, q->journal->comm[i]))
            ncs_judge(q, &r, all);
    }
}

static bool failed_alike(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->rc == b->rc && a->place.line == b->place.line;
}

/* True if a finding already covers the failed call: the machine's own error, or another rank's. */
static bool is_explained(const struct ncs_drafts *all, const struct ncs_call *call)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct ncs_finding *f = &all->draft[i].f;
        for (size_t k = 0; k < f->culprits; k++)
            if (f->culprit[k].rank == call->rank && f->culprit[k].line == call->place.line)
                return true;
        if (f->level == NCS_LEVEL_ERROR)
            return true;
    }
    return false;
}

/* Errors that nothing caught and because of which nobody waits: those of one place are one. That another
 * rank has failed is no cause where that one has an error of its own. */
static void judge_errors(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    const struct ncs_call **call = ncs_new(q->notices * sizeof *call);
    size_t errors = 0, told = 0;
    bool remote = true;
    for (size_t i = 0; i < q->notices; i++) {
        const struct ncs_notice *n = &q->notice[i];
        if (n->kind != NCS_NOTICE_ERROR || is_explained(all, n->call[0]))
            continue;
        size_t at = errors++; /* by rank: the order in which they fail is the schedule's */
        for (; at > 0 && call[at - 1]->rank > n->call[0]->rank; at--)
            call[at] = call[at - 1];
        call[at] = n->call[0];
        remote &= n->call[0]->rc == ncclRemoteError;
    }
    while (told < errors) {
        size_t same = told + 1;
        for (size_t i = same; i < errors; i++) {
            const struct ncs_call *other = call[i];
            if (!failed_alike(call[told], other))
                continue;
            memmove(&call[same + 1], &call[same], (i - same) * sizeof *call);
            call[same++] = other;
        }
        struct ncs_cause r = { .kind = NCS_CAUSE_FAILED, .call = call + told, .calls = same - told,
                              .comm = -1, .rank = -1 };
        if (remote || call[told]->rc != ncclRemoteError)
            ncs_judge(q, &r, all);
        told = same;
    }
    ncs_free(call);
}

/* After the errors: a note on the values of a call explains no error of it. */
static void judge_inexact(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->notices; i++) {
        struct ncs_cause r = { .kind = NCS_CAUSE_INEXACT, .notice = &q->notice[i], .comm = -1, .rank = -1 };
        if (r.notice->kind == NCS_NOTICE_INEXACT)
            ncs_judge(q, &r, all);
    }
}

/* True if a finding covers every poll in vain. */
static bool polls_explained(const struct ncs_analysis *q, const struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        bool told = c->state == NCS_CONTEXT_ENDED || !ncs_polls(q, c);
        for (size_t k = 0; k < all->count && !told; k++)
            for (size_t b = 0; b < all->draft[k].f.blockeds; b++)
                told |= all->draft[k].f.blocked[b] == c->rank;
        if (!told)
            return false;
    }
    return all->count > 0;
}

/* Why nobody goes on, by who is missed where and by what stands in the way of what. */
void ncs_judge_hang(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    bool *told = ncs_new((q->unmets + 1) * sizeof *told);
    for (size_t i = 0; i < q->unmets; i++) {
        told[i] = is_final(q, &q->unmet[i]);
        const struct ncs_unmet *instead = told[i] ? ncs_meeting_instead(q, &q->unmet[i]) : NULL;
        if (instead)
            judge_absents(q, instead, NEVER, all);
        else if (told[i])
            judge_need(q, &q->unmet[i], all);
    }
    judge_cycles(q, told, true, all);
    judge_cycles(q, told, false, all);
    if (q->snap->stop == NCS_STOP_LIVELOCK && !polls_explained(q, all)) {
        struct ncs_cause r = { .kind = NCS_CAUSE_POLL, .comm = -1, .rank = -1 };
        ncs_judge(q, &r, all);
    }
    judge_later(q, all);
    ncs_free(told);
}

/* Notes beside the cause, or without one: left-over objects, failed calls, results
 * that lost precision. */
void ncs_judge_rest(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    judge_left_overs(q, all);
    judge_errors(q, all);
    judge_inexact(q, all);
}
