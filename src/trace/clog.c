/* Reads the clog of torchcomms, one file for each rank: a line for each kind of call with all its arguments, and one for
 * each time that such a call is enqueued, started and completed (version 1 of the format, ClogHook). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "trace/flight_words.h"
#include "trace/lines.h"
#include "trace/reader.h"

struct clog_kind {           /* C7|sig|.. */
    struct record_call call; /* comm: index of the file's communicator */
    enum flight_word word;
    size_t queued, over; /* how many times */
};

struct clog_comm {
    char name[96];
    int rank, size; /* -1 = not said */
    int *member;
    size_t members; /* of a split: ranks of the run */
    int comm;       /* of the record; -1 = none so far */
    int64_t seq;    /* of its last collective */
};

struct clog_file {
    char *path;
    int rank, named; /* of the run, and by the name of the file; -1 = not known */
    struct clog_comm *comm;
    size_t comms, comm_room;
    struct record_call *call;
    size_t calls, call_room; /* comm: index of the file's communicator */
    size_t *kind_of;
    size_t kind_ofs, kind_room; /* by call: its kind */
    struct clog_kind *kind;
    size_t kinds, kinds_room;
    struct ncs_map kind_at; /* id -> index + 1 */
    struct ncs_map comm_at; /* hash of a name -> index + 1 */
    size_t odd, graphs, batches;
    bool lifecycle, cut;
};

struct clogs {
    struct record *record;
    struct ncs_error *err;
    struct clog_file *file;
    size_t files, room;
};

/* ---- fields ---- */

/* The value of "key=value" among fields with `|` between them; false = none. */
static bool clog_field(const char *text, const char *key, char *value, size_t room)
{
    size_t bytes = strlen(key);
    for (const char *at = text; at; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, key, bytes) == 0 && at[bytes] == '=') {
            size_t length = strcspn(at + bytes + 1, "|");
            snprintf(value, room, "%.*s", (int)(length < room ? length : room - 1), at + bytes + 1);
            return true;
        }
    }
    return false;
}

static bool clog_number(const char *text, const char *key, int64_t *number)
{
    char value[32];
    if (!clog_field(text, key, value, sizeof value) || !isdigit((unsigned char)value[0]))
        return false;
    *number = strtoll(value, NULL, 10);
    return value[strspn(value, "0123456789")] == '\0';
}

/* "f32", "i64", "u8", "fp8e4m3", a "b" before those of the short exponent's other half: ncclscript's names are longer. */
static int clog_dtype(const char *text)
{
    char name[40];
    const char *end = text + strspn(text, "bfiup");
    const char *kind = strchr(text, 'i') == text ? "int" : strchr(text, 'u') == text ? "uint" : "float";
    if (strcmp(text, "bool") == 0)
        return ncs_dtype_from_name("uint8");
    snprintf(name, sizeof name, "%s%s%.12s", text[0] == 'b' ? "b" : "", kind, end);
    return ncs_dtype_from_name(name);
}

static struct clog_comm *clog_comm(struct clog_file *f, const char *name)
{
    uint64_t key = ncs_hash_bytes(0, name, strlen(name));
    size_t at = ncs_map_number(&f->comm_at, key);
    if (!at) {
        struct clog_comm fresh = { .rank = -1, .size = -1, .comm = -1 };
        snprintf(fresh.name, sizeof fresh.name, "%s", name);
        NCS_PUSH(f->comm, f->comms, f->comm_room, fresh);
        ncs_map_put_number(&f->comm_at, key, at = f->comms);
    }
    return &f->comm[at - 1];
}

/* ---- lines ---- */

