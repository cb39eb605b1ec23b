/* Candidates for hosts: a barrier, a key or a thread that one rank left out or made in excess,
 * compared with similar ranks; and a key that is set under one name and awaited under another. */
#include "diagnose/explanation/explain.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/party.h"

/* ---- keys ---- */

/* True if the key contains the number, as "ready/3" has 3: a rank's own key usually has its
 * number. */
static bool has_number(const char *key, int number)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", number);
    return strstr(key, digits) != NULL;
}

/* A missed key of the same class (equal but for numbers); of several the one that has the rank's
 * number. */
static const char *missed_of_class(const struct ncs_explanations *s, const char *like, int rank)
{
    const char *best = NULL;
    for (size_t i = 0; i < s->courses.count; i++) {
        const char *key = s->courses.of[i].missed;
        if (!key || ncs_key_class(key) != ncs_key_class(like))
            continue;
        if (!best || (has_number(key, rank) && !has_number(best, rank)))
            best = key;
    }
    return best;
}

static bool any_missed(const struct ncs_courses *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->of[i].missed)
            return true;
    return false;
}

/* ---- from comparing ways ---- */

/* The barrier at that place that includes the process: the whole run's, or one with
 * a list of ranks. */
static const struct ncs_host_step *barrier_at(const struct ncs_explanations *s, const struct ncs_step *like, int process)
{
    const struct ncs_host_step *found = ncs_is_listed(like->host->what, process) ? like->host : NULL;
    for (size_t i = 0; i < s->courses.count && !found; i++)
        for (size_t k = 0; k < s->courses.of[i].steps && !found; k++) {
            const struct ncs_step *o = &s->courses.of[i].step[k];
            if (o->kind == NCS_STEP_BARRIER && o->site == like->site && ncs_is_listed(o->host->what, process))
                found = o->host;
        }
    return found;
}

/* Makes the change insert a host step like the given one. False = the inserted step would help no
 * rank. */
static bool put_in(const struct ncs_explanations *s, const struct ncs_step *like, struct ncs_change *out)
{
    int process = ncs_process_of_party(s->q->parties, s->courses.of[out->course].rank);
    out->kind = NCS_CHANGE_PUT_IN;
    out->model = like->call;
    out->like = like;
    out->host = like->host;
    switch (like->kind) {
    case NCS_STEP_BARRIER: out->host = barrier_at(s, like, process); return out->host != NULL;
    case NCS_STEP_SET:
        if (like->host->kind == NCS_HOST_ADD) /* the rank that adds last may then set any missed key */
            return any_missed(&s->courses);
        out->key = missed_of_class(s, like->host->what, process);
        return out->key != NULL;
    case NCS_STEP_SPAWN: return true;
    default: return false;
    }
}

/* Only barriers are left out. Setting a key blocks no rank. Leaving out a wait for a key would
 * always let the rank go on, so it would win too often, and programs seldom mean that. */
static bool candidates_host_leave_out(const struct ncs_explanations *s, struct ncs_change *out)
{
    const struct ncs_step *own = &s->courses.of[out->course].step[out->step];
    out->kind = NCS_CHANGE_LEAVE_OUT;
    out->model = own->call;
    out->host = own->host;
    return own->kind == NCS_STEP_BARRIER;
}

bool ncs_host_gap(const struct ncs_explanations *s, size_t course, const struct ncs_divergence *d, const struct ncs_gap *g,
                  struct ncs_change *out)
{
    *out = (struct ncs_change){ .course = course, .step = g->at, .comm = -1, .comm_rank = -1, .peer = -1 };
    return g->more ? candidates_host_leave_out(s, out) : put_in(s, &s->ways.of[d->model].step[g->of], out);
}

/* ---- from the waits ---- */

static void candidates_host_try_one(struct ncs_explanations *s, const struct ncs_change *change)
{
    struct ncs_explanation c = { 0 };
    NCS_PUSH(c.change, c.changes, c.change_room, *change);
    ncs_candidate_try(s, &c);
}

/* Tries that a key which no rank awaits was meant to be this one. */
static void try_other_name(struct ncs_explanations *s, const char *key)
{
    for (size_t i = 0; i < s->courses.count; i++)
        for (size_t k = 0; k < s->courses.of[i].steps; k++) {
            const struct ncs_step *own = &s->courses.of[i].step[k];
            struct ncs_change change = { .kind = NCS_CHANGE_KEY,
                                         .course = i,
                                         .step = k,
                                         .model = own->call,
                                         .comm = -1,
                                         .comm_rank = -1,
                                         .peer = -1,
                                         .host = own->host,
                                         .key = key };
            if (own->unmatched)
                candidates_host_try_one(s, &change);
        }
}

/* Tries that all ranks which wait for the key should wait for the other one, which is set and not
 * awaited. */
static void try_waiters(struct ncs_explanations *s, const char *key, const char *other)
{
    struct ncs_explanation c = { 0 };
    for (size_t i = 0; i < s->courses.count; i++) {
        const struct ncs_course *own = &s->courses.of[i];
        struct ncs_change change = {
            .kind = NCS_CHANGE_KEY, .course = i, .step = own->steps - 1, .comm = -1, .comm_rank = -1, .peer = -1, .key = other
        };
        if (!own->missed || strcmp(own->missed, key) != 0)
            continue;
        change.model = own->step[change.step].call;
        change.host = own->step[change.step].host;
        NCS_PUSH(c.change, c.changes, c.change_room, change);
    }
    ncs_candidate_try(s, &c);
}

