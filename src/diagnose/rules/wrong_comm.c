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

static void wrong_comm_format_side(const struct ncs_analysis *q, struct ncs_str *s, const struct ncs_unmet *n)
{
    size_t count;
    int *ranks = ncs_present_ranks(q, n, &count);
    char *what = ncs_describe(n->call);
    ncs_format_ranks(s, ranks, count);
    ncs_str_addf(s, " made %s on %s", what, ncs_comm_name(q, n->comm));
    ncs_format_place(s, n->call);
    ncs_free(what);
    ncs_free(ranks);
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
    struct ncs_str s = { 0 };
    for (size_t i = 0; i < r->calls; i++) {
        if (count && ranks[count - 1] == r->call[i]->rank)
            continue; /* several of its calls in a row */
        ranks[count++] = r->call[i]->rank;
        ncs_add_culprit(d, r->call[i]->rank, r->call[i]->number, r->call[i]->place.line);
    }
    ncs_fill_unmet(q, d, r->unmet, c->number);
    ncs_set_title(q, d, c);
    d->order = c->id;
    d->f.evidence = ncs_plain(ncs_text("by what the other ranks did %s", apart ? "instead" : "at the same place of the program"));
    ncs_format_ranks(&s, ranks, count);
    char *what = ncs_describe(c);
    ncs_str_addf(&s, " made %s on %s", what, ncs_comm_name(q, c->comm));
    ncs_format_place(&s, c);
    ncs_str_addf(&s, "; the others made it%s on %s", apart ? "" : " there", ncs_comm_name(q, r->comm));
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_addf(&s, "name %s", ncs_comm_name(q, r->comm));
    ncs_format_place(&s, c);
    ncs_str_addf(&s, "%s: calls meet only on one communicator", apart ? "" : " on every rank");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_free(what);
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
    size_t few = n[0]->presents < n[1]->presents ? 0 : n[1]->presents < n[0]->presents ? 1 : 2;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < n[i]->presents && (few == 2 || few == i); k++) {
            const struct ncs_call *c = n[i]->present[k];
            ncs_add_culprit(d, c->rank, c->number, c->place.line);
        }
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < n[i]->presents; k++) {
            const struct ncs_call *c = n[i]->present[k];
            char *what = ncs_describe(c);
            ncs_add_row(d, c->rank, c->place.line,
                        ncs_plain(ncs_text("waits in call %u on %s, %s", (unsigned)c->number, ncs_comm_name(q, c->comm), what)));
            ncs_free(what);
        }
    d->f.evidence = ncs_plain(few == 2 ? ncs_copy_text("as many made the call on the one as on the other, so all are named")
                                       : ncs_text("by the majority: %zu made the call on the other communicator, %zu on this one",
                                                  n[1 - few]->presents, n[few]->presents));
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
    struct ncs_str s = { 0 };
    wrong_comm_format_side(q, &s, minority);
    ncs_str_add(&s, ", ");
    wrong_comm_format_side(q, &s, most);
    ncs_str_add(&s, ": calls meet only on one communicator");
    d->f.why = ncs_plain(ncs_str_take(&s));
    ncs_str_add(&s, "name the same communicator");
    if (minority->call->place.line == most->call->place.line) {
        ncs_format_place(&s, minority->call);
        ncs_str_add(&s, " on every rank");
    } else {
        ncs_str_addf(&s, " in both calls, lines %d and %d", most->call->place.line, minority->call->place.line);
    }
    if (few < 2)
        ncs_str_addf(&s, ", %s as the others do", ncs_comm_name(q, most->comm));
    ncs_str_add(&s, "; if both are meant, use them in one order on every rank");
    d->f.fix = ncs_plain(ncs_str_take(&s));
    return true;
}

const struct ncs_rule ncs_rule_wrong_comm = { .match = wrong_comm_match, .ground = NCS_GROUND_INSTEAD };
