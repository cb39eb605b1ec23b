/* Which roles ranks have, and which they are expected to have: by rank in a row or ring of ranks, and by siblings, the
 * ranks with the same place in communicators of one split. */
#include "diagnose/course/roles.h"

#include "base/hash.h"
#include "base/mem.h"

/* Bounds of memory: there is a flag for each course and role, and for each course and spot. */
enum { MOST_ROLES = 256, MOST_SPOTS = 1024 };

struct seat { /* of a course in the communicators of a class */
    int comm_rank, nranks, seats;
};

static uint64_t spot_key(size_t spot, uint64_t role)
{
    return ncs_hash(ncs_hash(6, spot), role) | 1;
}

/* True if some rank has the role at the spot. */
static bool spot_has(const struct ncs_roles *r, size_t spot, uint64_t role)
{
    return ncs_map_get(&r->had, spot_key(spot, role)) != NULL;
}

static void number_roles(const struct ncs_analysis *q, const struct ncs_courses *courses, struct ncs_roles *out)
{
    for (size_t i = 0; i < courses->count; i++)
        for (size_t k = 0; k < courses->of[i].steps; k++) {
            const struct ncs_step *s = &courses->of[i].step[k];
            if (!s->role || ncs_map_get(&out->number, s->role) || out->count == MOST_ROLES)
                continue;
            struct ncs_role role = { .key = s->role,
                                     .class = courses->class_of[s->comm],
                                     .away = ncs_step_peer(s->call) - s->comm_rank,
                                     .nranks = q->journal->comm[s->comm]->nranks };
            NCS_PUSH(out->of, out->count, out->room, role);
            ncs_map_put_number(&out->number, s->role, out->count);
        }
}

/* By rank of the run: its last seat in the communicators of the class, and how many it has there. */
static struct seat *seats_by_rank(const struct ncs_analysis *q, const struct ncs_courses *courses, uint64_t class)
{
    struct seat *of = ncs_new((size_t)(q->ranks + 1) * sizeof *of);
    for (size_t k = 0; k < q->journal->comms; k++) {
        const struct ncs_comm_info *comm = q->journal->comm[k];
        for (int r = 0; r < comm->nranks && courses->class_of[k] == class; r++)
            if (comm->member[r].rank >= 0)
                of[comm->member[r].rank] = (struct seat){ r, comm->nranks, of[comm->member[r].rank].seats + 1 };
    }
    return of;
}

/* The course's place in the communicators of the class: by its own calls there or, without calls, by its rank if that
 * is in one of these communicators only. comm_rank -1 = it has none. */
static struct seat find_seat(const struct ncs_analysis *q, const struct ncs_courses *courses, const struct ncs_course *c,
                             uint64_t class, const struct seat *by_rank)
{
    for (size_t k = 0; k < c->steps; k++) {
        const struct ncs_step *s = &c->step[k];
        if (s->comm >= 0 && s->comm_rank >= 0 && courses->class_of[s->comm] == class)
            return (struct seat){ s->comm_rank, q->journal->comm[s->comm]->nranks, 1 };
    }
    return by_rank[c->rank].seats == 1 ? by_rank[c->rank] : (struct seat){ .comm_rank = -1 };
}

/* True if at least three quarters of the ranks have the role, counted from the first rank that has it to the last: the
 * ends of a pipeline do not count. `has` is by rank. */
static bool is_regular(const bool *has, int ranks)
{
    int first = 0, last = ranks - 1, with = 0, without = 0;
    while (first < ranks && !has[first])
        first++;
    while (last > first && !has[last])
        last--;
    for (int r = first; r <= last; r++) {
        with += has[r];
        without += !has[r];
    }
    return with > 1 && 3 * without <= with;
}

/* True if a step of the course has the role or, on the ring of ranks, an equal one at the same spot: the last rank's
 * send to the first goes as far as a send to the next rank. *round is set in the latter case. */
static bool has_role(const struct ncs_roles *out, const struct ncs_course *c, size_t number, bool *round)
{
    const struct ncs_role *role = &out->of[number];
    bool has = false;
    for (size_t k = 0; k < c->steps; k++) {
        const struct ncs_step *s = &c->step[k];
        if (s->role == role->key)
            return true;
        if (s->role && role->nranks > 2 && /* on a ring of two both neighbours are the same rank */
            ncs_roles_alike(out, s->role, role->key) && spot_has(out, ncs_spot_number(out, s->site), role->key))
            has = *round = true;
    }
    return has;
}

static uint64_t key_of_seat(const struct seat *seat)
{
    return ncs_hash((uint64_t)seat->comm_rank, (uint64_t)seat->nranks);
}

/* Expects the role of a rank if most ranks with the same seat in sibling communicators have it, as in the pipelines of
 * data-parallel replicas. */
