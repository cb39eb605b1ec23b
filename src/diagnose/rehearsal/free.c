/* Freedom: what a course that goes on beyond its known steps is assumed to do (diagnose/README.md, rule 17). */
#include "diagnose/rehearsal/rehearsal.h"

void ncs_rehearsal_set_free(struct ncs_rehearsal *p, struct ncs_player *l)
{
    l->free = true;
    for (size_t i = 0; i < l->troupe->ranks; i++) {
        int process = ncs_process_of_party(p->q->parties, l->troupe->rank[i]);
        if (process >= 0 && process < p->hosts.processes)
            p->free[process] = p->any_free = true;
    }
}

/* True if one of the rank's courses is free or, with or_spawned, if a change spawns a thread of the rank. */
static bool is_free(const struct ncs_rehearsal *p, int rank, bool or_spawned)
{
    const struct ncs_cast *cast = p->cast;
    if (rank < 0 || rank >= cast->ranks)
        return rank < 0;
    for (size_t k = cast->first[rank]; k < cast->first[rank + 1]; k++) {
        const struct ncs_player *l = p->player_of[cast->course[k]];
        if (l->free || (or_spawned && l->spawned))
            return true;
    }
    return false;
}

bool ncs_rehearsal_is_free(const struct ncs_rehearsal *p, int comm, int comm_rank)
{
    size_t own = ncs_cast_owner(p->cast, comm, comm_rank);
    return own ? p->player_of[own - 1]->free : is_free(p, ncs_run_rank(p->q, comm, comm_rank), true);
}

bool ncs_rehearsal_rank_is_free(const struct ncs_rehearsal *p, int rank)
{
    return is_free(p, rank, false);
}
