/* Rules about somebody who will never come to a meeting, by the reason why. */
#include "diagnose/rule.h"

#include "api/types.h"
#include "base/mem.h"

int *ncs_present_ranks(const struct ncs_inquiry *q, const struct ncs_need *need, size_t *count)
{
    int *ranks = NULL;
    size_t room = 0;
    *count = 0;
    bool *direct = ncs_waiters(q, ncs_need_node(q, (size_t)(need - q->need)), true);
    for (int r = 0; r < q->ranks; r++) {
        bool here = false;
        for (size_t i = 0; i < need->presents; i++)
            here |= need->present[i]->rank == r;
        for (size_t i = 0; i < q->snap->contexts && !need->presents; i++)
            here |= direct[i] && q->snap->context[i].rank == r;
        if (here)
            NCS_PUSH(ranks, *count, room, r);
    }
    ncs_free(direct);
    return ranks;
}

void ncs_fill_need(const struct ncs_inquiry *q, struct ncs_draft *d, const struct ncs_need *need,
                   uint32_t call)
{
    d->f.call = call;
    d->order = need->call ? need->call->id : UINT64_MAX;
    ncs_set_title(q, d, need->call);
    ncs_add_need_rows(q, d, need);
    ncs_add_blocked(q, d, ncs_need_node(q, (size_t)(need - q->need)));
}

const struct ncs_parting *ncs_parting_of(const struct ncs_inquiry *q, const struct ncs_root *r)
{
    uint32_t at = 0;
    int comm = -1;
    if (r->kind == NCS_ROOT_DIFFER && r->calls) {
        comm = r->call[0]->comm;
        at = ncs_position(q, r->call[0]);
    } else if (r->need && r->need->kind == NCS_NEED_COLLECTIVE && r->need->call) {
        comm = r->need->comm;
        at = ncs_position(q, r->need->call);
    }
    if (comm < 0 || (size_t)comm >= q->journal->comms || at == UINT32_MAX)
        return NULL;
    const struct ncs_parting *p = &q->comm[comm].parting, *later = &q->comm[comm].later;
    if (later->how != NCS_PARTING_NONE && later->at <= at)
        return later;
    return p->how != NCS_PARTING_NONE && p->at <= at ? p : NULL;
}

static bool because(const struct ncs_root *r, enum ncs_reason first, enum ncs_reason last)
{
    return r->kind == NCS_ROOT_ABSENT && r->absents > 0 && r->absent[0]->reason >= first &&
           r->absent[0]->reason <= last;
}

static const char *ended_with(const struct ncs_inquiry *q, const struct ncs_absent *a)
{
    const char *m = a->context >= 0 ? q->snap->context[a->context].message : NULL;
    return m ? m : "an error";
}

/* "; ranks 0, 1, 3 wait for it in AllReduce float32 x 1024 sum at line 9" */
static void say_who_waits(const struct ncs_inquiry *q, struct ncs_str *s,
                          const struct ncs_need *need, bool several)
{
    size_t count;
    int *ranks = ncs_present_ranks(q, need, &count);
    if (count) {
        ncs_str_add(s, "; ");
        ncs_say_ranks(s, ranks, count);
        ncs_str_addf(s, " wait%s for %s", count == 1 ? "s" : "", several ? "them" : "it");
        if (need->call && !ncs_is_init(need->call)) {
            char *what = ncs_describe(need->call);
            ncs_str_addf(s, " in %s", what);
            ncs_say_place(s, need->call);
            ncs_free(what);
        }
    }
    ncs_free(ranks);
}

/* It made a call, which came to nothing. */
static bool made_a_call(const struct ncs_absent *a)
{
    return a->call && a->reason >= NCS_ABSENT_FAILED && a->reason <= NCS_ABSENT_GROUP;
}

static uint32_t number_of(const struct ncs_root *r)
{
    const struct ncs_absent *a = r->absent[0];
    if (made_a_call(a) && a->call->number && a->call->comm == r->need->comm)
        return a->call->number;
    return r->need->call ? r->need->call->number : 0;
}

/* The call with the finding's number: by one who is there, else that of the absent itself. The one
 * that waits may be another, queued in the same group. */
static const struct ncs_call *numbered(const struct ncs_inquiry *q, const struct ncs_root *r)
{
    const struct ncs_call *own = r->absent[0]->call, *there = r->need->call;
    if (!there || number_of(r) == there->number)
        return there;
    if (ncs_is_pairwise(own))
        return own; /* each rank counts its own */
    for (size_t i = 0; i < r->need->presents; i++) {
        int rank = r->need->present[i]->comm_rank;
        const struct ncs_call *c = q->journal->comm[r->need->comm]->member[rank].first;
        for (; c; c = c->next_counted)
            if (c->number == own->number)
                return c;
    }
    return own;
}

