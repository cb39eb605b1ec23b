/* The distance between two courses: how many places one visits and the other does not, in order.
 * The right change brings a wrong rank closer to the others. A change that only lets the run go on
 * takes that rank, or the others, further away. So the candidate with the smallest sum of distances
 * is preferred. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/mem.h"

enum {
    FAR = 24,         /* the largest distance; the search below takes time by its square */
    MOST_CHANGED = 64 /* courses; a candidate that changes more is given the present sum, to save time */
};

struct trail { /* the places that a course visits */
    const struct ncs_step *step;
    size_t steps;
    const bool *spot; /* it is expected to send or receive there, by number */
    const bool *seat; /* its rank is in a communicator of that class, by the class's number */
    struct ncs_map own; /* roles of sends and receives that a change puts in, beyond `spot` -> 1 */
    uint64_t left;      /* the site of its last step, in which it waits, if a change leaves that out; 0 = none */
    bool open;
};

struct ncs_misfits {
    const struct ncs_courses *courses;
    const struct ncs_ways *ways;
    const struct ncs_usual *usual;
    struct trail *of; /* by way */
    size_t *way_of;   /* by course */
    bool *related;    /* by way and way: they have a place in common */
    bool *seat;       /* by way and class of communicators */
    size_t now;       /* the sum of all distances without changes */
    size_t *a, *b, room; /* scratch of distance() */
};

/* ---- two courses ---- */

/* True if the trail is expected to make that send or receive. */
static bool takes(const struct ncs_misfits *m, const struct trail *t, const struct ncs_step *s)
{
    size_t spot = ncs_spot_number(&m->ways->roles, s->site);
    return (spot < m->ways->roles.spots && t->spot[spot]) || ncs_map_get(&t->own, s->role);
}

/* False for a collective on a kind of communicator that the rank is not in: it cannot be missing
 * there. */
static bool may_make(const struct ncs_misfits *m, const struct trail *t, const struct ncs_step *s)
{
    return s->kind != NCS_STEP_CALL || s->role || t->seat[m->courses->class_number[s->comm]];
}

/* The steps of `own` that `other` should have, too, as indices (see ncs_diverge). Left out are
 * waits and what else comes with calls (ncs_comes_with_calls), keys that few ranks use, and calls
 * that the other rank cannot make or is not expected to make. */
static size_t shown(const struct ncs_misfits *m, const struct trail *own, const struct trail *other, size_t *at)
{
    size_t n = 0;
    for (size_t i = 0; i < own->steps; i++) {
        const struct ncs_step *s = &own->step[i];
        if (s->kind != NCS_STEP_WAIT && !ncs_comes_with_calls(s) && !s->lone && (!s->role || takes(m, other, s)) && may_make(m, other, s))
            at[n++] = i;
    }
    return n;
}

struct pair {
    const struct trail *a, *b;
    const size_t *at_a, *at_b;
    size_t n, m;
    bool alike; /* they have a place in common, or one has no step that could be compared */
};

/* How many steps are the same from (i, j) on: the free part of a diagonal in Myers' search. */
static size_t slide(struct pair *p, size_t i, size_t j)
{
    size_t same = 0;
    while (i + same < p->n && j + same < p->m &&
           p->a->step[p->at_a[i + same]].site == p->b->step[p->at_b[j + same]].site)
        same++;
    p->alike |= same > 0;
    return same;
}

/* True if `own` would have to go back in the program to reach the other's next step, which the
 * other reached by going forward (a loop does go back, so a step back of the other is no sign).
 * Also true if it would come at once to the step that the change leaves out. */
static bool goes_back(const struct trail *own, const struct trail *other, size_t next)
{
    if (own->left && own->left == other->step[next].site)
        return true;
    const struct ncs_call *last = own->steps ? own->step[own->steps - 1].call : NULL;
    const struct ncs_place *here = last && !(last->unsaid & NCS_UNSAID_PLACE) ? &last->place : NULL;
    const struct ncs_place *there = &other->step[next].call->place;
    const struct ncs_place *before = next ? &other->step[next - 1].call->place : NULL;
    bool back = here && here->file == there->file && here->line > there->line;
    bool loops = before && before->file == there->file && before->line >= there->line;
    return back && !(loops && before->line >= here->line);
}

/* An open trail may go on, so its end costs nothing, unless it would have to go back. */
static bool turn(const struct pair *p, size_t i, size_t j)
{
    bool a = i == p->n && j < p->m && goes_back(p->a, p->b, p->at_b[j]);
    bool b = j == p->m && i < p->n && goes_back(p->b, p->a, p->at_a[i]);
    return a || b;
}

