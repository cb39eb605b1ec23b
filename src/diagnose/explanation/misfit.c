/* How far courses are apart: the places that one comes to and another does not, in order. A change that is
 * the right one brings the rank back to what the others do; one that only makes the run go on takes it, or
 * them, further away. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

enum {
    FAR = 24,         /* further apart is not counted */
    MOST_CHANGED = 64 /* courses; with more changed than that all is left as it is */
};

struct trail { /* what a course comes to */
    const struct ncs_step *step;
    size_t steps;
    const bool *spot; /* it is expected to send or receive there, by number */
    const bool *seat; /* its rank is one of a communicator of that class, by number */
    struct ncs_map own; /* those beyond that it has all the same -> 1 */
    uint64_t left;      /* the site of its last step, which it stands in, and which is left out; 0 = none is */
    bool open;
};

struct ncs_misfits {
    const struct ncs_courses *courses;
    const struct ncs_ways *ways;
    struct trail *of; /* by way */
    size_t *way_of;   /* by course */
    bool *related;    /* by way and way: they come to some place alike */
    bool *seat;       /* by way and class of communicators */
    size_t now;       /* the sum as it is */
    struct ncs_map roles; /* site -> the role that most have who send or receive there */
    struct ncs_map turns; /* back in the program, from site to site -> 1 */
    size_t *a, *b, room; /* room for what is compared */
};

/* ---- peers and keys ---- */

/* The property that most ranks share at a place: the distance of their peer, or their key without
 * its numbers. */
static uint64_t misfit_role_of(const struct ncs_step *s)
{
    bool key = s->kind == NCS_STEP_SET || s->kind == NCS_STEP_GET;
    return !key ? s->role : s->lone ? 0 : ncs_key_class(s->key ? s->key : s->host->what);
}

static uint64_t misfit_key_of(uint64_t site, uint64_t role)
{
    return ncs_hash(ncs_hash(5, site), role) | 1;
}

/* The role of most at each place, if it is that of more than half. */
static void read_roles(struct ncs_misfits *m)
{
    struct ncs_map seen = { 0 }; /* site -> times, site and role -> times */
    if (!m->courses->any_role && !m->courses->any_key)
        return;
    for (size_t c = 0; c < m->courses->count; c++)
        for (size_t i = 0; i < m->courses->of[c].steps; i++) {
            const struct ncs_step *s = &m->courses->of[c].step[i];
            uint64_t role = misfit_role_of(s);
            if (!role)
                continue;
            ncs_map_put_number(&seen, s->site, ncs_map_number(&seen, s->site) + 1);
            ncs_map_put_number(&seen, misfit_key_of(s->site, role),
                               ncs_map_number(&seen, misfit_key_of(s->site, role)) + 1);
        }
    for (size_t c = 0; c < m->courses->count; c++)
        for (size_t i = 0; i < m->courses->of[c].steps; i++) {
            const struct ncs_step *s = &m->courses->of[c].step[i];
            uint64_t role = misfit_role_of(s);
            if (role && 2 * ncs_map_number(&seen, misfit_key_of(s->site, role)) > ncs_map_number(&seen, s->site))
                ncs_map_put_number(&m->roles, s->site, (size_t)role);
        }
    ncs_map_free(&seen);
}

static bool misfit_is_odd(const struct ncs_misfits *m, const struct ncs_step *s)
{
    uint64_t role = misfit_role_of(s);
    size_t most = role ? ncs_map_number(&m->roles, s->site) : 0;
    return most && !ncs_roles_alike(&m->ways->roles, most, role);
}

static size_t count_odd(const struct ncs_misfits *m, const struct ncs_step *step, size_t steps)
{
    size_t n = 0;
    for (size_t i = 0; i < steps && m->roles.count; i++)
        n += misfit_is_odd(m, &step[i]);
    return n;
}

/* ---- steps back ---- */

/* Within a group the order of calls says nothing. */
static bool is_back(const struct ncs_step *from, const struct ncs_step *to)
{
    if (from->call->group && to->call->group)
        return false;
    return from->site && to->site && from->call->place.file == to->call->place.file &&
           from->call->place.line > to->call->place.line;
}

static void read_turns(struct ncs_misfits *m)
{
    for (size_t w = 0; w < m->ways->count; w++) {
        const struct ncs_step *from = NULL;
        for (size_t i = 0; i < m->ways->of[w].steps; i++) {
            const struct ncs_step *s = &m->ways->of[w].step[i];
            if (s->kind == NCS_STEP_WAIT)
                continue;
            if (from && is_back(from, s))
                ncs_map_put_number(&m->turns, misfit_key_of(from->site, s->site), 1);
            from = s;
        }
    }
}

/* Steps back where nobody has made one: no loop leads from there to there. */
static size_t count_turns(const struct ncs_misfits *m, const struct ncs_step *step, size_t steps)
{
    const struct ncs_step *from = NULL;
    size_t n = 0;
    for (size_t i = 0; i < steps; i++) {
        if (step[i].kind == NCS_STEP_WAIT)
            continue;
        n += from && is_back(from, &step[i]) && !ncs_map_get(&m->turns, misfit_key_of(from->site, step[i].site));
        from = &step[i];
    }
    return n;
}

/* ---- two courses ---- */

static bool takes(const struct ncs_misfits *m, const struct trail *t, const struct ncs_step *s)
{
    size_t spot = ncs_spot_number(&m->ways->roles, s->site);
    return (spot < m->ways->roles.spots && t->spot[spot]) || ncs_map_get(&t->own, s->role);
}

