/* The calls of each rank as read, and the places that they name. */
#include "trace/record.h"

#include <stdarg.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/safe.h"

void ncs_record_free(struct record *r)
{
    for (int i = 0; i < r->ranks; i++)
        ncs_free(r->rank[i].call);
    for (size_t i = 0; i < r->comms; i++) {
        ncs_free(r->comm[i].name);
        ncs_free(r->comm[i].role);
        ncs_free(r->comm[i].rank);
        ncs_free(r->comm[i].before);
    }
    ncs_free(r->rank);
    ncs_free(r->comm);
    ncs_map_free(&r->places);
}

/* Texts of files reach the report in notes and names: one line of valid text. Frees the original. */
static char *record_safe(struct ncs_str *text)
{
    struct ncs_str valid = { 0 }, safe = { 0 };
    ncs_safe_utf8(&valid, text->text ? text->text : "", text->bytes);
    ncs_safe_line(&safe, valid.text ? valid.text : "");
    ncs_str_free(&valid);
    ncs_str_free(text);
    return safe.text ? ncs_str_take(&safe) : ncs_copy_text("");
}

void ncs_record_note(struct record *r, const char *fmt, ...)
{
    enum { NOTES_MOST = 500 };
    struct ncs_str text = { 0 };
    va_list args;
    va_start(args, fmt);
    ncs_str_addv(&text, fmt, args);
    va_end(args);
    if (r->trace->notes < NOTES_MOST) {
        NCS_PUSH(r->trace->note, r->trace->notes, r->trace->note_room, record_safe(&text));
    } else if (r->trace->notes == NOTES_MOST) {
        NCS_PUSH(r->trace->note, r->trace->notes, r->trace->note_room, ncs_copy_text("further notes are left out"));
    }
    ncs_str_free(&text);
}

void ncs_record_doubt(struct record *r, int rank, bool anywhere, const char *fmt, ...)
{
    struct ncs_trace *t = r->trace;
    struct ncs_str text = { 0 };
    va_list args;
    if (rank < 0 || ((size_t)rank < t->doubts && t->doubt_of[rank].text))
        return;
    if ((size_t)rank >= t->doubts) {
        size_t room = 2 * ((size_t)rank + 1);
        t->doubt_of = ncs_resize(t->doubt_of, room * sizeof *t->doubt_of);
        memset(&t->doubt_of[t->doubts], 0, (room - t->doubts) * sizeof *t->doubt_of);
        t->doubts = room;
    }
    va_start(args, fmt);
    ncs_str_addv(&text, fmt, args);
    va_end(args);
    t->doubt_of[rank] = (struct ncs_trace_doubt){ record_safe(&text), anywhere };
}

static char *place_name(const char *file, long line)
{
    struct ncs_str name = { 0 };
    ncs_safe_name(&name, file);
    ncs_str_addf(&name, ":%ld", line);
    return ncs_str_take(&name);
}

int ncs_record_place(struct record *r, const char *file, long line)
{
    struct ncs_trace *t = r->trace;
    if (!file || !*file || line <= 0)
        return 0;
    uint64_t key = ncs_hash(ncs_hash_bytes(0, file, strlen(file)), (uint64_t)line);
    size_t at = (size_t)(uintptr_t)ncs_map_get(&r->places, key);
    if (!at) {
        NCS_PUSH(t->place, t->places, t->place_room, place_name(file, line));
        ncs_map_put(&r->places, key, (void *)(uintptr_t)(at = t->places));
    }
    return NCS_TRACE_LINES + (int)at - 1;
}

int ncs_record_line(struct record *r, const char *file, long line)
{
    struct ncs_trace *t = r->trace;
    int place = ncs_record_place(r, file, line);
    size_t at = (size_t)(place - NCS_TRACE_LINES);
    if (!place)
        return 0;
    if (at >= t->showing) { /* places follow each other: twice the room, so that each is copied seldom */
        size_t room = 2 * (at + 1);
        t->shows = ncs_resize(t->shows, room * sizeof *t->shows);
        memset(t->shows + t->showing, 0, (room - t->showing) * sizeof *t->shows);
        t->showing = room;
    }
    t->shows[at] = true;
    return place;
}

bool ncs_record_is_member(const struct record_comm *comm, int rank)
{
    for (int k = 0; k < comm->nranks; k++)
        if (comm->rank[k] == rank)
            return true;
    return false;
}

bool ncs_record_has_rank(struct record *r, int64_t rank, struct ncs_error *err)
{
    if (rank < 0 || rank >= NCS_RECORD_RANKS)
        return ncs_fail(err, NCS_BAD_INPUT, "rank %lld is not one of 0..%d", (long long)rank, NCS_RECORD_RANKS - 1);
    if (rank < r->ranks)
        return true;
    if (rank >= r->rank_room) {
        r->rank_room = 2 * ((int)rank + 1);
        r->rank = ncs_resize(r->rank, (size_t)r->rank_room * sizeof *r->rank);
    }
    for (; r->ranks <= rank; r->ranks++)
        r->rank[r->ranks] = (struct record_rank){ 0 };
    return true;
}

