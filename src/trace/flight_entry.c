/* The entries of a Flight Recorder dump, in the order in which the calls were made, each with its process group,
 * sizes, state and stack. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "trace/flight.h"
#include "trace/flight_words.h"

enum { FRAMES_SEEN = 256 };

struct entry {
    const struct value *o;
    size_t number;
};

struct entries { /* while one dump is read */
    struct flight *flight;
    struct dump *dump;
    const struct value *status; /* pg_status */
    struct ncs_map status_at;   /* hash of a group's id -> index + 1 */
    struct ncs_map pairs;       /* ids of groups with sends or receives: their status counts these too */
    size_t numbers;             /* of sizes that may still be looked at: shared lists could hold any number */
};

static bool misfit(const struct flight *f, size_t number, const char *key, const char *wanted)
{
    return ncs_fail(f->err, NCS_BAD_INPUT, "entries[%zu].%s: %s is expected", number, key, wanted);
}

/* ---- fields of an entry ---- */

static const char *text_of(const struct entry *e, const char *key)
{
    return ncs_value_as_text(ncs_value_get(e->o, key));
}

static int64_t whole_of(const struct entry *e, const char *key, int64_t otherwise)
{
    int64_t number;
    return ncs_value_as_whole(ncs_value_get(e->o, key), &number) ? number : otherwise;
}

/* The elements of the tensors in a list of sizes: [[1024, 8], [3]] has 8195. */
static uint64_t elements(struct entries *all, const struct value *sizes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ncs_value_count(sizes); i++) {
        const struct value *size = ncs_value_at(sizes, i);
        uint64_t product = 1;
        if (ncs_value_count(size) >= all->numbers)
            return UINT64_MAX / 16;
        all->numbers -= ncs_value_count(size) + 1;
        for (size_t k = 0; k < ncs_value_count(size); k++) {
            int64_t n = 0;
            ncs_value_as_whole(ncs_value_at(size, k), &n);
            if (n < 0 || __builtin_mul_overflow(product, (uint64_t)n, &product))
                return UINT64_MAX / 16;
        }
        if (__builtin_add_overflow(sum, product, &sum))
            return UINT64_MAX / 16;
    }
    return sum < UINT64_MAX / 16 ? sum : UINT64_MAX / 16;
}

static const char *first_text(const struct value *list)
{
    return ncs_value_as_text(ncs_value_at(list, 0));
}

/* The place of the innermost frame in the user's own code; frames of PyTorch and frames without a
 * line do not count. */
static int place_of(struct record *r, const struct value *frames)
{
    const char *best = NULL;
    int64_t best_line = 0, line;
    for (size_t i = 0; i < ncs_value_count(frames) && i < FRAMES_SEEN; i++) {
        const struct value *f = ncs_value_at(frames, i);
        const char *file = ncs_value_as_text(ncs_value_get(f, "filename"));
        if (!file || strnlen(file, PATH_MAX) == PATH_MAX || !ncs_value_as_whole(ncs_value_get(f, "line"), &line) || line <= 0)
            continue;
        bool users = ncs_flight_is_users(file);
        if (users || !best) {
            best = file;
            best_line = line;
        }
        if (users)
            break;
    }
    return best ? ncs_record_place(r, best, (long)best_line) : 0;
}

static uint64_t key_of_id(int64_t number)
{
    char text[32];
    return ncs_hash_bytes(0, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number));
}

/* A key of pg_status may be a number. The first of equal ones counts. */
static void index_status(struct entries *all)
{
    for (uint32_t i = all->status ? all->status->count & ~1u : 0; i >= 2; i -= 2) {
        const struct value *k = all->status->item[i - 2];
        uint64_t key = k->kind == VALUE_WHOLE ? key_of_id(k->whole) : ncs_hash_bytes(0, k->text ? k->text : "", k->count);
        ncs_map_put_number(&all->status_at, key, i - 1);
    }
}

/* The number of the last completed collective by the status of its group; -1 = none, -2 = unknown. */
static int64_t last_over(const struct entries *all, const struct entry *e)
{
    int64_t number;
    if (!all->status || !ncs_value_as_whole(ncs_value_get(e->o, "pg_id"), &number) ||
        ncs_map_number(&all->pairs, (uint64_t)number + 1))
        return -2;
    size_t at = ncs_map_number(&all->status_at, key_of_id(number));
    const struct value *status = at ? all->status->item[at] : NULL;
    return ncs_value_as_whole(ncs_value_get(status, "last_completed_collective"), &number) ? number : -2;
}

/* The state of a call. Some dumps do not follow a call to its end. Then the group's status tells whether
 * it is over; without a status, the call counts as over once PyTorch has retired it. PyTorch also retires
 * calls that timed out, so a status has priority. */
