/* Freedom: a course that goes on beyond what is known of it is taken to do all that others wait for. */
#include "diagnose/rehearsal.h"

static uint64_t owner_key(int comm, int comm_rank)
{
    return ncs_rehearsal_key(comm, comm_rank, 0, 0);
}

void ncs_rehearsal_note_owners(struct ncs_rehearsal *p, size_t course)
{
    const struct ncs_course *c = &p->courses->of[course];
    for (size_t i = 0; i < c->steps; i++)
        if (c->step[i].kind == NCS_STEP_CALL)
            ncs_map_put_number(&p->owner, owner_key(c->step[i].call->comm, c->step[i].call->comm_rank), course + 1);
}

void ncs_rehearsal_set_free(struct ncs_rehearsal *p, struct ncs_player *l)
{
    int process = ncs_process_of_party(p->q, l->course->rank);
    l->free = true;
    if (process >= 0 && process < p->hosts.processes)
        p->free[process] = p->any_free = true;
}

/* Where a rank has made no calls on the communicator, any course of the rank may make them. */
bool ncs_rehearsal_is_free(const struct ncs_rehearsal *p, int comm, int comm_rank)
{
    size_t own = ncs_map_number(&p->owner, owner_key(comm, comm_rank));
    if (own)
        return p->player[own - 1].free;
    int rank = ncs_run_rank(p->q, comm, comm_rank);
    for (size_t i = 0; i < p->courses->count; i++)
        if (p->courses->of[i].rank == rank && (p->player[i].free || p->player[i].spawned))
            return true;
    return rank < 0;
}

bool ncs_rehearsal_rank_is_free(const struct ncs_rehearsal *p, int rank)
{
    for (size_t i = 0; i < p->courses->count; i++)
        if (p->courses->of[i].rank == rank && p->player[i].free)
            return true;
    return rank < 0;
}
