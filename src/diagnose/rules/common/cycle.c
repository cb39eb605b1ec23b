/* A cycle of ranks that wait for each other, as steps, rows and words. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "base/mem.h"

/* The rank of the nearest node before (step -1) or after (+1) place i of the cycle's path: unmet
 * waits belong to no rank. */
static int rank_near(const struct ncs_analysis *q, const struct ncs_cause *r, size_t i, int step)
{
    for (size_t k = 1; k <= r->length; k++) {
        size_t at = (i + r->length + (step > 0 ? k : r->length - k)) % r->length;
        int rank = ncs_node_rank(q, r->path[at]);
        if (rank >= 0)
            return rank;
    }
    return -1;
}

/* The rank's call at the unmet wait; any call there if the rank itself made none. */
static const struct ncs_call *call_of_rank(const struct ncs_unmet *n, int rank)
{
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i]->rank == rank)
            return n->present[i];
    return n->call;
}

/* True if the rank has a send or receive with one that has one with it. */
static bool has_partner(const struct ncs_analysis *q, int comm, int comm_rank)
{
    const struct ncs_sequence *own = &q->comm[comm].seq[comm_rank];
    int members = q->journal->comm[comm]->members;
    bool *known = ncs_new((size_t)members * sizeof *known), has = false;
    for (size_t i = 0; i < own->sides && !has; i++) {
        int peer = ncs_call_peer(own->side[i]);
        const struct ncs_sequence *other = peer >= 0 && peer < members && !known[peer] ? &q->comm[comm].seq[peer] : NULL;
        for (size_t k = 0; other && k < other->sides && !has; k++)
            has = ncs_call_peer(other->side[k]) == comm_rank;
        if (other)
            known[peer] = true;
    }
    ncs_free(known);
    return has;
}

/* The step of the one rank in a cycle of messages that has no partner: all others have one, so it names wrong peers, or does
 * what is another rank's part. NULL = there is no such rank, or there are several. */
static const struct ncs_cycle_step *cycle_odd_one(const struct ncs_analysis *q, const struct ncs_cause *r,
                                                  const struct ncs_draft *d, struct ncs_why *why)
{
    const struct ncs_cycle_step *odd = NULL;
    size_t start = ncs_first_place(q, r), step = 0;
    for (size_t k = 0; k < r->length && d->f.cycles > 2; k++) {
        size_t i = (start + k) % r->length;
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait s = ncs_cycle_wait_at(q, r, i);
        if (s.unmet->kind != NCS_UNMET_PAIR || !s.call || s.call->rank != s.rank)
            return NULL;
        bool alone = NCS_BY(why, NO_PARTNER, !has_partner(q, s.unmet->comm, s.call->comm_rank));
        if (alone && odd)
            return NULL;
        odd = alone ? &d->f.cycle[step] : odd;
        step++;
    }
    return odd;
}

/* Blames the ranks whose order is odd. True = there are some. The others are named, too, if they may be wrong as well. */
static bool blame_odd_order(const struct ncs_odd_order *odd, bool ends, struct ncs_draft *d)
{
    if (!odd || !odd->ranks)
        return false;
    for (size_t i = 0; i < odd->ranks; i++) {
        const struct ncs_odd_rank *o = &odd->rank[i];
        const struct ncs_cycle_step *step = d->f.cycle, *end = step + d->f.cycles;
        while (step < end && step->rank != o->rank)
            step++;
        if (step < end)
            ncs_add_culprit(d, o->rank, step->call, step->line);
        else
            ncs_add_culprit(d, o->rank, o->first ? o->first->number : 0, o->first ? o->first->place.line : 0);
    }
    if (odd->why.decision)
        ncs_decided(&d->f, odd->why, "%zu with this order, %zu with the opposite one%s%s", odd->ranks, odd->others,
                    odd->tied ? "; odd is who left the order of the round before, else who lacks the lowest rank" : "",
                    odd->by_siblings ? "; communicators made at the same places count, too" : "");
    d->f.evidence = ncs_plain(ncs_copy_text(odd->tied ? "as many ranks have one order as the other"
                                            : odd->by_siblings
                                                ? "most ranks that use communicators like these have the other order"
                                                : "the others that use these communicators have one order"));
    bool either = odd->tied || odd->as_before;
    const int *wrong = either ? odd->other : odd->rival;
    size_t others = either ? odd->others : odd->rivals;
    if (others && (either || odd->by_siblings)) {
        struct ncs_str s = { 0 };
        ncs_format_ranks(&s, wrong, others);
        ncs_str_add(&s, others > 1 ? " have the wrong order" : " has the wrong order");
        ncs_add_reading(d, ends ? "destroy-order" : "comm-order", wrong, others, ncs_str_take(&s));
    }
    if (odd->by_siblings)
        d->f.certainty = NCS_LIKELY;
    return true;
}

