/* Reads the dumps of PyTorch's Flight Recorder, one for each rank, as JSON or as a pickle: entries in the
 * order in which the calls were made, each with its process group, sizes, state and stack. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "trace/flight.h"
#include "trace/flight_words.h"

enum { FRAMES_SEEN = 256 };

/* ---- fields of an entry ---- */

struct entry {
    const struct dump *dump;
    const json_t *o;
    size_t number;
};

static bool misfit(const struct flight *f, const struct entry *e, const char *key, const char *wanted)
{
    ncs_fail(f->err, NCS_BAD_INPUT, "entries[%zu].%s: %s is expected", e->number, key, wanted);
    return ncs_fail_at(f->err, e->dump->path, 0, 0);
}

static const char *text_of(const struct entry *e, const char *key)
{
    const json_t *v = json_object_get(e->o, key);
    return v ? json_string_value(v) : NULL;
}

/* Reads a whole number. The JSON of some versions writes numbers as texts. */
static bool whole(const json_t *v, int64_t *number)
{
    char *end;
    if (json_is_integer(v)) {
        *number = json_integer_value(v);
        return true;
    }
    if (!json_is_string(v) || !*json_string_value(v))
        return false;
    *number = strtoll(json_string_value(v), &end, 10);
    return *end == '\0';
}

static int64_t whole_of(const struct entry *e, const char *key, int64_t otherwise)
{
    int64_t number;
    return whole(json_object_get(e->o, key), &number) ? number : otherwise;
}

/* The elements of the first tensors in a list of sizes: [[1024, 8], [3]] has 8195. */
static uint64_t elements(const json_t *sizes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        const json_t *size = json_array_get(sizes, i);
        uint64_t product = 1;
        for (size_t k = 0; k < json_array_size(size); k++) {
            json_int_t n = json_integer_value(json_array_get(size, k));
            if (n < 0 || __builtin_mul_overflow(product, (uint64_t)n, &product))
                return UINT64_MAX / 16;
        }
        if (__builtin_add_overflow(sum, product, &sum))
            return UINT64_MAX / 16;
    }
    return sum < UINT64_MAX / 16 ? sum : UINT64_MAX / 16;
}

static const char *first_text(const json_t *list)
{
    return json_string_value(json_array_get(list, 0));
}

/* The place of the innermost frame in the user's own code; frames of PyTorch and frames without a
 * line do not count. */
static int place_of(struct record *r, const json_t *frames)
{
    const json_t *best = NULL;
    for (size_t i = 0; i < json_array_size(frames) && i < FRAMES_SEEN; i++) {
        const json_t *f = json_array_get(frames, i);
        const char *file = json_string_value(json_object_get(f, "filename"));
        int64_t line;
        if (!file || !whole(json_object_get(f, "line"), &line) || line <= 0)
            continue;
        if (ncs_flight_is_users(file)) {
            best = f;
            break;
        }
        best = best ? best : f;
    }
    int64_t line = 0;
    if (best)
        whole(json_object_get(best, "line"), &line);
    return best ? ncs_record_place(r, json_string_value(json_object_get(best, "filename")), (long)line) : 0;
}

/* The number of the last completed collective by the status of its group; -1 = none, -2 = unknown. */
static int64_t last_over(const struct entry *e)
{
    const json_t *id = json_object_get(e->o, "pg_id"), *all = json_object_get(e->dump->root, "pg_status");
    char key[32];
    int64_t number;
    if (!whole(id, &number) || ncs_map_number(&e->dump->pairs, (uint64_t)number + 1))
        return -2;
    snprintf(key, sizeof key, "%" PRId64, number);
    const json_t *status = json_object_get(all, key);
    return whole(json_object_get(status, "last_completed_collective"), &number) ? number : -2;
}

/* The state of a call. Some dumps do not follow a call to its end. Then the group's status tells whether
 * it is over; without a status, the call counts as over once PyTorch has retired it. PyTorch also retires
 * calls that timed out, so a status has priority. */
