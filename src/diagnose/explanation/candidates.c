/* Candidates from comparing the ways of ranks. Each candidate makes one way like another: it
 * inserts the calls that the way lacks, removes those that it has in excess, or makes them on
 * another communicator. */
#include "diagnose/explanation/explain.h"

#include <string.h>

#include "base/mem.h"

enum { MOST_MODELS = 6 }; /* ways that one way is compared with; comparing all pairs takes time by the square */

/* ---- from places to calls ---- */

static int rank_on(const struct ncs_analysis *q, size_t comm, int rank)
{
    const struct ncs_comm_info *info = q->journal->comm[comm];
    bool alike = q->comm[comm].numbered_alike; /* then the rank has its own number there, or is none of it */
    int end = alike && rank < info->nranks ? rank + 1 : info->nranks;
    for (int r = alike && rank > 0 ? rank : 0; r < end; r++)
        if (info->member[r].rank == rank)
            return r;
    return -1;
}

/* The model's communicator if the rank is in it, else the first of the same class that the rank is
 * in. A loop that makes a communicator in each round puts all of them into one class, so a class
 * alone does not identify the communicator. */
int ncs_sibling_comm(const struct ncs_explanations *s, const struct ncs_call *model, int rank, int *comm_rank)
{
    const struct ncs_journal *j = s->q->journal;
    *comm_rank = rank_on(s->q, (size_t)model->comm, rank);
    if (*comm_rank >= 0)
        return model->comm;
    for (size_t c = 0; c < j->comms; c++) {
        if (s->courses.class_of[c] != s->courses.class_of[model->comm])
            continue;
        *comm_rank = rank_on(s->q, c, rank);
        if (*comm_rank >= 0)
            return (int)c;
    }
    return -1;
}

size_t ncs_candidate_place(const struct ncs_course *own, const struct ncs_course *model, const struct ncs_step *step)
{
    size_t end = own->steps - (own->stands && own->steps);
    while (step-- > model->step) {
        size_t round = 0;
        for (const struct ncs_step *b = model->step; b <= step && step->kind != NCS_STEP_WAIT; b++)
            round += b->site == step->site;
        for (size_t k = 0; k < end && round; k++)
            if (own->step[k].site == step->site && --round == 0)
                return k + 1;
    }
    return end;
}

/* How often the course has been at the site before step `at`. */
static size_t earlier(const struct ncs_course *c, size_t at, uint64_t site)
{
    size_t n = 0;
    for (size_t i = 0; i < at && i < c->steps; i++)
        n += c->step[i].site == site;
    return n;
}

/* Makes the change the answer to a send or receive that waits for this rank: then neither the peer
 * nor the count has to be guessed. False = no such call waits. */
static bool find_answer(const struct ncs_explanations *s, const struct ncs_call *model, int comm, int comm_rank,
                        struct ncs_change *c)
{
    for (size_t i = 0; i < s->q->unmets; i++) {
        const struct ncs_unmet *n = &s->q->unmet[i];
        if (n->kind != NCS_UNMET_PAIR || n->comm != comm || !n->call || n->presents != 1 ||
            ncs_is_send(n->call) == ncs_is_send(model) || ncs_call_peer(n->call) != comm_rank)
            continue;
        c->model = n->call;
        c->answer = true;
        c->peer = n->call->comm_rank;
        return true;
    }
    return false;
}

/* A message like another rank's, to the peer at the same distance in the communicator, modulo its
 * size: neighbors of a ring or a pipeline name peers in this way. */
static bool find_like(const struct ncs_call *model, int comm, int comm_rank, int nranks, struct ncs_change *c)
{
    int peer = comm_rank + ncs_step_peer(model) - model->comm_rank;
    if (comm != model->comm || ncs_step_peer(model) < 0)
        return false;
    c->model = model;
    c->peer = (peer % nranks + nranks) % nranks;
    return true;
}

bool ncs_candidate_put_in(const struct ncs_explanations *s, size_t course, size_t at, const struct ncs_step *step, size_t nth,
                          struct ncs_change *out)
{
    const struct ncs_course *c = &s->courses.of[course];
    int comm_rank = -1, comm = ncs_sibling_comm(s, step->call, c->rank, &comm_rank);
    *out = (struct ncs_change){
        .kind = NCS_CHANGE_PUT_IN, .course = course, .step = at, .comm = comm, .comm_rank = comm_rank, .peer = -1
    };
    if (comm < 0)
        return false;
    out->like = step;
    if (ncs_call_is_pair(step->call) || ncs_call_is_one_sided(step->call))
        return find_answer(s, step->call, comm, comm_rank, out) ||
               find_like(step->call, comm, comm_rank, s->q->journal->comm[comm]->nranks, out);
    out->model = ncs_example(s->examples, step->site, comm, comm_rank, earlier(c, at, step->site) + nth);
    return out->model && ncs_call_count(out->model) > 0;
}

/* How many calls of the same site the divergence inserts before gap g: the example for the next
 * call is that much later among the others' calls there. */
