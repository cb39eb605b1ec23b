/* Finds the parties and the threads that drive them. */
#include "diagnose/party.h"

#include <stdlib.h>
#include <string.h>

#include "api/gen/api.h"
#include "base/hash.h"
#include "base/mem.h"

static uint64_t party_pair_key(int a, int b)
{
    return ncs_hash(ncs_hash(1, (uint64_t)(int64_t)a), (uint64_t)(int64_t)b);
}

int ncs_party_of_device(const struct ncs_parties *p, int rank, int device)
{
    return (int)ncs_map_number(&p->found, party_pair_key(rank, device)) - 1;
}

static int add_party(struct ncs_parties *p, int rank, int device)
{
    int known = ncs_party_of_device(p, rank, device);
    struct ncs_party fresh = { .rank = rank, .device = device, .thread = -1, .comm = -1, .comm_rank = -1 };
    if (known >= 0)
        return known;
    NCS_PUSH(p->of, p->count, p->room, fresh);
    ncs_map_put_number(&p->found, party_pair_key(rank, device), p->count);
    return (int)p->count - 1;
}

int ncs_party_of_process(struct ncs_parties *p, int rank)
{
    return rank < 0 ? -1 : add_party(p, rank, -1);
}

int ncs_party_of_member(const struct ncs_parties *p, int comm, int comm_rank)
{
    if (comm < 0 || (size_t)comm >= p->journal->comms || comm_rank < 0 || comm_rank >= p->journal->comm[comm]->members)
        return -1;
    return p->member[comm][comm_rank];
}

/* ---- communicators ---- */

/* Adds a party for each rank of the communicator, in order. A rank that no process has joined as yet gets a party
 * without a process. */
static void add_ranks_of(struct ncs_parties *p, const struct ncs_comm_info *info)
{
    for (int i = 0; i < info->members; i++) {
        const struct ncs_member *m = &info->member[i];
        struct ncs_party nobody = { .rank = -1, .device = -1, .thread = -1, .comm = info->number, .comm_rank = i };
        if (m->rank >= 0)
            add_party(p, m->rank, m->device);
        else
            NCS_PUSH(p->of, p->count, p->room, nobody);
    }
}

static size_t known_members(const struct ncs_comm_info *info)
{
    size_t known = 0;
    for (int i = 0; i < info->members; i++)
        known += info->member[i].rank >= 0;
    return known;
}

static int by_device(const void *a, const void *b)
{
    const struct ncs_party *x = a, *y = b;
    return x->rank != y->rank ? (x->rank > y->rank) - (x->rank < y->rank) : (x->device > y->device) - (x->device < y->device);
}

/* Numbers parties by their rank in the first communicator that has all of them, so that the user's numbers appear;
 * without such a communicator, by process and device. */
static void number_parties(struct ncs_parties *p)
{
    const struct ncs_journal *j = p->journal;
    for (size_t c = 0; c < j->comms; c++)
        for (int i = 0; i < j->comm[c]->members; i++)
            if (j->comm[c]->member[i].rank >= 0)
                add_party(p, j->comm[c]->member[i].rank, j->comm[c]->member[i].device);
    const struct ncs_comm_info *all = NULL;
    for (size_t c = 0; c < j->comms && !all; c++)
        if (known_members(j->comm[c]) == p->count)
            all = j->comm[c];
    ncs_map_free(&p->found);
    p->found = (struct ncs_map){ 0 };
    if (!all)
        qsort(p->of, p->count, sizeof *p->of, by_device);
    else
        p->count = 0;
    for (size_t i = 0; i < p->count; i++)
        ncs_map_put_number(&p->found, party_pair_key(p->of[i].rank, p->of[i].device), i + 1);
    if (all)
        add_ranks_of(p, all);
}

/* Also notes for each party its widest communicator, by which reports introduce it. */
static void add_members(struct ncs_parties *p)
{
    const struct ncs_journal *j = p->journal;
    p->member = ncs_new(j->comms * sizeof *p->member);
    for (size_t c = 0; c < j->comms; c++) {
        const struct ncs_comm_info *info = j->comm[c];
        int *of = p->member[c] = ncs_new((size_t)info->members * sizeof *of);
        for (int i = 0; i < info->members; i++) {
            of[i] = info->member[i].rank < 0 ? -1 : ncs_party_of_device(p, info->member[i].rank, info->member[i].device);
            struct ncs_party *party = of[i] < 0 ? NULL : &p->of[of[i]];
            if (!party || (party->comm >= 0 && j->comm[party->comm]->members >= info->members))
                continue;
            party->comm = info->number;
            party->comm_rank = i;
        }
    }
}

/* ---- threads ---- */

static struct ncs_driver *add_driver(struct ncs_parties *p, int rank, int thread)
{
    size_t at = ncs_map_number(&p->at, party_pair_key(rank, thread));
    struct ncs_driver fresh = { .rank = rank, .thread = thread, .device = -1 };
    if (at)
        return &p->driver[at - 1];
    NCS_PUSH(p->driver, p->drivers, p->driver_room, fresh);
    ncs_map_put_number(&p->at, party_pair_key(rank, thread), p->drivers);
    return &p->driver[p->drivers - 1];
}

