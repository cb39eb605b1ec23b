/* Which rank of the run each process is, or each of its threads: by the launcher's number, or by the largest
 * communicator. */
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

struct membership {
    int64_t rank, nranks; /* of the largest communicator; nranks 0 = of none */
};

/* A process with several ranks is the source of all that it has of the largest communicator. */
static void note_sources(struct recording *r, const struct recorded_file *f, int64_t largest)
{
    for (size_t i = 0; i < f->calls && f->several && !f->left_out; i++) {
        uint64_t id;
        int64_t rank, nranks;
        if (!ncs_recorded_join(&f->call[i], &id, &rank, &nranks) || nranks != largest)
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
        if (!ncs_recorded_join(&f->call[i], &id, &rank, &nranks))
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

/* ---- threads of a process with several ranks ---- */

/* By handle: the rank + 1 in the largest communicator, or the one of the communicator that it comes from. */
static void note_handle(struct ncs_map *rank_of, const struct recorded_call *c, int64_t largest)
{
    const unsigned char *at = ncs_fn_info[c->fn].at;
    uint64_t id, handle = at[NCS_ARG_COMM_OUT] ? c->raw.arg[at[NCS_ARG_COMM_OUT] - 1] : 0;
    int64_t rank, nranks;
    if (ncs_recorded_join(c, &id, &rank, &nranks) && nranks == largest) {
        for (size_t k = 0; rank < 0 && k < c->words && (int64_t)k < nranks; k++)
            ncs_map_put_number(rank_of, c->list[k], k + 1);
        if (rank >= 0 && handle)
            ncs_map_put_number(rank_of, handle, (size_t)rank + 1);
    } else if (ncs_fn_info[c->fn].child && at[NCS_ARG_COMM] && handle) {
        ncs_map_put_number(rank_of, handle, ncs_map_number(rank_of, c->raw.arg[at[NCS_ARG_COMM] - 1]));
    }
}

/* A thread that has joined nothing is the rank of the first communicator that it uses: another thread, or ncclCommInitAll,
 * has made it. */
static void rank_threads(struct recorded_file *f, int64_t largest)
{
    struct ncs_map rank_of = { 0 };
    for (size_t i = 0; i < f->calls; i++) {
        const struct recorded_call *c = &f->call[i];
        const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
        struct recorded_thread *t = &f->thread[c->raw.thread];
        note_handle(&rank_of, c, largest);
        size_t rank = info->counted && info->at[NCS_ARG_COMM]
                          ? ncs_map_number(&rank_of, c->raw.arg[info->at[NCS_ARG_COMM] - 1]) : 0;
        if (!rank)
            continue;
        t->many |= t->rank >= 0 && t->rank != (int)rank - 1;
        t->rank = t->rank < 0 ? (int)rank - 1 : t->rank;
    }
    ncs_map_free(&rank_of);
}

static void number_threads(struct recorded_file *f, const struct membership *of_thread, int64_t largest)
{
    int number = 0;
    for (int i = 0; i < f->threads; i++) {
        struct recorded_thread *t = &f->thread[i];
        t->rank = !f->several ? f->rank : of_thread[i].nranks ? (int)of_thread[i].rank : -1;
        t->number = f->several ? 0 : t->used ? number++ : 0;
    }
    if (f->several && !f->left_out)
        rank_threads(f, largest);
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
        if (f->left_out)
            continue;
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
    int64_t most = k.largest > 1 ? k.largest : 1;
    for (size_t i = 0; i < r->files; i++) {
        struct recorded_file *f = &r->file[i];
        f->rank = f->several || number[i] >= NCS_RECORD_RANKS ? -1 : (int)number[i];
        number_threads(f, k.of_thread[i], k.largest);
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