static size_t put_in_before(const struct ncs_explanations *s, const struct ncs_divergence *d, const struct ncs_gap *g)
{
    const struct ncs_step *step = s->ways.of[d->model].step;
    size_t n = 0;
    for (const struct ncs_gap *b = d->gap; b < g; b++)
        n += !b->more && step[b->of].site == step[g->of].site;
    return n;
}

/* The change that closes one gap. False = there is no call to insert. */
static bool change_of(const struct ncs_explanations *s, size_t course, const struct ncs_divergence *d, const struct ncs_gap *g,
                      struct ncs_change *out)
{
    const struct ncs_course *c = &s->courses.of[course];
    if (!g->more) {
        const struct ncs_step *step = &s->ways.of[d->model].step[g->of];
        return ncs_candidate_put_in(s, course, g->at, step, put_in_before(s, d, g), out);
    }
    const struct ncs_call *call = c->step[g->at].call;
    *out = (struct ncs_change){ .kind = NCS_CHANGE_LEAVE_OUT,
                                .course = course,
                                .step = g->at,
                                .model = call,
                                .comm = call->comm,
                                .comm_rank = call->comm_rank,
                                .peer = -1 };
    return true;
}

static enum ncs_step_kind candidates_kind_of(const struct ncs_explanations *s, const struct ncs_divergence *d,
                                             const struct ncs_gap *g)
{
    return g->more ? s->ways.of[d->way].step[g->at].kind : s->ways.of[d->model].step[g->of].kind;
}

/* Sets how many neighbors come with the call of gap g: gaps right before it (not before gap `from`,
 * which belongs to the previous change) and right behind it whose steps have no effect without a
 * call. */
static void candidates_add_company(const struct ncs_explanations *s, const struct ncs_divergence *d, size_t from, size_t g,
                                   struct ncs_change *change)
{
    const struct ncs_step *step = s->ways.of[d->model].step;
    const struct ncs_gap *own = &d->gap[g];
    while (g - (size_t)change->ahead > from && own[-change->ahead - 1].of + (size_t)change->ahead + 1 == own->of &&
           !own[-change->ahead - 1].more && ncs_comes_with_calls(&step[own[-change->ahead - 1].of]))
        change->ahead++;
    while (g + (size_t)change->behind + 1 < d->gaps && own[change->behind + 1].of == own->of + (size_t)change->behind + 1 &&
           !own[change->behind + 1].more && ncs_comes_with_calls(&step[own[change->behind + 1].of]))
        change->behind++;
}

/* Adds the changes that make all courses of d->way like its model. False = the divergence has a
 * step that no change can insert or remove. */
static bool candidates_add_part(const struct ncs_explanations *s, struct ncs_explanation *c, const struct ncs_divergence *d)
{
    const struct ncs_way *way = &s->ways.of[d->way];
    for (size_t w = 0; w < way->courses; w++)
        for (size_t g = 0, from = 0; g < d->gaps; g++) {
            struct ncs_change change;
            enum ncs_step_kind kind = candidates_kind_of(s, d, &d->gap[g]);
            if (kind == NCS_STEP_OTHER)
                return false;
            bool host = kind >= NCS_STEP_BARRIER;
            if (host ? !ncs_host_gap(s, way->course[w], d, &d->gap[g], &change) : kind != NCS_STEP_CALL)
                continue;
            if (!host && !change_of(s, way->course[w], d, &d->gap[g], &change))
                return false;
            if (!host && !d->gap[g].more && change.like == &s->ways.of[d->model].step[d->gap[g].of]) {
                candidates_add_company(s, d, from, g, &change);
                from = g + (size_t)change.behind + 1;
            }
            NCS_PUSH(c->change, c->changes, c->change_room, change);
        }
    struct ncs_divergence copy = *d;
    copy.gap = ncs_new((d->gaps + 1) * sizeof *copy.gap);
    memcpy(copy.gap, d->gap, d->gaps * sizeof *copy.gap);
    NCS_PUSH(c->part, c->parts, c->part_room, copy);
    return true;
}

/* ---- candidates ---- */

enum { WEIGHTS = 3 };

/* Costs of an extra and of a missing step. The last two prefer to insert nothing, and to remove
 * nothing: the comparison cannot know which of the two ranks is right. */
static const struct ncs_weights weights[WEIGHTS] = { { 1, 1, false }, { 1, 64, false }, { 64, 1, false } };

/* True if some step of the divergence names a peer. */
static bool lacks_messages(const struct ncs_explanations *s, const struct ncs_divergence *d)
{
    for (size_t i = 0; i < d->gaps; i++)
        if (d->gap[i].more ? s->ways.of[d->way].step[d->gap[i].at].role : s->ways.of[d->model].step[d->gap[i].of].role)
            return true;
    return false;
}

/* Completes the round of a loop that the divergence only begins, because the model itself has got
 * no further. False = it begins none. Several courses would need rounds of their own. */
static bool end_round(const struct ncs_explanations *s, struct ncs_explanation *c, const struct ncs_divergence *d, size_t like)
{
    const struct ncs_way *way = &s->ways.of[d->way];
    return way->courses == 1 && ncs_candidate_end_round(s, c, way->course[0], d, like);
}