static void fill_absent(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    for (size_t i = 0; i < r->absents; i++) {
        const struct ncs_absent *a = r->absent[i];
        uint32_t call = made_a_call(a) ? a->call->number
                        : r->need->kind == NCS_NEED_PAIR || !r->need->call ? 0
                                                                           : r->need->call->number;
        int line = a->call ? a->call->place.line
                   : a->context >= 0 ? ncs_said_place(q, a->context).line : 0;
        if (a->rank >= 0)
            ncs_add_culprit(d, a->rank, call, line);
    }
    ncs_fill_need(q, d, r->need, number_of(r));
    ncs_set_title(q, d, numbered(q, r));
    if (r->absent[0]->call && r->absent[0]->call->id < d->order)
        d->order = r->absent[0]->call->id;
}

static void say_absent(const struct ncs_root *r, struct ncs_str *s)
{
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++)
        ranks[i] = r->absent[i]->rank;
    ncs_say_ranks(s, ranks, r->absents);
    ncs_free(ranks);
}

static void say_before(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_str *s)
{
    if (ncs_is_meeting(r->need))
        ncs_str_addf(s, " before it came to %s on %s", ncs_said_function(r->need->call),
                     ncs_comm_name(q, r->need->comm));
    else if (r->need->kind == NCS_NEED_COLLECTIVE && r->need->call)
        ncs_str_addf(s, " %s call %u on %s",
                     ncs_has_made(q, r->need, r->absent[0]) ? "during" : "before",
                     (unsigned)r->need->call->number,
                     ncs_comm_name(q, r->need->comm));
    else if (r->need->kind == NCS_NEED_INIT)
        ncs_str_addf(s, " before it joined %s", ncs_comm_name(q, r->need->comm));
}

bool ncs_rule_rank_lost(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!because(r, NCS_ABSENT_KILLED, NCS_ABSENT_KILLED))
        return false;
    fill_absent(q, r, d);
    struct ncs_str s = { 0 };
    if (r->absents == 1 && ncs_may_go_on(q, r->absent[0]->rank))
        ncs_str_add(&s, "a thread of ");
    say_absent(r, &s);
    ncs_str_add(&s, r->absents > 1 ? " were stopped" : " was stopped");
    int context = r->absent[0]->context;
    if (r->absents == 1 && context >= 0 && q->snap->context[context].message)
        ncs_str_addf(&s, " by %s", q->snap->context[context].message);
    say_before(q, r, &s);
    say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
    d->f.fix = ncs_text("when a rank is lost, all others have to abort the communicators that "
                        "they share with it");
    return true;
}

bool ncs_rule_error_path(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!because(r, NCS_ABSENT_ERROR, NCS_ABSENT_DROPPED))
        return false;
    fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    struct ncs_str s = { 0 };
    int line;
    if (a->reason == NCS_ABSENT_ERROR) {
        line = a->context >= 0 ? ncs_said_place(q, a->context).line : 0;
        say_absent(r, &s);
        ncs_str_add(&s, " ended by error");
        if (line)
            ncs_str_addf(&s, " at line %d", line);
        say_before(q, r, &s);
        ncs_str_addf(&s, ": %s", ended_with(q, a));
    } else {
        char *what = ncs_describe(a->call);
        line = a->call->place.line;
        ncs_str_addf(&s, "on rank %d ", a->rank);
        if (a->call->number)
            ncs_str_addf(&s, "call %u, %s,", (unsigned)a->call->number, what);
        else
            ncs_str_add(&s, what);
        ncs_say_place(&s, a->call);
        ncs_str_addf(&s, " failed with %s", ncs_nccl_result_name(a->call->rc));
        ncs_str_add(&s, a->reason == NCS_ABSENT_DROPPED ? ", and its whole group was dropped"
                                                        : ", so it takes no part");
        ncs_free(what);
    }
    say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
    if (line)
        d->f.fix = ncs_text("repair what failed at line %d; a rank that cannot go on has to have "
                            "the communicator aborted on all ranks", line);
    else
        d->f.fix = ncs_text("repair what failed on rank %d; a rank that cannot go on has to have "
                            "the communicator aborted on all ranks", a->rank);
    return true;
}

bool ncs_rule_zero_count(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!because(r, NCS_ABSENT_EMPTY, NCS_ABSENT_EMPTY))
        return false;
    fill_absent(q, r, d);
    const struct ncs_call *c = r->absent[0]->call;
    struct ncs_str s = { 0 };
    say_absent(r, &s);
    ncs_str_addf(&s, " made call %u with count 0", (unsigned)c->number);
    ncs_say_place(&s, c);
    ncs_str_add(&s, ": NCCL drops an empty collective, it is no participation");
    say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
    d->f.fix = ncs_text("give call %u the same count on every rank, or leave it out on all of them",
                        (unsigned)c->number);
    return true;
}

