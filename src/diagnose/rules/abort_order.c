/* Ranks wait in the abort of one communicator for their work on another one, which waits for other
 * ranks. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* The abort of the lowest rank, if all ranks that wait for n are in an abort of another
 * communicator; else NULL. *ranks = those ranks, ascending, which the caller frees; NULL with
 * NULL. */
static const struct ncs_call *aborts(const struct ncs_analysis *q, const struct ncs_unmet *n, int **ranks, size_t *count)
{
    size_t room = 0;
    const struct ncs_call *abort = NULL;
    bool *direct = ncs_direct_waiters(q, n), all = true;
    for (size_t i = 0; i < q->snap->contexts && all; i++) {
        const struct ncs_call *c = direct[i] ? q->snap->context[i].call : NULL;
        if (!direct[i])
            continue;
        all = c && c->fn == NCS_FN_ncclCommAbort && c->comm >= 0 && c->comm != n->comm;
        if (all && (!abort || c->rank < abort->rank))
            abort = c;
        size_t at = *count;
        if (!all || (at && (*ranks)[at - 1] == c->rank))
            continue;
        NCS_PUSH(*ranks, *count, room, c->rank);
        for (; at > 0 && (*ranks)[at - 1] > c->rank; at--)
            (*ranks)[at] = (*ranks)[at - 1];
        (*ranks)[at] = c->rank;
    }
    ncs_free(direct);
    if (all && abort)
        return abort;
    ncs_free(*ranks);
    *ranks = NULL;
    return NULL;
}

static bool abort_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (!ncs_is_because(r, NCS_ABSENT_KILLED, NCS_ABSENT_LAST_FINAL) || r->unmet->comm < 0)
        return false;
    int *ranks = NULL;
    size_t count = 0;
    const struct ncs_call *abort = aborts(q, r->unmet, &ranks, &count);
    if (!abort)
        return false;
    ncs_fill_absent(q, r, d);
    d->f.why = ncs_say(abort_order_why, ncs_fact_ranks("who", ranks, count), ncs_fact_call("abort", q->journal, abort),
                       ncs_fact_call("call", q->journal, r->unmet->call), ncs_fact_absent(r));
    d->f.fix = ncs_say(abort_order_fix, ncs_fact_call("abort", q->journal, abort),
                       ncs_fact_call("call", q->journal, r->unmet->call));
    ncs_free(ranks);
    return true;
}

const struct ncs_rule ncs_rule_abort_order = { .match = abort_order_match, .ground = NCS_GROUND_MISUSE };