/* True if the trails are compared: both ended, or the shorter one is open, because a rank that is
 * still running may yet make all steps that the other has made. */
static bool is_end(const struct pair *p, size_t i, size_t j)
{
    return (i == p->n && (j == p->m || p->a->open)) || (j == p->m && p->b->open);
}

/* The fewest steps to insert or remove, FAR at most (E. Myers, "An O(ND) difference algorithm",
 * 1986: greedy along the diagonals k = i - j, with d edits in round d). An end that needs a step
 * back costs one more, so the other ends of the same round are tried first. */
static size_t edits(struct pair *p)
{
    enum { SIDE = FAR + 1, DIAGONALS = 2 * FAR + 3 };
    size_t reached[DIAGONALS] = { 0 }; /* by diagonal: how far in a */
    size_t fewest = FAR;
    bool ends = false; /* an end was found that needs a step back */
    for (int d = 0; d < FAR && !ends; d++)
        for (int k = -d; k <= d; k += 2) {
            bool down = k == -d || (k != d && reached[SIDE + k - 1] < reached[SIDE + k + 1]);
            size_t i = d == 0 ? 0 : down ? reached[SIDE + k + 1] : reached[SIDE + k - 1] + 1;
            if (i > p->n || (k > 0 && i < (size_t)k) || i + (size_t)(-k) > p->m) {
                reached[SIDE + k] = i > p->n ? p->n : i;
                continue;
            }
            size_t j = i - (size_t)k;
            size_t same = slide(p, i, j);
            reached[SIDE + k] = i + same;
            if (is_end(p, i + same, j + same)) {
                p->alike |= d == 0;
                if (!turn(p, i + same, j + same))
                    return (size_t)d;
                ends = true;
                fewest = (size_t)d + 1;
            }
        }
    return fewest;
}

/* `alike` may be NULL. Uses the scratch of m, so m is not const. */
static size_t distance(struct ncs_misfits *m, const struct trail *a, const struct trail *b, bool *alike)
{
    size_t room = (a->steps > b->steps ? a->steps : b->steps) + 1;
    if (room > m->room) {
        m->a = ncs_resize(m->a, room * sizeof *m->a);
        m->b = ncs_resize(m->b, room * sizeof *m->b);
        m->room = room;
    }
    struct pair p = { .a = a, .b = b, .at_a = m->a, .at_b = m->b };
    p.n = shown(m, a, b, m->a);
    p.m = shown(m, b, a, m->b);
    size_t d = edits(&p);
    if (alike)
        *alike = p.alike;
    return d;
}

/* ---- all courses ---- */

/* All courses of a way are of ranks in the same kinds of communicators, so its first one stands for
 * it. */
static void misfit_read_seats(const struct ncs_analysis *q, struct ncs_misfits *m)
{
    m->seat = ncs_new((m->ways->count * m->courses->classes + 1) * sizeof *m->seat);
    for (size_t w = 0; w < m->ways->count; w++) {
        int rank = m->courses->of[m->ways->of[w].course[0]].rank;
        for (size_t c = 0; c < q->journal->comms; c++)
            for (int r = 0; r < q->journal->comm[c]->members; r++)
                if (q->journal->comm[c]->member[r].rank == rank)
                    m->seat[w * m->courses->classes + m->courses->class_number[c]] = true;
    }
}

struct ncs_misfits *ncs_misfits_new(const struct ncs_analysis *q, const struct ncs_courses *courses,
                                    const struct ncs_ways *ways, const struct ncs_usual *usual)
{
    struct ncs_misfits *m = ncs_new(sizeof *m);
    size_t n = ways->count;
    m->courses = courses;
    m->ways = ways;
    m->usual = usual;
    m->of = ncs_new((n + 1) * sizeof *m->of);
    m->way_of = ncs_new((courses->count + 1) * sizeof *m->way_of);
    m->related = ncs_new((n * n + 1) * sizeof *m->related);
    misfit_read_seats(q, m);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < ways->of[i].courses; k++) {
            const struct ncs_course *c = &courses->of[ways->of[i].course[k]];
            m->now += ncs_usual_count_unlike(m->usual, c->step, c->steps);
            for (size_t t = 0; t < c->steps; t++)
                m->now += c->step[t].unmatched;
        }
        m->of[i] = (struct trail){ .step = ways->of[i].step, .steps = ways->of[i].steps, .spot = ways->of[i].spot,
                                   .seat = m->seat + i * courses->classes, .open = ways->of[i].open };
        for (size_t k = 0; k < ways->of[i].courses; k++)
            m->way_of[ways->of[i].course[k]] = i;
    }
    for (size_t i = 0; i < n; i++) {
        m->related[i * n + i] = true;
        for (size_t k = 0; k < i; k++) {
            bool alike;
            size_t d = distance(m, &m->of[i], &m->of[k], &alike);
            m->related[i * n + k] = m->related[k * n + i] = alike;
            m->now += alike ? d * ways->of[i].courses * ways->of[k].courses : 0;
        }
    }
    return m;
}

