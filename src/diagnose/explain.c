/* The cheapest explanation: which few calls left out, made in excess or made elsewhere, and by whom,
 * explain that nobody goes on. Candidates come from comparing the courses of ranks; each is rehearsed,
 * and counts only if all go on then. */
#include "diagnose/explain.h"

#include <string.h>

#include "base/mem.h"

enum { MOST_TRIALS = 64 };

bool ncs_at_same_place(const struct ncs_call *a, const struct ncs_call *b)
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
            out->kind != NCS_CHANGE_LEAVE_OUT || in->comm == out->comm || in->host || out->host ||
            !ncs_at_same_place(in->model, out->model) || in->answer)
            continue;
        struct ncs_change joined = { .kind = NCS_CHANGE_COMM, .course = a->course, .step = out->step,
                                     .model = out->model, .comm = in->comm,
                                     .comm_rank = in->comm_rank, .peer = -1 };
        *a = joined;
        memmove(b, b + 1, (c->changes - i - 2) * sizeof *b);
        c->changes--;
    }
}

static bool change_places(const struct ncs_change *out, const struct ncs_change *in)
{
    return out->kind == NCS_CHANGE_LEAVE_OUT && in->kind == NCS_CHANGE_PUT_IN && out->comm == in->comm && !out->host &&
           !in->host && ncs_call_signature(out->model) == ncs_call_signature(in->model);
}

/* Calls that are left out here and put in there have changed places: that is told by other means. */
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

static int compare(const struct ncs_cost *a, const struct ncs_cost *b)
{
    const size_t x[] = { a->ranks, a->misfit, a->size, a->turns, a->kind, a->supposed, a->edits };
    const size_t y[] = { b->ranks, b->misfit, b->size, b->turns, b->kind, b->supposed, b->edits };
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static struct ncs_cost cost_of(const struct ncs_explanations *s, const struct ncs_explanation *c, size_t supposed)
{
    struct ncs_cost cost = { .supposed = supposed, .edits = c->changes };
    cost.misfit = ncs_misfit_with(s->misfits, c->change, c->changes, &cost.turns);
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

static bool same_changes(const struct ncs_explanation *a, const struct ncs_explanation *b)
{
    if (a->changes != b->changes)
        return false;
    for (size_t i = 0; i < a->changes; i++)
        if (a->change[i].kind != b->change[i].kind || a->change[i].course != b->change[i].course ||
            a->change[i].step != b->change[i].step || a->change[i].comm != b->change[i].comm ||
            a->change[i].peer != b->change[i].peer || a->change[i].key != b->change[i].key)
            return false;
    return true;
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

/* It changes what `less` does, and messages that nobody needs to have changed: stages of a pipeline differ in them. */
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

/* Whether one that is kept does the same with less; those that do it with more are given up. */
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

void ncs_candidate_try(struct ncs_explanations *s, struct ncs_explanation *c)
{
    join_comms(c);
    bool known = !c->changes || exchanges(c);
    for (size_t i = 0; i < s->count; i++)
        known |= same_changes(c, &s->best[i]);
    if (known || s->trials++ >= MOST_TRIALS) {
        ncs_candidate_free(c);
        return;
    }
    struct ncs_rehearsed r;
    ncs_rehearse(s->cast, c->change, c->changes, &r);
    ncs_free(r.waits);
    c->of = s;
    if (!r.blocked)
        c->cost = cost_of(s, c, r.supposed);
    bool needless = !r.blocked && is_needless(s, c);
    size_t at = 0;
    while (at < s->count && compare(&s->best[at].cost, &c->cost) <= 0)
        at++;
    bool worse = c->cost.misfit > ncs_misfit_now(s->misfits);
    if (r.blocked || needless || worse || at == NCS_EXPLANATIONS_KEPT) {
        ncs_candidate_free(c);
        return;
    }
    if (s->count == NCS_EXPLANATIONS_KEPT)
        ncs_candidate_free(&s->best[--s->count]);
    memmove(&s->best[at + 1], &s->best[at], (s->count - at) * sizeof *s->best);
    s->best[at] = *c;
    s->count++;
}

static bool is_as_seen(const struct ncs_explanations *s)
{
    struct ncs_rehearsed r;
    ncs_rehearse(s->cast, NULL, 0, &r);
    bool same = true;
    for (size_t i = 0; i < s->courses.count && same; i++) {
        int context = s->courses.of[i].context;
        if (s->courses.of[i].holder)
            continue;
        same = r.waits[i] == (context >= 0 && s->q->snap->context[context].state != NCS_CONTEXT_ENDED);
    }
    ncs_free(r.waits);
    return same && r.blocked > 0;
}

/* Somebody waits for another host beside the driver. */
static bool waits_for_hosts(const struct ncs_inquiry *q)
{
    for (size_t i = 0; i < q->needs; i++)
        if (q->need[i].kind == NCS_NEED_GATE && (ncs_is_key(q, &q->need[i]) || ncs_is_barrier(q, &q->need[i])))
            return true;
    return false;
}

/* What the end of its script has destroyed it has done with. */
static bool has_own_reason(const struct ncs_absent *a)
{
    bool released = a->reason == NCS_ABSENT_DESTROYED && a->call && a->call->ending;
    return a->reason < NCS_ABSENT_FINISHED && a->reason != NCS_ABSENT_EMPTY && !released;
}

/* Who is missed for a reason of its own, an abort, an error, is known without a comparison; communicators
 * in the making are not played, but who waits for hosts may be why they are not made. */
static bool is_known(const struct ncs_inquiry *q)
{
    bool hosts = waits_for_hosts(q);
    for (size_t i = 0; i < q->needs; i++) {
        const struct ncs_need *n = &q->need[i];
        bool split = n->call && n->call->fn == NCS_FN_ncclCommSplit;
        if (!hosts && !split && (ncs_is_meeting(n) || n->kind == NCS_NEED_INIT))
            return true;
        for (size_t k = 0; k < n->absents; k++)
            if (has_own_reason(&n->absent[k]))
                return true;
    }
    return false;
}

static bool begin(struct ncs_explanations *s)
{
    enum { MOST_WAYS = 64 };
    if (is_known(s->q) || !ncs_courses_read(s->q, &s->courses))
        return false;
    ncs_ways_read(s->q, &s->courses, &s->ways);
    if (s->courses.count < 2 || s->ways.count > MOST_WAYS)
        return false;
    s->cast = ncs_cast_new(s->q, &s->courses);
    return is_as_seen(s);
}

static void look(struct ncs_explanations *s)
{
    s->misfits = ncs_misfits_new(&s->courses, &s->ways);
    s->examples = ncs_examples_new(&s->courses);
    if (s->ways.count > 1) { /* where all do alike, whoever did more or less would be the odd one */
        ncs_candidates_apart(s);
        ncs_candidates_missed(s);
        ncs_candidates_hosts(s);
    }
    ncs_candidates_peers(s);
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
        ncs_candidate_free(&e->best[i]);
    ncs_misfits_free(e->misfits);
    ncs_examples_free(e->examples);
    ncs_cast_free(e->cast);
    ncs_ways_free(&e->ways);
    ncs_courses_free(&e->courses);
    ncs_free(e);
}
