/* Reads the dumps of PyTorch's Flight Recorder, one for each rank, as JSON or as a pickle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/flight.h"
#include "trace/reader.h"

struct flights {
    struct flight f;
    struct ncs_error first; /* of the first dump that cannot be read */
    bool strange;           /* a version of which nothing is known */
};

/* Any JSON, but that of RAS: for what is none, the error says what a dump has. */
static bool flight_is(const struct trace_file *file)
{
    const char *text = file->text.text, *at = text + strspn(text, " \t\r\n");
    bool ras = strstr(text, "\"collective_counts\"") || strstr(text, "\"communicators_count\"");
    if (at[0] == '{' && ras && !strstr(text, "\"entries\""))
        return false;
    return (unsigned char)text[0] == 0x80 || (at[0] == '{' && strchr("\"}", at[1 + strspn(at + 1, " \t\r\n")]));
}

/* ---- one dump ---- */

static const struct value *parse_dump(struct flight *f, const struct trace_file *file, struct ncs_arena *arena)
{
    bool pickled = (unsigned char)file->text.text[0] == 0x80;
    const struct value *root = pickled ? ncs_pickle_read(arena, file->text.text, file->text.bytes, f->err)
                                       : ncs_value_of_json(arena, file->text.text, file->text.bytes, f->err);
    if (!root)
        ncs_fail_at(f->err, file->path, f->err->line, f->err->column);
    return root;
}

static bool is_dump(const struct value *root)
{
    return ncs_value_get(root, "entries") || ncs_value_get(root, "pg_config");
}

/* A rank that has one readable dump at most. */
static bool find_rank(struct flight *f, struct dump *d, const struct value *root)
{
    struct record *r = f->record;
    int64_t rank = -1;
    if (!ncs_value_as_whole(ncs_value_get(root, "rank"), &rank))
        rank = d->named;
    int own = rank >= 0 && rank < NCS_RECORD_RANKS ? ncs_flight_rank(root, (int)rank) : -1;
    if (own >= 0 && own != rank && (own >= r->ranks || !r->rank[own].source)) {
        ncs_record_note(r, "%.200s is named after rank %d, but its groups are those of rank %d", d->path, (int)rank, own);
        rank = own;
    }
    if (rank < 0) {
        ncs_fail(f->err, NCS_BAD_INPUT, "the name of this dump does not contain its rank");
        return ncs_fail_hint(f->err, "names of dumps contain the rank, such as nccl_trace_rank_3");
    }
    if (!ncs_record_has_rank(r, rank, f->err))
        return false;
    if (r->rank[rank].source) {
        ncs_fail(f->err, NCS_BAD_INPUT, "a second dump of rank %d, after %.200s", (int)rank, r->rank[rank].source);
        return ncs_fail_hint(f->err, "name the files of one job only");
    }
    d->rank = (int)rank;
    return true;
}

static void read_flight_version(struct flights *all, const struct value *root)
{
    struct record *r = all->f.record;
    const char *own = ncs_value_as_text(ncs_value_get(root, "version"));
    const char *nccl = ncs_value_as_text(ncs_value_get(root, "comm_lib_version"));
    nccl = nccl ? nccl : ncs_value_as_text(ncs_value_get(root, "nccl_version"));
    if (nccl && !r->trace->nccl[0])
        snprintf(r->trace->nccl, sizeof r->trace->nccl, "%s", nccl);
    if (!own || strtol(own, NULL, 10) == 2 || all->strange)
        return;
    all->strange = true;
    ncs_record_note(r, "the dumps have version %.20s of their format; diagnose knows version 2", own);
    r->trace->doubt = ncs_copy_text("it could also be that these dumps mean something else: the version of their format "
                                    "is not known");
}

/* Forgets the calls of a dump that turned out to be unreadable. */
static void drop_calls(struct record *r, int rank)
{
    r->calls -= r->rank[rank].calls;
    r->rank[rank].calls = 0;
    r->rank[rank].source = NULL;
    r->rank[rank].cut = false;
}

/* Skips a dump that was cut off when its rank died: with many dumps that is common, and the others remain useful. */
static void leave_out(struct flights *all, struct dump *d)
{
    struct record *r = all->f.record;
    struct ncs_error *err = all->f.err;
    int rank = d->named;
    if (!err->file[0])
        ncs_fail_at(err, d->path, 0, 0);
    if (!all->first.text[0])
        all->first = *err;
    d->readable = false;
    if (rank >= 0 && rank < NCS_RECORD_RANKS && ncs_record_has_rank(r, rank, NULL) && !r->rank[rank].source) {
        r->rank[rank].spoilt = true;
        ncs_record_note(r, "the dump of rank %d cannot be read: %.200s: %.200s", rank, d->path, err->text);
        ncs_record_doubt(r, rank, false, "it could also be that rank %d waits like the others: its dump cannot be read", rank);
    } else {
        ncs_record_note(r, "a dump cannot be read: %.200s: %.200s", d->path, err->text);
    }
    *err = (struct ncs_error){ 0 };
}