void ncs_misfits_free(struct ncs_misfits *m)
{
    if (!m)
        return;
    ncs_free(m->of);
    ncs_free(m->way_of);
    ncs_free(m->related);
    ncs_free(m->seat);
    ncs_free(m->a);
    ncs_free(m->b);
    ncs_free(m);
}

/* ---- with changes ---- */

struct changed {
    size_t course, way;
    struct ncs_step *step; /* the caller's */
    struct trail trail;
};

/* Adds the step that the change inserts, with the neighbours of its example that come with it
 * (c->ahead before and c->behind after). */
static void misfit_add_step(struct ncs_step *step, size_t *steps, const struct ncs_misfits *m,
                            const struct ncs_change *c)
{
    const struct ncs_call *call = c->like ? c->like->call : c->model;
    struct ncs_step own = { .call = call, .kind = NCS_STEP_CALL, .site = c->like ? c->like->site : 0,
                            .comm = call->comm, .comm_rank = call->comm_rank };
    if (c->host) {
        own = *c->like;
        own.key = c->key;
    } else if (!c->answer && c->peer < 0)
        ncs_step_mark(m->courses, call, c->comm, &own);
    else if (!c->like || c->like->role) /* an example without a role sends to all ranks: no distance to share */
        own.role = ncs_role_of(m->courses, ncs_change_fn(c), c->comm, c->comm_rank, c->peer);
    for (int k = -c->ahead; k <= c->behind; k++)
        step[(*steps)++] = k ? c->like[k] : own;
}

/* The course with its changes, which are sorted by step. The caller frees the steps and
 * trail.own. */
static struct changed change_course(const struct ncs_misfits *m, const struct ncs_change *change, size_t changes)
{
    const struct ncs_course *own = &m->courses->of[change->course];
    size_t room = own->steps + changes + 1;
    for (size_t i = 0; i < changes; i++)
        room += (size_t)(change[i].ahead + change[i].behind);
    struct changed c = { .course = change->course, .way = m->way_of[change->course],
                         .step = ncs_new(room * sizeof *c.step) };
    size_t steps = 0, k = 0;
    uint64_t left = 0;
    for (size_t i = 0; i <= own->steps; i++) {
        bool replaced = false;
        for (; k < changes && change[k].step <= i; k++) {
            if (change[k].kind == NCS_CHANGE_PUT_IN || change[k].kind == NCS_CHANGE_COMM)
                misfit_add_step(c.step, &steps, m, &change[k]);
            replaced |= change[k].kind != NCS_CHANGE_PUT_IN;
            if (change[k].kind == NCS_CHANGE_LEAVE_OUT && i + 1 == own->steps)
                left = own->step[i].site;
            if (change[k].kind == NCS_CHANGE_KEY) {
                c.step[steps] = own->step[i];
                c.step[steps++].key = change[k].key;
            }
            if (change[k].kind == NCS_CHANGE_PEER) {
                c.step[steps] = own->step[i];
                c.step[steps++].role = ncs_role_of(m->courses, change[k].model->fn, change[k].comm,
                                                   change[k].comm_rank, change[k].peer);
            }
        }
        if (i < own->steps && !replaced)
            c.step[steps++] = own->step[i];
    }
    c.trail = (struct trail){ .step = c.step, .steps = steps, .spot = m->of[c.way].spot, .seat = m->of[c.way].seat, .left = left,
                              .open = !own->over };
    for (size_t i = 0; i < changes; i++)
        if (change[i].kind == NCS_CHANGE_PUT_IN && change[i].peer >= 0)
            ncs_map_put_number(&c.trail.own, ncs_role_of(m->courses, ncs_change_fn(&change[i]), change[i].comm,
                                                         change[i].comm_rank, change[i].peer), 1);
    return c;
}