/* Blames the ranks whose order is odd, or the one that has no partner; else the ranks that could break the cycle alone, else all
 * ranks of the cycle. */
static void blame(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_odd_order *order, struct ncs_draft *d)
{
    size_t able = 0;
    struct ncs_why why = { 0 };
    if (blame_odd_order(order, ncs_cycle_kinds_of(q, r).ends > 0, d))
        return;
    const struct ncs_cycle_step *odd = cycle_odd_one(q, r, d, &why);
    if (odd) {
        int *rank = ncs_new(d->f.cycles * sizeof *rank);
        for (size_t i = 0; i < d->f.cycles; i++)
            rank[i] = d->f.cycle[i].rank;
        ncs_add_culprit(d, odd->rank, odd->call, odd->line);
        ncs_decided(&d->f, why, "rank %d has no partner", odd->rank);
        d->f.evidence = ncs_plain(
            ncs_copy_text("by the peers: no rank that it names names it, too, unlike the others of the cycle"));
        struct ncs_str s = { 0 };
        ncs_format_ranks(&s, rank, d->f.cycles);
        ncs_str_add(&s, " make their messages in orders that do not fit");
        ncs_add_reading(d, "p2p-cycle", rank, d->f.cycles, ncs_str_take(&s));
        ncs_free(rank);
        return;
    }
    bool *alone = ncs_cycle_breakers(q, (size_t)(r->unmet - q->unmet));
    for (int all = 0; all < 2 && !d->f.culprits; all++)
        for (size_t i = 0; i < d->f.cycles; i++) {
            const struct ncs_cycle_step *s = &d->f.cycle[i];
            bool breaks = s->rank >= 0 && alone[s->rank];
            if (!all && !breaks)
                continue;
            ncs_add_culprit(d, s->rank, s->call, s->line);
            able += !all;
        }
    ncs_free(alone);
    if (NCS_BY(&why, BREAKERS, able > 0))
        ncs_decided(&d->f, why, "%zu of the cycle's %zu ranks could break it alone", able, d->f.cycles);
    d->f.evidence = ncs_plain(ncs_copy_text(able == d->f.cycles ? "a change of any one rank of the cycle would break it"
                                            : able              ? "a change of one of the other ranks would not break the cycle"
                                                   : "no rank could break the cycle alone, so all its ranks are named"));
}

struct ncs_cycle_wait ncs_cycle_wait_at(const struct ncs_analysis *q, const struct ncs_cause *r, size_t i)
{
    struct ncs_cycle_wait s = { .rank = rank_near(q, r, i, -1), .other = rank_near(q, r, i, 1) };
    s.unmet = &q->unmet[ncs_node_unmet(q, r->path[i])];
    s.call = s.unmet->call ? call_of_rank(s.unmet, s.rank) : NULL;
    return s;
}

/* A cycle has no beginning. Its text starts at its lowest rank, of several steps of that rank at
 * the lowest communicator, so it reads the same wherever the search entered the cycle. */
