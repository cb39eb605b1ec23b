/* Frees communicators once all their ranks have ended them and no record refers to them. The
 * next new communicator takes the free index, so that a program that makes communicators for
 * ever does not grow. All functions run under the journal's lock. */
#include "api/journal_private.h"

#include "base/mem.h"

static size_t journal_ended_bytes_of(const struct comm *comm)
{
    return sizeof *comm + (size_t)comm->info.members * sizeof *comm->info.member;
}

/* Once all its ranks have ended a communicator, its bytes count with those of its records; once
 * no record refers to it, its index is free. */
void ncs_journal_weigh_comm(struct ncs_journal *j, struct comm *comm)
{
    struct ncs_journal_private *own = j->own;
    bool over = comm->ended == comm->info.members;

    j->held_comms -= comm->counted;
    comm->counted = over && comm->users > 0 ? journal_ended_bytes_of(comm) : 0;
    j->held_comms += comm->counted;
    if (!over || comm->users > 0 || comm->queued)
        return;
    comm->queued = true;
    comm->next_dead = NULL;
    if (own->dead_last)
        own->dead_last->next_dead = comm;
    else
        own->dead_first = comm;
    own->dead_last = comm;
}

void ncs_journal_use_comm(struct ncs_journal *j, int number, int change)
{
    struct comm *comm = (struct comm *)j->comm[number];

    comm->users += (size_t)change;
    ncs_journal_weigh_comm(j, comm);
}

void ncs_journal_set_comm(struct ncs_journal *j, struct ncs_call *call, int comm)
{
    if (comm >= 0)
        ncs_journal_use_comm(j, comm, 1);
    if (call->comm >= 0)
        ncs_journal_use_comm(j, call->comm, -1);
    call->comm = comm;
}

void ncs_journal_set_parent(struct ncs_journal *j, struct ncs_comm_info *child, int parent)
{
    ncs_journal_use_comm(j, parent, 1);
    child->parent = parent;
}

void ncs_journal_add_growth(struct ncs_journal *j, const struct ncs_growth *growth)
{
    struct comm *parent = (struct comm *)j->comm[growth->parent];
    struct ncs_growth *g = ncs_new(sizeof *g);

    *g = *growth;
    g->next = parent->growth;
    parent->growth = g;
    ncs_map_put(&j->own->growths, g->id, g);
}

void ncs_journal_free_comm(struct comm *comm)
{
    struct ncs_comm_info *info = &comm->info;

    for (struct ncs_redop *op = info->redops, *next; op; op = next) {
        next = op->next;
        ncs_free(op);
    }
    for (struct ncs_growth *g = comm->growth, *next; g; g = next) {
        next = g->next;
        ncs_free(g);
    }
    ncs_journal_free_windows(info);
    for (int r = 0; r < info->members; r++) {
        ncs_free(info->member[r].line);
        ncs_map_free(&info->member[r].pairs);
    }
    ncs_free(info->member);
    ncs_free(info->name);
    ncs_free(comm);
}

static void journal_ended_forget_comm(struct ncs_journal *j, struct comm *comm)
{
    struct ncs_journal_private *own = j->own;
    struct ncs_comm_info *info = &comm->info;

    for (int r = 0; r < info->members; r++) {
        uint64_t handle = ncs_map_key(info->member[r].handle);
        if (ncs_map_number(&own->handles, handle) == ncs_pack_handle(info->number, r))
            ncs_map_remove(&own->handles, handle);
    }
    if (ncs_map_get(&own->keys, info->key) == info)
        ncs_map_remove(&own->keys, info->key);
    for (const struct ncs_growth *g = comm->growth; g; g = g->next)
        if (ncs_map_get(&own->growths, g->id) == g)
            ncs_map_remove(&own->growths, g->id);
    if (info->parent >= 0)
        ncs_journal_use_comm(j, info->parent, -1);
    ncs_journal_free_comm(comm);
}

int ncs_journal_take_place(struct ncs_journal *j)
{
    struct ncs_journal_private *own = j->own;

    while (own->dead_first) {
        struct comm *comm = own->dead_first;
        int number = comm->info.number;
        own->dead_first = comm->next_dead;
        if (!own->dead_first)
            own->dead_last = NULL;
        comm->queued = false;
        if (comm->users > 0 || comm->ended != comm->info.members)
            continue; /* a call has used its handle meanwhile */
        journal_ended_forget_comm(j, comm);
        return number;
    }
    NCS_PUSH(j->comm, j->comms, j->comms_room, NULL);
    return (int)j->comms - 1;
}
