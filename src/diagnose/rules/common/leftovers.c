/* Asks the rules about everything that needs no waiting rank to be wrong: mistakes that the journal
 * shows by itself, objects left over at the end, errors that nothing caught, results that lost
 * precision. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

/* True if some ranks have destroyed the communicator and others have not. False as soon as a thread
 * ended with an error: a rank that fails may leave its communicators behind. */
static bool destroyed_by_some(const struct ncs_analysis *q, const struct ncs_comm_info *info)
{
    bool some = false, left = false;
    for (int i = 0; i < info->nranks; i++) {
        const struct ncs_member *m = &info->member[i];
        some |= m->gone != 0;
        left |= m->gone == 0 && m->rank >= 0;
        for (int k = ncs_first_context(q, m->rank); k >= 0; k = q->next_context[k])
            if (q->snap->context[k].ending != NCS_END_RETURNED && q->snap->context[k].ending != NCS_END_PROMPT)
                return false;
    }
    return some && left;
}

/* `depth` counts nested groups that the rank never ended; 0 = all are ended, then there is no
 * finding. */
static void judge_open_group(const struct ncs_analysis *q, int rank, int depth, int line, struct ncs_drafts *all)
{
    struct ncs_cause r = { .kind = NCS_CAUSE_LEFT, .comm = -1, .rank = rank, .depth = depth, .line = line };
    if (depth > 0)
        ncs_judge(q, &r, all);
}

struct depth {
    int rank, thread, depth, line;
};

/* Counts the group starts and ends of each thread in the journal, for runs without a snapshot.
 * Dropped records may hold the missing end, so an incomplete journal proves nothing. */
static void judge_open_groups(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    struct depth *of = NULL;
    size_t count = 0, room = 0;
    for (const struct ncs_call *c = q->journal->dropped ? NULL : q->journal->oldest; c; c = c->newer) {
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

/* Judges facts that show in the journal alone, whether or not any rank waits because of them. True
 * if a rule found something. Windows, messages, operators and buffers are compared between ranks
 * call by call, which needs a journal without dropped records. */
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

/* q->journal_silent: an earlier reading of the same journal found nothing in it, so this one does
 * not search again. */
static void judge_left_overs(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    const struct ncs_call *call[4];
    struct ncs_cause order = { .kind = NCS_CAUSE_ORDER, .call = call, .calls = 4, .comm = -1 };
    if (ncs_opposite_order(q, call))
        ncs_judge(q, &order, all);
    ncs_judge_groupings(q, all);
    all->journal_speaks = !q->journal_silent && judge_journal(q, all);
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->state == NCS_CONTEXT_ENDED &&
            (c->ending == NCS_END_RETURNED || c->ending == NCS_END_PROMPT || c->ending == NCS_END_SILENT))
            judge_open_group(q, c->rank, c->group_depth, c->place.line, all);
    }
    if (!q->snap->contexts)
        judge_open_groups(q, all);
    for (size_t i = 0; i < q->journal->comms; i++) {
        const struct ncs_call_divergence *p = &q->comm[i].divergence;
        struct ncs_cause r = { .kind = NCS_CAUSE_LABELS, .comm = (int)i, .rank = -1 };
        if (p->how == NCS_DIVERGENCE_SWAPPED && (p->by_label || p->by_line))
            ncs_judge(q, &r, all);
        r.kind = NCS_CAUSE_LEFT;
        if (q->snap->contexts && q->snap->stop == NCS_STOP_DONE && destroyed_by_some(q, q->journal->comm[i]))
            ncs_judge(q, &r, all);
    }
}

/* The same statement failed in the same way: one mistake, whichever ranks made it. */
static bool failed_alike(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->rc == b->rc && a->place.line == b->place.line;
}

/* True if a finding already covers the failed call: the machine's own error, or another rank's. */
static bool is_explained(const struct ncs_drafts *all, const struct ncs_call *call)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct ncs_finding *f = &all->draft[i].f;
        if (all->draft[i].hazard && f->level == NCS_LEVEL_NOTE)
            continue; /* memory that went well makes no call fail */
        for (size_t k = 0; k < f->culprits; k++)
            if (f->culprit[k].rank == call->rank && f->culprit[k].line == call->place.line)
                return true;
        if (f->level == NCS_LEVEL_ERROR)
            return true;
    }
    return false;
}

/* Errors that nothing caught and because of which no rank waits. Failures of one statement become
 * one finding. ncclRemoteError says only that another rank failed, so it is reported only if no
 * rank has an error of its own. */
static void judge_errors(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    const struct ncs_call **call = ncs_new(q->notices * sizeof *call);
    size_t errors = 0, done = 0;
    bool remote = true;
    for (size_t i = 0; i < q->notices; i++) {
        const struct ncs_notice *n = &q->notice[i];
        if (n->kind != NCS_NOTICE_ERROR || is_explained(all, n->call[0]))
            continue;
        size_t at = errors++; /* sorted by rank: the order in time depends on the schedule */
        for (; at > 0 && call[at - 1]->rank > n->call[0]->rank; at--)
            call[at] = call[at - 1];
        call[at] = n->call[0];
        remote &= n->call[0]->rc == ncclRemoteError;
    }
    while (done < errors) {
        size_t same = done + 1;
        for (size_t i = same; i < errors; i++) {
            const struct ncs_call *other = call[i];
            if (!failed_alike(call[done], other))
                continue;
            memmove(&call[same + 1], &call[same], (i - same) * sizeof *call);
            call[same++] = other;
        }
        struct ncs_cause r = { .kind = NCS_CAUSE_FAILED, .call = call + done, .calls = same - done, .comm = -1, .rank = -1 };
        if (remote || call[done]->rc != ncclRemoteError)
            ncs_judge(q, &r, all);
        done = same;
    }
    ncs_free(call);
}

static bool any_error(const struct ncs_drafts *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->draft[i].f.level == NCS_LEVEL_ERROR)
            return true;
    return false;
}

/* Runs after judge_errors: is_explained() there takes any finding about a call's line as the
 * explanation of its error, and a note on values explains none. Memory may be unwritten because of an
 * error: a call that should have written it was left out, or moved nothing. A type that differs from the buffer's may be
 * part of a disagreement between ranks. */
static void judge_values(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    for (size_t i = 0; i < q->notices; i++) {
        const struct ncs_notice *n = &q->notice[i];
        struct ncs_cause r = { .kind = NCS_CAUSE_INEXACT, .notice = n, .comm = -1, .rank = -1 };
        bool follows = n->kind == NCS_NOTICE_UNWRITTEN || n->kind == NCS_NOTICE_RETYPED;
        if (follows)
            r.kind = n->kind == NCS_NOTICE_UNWRITTEN ? NCS_CAUSE_UNWRITTEN : NCS_CAUSE_RETYPED;
        if (n->kind == NCS_NOTICE_INEXACT || (follows && !any_error(all)))
            ncs_judge(q, &r, all);
    }
}

void ncs_judge_rest(const struct ncs_analysis *q, struct ncs_drafts *all)
{
    judge_left_overs(q, all);
    judge_errors(q, all);
    judge_values(q, all);
}