static enum record_state state_of(const struct entry *e, bool p2p, int64_t seq)
{
    const char *state = text_of(e, "state");
    int64_t last = p2p || seq < 0 ? -2 : last_over(e);
    if ((state && strcmp(state, "completed") == 0) || (last >= 0 && seq <= last))
        return RECORD_OVER;
    if (last == -2 && json_is_true(json_object_get(e->o, "retired")))
        return RECORD_OVER;
    return !state                            ? RECORD_UNKNOWN
           : strcmp(state, "started") == 0   ? RECORD_STARTED
           : strcmp(state, "scheduled") == 0 ? RECORD_SCHEDULED
                                             : RECORD_UNKNOWN;
}

/* ---- entries ---- */

static int rank_in(const struct record *r, int comm, int rank)
{
    for (int k = 0; k < r->comm[comm].nranks; k++)
        if (r->comm[comm].rank[k] == rank)
            return k;
    return -1;
}


/* The calls of the batch that a `coalesced` entry ends. */
static void close_batch(struct record_rank *k, int comm, bool p2p, int64_t seq, enum record_state state,
                        uint64_t group)
{
    for (size_t i = k->calls; i-- > 0;) {
        struct record_call *c = &k->call[i];
        bool pair = ncs_fn_info[c->fn].pair;
        if (c->comm != comm)
            continue;
        if (c->seq != seq || pair != p2p || c->group)
            break;
        c->group = group;
        c->state = state;
        c->batched = true;
    }
}

static void set_sizes(const struct entry *e, struct record_call *c)
{
    const json_t *in = json_object_get(e->o, "input_sizes"), *out = json_object_get(e->o, "output_sizes");
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool by_output = c->fn == NCS_FN_ncclRecv ||
                     (ncs_blocks_are_many(info->reads) && !ncs_blocks_are_many(info->writes));
    const json_t *types = json_object_get(e->o, by_output ? "output_dtypes" : "input_dtypes");
    const json_t *sizes = by_output ? out : in;
    int factor;
    c->count = elements(sizes);
    c->dtype = ncs_flight_dtype(first_text(types), &factor);
    c->count *= (uint64_t)factor;
    /* An unrecorded size is not 0. Each rank of an all-to-all has sizes of its own. */
    if (c->fn == NCS_FN_ncclAlltoAll || json_array_size(sizes) == 0)
        c->unsaid |= NCS_UNSAID_COUNT;
    if (json_array_size(types) == 0)
        c->unsaid |= NCS_UNSAID_DTYPE;
    c->unsaid |= NCS_UNSAID_OP | NCS_UNSAID_ROOT;
}

/* Parses "nccl:send 1->2": ranks of the group; false if the name has none. */
static bool peers_of(const char *name, int *self, int *peer)
{
    const char *p = strchr(name, ' ');
    bool recv = p && strstr(p, "<-");
    return p && sscanf(p, recv ? " %d<-%d" : " %d->%d", self, peer) == 2;
}

static bool add_entry(struct flight *f, struct dump *d, const struct entry *e)
{
    struct record *r = f->record;
    const json_t *pg = json_object_get(e->o, "process_group");
    const char *name = text_of(e, "profiling_name"), *group = first_text(pg);
    if (!json_is_object(e->o))
        return misfit(f, e, "", "an object");
    if (!name)
        return misfit(f, e, "profiling_name", "a text such as `nccl:all_reduce`");
    if (!group)
        return misfit(f, e, "process_group", "a list with the name of the group");
    int comm = ncs_flight_group(d, group), self = comm >= 0 ? rank_in(r, comm, d->rank) : -1, peer = -1;
    if (comm < 0)
        return misfit(f, e, "process_group", "a group of this dump");
    enum ncs_fn fn;
    enum flight_word word = ncs_flight_word(name, &fn);
    bool p2p = json_is_true(json_object_get(e->o, "is_p2p")) || word == FLIGHT_P2P;
    int64_t seq = whole_of(e, p2p ? "p2p_seq_id" : "collective_seq_id", whole_of(e, "seq_id", -1));
    if (word == FLIGHT_CLOSES)
        close_batch(&r->rank[d->rank], comm, p2p, seq, state_of(e, p2p, seq), r->calls + 1);
    if (word == FLIGHT_UNKNOWN && !d->unknown++)
        snprintf(d->odd, sizeof d->odd, "%s", name);
    if (word != FLIGHT_CALL && word != FLIGHT_P2P)
        return true;
    if (self < 0)
        return misfit(f, e, "process_group", "a group that the rank of this file is in");
    if (word == FLIGHT_P2P && !peers_of(name, &self, &peer))
        return misfit(f, e, "profiling_name", "`nccl:send 1->2` or `nccl:recv 2<-1`");
    if (word == FLIGHT_P2P && (peer < 0 || peer >= r->comm[comm].nranks))
        return misfit(f, e, "profiling_name", "a peer that is in the group");
    if (self < 0 || self >= r->comm[comm].nranks)
        return misfit(f, e, "profiling_name", "ranks of the group");
    if (r->comm[comm].rank[self] != d->rank)
        return misfit(f, e, "profiling_name", "the rank of this file before the arrow");
    struct record_call *c = ncs_record_add(r, d->rank, f->err);
    if (!c)
        return ncs_fail_at(f->err, d->path, 0, 0);
    *c = (struct record_call){ .fn = fn, .comm = comm, .comm_rank = self, .root = word == FLIGHT_P2P ? peer : 0,
                               .seq = seq, .state = state_of(e, p2p, seq) };
    set_sizes(e, c);
    c->place = place_of(r, json_object_get(e->o, "frames"));
    return true;
}

