/* Candidates from the waits: the missed ranks make the call, the waiting ranks do not make it, or
 * one of them names another peer. */
#include "diagnose/explanation/explain.h"

#include "base/mem.h"

/* The course that makes the calls of a rank of a communicator, or its rank's only one; SIZE_MAX =
 * none. */
static size_t missed_calls_course_of(const struct ncs_explanations *s, int comm, int comm_rank)
{
    int rank = ncs_run_rank(s->q, comm, comm_rank);
    size_t own = SIZE_MAX, courses = 0;
    for (size_t i = ncs_courses_from(&s->courses, rank); i < s->courses.count && s->courses.of[i].rank == rank; i++) {
        const struct ncs_course *c = &s->courses.of[i];
        for (size_t k = 0; k < c->steps; k++)
            if (c->step[k].comm == comm && c->step[k].comm_rank == comm_rank)
                return i;
        own = i;
        courses++;
    }
    return courses == 1 ? own : SIZE_MAX;
}

static void missed_calls_try_one(struct ncs_explanations *s, const struct ncs_change *change)
{
    struct ncs_explanation c = { 0 };
    ncs_candidate_add(&c, change);
    ncs_candidate_try(s, &c);
}

/* The step of the course at the site, in the given round from 0; if there are fewer, the last. */
static const struct ncs_step *visit_in_round(const struct ncs_course *c, uint64_t site, size_t round)
{
    const struct ncs_step *last = NULL;
    for (size_t i = 0; i < c->steps && (!last || round); i++)
        if (c->step[i].site == site) {
            round -= last && round;
            last = &c->step[i];
        }
    return last;
}

/* Finds a place where other ranks make messages of the same role as the inserted one: `like` is what one of them made there in
 * the round in which this rank did not. Returns where its course would have made it; its end if there is no such place. */
static size_t place_answer(const struct ncs_explanations *s, struct ncs_change *change)
{
    const struct ncs_course *own = &s->courses.of[change->course];
    uint64_t role = ncs_role_of(&s->courses, ncs_change_fn(change), change->comm, change->comm_rank, change->peer);
    for (size_t i = 0; i < s->courses.count; i++)
        for (size_t k = 0; k < s->courses.of[i].steps; k++) {
            uint64_t site = s->courses.of[i].step[k].site;
            size_t rounds = 0;
            if (s->courses.of[i].step[k].role != role)
                continue;
            for (size_t o = 0; o < own->steps; o++)
                rounds += own->step[o].site == site;
            change->like = visit_in_round(&s->courses.of[i], site, rounds);
            return ncs_candidate_place(own, &s->courses.of[i], change->like);
        }
    return own->steps;
}

/* Where a call is inserted: before the step in which the rank waits, or last or first in the group
 * there, or where other ranks make it. The spots differ in what waits for what, so only a rehearsal can choose. */
enum spot { BEFORE, LAST_IN_GROUP, FIRST_IN_GROUP, LIKE_OTHERS, SPOTS };

static size_t step_at(const struct ncs_course *c, enum spot spot)
{
    size_t step = c->steps - (c->stands && c->steps ? 1 : 0);
    if (spot != BEFORE && step && c->step[step - 1].kind == NCS_STEP_GROUP_END)
        step--;
    uint64_t group = step ? c->step[step - 1].call->group : 0;
    while (spot == FIRST_IN_GROUP && step && group && c->step[step - 1].call->group == group)
        step--;
    return step;
}

/* All missed ranks make the call. No candidate if one of them is unknown, or absent for another
 * reason than not having made it. */
static void try_answers(struct ncs_explanations *s, const struct ncs_unmet *n, enum spot spot)
{
    struct ncs_explanation c = { 0 };
    for (size_t i = 0; i < n->absents; i++) {
        size_t own = missed_calls_course_of(s, n->comm, n->absent[i].comm_rank);
        const struct ncs_course *course = own == SIZE_MAX ? NULL : &s->courses.of[own];
        if (!course || (n->absent[i].reason != NCS_ABSENT_ELSEWHERE && n->absent[i].reason != NCS_ABSENT_FINISHED)) {
            ncs_candidate_free(&c);
            return;
        }
        bool pair = ncs_call_is_pair(n->call);
        struct ncs_change change = { .kind = NCS_CHANGE_PUT_IN,
                                     .course = own,
                                     .step = step_at(course, spot),
                                     .model = n->call,
                                     .answer = pair,
                                     .comm = n->comm,
                                     .comm_rank = n->absent[i].comm_rank,
                                     .peer = pair ? n->call->comm_rank : -1 };
        size_t like_others = pair ? place_answer(s, &change) : change.step;
        change.step = spot == LIKE_OTHERS ? like_others : change.step;
        ncs_candidate_add(&c, &change);
    }
    ncs_candidate_try(s, &c);
}

