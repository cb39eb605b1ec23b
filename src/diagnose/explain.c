/* The cheapest explanation: which few calls left out, made in excess or made elsewhere, and by whom,
 * explain that nobody goes on. Candidates come from comparing the courses of ranks; each is rehearsed,
 * and counts only if all go on then. */
#include "diagnose/explain.h"

#include <string.h>

#include "base/mem.h"
#include "diagnose/divergence.h"
#include "diagnose/rule.h"

enum { MOST_MODELS = 6, MOST_TRIALS = 64, MOST_KEPT = 3 };

/* In the order in which explanations are preferred. */
struct cost {
    size_t ranks, misfit, size, kind, supposed, edits;
};

struct ncs_explanation {
    const struct ncs_explanations *of;
    struct ncs_divergence *part; /* one for each way that is mended */
    size_t parts, part_room;
    struct ncs_change *change;   /* by course and step */
    size_t changes, change_room;
    struct cost cost;
};

struct ncs_explanations {
    const struct ncs_inquiry *q;
    struct ncs_courses courses;
    struct ncs_ways ways;
    size_t misfit; /* of the run as it is */
    size_t trials;
    struct ncs_explanation best[MOST_KEPT]; /* the cheapest first */
    size_t count;
};

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

static int compare(const struct cost *a, const struct cost *b)
{
    const size_t x[] = { a->ranks, a->misfit, a->size, a->kind, a->supposed, a->edits };
    const size_t y[] = { b->ranks, b->misfit, b->size, b->kind, b->supposed, b->edits };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static struct cost cost_of(const struct ncs_explanations *s, const struct ncs_explanation *c, size_t misfit,
                           size_t supposed)
{
    struct cost cost = { .misfit = misfit, .supposed = supposed, .edits = c->changes };
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
    if (r.blocked || at == MOST_KEPT) {
        free_candidate(c);
        return;
    }
    if (s->count == MOST_KEPT)
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

/* ---- what it says ---- */

static bool of_one_kind(const struct ncs_explanation *c)
{
    for (size_t i = 1; i < c->changes; i++)
        if (c->change[i].kind != c->change[0].kind)
            return false;
    return true;
}

/* Position of a call that is put in or left out among the collectives of its rank. */
static uint32_t position_of(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_course *course = &s->courses.of[c->course];
    uint32_t at = s->q->comm[c->comm].seq[c->comm_rank].base;
    for (size_t i = 0; i < c->step && i < course->steps; i++) {
        const struct ncs_call *call = course->step[i].call;
        if (call->number && call->comm == c->comm && call->comm_rank == c->comm_rank &&
            ncs_position(s->q, call) != UINT32_MAX)
            at = ncs_position(s->q, call) + 1;
    }
    return at;
}

/* A meeting of the communicator to tell the rows by: one that the odd rank is missed at or stands at with
 * another call. */
static const struct ncs_need *need_of(const struct ncs_explanations *s, int comm, int comm_rank, bool missed)
{
    const struct ncs_need *best = NULL;
    for (size_t i = 0; i < s->q->needs; i++) {
        const struct ncs_need *n = &s->q->need[i];
        if (n->comm != comm || !n->call || ncs_is_meeting(n) || n->kind == NCS_NEED_GATE)
            continue;
        bool fits = n->kind == NCS_NEED_STUCK;
        for (size_t k = 0; k < n->absents && missed; k++)
            fits |= n->absent[k].comm_rank == comm_rank;
        for (size_t k = 0; k < n->presents && !missed; k++)
            fits |= n->present[k]->comm_rank == comm_rank;
        if (fits && (!best || n->call->number < best->call->number))
            best = n;
    }
    return best;
}

/* The number of the next counted call on its communicator from the step on. */
static uint32_t number_at(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_course *course = &s->courses.of[c->course];
    for (size_t i = c->step; i < course->steps; i++)
        if (course->step[i].call->number && course->step[i].call->comm == c->comm &&
            course->step[i].call->comm_rank == c->comm_rank)
            return course->step[i].call->number;
    return s->q->journal->comm[c->comm]->member[c->comm_rank].calls + 1;
}

static struct ncs_edit edit_of(const struct ncs_explanations *s, const struct ncs_change *c)
{
    const struct ncs_call *m = c->model;
    struct ncs_edit e = { .kind = NCS_EDIT_DELETE, .rank = s->courses.of[c->course].rank, .comm = c->comm,
                          .comm_rank = c->comm_rank, .call = m->number, .model = -1,
                          .other_comm = -1, .other_comm_rank = -1, .line = m->place.line };
    if (c->kind == NCS_CHANGE_PUT_IN) {
        e.kind = NCS_EDIT_INSERT;
        e.call = number_at(s, c);
        e.model = m->rank;
        e.model_comm_rank = m->comm_rank;
        e.model_call = m->number;
        e.answer = c->answer;
    } else if (c->kind == NCS_CHANGE_COMM) {
        e.kind = NCS_EDIT_ARGUMENT;
        e.argument = "comm";
        e.comm = m->comm;
        e.comm_rank = m->comm_rank;
        e.value = e.other_comm = c->comm;
        e.other_comm_rank = c->comm_rank;
    }
    return e;
}

/* Collectives that are left out or made in excess on one communicator. */
static bool say_shift(const struct ncs_explanation *b, struct ncs_root *r, struct ncs_drafts *all)
{
    const struct ncs_explanations *s = b->of;
    const struct ncs_change *first = &b->change[0];
    bool skipped = first->kind == NCS_CHANGE_PUT_IN;
    const struct ncs_need *n = need_of(s, first->comm, first->comm_rank, skipped);
    if (!n)
        return false;
    struct ncs_parting p = { .how = skipped ? NCS_PARTING_SKIPPED : NCS_PARTING_EXTRA };
    size_t room = 0;
    for (size_t i = 0; i < b->changes; i++) {
        const struct ncs_change *c = &b->change[i];
        if (c->comm != first->comm)
            continue;
        p.shift += c->comm_rank == first->comm_rank;
        if (!p.odds || p.odd[p.odds - 1] != c->comm_rank)
            NCS_PUSH(p.odd, p.odds, room, c->comm_rank);
    }
    p.at = position_of(s, first);
    p.number = first->model->number;
    p.model = skipped ? first->model->comm_rank : n->absents ? n->absent[0].comm_rank : -1;
    for (int k = 0; p.model < 0 && k < s->q->journal->comm[first->comm]->nranks; k++)
        p.model = k != first->comm_rank ? k : -1;
    r->kind = n->kind == NCS_NEED_STUCK ? NCS_ROOT_DIFFER : NCS_ROOT_ABSENT;
    r->need = n;
    r->parting = &p;
    r->rule = skipped ? "skipped-call" : "extra-call";
    size_t absent_room = 0;
    for (size_t i = 0; i < n->absents && r->kind == NCS_ROOT_ABSENT; i++)
        if (!skipped || n->absent[i].comm_rank == first->comm_rank)
            NCS_PUSH(r->absent, r->absents, absent_room, &n->absent[i]);
    if (r->kind == NCS_ROOT_DIFFER) {
        r->call = n->present;
        r->calls = n->presents;
    }
    bool any = (r->kind == NCS_ROOT_DIFFER || r->absents) && p.model >= 0 &&
               ncs_call_at(s->q, first->comm, skipped ? p.model : p.odd[0], p.at);
    if (any)
        ncs_judge(s->q, r, all);
    ncs_free(r->absent);
    ncs_free(p.odd);
    return any;
}

/* A send or receive that somebody waits for. */
static bool say_answer(const struct ncs_explanation *b, struct ncs_root *r, struct ncs_drafts *all)
{
    const struct ncs_explanations *s = b->of;
    const struct ncs_change *first = &b->change[0];
    for (size_t i = 0; i < s->q->needs; i++) {
        const struct ncs_need *n = &s->q->need[i];
        if (n->kind != NCS_NEED_PAIR || n->call != first->model || !n->absents)
            continue;
        const struct ncs_absent *absent = &n->absent[0];
        r->kind = NCS_ROOT_ABSENT;
        r->need = n;
        r->absent = &absent;
        r->absents = 1;
        ncs_judge(s->q, r, all);
        return true;
    }
    return false;
}

static bool say_elsewhere(const struct ncs_explanation *b, struct ncs_root *r, struct ncs_drafts *all)
{
    const struct ncs_call **call = ncs_new(b->changes * sizeof *call);
    for (size_t i = 0; i < b->changes; i++)
        call[i] = b->change[i].model;
    r->kind = NCS_ROOT_ELSEWHERE;
    r->rule = "wrong-comm";
    r->call = call;
    r->calls = b->changes;
    r->comm = b->change[0].comm;
    r->need = need_of(b->of, call[0]->comm, call[0]->comm_rank, false);
    bool fine = r->need != NULL;
    if (fine)
        ncs_judge(b->of->q, r, all);
    ncs_free(call);
    return fine;
}

bool ncs_explanation_say(const struct ncs_explanation *e, struct ncs_drafts *all)
{
    const struct ncs_change *first = &e->change[0];
    if (!of_one_kind(e))
        return false;
    struct ncs_edit *edit = ncs_new(e->changes * sizeof *edit);
    for (size_t i = 0; i < e->changes; i++)
        edit[i] = edit_of(e->of, &e->change[i]);
    struct ncs_root r = { .comm = -1, .rank = -1, .edit = edit, .edits = e->changes };
    bool fine = first->kind == NCS_CHANGE_COMM ? say_elsewhere(e, &r, all)
                : first->answer                ? say_answer(e, &r, all)
                : ncs_call_is_pair(first->model) ? false
                                                 : say_shift(e, &r, all);
    ncs_free(edit);
    return fine;
}

/* Of a split into parts of several sizes some rank may be in the wrong one: its course is right then. */
static bool may_be_misplaced(const struct ncs_journal *j, int comm)
{
    const struct ncs_comm_info *own = j->comm[comm];
    for (size_t c = 0; c < j->comms && own->split; c++)
        if (j->comm[c]->parent == own->parent && j->comm[c]->split == own->split &&
            j->comm[c]->nranks != own->nranks)
            return true;
    return false;
}

/* Another one that blames somebody else fits as well: places do not decide between them. */
static bool has_equal(const struct ncs_explanation *e)
{
    for (size_t i = 0; i < e->of->count; i++) {
        const struct ncs_explanation *o = &e->of->best[i];
        if (o->cost.ranks == e->cost.ranks && o->cost.misfit == e->cost.misfit &&
            o->change[0].course != e->change[0].course)
            return true;
    }
    return false;
}

bool ncs_explanation_is_likelier(const struct ncs_explanation *e)
{
    return e == e->of->best && !has_equal(e) &&
           !may_be_misplaced(e->of->q->journal, e->change[0].comm);
}

size_t ncs_explanations_count(const struct ncs_explanations *e)
{
    return e ? e->count : 0;
}

const struct ncs_explanation *ncs_explanation_at(const struct ncs_explanations *e, size_t i)
{
    return &e->best[i];
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
