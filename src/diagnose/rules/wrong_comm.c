/* Two calls that were meant for each other were made on two communicators. */
#include "diagnose/rules/rule.h"

#include "api/meeting.h"
#include "base/mem.h"

static const struct ncs_call *by_rank(const struct ncs_unmet *n, int rank)
{
    for (size_t i = 0; i < n->presents; i++)
        if (n->present[i]->rank == rank)
            return n->present[i];
    return NULL;
}

/* Fills the two unmet waits of a cycle, the lower communicator first. False unless there are
 * exactly two, on two communicators, and each lacks a call that was never made. */
static bool two_meetings(const struct ncs_analysis *q, const struct ncs_cause *r, const struct ncs_unmet *unmet[2])
{
    size_t count = 0;
    for (size_t i = 0; i < r->length; i++) {
        int at = ncs_node_unmet(q, r->path[i]);
        if (at < 0)
            continue;
        const struct ncs_unmet *n = &q->unmet[at];
        const struct ncs_absent *a = ncs_link(n, q, r->path[(i + 1) % r->length]);
        if (count == 2 || !n->call || !n->call->number || !a || a->reason != NCS_ABSENT_ELSEWHERE)
            return false;
        unmet[count++] = n;
    }
    if (count == 2 && unmet[0]->comm > unmet[1]->comm) {
        const struct ncs_unmet *swap = unmet[0];
        unmet[0] = unmet[1];
        unmet[1] = swap;
    }
    return count == 2 && unmet[0]->comm != unmet[1]->comm && unmet[0]->kind == unmet[1]->kind;
}

/* True if the calls that wait now are the only ones on the communicator. A communicator that was
 * used before is probably the right one, so one of the two has to be unused. */
static bool unused(const struct ncs_analysis *q, const struct ncs_unmet *n)
{
    const struct ncs_comm_info *info = q->journal->comm[n->comm];
    for (int i = 0; i < info->nranks; i++)
        if (info->member[i].calls > (by_rank(n, info->member[i].rank) ? 1u : 0u))
            return false;
    return true;
}

/* The same collective at the same line, or a send and the receive for it. */
static bool fit(const struct ncs_analysis *q, const struct ncs_call *a, const struct ncs_call *b)
{
    if (ncs_call_is_pair(a))
        return ncs_is_send(a) != ncs_is_send(b) && ncs_run_rank(q, a->comm, ncs_call_peer(a)) == b->rank &&
               ncs_run_rank(q, b->comm, ncs_call_peer(b)) == a->rank;
    return a->place.line && a->place.line == b->place.line && ncs_calls_are_alike(a, b);
}

/* The cause from an explanation: r->call are the calls on the wrong communicator, by what the
 * others did at the same place, or in a branch of their own. */
static void fill_elsewhere(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_call *c = r->call[0];
    int *ranks = ncs_new(r->calls * sizeof *ranks);
    size_t count = 0;
    const struct ncs_place *others = r->edits ? &r->edit[0].place : &c->place;
    bool apart = others->file && (c->unsaid & NCS_UNSAID_PLACE || others->line != c->place.line || others->file != c->place.file);
    for (size_t i = 0; i < r->calls; i++) {
        if (count && ranks[count - 1] == r->call[i]->rank)
            continue; /* several of its calls in a row */
        ranks[count++] = r->call[i]->rank;
        ncs_add_culprit(d, r->call[i]->rank, r->call[i]->number, r->call[i]->place.line);
    }
    ncs_fill_unmet(q, d, r->unmet, c->number);
    ncs_set_title(q, d, c);
    d->order = c->id;
    d->f.evidence = ncs_say(wrong_comm_evidence, ncs_fact_is("apart", apart));
    d->f.why = ncs_say(wrong_comm_why, ncs_fact_ranks("who", ranks, count), ncs_fact_call("call", q->journal, c),
                       ncs_fact_is("apart", apart), ncs_fact_comm(q, r->comm));
    d->f.fix = ncs_say(wrong_comm_fix, ncs_fact_comm(q, r->comm), ncs_fact_call("call", q->journal, c),
                       ncs_fact_is("apart", apart));
    ncs_free(ranks);
}

static bool wrong_comm_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    const struct ncs_unmet *n[2];
    if (r->kind == NCS_CAUSE_ELSEWHERE) {
        fill_elsewhere(q, r, d);
        return true;
    }
    if (r->kind != NCS_CAUSE_CYCLE || !two_meetings(q, r, n) || !fit(q, n[0]->call, n[1]->call) ||
        (!unused(q, n[0]) && !unused(q, n[1])))
        return false;
    /* the side with fewer ranks is wrong; 2 = both are equally many */
    struct ncs_why why;
    size_t few = 2;
    if (NCS_AT(&why, COMM_USERS) && n[0]->presents != n[1]->presents)
        few = n[0]->presents > n[1]->presents;
    ncs_decided(&d->f, why, "%zu ranks made the call on %s, %zu on %s", n[0]->presents, ncs_comm_name(q, n[0]->comm),
                n[1]->presents, ncs_comm_name(q, n[1]->comm));
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < n[i]->presents && (few == 2 || few == i); k++) {
            const struct ncs_call *c = n[i]->present[k];
            ncs_add_culprit(d, c->rank, c->number, c->place.line);
        }
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < n[i]->presents; k++) {
            const struct ncs_call *c = n[i]->present[k];
            ncs_add_row(d, c->rank, c->place.line, ncs_say(wrong_comm_row, ncs_fact_call("call", q->journal, c)));
        }
    d->f.evidence = ncs_say(wrong_comm_two_evidence, ncs_fact_is("tied", few == 2),
                            ncs_fact_number("most", few == 2 ? 0 : (int64_t)n[1 - few]->presents),
                            ncs_fact_number("few", few == 2 ? 0 : (int64_t)n[few]->presents));
    const struct ncs_unmet *most = few == 2 ? n[0] : n[1 - few], *minority = few == 2 ? n[1] : n[few];
    for (size_t i = 0; i < minority->presents; i++)
        ncs_repair_comm(q, d, minority->present[i], most->comm);
    d->f.call = minority->call->number;
    d->order = minority->call->id < most->call->id ? minority->call->id : most->call->id;
    ncs_set_title(q, d, minority->call);
    ncs_add_blocked(q, d, ncs_unmet_node(q, (size_t)(r->unmet - q->unmet)));
    d->f.bystanders = 0; /* those on either communicator wait at first hand */
    for (size_t i = 0; i < d->f.blockeds; i++)
        if (!by_rank(n[0], d->f.blocked[i]) && !by_rank(n[1], d->f.blocked[i]))
            ncs_add_bystander(d, d->f.blocked[i]);
    const struct ncs_call *call = minority->call, *theirs = most->call;
    d->f.why = ncs_say(wrong_comm_two, ncs_fact_present("who", q, minority), ncs_fact_call("call", q->journal, call),
                       ncs_fact_present("others", q, most), ncs_fact_call("theirs", q->journal, theirs));
    d->f.fix = ncs_say(wrong_comm_two_fix, ncs_fact_is("same", call->place.line == theirs->place.line),
                       ncs_fact_call("call", q->journal, call), ncs_fact_number("theirs_line", theirs->place.line),
                       ncs_fact_number("call_line", call->place.line),
                       ncs_fact_text("comm", few < 2 ? ncs_comm_name(q, most->comm) : NULL));
    return true;
}

const struct ncs_rule ncs_rule_wrong_comm = { .match = wrong_comm_match, .ground = NCS_GROUND_INSTEAD };