int ncs_record_add_comm(struct record *r, int nranks, const char *name, struct ncs_error *err)
{
    struct record_comm comm = { .nranks = nranks, .serial = (int64_t)r->comms, .pair_of = -1, .split_from = -1, .parent = -1 };
    if (nranks < 1 || nranks > NCS_RECORD_RANKS) {
        ncs_fail(err, NCS_BAD_INPUT, "a communicator of %d ranks: 1..%d are expected", nranks, NCS_RECORD_RANKS);
        return -1;
    }
    if (r->comms == NCS_RECORD_COMMS || r->members + (size_t)nranks > NCS_RECORD_MEMBERS) {
        ncs_fail(err, NCS_BAD_INPUT, "more communicators than can be held: %zu of %zu ranks together", r->comms, r->members);
        return -1;
    }
    r->members += (size_t)nranks;
    if (name) {
        struct ncs_str own = { 0 };
        ncs_str_addf(&own, "%.200s%s", name, strlen(name) > 200 ? "..." : "");
        comm.name = record_safe(&own);
    }
    comm.rank = ncs_new((size_t)nranks * sizeof *comm.rank);
    comm.before = ncs_new((size_t)nranks * sizeof *comm.before);
    for (int i = 0; i < nranks; i++)
        comm.rank[i] = -1;
    NCS_PUSH(r->comm, r->comms, r->comm_room, comm);
    return (int)r->comms - 1;
}

struct record_call *ncs_record_add(struct record *r, int rank, struct ncs_error *err)
{
    struct record_rank *k = &r->rank[rank];
    struct record_call call = { .comm = -1, .dtype = -1 };
    if (r->calls == NCS_RECORD_CALLS) {
        ncs_fail(err, NCS_BAD_INPUT, "more than %d calls", NCS_RECORD_CALLS);
        ncs_fail_hint(err, "remove the oldest calls, but keep the lines that make communicators");
        return NULL;
    }
    r->calls++;
    NCS_PUSH(k->call, k->calls, k->room, call);
    return &k->call[k->calls - 1];
}

bool ncs_record_imply(struct record *r, int comm, int model, size_t calls)
{
    struct record_comm *info = &r->comm[comm];
    size_t missing = 0;
    for (int k = 0; k < info->nranks; k++)
        missing += info->rank[k] >= 0 && !r->rank[info->rank[k]].source;
    if (missing * calls > NCS_RECORD_IMPLIED || missing * calls > NCS_RECORD_CALLS - r->calls)
        return false;
    for (int k = 0; k < info->nranks; k++) {
        int rank = info->rank[k];
        if (rank < 0 || rank == info->rank[model] || r->rank[rank].source) /* damaged lines give a rank two seats */
            continue;
        const struct record_rank *from = &r->rank[info->rank[model]];
        info->before[k] = info->before[model];
        struct record_call *joins = info->made ? ncs_record_add(r, rank, NULL) : NULL;
        if (joins)
            *joins = (struct record_call){ .fn = NCS_FN_ncclCommInitRank, .comm = comm, .comm_rank = k };
        for (size_t i = 0, done = 0; i < from->calls && done < calls; i++) {
            const struct record_call *c = &from->call[i];
            if (c->comm != comm || !ncs_record_is_collective(c))
                continue;
            struct record_call *own = ncs_record_add(r, rank, NULL);
            if (!own)
                return false;
            *own = *c;
            own->comm_rank = k;
            own->place = 0;
            own->group = 0;
            done++;
        }
    }
    return true;
}

void ncs_record_note_missing(struct record *r)
{
    int *rank = NULL;
    size_t ranks = 0, room = 0;
    for (int k = 0; k < r->ranks; k++)
        if (!r->rank[k].source && !r->rank[k].spoilt) {
            NCS_PUSH(rank, ranks, room, k);
            ncs_record_doubt(r, k, false, "it could also be that rank %d waits like the others: it left no %s", k,
                             r->source_word);
        }
    if (ranks) {
        struct ncs_str who = { 0 };
        ncs_str_add_many_ranks(&who, rank, ranks);
        ncs_record_note(r, "rank%s %s left no %s", ranks == 1 ? "" : "s", who.text, r->source_word);
        ncs_str_free(&who);
    }
    ncs_free(rank);
}

/* Adds "world on ranks 0, 1": the ranks that have ended a communicator, but not this one. */
static void record_add_left(const struct record *r, int comm, struct ncs_map *ended, struct ncs_str *text)
{
    const struct record_comm *c = &r->comm[comm];
    int *rank = ncs_new((size_t)c->nranks * sizeof *rank);
    size_t ranks = 0;
    for (int k = 0; k < c->nranks; k++)
        if (c->rank[k] >= 0 && ncs_map_number(ended, ncs_hash(1, (uint64_t)c->rank[k])) &&
            !ncs_map_number(ended, ncs_hash(ncs_hash(2, (uint64_t)c->rank[k]), (uint64_t)comm)))
            rank[ranks++] = c->rank[k];
    if (ranks) {
        ncs_str_addf(text, "%s%s on rank%s ", text->bytes ? ", of " : "", c->name ? c->name : "a communicator",
                     ranks == 1 ? "" : "s");
        ncs_str_add_many_ranks(text, rank, ranks);
    }
    ncs_free(rank);
}

void ncs_record_note_left(struct record *r)
{
    enum { MOST_BYTES = 120 };
    struct ncs_map ended = { 0 };
    struct ncs_str text = { 0 };
    for (int k = 0; k < r->ranks; k++)
        for (size_t i = 0; i < r->rank[k].calls; i++)
            if (ncs_fn_info[r->rank[k].call[i].fn].ends == NCS_ENDS_COMM) {
                ncs_map_put_number(&ended, ncs_hash(1, (uint64_t)k), 1);
                ncs_map_put_number(&ended, ncs_hash(ncs_hash(2, (uint64_t)k), (uint64_t)r->rank[k].call[i].comm), 1);
            }
    for (size_t i = r->comms; i-- > 0 && ended.count && text.bytes < MOST_BYTES;) /* parts before what they are parts of */
        record_add_left(r, (int)i, &ended, &text);
    if (text.bytes)
        ncs_record_note(r,
                        "ranks destroyed communicators, but no line shows the end of the destroy of %s: they never called it, or "
                        "wait in it for ranks of their host that do not call it",
                        text.text);
    ncs_str_free(&text);
    ncs_map_free(&ended);
}
