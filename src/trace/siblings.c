/* Finds groups of ranks that are alike: the tensor-parallel groups of a job, its pairs of neighbours. A
 * record does not show the statement that made a group. But each rank made its groups in the program's order,
 * so groups of equal size and name that have the same position on all their ranks were made by one statement. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/record.h"

static uint64_t look_of(const struct record_comm *c)
{
    uint64_t look = ncs_hash((uint64_t)c->nranks, (uint64_t)(c->pair_of + 1));
    return c->role ? ncs_hash_bytes(look, c->role, strlen(c->role)) : look;
}

static int compare_serials(const void *a, const void *b)
{
    const struct record_comm *x = *(const struct record_comm *const *)a, *y = *(const struct record_comm *const *)b;
    return x->serial != y->serial ? (x->serial > y->serial) - (x->serial < y->serial) : (x > y) - (x < y);
}

/* A key that is equal for groups that are alike; 0 = it is like no other. made: by look and rank, how many groups of the
 * look the rank has made before. */
static uint64_t class_of_comm(const struct record_comm *comm, struct ncs_map *made)
{
    uint64_t look = look_of(comm);
    size_t earlier = 0;
    bool alike = true;
    for (int k = 0; k < comm->nranks; k++) {
        uint64_t own = ncs_hash(ncs_hash(1, look), (uint64_t)comm->rank[k]);
        size_t count = comm->rank[k] >= 0 ? ncs_map_number(made, own) : 0;
        earlier = k == 0 ? count : earlier;
        alike = alike && comm->rank[k] >= 0 && count == earlier;
        if (comm->rank[k] >= 0)
            ncs_map_put_number(made, own, count + 1);
    }
    if (comm->pair_of >= 0)
        return look; /* of neighbours each has up to two */
    return alike ? ncs_hash(look, earlier + 1) : 0;
}

/* The classes of all communicators, in the order in which they were made. */
static uint64_t *classes_of(const struct record *r)
{
    const struct record_comm **order = ncs_new(r->comms * sizeof(const struct record_comm *));
    uint64_t *class = ncs_new(r->comms * sizeof *class);
    struct ncs_map made = { 0 };
    for (size_t i = 0; i < r->comms; i++)
        order[i] = &r->comm[i];
    qsort(order, r->comms, sizeof(const struct record_comm *), compare_serials);
    for (size_t i = 0; i < r->comms; i++)
        class[order[i] - r->comm] = class_of_comm(order[i], &made);
    ncs_map_free(&made);
    ncs_free(order);
    return class;
}

void ncs_record_find_siblings(struct record *r)
{
    struct ncs_map split_of = { 0 };
    uint64_t *class_of = r->comms ? classes_of(r) : NULL;
    size_t world = 0, splits = 0;
    for (size_t i = 1; i < r->comms; i++)
        if (r->comm[i].nranks > r->comm[world].nranks)
            world = i;
    for (size_t i = 0; i < r->comms; i++) {
        if (i == world)
            continue;
        uint64_t class = class_of[i];
        size_t split = class ? ncs_map_number(&split_of, class) : 0;
        if (!split)
            split = ++splits;
        if (class)
            ncs_map_put_number(&split_of, class, split);
        r->comm[i].parent = (int)world;
        r->comm[i].split = (uint32_t)split;
    }
    ncs_map_free(&split_of);
    ncs_free(class_of);
}