static void set_arguments(const char *text, struct record_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool by_output = c->fn == NCS_FN_ncclRecv || (ncs_blocks_are_many(info->reads) && !ncs_blocks_are_many(info->writes));
    char value[32];
    int64_t number;
    c->dtype = clog_field(text, "dtype", value, sizeof value) ? clog_dtype(value) : -1;
    if (c->dtype < 0)
        c->unsaid |= NCS_UNSAID_DTYPE;
    bool ragged = c->fn == NCS_FN_ncclAlltoAll || strstr(text, "_v|") || strstr(text, "_v_single|");
    c->count = 1;
    if (!ragged && clog_number(text, by_output ? "out_count" : "in_count", &number))
        c->count = (uint64_t)number;
    else
        c->unsaid |= NCS_UNSAID_COUNT;
    c->op = clog_field(text, "red_op", value, sizeof value) ? -1 : 0;
    for (int i = 0; c->op < 0 && ncs_redop_names[i]; i++)
        if (strcasecmp(ncs_redop_name(i) ? ncs_redop_name(i) : "", value) == 0 && i < ncclNumOps)
            c->op = i;
    if (c->op < 0) {
        c->op = 0;
        c->unsaid |= NCS_UNSAID_OP;
    }
    if (clog_number(text, "root", &number) || clog_number(text, "peer", &number))
        c->root = number < NCS_RECORD_RANKS ? (int)number : -1;
}

/* "C1|sig|all_reduce|in_count=8|out_count=8|dtype=f32|red_op=sum|async_op=f|comm=world" */
static bool read_signature(struct clog_file *f, uint64_t id, const char *text)
{
    struct clog_kind k = { .call = { .comm = -1, .dtype = -1, .unsaid = NCS_UNSAID_PLACE } };
    char name[64], comm[96];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "|"), text);
    if (!name[0] || !clog_field(text, "comm", comm, sizeof comm))
        return false;
    k.word = ncs_flight_word(name, &k.call.fn);
    k.call.comm = (int)(clog_comm(f, comm) - f->comm);
    if (strncmp(name, "batch", 5) == 0)
        f->batches++;
    if (k.word == FLIGHT_CALL || k.word == FLIGHT_P2P)
        set_arguments(text, &k.call);
    if (strncmp(name, "barrier", 7) == 0)
        k.call.unsaid |= NCS_UNSAID_OP;
    NCS_PUSH(f->kind, f->kinds, f->kinds_room, k);
    ncs_map_put_number(&f->kind_at, id + 1, f->kinds);
    return true;
}

/* "C1|Q|work_id=1|+0.001", "C1|S|+0.002", "C1|E|+0.005", "C1|W|+0.006" */
static bool read_event(struct clog_file *f, uint64_t id, const char *text, int number)
{
    size_t at = ncs_map_number(&f->kind_at, id + 1);
    struct clog_kind *k = at ? &f->kind[at - 1] : NULL;
    if (!k || !text[0] || text[1] != '|')
        return false;
    f->lifecycle |= text[0] == 'S' || text[0] == 'E';
    if (text[0] == 'E')
        k->over++;
    if (text[0] != 'Q' || (k->word != FLIGHT_CALL && k->word != FLIGHT_P2P))
        return strchr("QSEW", text[0]) != NULL;
    if (f->calls == NCS_RECORD_CALLS)
        return true;
    k->queued++;
    struct record_call call = k->call;
    call.seq = ncs_record_is_collective(&call) ? ++f->comm[call.comm].seq : 0;
    call.place = number;    /* becomes a place once the rank is known */
    call.group = k->queued; /* how many of its kind; no group */
    NCS_PUSH(f->call, f->calls, f->call_room, call);
    NCS_PUSH(f->kind_of, f->kind_ofs, f->kind_room, at - 1);
    return true;
}

static bool read_comm_line(struct clog_file *f, const char *text)
{
    char name[96], list[NCS_LINE_MOST];
    int64_t rank = -1, size = -1;
    bool split = strncmp(text, "split|", 6) == 0;
    if (!clog_field(text, split ? "child" : "comm", name, sizeof name))
        return false;
    struct clog_comm *c = clog_comm(f, name);
    if (split) {
        ncs_free(c->member);
        c->member = NULL;
        c->members = 0;
        if (clog_field(text, "ranks", list, sizeof list))
            c->member = ncs_ranks_in(list, &c->members);
        return true;
    }
    if (!clog_number(text, "rank", &rank) || !clog_number(text, "world_size", &size) || size < 1 || size > NCS_RECORD_RANKS ||
        rank >= size)
        return false;
    c->rank = (int)rank;
    c->size = (int)size;
    return true;
}