static void expect_of_siblings(const struct seat *seat, size_t courses, size_t number, struct ncs_roles *out)
{
    struct ncs_map with = { 0 }, without = { 0 };
    for (size_t i = 0; i < courses; i++) {
        struct ncs_map *count = out->expected[i * out->count + number] ? &with : &without;
        ncs_map_put_number(count, key_of_seat(&seat[i]), ncs_map_number(count, key_of_seat(&seat[i])) + 1);
    }
    for (size_t i = 0; i < courses; i++) {
        size_t has = ncs_map_number(&with, key_of_seat(&seat[i])), lacks = ncs_map_number(&without, key_of_seat(&seat[i]));
        out->expected[i * out->count + number] |= seat[i].comm_rank >= 0 && has > 1 && has > lacks;
    }
    ncs_map_free(&with);
    ncs_map_free(&without);
}

static void expect_role(const struct ncs_analysis *q, const struct ncs_courses *courses, size_t number, struct ncs_roles *out)
{
    struct ncs_role *role = &out->of[number];
    struct seat *seat = ncs_new(courses->count * sizeof *seat), *by_rank = seats_by_rank(q, courses, role->class);
    int ranks = 0;
    for (size_t i = 0; i < courses->count; i++) {
        seat[i] = find_seat(q, courses, &courses->of[i], role->class, by_rank);
        ranks = seat[i].nranks > ranks ? seat[i].nranks : ranks;
    }
    ncs_free(by_rank);
    bool *has = ncs_new(((size_t)ranks + 1) * sizeof *has), round = false;
    for (size_t i = 0; i < courses->count; i++)
        if (has_role(out, &courses->of[i], number, &round)) {
            out->expected[i * out->count + number] = true;
            if (seat[i].comm_rank >= 0)
                has[seat[i].comm_rank] = true;
        }
    role->regular = is_regular(has, ranks);
    for (size_t i = 0; i < courses->count && role->regular; i++) {
        int peer = seat[i].comm_rank + role->away;
        bool there = peer >= 0 && peer < seat[i].nranks;
        out->expected[i * out->count + number] |= seat[i].comm_rank >= 0 && (there || round);
    }
    expect_of_siblings(seat, courses->count, number, out);
    ncs_free(has);
    ncs_free(seat);
}

static void number_spots(const struct ncs_courses *courses, struct ncs_roles *out)
{
    for (size_t i = 0; i < courses->count; i++)
        for (size_t k = 0; k < courses->of[i].steps; k++) {
            const struct ncs_step *s = &courses->of[i].step[k];
            if (!s->role)
                continue;
            size_t spot = ncs_spot_number(out, s->site);
            if (spot == out->spots && out->spots < MOST_SPOTS)
                ncs_map_put_number(&out->spot, s->site, ++out->spots);
            if (spot < out->spots)
                ncs_map_put_number(&out->had, spot_key(spot, s->role), 1);
        }
}

static void expect_at_spot(const struct ncs_courses *courses, size_t spot, struct ncs_roles *out)
{
    for (size_t role = 0; role < out->count; role++)
        for (size_t i = 0, count = spot_has(out, spot, out->of[role].key) ? courses->count : 0; i < count; i++)
            out->passed[i * out->spots + spot] |= out->expected[i * out->count + role];
}

void ncs_roles_read(const struct ncs_analysis *q, const struct ncs_courses *courses, struct ncs_roles *out)
{
    if (courses->any_role) {
        number_roles(q, courses, out);
        number_spots(courses, out);
    }
    out->expected = ncs_new((courses->count * out->count + 1) * sizeof *out->expected);
    for (size_t i = 0; i < out->count; i++)
        expect_role(q, courses, i, out);
    out->passed = ncs_new((courses->count * out->spots + 1) * sizeof *out->passed);
    for (size_t i = 0; i < out->spots; i++)
        expect_at_spot(courses, i, out);
}

void ncs_roles_free(struct ncs_roles *r)
{
    ncs_map_free(&r->number);
    ncs_map_free(&r->spot);
    ncs_map_free(&r->had);
    ncs_free(r->of);
    ncs_free(r->expected);
    ncs_free(r->passed);
}

static const struct ncs_role *find_role(const struct ncs_roles *r, uint64_t key)
{
    size_t at = ncs_map_number(&r->number, key);
    return at ? &r->of[at - 1] : NULL;
}

bool ncs_roles_alike(const struct ncs_roles *r, uint64_t a, uint64_t b)
{
    const struct ncs_role *x = find_role(r, a), *y = find_role(r, b);
    return a == b || (x && y && x->class == y->class && (x->away - y->away) % x->nranks == 0);
}

int ncs_role_peer(const struct ncs_roles *r, uint64_t key, int comm_rank)
{
    const struct ncs_role *role = find_role(r, key);
    return role ? ((comm_rank + role->away) % role->nranks + role->nranks) % role->nranks : -1;
}

size_t ncs_spot_number(const struct ncs_roles *r, uint64_t site)
{
    size_t at = ncs_map_number(&r->spot, site);
    return at ? at - 1 : r->spots;
}

bool ncs_spot_is_expected(const struct ncs_roles *r, size_t course, size_t spot)
{
    return spot < r->spots && r->passed[course * r->spots + spot];
}
