/* A communicator was aborted, and ranks wait in a child of it, which the abort does not reach. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* By rank: the nearest ancestor of the communicator that the rank has aborted, or aborts; -1 = none. */
static int *aborted_above(const struct ncs_analysis *q, int comm)
{
    int *of = ncs_new((size_t)(q->ranks + 1) * sizeof *of);
    memset(of, -1, (size_t)(q->ranks + 1) * sizeof *of);
    for (int above = q->journal->comm[comm]->parent; above >= 0; above = q->journal->comm[above]->parent) {
        const struct ncs_comm_info *info = q->journal->comm[above];
        for (int i = 0; i < info->members; i++) {
            const struct ncs_member *m = &info->member[i];
            if (m->aborted && !m->released && m->rank >= 0 && m->rank < q->ranks && of[m->rank] < 0)
                of[m->rank] = above;
        }
        for (size_t i = 0; i < q->comm[above].rares; i++) {
            const struct ncs_call *c = q->comm[above].rare[i];
            if (c->fn == NCS_FN_ncclCommAbort && !c->returned && of[c->rank] < 0)
                of[c->rank] = above;
        }
    }
    return of;
}

/* True if some rank waits for it that stands in no abort. Otherwise the order of the aborts is the mistake (abort-order). */
static bool waits_outside_of_aborts(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    bool *direct = ncs_direct_waiters(q, n), outside = false;
    for (size_t i = 0; i < q->snap->contexts; i++) {
        const struct ncs_call *c = q->snap->context[i].call;
        outside |= direct[i] && !(c && c->fn == NCS_FN_ncclCommAbort && c->comm != n->comm);
    }
    ncs_free(direct);
    return outside;
}

static bool child_not_aborted_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n = r->unmet;
    if (!ncs_is_because(r, NCS_ABSENT_KILLED, NCS_ABSENT_LAST_FINAL) || n->comm < 0 || !n->call || !n->call->number ||
        q->journal->comm[n->comm]->parent < 0 || !waits_outside_of_aborts(q, n))
        return false;
    int *above = aborted_above(q, n->comm), *ranks = ncs_new((size_t)(q->ranks + 1) * sizeof *ranks), parent = -1;
    bool *concerned = ncs_new((size_t)(q->ranks + 1) * sizeof *concerned);
    size_t count = 0;
    for (size_t i = 0; i < n->presents; i++)
        concerned[n->present[i]->rank] = true;
    for (size_t i = 0; i < r->absents; i++)
        if (r->absent[i]->rank >= 0)
            concerned[r->absent[i]->rank] = true;
    for (int rank = 0; rank < q->ranks; rank++)
        if (concerned[rank] && above[rank] >= 0) {
            ranks[count++] = rank;
            parent = above[rank];
        }
    if (count) {
        ncs_fill_absent(q, r, d);
        d->f.why = ncs_say(child_not_aborted_why, ncs_fact_ranks("who", ranks, count),
                           ncs_fact_text("parent", ncs_comm_name(q, parent)), ncs_fact_text("child", ncs_comm_name(q, n->comm)),
                           ncs_fact_present("present", q, n), ncs_fact_call("call", q->journal, n->call), ncs_fact_absent(r));
        d->f.fix = ncs_say(child_not_aborted_fix, ncs_fact_text("child", ncs_comm_name(q, n->comm)));
    }
    ncs_free(concerned);
    ncs_free(above);
    ncs_free(ranks);
    return count > 0;
}

const struct ncs_rule ncs_rule_child_not_aborted = { .match = child_not_aborted_match, .ground = NCS_GROUND_MISUSE };
