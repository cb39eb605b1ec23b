/* A rank of a communicator that no thread has joined as: finds the process and the thread that were to join. Threads
 * spawned at one place do the same, and processes spawn equally many there. So the missing rank belongs to the one
 * thread that has not joined, or to the one process that has spawned too few. */
#include "diagnose/party.h"

#include "base/mem.h"

/* A place that spawns threads which join the communicator. */
struct spawn_place {
    const struct ncs_place *place;
    int most; /* threads that one process has spawned there */
};

struct newcomer {
    int rank, thread, device; /* thread -1: it was never spawned */
};

static bool makes_rank(const struct ncs_call *c, int comm)
{
    return c->comm == comm && ncs_fn_info[c->fn].joins == NCS_JOINS_ONE;
}

static bool has_joined(const struct ncs_journal *j, int comm, int rank, int thread)
{
    for (const struct ncs_call *c = j->oldest; c; c = c->newer)
        if (makes_rank(c, comm) && c->rank == rank && c->thread == thread)
            return true;
    return false;
}

/* Finds the one place at which all threads that joined were spawned. False = there are several, or some thread was
 * not spawned. */
static bool find_spawn_place(const struct ncs_parties *p, int comm, struct spawn_place *out)
{
    *out = (struct spawn_place){ 0 };
    for (const struct ncs_call *c = p->journal->oldest; c; c = c->newer) {
        const struct ncs_host_step *h = makes_rank(c, comm) ? ncs_spawn_of(p->journal, c->rank, c->thread) : NULL;
        if (!makes_rank(c, comm))
            continue;
        if (!h || (out->place && !ncs_spawns_at(h, out->place)))
            return false;
        out->place = &h->place;
        int here = ncs_spawned_at(p->journal, &h->place, h->rank);
        out->most = here > out->most ? here : out->most;
    }
    return out->place != NULL;
}

/* Lists the threads that were spawned there and have not joined, and one entry for each thread that a process has
 * spawned fewer there than the others. The caller frees the list. */
static struct newcomer *find_newcomers(const struct ncs_parties *p, int comm, const struct spawn_place *n, size_t *count)
{
    struct newcomer *all = NULL;
    size_t room = 0;
    int processes = 0;
    for (const struct ncs_host_step *h = p->journal->oldest_host; h; h = h->newer) {
        processes = h->rank >= processes ? h->rank + 1 : processes;
        const struct ncs_driver *d = ncs_driver_of(p, h->rank, h->other);
        struct newcomer own = { h->rank, h->other, d ? d->device : -1 };
        if (ncs_spawns_at(h, n->place) && !has_joined(p->journal, comm, h->rank, h->other))
            NCS_PUSH(all, *count, room, own);
    }
    for (int r = 0; r < processes; r++)
        for (int k = ncs_spawned_at(p->journal, n->place, r); k < n->most; k++) {
            struct newcomer own = { r, -1, -1 };
            NCS_PUSH(all, *count, room, own);
        }
    return all;
}

/* If every member uses the device that has its rank's number, the missing member would, too. -1 = not known. */
static int usual_device(const struct ncs_comm_info *info, int comm_rank)
{
    for (int i = 0; i < info->members; i++)
        if (info->member[i].rank >= 0 && info->member[i].device != i)
            return -1;
    return comm_rank;
}

void ncs_parties_settle(struct ncs_parties *p)
{
    size_t missing = 0, at = SIZE_MAX, count = 0;
    struct spawn_place n;
    for (size_t i = 0; i < p->count; i++)
        if (p->of[i].rank < 0) {
            missing++;
            at = i;
        }
    if (missing != 1 || !find_spawn_place(p, p->of[at].comm, &n))
        return;
    struct ncs_party *party = &p->of[at];
    struct newcomer *all = find_newcomers(p, party->comm, &n, &count);
    int device = count == 1 ? all->device : -1;
    device = device >= 0 ? device : usual_device(p->journal->comm[party->comm], party->comm_rank);
    if (count == 1 && device >= 0) {
        party->rank = all->rank;
        party->thread = all->thread;
        party->device = device;
        p->member[party->comm][party->comm_rank] = (int)at;
    }
    ncs_free(all);
}