static void read_clog_line(struct clog_file *f, const struct ncs_lines *l)
{
    const char *text = l->text.text;
    char *end;
    bool ok = true;
    if (!l->whole && text[0]) {
        f->cut = true;
    } else if (text[0] == 'G' && isdigit((unsigned char)text[1])) {
        f->graphs++;
    } else if (text[0] == 'C' && isdigit((unsigned char)text[1])) {
        uint64_t id = strtoull(text + 1, &end, 10);
        ok = *end == '|' &&
             (strncmp(end, "|sig|", 5) == 0 ? read_signature(f, id, end + 5) : read_event(f, id, end + 1, l->number));
    } else if (strncmp(text, "new_comm|", 9) == 0 || strncmp(text, "split|", 6) == 0) {
        ok = read_comm_line(f, text);
    }
    f->odd += !ok;
}

/* ---- all files ---- */

/* The largest communicator numbers the ranks of the run. */
static int clog_rank(const struct clog_file *f)
{
    int most = 0, rank = -1;
    for (size_t i = 0; i < f->comms; i++)
        if (f->comm[i].size > most && f->comm[i].members == 0) {
            most = f->comm[i].size;
            rank = f->comm[i].rank;
        }
    return rank >= 0 ? rank : f->named;
}

struct clog_names {
    struct ncs_map uses; /* hash of a name -> files that have it */
    struct ncs_map comm; /* name and members -> communicator + 1 */
    int world;           /* size of the largest communicator */
    bool whole;          /* each of its ranks has a clog */
};

static void count_clogs(const struct clogs *all, struct clog_names *names)
{
    for (size_t i = 0; i < all->files; i++)
        for (size_t k = 0; k < all->file[i].comms; k++) {
            const struct clog_comm *c = &all->file[i].comm[k];
            uint64_t key = ncs_hash_bytes(0, c->name, strlen(c->name));
            ncs_map_put_number(&names->uses, key, ncs_map_number(&names->uses, key) + 1);
            names->world = c->size > names->world ? c->size : names->world;
        }
    names->whole = all->files == (size_t)names->world;
}

/* True if the ranks of the communicator are known: a split lists them, or it has all ranks. Without a list, equal names
 * may be of several communicators, of which each file shows its own. */
static bool clog_is_told(const struct clog_names *names, const struct clog_comm *c)
{
    int size = c->members ? (int)c->members : c->size;
    size_t uses = ncs_map_number(&names->uses, ncs_hash_bytes(0, c->name, strlen(c->name)));
    return size >= 1 && c->rank >= 0 && c->rank < size &&
           (c->members || size == names->world || (names->whole && uses == (size_t)size));
}

static bool find_clog_comm(struct clogs *all, const struct clog_file *f, struct clog_comm *c, struct clog_names *names)
{
    struct record *r = all->record;
    uint64_t key = ncs_hash_bytes(ncs_hash_bytes(0, c->name, strlen(c->name)), c->member ? (void *)c->member : (void *)"",
                                  c->members * sizeof *c->member);
    int comm = (int)ncs_map_number(&names->comm, key) - 1, size = c->members ? (int)c->members : c->size;
    if (!clog_is_told(names, c))
        return true;
    bool taken = comm >= 0 && c->rank < r->comm[comm].nranks && r->comm[comm].rank[c->rank] >= 0 &&
                 r->comm[comm].rank[c->rank] != f->rank;
    if (comm < 0 || r->comm[comm].nranks != size || taken) {
        comm = ncs_record_add_comm(r, size, c->name, all->err);
        if (comm < 0)
            return ncs_fail_at(all->err, f->path, 0, 0);
        ncs_map_put_number(&names->comm, key, (size_t)comm + 1);
        for (size_t k = 0; k < c->members; k++) {
            if (!ncs_record_has_rank(r, c->member[k], all->err))
                return ncs_fail_at(all->err, f->path, 0, 0);
            r->comm[comm].rank[k] = c->member[k];
        }
    }
    r->comm[comm].rank[c->rank] = f->rank;
    c->comm = comm;
    return true;
}

