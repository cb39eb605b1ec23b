/* Ways, and how two of them differ: the cheapest alignment of their steps with gaps (dynamic
 * programming, as in Needleman and Wunsch; a table, because the gaps
 * themselves and their weights are needed). */
#include "diagnose/explanation/divergence.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Steps behind the common beginning that are compared: the table takes room by the square. A way
 * that is cut off here counts as open. */
enum { MOST_STEPS = 512 };

/* ---- ways ---- */

/* By rank + 2 (0 is no key): the sum of the classes of its communicators. A sum, since
 * communicators may be made in another order on each rank. */
static void divergence_read_seats(const struct ncs_analysis *q, const struct ncs_courses *courses, struct ncs_map *seats)
{
    struct ncs_map known = { 0 }; /* rank and class -> 1 */
    for (size_t c = 0; c < q->journal->comms; c++)
        for (int r = 0; r < q->journal->comm[c]->members; r++) {
            uint64_t rank = (uint64_t)(int64_t)q->journal->comm[c]->member[r].rank + 2;
            uint64_t key = ncs_hash(rank, courses->class_of[c]) | 1;
            if (ncs_map_get(&known, key))
                continue;
            ncs_map_put_number(&known, key, 1);
            ncs_map_put_number(seats, rank, ncs_map_number(seats, rank) + courses->class_of[c]);
        }
    ncs_map_free(&known);
}

void ncs_ways_read(const struct ncs_analysis *q, const struct ncs_courses *courses, struct ncs_ways *out)
{
    struct ncs_map known = { 0 }, seats = { 0 };
    memset(out, 0, sizeof *out);
    divergence_read_seats(q, courses, &seats);
    for (size_t i = 0; i < courses->count; i++) {
        const struct ncs_course *c = &courses->of[i];
        uint64_t key = ncs_hash(ncs_hash(c->sites, c->over), ncs_map_number(&seats, (uint64_t)(int64_t)c->rank + 2)) | 1;
        size_t at = ncs_map_number(&known, key);
        if (!at) {
            struct ncs_way fresh = { .step = c->step, .steps = c->steps, .open = !c->over };
            NCS_PUSH(out->of, out->count, out->room, fresh);
            ncs_map_put_number(&known, key, at = out->count);
        }
        struct ncs_way *way = &out->of[at - 1];
        NCS_PUSH(way->course, way->courses, way->room, i);
    }
    ncs_map_free(&known);
    ncs_map_free(&seats);
    ncs_roles_read(q, courses, &out->roles);
    for (size_t i = 0; i < out->count; i++) {
        struct ncs_way *way = &out->of[i];
        way->spot = ncs_new((out->roles.spots + 1) * sizeof *way->spot);
        for (size_t k = 0; k < out->roles.spots; k++) {
            way->spot[k] = true;
            for (size_t c = 0; c < way->courses; c++)
                way->spot[k] &= ncs_spot_is_expected(&out->roles, way->course[c], k);
        }
    }
}

void ncs_ways_free(struct ncs_ways *w)
{
    for (size_t i = 0; i < w->count; i++) {
        ncs_free(w->of[i].course);
        ncs_free(w->of[i].spot);
    }
    ncs_roles_free(&w->roles);
    ncs_free(w->of);
}

/* ---- alignment ---- */

/* The steps of a way that are compared, as indices. */
struct shown {
    const struct ncs_step *step;
    size_t steps;
    size_t *at;
    size_t count;
};

struct table { /* cost[i][j]: the least cost to align i steps of the way with j of the model */
    struct shown a, b;
    size_t same; /* steps of the common beginning, which is not in the table */
    size_t n, m;
    unsigned *cost, more, fewer;
};

static unsigned *cell(const struct table *t, size_t i, size_t j)
{
    return &t->cost[i * (t->m + 1) + j];
}

static uint64_t site_at(const struct shown *w, size_t i)
{
    return w->step[w->at[i]].site;
}