static enum record_state state_of(const struct entries *all, const struct entry *e, bool p2p, int64_t seq)
{
    const char *state = text_of(e, "state");
    int64_t last = p2p || seq < 0 ? -2 : last_over(all, e);
    if ((state && strcmp(state, "completed") == 0) || (last >= 0 && seq <= last))
        return RECORD_OVER;
    if (last == -2 && ncs_value_is_true(ncs_value_get(e->o, "retired")))
        return RECORD_OVER;
    return !state                            ? RECORD_UNKNOWN
           : strcmp(state, "started") == 0   ? RECORD_STARTED
           : strcmp(state, "scheduled") == 0 ? RECORD_SCHEDULED
                                             : RECORD_UNKNOWN;
}

/* Names are few, and finding the function of one compares it with all functions. */
static enum flight_word word_of(struct flight *f, const char *name, enum ncs_fn *fn)
{
    uint64_t key = ncs_hash_bytes(0, name, strcspn(name, " "));
    size_t known = ncs_map_number(&f->word, key);
    if (!known) {
        *fn = (enum ncs_fn)0;
        enum flight_word word = ncs_flight_word(name, fn);
        known = (size_t)word << 16 | (size_t)*fn << 1 | 1;
        ncs_map_put_number(&f->word, key, known);
    }
    *fn = (enum ncs_fn)(known >> 1 & 0x7fff);
    return (enum flight_word)(known >> 16);
}

/* ---- entries ---- */

