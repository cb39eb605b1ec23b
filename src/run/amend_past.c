/* An index over the calls of a journal. It is built in one pass, so that no edit has to
 * search all calls. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "run/amend_private.h"

/* By id of the call. */
struct step {
    const struct ncs_call *before; /* of its thread */
    uint64_t use;                  /* of its place by its rank, from 1; 0 = not made by the
                                    * script */
    uint64_t own_use;              /* the same by its thread */
};

struct ncs_past {
    const struct ncs_journal *journal;
    struct step *step;
    struct ncs_map uses;   /* rank, thread and place -> how many */
    struct ncs_map newest; /* rank and thread -> the last call so far */
    struct ncs_map nth;    /* communicator and rank in it -> its number among the rank's, from 1 */
    struct memory *memory; /* by rank */
    size_t ranks;
};

static uint64_t amend_past_key_of(int rank, int thread, const struct ncs_call *c)
{
    const char *file = c->place.file ? c->place.file : "";
    uint64_t key = ncs_hash(ncs_hash((uint64_t)rank, (uint64_t)c->fn), (uint64_t)c->place.line);
    return ncs_hash_bytes(ncs_hash(key, (uint64_t)(int64_t)thread), file, strlen(file));
}

static uint64_t count_use(struct ncs_past *p, uint64_t key)
{
    size_t use = ncs_map_number(&p->uses, key) + 1;
    ncs_map_put_number(&p->uses, key, use);
    return use;
}

static void amend_past_add_memory(struct ncs_past *p, struct ncs_call *c)
{
    size_t need = (size_t)c->rank + 1;
    if (need > p->ranks) {
        p->memory = ncs_resize(p->memory, 2 * need * sizeof *p->memory);
        memset(p->memory + p->ranks, 0, (2 * need - p->ranks) * sizeof *p->memory);
        p->ranks = 2 * need;
    }
    ncs_amend_remember(&p->memory[c->rank], c);
}

static void amend_past_add_call(struct ncs_past *p, struct ncs_call *c)
{
    struct step *s = &p->step[c->id];
    uint64_t thread = ncs_hash((uint64_t)c->rank, (uint64_t)c->thread);
    s->before = ncs_map_get(&p->newest, thread);
    ncs_map_put(&p->newest, thread, c);
    amend_past_add_memory(p, c);
    if (c->ending || c->opening || !c->place.file)
        return;
    s->use = count_use(p, amend_past_key_of(c->rank, NCS_ANY_THREAD, c));
    s->own_use = count_use(p, amend_past_key_of(c->rank, c->thread, c));
}

/* ---- communicators ---- */

struct joined {
    const struct ncs_member *member;
    int comm, comm_rank;
};

static int amend_past_compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int amend_past_by_joining(const void *x, const void *y)
{
    const struct joined *a = x, *b = y;
    int order = amend_past_compare(a->member->rank, b->member->rank);
    order = order ? order : amend_past_compare((int64_t)a->member->joined, (int64_t)b->member->joined);
    order = order ? order : amend_past_compare(a->comm, b->comm);
    return order ? order : amend_past_compare(a->comm_rank, b->comm_rank);
}

static void add_memberships(struct ncs_past *p)
{
    const struct ncs_journal *j = p->journal;
    struct joined *all = NULL;
    size_t count = 0, room = 0;
    uintptr_t nth = 0;
    for (size_t i = 0; i < j->comms; i++)
        for (int k = 0; k < j->comm[i]->members; k++) {
            struct joined one = { &j->comm[i]->member[k], (int)i, k };
            if (one.member->rank >= 0)
                NCS_PUSH(all, count, room, one);
        }
    if (count > 0)
        qsort(all, count, sizeof *all, amend_past_by_joining);
    for (size_t i = 0; i < count; i++) {
        nth = i > 0 && all[i].member->rank == all[i - 1].member->rank ? nth + 1 : 1;
        ncs_map_put(&p->nth, ncs_amend_member_key(all[i].comm, all[i].comm_rank), (void *)nth);
    }
    ncs_free(all);
}

/* ---- all of it ---- */

struct ncs_past *ncs_amend_past(const struct ncs_journal *j)
{
    struct ncs_past *p = ncs_new(sizeof *p);
    p->journal = j;
    p->step = ncs_new((j->calls + 1) * sizeof *p->step);
    for (struct ncs_call *c = j->oldest; c; c = c->newer)
        if (c->rank >= 0)
            amend_past_add_call(p, c);
    add_memberships(p);
    return p;
}

void ncs_amend_past_free(struct ncs_past *p)
{
    for (size_t i = 0; i < p->ranks; i++)
        ncs_amend_forget(&p->memory[i]);
    ncs_free(p->memory);
    ncs_free(p->step);
    ncs_map_free(&p->uses);
    ncs_map_free(&p->newest);
    ncs_map_free(&p->nth);
    ncs_free(p);
}

const struct ncs_call *ncs_past_before(const struct ncs_past *p, const struct ncs_call *c)
{
    return p->step[c->id].before;
}

uint64_t ncs_past_use(const struct ncs_past *p, const struct ncs_call *c, bool by_thread)
{
    return by_thread ? p->step[c->id].own_use : p->step[c->id].use;
}

uint64_t ncs_past_uses(const struct ncs_past *p, int rank, int thread, const struct ncs_call *like)
{
    return ncs_map_number(&p->uses, amend_past_key_of(rank, thread, like));
}

uint32_t ncs_past_nth(const struct ncs_past *p, int comm, int comm_rank)
{
    return (uint32_t)(uintptr_t)ncs_map_get(&p->nth, ncs_amend_member_key(comm, comm_rank));
}

const struct memory *ncs_past_memory(const struct ncs_past *p, int rank)
{
    static const struct memory none;
    return rank >= 0 && (size_t)rank < p->ranks ? &p->memory[rank] : &none;
}