size_t ncs_first_place(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    size_t first = r->length;
    struct ncs_cycle_wait best = { .rank = -1 };
    for (size_t i = 0; i < r->length; i++) {
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait s = ncs_cycle_wait_at(q, r, i);
        if (first == r->length || s.rank < best.rank || (s.rank == best.rank && s.unmet->comm < best.unmet->comm)) {
            first = i;
            best = s;
        }
    }
    return first;
}

static enum ncs_via cycle_via_of(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    switch (n->kind) {
    case NCS_UNMET_PAIR: return NCS_VIA_PAIR;
    case NCS_UNMET_SIGNAL: return NCS_VIA_SIGNAL;
    case NCS_UNMET_INIT: return NCS_VIA_INIT;
    case NCS_UNMET_GATE: return ncs_is_key(q, n) ? NCS_VIA_STORE : NCS_VIA_HOST;
    default: return ncs_is_meeting(n) ? NCS_VIA_INIT : NCS_VIA_COLLECTIVE;
    }
}

static bool is_event_wait(const struct ncs_analysis *q, int node)
{
    int op = node - ncs_op_node(q, 0);
    return op >= 0 && (size_t)op < q->snap->ops && q->snap->op[op].call && q->snap->op[op].call->fn == NCS_FN_cudaStreamWaitEvent;
}

/* Why the work that step i awaits cannot come earlier: the nodes between the previous unmet wait
 * and this one are in stream order, behind an event, or in a host thread. */
static enum ncs_via behind_at(const struct ncs_analysis *q, const struct ncs_cause *r, size_t i)
{
    enum ncs_via behind = NCS_VIA_STREAM;
    for (size_t k = 1; k <= r->length; k++) {
        int node = r->path[(i + r->length - k) % r->length];
        if (ncs_node_unmet(q, node) >= 0)
            break;
        if (node < ncs_op_node(q, 0) || node >= ncs_job_node(q, 0))
            return NCS_VIA_HOST;
        if (is_event_wait(q, node))
            behind = NCS_VIA_EVENT;
    }
    return behind;
}

static void fill_step(const struct ncs_analysis *q, const struct ncs_cause *r, size_t i, const struct ncs_cycle_wait *s,
                      struct ncs_draft *d)
{
    const struct ncs_call *c = s->call;
    int line = c && c->place.line ? c->place.line : ncs_gate_line(q, s->rank);
    const char *comm = c ? ncs_comm_name(q, s->unmet->comm) : NULL;
    struct ncs_cycle_step step = { .rank = s->rank,
                                   .comm = (char *)comm,
                                   .line = line,
                                   .call = c ? c->number : 0,
                                   .waits_for = s->other,
                                   .via = cycle_via_of(q, s->unmet),
                                   .behind = behind_at(q, r, i) };
    ncs_add_step(d, &step);
    const char *gate = s->unmet->gate >= 0 ? q->snap->gate[s->unmet->gate].what : NULL;
    char *what = c ? ncs_describe(c) : ncs_copy_text(gate ? gate : "a call of another rank");
    ncs_add_row(d, s->rank, line,
                ncs_say(row_cycle, ncs_fact_call("call", q->journal, c && c->number ? c : NULL), ncs_fact_text("what", what),
                        ncs_fact_is("self", s->other == s->rank), ncs_fact_rank("other", s->other)));
    ncs_free(what);
}

void ncs_fill_cycle(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_odd_order *odd, struct ncs_draft *d)
{
    d->order = UINT64_MAX;
    const struct ncs_call *first = NULL;
    size_t start = ncs_first_place(q, r);
    for (size_t k = 0; k < r->length; k++) {
        size_t i = (start + k) % r->length;
        if (ncs_node_unmet(q, r->path[i]) < 0)
            continue;
        struct ncs_cycle_wait s = ncs_cycle_wait_at(q, r, i);
        fill_step(q, r, i, &s, d);
        if (!first)
            first = s.call;
        if (s.call && s.call->id < d->order) /* a cycle is as early as its first call */
            d->order = s.call->id;
    }
    blame(q, r, odd, d);
    if (first)
        d->f.call = first->number;
    ncs_set_title(q, d, first);
    ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(r->unmet - q->unmet)));
}

