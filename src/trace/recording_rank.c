/* Which rank of the run each process is, or each of its threads: by the launcher's number, or by the largest
 * communicator. */
#include <limits.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "trace/recording.h"

bool ncs_recorded_join(const struct recorded_call *c, uint64_t *id, int64_t *rank, int64_t *nranks)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    int at_id = info->at[NCS_ARG_ID] ? info->at[NCS_ARG_ID] : info->at[NCS_ARG_IDS];
    if (info->joins == NCS_JOINS_NONE || !info->at[NCS_ARG_NRANKS])
        return false;
    bool all = info->joins == NCS_JOINS_ALL;
    if (!all && (!at_id || !info->at[NCS_ARG_RANK]))
        return false;
    *id = all ? 0 : c->raw.arg[at_id - 1];
    *nranks = (int)c->raw.arg[info->at[NCS_ARG_NRANKS] - 1];
    *rank = all ? -1 : (int)c->raw.arg[info->at[NCS_ARG_RANK] - 1];
    return *nranks > 0 && *nranks <= NCS_RECORD_RANKS && *rank < *nranks && *rank >= -1;
}

const uint64_t *ncs_recorded_devices(const struct recorded_call *c)
{
    uint64_t id;
    int64_t rank, nranks;
    return ncs_recorded_join(c, &id, &rank, &nranks) && rank < 0 && c->words == 2 * (size_t)nranks ? c->list + nranks : NULL;
}

struct membership {
    int64_t rank, nranks; /* of the largest communicator; nranks 0 = of none */
};

/* The communicator whose ranks are those of the job: the largest one and, of several, the one that was begun first. */
struct reference {
    uint64_t id, begin;
    int64_t nranks;
};

static bool joins_reference(const struct reference *of, const struct recorded_call *c, int64_t *rank)
{
    uint64_t id;
    int64_t nranks;
    return ncs_recorded_join(c, &id, rank, &nranks) && nranks == of->nranks && id == of->id && (id || c->begin == of->begin);
}

static struct reference find_reference(const struct recording *r)
{
    struct reference of = { 0 };
    for (size_t i = 0; i < r->files; i++)
        for (size_t k = 0; k < r->file[i].calls && !r->file[i].left_out; k++) {
            const struct recorded_call *c = &r->file[i].call[k];
            uint64_t id;
            int64_t rank, nranks;
            if (ncs_recorded_join(c, &id, &rank, &nranks) && (nranks > of.nranks || (nranks == of.nranks && c->begin < of.begin)))
                of = (struct reference){ id, c->begin, nranks };
        }
    return of;
}

/* A process with several ranks is the source of all that it has, and one that is alone the source of all. */
static void note_sources(struct recording *r, const struct recorded_file *f, const struct reference *of, bool alone)
{
    for (int k = 0; k < r->ranks && alone && f->several && !f->left_out; k++)
        r->record->rank[k].source = f->path;
    r->threads |= alone && f->several && !f->as_one && !f->left_out;
    for (size_t i = 0; i < f->calls && f->several && !f->left_out; i++) {
        int64_t rank;
        if (joins_reference(of, &f->call[i], &rank))
            for (int64_t k = rank < 0 ? 0 : rank; k < (rank < 0 ? of->nranks : rank + 1); k++)
                r->record->rank[k].source = f->path;
    }
}

static void look_at_joins(struct recorded_file *f, struct membership *largest)
{
    struct ncs_map rank_in = { 0 };
    for (size_t i = 0; i < f->calls; i++) {
        uint64_t id;
        int64_t rank, nranks;
        if (!ncs_recorded_join(&f->call[i], &id, &rank, &nranks))
            continue;
        size_t other = rank >= 0 ? ncs_map_number(&rank_in, id) : 0;
        f->several |= (rank < 0 && nranks > 1) || (other && other != (size_t)rank + 1);
        if (rank >= 0)
            ncs_map_put_number(&rank_in, id, (size_t)rank + 1);
        if (nranks > largest->nranks)
            *largest = (struct membership){ rank < 0 ? 0 : rank, nranks };
    }
    ncs_map_free(&rank_in);
}

