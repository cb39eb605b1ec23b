/* Reads tracks: one pass over a rank's records, which hashes what comes between two collectives. */
#include "diagnose/evidence/tracks.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

static uint64_t tracks_line_of(const struct ncs_call *c)
{
    uint64_t file = c->place.file ? ncs_hash_bytes(0, c->place.file, strlen(c->place.file)) : 0;
    return c->place.line ? ncs_hash(file, (uint64_t)c->place.line) : 0;
}

/* Addresses differ between ranks. So an allocation is recognised by the line that made it, and by how many allocations
 * that line had made before. Returns true if the call allocates, whether it succeeded or not. */
static bool add_memory(struct ncs_track *t, const struct ncs_call *c)
{
    const union ncs_arg *made = ncs_call_arg(c, NCS_ARG_MEMORY_OUT);
    const union ncs_arg *bytes = made ? ncs_call_arg(c, NCS_ARG_BYTES) : NULL;
    if (!bytes)
        return false;
    if (!c->returned || c->rc)
        return true;
    uint64_t line = tracks_line_of(c);
    size_t before = (size_t)(uintptr_t)ncs_map_get(&t->made_at, line);
    ncs_map_put(&t->made_at, line, (void *)(uintptr_t)(before + 1));
    struct ncs_track_memory m = { (uintptr_t)made->p, bytes->u, ncs_hash(line, before) };
    NCS_PUSH(t->memory, t->memories, t->memory_room, m);
    return true;
}

static uint64_t memory_at(const struct ncs_track *t, const void *address)
{
    for (size_t i = t->memories; address && i-- > 0;)
        if ((uintptr_t)address - t->memory[i].base < t->memory[i].bytes)
            return ncs_hash(t->memory[i].is, (uintptr_t)address - t->memory[i].base);
    return 0;
}

/* False for calls whose number differs between correct ranks: polls depend on time, and frees on when a garbage
 * collector runs. */
static bool is_counted_on(const struct ncs_call *c)
{
    return !c->opening && !c->ending && !ncs_fn_info[c->fn].looks &&
           !ncs_call_arg(c, NCS_ARG_MEMORY);
}

static void add_between(struct ncs_track *t, const struct ncs_call *c)
{
    const uint64_t factor = 0x9e3779b97f4a7c15u; /* an odd number: its powers modulo 2^64 never become 0 */
    t->between = t->between * factor + ncs_hash(tracks_line_of(c), c->fn);
    t->power *= factor;
}

static void tracks_read_call(const struct ncs_tracks *all, struct ncs_track *t, const struct ncs_call *c)
{
    if (add_memory(t, c))
        return;
    bool here = c->comm == all->comm && c->comm_rank == t->comm_rank && c->number &&
                !ncs_call_is_pair(c) && !ncs_call_is_one_sided(c);
    if (!here) {
        if (is_counted_on(c))
            add_between(t, c);
        return;
    }
    if (t->count == t->held)
        return;
    struct ncs_track_evidence *k = &t->evidence[t->count++];
    k->of[NCS_EVIDENCE_LINE - 1] = tracks_line_of(c);
    k->of[NCS_EVIDENCE_BUFFER - 1] = ncs_hash(memory_at(t, ncs_call_sendbuff(c)),
                                              memory_at(t, ncs_call_recvbuff(c)));
    k->of[NCS_EVIDENCE_BETWEEN - 1] = t->between;
    k->power = t->power;
    t->between = 0;
    t->power = 1;
}

void ncs_tracks_want(struct ncs_tracks *all, int comm_rank)
{
    struct ncs_track *t = &all->of[comm_rank];
    int rank = ncs_run_rank(all->q, all->comm, comm_rank);
    if (t->wanted || rank < 0)
        return;
    t->wanted = true;
    t->power = 1;
    t->comm_rank = comm_rank;
    t->held = all->q->comm[all->comm].seq[comm_rank].held;
    t->evidence = ncs_new(t->held * sizeof *t->evidence);
    t->rank = rank;
}

static bool is_of_rank(const struct ncs_analysis *q, const struct ncs_made *m)
{
    return m->rank >= 0 && m->rank < q->ranks;
}

static void sort_records(const struct ncs_analysis *q, struct ncs_records *all)
{
    size_t *place = ncs_new((size_t)(q->ranks + 1) * sizeof *place), count = 0;
    all->end = ncs_new((size_t)(q->ranks + 1) * sizeof *all->end);
    const struct ncs_made *made = q->index.made, *end = made + q->index.mades;
    for (const struct ncs_made *m = made; m < end; m++)
        if (is_of_rank(q, m))
            all->end[m->rank]++;
    for (int r = 0; r < q->ranks; r++) {
        place[r] = count;
        all->end[r] = count += all->end[r];
    }
    all->call = ncs_new((count + 1) * sizeof *all->call);
    for (const struct ncs_made *m = made; m < end; m++)
        if (is_of_rank(q, m))
            all->call[place[m->rank]++] = m->call;
    ncs_free(place);
}

void ncs_records_free(struct ncs_records *records)
{
    ncs_free(records->call);
    ncs_free(records->end);
}

struct ncs_tracks ncs_tracks_open(const struct ncs_analysis *q, struct ncs_records *records, int comm)
{
    struct ncs_tracks all = { .q = q, .records = records, .comm = comm };
    all.of = ncs_new((size_t)q->journal->comm[comm]->members * sizeof *all.of);
    return all;
}

void ncs_tracks_read(struct ncs_tracks *all)
{
    const struct ncs_records *r = all->records;
    if (!r->call)
        sort_records(all->q, all->records);
    for (int i = 0; i < all->q->journal->comm[all->comm]->members; i++) {
        struct ncs_track *t = &all->of[i];
        for (size_t k = t->wanted && t->rank ? r->end[t->rank - 1] : 0; t->wanted && k < r->end[t->rank]; k++)
            tracks_read_call(all, t, r->call[k]);
    }
}

void ncs_tracks_close(struct ncs_tracks *all)
{
    for (int i = 0; i < all->q->journal->comm[all->comm]->members; i++) {
        ncs_free(all->of[i].evidence);
        ncs_free(all->of[i].memory);
        ncs_map_free(&all->of[i].made_at);
    }
    ncs_free(all->of);
}
