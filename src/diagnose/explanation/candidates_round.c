/* Candidates of whole rounds, for a course that has left a loop earlier than others. The others may
 * have made only the beginning of the round that the course lacks, because they wait in it. The
 * rest of the round is copied from a round (lap) that the course itself has made before. */
#include "diagnose/explanation/explain.h"

#include "base/mem.h"

enum { MOST_ROUNDS = 64 }; /* inserted for one course */

/* ---- how long a round is ---- */

/* True if the `round` steps before `at` visit the same sites as those before them. */
static bool repeats(const struct ncs_course *c, size_t at, size_t round)
{
    size_t same = 0;
    while (same < round && c->step[at - round + same].site == c->step[at - 2 * round + same].site)
        same++;
    return same == round;
}

/* The next step, from i on, that every rank has in its round: a call without a role. Ranks differ
 * in their messages and waits. */
static size_t skip_own(const struct ncs_step *step, size_t i, size_t end)
{
    while (i < end && (step[i].kind != NCS_STEP_CALL || step[i].role))
        i++;
    return i;
}

/* True if the model, from `of` on, visits the same sites as the course from step i to `at`, as far
 * as both are known. */
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

/* The length of a round that the course has made only once, so nothing repeats: it begins where the
 * course first came to the model's place. 0 = none. */
static size_t only_round(const struct ncs_course *c, size_t at, const struct ncs_way *model, size_t of)
{
    for (size_t i = 0; i < at; i++)
        if (c->step[i].site == model->step[of].site && agrees(c, i, at, model, of))
            return at - i;
    return 0;
}

/* A round that a course has made: steps `from` to `to`, exclusive; from == to: there is none. */
struct lap {
    size_t from, to;
};

/* Finds where rounds begin: at site `first`, if the course has visited site `last` since the
 * previous beginning. A round may visit its first site several times. Returns the number of
 * heads. */
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

/* As read_heads(), where the last site of a round is not known. The round's last step may be one
 * that not all rounds have, so each of the last few steps is tried; the right one gives the most
 * rounds. */
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

/* True if the round has step `at`, too: then that is in the loop, not behind it. Without places it may be another call like it. */
static bool candidates_round_goes_on(const struct ncs_course *c, struct lap round, size_t at)
{
    return at < c->steps && !(c->step[at].call->unsaid & NCS_UNSAID_PLACE) &&
           candidates_round_is_within(c, round.from, round.to, c->step[at].site);
}

/* True if both rounds make the same calls. */
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

/* Some rounds have calls that others lack, as a log in every tenth. Returns the newest round that
 * agrees with the model; `like` > 0: the newest that also differs from the `like` rounds found
 * before. A round that has the step behind the loop is none. */
static struct lap lap_like(const struct ncs_course *c, size_t at, const struct ncs_way *model, size_t of, size_t like)
{
    size_t *head = ncs_new((at + 1) * sizeof *head), to = at, laps = 0;
    struct lap found[NCS_ROUNDS_LIKE];
    for (size_t i = find_heads(c, at, model->step[of].site, head); i-- > 0 && laps <= like; to = head[i]) {
        struct lap own = { head[i], to };
        bool fresh = agrees(c, own.from, own.to, model, of) && !candidates_round_goes_on(c, own, at);
        for (size_t k = 0; k < laps && fresh; k++)
            fresh = !laps_same(c, own, found[k]);
        if (fresh)
            found[laps++] = own;
    }
    ncs_free(head);
    return laps ? found[laps - 1] : (struct lap){ at, at };
}

/* The round before step `at` that the model's next round is like: by its heads, else by repetition,
 * else the only one that the course has made. */
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

/* Sets how many neighbors of the example, between `begin` and `end`, come with its call. Only the
 * first change of a round takes those before it: each later change would repeat what the previous
 * one took behind it. */
static void candidates_round_add_company(struct ncs_change *change, const struct ncs_step *begin, const struct ncs_step *end,
                                         bool first)
{
    while (first && change->like - change->ahead > begin && ncs_comes_with_calls(&change->like[-change->ahead - 1]))
        change->ahead++;
    while (change->like + change->behind + 1 < end && ncs_comes_with_calls(&change->like[change->behind + 1]))
        change->behind++;
}

/* Inserts a copy of the course's own step i, which is in the round, before step `at`. */
static void add_own(struct ncs_explanation *c, const struct ncs_course *own, size_t course, size_t at, struct lap round, size_t i)
{
    const struct ncs_step *step = &own->step[i];
    struct ncs_change change = { .kind = NCS_CHANGE_PUT_IN,
                                 .course = course,
                                 .step = at,
                                 .model = step->call,
                                 .like = step,
                                 .comm = step->call->comm,
                                 .comm_rank = step->call->comm_rank,
                                 .peer = ncs_step_peer(step->call) };
    if (step->kind != NCS_STEP_CALL)
        return;
    candidates_round_add_company(&change, own->step + round.from, own->step + round.to, i == round.from);
    NCS_PUSH(c->change, c->changes, c->change_room, change);
}

/* How many missing steps end the divergence, all at one step of the course: they may begin a
 * round. */
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

/* The model's next step at that site, from `of` on, at most as far ahead as the round has steps
 * left; SIZE_MAX = the model has not come there. */
static size_t next_at(const struct ncs_way *model, size_t of, size_t most, uint64_t site)
{
    for (size_t i = of; i < model->steps && i < of + most; i++)
        if (model->step[i].site == site)
            return i;
    return SIZE_MAX;
}

/* Inserts one round before step `at`: like the model's as far as the model has come, else like the
 * course's own. Returns the model's step behind the round. */
static size_t add_round(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course, size_t at, struct lap round,
                        const struct ncs_way *model, size_t of)
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

/* Inserts as many rounds as the model has made more than the course. False = none, or the course
 * has not left the loop. */
static bool add_rounds(const struct ncs_explanations *s, struct ncs_explanation *c, size_t course, size_t at,
                       const struct ncs_way *model, size_t of, size_t like)
{
    const struct ncs_course *own = &s->courses.of[course];
    while (of < model->steps && !candidates_round_is_within(own, 0, at, model->step[of].site))
        of++; /* the course never makes this step, as a message of another stage of a pipeline */
    struct lap round = of < model->steps ? lap_before(own, at, model, of, like) : (struct lap){ at, at };
    size_t rounds = 0;
    if (candidates_round_goes_on(own, round, at))
        return false;
    uint64_t first = round.from < round.to ? own->step[round.from].site : 0;
    for (; first && rounds < MOST_ROUNDS && of < model->steps && model->step[of].site == first; rounds++) {
        of = add_round(s, c, course, at, round, model, of);
        round = of < model->steps && model->step[of].site == first ? lap_before(own, at, model, of, like) : round;
    }
    c->rounds = rounds > c->rounds ? rounds : c->rounds;
    return c->rounds > 0 && c->changes > 0;
}

/* The first gap that is a call; NULL = none. Waits and events only follow from calls. */
static const struct ncs_gap *candidates_round_first_call(const struct ncs_explanations *s, const struct ncs_divergence *d)
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
