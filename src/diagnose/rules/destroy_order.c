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

/* Ranks at the other call of a cycle of one destroy and one call. Each may have destroyed a communicator of its own at the place
 * of that destroy before, as groups of one split do. In a loop they have done so as often as the rank in the destroy. */
struct habits {
    struct ncs_cycle_wait end, call; /* the destroy and the call of the cycle */
    int *before;
    size_t befores; /* ranks that have destroyed before the call */
    size_t afters;  /* ranks that have not */
};

static const struct ncs_call *newest_of(const struct habits *h)
{
    const struct ncs_unmet *n = h->call.unmet;
    const struct ncs_call *newest = h->end.call;
    for (size_t i = 0; i < n->presents; i++)
        newest = n->present[i]->id > newest->id ? n->present[i] : newest;
    return newest;
}

static void find_habits(const struct ncs_analysis *q, const struct ncs_cause *r, struct habits *h)
{
    for (size_t i = 0; i < r->length; i++) {
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait w = ncs_cycle_wait_at(q, r, i);
        *(w.call && w.call->number ? &h->call : &h->end) = w;
    }
    if (!h->call.call || !h->end.call || !h->end.call->place.line)
        return;
    const struct ncs_unmet *n = h->call.unmet;
    h->before = ncs_new(n->presents * sizeof *h->before);
    size_t *times = ncs_new(n->presents * sizeof *times), least = 0;
    for (const struct ncs_call *c = newest_of(h); c; c = c->older) {
        if (!ncs_at_same_place(c, h->end.call))
            continue;
        least += c->rank == h->end.rank;
        for (size_t i = 0; i < n->presents; i++)
            times[i] += c->rank == n->present[i]->rank;
    }
    for (size_t i = 0; i < n->presents; i++)
        if (times[i] >= least && least)
            h->before[h->befores++] = n->present[i]->rank;
    h->afters = n->presents - h->befores;
    ncs_free(times);
}

/* Whom habits blame: the rank at the call, as all others that are there destroy before it; nobody, so each of the cycle, if
 * some do and some do not. If no other rank has another habit, or the destroy of the cycle is alone, the orders stay. */
static void blame_by_habits(const struct habits *h, struct ncs_odd_order *odd)
{
    if (!h->befores || h->befores + 1 < h->afters)
        return;
    odd->ranks = odd->others = odd->rivals = 0;
    odd->tied = odd->by_siblings = odd->as_before = false;
    struct ncs_odd_rank late = { .rank = h->call.rank, .first = h->call.call };
    if (h->afters == 1 && h->befores + 1 > h->afters)
        NCS_PUSH(odd->rank, odd->ranks, odd->rank_room, late);
}

static void format_habits(const struct ncs_analysis *q, const struct habits *h, struct ncs_str *why, struct ncs_str *fix)
{
    const char *comm = ncs_comm_name(q, h->end.unmet->comm);
    ncs_str_add(why, "; ");
    ncs_format_ranks(why, h->before, h->befores);
    ncs_str_addf(why, " ha%s called %s", h->befores > 1 ? "ve" : "s", ncs_fn_info[h->end.call->fn].name);
    ncs_format_place(why, h->end.call);
    ncs_str_add(why, " before the call");
    ncs_format_place(why, h->call.call);
    ncs_str_addf(why, ", and rank %d has not", h->call.rank);
    ncs_str_addf(fix, "let rank %d destroy %s before the call", h->call.rank, comm);
    ncs_format_place(fix, h->call.call);
    ncs_str_add(fix, " too, or let all ranks destroy their communicators after it");
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
    struct habits h = { 0 };
    if (k.ends == 1 && r->length > 1)
        find_habits(q, r, &h);
    blame_by_habits(&h, &odd);
    ncs_fill_cycle(q, r, &odd, d);
    struct ncs_str why = { 0 }, fix = { 0 };
    format_ends(q, r, &why);
    if (h.befores && odd.ranks == 1 && odd.rank[0].rank == h.call.rank) {
        format_habits(q, &h, &why, &fix);
    } else {
        ncs_str_add(&why, k.ends > 1 ? "; each of them destroys a communicator first that another one destroys later"
                                     : "; a destroy waits for all ranks of its host that have not destroyed the communicator");
        ncs_str_add(&fix, k.ends > 1 ? "destroy the communicators in one order on every rank, or all of them in one group"
                                     : "on every rank, first make the other call, then destroy the communicator");
    }
    ncs_free(h.before);
    ncs_odd_order_free(&odd);
    d->f.why = ncs_str_take(&why);
    d->f.fix = ncs_str_take(&fix);
    ncs_doubt_teardown(q, find_other_call(q, r), d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_order = { .match = destroy_order_match, .ground = NCS_GROUND_ORDER };
