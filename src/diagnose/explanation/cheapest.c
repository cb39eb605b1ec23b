/* Which candidates are rehearsed, and which of them are kept: the cheapest. The cost is known
 * before the rehearsal, so neither the budget nor the choice depends on the order in which
 * candidates were found. */
#include "diagnose/explanation/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/meeting.h"
#include "base/mem.h"

/* A call that is left out on one communicator and inserted on another, at the same place, is one
 * change: the wrong communicator. As two changes it would cost more than it should. */
static void join_comms(struct ncs_explanation *c)
{
    for (size_t i = 0; i + 1 < c->changes; i++) {
        struct ncs_change *a = &c->change[i], *b = &c->change[i + 1];
        struct ncs_change *in = a->kind == NCS_CHANGE_PUT_IN ? a : b;
        struct ncs_change *out = in == a ? b : a;
        if (a->course != b->course || a->kind == b->kind || in->kind != NCS_CHANGE_PUT_IN || out->kind != NCS_CHANGE_LEAVE_OUT ||
            in->comm == out->comm || in->host || out->host || !ncs_at_same_place(in->model, out->model) || in->answer)
            continue;
        struct ncs_change joined = { .kind = NCS_CHANGE_COMM,
                                     .course = a->course,
                                     .step = out->step,
                                     .model = out->model,
                                     .comm = in->comm,
                                     .comm_rank = in->comm_rank,
                                     .peer = -1 };
        *a = joined;
        memmove(b, b + 1, (c->changes - i - 2) * sizeof *b);
        c->changes--;
    }
}

static bool change_places(const struct ncs_change *out, const struct ncs_change *in)
{
    return out->kind == NCS_CHANGE_LEAVE_OUT && in->kind == NCS_CHANGE_PUT_IN && out->comm == in->comm && !out->host &&
           !in->host && ncs_calls_are_alike(out->model, in->model);
}

/* True if a course has a call left out at one step and inserted at another: the two have changed
 * places. The rule swapped-calls reports that with better words. */
static bool exchanges(const struct ncs_explanation *c)
{
    const struct ncs_change *end = c->change + c->changes;
    for (const struct ncs_change *own = c->change, *next; own < end; own = next) {
        for (next = own; next < end && next->course == own->course;)
            next++;
        for (const struct ncs_change *a = own; a < next; a++)
            for (const struct ncs_change *b = own; b < next; b++)
                if (change_places(a, b))
                    return true;
    }
    return false;
}

void ncs_candidate_add(struct ncs_explanation *c, const struct ncs_change *change)
{
    size_t at = c->changes;
    NCS_PUSH(c->change, c->changes, c->change_room, *change);
    for (; at > 0 && c->change[at - 1].course > change->course; at--)
        c->change[at] = c->change[at - 1];
    c->change[at] = *change;
}

void ncs_candidate_free(struct ncs_explanation *c)
{
    for (size_t i = 0; i < c->parts; i++)
        ncs_free(c->part[i].gap);
    ncs_free(c->part);
    ncs_free(c->change);
    *c = (struct ncs_explanation){ 0 };
}

/* ---- cost ---- */

static struct ncs_cost cost_of(const struct ncs_explanations *s, const struct ncs_explanation *c)
{
    struct ncs_cost cost = { .edits = c->changes };
    if (!c->shifted) /* else places speak neither for it nor against it */
        cost.further = ncs_support_further(s->support, c->change, c->changes);
    for (size_t i = 0; i < c->changes; i++) {
        const struct ncs_change *e = &c->change[i];
        size_t kind = e->kind >= NCS_CHANGE_COMM ? 0 : e->kind == NCS_CHANGE_PUT_IN ? 1 : 2;
        cost.ranks += i == 0 || e[-1].course != e->course;
        cost.kind = kind > cost.kind ? kind : cost.kind;
    }
    if (!c->parts)
        cost.size = c->rounds ? c->rounds : c->changes;
    for (size_t i = 0; i < c->parts; i++)
        cost.size += ncs_divergence_size(&s->ways, &c->part[i]);
    return cost;
}

enum { TERMS = 6, TERMS_BEFORE = 4 /* a rehearsal */ };

/* The terms of a cost, in the order of preference. */
static int64_t term_of(const struct ncs_cost *c, size_t term)
{
    const int64_t terms[TERMS] = { (int64_t)c->ranks, (int64_t)c->size,     c->further,
                                   (int64_t)c->kind,  (int64_t)c->supposed, (int64_t)c->edits };
    return terms[term];
}