static bool read_dump(struct flights *all, struct dump *d, const struct value *root)
{
    struct flight *f = &all->f;
    if (!find_rank(f, d, root))
        return false;
    f->record->rank[d->rank].source = d->path;
    f->record->rank[d->rank].spoilt = false;
    d->readable = ncs_flight_read_config(f, d, root) && ncs_flight_read_entries(f, d, root);
    if (d->readable) {
        read_flight_version(all, root);
        return true;
    }
    if (f->two_jobs)
        return false;
    drop_calls(f->record, d->rank);
    leave_out(all, d);
    return true;
}

static enum trace_taken flight_take(void *state, struct trace_file *file)
{
    struct flights *all = state;
    struct flight *f = &all->f;
    struct ncs_arena arena = { 0 };
    const struct value *root = parse_dump(f, file, &arena);
    enum trace_taken taken = TRACE_TAKEN;
    f->record->knows_ends = f->record->numbered = true;
    if (root && !is_dump(root)) {
        taken = TRACE_NOT_MINE;
        if (!file->of_folder) {
            ncs_fail(f->err, NCS_BAD_INPUT, "no Flight Recorder dump: an object with `entries` and `pg_config` is expected");
            taken = TRACE_BAD;
        }
    } else {
        struct dump fresh = { .path = ncs_copy_text(file->path), .rank = -1, .named = file->rank };
        NCS_PUSH(f->dump, f->dumps, f->room, fresh);
        struct dump *d = &f->dump[f->dumps - 1];
        if (!root)
            leave_out(all, d);
        else if (!read_dump(all, d, root))
            taken = TRACE_BAD;
    }
    ncs_arena_free(&arena);
    return taken;
}

/* ---- all dumps ---- */

/* A rank whose newest call is over may be in one that no dump has. */
static void doubt_idle(struct record *r, int rank)
{
    const struct record_rank *own = &r->rank[rank];
    if (!r->follows && (!own->calls || own->call[own->calls - 1].state >= RECORD_OVER))
        ncs_record_doubt(r, rank, false,
                         "it could also be that rank %d waits in a call that no dump shows, as ncclCommSplit, ncclCommDestroy or "
                         "ncclCommAbort",
                         rank);
}

static bool flight_finish(void *state)
{
    struct flights *all = state;
    struct flight *f = &all->f;
    size_t readable = 0;
    if (!ncs_flight_find_comms(f))
        return false;
    for (size_t i = 0; i < f->dumps; i++) {
        struct dump *d = &f->dump[i];
        if (!d->readable)
            continue;
        if (ncs_flight_settle(f, d)) {
            readable++;
            doubt_idle(f->record, d->rank);
            continue;
        }
        drop_calls(f->record, d->rank);
        leave_out(all, d);
    }
    if (!readable) {
        *f->err = all->first;
        return f->dumps == 0;
    }
    if (f->record->calls && !f->record->trace->places)
        ncs_record_note(f->record, "PyTorch's JSON dumps contain no stacks; pickles show the line of each call");
    return true;
}

static void flight_end(void *state)
{
    struct flights *all = state;
    struct flight *f = &all->f;
    for (size_t i = 0; i < f->dumps; i++) {
        struct dump *d = &f->dump[i];
        for (size_t k = 0; k < d->groups; k++) {
            ncs_free(d->group[k].name);
            ncs_free(d->group[k].desc);
        }
        ncs_free(d->group);
        ncs_free(d->path);
        ncs_map_free(&d->group_of);
    }
    ncs_free(f->dump);
    ncs_map_free(&f->comm);
    ncs_map_free(&f->name);
    ncs_map_free(&f->word);
}

const struct trace_reader ncs_reader_flight = {
    .kind = "Flight Recorder dumps",
    .word = "dump",
    .next = "next: the dumps of all ranks; stacks of all ranks while they wait (py-spy dump, gdb); roots and operators, which "
            "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,DESTROY,COLL logs",
    .is = flight_is,
    .bytes = sizeof(struct flights),
    .take = flight_take,
    .finish = flight_finish,
    .end = flight_end,
};
