/* Candidates of whole rounds: what a course lacks that has left a loop earlier than others. They may have made only
 * the beginning of the round that it lacks; the rest is as its own last one. */
#include "diagnose/explanation/explain.h"

#include "base/mem.h"

enum { MOST_ROUNDS = 64 };

/* ---- how long a round is ---- */

static bool repeats(const struct ncs_course *c, size_t at, size_t round)
{
    size_t same = 0;
    while (same < round && c->step[at - round + same].site == c->step[at - 2 * round + same].site)
        same++;
    return same == round;
}

/* A step that all who go through a round have in it. */
static size_t skip_own(const struct ncs_step *step, size_t i, size_t end)
{
    while (i < end && (step[i].kind != NCS_STEP_CALL || step[i].role))
        i++;
    return i;
}

/* The model has come, from `of` on and as far as it went, to what the course has come to from step i to `at`. */
static bool agrees(const struct ncs_course *c, size_t i, size_t at, const struct ncs_way *model, size_t of)
{
    for (;;) {
        i = skip_own(c->step, i, at);
        of = skip_own(model->step, of, model->steps);
        if (i == at || of == model->steps)
            return true;
        if (c->step[i++].site != model->step[of++].site)
            return false;
    }
}

/* The course has gone through it once: from where it came to that place first. */
static size_t only_round(const struct ncs_course *c, size_t at, const struct ncs_way *model, size_t of)
{
    for (size_t i = 0; i < at; i++)
        if (c->step[i].site == model->step[of].site && agrees(c, i, at, model, of))
            return at - i;
    return 0;
}

/* How long the round is that ends before step `at` and begins where the model comes to; 0 = there is none. */
static size_t round_before(const struct ncs_course *c, size_t at, const struct ncs_way *model, size_t of)
{
    for (size_t round = 1; 2 * round <= at; round++)
        if (c->step[at - round].site == model->step[of].site && repeats(c, at, round))
            return round;
    return only_round(c, at, model, of);
}

/* ---- the end of a course ---- */

/* The steps that come with the call, of those from `begin` to `end` that it is like one of; first: also those ahead. */
static void add_company(struct ncs_change *change, const struct ncs_step *begin, const struct ncs_step *end, bool first)
{
    while (first && change->like - change->ahead > begin && ncs_comes_with_calls(&change->like[-change->ahead - 1]))
        change->ahead++;
    while (change->like + change->behind + 1 < end && ncs_comes_with_calls(&change->like[change->behind + 1]))
        change->behind++;
}

/* Puts in another of the course's own step i, of the round that ends before step `at`. */
static void add_own(struct ncs_explanation *c, const struct ncs_course *own, size_t course, size_t at, size_t round,
                    size_t i)
{
    const struct ncs_step *step = &own->step[i];
    struct ncs_change change = { .kind = NCS_CHANGE_PUT_IN, .course = course, .step = at, .model = step->call,
                                 .like = step, .comm = step->call->comm, .comm_rank = step->call->comm_rank,
                                 .peer = ncs_step_peer(step->call) };
    if (step->kind != NCS_STEP_CALL)
        return;
    add_company(&change, own->step + at - round, own->step + at, i == at - round);
    NCS_PUSH(c->change, c->changes, c->change_room, change);
}

/* How many steps at the end of the divergence are the beginning of a round. */
static size_t begun_at_end(const struct ncs_divergence *d)
{
    const struct ncs_gap *last = &d->gap[d->gaps - 1];
    size_t steps = 0;
    while (steps < d->gaps && !last[-(ptrdiff_t)steps].more && last[-(ptrdiff_t)steps].at == last->at)
        steps++;
    return steps;
}

