/* Examples of calls to insert: what other ranks called at a place on a communicator, by how many-th
 * it was of the rank's calls there. All candidates share one index, which makes a look-up
 * independent of the run's length. */
#include "diagnose/explanation/explain.h"

#include "base/hash.h"
#include "base/mem.h"

struct example {                         /* the nth call there; two, because a rank is never an example for itself */
    const struct ncs_call *call, *other; /* of the first course; of the first other rank, NULL = none */
    int comm_rank;                       /* of `call` */
};

struct place {
    struct example *nth;
    size_t count, room;
    size_t course, seen; /* the course, + 1, that is being read, and its calls there so far */
};

struct ncs_examples {
    struct ncs_map at; /* site and communicator -> index of the place + 1 */
    struct place *place;
    size_t places, room;
};

static uint64_t examples_key_of(uint64_t site, int comm)
{
    return ncs_hash(site, (uint64_t)comm) | 1;
}

static struct place *examples_place_of(struct ncs_examples *e, uint64_t site, int comm)
{
    size_t at = ncs_map_number(&e->at, examples_key_of(site, comm));
    if (!at) {
        struct place fresh = { 0 };
        NCS_PUSH(e->place, e->places, e->room, fresh);
        ncs_map_put_number(&e->at, examples_key_of(site, comm), at = e->places);
    }
    return &e->place[at - 1];
}

static void examples_add(struct place *p, size_t course, const struct ncs_step *s)
{
    struct example own = { .call = s->call, .comm_rank = s->comm_rank };
    if (p->course != course + 1)
        p->seen = 0;
    p->course = course + 1;
    if (++p->seen > p->count)
        NCS_PUSH(p->nth, p->count, p->room, own);
    struct example *nth = &p->nth[p->seen - 1];
    if (!nth->other && nth->comm_rank != s->comm_rank)
        nth->other = s->call;
}

struct ncs_examples *ncs_examples_new(const struct ncs_courses *courses)
{
    struct ncs_examples *e = ncs_new(sizeof *e);
    for (size_t i = 0; i < courses->count; i++)
        for (size_t k = 0; k < courses->of[i].steps; k++) {
            const struct ncs_step *s = &courses->of[i].step[k];
            if (s->comm >= 0)
                examples_add(examples_place_of(e, s->site, s->comm), i, s);
        }
    return e;
}

void ncs_examples_free(struct ncs_examples *e)
{
    if (!e)
        return;
    for (size_t i = 0; i < e->places; i++)
        ncs_free(e->place[i].nth);
    ncs_free(e->place);
    ncs_map_free(&e->at);
    ncs_free(e);
}

const struct ncs_call *ncs_example(const struct ncs_examples *e, uint64_t site, int comm, int comm_rank, size_t nth)
{
    size_t at = ncs_map_number(&e->at, examples_key_of(site, comm));
    const struct place *p = at ? &e->place[at - 1] : NULL;
    for (size_t n = !p ? 0 : nth < p->count ? nth + 1 : p->count; n > 0; n--) {
        const struct example *x = &p->nth[n - 1];
        const struct ncs_call *call = x->comm_rank != comm_rank ? x->call : x->other;
        if (call)
            return call;
    }
    return NULL;
}
