/* Ranks wait for each other because they destroy communicators in different orders, or because one destroys a communicator
 * before a call that others make first. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* The rank's call for which others wait there, or with which it waits itself; NULL = it has made none. */
static const struct ncs_call *call_at(const struct ncs_analysis *q, const struct ncs_unmet *n, int comm_rank)
{
    if (ncs_is_teardown(q, n))
        return ncs_end_of(q, n->comm, comm_rank);
    return n->call && n->call->number ? ncs_sequence_at(&q->comm[n->comm].seq[comm_rank], ncs_position(q, n->call)) : NULL;
}

static int destroy_rank_on(const struct ncs_analysis *q, int comm, int rank)
{
    for (int r = 0; r < q->journal->comm[comm]->members; r++)
        if (ncs_run_rank(q, comm, r) == rank)
            return r;
    return -1;
}

/* Counts the ranks that come to one wait before the other, and those that come to the other one first. A rank that has come
 * to neither, or has both in one group, has no order. */
static void count_orders(const struct ncs_analysis *q, const struct ncs_unmet *one, const struct ncs_unmet *other, size_t *before,
                         size_t *after)
{
    *before = *after = 0;
    for (int r = 0; r < q->journal->comm[one->comm]->members; r++) {
        int on = destroy_rank_on(q, other->comm, ncs_run_rank(q, one->comm, r));
        const struct ncs_call *a = on < 0 ? NULL : call_at(q, one, r), *b = on < 0 ? NULL : call_at(q, other, on);
        if ((!a && !b) || (a && b && a->group && a->group == b->group))
            continue;
        *before += a && (!b || a->id < b->id);
        *after += b && (!a || b->id < a->id);
    }
}

/* The rank of the cycle that comes to its wait before the one at which it is awaited, while several others come to these
 * two in the opposite order; -1 = there is none such, or several. */
static int find_odd(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    int odd = -1;
    const struct ncs_unmet *awaited = NULL;
    for (size_t k = r->length; k-- > 0;) /* the last wait of the path is the one before the first */
        if (!awaited && ncs_node_unmet(q, r->path[k]) >= 0)
            awaited = &q->unmet[ncs_node_unmet(q, r->path[k])];
    for (size_t i = 0; i < r->length; i++) {
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait w = ncs_cycle_wait_at(q, r, i);
        size_t before, after;
        count_orders(q, w.unmet, awaited, &before, &after);
        awaited = w.unmet;
        if (before != 1 || after < 2)
            continue;
        if (odd >= 0)
            return -1;
        odd = w.rank;
    }
    return odd;
}

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

/* The rank that is to blame; -1 = each of the cycle. `odd` has the destroy of the cycle for itself, or no other rank has
 * another habit. */
static int odd_by_habits(const struct habits *h, int odd)
{
    if (!h->befores || h->befores + 1 < h->afters)
        return odd;
    return h->afters == 1 && h->befores + 1 > h->afters ? h->call.rank : -1;
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
    struct ncs_cause odd = *r;
    struct habits h = { 0 };
    odd.rank = find_odd(q, r);
    if (k.ends == 1 && r->length > 1)
        find_habits(q, r, &h);
    odd.rank = odd_by_habits(&h, odd.rank);
    ncs_fill_cycle(q, &odd, d);
    struct ncs_str why = { 0 }, fix = { 0 };
    format_ends(q, r, &why);
    if (h.befores && odd.rank == h.call.rank) {
        format_habits(q, &h, &why, &fix);
    } else {
        ncs_str_add(&why, k.ends > 1 ? "; each of them destroys a communicator first that another one destroys later"
                                     : "; a destroy waits for all ranks of its host that have not destroyed the communicator");
        ncs_str_add(&fix, k.ends > 1 ? "destroy the communicators in one order on every rank, or all of them in one group"
                                     : "on every rank, first make the other call, then destroy the communicator");
    }
    ncs_free(h.before);
    d->f.why = ncs_str_take(&why);
    d->f.fix = ncs_str_take(&fix);
    ncs_doubt_teardown(q, find_other_call(q, r), d);
    return true;
}

const struct ncs_rule ncs_rule_destroy_order = { .match = destroy_order_match, .ground = NCS_GROUND_ORDER };
