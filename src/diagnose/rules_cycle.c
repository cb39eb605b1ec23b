/* Rules about ranks that wait for each other in a ring. */
#include "diagnose/rule.h"

#include "base/mem.h"

/* The rank that stands behind the node before (-1) or after (+1) place i of the ring. */
static int rank_near(const struct ncs_inquiry *q, const struct ncs_root *r, size_t i, int step)
{
    for (size_t k = 1; k <= r->length; k++) {
        size_t at = (i + r->length + (step > 0 ? k : r->length - k)) % r->length;
        int rank = ncs_node_rank(q, r->path[at]);
        if (rank >= 0)
            return rank;
    }
    return -1;
}

static const struct ncs_call *call_of_rank(const struct ncs_need *n, int rank)
{
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i]->rank == rank)
            return n->present[i];
    return n->call;
}

/* At fault is whoever could undo the whole knot alone; if nobody can, all of the ring. */
static void blame(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    size_t need = (size_t)(r->need - q->need);
    for (int all = 0; all < 2 && !d->f.culprits; all++)
        for (size_t i = 0; i < d->f.cycles; i++) {
            const struct ncs_cycle_step *s = &d->f.cycle[i];
            if (all || !ncs_cycle_without(q, need, s->rank))
                ncs_add_culprit(d, s->rank, s->call, s->line);
        }
}

void ncs_fill_cycle(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    d->order = UINT64_MAX;
    const struct ncs_call *first = NULL;
    for (size_t i = 0; i < r->length; i++) {
        int need = ncs_node_need(q, r->path[i]);
        if (need < 0)
            continue;
        const struct ncs_need *n = &q->need[need];
        int rank = rank_near(q, r, i, -1), other = rank_near(q, r, i, 1);
        const struct ncs_call *c = n->call ? call_of_rank(n, rank) : NULL;
        int line = c ? c->place.line : 0;
        for (size_t k = 0; k < q->snap->contexts && !line; k++)
            if (q->snap->context[k].rank == rank)
                line = ncs_said_place(q, (int)k).line;
        ncs_add_step(d, rank, c ? ncs_comm_name(q, n->comm) : NULL, c ? c->number : 0, line, other);
        char *what = c ? ncs_describe(c) : ncs_copy_text(q->snap->gate[n->gate].what);
        if (c && c->number)
            ncs_add_row(d, rank, line, ncs_text("waits in call %u on %s, %s, for rank %d",
                                                (unsigned)c->number, ncs_comm_name(q, n->comm),
                                                what, other));
        else
            ncs_add_row(d, rank, line, ncs_text("waits in %s for rank %d", what, other));
        ncs_free(what);
        if (c && (!first || c->id < first->id))
            first = c;
    }
    blame(q, r, d);
    if (first) {
        d->f.call = first->number;
        d->order = first->id;
    }
    ncs_set_title(q, d, first);
    ncs_add_blocked(q, d, ncs_need_node(q, (size_t)(r->need - q->need)));
}

struct ring { /* what the needs of a cycle are */
    size_t pairs, collectives, gates, inits, comms;
    bool sends, recvs;
};

static struct ring look(const struct ncs_inquiry *q, const struct ncs_root *r)
{
    struct ring k = { 0 };
    for (size_t i = 0; i < r->length; i++) {
        int need = ncs_node_need(q, r->path[i]);
        if (need < 0)
            continue;
        const struct ncs_need *n = &q->need[need];
        bool seen = n->comm < 0;
        k.pairs += n->kind == NCS_NEED_PAIR;
        k.collectives += n->kind == NCS_NEED_COLLECTIVE;
        k.gates += n->kind == NCS_NEED_GATE;
        k.inits += n->kind == NCS_NEED_INIT;
        for (size_t p = 0; p < i && !seen; p++) {
            int other = ncs_node_need(q, r->path[p]);
            seen = other >= 0 && q->need[other].comm == n->comm;
        }
        k.comms += !seen;
        if (n->kind == NCS_NEED_PAIR && n->call) {
            k.sends |= ncs_is_send(n->call);
            k.recvs |= !ncs_is_send(n->call);
        }
    }
    return k;
}

/* "rank 0 waits in call 1 on x at line 5 for rank 1, rank 1 waits in ..." */
static char *ring_text(const struct ncs_draft *d)
{
    struct ncs_str s = { 0 };
    for (size_t i = 0; i < d->f.cycles; i++) {
        const struct ncs_cycle_step *c = &d->f.cycle[i];
        ncs_str_addf(&s, "%srank %d waits", i ? ", " : "", c->rank);
        if (c->call)
            ncs_str_addf(&s, " in call %u on %s", (unsigned)c->call, c->comm);
        else if (c->comm)
            ncs_str_addf(&s, " to join %s", c->comm);
        if (c->line)
            ncs_str_addf(&s, " at line %d", c->line);
        ncs_str_addf(&s, " for rank %d", c->waits_for);
    }
    return ncs_str_take(&s);
}

bool ncs_rule_comm_order(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_CYCLE)
        return false;
    struct ring k = look(q, r);
    if (k.comms < 2 || k.gates)
        return false;
    ncs_fill_cycle(q, r, d);
    d->f.why = ring_text(d);
    d->f.fix = ncs_text("use the communicators in one order on every rank, the same for all that "
                        "share two of them");
    return true;
}

bool ncs_rule_p2p_cycle(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind != NCS_ROOT_CYCLE)
        return false;
    struct ring k = look(q, r);
    if (!k.pairs || k.gates || k.comms > 1)
        return false;
    ncs_fill_cycle(q, r, d);
    d->f.why = ring_text(d);
    if (k.collectives)
        d->f.fix = ncs_text("make the send or receive and the collective in the same order on both "
                            "ranks");
    else
        d->f.fix = ncs_text("%s: put each rank's send and receive into one group, or let every "
                            "other rank %s first",
                            k.sends && k.recvs ? "a group ends only as a whole"
                            : k.sends          ? "everybody sends first"
                                               : "everybody receives first",
                            k.sends ? "receive" : "send");
    return true;
}

bool ncs_rule_waiting(const struct ncs_inquiry *q, const struct ncs_root *r, struct ncs_draft *d)
{
    if (r->kind == NCS_ROOT_CYCLE) {
        ncs_fill_cycle(q, r, d);
        d->f.why = ring_text(d);
    } else if (r->need) {
        for (size_t i = 0; i < r->absents; i++)
            if (r->absent[i]->rank >= 0)
                ncs_add_culprit(d, r->absent[i]->rank, 0, 0);
        ncs_fill_need(q, d, r->need, r->need->call ? r->need->call->number : 0);
        d->f.why = ncs_text("the call waits for ranks that do not come");
    } else {
        return false;
    }
    d->f.fix = ncs_text("let the ranks that are waited for make the call, or leave it out on all");
    return true;
}