/* A rank makes no collectives of groups that it is in none of. */
static bool may_make(const struct ncs_misfits *m, const struct trail *t, const struct ncs_step *s)
{
    return s->kind != NCS_STEP_CALL || s->role || t->seat[m->courses->class_number[s->comm]];
}

/* The calls of `own` that are to be found in `other`, too: see ncs_diverge. What a rank waits for on its own
 * comes and goes with its calls. */
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
    bool alike; /* they come to some place both, or to nothing that could be held against each other */
};

static size_t slide(struct pair *p, size_t i, size_t j)
{
    size_t same = 0;
    while (i + same < p->n && j + same < p->m &&
           p->a->step[p->at_a[i + same]].site == p->b->step[p->at_b[j + same]].site)
        same++;
    p->alike |= same > 0;
    return same;
}

/* It would have to go back in the program to come to what the other did next, where that one went forward; or to come
 * at once to what it is to leave out. */
static bool goes_back(const struct trail *own, const struct trail *other, size_t next)
{
    if (own->left && own->left == other->step[next].site)
        return true;
    const struct ncs_place *here = own->steps ? &own->step[own->steps - 1].call->place : NULL;
    const struct ncs_place *there = &other->step[next].call->place;
    const struct ncs_place *before = next ? &other->step[next - 1].call->place : NULL;
    bool back = here && here->file == there->file && here->line > there->line;
    bool loops = before && before->file == there->file && before->line >= there->line;
    return back && !(loops && before->line >= here->line);
}

static bool turn(const struct pair *p, size_t i, size_t j)
{
    bool a = i == p->n && j < p->m && goes_back(p->a, p->b, p->at_b[j]);
    bool b = j == p->m && i < p->n && goes_back(p->b, p->a, p->at_a[i]);
    return a || b;
}

/* A rank that is still running may yet make all steps that the other has made beyond. */
static bool is_end(const struct pair *p, size_t i, size_t j)
{
    return (i == p->n && (j == p->m || p->a->open)) || (j == p->m && p->b->open);
}

/* Fewest steps to put in or leave out (Myers' greedy search along diagonals). */
static size_t edits(struct pair *p)
{
    enum { SIDE = FAR + 1, DIAGONALS = 2 * FAR + 3 };
    size_t reached[DIAGONALS] = { 0 }; /* by diagonal: how far in a */
    size_t fewest = FAR;
    bool ends = false; /* with a step back */
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
                                    const struct ncs_ways *ways)
{
    struct ncs_misfits *m = ncs_new(sizeof *m);
    size_t n = ways->count;
    m->courses = courses;
    m->ways = ways;
    m->of = ncs_new((n + 1) * sizeof *m->of);
    m->way_of = ncs_new((courses->count + 1) * sizeof *m->way_of);
    m->related = ncs_new((n * n + 1) * sizeof *m->related);
    misfit_read_seats(q, m);
    read_roles(m);
    read_turns(m);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < ways->of[i].courses; k++) {
            const struct ncs_course *c = &courses->of[ways->of[i].course[k]];
            m->now += count_odd(m, c->step, c->steps);
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
    ncs_map_free(&m->roles);
    ncs_map_free(&m->turns);
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
        ncs_step_mark(m->courses, c->model, c->comm, &own);
    else if (!c->like || c->like->role) /* what is sent to all of them is no role */
        own.role = ncs_role_of(m->courses, ncs_change_fn(c), c->comm, c->comm_rank, c->peer);
    for (int k = -c->ahead; k <= c->behind; k++)
        step[(*steps)++] = k ? c->like[k] : own;
}

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

/* The distances between the changed courses and all others, before or after the change. */
static size_t sum(struct ncs_misfits *m, struct changed *changed, size_t count, bool then)
{
    size_t n = m->ways->count, total = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trail *a = then ? &changed[i].trail : &m->of[changed[i].way];
        const struct ncs_course *own = &m->courses->of[changed[i].course];
        total += then ? count_odd(m, a->step, a->steps) : count_odd(m, own->step, own->steps);
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

int ncs_misfits_usual_peer(const struct ncs_misfits *m, const struct ncs_step *s)
{
    size_t most = s->role ? ncs_map_number(&m->roles, s->site) : 0;
    return misfit_is_odd(m, s) ? ncs_role_peer(&m->ways->roles, most, s->call->comm_rank) : -1;
}

const struct ncs_step *ncs_misfits_odd_step(const struct ncs_misfits *m, size_t course)
{
    const struct ncs_course *c = &m->courses->of[course];
    for (size_t i = 0; i < c->steps && m->roles.count; i++)
        if (misfit_is_odd(m, &c->step[i]))
            return &c->step[i];
    return NULL;
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
    size_t way = m->way_of[course], total = count_odd(m, own->step, own->steps);
    for (size_t w = 0; w < m->ways->count; w++)
        if (w != way && ncs_misfits_related(m, way, w))
            total += m->ways->of[w].courses * distance(m, &m->of[way], &m->of[w], NULL);
    return total;
}

size_t ncs_misfit_now(const struct ncs_misfits *m)
{
    return m->now;
}

/* True if the change lets a set and a wait meet: it renames a set whose key nobody awaits, or lets a
 * wait await such a key. */
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
            *turns += count_turns(m, changed[i].step, changed[i].trail.steps);
        ncs_map_free(&changed[i].trail.own);
        ncs_free(changed[i].step);
    }
    ncs_free(changed);
    return misfit;
}

size_t ncs_misfit_place(struct ncs_misfits *m, struct ncs_change *change, size_t last)
{
    enum { MOST_STEPS_BACK = 16 };
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
