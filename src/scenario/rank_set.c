/* Sets of ranks, as outcomes compare and print them. */
#include "scenario/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"

/* Sorts and drops repetitions. */
static void make_set(struct ncs_rank_set *set)
{
    size_t kept = 0;
    if (set->count > 0)
        qsort(set->rank, set->count, sizeof *set->rank, ncs_order_ints);
    for (size_t i = 0; i < set->count; i++)
        if (kept == 0 || set->rank[kept - 1] != set->rank[i])
            set->rank[kept++] = set->rank[i];
    set->count = kept;
}

struct ncs_rank_set ncs_rank_set_of(const int *list, size_t count)
{
    struct ncs_rank_set set = { ncs_new(count * sizeof(int)), count };
    if (count > 0)
        memcpy(set.rank, list, count * sizeof(int));
    make_set(&set);
    return set;
}

struct ncs_rank_set ncs_rank_set_of_culprits(const struct ncs_finding *f)
{
    size_t count = f ? f->culprits : 0;
    struct ncs_rank_set set = { ncs_new(count * sizeof(int)), count };
    for (size_t i = 0; i < count; i++)
        set.rank[i] = f->culprit[i].rank;
    make_set(&set);
    return set;
}

struct ncs_rank_set ncs_rank_set_of_cycle(const struct ncs_finding *f)
{
    size_t count = f ? f->cycles : 0;
    struct ncs_rank_set set = { ncs_new(count * sizeof(int)), count };
    for (size_t i = 0; i < count; i++)
        set.rank[i] = f->cycle[i].rank;
    make_set(&set);
    return set;
}

bool ncs_rank_sets_equal(struct ncs_rank_set a, struct ncs_rank_set b)
{
    bool equal = a.count == b.count && (a.count == 0 || memcmp(a.rank, b.rank, a.count * sizeof *a.rank) == 0);
    ncs_free(a.rank);
    ncs_free(b.rank);
    return equal;
}

void ncs_rank_set_format(struct ncs_str *out, struct ncs_rank_set set)
{
    if (set.count == 0)
        ncs_str_add(out, "none");
    else
        ncs_str_add_ranks(out, set.rank, set.count);
    ncs_free(set.rank);
}