const struct ncs_driver *ncs_driver_of(const struct ncs_parties *p, int rank, int thread)
{
    size_t at = ncs_map_number(&p->at, party_pair_key(rank, thread));
    return at ? &p->driver[at - 1] : NULL;
}

static void party_insert(int **list, size_t *count, size_t *room, int party)
{
    size_t at = 0;
    while (at < *count && (*list)[at] < party)
        at++;
    if (at < *count && (*list)[at] == party)
        return;
    NCS_PUSH(*list, *count, *room, party);
    memmove(*list + at + 1, *list + at, (*count - 1 - at) * sizeof **list);
    (*list)[at] = party;
}

static void drive(struct ncs_parties *p, struct ncs_driver *d, int party)
{
    party_insert(&d->made, &d->mades, &d->made_room, party);
    party_insert(&d->drives, &d->drive, &d->drive_room, party);
    if (p->of[party].thread < 0)
        p->of[party].thread = d->thread;
}

static void read_calls(struct ncs_parties *p)
{
    struct ncs_map seen = { 0 };
    for (const struct ncs_call *c = p->journal->oldest; c; c = c->newer) {
        if (c->rank < 0)
            continue;
        struct ncs_driver *d = add_driver(p, c->rank, c->thread);
        int party = c->number ? ncs_party_of_member(p, c->comm, c->comm_rank) : -1;
        uint64_t key = ncs_hash(party_pair_key(c->rank, c->thread), (uint64_t)(int64_t)party);
        if (c->fn == NCS_FN_cudaSetDevice && c->returned && !c->rc)
            d->device = (int)c->arg[0].i;
        if (party < 0 || ncs_map_get(&seen, key))
            continue;
        ncs_map_put_number(&seen, key, 1);
        party_insert(&d->made, &d->mades, &d->made_room, party);
    }
    ncs_map_free(&seen);
    for (size_t i = 0; i < p->snap->contexts; i++)
        if (p->snap->context[i].rank >= 0)
            add_driver(p, p->snap->context[i].rank, p->snap->context[i].thread);
}

/* A rank is driven by the thread that made its last call. */
static void give_callers(struct ncs_parties *p)
{
    for (size_t c = 0; c < p->journal->comms; c++)
        for (int i = 0; i < p->journal->comm[c]->members; i++) {
            const struct ncs_call *last = p->journal->comm[c]->member[i].last;
            if (last && last->rank >= 0 && p->member[c][i] >= 0)
                drive(p, add_driver(p, last->rank, last->thread), p->member[c][i]);
        }
}

/* The thread that most likely drives a party without calls; NULL = not known. If each thread of the process drives one
 * party, it is the thread that has chosen the party's device and drives none. If one thread drives several parties,
 * or is the only one, it drives this party, too. */
static struct ncs_driver *likely_driver(struct ncs_parties *p, const struct ncs_party *party)
{
    struct ncs_driver *idle = NULL, *busy = NULL;
    size_t threads = 0;
    for (size_t i = 0; i < p->drivers; i++) {
        struct ncs_driver *d = &p->driver[i];
        if (d->rank != party->rank)
            continue;
        threads++;
        if (d->drive && (!busy || d->drive > busy->drive))
            busy = d;
        if (!d->drive && d->device == party->device && (!idle || d->thread > idle->thread))
            idle = d;
    }
    return idle && threads > 1 ? idle : busy && (busy->drive > 1 || threads == 1) ? busy : NULL;
}

static void give_silent(struct ncs_parties *p)
{
    for (size_t i = 0; i < p->count; i++) {
        struct ncs_driver *d = p->of[i].thread < 0 && p->of[i].device >= 0 ? likely_driver(p, &p->of[i]) : NULL;
        if (d)
            drive(p, d, (int)i);
    }
}

/* If several threads have made a party's calls, the last one depends on the schedule: reports then name no thread. */
static void forget_shared_threads(struct ncs_parties *p)
{
    int *threads = ncs_new((p->count + 1) * sizeof *threads);
    for (size_t i = 0; i < p->drivers; i++)
        for (size_t k = 0; k < p->driver[i].mades; k++)
            if (++threads[p->driver[i].made[k]] > 1)
                p->of[p->driver[i].made[k]].thread = -1;
    ncs_free(threads);
}

bool ncs_parties_read(const struct ncs_journal *journal, const struct ncs_snapshot *snap, struct ncs_parties *out)
{
    bool several = false;
    for (size_t i = 0; i < journal->comms && !several; i++)
        several = ncs_comm_is_shared(journal->comm[i]);
    if (!several)
        return false;
    *out = (struct ncs_parties){ .journal = journal, .snap = snap };
    number_parties(out);
    add_members(out);
    read_calls(out);
    ncs_parties_settle(out);
    give_callers(out);
    give_silent(out);
    forget_shared_threads(out);
    return true;
}

void ncs_parties_free(struct ncs_parties *p)
{
    for (size_t i = 0; i < p->journal->comms; i++)
        ncs_free(p->member[i]);
    for (size_t i = 0; i < p->drivers; i++) {
        ncs_free(p->driver[i].made);
        ncs_free(p->driver[i].drives);
    }
    ncs_free(p->member);
    ncs_free(p->driver);
    ncs_free(p->of);
    ncs_map_free(&p->at);
    ncs_map_free(&p->found);
}
