/* Ranks wait for each other because they destroy communicators in different orders, or because one destroys a communicator
 * before a call that others make first. */
#include "diagnose/rules/rule.h"

/* "rank 0 waits in ncclCommDestroy of a at line 9 for rank 1, rank 1 waits in call 2 on b at line 12 for rank 0" */
static struct ncs_sentence *say_ends(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    size_t start = ncs_first_place(q, r);
    struct ncs_sentence *all = NULL;
    for (size_t k = 0; k < r->length; k++) {
        size_t i = (start + k) % r->length;
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait w = ncs_cycle_wait_at(q, r, i);
        all = ncs_say(destroy_order_wait, ncs_fact_sentence("before", all), ncs_fact_rank("who", w.rank),
                      ncs_fact_call("call", q->journal, w.call), ncs_fact_comm(q, w.unmet->comm),
                      ncs_fact_rank("other", w.other));
    }
    return all;
}

/* True if the odd ranks make a call before their destroy, and the others after it. */
static bool is_call_late(const struct ncs_odd_order *odd)
{
    return odd->first && odd->first->call->number && odd->second->call;
}

/* A call of the cycle that ends no communicator; NULL = there is none. */
static const struct ncs_call *find_other_call(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    for (size_t i = 0; i < r->length; i++) {
        int at = ncs_node_unmet(q, r->path[i]);
        if (at >= 0 && q->unmet[at].call && q->unmet[at].call->number)
            return q->unmet[at].call;
    }
    return NULL;
}

static bool destroy_order_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    if (r->kind != NCS_CAUSE_CYCLE)
        return false;
    struct ncs_cycle_kinds k = ncs_cycle_kinds_of(q, r);
    if (!k.ends || k.gates)
        return false;
    struct ncs_odd_order odd = ncs_odd_order_of(q, r);
    ncs_fill_cycle(q, r, &odd, d);
    bool late = k.ends == 1 && is_call_late(&odd);
    const struct ncs_call *end = late ? odd.second->call : NULL, *call = late ? odd.rank[0].first : NULL;
    d->f.why = ncs_say(destroy_order_why, ncs_fact_sentence("waits", say_ends(q, r)), ncs_fact_is("several", k.ends > 1),
                       ncs_fact_ranks("others", odd.other, odd.others), ncs_fact_odd("odd", &odd),
                       ncs_fact_call("end", q->journal, end), ncs_fact_call("call", q->journal, call));
    d->f.fix = ncs_say(destroy_order_fix, ncs_fact_is("several", k.ends > 1), ncs_fact_odd("odd", &odd),
                       ncs_fact_text("comm", late ? ncs_comm_name(q, odd.second->comm) : NULL),
                       ncs_fact_call("call", q->journal, call));
    ncs_odd_order_free(&odd);
    ncs_doubt_teardown(q, find_other_call(q, r), d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_order = { .match = destroy_order_match, .ground = NCS_GROUND_ORDER };
