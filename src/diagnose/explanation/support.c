/* What other ranks did at the places of a change: how often they were there, and which peer or key they named. A call that
 * a rank made as often as the others is seldom the mistake. Only counts of visits are compared: their order says no more,
 * as a rank that waits has not come to all of its places yet. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

struct ncs_support {
    const struct ncs_courses *courses;
    const struct ncs_ways *ways;
    const struct ncs_usual *usual;
    struct ncs_map visits; /* way and site -> steps there */
    size_t *way_of;        /* by course */
    bool *related;         /* by way and way: they have a place in common */
    bool *seat;            /* by way and class: its rank is in a communicator of that class */
};

static size_t visits_of(const struct ncs_support *s, size_t way, uint64_t site)
{
    return ncs_map_number(&s->visits, ncs_hash(ncs_hash(7, way), site) | 1);
}

static void support_read_seats(const struct ncs_analysis *q, struct ncs_support *s)
{
    s->seat = ncs_new((s->ways->count * s->courses->classes + 1) * sizeof *s->seat);
    for (size_t w = 0; w < s->ways->count; w++) {
        int rank = s->courses->of[s->ways->of[w].course[0]].rank;
        for (size_t c = 0; c < q->journal->comms; c++)
            for (int r = 0; r < q->journal->comm[c]->members; r++)
                if (q->journal->comm[c]->member[r].rank == rank)
                    s->seat[w * s->courses->classes + s->courses->class_number[c]] = true;
    }
}

/* Ways without a place in common may be two programs: the one says nothing of the other. */
static bool share_a_place(const struct ncs_support *s, size_t way, size_t other)
{
    const struct ncs_way *w = &s->ways->of[way];
    for (size_t i = 0; i < w->steps; i++)
        if (w->step[i].kind != NCS_STEP_WAIT && visits_of(s, other, w->step[i].site))
            return true;
    return false;
}

struct ncs_support *ncs_support_new(const struct ncs_analysis *q, const struct ncs_courses *courses, const struct ncs_ways *ways,
                                    const struct ncs_usual *usual)
{
    struct ncs_support *s = ncs_new(sizeof *s);
    size_t n = ways->count;
    *s = (struct ncs_support){ .courses = courses, .ways = ways, .usual = usual };
    s->way_of = ncs_new((courses->count + 1) * sizeof *s->way_of);
    s->related = ncs_new((n * n + 1) * sizeof *s->related);
    support_read_seats(q, s);
    for (size_t w = 0; w < n; w++) {
        for (size_t k = 0; k < ways->of[w].courses; k++)
            s->way_of[ways->of[w].course[k]] = w;
        for (size_t i = 0; i < ways->of[w].steps; i++) {
            uint64_t key = ncs_hash(ncs_hash(7, w), ways->of[w].step[i].site) | 1;
            ncs_map_put_number(&s->visits, key, ncs_map_number(&s->visits, key) + 1);
        }
    }
    for (size_t w = 0; w < n; w++)
        for (size_t k = 0; k <= w; k++)
            s->related[w * n + k] = s->related[k * n + w] = k == w || share_a_place(s, w, k);
    return s;
}

void ncs_support_free(struct ncs_support *s)
{
    if (!s)
        return;
    ncs_map_free(&s->visits);
    ncs_free(s->way_of);
    ncs_free(s->related);
    ncs_free(s->seat);
    ncs_free(s);
}

/* ---- one place ---- */

struct visit { /* what the changes of a course add or take away at a place */
    size_t course;
    struct ncs_step step;
    int by;
};

struct visits {
    struct visit *of; /* by course */
    size_t count, room;
};

/* Adds to the visits of the course, the last ones in the list. */
static void visit(struct visits *v, size_t course, const struct ncs_step *step, int by)
{
    for (size_t i = v->count; i-- > 0 && v->of[i].course == course;)
        if (v->of[i].step.site == step->site) {
            v->of[i].by += by;
            return;
        }
    struct visit fresh = { course, *step, by };
    NCS_PUSH(v->of, v->count, v->room, fresh);
}

