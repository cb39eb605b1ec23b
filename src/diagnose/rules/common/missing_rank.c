/* What the rules about somebody who will never come to a meeting have in common. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

int *ncs_present_ranks(const struct ncs_inquiry *q, const struct ncs_need *need, size_t *count)
{
    int *ranks = NULL;
    size_t room = 0;
    *count = 0;
    bool *direct = ncs_direct_waiters(q, need);
    bool *here = ncs_new((size_t)(q->ranks + 1) * sizeof *here);
    for (size_t i = 0; i < need->presents; i++)
        if (need->present[i]->rank >= 0 && need->present[i]->rank < q->ranks)
            here[need->present[i]->rank] = true;
    for (int r = 0; r < q->ranks; r++) {
        for (int i = ncs_first_context(q, r); i >= 0 && !need->presents; i = q->next_context[i])
            here[r] |= direct[i];
        if (here[r])
            NCS_PUSH(ranks, *count, room, r);
    }
    ncs_free(here);
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

bool ncs_is_because(const struct ncs_root *r, enum ncs_reason first, enum ncs_reason last)
{
    return r->kind == NCS_ROOT_ABSENT && r->absents > 0 && r->absent[0]->reason >= first &&
           r->absent[0]->reason <= last;
}

/* "; ranks 0, 1, 3 wait for it in AllReduce float32 x 1024 sum at line 9" */
void ncs_say_who_waits(const struct ncs_inquiry *q, struct ncs_str *s, const struct ncs_need *need,
                       bool several)
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
    if (ncs_call_is_pair(own))
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

void ncs_fill_absent(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
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
    static const char *const evidence[] = {
        [NCS_ABSENT_KILLED] = "by how its thread ended",
        [NCS_ABSENT_ERROR] = "by how its thread ended",
        [NCS_ABSENT_GAVE_UP] = "by the result of its last call",
        [NCS_ABSENT_FAILED] = "by the result of its call",
        [NCS_ABSENT_DROPPED] = "by the result of its group",
        [NCS_ABSENT_EMPTY] = "by the count of its call",
        [NCS_ABSENT_GROUP] = "by its group, which is still open",
        [NCS_ABSENT_ABORTED] = "by its own call, after which it has no part in the communicator",
        [NCS_ABSENT_DESTROYED] = "by its own call, after which it has no part in the communicator",
        [NCS_ABSENT_FINISHED] = "by its end: it makes no more calls",
    };
    const struct ncs_snap_context *c =
        r->absent[0]->context >= 0 ? &q->snap->context[r->absent[0]->context] : NULL;
    if (c && c->state == NCS_CONTEXT_ENDED && c->ending >= NCS_END_SILENT)
        d->f.evidence = ncs_copy_text("by what was recorded of it");
    else if (r->absent[0]->reason <= NCS_ABSENT_LAST_FINAL)
        d->f.evidence = ncs_copy_text(evidence[r->absent[0]->reason]);
    ncs_fill_need(q, d, r->need, number_of(r));
    ncs_set_title(q, d, numbered(q, r));
    if (r->absent[0]->call && r->absent[0]->call->id < d->order)
        d->order = r->absent[0]->call->id;
}

void ncs_say_absent(const struct ncs_root *r, struct ncs_str *s)
{
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++)
        ranks[i] = r->absent[i]->rank;
    ncs_say_ranks(s, ranks, r->absents);
    ncs_free(ranks);
}

void ncs_say_before(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_str *s)
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

void ncs_say_left(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d,
                  const char *verb)
{
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    const struct ncs_member *m = &q->journal->comm[r->need->comm]->member[a->comm_rank];
    struct ncs_str s = { 0 };
    ncs_say_absent(r, &s);
    ncs_str_addf(&s, " %s %s", verb, ncs_comm_name(q, r->need->comm));
    if (a->call && a->call->place.line)
        ncs_str_addf(&s, " at line %d", a->call->place.line);
    ncs_str_addf(&s, " after %u call%s", (unsigned)m->calls, m->calls == 1 ? "" : "s");
    ncs_say_who_waits(q, &s, r->need, r->absents > 1);
    d->f.why = ncs_str_take(&s);
}

/* Nobody of those who are missed will make the call, or they wait elsewhere. */
bool ncs_lacks(const struct ncs_root *r, enum ncs_need_kind kind)
{
    return r->kind == NCS_ROOT_ABSENT && r->absents && r->need->kind == kind && r->need->call &&
           r->absent[0]->reason >= NCS_ABSENT_DESTROYED;
}
