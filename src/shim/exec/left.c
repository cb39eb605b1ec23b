#include "shim/exec/exec.h"

#include <stdlib.h>

#include "base/mem.h"
#include "diagnose/ledger/ledger.h"
#include "shim/exec/places.h"
#include "sim/cuda/outside.h"

#define PLACES_MOST 16

static void add_number(struct ncs_str *out, uint64_t n, const char *what)
{
    ncs_str_addf(out, "%llu %s%s", (unsigned long long)n, what, n == 1 ? "" : "s");
}

static void add_item(struct ncs_str *out, uint64_t n, const char *what)
{
    if (n == 0)
        return;
    ncs_str_add(out, out->bytes ? ", " : "");
    add_number(out, n, what);
}

/* Ranks of the communicator that have neither destroyed nor aborted it. */
static size_t ranks_left(const struct ncs_comm_info *info, int *rank)
{
    size_t count = 0;
    for (int r = 0; r < info->members; r++)
        if (info->member[r].handle && !info->member[r].gone)
            rank[count++] = r;
    return count;
}

static void add_comms(const struct ncs_journal *journal, struct ncs_str *out)
{
    struct ncs_str names = { 0 };
    uint64_t count = 0;
    for (size_t i = 0; i < journal->comms; i++) {
        const struct ncs_comm_info *info = journal->comm[i];
        int *rank = ncs_new((size_t)info->members * sizeof *rank);
        size_t ranks = ranks_left(info, rank);
        if (ranks > 0) {
            ncs_str_addf(&names, "%s%s: rank%s ", count++ ? "; " : "", info->name, ranks == 1 ? "" : "s");
            ncs_str_add_ranks(&names, rank, ranks);
        }
        ncs_free(rank);
    }
    add_item(out, count, "communicator");
    if (count > 0)
        ncs_str_addf(out, " (%s)", names.text);
    ncs_str_free(&names);
}

/* The numbers of what is left, by kind. */
struct left_count {
    uint64_t count[NCS_RESOURCES], bytes[NCS_RESOURCES];
    uint64_t unused; /* streams */
};

static void count_unused(const void *stream, void *of)
{
    ((struct left_count *)of)->unused += !sim_outside_stream_is_used(stream);
}

/* Ranges of the program's own memory count with what was allocated as pinned. */
static struct left_count count_left(const struct ncs_left *left, size_t lefts)
{
    struct left_count n = { 0 };
    for (size_t i = 0; i < lefts; i++) {
        enum ncs_resource kind = left[i].kind == NCS_RESOURCE_REGISTERED ? NCS_RESOURCE_PINNED : left[i].kind;
        n.count[kind] += left[i].count;
        n.bytes[kind] += left[i].bytes;
    }
    ncs_ledger_each(ncs_checks_ledger(), NCS_RESOURCE_STREAM, count_unused, &n);
    return n;
}

static void left_add_counts(const struct left_count *n, struct ncs_str *out)
{
    static const enum ncs_resource kinds[] = { NCS_RESOURCE_OPERATOR,   NCS_RESOURCE_REGISTRATION, NCS_RESOURCE_WINDOW,
                                               NCS_RESOURCE_MEMORY,     NCS_RESOURCE_PINNED,       NCS_RESOURCE_IMPORT,
                                               NCS_RESOURCE_STREAM,     NCS_RESOURCE_EVENT,        NCS_RESOURCE_GRAPH,
                                               NCS_RESOURCE_EXECUTABLE, NCS_RESOURCE_POOL };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        uint64_t unused = kinds[i] == NCS_RESOURCE_STREAM ? n->unused : 0, count = n->count[kinds[i]] - unused;
        if (count > 0) {
            ncs_str_add(out, out->bytes ? ", " : "");
            ncs_resource_format(out, kinds[i], count, n->bytes[kinds[i]], false);
        }
        add_item(out, unused, "stream");
        if (unused > 0)
            ncs_str_add(out, unused == 1 ? " that was never used" : " that were never used");
    }
}

/* Settled places have the order of files and lines. */
static int compare_places_left(const void *a, const void *b)
{
    const struct ncs_left *x = *(const struct ncs_left *const *)a, *y = *(const struct ncs_left *const *)b;
    int order = (x->place.line > y->place.line) - (x->place.line < y->place.line);
    return order ? order : (x > y) - (x < y);
}

/* "train.c:42: 2 allocations of device memory (8 KiB), train.c:50: 1 stream" */
static void left_add_places(const struct ncs_left *left, size_t lefts, struct ncs_str *out)
{
    const struct ncs_left **by_place = ncs_new(lefts * sizeof *by_place);
    size_t named = 0;
    for (size_t i = 0; i < lefts; i++)
        if (ncs_places_name(left[i].place.line))
            by_place[named++] = &left[i];
    if (named > 1)
        qsort(by_place, named, sizeof *by_place, compare_places_left);
    for (size_t i = 0; i < named && i < PLACES_MOST; i++) {
        const struct ncs_left *row = by_place[i];
        ncs_str_addf(out, "%s%s: ", i > 0 ? ", " : "", ncs_places_name(row->place.line));
        if (row->kind == NCS_RESOURCE_COMM) /* each of its ranks has one */
            add_number(out, row->count, "communicator handle");
        else
            ncs_resource_format(out, row->kind, row->count, row->bytes, false);
    }
    ncs_str_add(out, named > PLACES_MOST ? ", and elsewhere" : "");
    ncs_free(by_place);
}

void ncs_exec_left(const struct ncs_journal *journal, struct ncs_result *result, struct ncs_str *out)
{
    size_t lefts;
    struct ncs_str places = { 0 };
    ncs_ledger_settle(ncs_checks_ledger(), ncs_places_settled);
    const struct ncs_left *left = ncs_ledger_left(ncs_checks_ledger(), &lefts);
    struct left_count n = count_left(left, lefts);
    result->left = left;
    result->lefts = lefts;
    add_comms(journal, out);
    left_add_counts(&n, out);
    left_add_places(left, lefts, &places);
    if (places.bytes)
        ncs_str_addf(out, "\nncclscript: made at %s", places.text);
    ncs_str_free(&places);
}