bool ncs_candidate_leave_out(const struct ncs_explanations *s, const struct ncs_call *call, struct ncs_change *out)
{
    size_t first = ncs_courses_from(&s->courses, call->rank);
    for (size_t i = first; i < s->courses.count && s->courses.of[i].rank == call->rank; i++)
        for (size_t k = s->courses.of[i].steps; k-- > 0;)
            if (s->courses.of[i].step[k].call == call) {
                *out = (struct ncs_change){ .kind = NCS_CHANGE_LEAVE_OUT,
                                            .course = i,
                                            .step = k,
                                            .model = call,
                                            .comm = call->comm,
                                            .comm_rank = call->comm_rank,
                                            .peer = -1 };
                return true;
            }
    return false;
}

/* The ranks that wait there do not make the call. */
static void try_leaving_out(struct ncs_explanations *s, const struct ncs_unmet *n)
{
    struct ncs_explanation c = { 0 };
    for (size_t i = 0; i < n->presents; i++) {
        struct ncs_change change;
        if (!ncs_candidate_leave_out(s, n->present[i], &change)) {
            ncs_candidate_free(&c);
            return;
        }
        ncs_candidate_add(&c, &change);
    }
    ncs_candidate_try(s, &c);
}

/* An unmatched message of one rank, and one that names this rank from elsewhere: the first names
 * the wrong peer. */
static void try_peers(struct ncs_explanations *s, const struct ncs_unmet *n)
{
    for (size_t i = 0; i < s->q->unmets; i++) {
        const struct ncs_unmet *o = &s->q->unmet[i];
        if (o->kind != NCS_UNMET_PAIR || o->comm != n->comm || !o->call || ncs_is_send(o->call) == ncs_is_send(n->call) ||
            ncs_call_peer(o->call) != n->call->comm_rank || o->call->comm_rank == ncs_call_peer(n->call))
            continue;
        struct ncs_change change;
        if (!ncs_candidate_leave_out(s, n->call, &change))
            continue;
        change.kind = NCS_CHANGE_PEER;
        change.peer = o->call->comm_rank;
        change.wants = o->call;
        missed_calls_try_one(s, &change);
    }
}

void ncs_candidates_peers(struct ncs_explanations *s)
{
    enum { MOST_TRIED = 8 };
    size_t tried = 0;
    for (size_t i = 0; i < s->courses.count && s->courses.any_role; i++)
        for (size_t k = s->courses.of[i].steps; k-- > 0 && tried < MOST_TRIED;) {
            const struct ncs_call *call = s->courses.of[i].step[k].call;
            int peer = ncs_usual_peer(&s->usual, &s->courses.of[i].step[k]);
            if (peer < 0)
                continue;
            struct ncs_change change = { .kind = NCS_CHANGE_PEER,
                                         .course = i,
                                         .step = k,
                                         .model = call,
                                         .comm = call->comm,
                                         .comm_rank = call->comm_rank,
                                         .peer = peer };
            missed_calls_try_one(s, &change);
            tried++;
        }
}

static void missed_calls_try_unmet(struct ncs_explanations *s, const struct ncs_unmet *n)
{
    bool counted = n->kind == NCS_UNMET_PAIR || n->kind == NCS_UNMET_COLLECTIVE;
    if (!n->call || n->comm < 0 || ncs_is_meeting(n))
        return;
    if (n->kind == NCS_UNMET_SIGNAL)
        try_leaving_out(s, n);
    if (n->kind == NCS_UNMET_PAIR)
        try_peers(s, n);
    for (size_t i = 0; i < SPOTS && n->absents && counted; i++)
        try_answers(s, n, (enum spot)ncs_nth_kind(i, SPOTS));
    if (counted)
        try_leaving_out(s, n);
}

void ncs_candidates_missed(struct ncs_explanations *s)
{
    for (size_t i = 0; i < s->q->unmets; i++)
        missed_calls_try_unmet(s, &s->q->unmet[i]);
}