static struct visits visits_changed(const struct ncs_support *s, const struct ncs_change *change, size_t changes)
{
    struct visits v = { 0 };
    for (const struct ncs_change *c = change; c < change + changes; c++) {
        struct ncs_step made = { .call = c->model, .kind = NCS_STEP_CALL, .comm = c->comm };
        bool marked = c->kind == NCS_CHANGE_COMM || (c->kind == NCS_CHANGE_PUT_IN && !c->like && !c->answer && !c->host);
        if (c->kind == NCS_CHANGE_LEAVE_OUT || c->kind == NCS_CHANGE_COMM)
            visit(&v, c->course, &s->courses->of[c->course].step[c->step], -1);
        if (marked)
            ncs_step_mark(s->courses, c->like ? c->like->call : c->model, c->comm, &made); /* where the others make it */
        if (marked || (c->kind == NCS_CHANGE_PUT_IN && c->like))
            visit(&v, c->course, marked ? &made : c->like, 1);
    }
    return v;
}

/* For each way, how many of its courses stay as they are. The caller's. */
static size_t *unchanged(const struct ncs_support *s, const struct ncs_change *change, size_t changes)
{
    size_t *left = ncs_new((s->ways->count + 1) * sizeof *left);
    for (size_t w = 0; w < s->ways->count; w++)
        left[w] = s->ways->of[w].courses;
    for (size_t i = 0; i < changes; i++)
        left[s->way_of[change[i].course]] -= i == 0 || change[i].course != change[i - 1].course;
    return left;
}

/* True if the way's rank can make the step: it is in such a communicator, or others expect such messages of it. */
static bool support_may_make(const struct ncs_support *s, size_t way, const struct ncs_step *step)
{
    if (step->host || step->kind != NCS_STEP_CALL)
        return !step->lone;
    if (!step->role)
        return s->seat[way * s->courses->classes + s->courses->class_number[step->comm]];
    size_t spot = ncs_spot_number(&s->ways->roles, step->site);
    return spot < s->ways->roles.spots && s->ways->of[way].spot[spot];
}

static int64_t apart(size_t a, size_t b)
{
    return a > b ? (int64_t)(a - b) : (int64_t)(b - a);
}

/* How much further from the others' visits of the place the course comes. left: by way. */
static int64_t further_at(const struct ncs_support *s, const struct visit *v, const size_t *left)
{
    size_t way = s->way_of[v->course], now = visits_of(s, way, v->step.site), then = (size_t)((int64_t)now + v->by);
    int64_t further = 0;
    for (size_t w = 0; w < s->ways->count; w++) {
        size_t there = visits_of(s, w, v->step.site);
        if (left[w] && s->related[way * s->ways->count + w] && support_may_make(s, w, &v->step))
            further += (int64_t)left[w] * (apart(then, there) - apart(now, there));
    }
    return further;
}

/* ---- peers and keys ---- */

/* True if the change lets a set and a wait meet: it renames a set whose key no rank awaits, or
 * lets a wait await such a key. */
static bool claims_a_key(const struct ncs_support *s, const struct ncs_change *change)
{
    if (change->host->kind == NCS_HOST_SET)
        return s->courses->of[change->course].step[change->step].unmatched;
    for (size_t c = 0; c < s->courses->count; c++)
        for (size_t i = 0; i < s->courses->of[c].steps; i++) {
            const struct ncs_step *step = &s->courses->of[c].step[i];
            if (step->unmatched && strcmp(step->host->what, change->key) == 0)
                return true;
        }
    return false;
}

static int64_t renamed(const struct ncs_support *s, const struct ncs_change *c)
{
    struct ncs_step step = s->courses->of[c->course].step[c->step];
    int64_t before = (int64_t)ncs_usual_count_unlike(s->usual, &step, 1);
    if (c->kind == NCS_CHANGE_KEY)
        step.key = c->key;
    else
        step.role = ncs_role_of(s->courses, c->model->fn, c->comm, c->comm_rank, c->peer);
    return (int64_t)ncs_usual_count_unlike(s->usual, &step, 1) - before - (c->kind == NCS_CHANGE_KEY && claims_a_key(s, c));
}

int64_t ncs_support_further(const struct ncs_support *s, const struct ncs_change *change, size_t changes)
{
    struct visits v = visits_changed(s, change, changes);
    size_t *left = unchanged(s, change, changes);
    int64_t further = 0;
    for (size_t i = 0; i < changes; i++)
        if (change[i].kind == NCS_CHANGE_PEER || change[i].kind == NCS_CHANGE_KEY)
            further += renamed(s, &change[i]);
    for (size_t i = 0; i < v.count; i++)
        further += further_at(s, &v.of[i], left);
    ncs_free(v.of);
    ncs_free(left);
    return further;
}
