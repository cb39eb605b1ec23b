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

void ncs_format_who_waits(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_unmet *unmet, bool several)
{
    size_t count;
    int *ranks = ncs_present_ranks(q, unmet, &count);
    if (count) {
        ncs_str_add(s, "; ");
        ncs_format_ranks(s, ranks, count);
        ncs_str_addf(s, " wait%s for %s", count == 1 ? "s" : "", several ? "them" : "it");
        bool alike = true;
        for (size_t i = 0; i < unmet->presents; i++)
            alike &= ncs_calls_are_alike(unmet->present[i], unmet->call);
        if (unmet->call && !ncs_is_init(unmet->call) && alike) {
            char *what = ncs_describe(unmet->call);
            ncs_str_addf(s, " in %s", what);
            ncs_format_place(s, unmet->call);
            ncs_free(what);
        }
    }
    ncs_free(ranks);
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
    const struct ncs_snap_context *c = r->absent[0]->context >= 0 ? &q->snap->context[r->absent[0]->context] : NULL;
    /* a recorded run: how a rank ended is concluded from the record, and not observed */
    if (c && c->state == NCS_CONTEXT_ENDED && c->ending >= NCS_END_SILENT)
        d->f.evidence = ncs_plain(ncs_copy_text("by what was recorded of it"));
    else if (r->absent[0]->reason <= NCS_ABSENT_LAST_FINAL)
        d->f.evidence = ncs_plain(ncs_copy_text(evidence[r->absent[0]->reason]));
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

void ncs_format_absent(const struct ncs_cause *r, struct ncs_str *s)
{
    int *ranks = ncs_new(r->absents * sizeof *ranks);
    for (size_t i = 0; i < r->absents; i++)
        ranks[i] = r->absent[i]->rank;
    ncs_format_ranks(s, ranks, r->absents);
    ncs_free(ranks);
}

void ncs_format_before(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    if (ncs_is_meeting(r->unmet))
        ncs_str_addf(s, " before it came to %s on %s", ncs_function_name(r->unmet->call), ncs_comm_name(q, r->unmet->comm));
    else if (r->unmet->kind == NCS_UNMET_COLLECTIVE && r->unmet->call)
        ncs_str_addf(s, " %s call %u on %s", ncs_has_made(q, r->unmet, r->absent[0]) ? "during" : "before",
                     (unsigned)r->unmet->call->number, ncs_comm_name(q, r->unmet->comm));
    else if (r->unmet->kind == NCS_UNMET_INIT)
        ncs_str_addf(s, " before it joined %s", ncs_comm_name(q, r->unmet->comm));
}

void ncs_format_left(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d, const char *verb)
{
    ncs_fill_absent(q, r, d);
    const struct ncs_absent *a = r->absent[0];
    const struct ncs_member *m = &q->journal->comm[r->unmet->comm]->member[a->comm_rank];
    struct ncs_str s = { 0 };
    ncs_format_absent(r, &s);
    ncs_str_addf(&s, " %s %s", verb, ncs_comm_name(q, r->unmet->comm));
    if (a->call && a->call->place.line)
        ncs_str_addf(&s, " at line %d", a->call->place.line);
    ncs_str_addf(&s, " after %u call%s", (unsigned)m->calls, m->calls == 1 ? "" : "s");
    ncs_format_who_waits(q, &s, r->unmet, r->absents > 1);
    d->f.why = ncs_plain(ncs_str_take(&s));
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
    struct ncs_str s = { 0 };
    if (!has_concluded_job(q->snap))
        return;
    ncs_str_add(&s, "it could also be that ");
    if (call)
        ncs_str_addf(&s, "other ranks leave out call %u on %s, or that it is one too many, or that ", (unsigned)call->number,
                     ncs_comm_name(q, call->comm));
    ncs_str_add(&s, "the GPUs, or something outside of NCCL's calls, hold the ranks: NCCL does not report what ncclCommDestroy "
                    "waits for");
    ncs_finding_doubt(&d->f, s.text);
    ncs_str_free(&s);
}