/* The calls of the batch that a `coalesced` entry ends. False: the dump may have lost some of them. */
static bool close_batch(struct record_rank *k, int comm, bool p2p, int64_t seq, enum record_state state, uint64_t group)
{
    size_t i = k->calls;
    while (i-- > 0) {
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
    return !k->cut || i != SIZE_MAX;
}

static void take_batch(struct entries *all, const struct entry *e, int comm, bool p2p, int64_t seq)
{
    struct record *r = all->flight->record;
    int rank = all->dump->rank;
    enum record_state state = state_of(all, e, p2p, seq);
    if (close_batch(&r->rank[rank], comm, p2p, seq, state, r->calls + 1) || state == RECORD_OVER)
        return;
    r->waiting++;
    ncs_record_doubt(r, rank, true,
                     "it could also be that rank %d made the missing calls: its dump has lost the first calls "
                     "of a batch",
                     rank);
}

static void set_sizes(struct entries *all, const struct entry *e, struct record_call *c)
{
    const struct ncs_fn_info *info = &ncs_fn_info[c->fn];
    bool by_output = c->fn == NCS_FN_ncclRecv || (ncs_blocks_are_many(info->reads) && !ncs_blocks_are_many(info->writes));
    const struct value *types = ncs_value_get(e->o, by_output ? "output_dtypes" : "input_dtypes");
    const struct value *sizes = ncs_value_get(e->o, by_output ? "output_sizes" : "input_sizes");
    int factor;
    c->count = elements(all, sizes);
    c->dtype = ncs_flight_dtype(first_text(types), &factor);
    c->count *= (uint64_t)factor;
    /* An unrecorded size is not 0. Each rank of an all-to-all has sizes of its own. */
    if (c->fn == NCS_FN_ncclAlltoAll || ncs_value_count(sizes) == 0)
        c->unsaid |= NCS_UNSAID_COUNT;
    if (ncs_value_count(types) == 0)
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

static bool add_entry(struct entries *all, const struct entry *e)
{
    struct flight *f = all->flight;
    struct dump *d = all->dump;
    struct record *r = f->record;
    if (e->o->kind != VALUE_DICT)
        return misfit(f, e->number, "", "an object");
    const struct value *pg = ncs_value_get(e->o, "process_group");
    const char *name = text_of(e, "profiling_name"), *group = first_text(pg);
    if (!name)
        return misfit(f, e->number, "profiling_name", "a text such as `nccl:all_reduce`");
    if (!group)
        return misfit(f, e->number, "process_group", "a list with the name of the group");
    int at = (int)ncs_flight_group(d, group, ncs_value_as_text(ncs_value_at(pg, 1))), self = -1, peer = 0;
    enum ncs_fn fn;
    enum flight_word word = word_of(f, name, &fn);
    bool p2p = ncs_value_is_true(ncs_value_get(e->o, "is_p2p")) || word == FLIGHT_P2P;
    int64_t seq = whole_of(e, p2p ? "p2p_seq_id" : "collective_seq_id", whole_of(e, "seq_id", -1));
    if (word == FLIGHT_CLOSES)
        take_batch(all, e, at, p2p, seq);
    if (word == FLIGHT_UNKNOWN && !d->unknown++)
        snprintf(d->odd, sizeof d->odd, "%s", name);
    if (word != FLIGHT_CALL && word != FLIGHT_P2P)
        return true;
    if (word == FLIGHT_P2P && !peers_of(name, &self, &peer))
        return misfit(f, e->number, "profiling_name", "`nccl:send 1->2` or `nccl:recv 2<-1`");
    struct record_call *c = ncs_record_add(r, d->rank, f->err);
    if (!c)
        return false;
    *c = (struct record_call){
        .fn = fn, .comm = at, .comm_rank = self, .root = peer, .seq = seq, .state = state_of(all, e, p2p, seq), .send = e->number
    };
    set_sizes(all, e, c);
    c->place = place_of(r, ncs_value_get(e->o, "frames"));
    return true;
}

bool ncs_flight_read_entries(struct flight *f, struct dump *d, const struct value *root)
{
    const struct value *list = ncs_value_get(root, "entries"), *status = ncs_value_get(root, "pg_status");
    struct entries all = {
        .flight = f, .dump = d, .numbers = (size_t)1 << 24, .status = status && status->kind == VALUE_DICT ? status : NULL
    };
    struct entry e = { 0 };
    bool ok = true;
    int64_t id;
    if (list && list->kind != VALUE_LIST)
        return ncs_fail(f->err, NCS_BAD_INPUT, "`entries`: a list is expected");
    index_status(&all);
    for (size_t i = 0; i < ncs_value_count(list) && all.status; i++) {
        const struct value *entry = ncs_value_at(list, i);
        if (ncs_value_is_true(ncs_value_get(entry, "is_p2p")) && ncs_value_as_whole(ncs_value_get(entry, "pg_id"), &id))
            ncs_map_put_number(&all.pairs, (uint64_t)id + 1, 1);
    }
    for (; e.number < ncs_value_count(list) && ok; e.number++) {
        e.o = ncs_value_at(list, e.number);
        if (e.number == 0)
            f->record->rank[d->rank].cut = whole_of(&e, "record_id", 0) > 0;
        ok = add_entry(&all, &e);
    }
    ncs_map_free(&all.pairs);
    ncs_map_free(&all.status_at);
    return ok;
}

/* ---- once all groups are known ---- */

/* True if the call names its own rank and its peer as its group has them. */
static bool settle_call(struct flight *f, const struct dump *d, struct record_call *c)
{
    const struct dump_group *g = &d->group[c->comm];
    size_t number = (size_t)c->send;
    int nranks = f->record->comm[g->comm].nranks;
    bool pair = ncs_fn_info[c->fn].pair;
    c->comm = g->comm;
    c->send = 0;
    if (g->self < 0)
        return misfit(f, number, "process_group", "a group that the rank of this file is in");
    if (!pair) {
        c->comm_rank = g->self;
        return true;
    }
    if (c->root < 0 || c->root >= nranks)
        return misfit(f, number, "profiling_name", "a peer that is in the group");
    if (c->comm_rank < 0 || c->comm_rank >= nranks)
        return misfit(f, number, "profiling_name", "ranks of the group");
    if (f->record->comm[g->comm].rank[c->comm_rank] != d->rank)
        return misfit(f, number, "profiling_name", "the rank of this file before the arrow");
    return true;
}

/* Moves a send or receive outside of batches to the communicator of the two ranks. */
static bool set_pair(struct flight *f, struct record_call *c)
{
    if (!ncs_fn_info[c->fn].pair || c->batched)
        return true;
    int pair = ncs_flight_pair(f, c->comm, c->comm_rank, c->root);
    if (pair >= 0 && pair != c->comm) {
        int lower = c->comm_rank < c->root ? 0 : 1;
        c->comm = pair;
        c->comm_rank = lower;
        c->root = 1 - lower;
    }
    return pair >= 0;
}

bool ncs_flight_settle(struct flight *f, struct dump *d)
{
    struct record_rank *k = &f->record->rank[d->rank];
    for (size_t i = 0; i < d->groups; i++)
        if (d->group[i].comm >= 0) {
            const struct record_comm *comm = &f->record->comm[d->group[i].comm];
            for (int n = 0; n < comm->nranks && d->group[i].self < 0; n++)
                d->group[i].self = comm->rank[n] == d->rank ? n : -1;
        }
    for (size_t i = 0; i < k->calls; i++)
        if (!settle_call(f, d, &k->call[i]))
            return false;
    for (size_t i = 0; i < k->calls; i++)
        if (!set_pair(f, &k->call[i]))
            return false;
    if (d->unknown)
        ncs_record_note(f->record, "rank %d: %zu entr%s of another kind (%.60s) left out", d->rank, d->unknown,
                        d->unknown == 1 ? "y is" : "ies are", d->odd);
    return true;
}