static bool add_clog_calls(struct clogs *all, struct clog_file *f)
{
    struct record *r = all->record;
    size_t lost = 0;
    for (size_t i = 0; i < f->calls; i++) {
        struct record_call own = f->call[i];
        const struct clog_comm *c = &f->comm[own.comm];
        const struct clog_kind *k = &f->kind[f->kind_of[i]];
        bool pair = ncs_fn_info[own.fn].pair;
        if (c->comm < 0 || (pair && (own.root < 0 || own.root >= r->comm[c->comm].nranks))) {
            lost++;
            continue;
        }
        own.comm = c->comm;
        own.comm_rank = c->rank;
        own.state = own.group <= k->over ? RECORD_OVER : RECORD_UNKNOWN;
        own.group = 0;
        own.place = ncs_record_place(r, f->path, own.place);
        struct record_call *call = ncs_record_add(r, f->rank, all->err);
        if (!call)
            return ncs_fail_at(all->err, f->path, 0, 0);
        *call = own;
    }
    if (lost)
        ncs_record_note(r, "rank %d: %zu call%s on communicators whose ranks its clog does not say %s left out", f->rank, lost,
                        lost == 1 ? "" : "s", lost == 1 ? "is" : "are");
    return true;
}

static void note_clog(struct clogs *all)
{
    struct record *r = all->record;
    size_t odd = 0, graphs = 0, batches = 0;
    for (size_t i = 0; i < all->files; i++) {
        const struct clog_file *f = &all->file[i];
        odd += f->odd;
        graphs += f->graphs;
        batches += f->batches;
        if (f->cut)
            ncs_record_doubt(r, f->rank, false,
                             "it could also be that rank %d made the missing calls: its clog ends in the "
                             "middle of a line",
                             f->rank);
    }
    if (odd)
        ncs_record_note(r, "%zu line%s of the clogs %s not understood", odd, odd == 1 ? "" : "s", odd == 1 ? "is" : "are");
    if (graphs)
        ncs_record_note(r, "calls of CUDA graphs are left out: replays have no order");
    if (batches)
        ncs_record_note(r, "batches of sends and receives are left out: a clog does not say what they contain");
    if (!r->knows_ends)
        ncs_record_note(r, "these clogs do not say which calls came to an end: who waits is told from what the others have "
                           "not called");
}

/* ---- the reader ---- */

static bool clog_is(const struct trace_file *file)
{
    const char *text = file->text.text;
    return text[0] == 'V' && text[1] == '|' && strstr(text, "|base_timestamp=");
}

static enum trace_taken clog_take(void *state, struct trace_file *file)
{
    struct clogs *all = state;
    struct clog_file fresh = { .path = ncs_copy_text(file->path), .rank = -1, .named = file->rank };
    struct ncs_lines lines = ncs_lines_of(&file->text);
    while (ncs_lines_next(&lines))
        read_clog_line(&fresh, &lines);
    if (strncmp(file->text.text, "V|1|", 4) != 0)
        ncs_record_note(all->record, "the clogs have version %d of their format; diagnose knows version 1",
                        atoi(file->text.text + 2));
    NCS_PUSH(all->file, all->files, all->room, fresh);
    return TRACE_TAKEN;
}

