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

/* A round that a course has gone through: its steps from `from` to `to`; none: it has gone through none. */
struct lap {
    size_t from, to;
};

/* Where rounds begin: at this step, if the course has come to the last step of a round since it was there before. */
static size_t read_heads(const struct ncs_course *c, size_t at, uint64_t first, uint64_t last, size_t *head)
{
    size_t heads = 0;
    bool ended = true;
    for (size_t i = 0; i < at; i++) {
        if (c->step[i].site == first && ended)
            head[heads++] = i;
        ended = c->step[i].site == last || (ended && c->step[i].site != first);
    }
    return heads;
}

/* The last step of a round may be one that not all rounds have: the one of the last few that parts it into most. */
static size_t find_heads(const struct ncs_course *c, size_t at, uint64_t first, size_t *head)
{
    enum { LAST = 4 };
    size_t most = 0;
    uint64_t last = 0;
    for (size_t k = 1; k <= LAST && k <= at; k++) {
        size_t heads = read_heads(c, at, first, c->step[at - k].site, head);
        if (heads > most)
            last = c->step[at - k].site;
        most = heads > most ? heads : most;
        if (c->step[at - k].site == first)
            break;
    }
    return most ? read_heads(c, at, first, last, head) : 0;
}

static bool candidates_round_is_within(const struct ncs_course *c, size_t from, size_t to, uint64_t site)
{
    for (size_t i = from; i < to; i++)
        if (c->step[i].site == site)
            return true;
    return false;
}

static bool laps_same(const struct ncs_course *c, struct lap a, struct lap b)
{
    size_t i = a.from, k = b.from;
    for (;; i++, k++) {
        while (i < a.to && c->step[i].kind != NCS_STEP_CALL)
            i++;
        while (k < b.to && c->step[k].kind != NCS_STEP_CALL)
            k++;
        if (i == a.to || k == b.to)
            return i == a.to && k == b.to;
        if (c->step[i].site != c->step[k].site)
            return false;
    }
}

/* Some rounds have calls that others have not, as a log each tenth time: the newest, but for `like` that differ, in
 * which the model's is found, and nothing of what comes behind the loop. */
static struct lap lap_like(const struct ncs_course *c, size_t at, const struct ncs_way *model, size_t of, size_t like)
{
    size_t *head = ncs_new((at + 1) * sizeof *head), to = at, laps = 0;
    struct lap found[NCS_ROUNDS_LIKE];
    for (size_t i = find_heads(c, at, model->step[of].site, head); i-- > 0 && laps <= like; to = head[i]) {
        struct lap own = { head[i], to };
        bool fresh = agrees(c, own.from, own.to, model, of) &&
                     !(at < c->steps && candidates_round_is_within(c, own.from, own.to, c->step[at].site));
        for (size_t k = 0; k < laps && fresh; k++)
            fresh = !laps_same(c, own, found[k]);
        if (fresh)
            found[laps++] = own;
    }
    ncs_free(head);
    return laps ? found[laps - 1] : (struct lap){ at, at };
}

/* The one that is like the round which begins where the model comes to, of those before step `at`. */
static struct lap lap_before(const struct ncs_course *c, size_t at, const struct ncs_way *model, size_t of, size_t like)
{
    struct lap own = lap_like(c, at, model, of, like);
    if (own.from < own.to)
        return own;
    for (size_t round = 1; 2 * round <= at; round++)
        if (c->step[at - round].site == model->step[of].site && repeats(c, at, round))
            return (struct lap){ at - round, at };
    return (struct lap){ at - only_round(c, at, model, of), at };
}

/* ---- the end of a course ---- */

/* The steps that come with the call, of those from `begin` to `end` that it is like one of; first: also those ahead. */
static void candidates_round_add_company(struct ncs_change *change, const struct ncs_step *begin,
                                         const struct ncs_step *end, bool first)
{
    while (first && change->like - change->ahead > begin && ncs_comes_with_calls(&change->like[-change->ahead - 1]))
        change->ahead++;
    while (change->like + change->behind + 1 < end && ncs_comes_with_calls(&change->like[change->behind + 1]))
        change->behind++;
}

