/* Ways and how they differ: alignment with gaps, and a count of the odd turns. */
#include "diagnose/divergence.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* Longer ways are compared from where they diverge, so far. */
enum { MOST_STEPS = 512 };

/* ---- ways ---- */

static uint64_t key_of(const struct ncs_course *c)
{
    uint64_t key = ncs_hash(c->steps, c->over);
    for (size_t i = 0; i < c->steps; i++)
        key = ncs_hash(key, c->step[i].site);
    return key ? key : 1;
}

void ncs_ways_read(const struct ncs_courses *courses, struct ncs_ways *out)
{
    struct ncs_map known = { 0 };
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < courses->count; i++) {
        const struct ncs_course *c = &courses->of[i];
        uint64_t key = key_of(c);
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
}

void ncs_ways_free(struct ncs_ways *w)
{
    for (size_t i = 0; i < w->count; i++)
        ncs_free(w->of[i].course);
    ncs_free(w->of);
}

/* ---- alignment ---- */

struct table { /* costs[i][j]: of i steps of the way and j of the model */
    const struct ncs_step *a, *b;
    size_t n, m;
    unsigned *cost, more, fewer;
};

static unsigned *cell(const struct table *t, size_t i, size_t j)
{
    return &t->cost[i * (t->m + 1) + j];
}

static void fill(struct table *t)
{
    for (size_t i = 0; i <= t->n; i++)
        for (size_t j = 0; j <= t->m; j++) {
            unsigned best = i || j ? UINT32_MAX : 0;
            if (i && *cell(t, i - 1, j) + t->more < best)
                best = *cell(t, i - 1, j) + t->more;
            if (j && *cell(t, i, j - 1) + t->fewer < best)
                best = *cell(t, i, j - 1) + t->fewer;
            if (i && j && t->a[i - 1].site == t->b[j - 1].site && *cell(t, i - 1, j - 1) < best)
                best = *cell(t, i - 1, j - 1);
            *cell(t, i, j) = best;
        }
}

/* Who is still on the way may do all that the other has done beyond. */
static void find_end(const struct table *t, bool a_open, bool b_open, size_t *i, size_t *j)
{
    *i = t->n;
    *j = t->m;
    for (size_t k = t->m; a_open && k-- > 0;)
        if (*cell(t, t->n, k) < *cell(t, *i, *j)) {
            *i = t->n;
            *j = k;
        }
    for (size_t k = t->n; b_open && k-- > 0;)
        if (*cell(t, k, t->m) < *cell(t, *i, *j)) {
            *i = k;
            *j = t->m;
        }
}

/* From the end to the beginning; the gaps lie as late as they can. */
static void trace_back(const struct table *t, size_t i, size_t j, size_t skipped, struct ncs_divergence *out)
{
    while (i || j) {
        unsigned cost = *cell(t, i, j);
        bool alike = i && j && t->a[i - 1].site == t->b[j - 1].site && *cell(t, i - 1, j - 1) == cost;
        bool more = !alike && i && *cell(t, i - 1, j) + t->more == cost;
        i -= alike || more;
        j -= !more;
        struct ncs_gap gap = { .more = more, .at = skipped + i, .of = skipped + j };
        if (!alike)
            NCS_PUSH(out->gap, out->gaps, out->room, gap);
    }
    for (size_t k = 0; k < out->gaps / 2; k++) {
        struct ncs_gap swap = out->gap[k];
        out->gap[k] = out->gap[out->gaps - 1 - k];
        out->gap[out->gaps - 1 - k] = swap;
    }
}

bool ncs_diverge(const struct ncs_ways *ways, size_t way, size_t model, unsigned more, unsigned fewer,
                 struct ncs_divergence *out)
{
    const struct ncs_way *a = &ways->of[way], *b = &ways->of[model];
    size_t same = 0;
    while (same < a->steps && same < b->steps && a->step[same].site == b->step[same].site)
        same++;
    struct table t = { .a = a->step, .b = b->step, .n = a->steps - same,
                       .m = b->steps - same, .more = more, .fewer = fewer };
    if (same) { /* else a way may have no step to begin at */
        t.a += same;
        t.b += same;
    }
    bool a_open = a->open, b_open = b->open;
    if (t.n > MOST_STEPS) {
        t.n = MOST_STEPS;
        a_open = true;
    }
    if (t.m > MOST_STEPS) {
        t.m = MOST_STEPS;
        b_open = true;
    }
    t.cost = ncs_new((t.n + 1) * (t.m + 1) * sizeof *t.cost);
    fill(&t);
    size_t i, j;
    find_end(&t, a_open, b_open, &i, &j);
    *out = (struct ncs_divergence){ .way = way, .model = model };
    trace_back(&t, i, j, same, out);
    ncs_free(t.cost);
    return out->gaps > 0;
}

/* ---- odd turns ---- */

#define START 1
#define END 2

struct turns {
    struct ncs_map with;   /* from and to -> courses that turn so */
    struct ncs_map passed; /* from -> courses that have gone on from there and do not stand there now */
    struct ncs_map seen;   /* of the course at hand */
    struct turn {
        uint64_t key, from;
        bool back; /* to an earlier line, as at the end of a loop */
    } *turn;               /* all of them, once each */
    size_t turns, room;
};

