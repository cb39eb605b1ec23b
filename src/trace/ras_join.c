/* Makes calls of what RAS counts. The counts are of each kind apart, so only the newest calls are made, those by which
 * ranks differ, and one that all have made. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/ras.h"

enum { RAS_WINDOW = 128 };

/* The largest communicator numbers the ranks of the run; others are found by host, process and device. */
static struct ras_comm *ras_world(const struct ras *ras)
{
    struct ras_comm *world = NULL;
    for (size_t i = 0; i < ras->comms; i++)
        if (!world || ras->comm[i].size > world->size)
            world = &ras->comm[i];
    return world;
}

static void size_comms(struct ras *ras)
{
    for (size_t i = 0; i < ras->comms; i++) {
        struct ras_comm *c = &ras->comm[i];
        for (size_t k = 0; k < c->ranks; k++)
            if (c->of[k].rank >= c->size)
                c->size = c->of[k].rank + 1;
    }
}

/* The least count of a kind, but for what lies too far back; -1 = no rank has made one. */
static int64_t ras_base(const struct ras_comm *c, int kind, int64_t *most_of)
{
    int64_t least = INT64_MAX, most = -1;
    for (size_t i = 0; i < c->ranks; i++) {
        int64_t made = c->of[i].made[kind];
        if (made < 0)
            continue;
        least = made < least ? made : least;
        most = made > most ? made : most;
    }
    *most_of = most;
    return most < 0 ? -1 : most - least > RAS_WINDOW ? most - RAS_WINDOW : least;
}

/* The counts of each kind: the least that is looked at, and the most. */
struct ras_span {
    int64_t base[RAS_KINDS], most[RAS_KINDS]; /* -1 = no rank has made one */
};

static bool add_ras_calls(struct ras *ras, const struct ras_comm *c, int comm, int rank, const struct ras_rank *own,
                          const struct ras_span *span)
{
    struct record *r = ras->record;
    int64_t seq = (int64_t)r->comm[comm].before[own->rank];
    for (int kind = 0; kind < ras->kinds; kind++) {
        /* A rank whose count is not told is taken to have made as many calls as any. */
        int64_t made = own->made[kind] < 0 ? span->most[kind] : own->made[kind];
        for (int64_t n = span->base[kind]; span->base[kind] >= 0 && n < made; n++) {
            struct record_call *call = ncs_record_add(r, rank, ras->err);
            if (!call)
                return ncs_fail_at(ras->err, c->path, 0, 0);
            *call = (struct record_call){
                .fn = ras->kind[kind],
                .comm = comm,
                .comm_rank = own->rank,
                .count = 1,
                .dtype = -1,
                .seq = ++seq,
                .apart = true,
                .unsaid = NCS_UNSAID_COUNT | NCS_UNSAID_DTYPE | NCS_UNSAID_OP | NCS_UNSAID_ROOT,
            };
        }
    }
    return true;
}

/* The bases of all kinds; one call that all have made is kept, so that there is a call where nothing differs. */
static int find_bases(const struct ras *ras, const struct ras_comm *c, struct ras_span *span)
{
    int differing = 0, common = -1;
    int64_t *base = span->base;
    for (int kind = 0; kind < ras->kinds; kind++) {
        base[kind] = ras_base(c, kind, &span->most[kind]);
        differing += base[kind] >= 0 && span->most[kind] > base[kind];
        if (base[kind] > 0 && (common < 0 || base[kind] > base[common]))
            common = kind;
    }
    if (common >= 0)
        base[common]--;
    return differing;
}

static int rank_of_run(const struct ras_rank *own, const struct ncs_map *run)
{
    return run ? (int)ncs_map_number(run, own->who) - 1 : own->rank;
}

/* True if RAS shows which process each rank of the communicator is. */
static bool members_are_known(const struct ras_comm *c, const struct ncs_map *run)
{
    bool known = c->ranks == (size_t)c->size;
    for (size_t i = 0; i < c->ranks && known; i++)
        known = rank_of_run(&c->of[i], run) >= 0;
    return known;
}

static bool join_ras_comm(struct ras *ras, const struct ras_comm *c, const struct ncs_map *run)
{
    if (run && !members_are_known(c, run)) {
        ncs_record_note(ras->record, "%s is left out: RAS does not show which processes all its ranks are", c->name);
        return true;
    }
    struct record *r = ras->record;
    struct ras_span span = { 0 };
    int64_t before = 0;
    int comm = ncs_record_add_comm(r, c->size, c->name, ras->err);
    bool ok = comm >= 0;
    if (ok && find_bases(ras, c, &span) > 1 && !r->trace->doubt)
        r->trace->doubt = ncs_copy_text("it could also be that calls of several kinds came in another order: RAS counts "
                                        "each kind apart");
    for (int kind = 0; kind < ras->kinds; kind++)
        before += span.base[kind] > 0 ? span.base[kind] : 0;
    for (size_t i = 0; i < c->ranks && ok; i++) {
        const struct ras_rank *own = &c->of[i];
        int rank = rank_of_run(own, run);
        r->comm[comm].rank[own->rank] = rank;
        r->comm[comm].before[own->rank] = before < UINT32_MAX / 2 ? (uint32_t)before : 0;
        if (own->left)
            ncs_record_doubt(r, rank, false,
                             "it could also be that no rank waits: rank %d has left %s, and the others may do "
                             "so next",
                             rank, c->name);
        if (own->missing)
            continue;
        r->rank[rank].source = c->path;
        ok = add_ras_calls(ras, c, comm, rank, own, &span);
    }
    return ok || ncs_fail_at(ras->err, c->path, 0, 0);
}

