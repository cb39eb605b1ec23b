/* The cheapest explanation: which few calls left out, made in excess or made elsewhere, and by whom,
 * explain that nobody goes on. Candidates come from comparing the courses of ranks; each is rehearsed,
 * and counts only if all go on then. */
#include "diagnose/explain.h"

#include <string.h>

#include "base/mem.h"

enum { MOST_MODELS = 6, MOST_TRIALS = 64 };

/* ---- from places to calls ---- */

/* The rank's own communicator that the model's is a sibling of. */
static int own_comm(const struct ncs_explanations *s, const struct ncs_call *model, int rank, int *comm_rank)
{
    const struct ncs_journal *j = s->q->journal;
    for (size_t c = 0; c < j->comms; c++) {
        if (s->courses.class_of[c] != s->courses.class_of[model->comm])
            continue;
        for (int r = 0; r < j->comm[c]->nranks; r++)
            if (j->comm[c]->member[r].rank == rank) {
                *comm_rank = r;
                return (int)c;
            }
    }
    return -1;
}

/* A call at the same place on that communicator, the nth of its rank's there; of fewer the last. */
static const struct ncs_call *like(const struct ncs_explanations *s, uint64_t site, int comm, int comm_rank, size_t nth)
{
    const struct ncs_call *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < s->courses.count; i++) {
        const struct ncs_course *c = &s->courses.of[i];
        size_t seen = 0;
        for (size_t k = 0; k < c->steps && seen <= nth; k++) {
            const struct ncs_call *call = c->step[k].call;
            if (c->step[k].site != site || call->comm != comm || call->comm_rank == comm_rank)
                continue;
            if (++seen > most) {
                most = seen;
                best = call;
            }
        }
    }
    return best;
}

static size_t earlier(const struct ncs_course *c, size_t at, uint64_t site)
{
    size_t n = 0;
    for (size_t i = 0; i < at && i < c->steps; i++)
        n += c->step[i].site == site;
    return n;
}

/* A send or receive is put in only where somebody waits for it. */
static bool find_answer(const struct ncs_explanations *s, const struct ncs_call *model, int comm, int comm_rank,
                        struct ncs_change *c)
{
    for (size_t i = 0; i < s->q->needs; i++) {
        const struct ncs_need *n = &s->q->need[i];
        if (n->kind != NCS_NEED_PAIR || n->comm != comm || !n->call || n->presents != 1 ||
            ncs_is_send(n->call) == ncs_is_send(model) || ncs_call_peer(n->call) != comm_rank)
            continue;
        c->model = n->call;
        c->answer = true;
        c->peer = n->call->comm_rank;
        return true;
    }
    return false;
}

static bool put_in(const struct ncs_explanations *s, size_t course, size_t at, const struct ncs_step *step,
                   struct ncs_change *out)
{
    const struct ncs_course *c = &s->courses.of[course];
    int comm_rank = -1, comm = own_comm(s, step->call, c->rank, &comm_rank);
    *out = (struct ncs_change){ .kind = NCS_CHANGE_PUT_IN, .course = course, .step = at, .comm = comm,
                                .comm_rank = comm_rank, .peer = -1 };
    if (comm < 0 || ncs_call_is_one_sided(step->call))
        return false;
    if (ncs_call_is_pair(step->call))
        return find_answer(s, step->call, comm, comm_rank, out);
    out->model = like(s, step->site, comm, comm_rank, earlier(c, at, step->site));
    return out->model && ncs_call_count(out->model) > 0;
}

static bool change_of(const struct ncs_explanations *s, size_t course, const struct ncs_divergence *d,
                      const struct ncs_gap *g, struct ncs_change *out)
{
    const struct ncs_course *c = &s->courses.of[course];
    if (!g->more)
        return put_in(s, course, g->at, &s->ways.of[d->model].step[g->of], out);
    const struct ncs_call *call = c->step[g->at].call;
    *out = (struct ncs_change){ .kind = NCS_CHANGE_LEAVE_OUT, .course = course, .step = g->at,
                                .model = call, .comm = call->comm, .comm_rank = call->comm_rank,
                                .peer = -1 };
    return true;
}

static enum ncs_step_kind kind_of(const struct ncs_explanations *s, const struct ncs_divergence *d,
                                  const struct ncs_gap *g)
{
    return g->more ? s->ways.of[d->way].step[g->at].kind : s->ways.of[d->model].step[g->of].kind;
}

static bool same_place(const struct ncs_call *a, const struct ncs_call *b)
{
    return a->fn == b->fn && a->place.line == b->place.line && a->place.file == b->place.file;
}

