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
    d->f.why = ncs_say(moved_call_why, ncs_fact_call("own", q->journal, own), ncs_fact_call("theirs", q->journal, theirs));
    d->f.fix = ncs_say(moved_call_fix, ncs_fact_call("own", q->journal, own), ncs_fact_is("extra", extra),
                       ncs_fact_call("theirs", q->journal, theirs));
    ncs_sentence_free(d->f.evidence);
    d->f.evidence = ncs_say(moved_call_evidence, ncs_fact_call("own", q->journal, own),
                            ncs_fact_call("theirs", q->journal, theirs));
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

/* The ranks of the run that make this call at the position. */
static struct ncs_fact fact_makers_at(const char *name, const struct ncs_analysis *q, int comm, uint32_t at,
                                      const struct ncs_call *call)
{
    int members = q->journal->comm[comm]->members;
    int *rank = ncs_new((size_t)members * sizeof *rank);
    size_t ranks = 0;
    for (int i = 0; i < members; i++) {
        const struct ncs_call *c = ncs_call_at(q, comm, i, at);
        if (c == call || ncs_same_call(c, call))
            rank[ranks++] = c->rank;
    }
    struct ncs_fact fact = ncs_fact_ranks(name, rank, ranks);
    ncs_free(rank);
    return fact;
}

/* If signature or label distinguishes the two calls, each is followed by the ranks that made it. Otherwise only lines do
 * (p->by_line), and the minority is named. */
static struct ncs_fact fact_side(const char *name, const struct ncs_analysis *q, int comm, const struct ncs_call_divergence *p,
                                 const struct ncs_call *side, const struct ncs_call *other, bool minority)
{
    if (!ncs_same_call(side, other))
        return fact_makers_at(name, q, comm, p->at, side);
    struct ncs_fact fact = minority ? ncs_fact_minority(q, comm, p) : ncs_fact_rank(name, side->rank);
    fact.name = name;
    return fact;
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
    bool turned = p->tied && model->rank < own->rank;
    const struct ncs_call *a = turned ? model : own, *b = turned ? own : model;
    d->remark = !r->unmet && meet_all_the_same(own, model);
    d->f.why = ncs_say(swapped_calls_why, ncs_fact_number("first", p->number), ncs_fact_number("second", p->other),
                       ncs_fact_call("a", q->journal, a), fact_side("as", q, comm, p, a, b, !p->tied),
                       ncs_fact_call("b", q->journal, b), fact_side("bs", q, comm, p, b, a, false),
                       ncs_fact_is("sorted", may_be_sorted(model, ncs_call_at(q, comm, p->model, p->at + p->shift))),
                       ncs_fact_is("meet", d->remark));
    d->f.fix = ncs_say(swapped_calls_fix, ncs_fact_is("tied", p->tied), ncs_fact_number("first", p->number),
                       ncs_fact_number("second", p->other), ncs_fact_minority(q, comm, p), ncs_fact_call("own", q->journal, own));
    ncs_free(p->minority);
    return true;
}

const struct ncs_rule ncs_rule_swapped_calls = { .match = swapped_calls_match, .ground = NCS_GROUND_INSTEAD };