static bool divergence_alike(const struct table *t, size_t i, size_t j)
{
    return site_at(&t->a, t->same + i) == site_at(&t->b, t->same + j);
}

static void divergence_fill(struct table *t)
{
    for (size_t i = 0; i <= t->n; i++)
        for (size_t j = 0; j <= t->m; j++) {
            unsigned best = i || j ? UINT32_MAX : 0;
            if (i && *cell(t, i - 1, j) + t->more < best)
                best = *cell(t, i - 1, j) + t->more;
            if (j && *cell(t, i, j - 1) + t->fewer < best)
                best = *cell(t, i, j - 1) + t->fewer;
            if (i && j && divergence_alike(t, i - 1, j - 1) && *cell(t, i - 1, j - 1) < best)
                best = *cell(t, i - 1, j - 1);
            *cell(t, i, j) = best;
        }
}

/* The lone wait for a key in which the way ends, which is not compared; NULL = none. */
static const struct ncs_step *hidden_wait(const struct ncs_step *step, size_t steps)
{
    const struct ncs_step *last = steps ? &step[steps - 1] : NULL;
    return last && last->lone && last->kind == NCS_STEP_GET && !last->host->over ? last : NULL;
}

static bool has_come_to(const struct shown *w, uint64_t site)
{
    for (size_t i = 0; i < w->count; i++)
        if (site_at(w, i) == site)
            return true;
    return false;
}

/* False if the rank waits for a key behind a loop and the other's step is in that loop: the rank
 * will go on behind the loop, so the step is missing and not only still to come. */
static bool may_come_to(const struct shown *own, const struct shown *other, size_t at)
{
    const struct ncs_step *here = hidden_wait(own->step, own->steps);
    const struct ncs_place *there = &other->step[other->at[at]].call->place;
    bool back = here && here->call->place.file == there->file && here->call->place.line > there->line;
    return !back || !has_come_to(own, site_at(other, at));
}

/* Where the alignment ends: steps beyond cost nothing if the shorter way is open, because a rank
 * that is still running may yet make them. Takes the cheapest such end. */
static void divergence_find_end(const struct table *t, bool a_open, bool b_open, size_t *i, size_t *j)
{
    *i = t->n;
    *j = t->m;
    for (size_t k = t->m; a_open && k-- > 0 && may_come_to(&t->a, &t->b, t->same + k);)
        if (*cell(t, t->n, k) < *cell(t, *i, *j)) {
            *i = t->n;
            *j = k;
        }
    for (size_t k = t->n; b_open && k-- > 0 && may_come_to(&t->b, &t->a, t->same + k);)
        if (*cell(t, k, t->m) < *cell(t, *i, *j)) {
            *i = k;
            *j = t->m;
        }
}

/* The index in the whole way of compared step i; behind the last one, the end, but before a hidden
 * wait. */
static size_t divergence_place_of(const struct shown *w, size_t i)
{
    return i < w->count ? w->at[i] : w->steps - (hidden_wait(w->step, w->steps) != NULL);
}

/* Reads the gaps from the table, from the end to the beginning, and puts them in order. Of equal
 * costs it prefers equal steps. The common beginning is not in the table, so a rank that made one
 * round of a loop less than the others lacks the last one. */
static void trace_back(const struct table *t, size_t i, size_t j, struct ncs_divergence *out)
{
    while (i || j) {
        unsigned cost = *cell(t, i, j);
        bool same = i && j && divergence_alike(t, i - 1, j - 1) && *cell(t, i - 1, j - 1) == cost;
        bool more = !same && i && *cell(t, i - 1, j) + t->more == cost;
        i -= same || more;
        j -= !more;
        struct ncs_gap gap = { .more = more,
                               .at = divergence_place_of(&t->a, t->same + i),
                               .of = divergence_place_of(&t->b, t->same + j) };
        if (!same)
            NCS_PUSH(out->gap, out->gaps, out->room, gap);
    }
    for (size_t k = 0; k < out->gaps / 2; k++) {
        struct ncs_gap swap = out->gap[k];
        out->gap[k] = out->gap[out->gaps - 1 - k];
        out->gap[out->gaps - 1 - k] = swap;
    }
}