/* Compares that many terms: the first that differs decides, and *term names it. */
static int compare_costs(const struct ncs_cost *a, const struct ncs_cost *b, size_t count, size_t *term)
{
    for (*term = 0; *term < count; ++*term)
        if (term_of(a, *term) != term_of(b, *term))
            return term_of(a, *term) < term_of(b, *term) ? -1 : 1;
    return 0;
}

/* Counts the changes that answer a call in which some rank waits. */
static size_t answers(const struct ncs_explanation *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->changes; i++)
        count += c->change[i].answer || c->change[i].wants;
    return count;
}

/* By ranks and numbers of calls, which are the program's (diagnose/README.md, rule 1). */
static int compare_changes(const struct ncs_change *a, const struct ncs_change *b)
{
    const int64_t x[] = { (int64_t)a->course, (int64_t)a->step,    a->kind,         a->comm, a->peer,
                          a->model->comm,     a->model->comm_rank, a->model->number };
    const int64_t y[] = { (int64_t)b->course, (int64_t)b->step,    b->kind,         b->comm, b->peer,
                          b->model->comm,     b->model->comm_rank, b->model->number };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return strcmp(a->key ? a->key : "", b->key ? b->key : "");
}

/* By cost; of equal cost, candidates that answer more waiting calls come first, then the lower
 * ranks. */
static int cheapest_compare(const struct ncs_explanation *a, const struct ncs_explanation *b)
{
    size_t term;
    int by = compare_costs(&a->cost, &b->cost, TERMS, &term);
    if (by || answers(a) != answers(b))
        return by ? by : answers(a) > answers(b) ? -1 : 1;
    for (size_t i = 0; i < a->changes; i++) /* as many edits, so as many changes */
        if (compare_changes(&a->change[i], &b->change[i]))
            return compare_changes(&a->change[i], &b->change[i]);
    return 0;
}

static bool same_changes(const struct ncs_explanation *a, const struct ncs_explanation *b)
{
    if (a->changes != b->changes)
        return false;
    for (size_t i = 0; i < a->changes; i++)
        if (a->change[i].kind != b->change[i].kind || a->change[i].course != b->change[i].course ||
            a->change[i].step != b->change[i].step || a->change[i].comm != b->change[i].comm ||
            a->change[i].peer != b->change[i].peer || a->change[i].key != b->change[i].key ||
            a->change[i].model != b->change[i].model || a->change[i].answer != b->change[i].answer)
            return false;
    return true;
}

/* ---- lists with the cheapest first ---- */

static void drop(struct ncs_explanation *list, size_t *count, size_t at)
{
    ncs_candidate_free(&list[at]);
    --*count;
    memmove(&list[at], &list[at + 1], (*count - at) * sizeof *list);
}

/* Takes over the candidate. Of two with the same changes the cheaper one stays (two comparisons may
 * lead to the same changes at different costs); if the list then has more than `most`, the most
 * expensive one is freed. */
static void cheapest_insert(struct ncs_explanation *list, size_t *count, size_t most, struct ncs_explanation *c)
{
    size_t at = 0;
    for (size_t i = 0; i < *count; i++) {
        if (!same_changes(c, &list[i]))
            continue;
        if (cheapest_compare(c, &list[i]) >= 0) {
            ncs_candidate_free(c);
            return;
        }
        drop(list, count, i);
        break;
    }
    while (at < *count && cheapest_compare(&list[at], c) <= 0)
        at++;
    if (at == most) {
        ncs_candidate_free(c);
        return;
    }
    if (*count == most)
        drop(list, count, most - 1);
    memmove(&list[at + 1], &list[at], (*count - at) * sizeof *list);
    list[at] = *c;
    ++*count;
}

void ncs_candidate_try(struct ncs_explanations *s, struct ncs_explanation *c)
{
    join_comms(c);
    if (!c->changes || exchanges(c)) {
        ncs_candidate_free(c);
        return;
    }
    c->of = s;
    c->cost = cost_of(s, c);
    cheapest_insert(s->candidate, &s->candidates, NCS_CANDIDATES_TRIED, c);
}

static bool has_change(const struct ncs_explanation *c, const struct ncs_change *change)
{
    for (size_t i = 0; i < c->changes; i++) {
        const struct ncs_change *own = &c->change[i];
        if (!own->host && own->kind == change->kind && own->course == change->course && own->comm == change->comm &&
            ncs_at_same_place(own->model, change->model))
            return true;
    }
    return false;
}

