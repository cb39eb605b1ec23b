/* Why a rank is not at a meeting: its call failed, was empty, or sits in an open group or behind another operation;
 * or the rank never made the call, because its thread ended or waits elsewhere. */
#include "diagnose/analysis.h"
#include "diagnose/party.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "ncclscript/nccl_abi.h"

bool ncs_is_send(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclSend;
}

bool ncs_is_composed(const struct ncs_call *call)
{
    return ncs_call_is_composed(call);
}

bool ncs_is_init(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].joins != NCS_JOINS_NONE;
}

bool ncs_is_key(const struct ncs_analysis *q, const struct ncs_unmet *unmet)
{
    const struct ncs_snap_gate *g = unmet->gate >= 0 ? &q->snap->gate[unmet->gate] : NULL;
    return g && g->key && strcmp(g->what, "store:get") == 0;
}

bool ncs_is_barrier(const struct ncs_analysis *q, const struct ncs_unmet *unmet)
{
    return unmet->kind == NCS_UNMET_GATE && strcmp(q->snap->gate[unmet->gate].what, "barrier") == 0;
}

bool ncs_failed(const struct ncs_call *call)
{
    return call->returned && call->rc != ncclSuccess && call->rc != ncclInProgress &&
           ncs_fn_info[call->fn].result == NCS_RESULT_NCCL;
}

uint64_t ncs_group_key(const struct ncs_analysis *q, const struct ncs_call *call)
{
    int process = ncs_process_of_party(q->parties, call->rank);
    return ncs_hash(ncs_hash((uint64_t)process, (uint64_t)call->thread), call->group);
}

bool ncs_ineffective(const struct ncs_analysis *q, const struct ncs_call *call, enum ncs_reason *reason,
                     const struct ncs_call **cause)
{
    *cause = call;
    if (ncs_failed(call)) {
        *reason = NCS_ABSENT_FAILED;
        return true;
    }
    const struct ncs_call *first = call->group ? ncs_map_get(&q->spoilt, ncs_group_key(q, call)) : NULL;
    if (first) {
        *reason = NCS_ABSENT_DROPPED;
        *cause = first;
        return true;
    }
    *reason = NCS_ABSENT_EMPTY;
    return call->number > 0 && !ncs_call_is_pair(call) && !ncs_call_is_one_sided(call) && ncs_call_count(call) == 0;
}

int ncs_run_rank(const struct ncs_analysis *q, int comm, int comm_rank)
{
    if (comm < 0 || (size_t)comm >= q->journal->comms || comm_rank < 0)
        return -1;
    const struct ncs_comm_info *info = q->journal->comm[comm];
    if (comm_rank >= info->members)
        return -1;
    int rank = info->member[comm_rank].rank;
    /* No record names the rank. A communicator of all ranks usually numbers them as the run does. */
    if (rank < 0 && q->comm[comm].numbered_alike && (size_t)info->nranks == q->job_ranks)
        rank = comm_rank;
    return rank < q->ranks ? rank : -1; /* a record may name ranks that it lacks */
}

static int context_of(const struct ncs_analysis *q, int rank, int thread)
{
    for (int i = ncs_first_context(q, rank); i >= 0; i = q->next_context[i])
        if (q->snap->context[i].thread == thread)
            return i;
    return -1;
}

/* A killed thread explains more than one that lives, and one that lives more than one that ended: the rank may still
 * come. Among ended threads the reason that comes first in enum ncs_reason wins. */
void ncs_why_rank_absent(const struct ncs_analysis *q, struct ncs_absent *a)
{
    static const enum ncs_reason ended[] = {
        [NCS_END_RETURNED] = NCS_ABSENT_FINISHED,  [NCS_END_ERROR] = NCS_ABSENT_ERROR,    [NCS_END_KILLED] = NCS_ABSENT_KILLED,
        [NCS_END_ABANDONED] = NCS_ABSENT_FINISHED, [NCS_END_LOST] = NCS_ABSENT_KILLED,    [NCS_END_PROMPT] = NCS_ABSENT_FINISHED,
        [NCS_END_SILENT] = NCS_ABSENT_FINISHED,    [NCS_END_MISSING] = NCS_ABSENT_KILLED,
    };
    a->reason = NCS_ABSENT_FINISHED;
    a->context = -1;
    bool live = false;
    for (int i = ncs_first_context(q, a->rank); i >= 0; i = q->next_context[i]) {
        const struct ncs_snap_context *c = &q->snap->context[i];
        if (c->state == NCS_CONTEXT_ENDED && ended[c->ending] == NCS_ABSENT_KILLED) {
            a->reason = NCS_ABSENT_KILLED;
            a->context = i;
            return;
        }
        if (c->state != NCS_CONTEXT_ENDED && !live) {
            live = true;
            a->reason = NCS_ABSENT_ELSEWHERE;
            a->context = i;
        } else if (!live && (a->context < 0 || ended[c->ending] < a->reason)) {
            a->reason = ended[c->ending];
            a->context = i;
        }
    }
}