/* Moves sends and receives outside of batches to communicators of the two ranks, once batches are known. */
static bool set_pairs(struct flight *f, int rank)
{
    for (size_t i = 0; i < f->record->rank[rank].calls; i++) {
        struct record_call *c = &f->record->rank[rank].call[i];
        if (!ncs_fn_info[c->fn].pair || c->batched)
            continue;
        int pair = ncs_flight_pair(f, c->comm, c->comm_rank, c->root);
        if (pair < 0)
            return false;
        if (pair != c->comm) {
            int lower = c->comm_rank < c->root ? 0 : 1;
            c->comm = pair;
            c->comm_rank = lower;
            c->root = 1 - lower;
        }
    }
    return true;
}

static bool read_entries(struct flight *f, struct dump *d)
{
    json_t *entries = json_object_get(d->root, "entries");
    struct entry e = { .dump = d };
    if (entries && !json_is_array(entries)) {
        ncs_fail(f->err, NCS_BAD_INPUT, "`entries`: a list is expected");
        return ncs_fail_at(f->err, d->path, 0, 0);
    }
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        int64_t id;
        if (json_is_true(json_object_get(entry, "is_p2p")) && whole(json_object_get(entry, "pg_id"), &id))
            ncs_map_put_number(&d->pairs, (uint64_t)id + 1, 1);
    }
    for (; e.number < json_array_size(entries); e.number++) {
        e.o = json_array_get(entries, e.number);
        if (e.number == 0)
            f->record->rank[d->rank].cut = whole_of(&e, "record_id", 0) > 0;
        if (!add_entry(f, d, &e))
            return false;
    }
    if (d->unknown)
        ncs_record_note(f->record, "rank %d: %zu entr%s of another kind (%.60s) left out", d->rank, d->unknown,
                    d->unknown == 1 ? "y is" : "ies are", d->odd);
    return set_pairs(f, d->rank);
}

/* ---- files ---- */

/* The last number in the name of the file, without the extension of its format. */
static int rank_of_name(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *end = name + strlen(name);
    static const char *const formats[] = { ".json", ".pickle", ".pkl", ".bin", ".txt", NULL };
    for (size_t i = 0; formats[i]; i++) {
        size_t bytes = strlen(formats[i]);
        if ((size_t)(end - name) > bytes && strncmp(end - bytes, formats[i], bytes) == 0)
            end -= bytes;
    }
    while (end > name && !isdigit((unsigned char)end[-1]))
        end--;
    const char *start = end;
    while (start > name && isdigit((unsigned char)start[-1]))
        start--;
    return start < end && end - start < 9 ? (int)strtol(start, NULL, 10) : -1;
}

static json_t *parse(const struct trace_file *file, struct ncs_error *err)
{
    json_error_t wrong;
    if (file->text.bytes && (unsigned char)file->text.text[0] == 0x80)
        return ncs_pickle_read(file, err);
    json_t *root = json_loadb(file->text.text ? file->text.text : "", file->text.bytes, 0, &wrong);
    if (!root) {
        ncs_fail(err, NCS_BAD_INPUT, "no JSON: %s", wrong.text);
        ncs_fail_at(err, file->path, wrong.line, wrong.column);
    }
    return root;
}

