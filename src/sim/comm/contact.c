#include "sim/comm/contact.h"

#include "sim/comm/check.h"
#include "sim/comm/comm.h"
#include "sim/comm/launch.h"
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
    sim_waitable_fire(&p->cr->comm->member[p->root]->met);
}

void sim_contact_enter(struct part *const *parts, size_t count)
{
    uint32_t collectives = 0;
    for (size_t i = 0; i < count; i++)
        if (sim_part_is_one_sided(parts[i]))
            enter_one_sided(parts[i]->cr);
        else if (sim_part_is_pair(parts[i]))
            enter_pair(parts[i]);
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
}

void sim_contact_connect(const struct part *p)
{
    struct connection *c = connection_of(p);
    if (c)
        c->asked = c->made = true;
}

bool sim_contact_is_lost(const struct part *p)
{
    const struct connection *c = connection_of(p);
    return c && c->asked && !c->made;
}

static bool pair_is_met(const struct part *p, bool every)
{
    struct comm_rank *cr = p->cr;
    if (p->root == cr->rank)
        return true;
    const struct peer *mine = sim_comm_peer(cr, p->root);
    const struct peer *theirs = sim_comm_peer(cr->comm->member[p->root], cr->rank);
    uint32_t need = p->fn == NCS_FN_ncclSend ? mine->entered_sends : mine->entered_recvs;
    uint32_t have = p->fn == NCS_FN_ncclSend ? theirs->entered_recvs : theirs->entered_sends;
    return have >= (every ? need : 1);
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
    const struct peer *mine = ncs_map_get(&cr->peers, (uint64_t)rank + 1);
    const struct peer *theirs = ncs_map_get(&cr->comm->member[rank]->peers, (uint64_t)cr->rank + 1);
    return mine && theirs && contact_maps(cr) &&
           ((mine->entered_sends && theirs->entered_recvs) || (mine->entered_recvs && theirs->entered_sends));
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
    return (comm->connected && !every) || comm->least >= (every ? cr->entered : 1);
}

struct waitable *sim_contact_gate(const struct part *p)
{
    return sim_part_is_pair(p) ? &p->cr->met : &p->cr->comm->met;
}