/* Why a call that was made is not done, by the snapshot: its operation is queued, its group is open, or it blocks its
 * host. False = the snapshot does not have the call, or the call is done. */
static bool from_part(const struct ncs_analysis *q, const struct ncs_call *call, struct ncs_absent *a)
{
    size_t part = (size_t)(uintptr_t)ncs_map_get(&q->part, ncs_map_key(call));
    int context = context_of(q, call->rank, call->thread);
    bool open = context >= 0 && q->snap->context[context].group_depth > 0;
    a->call = call;
    if (part) {
        const struct ncs_snap_part *p = &q->snap->part[part - 1];
        if (p->state == NCS_PART_CANCELLED || p->state == NCS_PART_DONE)
            return false;
        a->op = p->op;
        if (p->op >= 0) {
            a->reason = NCS_ABSENT_QUEUED;
            return true;
        }
    } else if (!call->group || !open) {
        return false;
    }
    const struct ncs_call *now = context >= 0 ? q->snap->context[context].call : NULL;
    bool ending = now && now->fn == NCS_FN_ncclGroupEnd;
    a->context = context;
    a->reason = open && !ending ? NCS_ABSENT_GROUP : NCS_ABSENT_CONTACT;
    return true;
}

static bool unfinished(const struct ncs_analysis *q, const struct ncs_call *call)
{
    size_t part = (size_t)(uintptr_t)ncs_map_get(&q->part, ncs_map_key(call));
    if (!part)
        return false;
    enum ncs_part_state s = q->snap->part[part - 1].state;
    return s != NCS_PART_DONE && s != NCS_PART_CANCELLED;
}

/* Finds the rank's own call that should meet the present calls. Collectives meet by their order, so a call that took
 * part in nothing, where the others' call did, explains the absence at every later position, too. If there is no such
 * call, it is the oldest call of the rank that is not done: later ones wait behind it. */
static bool own_collective(const struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a)
{
    const struct ncs_sequence *mine = &q->comm[unmet->comm].seq[a->comm_rank];
    const struct ncs_sequence *theirs = &q->comm[unmet->comm].seq[unmet->call->comm_rank];
    uint32_t at = ncs_position(q, unmet->call);
    bool spoilt = mine->doubtful || (mine->grouped && q->spoilt.count > 0);
    for (uint32_t k = mine->base; spoilt && k < ncs_sequence_end(mine) && k <= at; k++) {
        const struct ncs_call *c = ncs_sequence_at(mine, k), *cause, *unused;
        enum ncs_reason reason, other;
        if (!ncs_ineffective(q, c, &reason, &cause))
            continue;
        const struct ncs_call *t = ncs_sequence_at(theirs, k);
        if (t && ncs_ineffective(q, t, &other, &unused))
            continue;
        a->reason = reason;
        a->call = cause;
        return true;
    }
    for (size_t i = 0; i < mine->held; i++)
        if (unfinished(q, mine->call[i]))
            return from_part(q, mine->call[i], a);
    const struct ncs_call *c = ncs_sequence_at(mine, at);
    return c && from_part(q, c, a);
}

bool ncs_is_meeting(const struct ncs_unmet *unmet)
{
    return unmet->kind == NCS_UNMET_COLLECTIVE && unmet->job >= 0 && unmet->call && !ncs_fn_info[unmet->call->fn].counted;
}

bool ncs_is_teardown(const struct ncs_analysis *q, const struct ncs_unmet *unmet)
{
    return unmet->job >= 0 && q->snap->job[unmet->job].kind == NCS_JOB_DESTROY;
}

/* A split or another meeting without a call number: the rank's last call of that function, if it took part in nothing. */
static bool own_meeting(const struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a)
{
    struct ncs_calls rare = ncs_rare_of(q, unmet->comm, a->comm_rank);
    for (size_t i = rare.count; i-- > 0;) {
        const struct ncs_call *c = rare.of[i];
        if (c->fn != unmet->call->fn)
            continue;
        const struct ncs_call *cause;
        enum ncs_reason reason;
        if (!ncs_ineffective(q, c, &reason, &cause))
            return false;
        a->reason = reason;
        a->call = cause;
        return true;
    }
    return false;
}

