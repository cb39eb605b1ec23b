/* Ranks wait for each other because they destroy communicators in different orders, or because one destroys a communicator
 * before a call that others make first. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* "rank 0 waits in ncclCommDestroy of a at line 9 for rank 1, rank 1 waits in call 2 on b at line 12 for rank 0" */
static void format_ends(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_str *s)
{
    size_t start = ncs_first_place(q, r), steps = 0;
    for (size_t k = 0; k < r->length; k++) {
        size_t i = (start + k) % r->length;
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait w = ncs_cycle_wait_at(q, r, i);
        const char *comm = ncs_comm_name(q, w.unmet->comm);
        ncs_str_addf(s, "%srank %d waits in ", steps++ ? ", " : "", w.rank);
        if (w.call && w.call->number)
            ncs_str_addf(s, "call %u on %s", (unsigned)w.call->number, comm);
        else
            ncs_str_addf(s, "%s of %s", w.call ? ncs_fn_info[w.call->fn].name : "a call", comm);
        if (w.call)
            ncs_format_place(s, w.call);
        ncs_str_addf(s, " for rank %d", w.other);
    }
}

/* The odd ranks make a call before their destroy, the others after it. False = they do not. */
static bool format_late(const struct ncs_analysis *q, const struct ncs_odd_order *odd, struct ncs_str *why, struct ncs_str *fix)
{
    if (!odd->first || !odd->first->call->number || !odd->second->call)
        return false;
    const struct ncs_call *end = odd->second->call, *call = odd->rank[0].first;
    int *rank = ncs_new(odd->ranks * sizeof *rank);
    for (size_t i = 0; i < odd->ranks; i++)
        rank[i] = odd->rank[i].rank;
    ncs_str_add(why, "; ");
    ncs_format_ranks(why, odd->other, odd->others);
    ncs_str_addf(why, " ha%s called %s", odd->others > 1 ? "ve" : "s", ncs_fn_info[end->fn].name);
    ncs_format_place(why, end);
    ncs_str_add(why, " before the call");
    ncs_format_place(why, call);
    ncs_str_add(why, ", and ");
    ncs_format_ranks(why, rank, odd->ranks);
    ncs_str_add(why, odd->ranks > 1 ? " have not" : " has not");
    ncs_str_add(fix, "let ");
    ncs_format_ranks(fix, rank, odd->ranks);
    ncs_str_addf(fix, " destroy %s before the call", ncs_comm_name(q, odd->second->comm));
    ncs_format_place(fix, call);
    ncs_str_add(fix, " too, or let all ranks destroy their communicators after it");
    ncs_free(rank);
    return true;
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
    struct ncs_str why = { 0 }, fix = { 0 };
    format_ends(q, r, &why);
    if (k.ends != 1 || !format_late(q, &odd, &why, &fix)) {
        ncs_str_add(&why, k.ends > 1 ? "; each of them destroys a communicator first that another one destroys later"
                                     : "; a destroy waits for all ranks of its host that have not destroyed the communicator");
        ncs_str_add(&fix, k.ends > 1 ? "destroy the communicators in one order on every rank, or all of them in one group"
                                     : "on every rank, first make the other call, then destroy the communicator");
    }
    ncs_odd_order_free(&odd);
    d->f.why = ncs_plain(ncs_str_take(&why));
    d->f.fix = ncs_plain(ncs_str_take(&fix));
    ncs_doubt_teardown(q, find_other_call(q, r), d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_order = { .match = destroy_order_match, .ground = NCS_GROUND_ORDER };