static uint64_t turn_key(uint64_t from, uint64_t to)
{
    return ncs_hash(ncs_hash(3, from), to);
}

static bool first_time(struct turns *t, uint64_t key)
{
    if (ncs_map_get(&t->seen, key))
        return false;
    ncs_map_put_number(&t->seen, key, 1);
    return true;
}

static bool is_back(const struct ncs_step *from, const struct ncs_step *to)
{
    return from && to && from->call->place.file == to->call->place.file &&
           from->call->place.line >= to->call->place.line;
}

/* NULL: from the start, to the end. */
static void add_turn(struct turns *t, uint64_t way, const struct ncs_step *step, const struct ncs_step *next,
                     size_t courses)
{
    uint64_t from = step ? step->site : START, key = turn_key(from, next ? next->site : END);
    if (!first_time(t, ncs_hash(key, way)))
        return;
    if (!ncs_map_get(&t->with, key)) {
        struct turn turn = { key, from, is_back(step, next) };
        NCS_PUSH(t->turn, t->turns, t->room, turn);
    }
    ncs_map_put_number(&t->with, key, ncs_map_number(&t->with, key) + courses);
    if (first_time(t, ncs_hash(from, ~way)))
        ncs_map_put_number(&t->passed, from, ncs_map_number(&t->passed, from) + courses);
}

static const struct ncs_divergence *of_way(const struct ncs_divergence *d, size_t count, size_t way)
{
    for (size_t i = 0; i < count; i++)
        if (d[i].way == way)
            return &d[i];
    return NULL;
}

static void add_way(struct turns *t, const struct ncs_ways *ways, size_t way, const struct ncs_divergence *d)
{
    const struct ncs_way *w = &ways->of[way];
    const struct ncs_step *from = NULL;
    size_t gap = 0;
    for (size_t i = 0; i <= w->steps; i++) {
        bool left_out = false;
        for (; d && gap < d->gaps && d->gap[gap].at <= i; gap++) {
            if (d->gap[gap].more) {
                left_out = true;
                continue;
            }
            const struct ncs_step *to = &ways->of[d->model].step[d->gap[gap].of];
            add_turn(t, way, from, to, w->courses);
            from = to;
        }
        if (i == w->steps || left_out)
            continue;
        add_turn(t, way, from, &w->step[i], w->courses);
        from = &w->step[i];
    }
    uint64_t here = from ? from->site : START;
    if (!w->open)
        add_turn(t, way, from, NULL, w->courses);
    else if (!first_time(t, ncs_hash(here, ~way))) /* what comes next is not known */
        ncs_map_put_number(&t->passed, here, ncs_map_number(&t->passed, here) - w->courses);
}

static void free_turns(struct turns *t)
{
    ncs_map_free(&t->with);
    ncs_map_free(&t->passed);
    ncs_map_free(&t->seen);
    ncs_free(t->turn);
}

size_t ncs_misfit(const struct ncs_ways *ways, const struct ncs_divergence *mended, size_t count)
{
    struct turns now = { 0 }, then = { 0 };
    for (size_t i = 0; i < ways->count; i++) {
        add_way(&now, ways, i, NULL);
        add_way(&then, ways, i, of_way(mended, count, i));
    }
    size_t misfit = 0;
    for (size_t i = 0; i < then.turns; i++) {
        const struct turn *turn = &then.turn[i];
        size_t with = ncs_map_number(&then.with, turn->key);
        size_t passed = ncs_map_number(&then.passed, turn->from);
        size_t without = passed > with ? passed - with : 0;
        bool unheard = !ncs_map_get(&now.with, turn->key);
        misfit += with < without ? with : without;
        if (unheard && (turn->back || ncs_map_get(&now.passed, turn->from)))
            misfit += with;
    }
    free_turns(&now);
    free_turns(&then);
    return misfit;
}

/* Whether the steps are those before them once more: another round of a loop. */
static bool is_round(const struct ncs_step *step, size_t at, size_t steps, const struct ncs_step *gap)
{
    if (steps > at)
        return false;
    for (size_t i = 0; i < steps; i++)
        if (step[at - steps + i].site != gap[i].site)
            return false;
    return true;
}

size_t ncs_divergence_size(const struct ncs_ways *ways, const struct ncs_divergence *d)
{
    const struct ncs_step *own = ways->of[d->way].step, *model = ways->of[d->model].step;
    size_t size = 0;
    for (size_t i = 0, next; i < d->gaps; i = next) {
        const struct ncs_gap *g = &d->gap[i];
        for (next = i + 1; next < d->gaps && d->gap[next].more == g->more &&
                           (g->more ? d->gap[next].at == g->at + (next - i)
                                    : d->gap[next].of == g->of + (next - i));)
            next++;
        bool round = is_round(own, g->at, next - i, g->more ? own + g->at : model + g->of);
        size += round ? 1 : next - i;
    }
    return size;
}
