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
    const char *other = ncs_comm_name(q, r->unmet->comm);
    struct ncs_str s = { 0 };
    ncs_format_ranks(&s, ranks, count);
    ncs_str_addf(&s, " wait%s in the abort of %s", count == 1 ? "s" : "", ncs_comm_name(q, abort->comm));
    ncs_free(ranks);
    ncs_format_place(&s, abort);
    ncs_str_addf(&s, ", which waits for other work of the device: call %u on %s", (unsigned)r->unmet->call->number, other);
    ncs_format_place(&s, r->unmet->call);
    ncs_str_add(&s, ", and that waits for ");
    ncs_format_absent(r, &s);
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "abort %s and %s in one group", other, ncs_comm_name(q, abort->comm));
    ncs_format_place(&s, abort);
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_abort_order = { .match = abort_order_match, .ground = NCS_GROUND_MISUSE };