/* The steps of `way` to compare with `other`. Messages that the other's ranks are not expected to
 * make, as at the ends of a pipeline, are no difference; every rank makes the collectives. */
static struct shown show(const struct ncs_ways *ways, const struct ncs_way *way, const struct ncs_way *other, bool collectives)
{
    struct shown s = { .step = way->step, .steps = way->steps, .at = ncs_new((way->steps + 1) * sizeof *s.at) };
    for (size_t i = 0; i < way->steps; i++) {
        const struct ncs_step *step = &way->step[i];
        bool fits = collectives ? step->kind == NCS_STEP_CALL && !step->role
                                : !step->role || other->spot[ncs_spot_number(&ways->roles, step->site)];
        if (fits && !step->lone)
            s.at[s.count++] = i;
    }
    return s;
}

static void shorten(size_t *steps, bool *open)
{
    if (*steps <= MOST_STEPS)
        return;
    *steps = MOST_STEPS;
    *open = true;
}

bool ncs_diverge(const struct ncs_ways *ways, size_t way, size_t model, struct ncs_weights weights, struct ncs_divergence *out)
{
    const struct ncs_way *a = &ways->of[way], *b = &ways->of[model];
    bool a_open = a->open, b_open = b->open;
    struct table t = { .a = show(ways, a, b, weights.collectives),
                       .b = show(ways, b, a, weights.collectives),
                       .more = weights.more,
                       .fewer = weights.fewer };
    while (t.same < t.a.count && t.same < t.b.count && divergence_alike(&t, 0, 0))
        t.same++;
    t.n = t.a.count - t.same;
    t.m = t.b.count - t.same;
    shorten(&t.n, &a_open);
    shorten(&t.m, &b_open);
    t.cost = ncs_new((t.n + 1) * (t.m + 1) * sizeof *t.cost);
    divergence_fill(&t);
    size_t i, j;
    divergence_find_end(&t, a_open, b_open, &i, &j);
    *out = (struct ncs_divergence){ .way = way, .model = model };
    trace_back(&t, i, j, out);
    ncs_free(t.cost);
    ncs_free(t.a.at);
    ncs_free(t.b.at);
    return out->gaps > 0;
}

/* True if the gap repeats the steps before it: another round of a loop, which counts as one
 * mistake. */
static bool is_round(const struct ncs_step *step, size_t at, size_t steps, const struct ncs_step *gap)
{
    if (steps > at)
        return false;
    for (size_t i = 0; i < steps; i++)
        if (step[at - steps + i].site != gap[i].site)
            return false;
    return true;
}

/* False for steps that do not count as a mistake: waits follow from a rank's calls, and an extra
 * wait for a key, or an extra key, changes nothing for the others. */
static bool is_weighed(const struct ncs_step *s, bool more)
{
    return s->kind != NCS_STEP_WAIT && s->kind != NCS_STEP_GET && !(s->kind == NCS_STEP_SET && more);
}

size_t ncs_divergence_size(const struct ncs_ways *ways, const struct ncs_divergence *d)
{
    const struct ncs_step *own = ways->of[d->way].step, *model = ways->of[d->model].step;
    size_t size = 0;
    for (size_t i = 0, next; i < d->gaps; i = next) {
        const struct ncs_gap *g = &d->gap[i];
        for (next = i + 1; next < d->gaps && d->gap[next].more == g->more &&
                           (g->more ? d->gap[next].at == g->at + (next - i) : d->gap[next].of == g->of + (next - i));)
            next++;
        bool round = is_round(own, g->at, next - i, g->more ? own + g->at : model + g->of);
        size_t calls = 0;
        for (size_t k = i; k < next; k++)
            calls += is_weighed(d->gap[k].more ? &own[d->gap[k].at] : &model[d->gap[k].of], d->gap[k].more);
        size += round ? 1 : calls;
    }
    return size;
}