/* ---- a process with several ranks ---- */

/* By handle, and by device: the rank of the job + 1. */
struct owners {
    struct ncs_map handle, device;
};

/* The rank as which the process makes the call: that of the communicator's handle. A communicator that is made out of
 * another is its rank's. A further one with an id of its own is that of the thread which joins it or, if the thread acts for
 * several, of the device. -1 = unknown. */
static int owner_of_call(struct owners *o, struct recorded_file *f, const struct recorded_call *c, const struct reference *of)
{
    const unsigned char *at = ncs_fn_info[c->fn].at;
    uint64_t id, device = c->raw.arg[NCS_RECORDING_DEVICE] + 1;
    int64_t rank = -1, nranks;
    if (joins_reference(of, c, &rank)) {
        const uint64_t *devices = ncs_recorded_devices(c);
        for (size_t k = 0; rank < 0 && k < c->words && k < (size_t)of->nranks; k++) {
            ncs_map_put_number(&o->handle, c->list[k], k + 1);
            ncs_map_put_number(&o->device, (devices ? devices[k] : k) + 1, k + 1);
        }
        if (rank >= 0 && device)
            ncs_map_put_number(&o->device, device, (size_t)rank + 1);
    } else if (ncs_recorded_join(c, &id, &rank, &nranks)) {
        const struct recorded_thread *t = &f->thread[c->raw.thread];
        f->as_one |= rank < 0;
        rank = t->rank >= 0 && !t->wide ? t->rank : device ? (int64_t)ncs_map_number(&o->device, device) - 1 : -1;
    } else if (c->raw.device) {
        rank = (int64_t)ncs_map_number(&o->device, c->raw.device) - 1;
    } else if (at[NCS_ARG_COMM]) {
        rank = (int64_t)ncs_map_number(&o->handle, c->raw.arg[at[NCS_ARG_COMM] - 1]) - 1;
    }
    if (at[NCS_ARG_COMM_OUT] && c->raw.arg[at[NCS_ARG_COMM_OUT] - 1])
        ncs_map_put_number(&o->handle, c->raw.arg[at[NCS_ARG_COMM_OUT] - 1], (size_t)(rank + 1));
    return (int)rank;
}

/* Finds the rank of each call. Where each rank has threads of its own, these are threads of the rank, whoever has made its
 * communicators. A thread that acts for several ranks belongs to the process, and the devices distinguish its ranks. */
static void rank_calls(struct recorded_file *f, const struct reference *of)
{
    struct owners o = { 0 };
    int users = 0; /* threads that use a communicator */
    for (size_t i = 0; i < f->calls; i++) {
        struct recorded_call *c = &f->call[i];
        struct recorded_thread *t = &f->thread[c->raw.thread];
        int part = ncs_fn_info[c->fn].counted ? 2 : ncs_fn_info[c->fn].at[NCS_ARG_COMM] ? 1 : 0;
        c->rank = owner_of_call(&o, f, c, of);
        if (c->rank < 0)
            continue;
        f->as_one |= part == 2 && t->part == 2 && t->rank != c->rank;
        t->wide |= t->rank >= 0 && t->rank != c->rank;
        t->rank = t->rank < 0 || part > t->part ? c->rank : t->rank;
        users += part && !t->part;
        t->part = part > t->part ? part : t->part;
    }
    for (int i = 0; i < f->threads; i++)
        f->as_one |= f->thread[i].wide && users == (f->thread[i].part > 0);
    ncs_map_free(&o.handle);
    ncs_map_free(&o.device);
}

/* The rank of a process that counts as one: the lowest of its ranks, or `otherwise`. */
static int lowest_rank(const struct recorded_file *f, int otherwise)
{
    int lowest = INT_MAX;
    for (int i = 0; i < f->threads; i++)
        lowest = f->thread[i].rank >= 0 && f->thread[i].rank < lowest ? f->thread[i].rank : lowest;
    return lowest < INT_MAX ? lowest : otherwise;
}

