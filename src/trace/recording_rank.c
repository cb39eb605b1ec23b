/* Which rank of the run each process is, or each of its threads. The launcher's number counts if it tells the processes
 * apart. It does not where a script under srun starts processes itself: then the communicators tell. */
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "trace/recording.h"

/* The rank and the number of ranks that a call joins; false if it joins none. All ranks: rank is -1. */
static bool recorded_join(const struct recorded_call *c, uint64_t *id, int64_t *rank, int64_t *nranks)
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

struct membership {
    int64_t rank, nranks; /* of the largest communicator; nranks 0 = of none */
};

/* A process with several ranks is the source of all that it has of the largest communicator. */
static void note_sources(struct recording *r, const struct recorded_file *f, int64_t largest)
{
    for (size_t i = 0; i < f->calls && f->several; i++) {
        uint64_t id;
        int64_t rank, nranks;
        if (!recorded_join(&f->call[i], &id, &rank, &nranks) || nranks != largest)
            continue;
        for (int64_t k = rank < 0 ? 0 : rank; k < (rank < 0 ? nranks : rank + 1) && k < r->ranks; k++)
            r->record->rank[k].source = f->path;
    }
}

static void look_at_joins(struct recorded_file *f, struct membership *of_file, struct membership *of_thread)
{
    struct ncs_map rank_in = { 0 };
    for (size_t i = 0; i < f->calls; i++) {
        uint64_t id;
        int64_t rank, nranks;
        if (!recorded_join(&f->call[i], &id, &rank, &nranks))
            continue;
        size_t other = rank >= 0 ? ncs_map_number(&rank_in, id) : 0;
        f->several |= (rank < 0 && nranks > 1) || (other && other != (size_t)rank + 1);
        if (rank >= 0)
            ncs_map_put_number(&rank_in, id, (size_t)rank + 1);
        rank = rank < 0 ? 0 : rank;
        struct membership *thread = &of_thread[f->call[i].raw.thread];
        if (nranks > thread->nranks)
            *thread = (struct membership){ rank, nranks };
        if (nranks > of_file->nranks)
            *of_file = (struct membership){ rank, nranks };
    }
    ncs_map_free(&rank_in);
}

/* True if the numbers, one for each file that is one rank, are there and differ. */
static bool numbers_differ(const struct recording *r, const int64_t *number)
{
    struct ncs_map seen = { 0 };
    bool differ = true;
    for (size_t i = 0; i < r->files && differ; i++) {
        if (r->file[i].several || r->file[i].left_out)
            continue;
        differ = number[i] >= 0 && number[i] < NCS_RECORD_RANKS && !ncs_map_number(&seen, (uint64_t)number[i] + 1);
        ncs_map_put_number(&seen, (uint64_t)number[i] + 1, 1);
    }
    ncs_map_free(&seen);
    return differ;
}

/* Files of an earlier start of the job are in the folder: the newest file of each rank counts. */
static void leave_out_older(struct recording *r, const int64_t *number)
{
    size_t left = 0;
    for (size_t i = 0; i < r->files; i++)
        for (size_t k = 0; k < r->files; k++) {
            const struct recorded_file *a = &r->file[i], *b = &r->file[k];
            if (i == k || a->several || b->several || number[i] != number[k] || a->left_out || b->left_out)
                continue;
            if (a->head.opened.real > b->head.opened.real || (a->head.opened.real == b->head.opened.real && i > k))
                continue;
            r->file[i].left_out = true;
            if (left++ == 0)
                ncs_record_note(r->record, "%.300s is left out: %.300s is a newer recording of rank %lld", a->path, b->path,
                                (long long)number[i]);
        }
    if (left > 1)
        ncs_record_note(r->record, "%zu more recordings are left out because of newer ones", left - 1);
}

static void number_threads(struct recorded_file *f, const struct membership *of_thread)
{
    int number = 0;
    for (int i = 0; i < f->threads; i++) {
        struct recorded_thread *t = &f->thread[i];
        t->rank = !f->several ? f->rank : of_thread[i].nranks ? (int)of_thread[i].rank : -1;
        t->number = f->several ? 0 : t->used ? number++ : 0;
    }
}

struct ranking {
    int64_t *by_launcher, *by_comm;  /* the number of each file; -1 = none */
    struct membership *of_file, **of_thread;
    int64_t largest;                 /* ranks of the largest communicator */
};

static void open_ranking(struct ranking *k, const struct recording *r)
{
    *k = (struct ranking){ .by_launcher = ncs_new((r->files + 1) * sizeof *k->by_launcher),
                           .by_comm = ncs_new((r->files + 1) * sizeof *k->by_comm),
                           .of_file = ncs_new((r->files + 1) * sizeof *k->of_file),
                           .of_thread = ncs_new((r->files + 1) * sizeof *k->of_thread) };
    for (size_t i = 0; i < r->files; i++) {
        struct recorded_file *f = &r->file[i];
        k->of_thread[i] = ncs_new(((size_t)f->threads + 1) * sizeof **k->of_thread);
        look_at_joins(f, &k->of_file[i], k->of_thread[i]);
        k->largest = k->of_file[i].nranks > k->largest ? k->of_file[i].nranks : k->largest;
        k->by_launcher[i] = f->head.rank;
    }
    for (size_t i = 0; i < r->files; i++)
        k->by_comm[i] = k->of_file[i].nranks == k->largest && k->largest > 0 ? k->of_file[i].rank : -1;
}

static void close_ranking(struct ranking *k, const struct recording *r)
{
    for (size_t i = 0; i < r->files; i++)
        ncs_free(k->of_thread[i]);
    ncs_free(k->of_thread);
    ncs_free(k->of_file);
    ncs_free(k->by_comm);
    ncs_free(k->by_launcher);
}

static const int64_t *choose_numbers(const struct ranking *k, struct recording *r)
{
    if (numbers_differ(r, k->by_launcher))
        return k->by_launcher;
    if (numbers_differ(r, k->by_comm))
        return k->by_comm;
    for (size_t i = 0; i < r->files; i++)
        if (k->by_launcher[i] < 0 && k->by_comm[i] >= 0)
            k->by_launcher[i] = k->by_comm[i];
    leave_out_older(r, k->by_launcher);
    return k->by_launcher;
}

bool ncs_recorded_rank(struct recording *r, struct ncs_error *err)
{
    struct ranking k;
    open_ranking(&k, r);
    const int64_t *number = choose_numbers(&k, r);
    int64_t most = k.largest > 1 ? k.largest : 1;
    for (size_t i = 0; i < r->files; i++) {
        struct recorded_file *f = &r->file[i];
        f->rank = f->several || number[i] >= NCS_RECORD_RANKS ? -1 : (int)number[i];
        number_threads(f, k.of_thread[i]);
        for (int t = 0; t < f->threads && !f->left_out; t++)
            most = f->thread[t].rank >= most ? f->thread[t].rank + 1 : most;
    }
    r->ranks = (int)most;
    bool ok = ncs_record_has_rank(r->record, r->ranks - 1, err);
    for (size_t i = 0; i < r->files && ok; i++)
        note_sources(r, &r->file[i], k.largest);
    close_ranking(&k, r);
    return ok;
}