/* Left out here and put in on another communicator from the same place: the wrong communicator. */
static void join_comms(struct ncs_explanation *c)
{
    for (size_t i = 0; i + 1 < c->changes; i++) {
        struct ncs_change *a = &c->change[i], *b = &c->change[i + 1];
        struct ncs_change *in = a->kind == NCS_CHANGE_PUT_IN ? a : b;
        struct ncs_change *out = in == a ? b : a;
        if (a->course != b->course || a->kind == b->kind || in->kind != NCS_CHANGE_PUT_IN ||
            out->kind != NCS_CHANGE_LEAVE_OUT || in->comm == out->comm ||
            !same_place(in->model, out->model) || in->answer)
            continue;
        struct ncs_change joined = { .kind = NCS_CHANGE_COMM, .course = a->course, .step = out->step,
                                     .model = out->model, .comm = in->comm,
                                     .comm_rank = in->comm_rank, .peer = -1 };
        *a = joined;
        memmove(b, b + 1, (c->changes - i - 2) * sizeof *b);
        c->changes--;
    }
}

/* Calls that are left out here and put in there have changed places: that is told by other means. */
static bool exchanges(const struct ncs_explanation *c)
{
    for (size_t i = 0; i < c->changes; i++)
        for (size_t k = 0; k < c->changes; k++)
            if (c->change[i].kind == NCS_CHANGE_LEAVE_OUT && c->change[k].kind == NCS_CHANGE_PUT_IN &&
                c->change[i].course == c->change[k].course && c->change[i].comm == c->change[k].comm &&
                ncs_call_signature(c->change[i].model) == ncs_call_signature(c->change[k].model))
                return true;
    return false;
}

static bool add_part(const struct ncs_explanations *s, struct ncs_explanation *c, const struct ncs_divergence *d)
{
    const struct ncs_way *way = &s->ways.of[d->way];
    for (size_t w = 0; w < way->courses; w++)
        for (size_t g = 0; g < d->gaps; g++) {
            struct ncs_change change;
            enum ncs_step_kind kind = kind_of(s, d, &d->gap[g]);
            if (kind == NCS_STEP_OTHER)
                return false;
            if (kind != NCS_STEP_CALL)
                continue;
            if (!change_of(s, way->course[w], d, &d->gap[g], &change))
                return false;
            NCS_PUSH(c->change, c->changes, c->change_room, change);
        }
    struct ncs_divergence copy = *d;
    copy.gap = ncs_new((d->gaps + 1) * sizeof *copy.gap);
    memcpy(copy.gap, d->gap, d->gaps * sizeof *copy.gap);
    NCS_PUSH(c->part, c->parts, c->part_room, copy);
    return true;
}

static void free_candidate(struct ncs_explanation *c)
{
    for (size_t i = 0; i < c->parts; i++)
        ncs_free(c->part[i].gap);
    ncs_free(c->part);
    ncs_free(c->change);
    *c = (struct ncs_explanation){ 0 };
}

/* ---- cost ---- */

static int compare(const struct ncs_cost *a, const struct ncs_cost *b)
{
    const size_t x[] = { a->ranks, a->misfit, a->size, a->kind, a->supposed, a->edits };
    const size_t y[] = { b->ranks, b->misfit, b->size, b->kind, b->supposed, b->edits };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static struct ncs_cost cost_of(const struct ncs_explanations *s, const struct ncs_explanation *c, size_t misfit,
                           size_t supposed)
{
    struct ncs_cost cost = { .misfit = misfit, .supposed = supposed, .edits = c->changes };
    for (size_t i = 0; i < c->changes; i++) {
        const struct ncs_change *e = &c->change[i];
        bool rank = true;
        for (size_t k = 0; k < i; k++)
            rank &= c->change[k].course != e->course;
        size_t kind = e->kind >= NCS_CHANGE_COMM ? 0 : e->kind == NCS_CHANGE_PUT_IN ? 1 : 2;
        cost.ranks += rank;
        cost.kind = kind > cost.kind ? kind : cost.kind;
    }
    for (size_t i = 0; i < c->parts; i++)
        cost.size += ncs_divergence_size(&s->ways, &c->part[i]);
    return cost;
}

static bool same_changes(const struct ncs_explanation *a, const struct ncs_explanation *b)
{
    if (a->changes != b->changes)
        return false;
    for (size_t i = 0; i < a->changes; i++)
        if (a->change[i].kind != b->change[i].kind || a->change[i].course != b->change[i].course ||
            a->change[i].step != b->change[i].step || a->change[i].comm != b->change[i].comm)
            return false;
    return true;
}

/* Takes the candidate. */
static void try_candidate(struct ncs_explanations *s, struct ncs_explanation *c)
{
    join_comms(c);
    size_t misfit = c->changes && !exchanges(c) ? ncs_misfit(&s->ways, c->part, c->parts) : s->misfit;
    bool known = false;
    for (size_t i = 0; i < s->count; i++)
        known |= same_changes(c, &s->best[i]);
    if (!c->changes || known || misfit > s->misfit || s->trials++ >= MOST_TRIALS) {
        free_candidate(c);
        return;
    }
    struct ncs_rehearsed r;
    ncs_rehearse(s->q, &s->courses, c->change, c->changes, &r);
    ncs_free(r.waits);
    c->of = s;
    c->cost = cost_of(s, c, misfit, r.supposed);
    size_t at = 0;
    while (at < s->count && compare(&s->best[at].cost, &c->cost) <= 0)
        at++;
    if (r.blocked || at == NCS_EXPLANATIONS_KEPT) {
        free_candidate(c);
        return;
    }
    if (s->count == NCS_EXPLANATIONS_KEPT)
        free_candidate(&s->best[--s->count]);
    memmove(&s->best[at + 1], &s->best[at], (s->count - at) * sizeof *s->best);
    s->best[at] = *c;
    s->count++;
}

/* ---- candidates ---- */

static const unsigned weights[][2] = { { 1, 1 }, { 1, 5 }, { 5, 1 } }; /* more, fewer */

static void try_pair(struct ncs_explanations *s, size_t way, size_t model)
{
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        struct ncs_divergence d;
        struct ncs_explanation c = { 0 };
        bool apart = ncs_diverge(&s->ways, way, model, weights[i][0], weights[i][1], &d);
        if (apart && d.gaps <= s->ways.of[way].steps + s->ways.of[model].steps && add_part(s, &c, &d))
            try_candidate(s, &c);
        else
            free_candidate(&c);
        ncs_free(d.gap);
    }
}