/* Corrects a rank that waits for a key of its own where all others wait for one common key. */
static void try_like_others(struct ncs_explanations *s, size_t course)
{
    const struct ncs_course *own = &s->courses.of[course];
    const struct ncs_step *last = &own->step[own->steps - 1];
    const char *other = NULL;
    for (size_t i = 0; i < s->courses.count; i++)
        for (size_t k = 0; k < s->courses.of[i].steps; k++) {
            const struct ncs_step *o = &s->courses.of[i].step[k];
            bool like = i != course && o->site == last->site && o->host->over && !o->host->in_vain;
            if (like && other && strcmp(other, o->host->what) != 0)
                return;
            other = like ? o->host->what : other;
        }
    struct ncs_change change = { .kind = NCS_CHANGE_KEY,
                                 .course = course,
                                 .step = own->steps - 1,
                                 .model = last->call,
                                 .comm = -1,
                                 .comm_rank = -1,
                                 .peer = -1,
                                 .host = last->host,
                                 .key = other };
    if (other)
        candidates_host_try_one(s, &change);
}

/* The barrier in which the course waits; NULL = none. */
static const struct ncs_step *candidates_host_barrier_of(const struct ncs_course *c)
{
    const struct ncs_step *last = c->steps && c->stands ? &c->step[c->steps - 1] : NULL;
    return last && last->kind == NCS_STEP_BARRIER && !last->host->over ? last : NULL;
}

/* The only course of the process; SIZE_MAX = there are several. */
static size_t candidates_host_course_of(const struct ncs_explanations *s, int process)
{
    size_t own = SIZE_MAX, count = 0;
    for (size_t i = 0; i < s->courses.count; i++)
        if (ncs_process_of_party(s->q->parties, s->courses.of[i].rank) == process) {
            own = i;
            count++;
        }
    return count == 1 ? own : SIZE_MAX;
}

/* Tries both sides: the ranks that are missed at the barrier come to it, or the ranks that wait
 * there do not. */
static void try_barrier(struct ncs_explanations *s, const struct ncs_course *model, int processes)
{
    const struct ncs_step *barrier = candidates_host_barrier_of(model);
    struct ncs_explanation in = { 0 }, out = { 0 };
    bool known = true;
    for (int p = 0; p < processes; p++) {
        size_t own = ncs_is_listed(barrier->host->what, p) ? candidates_host_course_of(s, p) : SIZE_MAX;
        const struct ncs_step *here = own == SIZE_MAX ? NULL : candidates_host_barrier_of(&s->courses.of[own]);
        struct ncs_change change = { .kind = NCS_CHANGE_PUT_IN,
                                     .course = own,
                                     .model = barrier->call,
                                     .comm = -1,
                                     .comm_rank = -1,
                                     .peer = -1,
                                     .host = barrier->host,
                                     .like = barrier };
        known &= own != SIZE_MAX || !ncs_is_listed(barrier->host->what, p);
        if (own == SIZE_MAX)
            continue;
        if (here && strcmp(here->host->what, barrier->host->what) == 0) {
            change.kind = NCS_CHANGE_LEAVE_OUT;
            change.step = s->courses.of[own].steps - 1;
            change.model = here->call;
            change.host = here->host;
            ncs_candidate_add(&out, &change);
        } else {
            change.step = ncs_candidate_place(&s->courses.of[own], model, barrier);
            ncs_candidate_add(&in, &change);
        }
    }
    if (!known)
        ncs_candidate_free(&in);
    ncs_candidate_try(s, &in);
    ncs_candidate_try(s, &out);
}

static void try_barriers(struct ncs_explanations *s)
{
    int processes = 0;
    for (size_t i = 0; i < s->courses.count; i++) {
        int own = ncs_process_of_party(s->q->parties, s->courses.of[i].rank);
        processes = own >= processes ? own + 1 : processes;
    }
    for (size_t i = 0; i < s->courses.count; i++) {
        const struct ncs_step *own = candidates_host_barrier_of(&s->courses.of[i]);
        bool known = !own;
        for (size_t k = 0; k < i && !known; k++) {
            const struct ncs_step *before = candidates_host_barrier_of(&s->courses.of[k]);
            known = before && strcmp(before->host->what, own->host->what) == 0;
        }
        if (!known)
            try_barrier(s, &s->courses.of[i], processes);
    }
}

void ncs_candidates_hosts(struct ncs_explanations *s)
{
    try_barriers(s);
    for (size_t i = 0; i < s->courses.count; i++) {
        const char *key = s->courses.of[i].missed;
        bool known = !key;
        if (key)
            try_like_others(s, i);
        for (size_t k = 0; k < i && !known; k++) {
            const char *before = s->courses.of[k].missed;
            known = before && strcmp(before, key) == 0;
        }
        if (known)
            continue;
        try_other_name(s, key);
        for (size_t c = 0; c < s->courses.count; c++)
            for (size_t k = 0; k < s->courses.of[c].steps; k++)
                if (s->courses.of[c].step[k].unmatched)
                    try_waiters(s, key, s->courses.of[c].step[k].host->what);
    }
}