static bool is_counterpart(const struct ncs_unmet *unmet, const struct ncs_absent *a, const struct ncs_call *c)
{
    if (unmet->kind == NCS_UNMET_SETUP)
        return ncs_call_is_one_sided(c);
    if (unmet->kind == NCS_UNMET_SIGNAL)
        return ncs_call_is_one_sided(c) && ncs_call_peer(c) == unmet->dst;
    bool sends = a->comm_rank == unmet->src && !ncs_is_send(unmet->call);
    return ncs_call_is_pair(c) && ncs_is_send(c) == sends && ncs_call_peer(c) == (sends ? unmet->dst : unmet->src);
}

/* Finds the rank's own send, receive or one-sided call that should match. A call that is still queued is the better
 * explanation: calls that failed before it may have been retried. */
static bool own_pairwise(const struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a)
{
    const struct ncs_sequence *s = &q->comm[unmet->comm].seq[a->comm_rank];
    const struct ncs_call *spoilt = NULL, *queued = NULL;
    for (size_t i = 0; i < s->sides; i++) {
        const struct ncs_call *c = s->side[i], *cause;
        enum ncs_reason reason;
        if (!is_counterpart(unmet, a, c))
            continue;
        if (!spoilt && ncs_ineffective(q, c, &reason, &cause)) {
            spoilt = cause;
            a->reason = reason;
        } else if (!queued && unfinished(q, c)) {
            queued = c;
        }
    }
    if (queued)
        return from_part(q, queued, a);
    if (spoilt) {
        a->call = spoilt;
        return true;
    }
    /* Some machines keep no part of a call in a group that its thread left open. */
    for (size_t i = 0; i < s->sides; i++)
        if (is_counterpart(unmet, a, s->side[i]) && s->side[i]->id > unmet->call->id && from_part(q, s->side[i], a))
            return true;
    return false;
}

/* A failed or queued call of ncclCommInitRank for this communicator. */
static bool own_init(const struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a)
{
    const struct ncs_ranks_of_comm *on = &q->comm[unmet->comm];
    for (size_t i = 0; i < on->rares; i++) {
        const struct ncs_call *c = on->rare[i];
        if (!ncs_is_init(c) || c->rank != a->rank || (c->comm_rank >= 0 && c->comm_rank != a->comm_rank))
            continue;
        const struct ncs_call *cause;
        enum ncs_reason reason;
        if (ncs_ineffective(q, c, &reason, &cause)) {
            a->reason = reason;
            a->call = cause;
            return true;
        }
        int context = context_of(q, c->rank, c->thread);
        if (c->returned && context >= 0 && q->snap->context[context].group_depth > 0) {
            a->reason = NCS_ABSENT_GROUP;
            a->context = context;
            a->call = c;
            return true;
        }
    }
    return false;
}

/* True if the rank has revoked the communicator, which then takes no more calls but those that make another
 * communicator out of it. */
static bool has_revoked(const struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a)
{
    struct ncs_calls rare = ncs_rare_of(q, unmet->comm, a->comm_rank);
    for (size_t i = rare.count; i-- > 0;) {
        const struct ncs_call *c = rare.of[i];
        if (c->fn == NCS_FN_ncclCommRevoke && c->returned && !ncs_failed(c)) {
            a->reason = NCS_ABSENT_ABORTED;
            a->call = c;
            return true;
        }
    }
    return false;
}

/* What a real library waits for in a call is not known: then the call alone counts. */
static bool waits_in(const struct ncs_analysis *q, const struct ncs_call *destroy)
{
    for (size_t k = 0; k < q->snap->jobs; k++)
        if (q->snap->job[k].call == destroy)
            return q->snap->job[k].misses > 0;
    return q->hung && !q->snap->recorded;
}

const struct ncs_call *ncs_tears_down(const struct ncs_analysis *q, int comm, int comm_rank)
{
    struct ncs_calls rare = ncs_rare_of(q, comm, comm_rank);
    for (size_t i = rare.count; i-- > 0;) {
        const struct ncs_call *c = rare.of[i];
        if (c->fn == NCS_FN_ncclCommDestroy && !c->returned && !c->ending && waits_in(q, c))
            return c;
    }
    return NULL;
}