static void note_ras(struct ras *ras, const struct ras_comm *world, const struct ncs_map *run)
{
    struct record *r = ras->record;
    int *dead = NULL;
    size_t deads = 0, room = 0;
    for (size_t i = 0; i < world->ranks; i++)
        if (world->of[i].dead && rank_of_run(&world->of[i], run) >= 0)
            NCS_PUSH(dead, deads, room, rank_of_run(&world->of[i], run));
    if (deads) {
        struct ncs_str who = { 0 };
        ncs_str_add_many_ranks(&who, dead, deads);
        ncs_record_note(r, "RAS counts rank%s %s as dead", deads == 1 ? "" : "s", who.text);
        ncs_str_free(&who);
    }
    ncs_free(dead);
    if (ras->timeouts)
        ncs_record_note(r, "RAS met %zu timeout%s while it collected its counts", ras->timeouts, ras->timeouts == 1 ? "" : "s");
    if (ras->text && ras->comms > 1)
        ncs_record_note(r,
                        "the text of RAS does not tell which ranks of other communicators are the same: only the largest "
                        "one that it shows, %s, is looked at",
                        world->name);
    ncs_record_note(r, "RAS counts the calls of each kind: it has no sizes, data types, operators, roots and places, and no "
                       "sends and receives");
    if (!r->trace->doubt)
        r->trace->doubt = ncs_copy_text("it could also be that the job runs, and the ranks are only at different calls: RAS "
                                        "shows one moment");
}

/* ---- the ranks of the run ---- */

static int compare_processes(const void *left, const void *right)
{
    const struct ras_process *a = left, *b = right;
    int host = strcmp(a->host, b->host);
    if (host || a->device == b->device)
        return host ? host : (a->pid > b->pid) - (a->pid < b->pid);
    return a->device < b->device ? -1 : 1;
}

/* True if some process is not in the largest communicator: that of all ranks is destroyed. Not if RAS lists not all ranks
 * of it: the process may be one of them. */
static bool run_is_apart(const struct ras *ras, const struct ras_comm *world)
{
    bool apart = false;
    for (size_t i = 0; i < ras->processes && !apart && !ras->text && world->ranks == (size_t)world->size; i++)
        apart = !ras->process[i].in_largest;
    return apart;
}

/* The largest communicator numbers the ranks. If it lacks some, they are numbered as launchers do. */
static void number_run(struct ras *ras, const struct ras_comm *world, struct ncs_map *run)
{
    for (size_t i = 0; i < world->ranks; i++) {
        size_t at = ncs_map_number(&ras->process_of, world->of[i].who);
        if (at)
            ras->process[at - 1].in_largest = true;
        if (world->of[i].who)
            ncs_map_put_number(run, world->of[i].who, (size_t)world->of[i].rank + 1);
    }
    if (!run_is_apart(ras, world))
        return;
    qsort(ras->process, ras->processes, sizeof *ras->process, compare_processes);
    for (size_t i = 0; i < ras->processes; i++)
        ncs_map_put_number(run, ras->process[i].who, i + 1);
}

static void note_numbers(const struct ras *ras)
{
    enum { SHOWN = 8 };
    struct ncs_str who = { 0 };
    for (size_t i = 0; i < ras->processes && i < SHOWN; i++)
        ncs_str_addf(&who, "%srank %zu is %s:%lld [%lld]", i ? ", " : ": ", i, ras->process[i].host,
                     (long long)ras->process[i].pid, (long long)ras->process[i].device);
    ncs_record_note(ras->record, "RAS shows no communicator of all ranks: they are numbered by host and device%s%s", who.text,
                    ras->processes > SHOWN ? " and so on" : "");
    ncs_str_free(&who);
}

bool ncs_ras_join(struct ras *ras)
{
    struct record *r = ras->record;
    struct ncs_map run = { 0 };
    bool ok = true;
    size_comms(ras);
    struct ras_comm *world = ras_world(ras);
    if (!world) {
        ncs_record_note(r, "RAS shows no communicator whose ranks differ");
        return true;
    }
    if (r->calls || r->numbered) {
        ncs_record_note(r, "the counts of RAS are not used: other files have the calls");
        return true;
    }
    r->numbered = true;
    number_run(ras, world, &run);
    bool apart = run_is_apart(ras, world);
    int ranks = apart ? (int)ras->processes : world->size;
    ok = ncs_record_has_rank(r, ranks - 1, ras->err) || ncs_fail_at(ras->err, world->path, 0, 0);
    for (int k = 0; k < world->size && ok && ras->text; k++)
        ncs_ras_rank(world, k); /* a text lists the odd ones alone */
    ok = ok && join_ras_comm(ras, world, apart ? &run : NULL);
    for (int k = 0; ok && !apart && k < world->size; k++)
        r->comm[r->comms - 1].rank[k] = k;
    for (size_t i = 0; i < ras->comms && ok && !ras->text; i++)
        if (&ras->comm[i] != world)
            ok = join_ras_comm(ras, &ras->comm[i], &run);
    if (ok)
        note_ras(ras, world, apart ? &run : NULL);
    if (ok && apart)
        note_numbers(ras);
    ncs_map_free(&run);
    return ok;
}