/* The distances between the changed courses and all others, before or after the change. Only pairs
 * with a changed course are summed, each once: the rest of ncs_misfits.now stays as it is. Ways are
 * counted by the courses that are not changed themselves. */
static size_t sum(struct ncs_misfits *m, struct changed *changed, size_t count, bool then)
{
    size_t n = m->ways->count, total = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trail *a = then ? &changed[i].trail : &m->of[changed[i].way];
        const struct ncs_course *own = &m->courses->of[changed[i].course];
        total += then ? ncs_usual_count_unlike(m->usual, a->step, a->steps) : ncs_usual_count_unlike(m->usual, own->step, own->steps);
        for (size_t w = 0; w < n; w++) {
            size_t others = m->ways->of[w].courses;
            for (size_t k = 0; k < count; k++)
                others -= changed[k].way == w;
            if (others && m->related[changed[i].way * n + w])
                total += others * distance(m, a, &m->of[w], NULL);
        }
        for (size_t k = 0; k < i; k++) {
            const struct trail *b = then ? &changed[k].trail : &m->of[changed[k].way];
            if (m->related[changed[i].way * n + changed[k].way])
                total += distance(m, a, b, NULL);
        }
    }
    return total;
}

size_t ncs_misfits_way(const struct ncs_misfits *m, size_t course)
{
    return m->way_of[course];
}

bool ncs_misfits_related(const struct ncs_misfits *m, size_t way, size_t other)
{
    return m->related[way * m->ways->count + other];
}

size_t ncs_misfit_of(struct ncs_misfits *m, size_t course)
{
    const struct ncs_course *own = &m->courses->of[course];
    size_t way = m->way_of[course], total = ncs_usual_count_unlike(m->usual, own->step, own->steps);
    for (size_t w = 0; w < m->ways->count; w++)
        if (w != way && ncs_misfits_related(m, way, w))
            total += m->ways->of[w].courses * distance(m, &m->of[way], &m->of[w], NULL);
    return total;
}

size_t ncs_misfit_now(const struct ncs_misfits *m)
{
    return m->now;
}

/* True if the change lets a set and a wait meet: it renames a set whose key no rank awaits, or
 * lets a wait await such a key. That is worth one step, because each unmatched set counts one in
 * m->now. */
static bool claims_a_key(const struct ncs_misfits *m, const struct ncs_change *change)
{
    if (change->kind != NCS_CHANGE_KEY)
        return false;
    if (change->host->kind == NCS_HOST_SET)
        return m->courses->of[change->course].step[change->step].unmatched;
    for (size_t c = 0; c < m->courses->count; c++)
        for (size_t i = 0; i < m->courses->of[c].steps; i++) {
            const struct ncs_step *s = &m->courses->of[c].step[i];
            if (s->unmatched && strcmp(s->host->what, change->key) == 0)
                return true;
        }
    return false;
}

size_t ncs_misfit_with(struct ncs_misfits *m, const struct ncs_change *change, size_t changes, size_t *turns)
{
    struct changed *changed = NULL;
    size_t count = 0, room = 0;
    for (size_t i = 0, next; i < changes && count <= MOST_CHANGED; i = next) {
        for (next = i + 1; next < changes && change[next].course == change[i].course;)
            next++;
        struct changed c = change_course(m, change + i, next - i);
        NCS_PUSH(changed, count, room, c);
    }
    size_t misfit = m->now;
    if (count <= MOST_CHANGED) {
        size_t then = sum(m, changed, count, true), before = sum(m, changed, count, false);
        misfit = misfit + then > before ? misfit + then - before : 0;
        misfit -= misfit && changes && claims_a_key(m, change);
    }
    for (size_t i = 0; i < count; i++) {
        if (turns)
            *turns += ncs_usual_count_turns(m->usual, changed[i].step, changed[i].trail.steps);
        ncs_map_free(&changed[i].trail.own);
        ncs_free(changed[i].step);
    }
    ncs_free(changed);
    return misfit;
}

size_t ncs_misfit_place(struct ncs_misfits *m, struct ncs_change *change, size_t last)
{
    enum { MOST_STEPS_BACK = 16 }; /* each place costs a comparison with all other courses */
    size_t least = SIZE_MAX, best = last;
    for (size_t back = 0; back <= last && back < MOST_STEPS_BACK; back++) {
        change->step = last - back;
        size_t misfit = ncs_misfit_with(m, change, 1, NULL);
        best = misfit < least ? change->step : best;
        least = misfit < least ? misfit : least;
    }
    change->step = best;
    return least;
}