void ncs_candidate_end_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course,
                             const struct ncs_divergence *d)
{
    const struct ncs_gap *last = &d->gap[d->gaps - 1];
    const struct ncs_course *own = &s->courses.of[course];
    const struct ncs_step *model = s->ways.of[d->model].step;
    size_t steps = begun_at_end(d);
    if (!steps || last->of + 1 < s->ways.of[d->model].steps)
        return;
    const struct ncs_gap *first = last + 1 - steps;
    size_t round = round_before(own, last->at, &s->ways.of[d->model], first->of), same = 0;
    while (same < steps && same < round && own->step[last->at - round + same].site == model[first[same].of].site)
        same++;
    for (size_t i = steps; same == steps && i < round; i++)
        add_own(c, own, course, last->at, round, last->at - round + i);
}

/* ---- before another step ---- */

static bool is_within(const struct ncs_course *c, size_t from, size_t to, uint64_t site)
{
    for (size_t i = from; i < to; i++)
        if (c->step[i].site == site)
            return true;
    return false;
}

/* The model's next step at that place, from `of` on but not beyond what the round has; SIZE_MAX = it has not come there. */
static size_t next_at(const struct ncs_way *model, size_t of, size_t most, uint64_t site)
{
    for (size_t i = of; i < model->steps && i < of + most; i++)
        if (model->step[i].site == site)
            return i;
    return SIZE_MAX;
}

/* Puts in the round that ends before step `at`, like the model's as far as that has come; returns the model's step
 * behind it. */
static size_t add_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course, size_t at,
                        size_t round, const struct ncs_way *model, size_t of)
{
    const struct ncs_course *own = &s->courses.of[course];
    size_t begin = of, before = c->changes;
    for (size_t i = at - round; i < at; i++) {
        size_t next = next_at(model, of, at - i, own->step[i].site), nth = 0;
        struct ncs_change change;
        for (size_t k = c->changes; k-- > 0 && c->change[k].course == course;)
            nth += c->change[k].like->site == own->step[i].site;
        of = next == SIZE_MAX ? of : next + 1;
        if (own->step[i].kind != NCS_STEP_CALL)
            continue;
        if (next == SIZE_MAX || !ncs_candidate_put_in(s, course, at, &model->step[next], nth, &change)) {
            add_own(c, own, course, at, round, i);
            continue;
        }
        add_company(&change, model->step + begin, model->step + model->steps, c->changes == before);
        NCS_PUSH(c->change, c->changes, c->change_room, change);
    }
    return of;
}

/* Rounds for one course; false: it lacks none. */
static bool add_rounds(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course, size_t at,
                       const struct ncs_way *model, size_t of)
{
    const struct ncs_course *own = &s->courses.of[course];
    while (of < model->steps && !is_within(own, 0, at, model->step[of].site))
        of++; /* a message that only others have */
    size_t round = of < model->steps ? round_before(own, at, model, of) : 0, rounds = 0;
    if (at < own->steps && is_within(own, at - round, at, own->step[at].site))
        return false; /* it goes on in the loop */
    uint64_t first = round ? own->step[at - round].site : 0;
    for (; round && rounds < MOST_ROUNDS && of < model->steps && model->step[of].site == first; rounds++)
        of = add_round(s, c, course, at, round, model, of);
    c->rounds = rounds > c->rounds ? rounds : c->rounds;
    return c->rounds > 0 && c->changes > 0;
}

void ncs_candidate_rounds(struct ncs_explanations *s, size_t way, size_t model)
{
    struct ncs_divergence d = { 0 };
    struct ncs_explanation c = { 0 };
    const struct ncs_way *own = &s->ways.of[way];
    bool fine = ncs_diverge(&s->ways, way, model, (struct ncs_weights){ 1, 1, false }, &d) && d.gap[0].more;
    for (size_t w = 0; w < own->courses && fine; w++)
        fine = add_rounds(s, &c, own->course[w], d.gap[0].at, &s->ways.of[model], d.gap[0].of);
    ncs_free(d.gap);
    if (fine)
        ncs_candidate_try(s, &c);
    else
        ncs_candidate_free(&c);
}