bool ncs_rule_group_end(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind == NCS_ROOT_LEFT && r->rank >= 0) {
        ncs_add_culprit(d, r->rank, 0, r->line);
        d->f.title = ncs_text("rank %d ended inside a group", r->rank);
        d->f.why = ncs_text("rank %d ended with %d group%s open: what was queued in it was never "
                            "launched", r->rank, r->depth, r->depth > 1 ? "s" : "");
        d->f.fix = ncs_text("end each group that is started, on every path");
        return true;
    }
    if (!because(r, NCS_ABSENT_GROUP, NCS_ABSENT_GROUP))
        return false;
    fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    int depth = a->context >= 0 ? q->snap->context[a->context].group_depth : 1;
    struct ncs_str s = { 0 };
    say_absent(r, &s);
    if (a->call && a->call->number)
        ncs_str_addf(&s, " made call %u", (unsigned)a->call->number);
    if (a->call)
        ncs_say_place(&s, a->call);
    ncs_str_addf(&s, " inside a group that is still open (depth %d): nothing of it was launched",
                 depth);
    say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
    if (a->call && a->call->place.line)
        d->f.fix = ncs_text("end the group around line %d: as many ncclGroupEnd as ncclGroupStart, "
                            "on every path", a->call->place.line);
    else
        d->f.fix = ncs_text("as many ncclGroupEnd as ncclGroupStart, on every path");
    return true;
}

static void say_left(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d,
                     const char *verb)
{
    fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    const struct ncs_member *m = &q->journal->comm[r->need->comm]->member[a->comm_rank];
    struct ncs_str s = { 0 };
    say_absent(r, &s);
    ncs_str_addf(&s, " %s %s", verb, ncs_comm_name(q, r->need->comm));
    if (a->call && a->call->place.line)
        ncs_str_addf(&s, " at line %d", a->call->place.line);
    ncs_str_addf(&s, " after %u call%s", (unsigned)m->calls, m->calls == 1 ? "" : "s");
    say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
}

bool ncs_rule_abort(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!because(r, NCS_ABSENT_ABORTED, NCS_ABSENT_ABORTED))
        return false;
    bool revoked = ncs_is_revoke(r->absent[0]->call);
    say_left(q, r, d, revoked ? "revoked" : "aborted");
    d->f.fix = ncs_text(revoked ? "revoke %s on every rank: a revoke on one cuts short only what that "
                                  "one runs"
                                : "abort %s on every rank: an abort on one frees only that one",
                        ncs_comm_name(q, r->need->comm));
    return true;
}

/* A program ends with the destroy, so one that left out a call has destroyed, too: where the calls
 * show which one it left out, or others have one too many, that is what is told. */
static bool destroyed_after_all(const struct ncs_inquiry *q, const struct ncs_root *r)
{
    const struct ncs_parting *p = ncs_parting_of(q, r);
    bool all = r->need->kind == NCS_NEED_COLLECTIVE;
    if (p && (p->how != NCS_PARTING_FEWER || p->skipped_line))
        return false;
    for (size_t i = 0; i < r->absents; i++)
        all &= r->absent[i]->reason == NCS_ABSENT_DESTROYED;
    return all;
}

bool ncs_rule_destroy(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (!because(r, NCS_ABSENT_DESTROYED, NCS_ABSENT_DESTROYED) || !destroyed_after_all(q, r))
        return false;
    say_left(q, r, d, "destroyed");
    const char *comm = ncs_comm_name(q, r->need->comm);
    struct ncs_str s = { 0 };
    ncs_str_add(&s, "let ");
    say_absent(r, &s);
    ncs_str_add(&s, " make the call");
    if (r->need->call)
        ncs_say_place(&s, r->need->call);
    ncs_str_addf(&s, " too, before %s %s", r->absents > 1 ? "they destroy" : "it destroys", comm);
    d->f.fix = ncs_str_take(&s);
    return true;
}

bool ncs_rule_never_destroyed(const struct ncs_inquiry *q, const struct ncs_root *r,
                              struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_LEFT || r->comm < 0)
        return false;
    const struct ncs_comm_info *info = q->journal->comm[r->comm];
    for (int i = 0; i < info->nranks; i++)
        if (!info->member[i].gone && info->member[i].rank >= 0)
            ncs_add_culprit(d, info->member[i].rank, 0, 0);
    int *ranks = ncs_new(d->f.culprits * sizeof *ranks);
    for (size_t i = 0; i < d->f.culprits; i++)
        ranks[i] = d->f.culprit[i].rank;
    struct ncs_str s = { 0 };
    ncs_say_ranks(&s, ranks, d->f.culprits);
    ncs_str_addf(&s, " never destroyed %s, others did", info->name);
    ncs_free(ranks);
    d->f.comm = ncs_copy_text(info->name);
    d->f.title = ncs_text("communicator %s is left behind", info->name);
    d->f.why = ncs_str_take(&s);
    d->f.fix = ncs_text("destroy or abort %s on every rank", info->name);
    return true;
}