static void number_threads(struct recorded_file *f)
{
    struct ncs_map next = { 0 };
    for (int i = 0; i < f->threads; i++) {
        struct recorded_thread *t = &f->thread[i];
        t->rank = !f->several || f->as_one ? f->rank : t->rank;
        size_t number = t->used ? ncs_map_number(&next, (uint64_t)(t->rank + 2)) : 0;
        t->number = (int)number;
        if (t->used)
            ncs_map_put_number(&next, (uint64_t)(t->rank + 2), number + 1);
    }
    ncs_map_free(&next);
}

struct ranking {
    int64_t *by_launcher, *by_comm; /* the number of each file; -1 = none */
    struct membership *of_file;
    struct reference reference;
};

static void open_ranking(struct ranking *k, const struct recording *r)
{
    *k = (struct ranking){ .by_launcher = ncs_new((r->files + 1) * sizeof *k->by_launcher),
                           .by_comm = ncs_new((r->files + 1) * sizeof *k->by_comm),
                           .of_file = ncs_new((r->files + 1) * sizeof *k->of_file),
                           .reference = find_reference(r) };
    for (size_t i = 0; i < r->files; i++) {
        struct recorded_file *f = &r->file[i];
        if (f->left_out)
            continue;
        look_at_joins(f, &k->of_file[i]);
        k->by_launcher[i] = f->head.rank;
    }
    for (size_t i = 0; i < r->files; i++)
        k->by_comm[i] = k->of_file[i].nranks == k->reference.nranks && k->reference.nranks > 0 ? k->of_file[i].rank : -1;
}

static void close_ranking(struct ranking *k)
{
    ncs_free(k->of_file);
    ncs_free(k->by_comm);
    ncs_free(k->by_launcher);
}

/* A process in no communicator has the launcher's number, if no other process is that rank. */
static const int64_t *choose_numbers(struct ranking *k, const struct recording *r, bool by_launcher)
{
    for (size_t i = 0; i < r->files && by_launcher; i++)
        if (k->by_launcher[i] < 0)
            k->by_launcher[i] = k->by_comm[i];
    for (size_t i = 0; i < r->files && !by_launcher; i++)
        if (k->by_comm[i] < 0 && !k->of_file[i].nranks)
            k->by_comm[i] = k->by_launcher[i];
    int64_t *number = by_launcher ? k->by_launcher : k->by_comm;
    size_t kept = 0, last = 0;
    for (size_t i = 0; i < r->files; i++)
        if (!r->file[i].left_out) {
            kept++;
            last = i;
        }
    if (kept == 1 && number[last] < 0)
        number[last] = 0; /* it is all there is */
    return number;
}

bool ncs_recorded_rank(struct recording *r, struct ncs_error *err)
{
    struct ranking k;
    bool by_launcher = ncs_recorded_find_start(r);
    open_ranking(&k, r);
    const int64_t *number = choose_numbers(&k, r, by_launcher);
    int64_t most = k.reference.nranks > 1 ? k.reference.nranks : 1;
    size_t kept = 0;
    for (size_t i = 0; i < r->files; i++) {
        struct recorded_file *f = &r->file[i];
        kept += !f->left_out;
        f->rank = number[i] >= NCS_RECORD_RANKS ? -1 : (int)number[i];
        if (f->several && !f->left_out)
            rank_calls(f, &k.reference);
        if (f->several)
            f->rank = f->as_one ? lowest_rank(f, f->rank >= 0 ? f->rank : (int)k.of_file[i].rank) : -1;
        number_threads(f);
        for (int t = 0; t < f->threads && !f->left_out; t++)
            most = f->thread[t].rank >= most ? f->thread[t].rank + 1 : most;
    }
    r->ranks = (int)most;
    bool ok = ncs_record_has_rank(r->record, r->ranks - 1, err);
    for (size_t i = 0; i < r->files && ok; i++)
        note_sources(r, &r->file[i], &k.reference, kept == 1);
    close_ranking(&k);
    return ok;
}