/* Puts in, before step `at`, another of the course's own step i of the round. */
static void add_own(struct ncs_explanation *c, const struct ncs_course *own, size_t course, size_t at, struct lap round,
                    size_t i)
{
    const struct ncs_step *step = &own->step[i];
    struct ncs_change change = { .kind = NCS_CHANGE_PUT_IN, .course = course, .step = at, .model = step->call,
                                 .like = step, .comm = step->call->comm, .comm_rank = step->call->comm_rank,
                                 .peer = ncs_step_peer(step->call) };
    if (step->kind != NCS_STEP_CALL)
        return;
    candidates_round_add_company(&change, own->step + round.from, own->step + round.to, i == round.from);
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

bool ncs_candidate_end_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course,
                             const struct ncs_divergence *d, size_t like)
{
    const struct ncs_gap *last = &d->gap[d->gaps - 1];
    const struct ncs_course *own = &s->courses.of[course];
    const struct ncs_step *model = s->ways.of[d->model].step;
    size_t steps = begun_at_end(d);
    if (!steps || last->of + 1 < s->ways.of[d->model].steps)
        return false;
    const struct ncs_gap *first = last + 1 - steps;
    struct lap round = lap_before(own, last->at, &s->ways.of[d->model], first->of, like);
    size_t same = 0;
    while (same < steps && round.from + same < round.to && own->step[round.from + same].site == model[first[same].of].site)
        same++;
    for (size_t i = round.from + steps; same == steps && i < round.to; i++)
        add_own(c, own, course, last->at, round, i);
    return same == steps && round.from + steps < round.to;
}

/* ---- before another step ---- */

/* The model's next step at that place, from `of` on but not beyond what the round has; SIZE_MAX = it has not come there. */
static size_t next_at(const struct ncs_way *model, size_t of, size_t most, uint64_t site)
{
    for (size_t i = of; i < model->steps && i < of + most; i++)
        if (model->step[i].site == site)
            return i;
    return SIZE_MAX;
}

/* Puts in another such round before step `at`, like the model's as far as that has come; returns the model's step
 * behind it. */
static size_t add_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course, size_t at,
                        struct lap round, const struct ncs_way *model, size_t of)
{
    const struct ncs_course *own = &s->courses.of[course];
    size_t begin = of, before = c->changes;
    for (size_t i = round.from; i < round.to; i++) {
        size_t next = next_at(model, of, round.to - i, own->step[i].site), nth = 0;
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
        candidates_round_add_company(&change, model->step + begin, model->step + model->steps, c->changes == before);
        NCS_PUSH(c->change, c->changes, c->change_room, change);
    }
    return of;
}

/* Rounds for one course; false: it lacks none. */
static bool add_rounds(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course, size_t at,
                       const struct ncs_way *model, size_t of, size_t like)
{
    const struct ncs_course *own = &s->courses.of[course];
    while (of < model->steps && !candidates_round_is_within(own, 0, at, model->step[of].site))
        of++; /* a message that only others have */
    struct lap round = of < model->steps ? lap_before(own, at, model, of, like) : (struct lap){ at, at };
    size_t rounds = 0;
    if (at < own->steps && candidates_round_is_within(own, round.from, round.to, own->step[at].site))
        return false; /* it goes on in the loop */
    uint64_t first = round.from < round.to ? own->step[round.from].site : 0;
    for (; first && rounds < MOST_ROUNDS && of < model->steps && model->step[of].site == first; rounds++) {
        of = add_round(s, c, course, at, round, model, of);
        round = of < model->steps && model->step[of].site == first ? lap_before(own, at, model, of, like) : round;
    }
    c->rounds = rounds > c->rounds ? rounds : c->rounds;
    return c->rounds > 0 && c->changes > 0;
}

/* The first that is a call; NULL: there is none. Waits and events come and go with calls. */
static const struct ncs_gap *candidates_round_first_call(const struct ncs_explanations *s,
                                                         const struct ncs_divergence *d)
{
    for (size_t i = 0; i < d->gaps; i++) {
        const struct ncs_step *step = d->gap[i].more ? &s->ways.of[d->way].step[d->gap[i].at]
                                                     : &s->ways.of[d->model].step[d->gap[i].of];
        if (step->kind != NCS_STEP_WAIT && !ncs_comes_with_calls(step))
            return &d->gap[i];
    }
    return NULL;
}

void ncs_candidate_rounds(struct ncs_explanations *s, size_t way, size_t model, size_t like)
{
    struct ncs_divergence d = { 0 };
    struct ncs_explanation c = { 0 };
    const struct ncs_way *own = &s->ways.of[way];
    bool apart = ncs_diverge(&s->ways, way, model, (struct ncs_weights){ 1, 1, false }, &d);
    const struct ncs_gap *gap = apart ? candidates_round_first_call(s, &d) : NULL;
    bool fine = gap && gap->more;
    for (size_t w = 0; w < own->courses && fine; w++)
        fine = add_rounds(s, &c, own->course[w], gap->at, &s->ways.of[model], gap->of, like);
    ncs_free(d.gap);
    if (fine)
        ncs_candidate_try(s, &c);
    else
        ncs_candidate_free(&c);
}