/* Each file is of another rank. */
static bool number_clog(struct clogs *all, struct clog_file *f)
{
    struct record *r = all->record;
    f->rank = clog_rank(f);
    if (f->rank < 0) {
        ncs_fail(all->err, NCS_BAD_INPUT, "no line of this clog says its rank: new_comm|comm=..|rank=..|world_size=..");
        return ncs_fail_at(all->err, f->path, 0, 0);
    }
    if (!ncs_record_has_rank(r, f->rank, all->err))
        return ncs_fail_at(all->err, f->path, 0, 0);
    if (r->rank[f->rank].source) {
        ncs_fail(all->err, NCS_BAD_INPUT, "a second clog of rank %d, after %.200s", f->rank, r->rank[f->rank].source);
        ncs_fail_hint(all->err, "name the files of one job only");
        return ncs_fail_at(all->err, f->path, 0, 0);
    }
    r->rank[f->rank].source = f->path;
    return true;
}

/* Ranks without a clog have their numbers in the largest communicators. */
static bool number_absent_clogs(struct clogs *all)
{
    struct record *r = all->record;
    int most = 0;
    for (size_t i = 0; i < r->comms; i++)
        most = r->comm[i].nranks > most ? r->comm[i].nranks : most;
    if (most > 0 && !ncs_record_has_rank(r, most - 1, all->err))
        return false;
    for (size_t i = 0; i < r->comms; i++)
        for (int k = 0; k < r->comm[i].nranks && r->comm[i].nranks == most; k++)
            if (r->comm[i].rank[k] < 0 && !r->rank[k].source)
                r->comm[i].rank[k] = k;
    return true;
}

/* Clogs without ends do not show who waits for a rank that left none: such a rank is taken to have made the calls. */
static void excuse_absent_clogs(struct record *r)
{
    r->excused = true;
    for (size_t i = 0; i < r->comms; i++) {
        int model = -1;
        size_t most = 0;
        for (int k = 0; k < r->comm[i].nranks; k++) {
            size_t calls = 0;
            const struct record_rank *own = r->comm[i].rank[k] >= 0 ? &r->rank[r->comm[i].rank[k]] : NULL;
            for (size_t n = 0; own && n < own->calls; n++)
                calls += own->call[n].comm == (int)i && ncs_record_is_collective(&own->call[n]);
            model = calls > most ? k : model;
            most = calls > most ? calls : most;
        }
        if (model >= 0)
            ncs_record_imply(r, (int)i, model, most);
    }
}

static bool clog_finish(void *state)
{
    struct clogs *all = state;
    struct record *r = all->record;
    struct clog_names names = { 0 };
    bool ok = true;
    if (r->calls) {
        ncs_record_note(r, "the clogs are not used: the dumps have the calls");
        return true;
    }
    r->numbered = r->knows_ends = true;
    for (size_t i = 0; i < all->files && ok; i++) {
        struct clog_file *f = &all->file[i];
        r->knows_ends &= f->lifecycle || f->calls == 0;
        ok = number_clog(all, f);
    }
    count_clogs(all, &names);
    for (size_t i = 0; i < all->files && ok; i++)
        for (size_t k = 0; k < all->file[i].comms && ok; k++)
            ok = find_clog_comm(all, &all->file[i], &all->file[i].comm[k], &names);
    ok = ok && number_absent_clogs(all);
    for (size_t i = 0; i < all->files && ok; i++)
        ok = add_clog_calls(all, &all->file[i]);
    if (ok && !r->knows_ends)
        excuse_absent_clogs(r);
    if (ok)
        note_clog(all);
    ncs_map_free(&names.uses);
    ncs_map_free(&names.comm);
    return ok;
}

static void clog_end(void *state)
{
    struct clogs *all = state;
    for (size_t i = 0; i < all->files; i++) {
        struct clog_file *f = &all->file[i];
        NCS_FREE_EACH(f->comm, f->comms, member);
        ncs_free(f->path);
        ncs_free(f->call);
        ncs_free(f->kind_of);
        ncs_free(f->kind);
        ncs_map_free(&f->kind_at);
        ncs_map_free(&f->comm_at);
    }
    ncs_free(all->file);
}

const struct trace_reader ncs_reader_clog = {
    .kind = "clogs",
    .word = "clog",
    .is = clog_is,
    .bytes = sizeof(struct clogs),
    .take = clog_take,
    .finish = clog_finish,
    .end = clog_end,
};
