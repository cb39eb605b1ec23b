/* The usual behavior of ranks at a place of the program: the peer or key that most of them name
 * there. A step that does otherwise counts against a course. */
#include "diagnose/explanation/explain.h"

#include "base/hash.h"

/* The property that ranks share at a place although each gives its own value: the distance of the
 * peer from the rank, or the key without its numbers. 0 = none. */
static uint64_t usual_role_of(const struct ncs_step *s)
{
    bool key = s->kind == NCS_STEP_SET || s->kind == NCS_STEP_GET;
    return !key ? s->role : s->lone ? 0 : ncs_key_class(s->key ? s->key : s->host->what);
}

/* A key of a map that also holds plain sites: 5 keeps it apart from them, and 0 is no key of a
 * map. */
static uint64_t usual_key_of(uint64_t site, uint64_t role)
{
    return ncs_hash(ncs_hash(5, site), role) | 1;
}

/* Keeps the role of each place that more than half of the steps there have. Every course counts,
 * and not every way: a way may stand for most ranks. */
static void read_roles(struct ncs_usual *u)
{
    struct ncs_map seen = { 0 }; /* site -> times, site and role -> times */
    if (!u->courses->any_role && !u->courses->any_key)
        return;
    for (size_t c = 0; c < u->courses->count; c++)
        for (size_t i = 0; i < u->courses->of[c].steps; i++) {
            const struct ncs_step *s = &u->courses->of[c].step[i];
            uint64_t role = usual_role_of(s);
            if (!role)
                continue;
            ncs_map_put_number(&seen, s->site, ncs_map_number(&seen, s->site) + 1);
            ncs_map_put_number(&seen, usual_key_of(s->site, role), ncs_map_number(&seen, usual_key_of(s->site, role)) + 1);
        }
    for (size_t c = 0; c < u->courses->count; c++)
        for (size_t i = 0; i < u->courses->of[c].steps; i++) {
            const struct ncs_step *s = &u->courses->of[c].step[i];
            uint64_t role = usual_role_of(s);
            if (role && 2 * ncs_map_number(&seen, usual_key_of(s->site, role)) > ncs_map_number(&seen, s->site))
                ncs_map_put_number(&u->roles, s->site, role);
        }
    ncs_map_free(&seen);
}

static bool is_unusual(const struct ncs_usual *u, const struct ncs_step *s)
{
    uint64_t role = usual_role_of(s);
    uint64_t most = role ? ncs_map_number(&u->roles, s->site) : 0;
    return most && !ncs_roles_alike(&u->ways->roles, most, role);
}

size_t ncs_usual_count_unlike(const struct ncs_usual *u, const struct ncs_step *step, size_t steps)
{
    size_t n = 0;
    for (size_t i = 0; i < steps && u->roles.count; i++)
        n += is_unusual(u, &step[i]);
    return n;
}

int ncs_usual_peer(const struct ncs_usual *u, const struct ncs_step *s)
{
    uint64_t most = s->role ? ncs_map_number(&u->roles, s->site) : 0;
    return is_unusual(u, s) ? ncs_role_peer(&u->ways->roles, most, s->call->comm_rank) : -1;
}

void ncs_usual_read(const struct ncs_courses *courses, const struct ncs_ways *ways, struct ncs_usual *out)
{
    *out = (struct ncs_usual){ .courses = courses, .ways = ways };
    read_roles(out);
}

void ncs_usual_free(struct ncs_usual *u)
{
    ncs_map_free(&u->roles);
}
