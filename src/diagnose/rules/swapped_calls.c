/* Two calls were exchanged on some ranks, or one was made earlier or later than by the others. */
#include "diagnose/rules/rule.h"

#include "base/mem.h"

/* True if the call that `early` makes at `at` is made later by `late`, and all other calls agree.
 * *to = where. */
static bool comes_later(const struct ncs_sequence *early, const struct ncs_sequence *late, uint32_t at, uint32_t *to)
{
    const struct ncs_call *moved = ncs_sequence_at(early, at);
    for (*to = at + 1; *to <= at + NCS_MOVED_FAR; ++*to) {
        if (ncs_same_call(ncs_sequence_at(late, *to), moved))
            break;
        if (!ncs_same_call(ncs_sequence_at(early, *to), ncs_sequence_at(late, *to - 1)))
            return false;
    }
    const struct ncs_call *x = ncs_sequence_at(early, *to + 1), *y = ncs_sequence_at(late, *to + 1);
    return *to <= at + NCS_MOVED_FAR && ncs_same_call(ncs_sequence_at(early, *to), ncs_sequence_at(late, *to - 1)) &&
           (x || y ? ncs_same_call(x, y) : true);
}

/* A call that seems to be left out or made in excess was only made earlier or later than by the
 * others. */
static bool match_moved(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_call_divergence p;
    bool extra = ncs_is_divergence(q, r, NCS_DIVERGENCE_EXTRA, &p);
    if (!extra && !ncs_is_divergence(q, r, NCS_DIVERGENCE_SKIPPED, &p))
        return false;
    int comm = ncs_divergence_comm(r);
    const struct ncs_sequence *minority = &q->comm[comm].seq[p.minority[0]], *model = &q->comm[comm].seq[p.model];
    uint32_t to;
    if (p.minority_size > 1 || p.tied || p.by_line || p.shift != 1 ||
        !comes_later(extra ? minority : model, extra ? model : minority, p.at, &to)) {
        ncs_free(p.minority);
        return false;
    }
    const struct ncs_call *own = ncs_sequence_at(minority, extra ? p.at : to);
    const struct ncs_call *theirs = ncs_sequence_at(model, extra ? to : p.at);
    ncs_fill_divergence(q, r, comm, &p, d);
    d->f.culprit[0].line = own->place.line;
    struct ncs_str s = { 0 };
    char *what = ncs_describe(own);
    ncs_str_addf(&s, "rank %d makes %s", own->rank, what);
    ncs_format_place(&s, own);
    ncs_str_addf(&s, " as call %u on %s, the others make it", (unsigned)own->number, ncs_comm_name(q, comm));
    ncs_format_place(&s, theirs);
    ncs_str_addf(&s, " as call %u", (unsigned)theirs->number);
    d->f.why = ncs_plain(ncs_str_take(&s));
    d->f.fix = ncs_plain(ncs_text("on rank %d, make it %s the one that is now call %u", own->rank, extra ? "after" : "before",
                                  (unsigned)theirs->number));
    ncs_sentence_free(d->f.evidence);
    d->f.evidence = ncs_plain(ncs_text("by the order of the calls: with call %u made as call %u rank %d agrees "
                                       "with the others",
                                       (unsigned)own->number, (unsigned)theirs->number, own->rank));
    ncs_free(what);
    ncs_free(p.minority);
    return true;
}

/* NCCL 2.28 and 2.30 launch the collectives of a group by size, so their order in the program may
 * not matter. */
static bool may_be_sorted(const struct ncs_call *a, const struct ncs_call *b)
{
    return a && b && a->group && a->group == b->group &&
           (ncs_call_count(a) != ncs_call_count(b) || ncs_call_dtype(a) != ncs_call_dtype(b));
}

/* Adds the ranks of the run that make this call at the position. */
static void swapped_calls_format_side(const struct ncs_analysis *q, int comm, uint32_t at, const struct ncs_call *call,
                                      struct ncs_str *s)
{
    int members = q->journal->comm[comm]->members;
    int *rank = ncs_new((size_t)members * sizeof *rank);
    size_t ranks = 0;
    for (int i = 0; i < members; i++) {
        const struct ncs_call *c = ncs_call_at(q, comm, i, at);
        if (c == call || ncs_same_call(c, call))
            rank[ranks++] = c->rank;
    }
    ncs_format_ranks(s, rank, ranks);
    ncs_free(rank);
}