/* Tries the divergence as it is (i = 0), then with its last round completed like each of the
 * course's own rounds. */
static void try_gaps(struct ncs_explanations *s, const struct ncs_divergence *d)
{
    for (size_t i = 0; i <= NCS_ROUNDS_LIKE; i++) {
        struct ncs_explanation c = { 0 };
        if (candidates_add_part(s, &c, d) && (i == 0 || end_round(s, &c, d, i - 1)))
            ncs_candidate_try(s, &c);
        else
            ncs_candidate_free(&c);
    }
}

/* Tries all weightings; if messages differ, all of them again with collectives alone. */
static void try_pair(struct ncs_explanations *s, size_t way, size_t model)
{
    bool messages = false; /* the loop is extended by its own result */
    for (size_t i = 0; i < (messages ? 2 * WEIGHTS : WEIGHTS); i++) {
        struct ncs_divergence d;
        struct ncs_weights weight = weights[ncs_nth_kind(i % WEIGHTS, WEIGHTS)];
        weight.collectives = i >= WEIGHTS;
        bool apart = ncs_diverge(&s->ways, way, model, weight, &d);
        messages |= apart && lacks_messages(s, &d);
        if (apart && d.gaps <= s->ways.of[way].steps + s->ways.of[model].steps)
            try_gaps(s, &d);
        ncs_free(d.gap);
    }
}

/* Tries the wrong communicator: the first divergence is one call, made at the same place on two
 * communicators. `all`: changes all calls of that place in a row, as in a loop over buffers; false
 * if the row has one call, which the other attempt covers. */
static void try_comm(struct ncs_explanations *s, size_t way, size_t model, bool all)
{
    struct ncs_divergence d = { 0 };
    struct ncs_explanation c = { 0 };
    const struct ncs_way *own = &s->ways.of[way], *other = &s->ways.of[model];
    bool apart = ncs_diverge(&s->ways, way, model, weights[0], &d) && d.gap[0].at < own->steps && d.gap[0].of < other->steps;
    const struct ncs_step *a = apart ? &own->step[d.gap[0].at] : NULL, *b = apart ? &other->step[d.gap[0].of] : NULL;
    bool fine = apart && a->kind == NCS_STEP_CALL && b->kind == NCS_STEP_CALL && !a->role && a->call->comm != b->call->comm &&
                (ncs_at_same_place(a->call, b->call) || ncs_same_call(a->call, b->call));
    size_t row = 1;
    while (fine && all && a + row < own->step + own->steps && a[row].site == a->site)
        row++;
    fine &= !all || row > 1;
    for (size_t w = 0; w < own->courses && fine; w++)
        for (size_t i = 0; i < row && fine; i++) {
            struct ncs_change change = { .kind = NCS_CHANGE_COMM, .course = own->course[w], .step = d.gap[0].at + i, .peer = -1 };
            change.model = s->courses.of[change.course].step[change.step].call;
            change.like = b;
            change.comm = ncs_sibling_comm(s, b->call, s->courses.of[change.course].rank, &change.comm_rank);
            fine = change.comm >= 0 && change.comm != change.model->comm;
            ncs_candidate_add(&c, &change);
        }
    ncs_free(d.gap);
    if (fine)
        ncs_candidate_try(s, &c);
    else
        ncs_candidate_free(&c);
}

/* Makes all ways that differ from the model like it, in one candidate: several ranks may be wrong,
 * each in its own manner, and then no change of one of them lets the run go on. */
static void try_all_to(struct ncs_explanations *s, size_t model)
{
    for (size_t i = 0; i < WEIGHTS; i++) {
        struct ncs_weights weight = weights[ncs_nth_kind(i, WEIGHTS)];
        struct ncs_explanation c = { 0 };
        bool fine = true;
        for (size_t way = 0; way < s->ways.count && fine; way++) {
            struct ncs_divergence d = { 0 };
            if (way != model && ncs_diverge(&s->ways, way, model, weight, &d))
                fine = candidates_add_part(s, &c, &d);
            if (fine && d.gaps)
                end_round(s, &c, &d, 0);
            ncs_free(d.gap);
        }
        if (fine && c.parts > 1)
            ncs_candidate_try(s, &c);
        else
            ncs_candidate_free(&c);
    }
}

/* Compares the way with its models: those with the longest common beginning first, then those of
 * many ranks. */
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
        for (size_t like = 0; like < NCS_ROUNDS_LIKE; like++)
            ncs_candidate_rounds(s, way, best, like);
        try_comm(s, way, best, false);
        try_comm(s, way, best, true);
    }
    ncs_free(done);
}

void ncs_candidates_apart(struct ncs_explanations *s)
{
    for (size_t i = 0; i < s->ways.count; i++)
        try_way(s, i);
}

void ncs_candidates_at_once(struct ncs_explanations *s)
{
    for (size_t i = 0; i < s->ways.count; i++)
        try_all_to(s, i);
}
