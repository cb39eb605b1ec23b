#include "sim/comm/contact.h"

#include "sim/comm/check.h"
#include "sim/comm/comm.h"
#include "sim/comm/composed.h"
#include "sim/comm/launch.h"
#include "sim/comm/matrix.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/own.h"

bool sim_contact_each_time(const struct comm_rank *cr)
{
    return sim_world.options.host == NCS_HOST_EVERY || cr->checks == CHECK_GLOBAL;
}

/* Updates the number of collectives that all hosts have entered, and the number of ranks that have
 * entered no more. */
static void find_least(struct comm *comm)
{
    comm->least = UINT32_MAX;
    for (int r = 0; r < comm->nranks; r++) {
        uint32_t entered = comm->member[r]->entered;
        if (entered < comm->least) {
            comm->least = entered;
            comm->behind = 0;
        }
        comm->behind += entered == comm->least;
    }
}

static void enter_collectives(struct comm_rank *cr, uint32_t collectives)
{
    struct comm *comm = cr->comm;
    bool last = cr->entered == comm->least;
    cr->entered += collectives;
    if (collectives > 0 && last && --comm->behind == 0) {
        find_least(comm);
        sim_waitable_fire(&comm->met);
    }
}

/* At a communicator's first one-sided call, all ranks together register windows of NCCL's own. */
static void enter_one_sided(struct comm_rank *cr)
{
    if (cr->one_sided)
        return;
    cr->one_sided = true;
    if (++cr->comm->one_sided == cr->nranks)
        sim_waitable_fire(&cr->comm->met);
}

static void enter_pair(const struct part *p)
{
    struct peer *peer = sim_comm_peer(p->cr, p->root);
    p->fn == NCS_FN_ncclSend ? peer->entered_sends++ : peer->entered_recvs++;
    p->cr->comm->pairs_entered = true;
    sim_waitable_fire(&p->cr->comm->member[p->root]->met);
}

/* Sends and receives to and from every rank. As long as there are no others, nobody is in contact before the last rank. */
static void enter_matrix(struct comm_rank *cr)
{
    struct comm *comm = cr->comm;
    comm->in_matrices += cr->entered_matrices++ == 0;
    for (int r = 0; r < comm->nranks && (comm->pairs_entered || comm->in_matrices == comm->nranks); r++)
        sim_waitable_fire(&comm->member[r]->met);
}

/* The rank's sends to a peer, or its receives from it, that its host has entered. */
static uint32_t entered_of(const struct comm_rank *cr, int rank, bool sends)
{
    const struct peer *peer = ncs_map_get(&cr->peers, (uint64_t)rank + 1);
    uint32_t pairs = !peer ? 0 : sends ? peer->entered_sends : peer->entered_recvs;
    return cr->entered_matrices + pairs;
}

void sim_contact_enter(struct part *const *parts, size_t count)
{
    uint32_t collectives = 0;
    for (size_t i = 0; i < count; i++)
        if (sim_part_is_one_sided(parts[i]))
            enter_one_sided(parts[i]->cr);
        else if (sim_part_is_pair(parts[i]))
            enter_pair(parts[i]);
        else if (sim_part_is_matrix(parts[i]))
            enter_matrix(parts[i]->cr);
        else {
            collectives++;
            if (parts[i]->cr->checks == CHECK_GLOBAL)
                sim_check_tell(parts[i], parts[i]->cr->entered + collectives);
        }
    enter_collectives(parts[0]->cr, collectives);
}

/* NULL = none is needed: a rank copies to itself. */
static struct connection *connection_of(const struct part *p)
{
    if (!sim_part_is_pair(p) || p->root == p->cr->rank)
        return NULL;
    struct peer *peer = sim_comm_peer(p->cr, p->root);
    return p->fn == NCS_FN_ncclSend ? &peer->sending : &peer->receiving;
}

void sim_contact_drop(const struct part *p)
{
    struct connection *c = connection_of(p);
    if (c)
        c->asked = true;
    for (int r = 0; r < p->cr->nranks && sim_part_is_matrix(p); r++)
        if (r != p->cr->rank) {
            struct peer *peer = sim_comm_peer(p->cr, r);
            peer->sending.asked = peer->receiving.asked = true;
        }
    p->cr->dropped = true;
}

void sim_contact_connect(const struct part *p)
{
    struct connection *c = connection_of(p);
    if (c)
        c->asked = c->made = true;
    p->cr->connected |= sim_part_is_matrix(p);
}

bool sim_contact_is_lost(const struct part *p)
{
    const struct connection *c = connection_of(p);
    return c && c->asked && !c->made && !p->cr->connected;
}

static bool pair_is_met(const struct part *p, bool every)
{
    struct comm_rank *cr = p->cr;
    if (p->root == cr->rank)
        return true;
    bool sends = p->fn == NCS_FN_ncclSend;
    uint32_t need = every ? entered_of(cr, p->root, sends) : 1;
    return entered_of(cr->comm->member[p->root], cr->rank, !sends) >= need;
}

bool sim_contact_is_met_by(const struct part *whole, int rank)
{
    const struct comm_rank *cr = whole->cr, *peer = cr->comm->member[rank];
    return rank == cr->rank || (entered_of(peer, cr->rank, true) > 0 && entered_of(peer, cr->rank, false) > 0);
}

static bool matrix_is_met(const struct part *whole)
{
    int *met = &whole->composed->met;
    while (*met < whole->cr->nranks && sim_contact_is_met_by(whole, *met))
        (*met)++;
    return *met == whole->cr->nranks;
}

/* Through memory of other processes that cuMem shares; without it NCCL needs no connection to them (NCCL 2.30.7,
 * src/transport/p2p.cc, ncclP2pImportShareableBuffer). */
/* With cuMem a rank maps memory of the ranks that it has met. Its own setting counts, whoever asks. */
static bool contact_maps(const struct comm_rank *cr)
{
    const struct process *before = sim_own_act(cr->process);
    bool maps = !sim_env_is(ENV_CUMEM_ENABLE, 0);
    sim_own_act(before);
    return maps;
}

bool sim_contact_of_all(const struct comm_rank *cr)
{
    const struct comm *comm = cr->comm;
    return contact_maps(cr) && (comm->connected || comm->least > 0 || comm->windowed || comm->one_sided == comm->nranks);
}

bool sim_contact_of_pair(const struct comm_rank *cr, int rank)
{
    const struct comm_rank *peer = cr->comm->member[rank];
    return contact_maps(cr) && ((entered_of(cr, rank, true) && entered_of(peer, cr->rank, false)) ||
                                (entered_of(cr, rank, false) && entered_of(peer, cr->rank, true)));
}

bool sim_contact_is_met(const struct part *p)
{
    const struct comm_rank *cr = p->cr;
    const struct comm *comm = cr->comm;
    bool every = sim_contact_each_time(cr);
    if (cr->family->cut)
        return true;
    if (sim_part_is_one_sided(p))
        return comm->one_sided == comm->nranks;
    if (sim_part_is_pair(p))
        return pair_is_met(p, every);
    if (sim_part_is_matrix(p))
        return matrix_is_met(p);
    return (comm->connected && !every) || comm->least >= (every ? cr->entered : 1);
}

struct waitable *sim_contact_gate(const struct part *p)
{
    return sim_part_is_pair(p) || sim_part_is_matrix(p) ? &p->cr->met : &p->cr->comm->met;
}