/* True if the candidate changes all that `less` does, and else only messages. The run goes on
 * without changing those; stages of a pipeline differ in their messages anyway. */
static bool changes_needlessly(const struct ncs_explanation *c, const struct ncs_explanation *less)
{
    bool more = false;
    for (size_t i = 0; i < less->changes; i++)
        if (less->change[i].host || !has_change(c, &less->change[i]))
            return false;
    for (size_t i = 0; i < c->changes; i++) {
        bool own = c->change[i].host || !has_change(less, &c->change[i]);
        if (own && (c->change[i].host || !ncs_call_is_pair(c->change[i].model)))
            return false;
        more |= own;
    }
    return more;
}

/* True if a kept candidate does the same with less. Drops kept candidates that do
 * the same with more. */
static bool is_needless(struct ncs_explanations *s, const struct ncs_explanation *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (changes_needlessly(c, &s->best[i]))
            return true;
    for (size_t i = 0; i < s->count; i++)
        if (changes_needlessly(&s->best[i], c))
            ncs_candidate_free(&s->best[i]);
        else
            s->best[kept++] = s->best[i];
    s->count = kept;
    return false;
}

/* Notes a candidate with the terms of its cost, by which it is dearer than the one before, and the outcome of its rehearsal. */
static void weigh_candidate(const struct ncs_explanations *s, const struct ncs_explanation *c, const struct ncs_cost *before,
                            const char *outcome)
{
    static const char *const names[TERMS] = { "ranks", "size", "further", "kind", "supposed", "edits" };
    struct ncs_str *out = &s->q->result->weighed;
    size_t term;
    ncs_str_addf(out, "candidate %zu: ", c->number);
    ncs_explanation_format_edits(c, out);
    ncs_str_add(out, ": ");
    for (size_t i = 0; i < TERMS; i++)
        ncs_str_addf(out, "%s%s %" PRId64, i ? ", " : "", names[i], term_of(&c->cost, i));
    if (before && compare_costs(before, &c->cost, TERMS_BEFORE, &term) < 0)
        ncs_str_addf(out, "; dearer by %s %" PRId64 " > %" PRId64, names[term], term_of(&c->cost, term), term_of(before, term));
    ncs_str_addf(out, "; %s\n", outcome);
}

/* A candidate whose cost is worse than the worst of a full list is not rehearsed: rehearsals take
 * the most time of all. `supposed` is known only after one. */
void ncs_candidates_rehearse(struct ncs_explanations *s)
{
    enum { SHOWN = 12 };
    struct ncs_cost before = { 0 };
    for (size_t i = 0; i < s->candidates; i++) {
        struct ncs_explanation *c = &s->candidate[i];
        bool full = s->count == NCS_EXPLANATIONS_KEPT;
        size_t term;
        bool dearer = full && compare_costs(&s->best[s->count - 1].cost, &c->cost, TERMS_BEFORE, &term) < 0;
        struct ncs_rehearsed r = { .blocked = 1 };
        c->number = ++s->rehearsed;
        if (!dearer)
            ncs_rehearse(s->cast, c->change, c->changes, &r);
        ncs_free(r.waits);
        c->cost.supposed = r.supposed;
        s->in_step &= !c->shifted || (!dearer && r.blocked);
        bool needless = !r.blocked && is_needless(s, c);
        if (ncs_decisions_kept && i < SHOWN) {
            char outcome[80];
            snprintf(outcome, sizeof outcome, "the rehearsal leaves %zu wait%s or launch%s unfinished", r.blocked,
                     r.blocked > 1 ? "s" : "", r.blocked > 1 ? "es" : "");
            weigh_candidate(s, c, i ? &before : NULL,
                            dearer      ? "not rehearsed: dearer than all that are kept"
                            : r.blocked ? outcome
                            : needless  ? "frees all, but another does it with less"
                                        : "the rehearsal frees all");
        }
        before = c->cost;
        if (r.blocked || needless)
            ncs_candidate_free(c);
        else
            cheapest_insert(s->best, &s->count, NCS_EXPLANATIONS_KEPT, c);
    }
    if (ncs_decisions_kept && s->candidates > SHOWN)
        ncs_str_addf(&s->q->result->weighed, "and %zu more candidate%s\n", s->candidates - SHOWN,
                     s->candidates - SHOWN > 1 ? "s" : "");
    s->candidates = 0;
}
