/* Finds groups of ranks that are alike: the tensor-parallel groups of a job, its pairs of neighbours. A
 * record does not show the statement that made a group. But each rank made its groups in the program's order,
 * so groups of equal size and name that have the same position on all their ranks were made by one statement. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "trace/record.h"

static uint64_t look_of(const struct record_comm *c)
{
    uint64_t look = ncs_hash((uint64_t)c->nranks, (uint64_t)(c->pair_of + 1));
    return c->role ? ncs_hash_bytes(look, c->role, strlen(c->role)) : look;
}

/* The number of groups of the same look that the rank made before this one. */
static size_t earlier_of(const struct record *r, const struct record_comm *comm, int rank)
{
    size_t earlier = 0;
    for (size_t i = 0; i < r->comms; i++) {
        const struct record_comm *c = &r->comm[i];
        if (c == comm || look_of(c) != look_of(comm) || c->serial > comm->serial ||
            (c->serial == comm->serial && c > comm))
            continue;
        for (int k = 0; k < c->nranks; k++)
            earlier += c->rank[k] == rank;
    }
    return earlier;
}

/* A key that is equal for groups that are alike; 0 = it is like no other. */
static uint64_t class_of_comm(const struct record *r, const struct record_comm *comm)
{
    if (comm->pair_of >= 0)
        return look_of(comm); /* of neighbours each has up to two */
    size_t earlier = comm->rank[0] >= 0 ? earlier_of(r, comm, comm->rank[0]) : 0;
    for (int k = 0; k < comm->nranks; k++)
        if (comm->rank[k] < 0 || earlier_of(r, comm, comm->rank[k]) != earlier)
            return 0;
    return ncs_hash(look_of(comm), earlier + 1);
}

void ncs_record_find_siblings(struct record *r)
{
    enum { MOST_COMMS = 4096 }; /* that are compared with each other */
    struct ncs_map split_of = { 0 };
    size_t world = 0, splits = 0;
    for (size_t i = 1; i < r->comms; i++)
        if (r->comm[i].nranks > r->comm[world].nranks)
            world = i;
    for (size_t i = 0; i < r->comms && r->comms <= MOST_COMMS; i++) {
        if (i == world)
            continue;
        uint64_t class = class_of_comm(r, &r->comm[i]);
        size_t split = class ? ncs_map_number(&split_of, class) : 0;
        if (!split)
            split = ++splits;
        if (class)
            ncs_map_put_number(&split_of, class, split);
        r->comm[i].parent = (int)world;
        r->comm[i].split = (uint32_t)split;
    }
    ncs_map_free(&split_of);
}