/* "call 1 is A at line 8 on ranks 0, 2 and B at line 9 on ranks 1, 3, and call 2 is the other
 * one" */
static void format_sides(const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p, const struct ncs_call *own,
                         const struct ncs_call *model, struct ncs_str *s)
{
    const struct ncs_call *side[] = { own, model };
    if (p->tied && model->rank < own->rank) {
        side[0] = model;
        side[1] = own;
    }
    /* If signature or label distinguishes the two calls, each is followed by the ranks that made
     * it. Otherwise only lines do (p->by_line), and the minority is named. */
    bool told_apart = !ncs_same_call(own, model);
    ncs_str_addf(s, ": call %u is", (unsigned)p->number);
    for (int i = 0; i < 2; i++) {
        char *what = ncs_describe(side[i]);
        ncs_str_addf(s, "%s %s", i ? " and" : "", what);
        ncs_format_place(s, side[i]);
        ncs_str_add(s, " on ");
        if (told_apart)
            swapped_calls_format_side(q, comm, p->at, side[i], s);
        else if (i == 0 && !p->tied)
            ncs_format_minority(q, s, comm, p);
        else
            ncs_format_ranks(s, &side[i]->rank, 1);
        ncs_free(what);
    }
    ncs_str_addf(s, ", and call %u is the other one", (unsigned)p->other);
}

/* True for two gathers, or two scatters, with different roots. NCCL composes each of messages
 * between the ranks and its root, so messages meet in either order, and the exchange cannot be the
 * cause. */
static bool meet_all_the_same(const struct ncs_call *a, const struct ncs_call *b)
{
    return a && b && a->fn == b->fn && ncs_fn_info[a->fn].composed && ncs_fn_info[a->fn].rooted &&
           ncs_call_root(a) != ncs_call_root(b);
}

static bool swapped_calls_match(const struct ncs_analysis *q, const struct ncs_cause *r, struct ncs_draft *d)
{
    struct ncs_call_divergence found, *p = &found;
    if (!ncs_is_divergence(q, r, NCS_DIVERGENCE_SWAPPED, p))
        return match_moved(q, r, d);
    int comm = ncs_divergence_comm(r);
    ncs_fill_divergence(q, r, comm, p, d);
    const struct ncs_call *own = ncs_call_at(q, comm, p->minority[0], p->at);
    const struct ncs_call *model = ncs_call_at(q, comm, p->model, p->at);
    if (p->tied)
        own = ncs_call_at(q, comm, p->model == p->minority[0] ? p->minority[p->minority_size - 1] : p->minority[0], p->at);
    struct ncs_str s = { 0 };
    ncs_str_addf(&s, "calls %u and %u are exchanged", (unsigned)p->number, (unsigned)p->other);
    format_sides(q, comm, p, own, model, &s);
    if (may_be_sorted(model, ncs_call_at(q, comm, p->model, p->at + p->shift)))
        ncs_str_add(&s, "; NCCL may sort the calls of a group by size and hide it, but does not promise to");
    d->remark = !r->unmet && meet_all_the_same(own, model);
    if (d->remark)
        ncs_str_add(&s, "; to two roots they meet all the same");
    d->f.why = ncs_plain(ncs_str_take(&s));
    if (p->tied)
        ncs_str_addf(&s, "make calls %u and %u in the same order on every rank", (unsigned)p->number, (unsigned)p->other);
    else {
        ncs_str_add(&s, "on ");
        ncs_format_minority(q, &s, comm, p);
        ncs_str_addf(&s, ", make the call at line %d after the one that is now call %u", own->place.line, (unsigned)p->other);
    }
    d->f.fix = ncs_plain(ncs_str_take(&s));
    ncs_free(p->minority);
    return true;
}

const struct ncs_rule ncs_rule_swapped_calls = { .match = swapped_calls_match, .ground = NCS_GROUND_INSTEAD };