/* All ways that differ from the same model at once: several ranks that are wrong each in its own manner. */
static void try_all_to(struct ncs_explanations *s, size_t model)
{
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        struct ncs_explanation c = { 0 };
        bool fine = true;
        for (size_t way = 0; way < s->ways.count && fine; way++) {
            struct ncs_divergence d = { 0 };
            if (way != model && ncs_diverge(&s->ways, way, model, weights[i][0], weights[i][1], &d))
                fine = add_part(s, &c, &d);
            ncs_free(d.gap);
        }
        if (fine && c.parts > 1)
            try_candidate(s, &c);
        else
            free_candidate(&c);
    }
}

/* Those with most in common with it come first. */
static void try_way(struct ncs_explanations *s, size_t way)
{
    bool *done = ncs_new(s->ways.count * sizeof *done);
    for (int k = 0; k < MOST_MODELS; k++) {
        size_t best = SIZE_MAX, most = 0;
        for (size_t m = 0; m < s->ways.count; m++) {
            const struct ncs_way *a = &s->ways.of[way], *b = &s->ways.of[m];
            size_t same = 0;
            while (same < a->steps && same < b->steps && a->step[same].site == b->step[same].site)
                same++;
            size_t weight = same * 2 + b->courses;
            if (m != way && !done[m] && weight > most) {
                most = weight;
                best = m;
            }
        }
        if (best == SIZE_MAX)
            break;
        done[best] = true;
        try_pair(s, way, best);
    }
    ncs_free(done);
}

static bool is_as_seen(const struct ncs_explanations *s)
{
    struct ncs_rehearsed r;
    ncs_rehearse(s->q, &s->courses, NULL, 0, &r);
    bool same = true;
    for (size_t i = 0; i < s->courses.count && same; i++) {
        int context = s->courses.of[i].context;
        same = r.waits[i] == (context >= 0 && s->q->snap->context[context].state != NCS_CONTEXT_ENDED);
    }
    ncs_free(r.waits);
    return same && r.blocked > 0;
}

/* Who is missed for a reason of its own, an abort, an error, is known without a comparison; communicators
 * in the making are not played. */
static bool is_known(const struct ncs_inquiry *q)
{
    for (size_t i = 0; i < q->needs; i++) {
        const struct ncs_need *n = &q->need[i];
        if (ncs_is_meeting(n) || n->kind == NCS_NEED_INIT)
            return true;
        for (size_t k = 0; k < n->absents; k++)
            if (n->absent[k].reason < NCS_ABSENT_FINISHED && n->absent[k].reason != NCS_ABSENT_EMPTY)
                return true;
    }
    return false;
}

static bool begin(struct ncs_explanations *s)
{
    enum { MOST_WAYS = 64 };
    if (is_known(s->q) || !ncs_courses_read(s->q, &s->courses))
        return false;
    ncs_ways_read(&s->courses, &s->ways);
    return s->ways.count > 1 && s->ways.count <= MOST_WAYS && is_as_seen(s);
}

static void look(struct ncs_explanations *s)
{
    s->misfit = ncs_misfit(&s->ways, NULL, 0);
    for (size_t i = 0; i < s->ways.count; i++)
        try_way(s, i);
    for (size_t i = 0; i < s->ways.count && !s->count; i++)
        try_all_to(s, i);
}

struct ncs_explanations *ncs_explain_hang(const struct ncs_inquiry *q)
{
    struct ncs_explanations *e = ncs_new(sizeof *e);
    e->q = q;
    if (begin(e))
        look(e);
    return e;
}

void ncs_explanations_free(struct ncs_explanations *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->count; i++)
        free_candidate(&e->best[i]);
    ncs_ways_free(&e->ways);
    ncs_courses_free(&e->courses);
    ncs_free(e);
}