static bool open_dump(struct flight *f, const struct trace_file *file, struct dump *d)
{
    struct record *r = f->record;
    int64_t rank = -1;
    d->path = file->path;
    d->root = parse(file, f->err);
    if (!d->root)
        return false;
    if (!json_is_object(d->root) ||
        !(json_object_get(d->root, "entries") || json_object_get(d->root, "pg_config"))) {
        ncs_fail(f->err, NCS_BAD_INPUT, "no Flight Recorder dump: an object with `entries` and "
                 "`pg_config` is expected");
        return ncs_fail_at(f->err, d->path, 0, 0);
    }
    if (!whole(json_object_get(d->root, "rank"), &rank))
        rank = rank_of_name(file->path);
    if (rank < 0) {
        ncs_fail(f->err, NCS_BAD_INPUT, "the name of this dump does not contain its rank");
        ncs_fail_hint(f->err, "names of dumps end with the rank, such as nccl_trace_rank_3");
        return ncs_fail_at(f->err, d->path, 0, 0);
    }
    if (!ncs_record_has_rank(r, rank, f->err))
        return ncs_fail_at(f->err, d->path, 0, 0);
    if (r->rank[rank].source) {
        ncs_fail(f->err, NCS_BAD_INPUT, "a second dump of rank %d, after %.200s", (int)rank,
                 r->rank[rank].source);
        return ncs_fail_at(f->err, d->path, 0, 0);
    }
    d->rank = (int)rank;
    r->rank[rank].source = file->path;
    const char *version = json_string_value(json_object_get(d->root, "comm_lib_version"));
    version = version ? version : json_string_value(json_object_get(d->root, "nccl_version"));
    if (version && !r->trace->nccl[0])
        snprintf(r->trace->nccl, sizeof r->trace->nccl, "%s", version);
    return true;
}

/* Skips a dump that was cut off when its rank died: with many dumps that is common, and the others remain useful. */
static bool leave_out(struct flight *f, const struct dump *d)
{
    int rank = rank_of_name(d->path);
    if (f->dumps < 2 || rank < 0 || !ncs_record_has_rank(f->record, rank, f->err) || f->record->rank[rank].source)
        return false;
    f->record->rank[rank].spoilt = true;
    ncs_record_note(f->record, "the dump of rank %d cannot be read: %.200s: %.200s", rank, d->path, f->err->text);
    ncs_record_doubt(f->record, rank, false, "it could also be that rank %d waits like the others: its dump cannot be "
                     "read", rank);
    *f->err = (struct ncs_error){ 0 };
    return true;
}

bool ncs_flight_read(struct record *r, struct trace_file *file, size_t count, struct ncs_error *err)
{
    struct flight f = { .record = r, .dump = ncs_new(count * sizeof *f.dump), .dumps = count, .err = err };
    bool ok = true;
    size_t readable = 0;
    r->trace->kind = "Flight Recorder dumps";
    r->source_word = "dump";
    r->knows_ends = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = open_dump(&f, &file[i], &f.dump[i]) || (!f.dump[i].root && leave_out(&f, &f.dump[i]));
    for (size_t i = 0; i < count; i++)
        readable += f.dump[i].root != NULL;
    if (ok && !readable)
        ok = open_dump(&f, &file[0], &f.dump[0]); /* for its error */
    ok = ok && ncs_flight_read_groups(&f);
    for (size_t i = 0; i < count && ok; i++)
        ok = read_entries(&f, &f.dump[i]);
    if (ok) {
        if (r->calls && !r->trace->places)
            ncs_record_note(r, "these dumps have no stacks, as PyTorch's JSON has none: pickles tell the line of "
                            "each call");
        ncs_record_note_missing(r);
        ncs_flight_align(r);
    }
    for (size_t i = 0; i < count; i++) {
        json_decref(f.dump[i].root);
        ncs_map_free(&f.dump[i].group);
        ncs_map_free(&f.dump[i].pairs);
    }
    ncs_free(f.dump);
    ncs_map_free(&f.comm);
    return ok;
}