struct ncs_cycle_kinds ncs_cycle_kinds_of(const struct ncs_analysis *q, const struct ncs_cause *r)
{
    struct ncs_cycle_kinds k = { 0 };
    for (size_t i = 0; i < r->length; i++) {
        int unmet = ncs_node_unmet(q, r->path[i]);
        if (unmet < 0)
            continue;
        const struct ncs_unmet *n = &q->unmet[unmet];
        bool seen = n->comm < 0;
        k.pairs += n->kind == NCS_UNMET_PAIR;
        k.collectives += n->kind == NCS_UNMET_COLLECTIVE;
        k.signals += n->kind == NCS_UNMET_SIGNAL;
        k.gates += n->kind == NCS_UNMET_GATE;
        k.ends += ncs_is_teardown(q, n);
        for (size_t p = 0; p < i && !seen; p++) {
            int other = ncs_node_unmet(q, r->path[p]);
            seen = other >= 0 && q->unmet[other].comm == n->comm;
        }
        k.comms += !seen;
        if (n->kind == NCS_UNMET_PAIR && n->call) {
            k.sends |= ncs_is_send(n->call);
            k.recvs |= !ncs_is_send(n->call);
        }
    }
    return k;
}

static struct ncs_fact fact_cycle_at(const struct ncs_cycle_step *c)
{
    return ncs_fact_sentence("at", ncs_say(cycle_at, ncs_fact_number("number", c->call), ncs_fact_text("comm", c->comm),
                                           ncs_fact_line("line", c->line)));
}

/* True if all ranks wait in the same call at the same line: then one sentence covers all steps. */
static bool all_alike(const struct ncs_draft *d)
{
    const struct ncs_cycle_step *a = d->f.cycle;
    for (size_t i = 1; i < d->f.cycles; i++) {
        const struct ncs_cycle_step *b = &d->f.cycle[i];
        if (a->call != b->call || a->line != b->line || !a->comm != !b->comm || (a->comm && strcmp(a->comm, b->comm) != 0))
            return false;
    }
    return true;
}

/* "rank 0 waits in call 1 on x at line 5 for rank 1, rank 1 waits in ..."; where all wait at the
 * same place: "each waits in call 1 on x at line 5 for the next: 0 -> 1 -> 2 -> 0". */
struct ncs_sentence *ncs_say_cycle(const struct ncs_draft *d)
{
    enum { MOST = 8 }; /* steps in the text */
    struct ncs_sentence *s = NULL;
    const struct ncs_cycle_step *step = d->f.cycle;
    size_t shown = d->f.cycles > MOST ? MOST : d->f.cycles;
    if (d->f.cycles == 2 && all_alike(d))
        return ncs_say(cycle_pair, ncs_fact_ranks("who", (int[]){ step[0].rank, step[1].rank }, 2), fact_cycle_at(step));
    if (d->f.cycles > 2 && all_alike(d)) {
        for (size_t i = 0; i < shown; i++)
            s = ncs_say(cycle_round, ncs_fact_sentence("before", s), ncs_fact_rank("who", step[i].rank));
        return ncs_say(cycle_ring, fact_cycle_at(step), ncs_fact_sentence("round", s), ncs_fact_is("more", shown < d->f.cycles),
                       ncs_fact_rank("first", step->rank));
    }
    for (size_t i = 0; i < shown; i++)
        s = ncs_say(cycle_steps, ncs_fact_sentence("before", s), ncs_fact_rank("who", step[i].rank), fact_cycle_at(&step[i]),
                    ncs_fact_is("self", step[i].waits_for == step[i].rank), ncs_fact_rank("other", step[i].waits_for),
                    ncs_fact_number("all", i + 1 == shown && shown < d->f.cycles ? (int64_t)d->f.cycles : 0),
                    ncs_fact_rank("first", step->rank));
    return s;
}
