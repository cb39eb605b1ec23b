/* A rank uses the handle of an operator that it has destroyed. NCCL has given the handle to a newer
 * operator since, so the call succeeds with the wrong factor. */
#include "diagnose/rules/rule.h"

#include <stdio.h>
#include <string.h>

#include "api/types.h"

static bool same_factor(const struct ncs_redop *a, const struct ncs_redop *b)
{
    return !a->on_device && !b->on_device && a->dtype == b->dtype && memcmp(a->scalar, b->scalar, ncs_dtype_bytes(a->dtype)) == 0;
}

/* How many operators the rank had made on the communicator up to this one. */
static size_t ordinal(const struct ncs_redop *op)
{
    size_t count = 0;
    for (const struct ncs_redop *o = op; o; o = o->next)
        count += o->comm_rank == op->comm_rank;
    return count;
}

/* True if all other ranks use the operator's factor in this call, by an operator of another ordinal
 * than the one that this rank uses. With the same ordinal each rank would just have a factor of its
 * own, on purpose. */
static bool others_use(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_redop *op)
{
    const struct ncs_comm_info *info = q->journal->comm[call->comm];
    int others = 0;
    for (int r = 0; r < info->nranks; r++) {
        if (r == call->comm_rank)
            continue;
        const struct ncs_call *c = ncs_journal_call(q->journal, call->comm, r, call->number);
        if (!c || !c->redop || !same_factor(c->redop, op) || ordinal(c->redop) == ordinal(call->redop))
            return false;
        others++;
    }
    return others > 0;
}

/* The earlier operator with this handle that has the others' factor; NULL = none. */
static const struct ncs_redop *meant(const struct ncs_analysis *q, const struct ncs_call *call)
{
    const struct ncs_redop *now = call->redop;
    for (const struct ncs_redop *op = now ? now->next : NULL; op; op = op->next)
        if (op->comm_rank == now->comm_rank && op->handle == now->handle && op->destroyed && !same_factor(op, now) &&
            !now->on_device && others_use(q, call, op))
            return op;
    return NULL;
}

static struct ncs_fact fact_made(const char *name, const struct ncs_analysis *q, const struct ncs_call *call, uint64_t id)
{
    while (call && call->id != id)
        call = call->older;
    return ncs_fact_call(name, q->journal, call);
}

static struct ncs_fact fact_factor(const char *name, const struct ncs_redop *op)
{
    char text[32] = "";
    float single;
    double value = 0;
    if (op->dtype == ncclFloat32) {
        memcpy(&single, op->scalar, sizeof single);
        value = (double)single;
    } else if (op->dtype == ncclFloat64) {
        memcpy(&value, op->scalar, sizeof value);
    } else {
        return ncs_fact_text(name, NULL);
    }
    snprintf(text, sizeof text, "%g", value);
    return ncs_fact_text(name, text);
}

static void stale_operator_fill(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_redop *old,
                                struct ncs_draft *d)
{
    d->f.why = ncs_say(stale_operator_why, ncs_fact_call("call", q->journal, call),
                       fact_made("now", q, call, call->redop->created), fact_factor("factor", call->redop),
                       fact_made("old", q, call, old->created), fact_factor("meant", old),
                       fact_made("end", q, call, old->destroyed));
    d->f.fix = ncs_say(stale_operator_fix, ncs_fact_rank("who", call->rank));
    d->f.evidence = ncs_say(stale_operator_evidence);
    d->f.certainty = NCS_LIKELY;
    ncs_set_call(q, d, call);
    ncs_add_culprit(d, call->rank, call->number, call->place.line);
}

static bool stale_operator_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_OPERATORS)
        return false;
    const struct ncs_comm_info *info = q->journal->comm[r->comm];
    for (int m = 0; m < info->members; m++)
        for (const struct ncs_call *c = info->member[m].first; c; c = c->next_counted) {
            const struct ncs_redop *old = ncs_failed(c) ? NULL : meant(q, c);
            if (!old)
                continue;
            stale_operator_fill(q, c, old, d);
            return true;
        }
    return false;
}

const struct ncs_rule ncs_rule_stale_operator = { .match = stale_operator_match, .ground = NCS_GROUND_MISUSE };
