/* A communicator is used by a rank that has destroyed it. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

static uint64_t used_after_destroy_end_of(const struct ncs_analysis *q, const struct ncs_call *call)
{
    return q->journal->comm[call->comm]->member[call->comm_rank].gone;
}

/* True if the call failed on a communicator that its rank had destroyed. The journal resolves a
 * handle to the old communicator until a new one gets the same handle. */
static bool is_late(const struct ncs_analysis *q, const struct ncs_call *call)
{
    return call->comm >= 0 && call->comm_rank >= 0 && !call->ending && call->returned &&
           call->comm_rank < q->journal->comm[call->comm]->members && ncs_failed(call) && used_after_destroy_end_of(q, call) &&
           used_after_destroy_end_of(q, call) < call->id;
}

static const struct ncs_call *used_after_destroy_find_end(const struct ncs_analysis *q, const struct ncs_call *call)
{
    uint64_t gone = is_late(q, call) ? used_after_destroy_end_of(q, call) : 0;
    const struct ncs_call *c = gone ? call->older : NULL;
    while (c && c->id != gone)
        c = c->older;
    return c;
}

static void used_after_destroy_fill(const struct ncs_analysis *q, const struct ncs_call *late, const struct ncs_call *end,
                                    struct ncs_draft *d)
{
    bool abort = end->fn == NCS_FN_ncclCommAbort, again = late->fn == end->fn;
    d->f.why = ncs_say(used_after_destroy_why, ncs_fact_call("late", q->journal, late), ncs_fact_call("end", q->journal, end),
                       ncs_fact_is("abort", abort), ncs_fact_is("again", again));
    d->f.fix = ncs_say(used_after_destroy_fix, ncs_fact_comm(q, late->comm), ncs_fact_is("abort", abort),
                       ncs_fact_is("again", again));
    d->f.evidence = ncs_say(used_after_destroy_evidence, ncs_fact_rank("who", late->rank));
}

/* Matches a failed call that others wait for, and failed calls in a run that ended. */
static bool used_after_destroy_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *late = NULL, *end = NULL;
    if (ncs_is_because(r, NCS_ABSENT_FAILED, NCS_ABSENT_DROPPED) && r->absent[0]->call) {
        late = r->absent[0]->call;
        end = used_after_destroy_find_end(q, late);
        if (!end)
            return false;
        ncs_fill_absent(q, r, d);
        ncs_sentence_free(d->f.evidence);
        used_after_destroy_fill(q, late, end, d);
        return true;
    }
    if (r->kind != NCS_CAUSE_GONE)
        return false;
    for (size_t i = 0; i < q->index.failed.count; i++) {
        const struct ncs_call *c = q->index.failed.of[i];
        if (!is_late(q, c))
            continue;
        ncs_add_culprit(d, c->rank, c->number, c->place.line);
        if (!late || c->rank < late->rank)
            late = c;
    }
    end = late ? used_after_destroy_find_end(q, late) : NULL; /* records may have been dropped */
    if (!end)
        return false;
    used_after_destroy_fill(q, late, end, d);
    d->f.certainty = NCS_UNDEFINED;
    d->f.call = late->number;
    d->order = late->id;
    d->f.comm = ncs_copy_text(ncs_comm_name(q, late->comm));
    d->f.title = ncs_text("communicator %s is used after its end", d->f.comm);
    return true;
}

const struct ncs_rule ncs_rule_used_after_destroy = { .match = used_after_destroy_match, .ground = NCS_GROUND_MISUSE };
