/* Sums up what is left, by kind and place. */
#include "diagnose/ledger/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diagnose/ledger/private.h"

static int left_compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* By everything that a row has in common, then by rank. */
static int compare_entries(const void *pa, const void *pb)
{
    const struct entry *a = *(const struct entry *const *)pa, *b = *(const struct entry *const *)pb;
    const char *fa = a->place.file ? a->place.file : "", *fb = b->place.file ? b->place.file : "";
    int order = left_compare(a->kind, b->kind);
    order = order ? order : strcmp(fa, fb);
    order = order ? order : left_compare((uint64_t)a->place.line, (uint64_t)b->place.line);
    order = order ? order : left_compare(a->fn, b->fn);
    order = order ? order : left_compare(a->raw, b->raw);
    order = order ? order : left_compare(a->lost, b->lost);
    return order ? order : left_compare((uint64_t)a->rank, (uint64_t)b->rank);
}

static bool left_fits(const struct ncs_left *row, const struct entry *e)
{
    return row->kind == e->kind && row->fn == e->fn && row->raw == e->raw && row->lost == e->lost &&
           row->place.line == e->place.line && row->place.file == e->place.file;
}

static void clear_left(struct ncs_ledger *l)
{
    for (size_t i = 0; i < l->lefts; i++)
        ncs_free(l->left[i].rank);
    l->lefts = 0;
}

/* Adds all entries of one rank from here on, which are in a row. Returns how many they are. */
static size_t left_add_rank(struct ncs_ledger *l, struct entry *const *e, size_t count)
{
    struct ncs_left *row = &l->left[l->lefts - 1];
    uint64_t bytes = 0;
    size_t n = 0;
    for (; n < count && e[n]->rank == e[0]->rank && left_fits(row, e[n]); n++)
        bytes += e[n]->bytes;
    row->even = row->ranks == 0 || (row->even && row->count == n * row->ranks && row->bytes == bytes * row->ranks);
    row->count += n;
    row->bytes += bytes;
    NCS_PUSH(row->rank, row->ranks, row->room, e[0]->rank);
    return n;
}

/* Rule never-destroyed speaks of such a communicator. */
static bool others_destroyed(const struct ncs_ledger *l, const struct entry *e)
{
    int comm, rank;
    if (e->kind != NCS_RESOURCE_COMM || !ncs_journal_find(l->journal, e->handle, &comm, &rank))
        return false;
    const struct ncs_comm_info *info = l->journal->comm[comm];
    for (int r = 0; r < info->members; r++)
        if (info->member[r].gone && !info->member[r].released)
            return true;
    return false;
}

const struct ncs_left *ncs_ledger_left(struct ncs_ledger *l, size_t *count)
{
    struct entry **all = NULL;
    size_t entries = 0, room = 0;
    clear_left(l);
    for (int kind = 0; kind < NCS_RESOURCES; kind++)
        for (struct entry *e = l->newest[kind]; e; e = e->older)
            if (e->handle && !e->opening) {
                e->lost = e->raw && !others_destroyed(l, e);
                NCS_PUSH(all, entries, room, e);
            }
    if (entries > 0)
        qsort(all, entries, sizeof *all, compare_entries);
    for (size_t i = 0; i < entries;) {
        struct ncs_left row = {
            .kind = all[i]->kind, .fn = all[i]->fn, .place = all[i]->place, .raw = all[i]->raw, .lost = all[i]->lost
        };
        if (l->lefts == 0 || !left_fits(&l->left[l->lefts - 1], all[i]))
            NCS_PUSH(l->left, l->lefts, l->lefts_room, row);
        i += left_add_rank(l, all + i, entries - i);
    }
    ncs_free(all);
    *count = l->lefts;
    return l->left;
}