const struct ncs_call *ncs_end_of(const struct ncs_analysis *q, int comm, int comm_rank)
{
    struct ncs_calls rare = ncs_rare_of(q, comm, comm_rank);
    for (size_t i = 0; i < rare.count; i++) {
        const struct ncs_call *c = rare.of[i];
        if (!ncs_failed(c) &&
            (c->fn == NCS_FN_ncclCommFinalize || c->fn == NCS_FN_ncclCommDestroy || c->fn == NCS_FN_ncclCommAbort))
            return c;
    }
    return NULL;
}

bool ncs_has_made(const struct ncs_analysis *q, const struct ncs_unmet *unmet, const struct ncs_absent *a)
{
    if (unmet->kind != NCS_UNMET_COLLECTIVE || !unmet->call || ncs_is_meeting(unmet) || a->comm_rank < 0 ||
        a->comm_rank >= q->journal->comm[unmet->comm]->members)
        return false;
    return ncs_sequence_at(&q->comm[unmet->comm].seq[a->comm_rank], ncs_position(q, unmet->call));
}

void ncs_why_absent(struct ncs_analysis *q, const struct ncs_unmet *unmet, struct ncs_absent *a)
{
    a->rank = a->rank >= 0 ? a->rank : ncs_run_rank(q, unmet->comm, a->comm_rank);
    a->context = a->op = -1;
    a->call = NULL;
    bool made = false;
    if (unmet->comm >= 0 && a->comm_rank < q->journal->comm[unmet->comm]->members) {
        made = unmet->kind == NCS_UNMET_INIT ? own_init(q, unmet, a)
               : unmet->kind == NCS_UNMET_PAIR || unmet->kind == NCS_UNMET_SIGNAL || unmet->kind == NCS_UNMET_SETUP
                   ? own_pairwise(q, unmet, a)
               : ncs_is_meeting(unmet) ? own_meeting(q, unmet, a)
                                       : own_collective(q, unmet, a);
        const struct ncs_member *m = &q->journal->comm[unmet->comm]->member[a->comm_rank];
        bool ends = ncs_is_teardown(q, unmet); /* a rank that has gone may still be awaited: for others of its process */
        const struct ncs_call *destroy = made || ends || unmet->kind == NCS_UNMET_INIT
                                             ? NULL
                                             : ncs_tears_down(q, unmet->comm, a->comm_rank);
        if (destroy) {
            a->reason = NCS_ABSENT_DESTROYED;
            a->call = destroy;
            made = true;
        }
        if (!made && !ends && m->gone && !m->released && unmet->kind != NCS_UNMET_INIT) {
            a->reason = m->aborted ? NCS_ABSENT_ABORTED : NCS_ABSENT_DESTROYED;
            struct ncs_calls rare = ncs_rare_of(q, unmet->comm, a->comm_rank);
            for (size_t i = rare.count; i-- > 0 && !a->call;)
                if (rare.of[i]->id == m->gone)
                    a->call = rare.of[i];
            made = true;
        }
    }
    if (!made && unmet->kind != NCS_UNMET_GATE && !ncs_is_meeting(unmet))
        made = has_revoked(q, unmet, a);
    /* A rank that was killed explains every call that it left half done. */
    struct ncs_absent dead = *a;
    ncs_why_rank_absent(q, &dead);
    if (a->rank >= 0 && (!made || dead.reason == NCS_ABSENT_KILLED)) {
        a->reason = dead.reason;
        a->context = dead.context;
    } else if (!made) {
        a->reason = q->snap->many ? NCS_ABSENT_FINISHED : NCS_ABSENT_ELSEWHERE;
    }
    bool left = a->reason == NCS_ABSENT_FINISHED || a->reason == NCS_ABSENT_DESTROYED;
    const struct ncs_call *failed = left ? ncs_gave_up(q, unmet, a->rank) : NULL;
    if (failed) {
        a->reason = NCS_ABSENT_GAVE_UP;
        a->call = failed;
    }
}

bool ncs_at_same_place(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->place.line == b->place.line && a->place.file == b->place.file;
}

bool ncs_ends_like_others(const struct ncs_analysis *q, const struct ncs_call *destroy)
{
    for (size_t i = 0; destroy && i < q->rares; i++)
        if (q->rare[i]->rank != destroy->rank && ncs_at_same_place(q->rare[i], destroy))
            return true;
    return false;
}
