/* Dumps of PyTorch's Flight Recorder, version 2.10: a file for each rank, as a pickle or as JSON. A communicator is a
 * process group, a group of NCCL calls a coalesced batch. One-sided calls and operators have no place in a dump. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "report/dump/dump_private.h"

#define FLIGHT_VERSION "2.10"
#define FLIGHT_TIMEOUT_MS 600000 /* NCCL's in PyTorch */

/* What a rank knows of its group. */
struct flight_group {
    const struct ncs_comm_info *info;
    int64_t collectives, pairs, ops;      /* so far */
    int64_t enqueued, started, completed; /* numbers of the last collectives; -1 = none */
};

struct flight_writer {
    const struct dump_run *run;
    int rank;
    bool json;                  /* has no frames, and its statuses are texts */
    struct flight_group *group; /* by number of the communicator */
    json_t *entries;
};

/* PyTorch's name of a call: that of the method, `_..._base` where one side is a single buffer of the blocks of all ranks. */
static void flight_name(enum ncs_fn fn, struct ncs_str *out)
{
    const struct ncs_fn_info *info = &ncs_fn_info[ncs_fn_info[fn].same];
    bool base = (info->reads == NCS_BLOCKS_ALL) != (info->writes == NCS_BLOCKS_ALL);
    ncs_str_addf(out, base ? "_%s_base" : "%s", info->lua_name + strlen("comm:"));
}

static int64_t flight_id(const struct ncs_comm_info *info)
{
    return (int64_t)info->serial - 1;
}

static json_t *flight_id_text(const struct ncs_comm_info *info)
{
    return json_sprintf("%" PRId64, flight_id(info));
}

/* PyTorch calls a group `undefined` that its program does not describe. Parts of one split are alike, whatever
 * their names are here. */
static json_t *flight_description(const struct ncs_comm_info *info)
{
    return info->split ? json_string("undefined") : ncs_json_text(info->name ? info->name : "");
}

/* ---- an entry ---- */

/* Appends `count` tensors of `elements`. */
static json_t *flight_sizes(uint64_t elements, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_pack("[I]", (json_int_t)elements));
    return list;
}

static json_t *flight_types(const struct ncs_call *call, int count)
{
    int dtype = ncs_call_dtype(call);
    const char *name = dtype >= 0 && dtype < ncclNumTypes ? ncs_dtype_info[dtype].torch : NULL;
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_string(name ? name : "Undefined"));
    return list;
}

/* Sizes as PyTorch records them: gathered buffers are one tensor, but those of gather and scatter are a list of the
 * root's, which no other rank has. */
static void flight_add_sizes(json_t *entry, const struct ncs_call *call, int nranks)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    bool is_root = !info->rooted || ncs_call_root(call) == call->comm_rank;
    const struct {
        enum ncs_blocks blocks;
        const char *sizes, *types;
    } side[] = { { info->reads, "input_sizes", "input_dtypes" }, { info->writes, "output_sizes", "output_dtypes" } };
    for (size_t i = 0; i < 2; i++) {
        uint64_t count = ncs_call_count(call);
        bool listed = side[i].blocks == NCS_BLOCKS_ROOT_ALL;
        int tensors = listed ? (is_root ? nranks : 0) : 1;
        if (ncs_blocks_are_many(side[i].blocks) && !listed)
            count *= (uint64_t)nranks;
        json_object_set_new(entry, side[i].sizes, flight_sizes(count, tensors));
        json_object_set_new(entry, side[i].types, flight_types(call, tensors));
    }
}

static json_t *flight_frames(const struct ncs_call *call)
{
    if (!call->place.file)
        return json_array();
    return json_pack("[{s:s, s:o, s:i}]", "name", ncs_fn_info[call->fn].name, "filename",
                     ncs_json_text(call->place.file ? call->place.file : ""), "line", call->place.line);
}

static json_t *flight_profiling_name(const struct dump_call *c, bool closes)
{
    struct ncs_str name = { 0 };
    ncs_str_add(&name, "nccl:");
    if (closes)
        ncs_str_add(&name, "coalesced");
    else
        flight_name(c->call->fn, &name);
    if (!closes && ncs_fn_info[c->call->fn].pair)
        ncs_str_addf(&name, " %d%s%d", c->call->comm_rank, c->call->fn == NCS_FN_ncclSend ? "->" : "<-", ncs_call_peer(c->call));
    json_t *value = json_string(name.text);
    ncs_str_free(&name);
    return value;
}

/* A time that the device has not reached is None in a pickle, and 0 in JSON. */
static json_t *flight_time(const struct flight_writer *w, bool reached, int64_t ns)
{
    return reached ? json_integer(DUMP_EPOCH_NS + ns) : w->json ? json_integer(0) : json_null();
}

static void flight_add_state(const struct flight_writer *w, json_t *entry, const struct dump_call *c, enum dump_state state)
{
    static const char *const states[] = {
        [DUMP_SCHEDULED] = "scheduled", [DUMP_STARTED] = "started", [DUMP_COMPLETED] = "completed"
    };
    bool begun = c->work && state >= DUMP_STARTED, over = c->work && state == DUMP_COMPLETED;
    json_object_set_new(entry, "state", json_string(states[state]));
    json_object_set_new(entry, "time_discovered_started_ns", flight_time(w, begun, begun ? c->work->begin : 0));
    json_object_set_new(entry, "time_discovered_completed_ns", flight_time(w, over, over ? c->work->end : 0));
    if (over)
        json_object_set_new(entry, "duration_ms", json_real((double)(c->work->end - c->work->begin) / 1e6));
    json_object_set_new(entry, "retired", json_boolean(state == DUMP_COMPLETED));
}

/* closes: the entry at the end of a batch. */
static void flight_add_entry(struct flight_writer *w, const struct dump_call *c, bool closes, enum dump_state state)
{
    const struct ncs_call *call = c->call;
    struct flight_group *g = &w->group[call->comm];
    json_t *entry = json_object();
    if (!w->json)
        json_object_set_new(entry, "frames", flight_frames(call));
    json_object_set_new(entry, "record_id", json_integer((json_int_t)json_array_size(w->entries)));
    json_object_set_new(entry, "pg_id", json_integer(flight_id(g->info)));
    json_object_set_new(entry, "process_group", json_pack("[o, o]", flight_id_text(g->info), flight_description(g->info)));
    json_object_set_new(entry, "thread_name", json_string("ncclscript"));
    json_object_set_new(entry, "thread_id", json_sprintf("%d", call->thread));
    json_object_set_new(entry, "collective_seq_id", json_integer(g->collectives));
    json_object_set_new(entry, "p2p_seq_id", json_integer(g->pairs));
    json_object_set_new(entry, "op_id", json_integer(g->ops));
    json_object_set_new(entry, "profiling_name", flight_profiling_name(c, closes));
    json_object_set_new(entry, "time_created_ns", json_integer(DUMP_EPOCH_NS + c->made));
    flight_add_sizes(entry, call, g->info->nranks);
    flight_add_state(w, entry, c, state);
    json_object_set_new(entry, "timeout_ms", json_integer(FLIGHT_TIMEOUT_MS));
    json_object_set_new(entry, "is_p2p", json_boolean(ncs_fn_info[call->fn].pair));
    json_array_append_new(w->entries, entry);
}

/* ---- batches ---- */

static void flight_count_status(struct flight_group *g, enum dump_state state)
{
    g->enqueued = g->collectives;
    if (state >= DUMP_STARTED)
        g->started = g->collectives;
    if (state == DUMP_COMPLETED)
        g->completed = g->collectives;
}

static bool flight_same_batch(const struct dump_call *a, const struct dump_call *b)
{
    return a->batch && a->batch == b->batch && a->call->comm == b->call->comm &&
           ncs_fn_info[a->call->fn].pair == ncs_fn_info[b->call->fn].pair;
}

/* Sends and receives have numbers of their own. PyTorch's analyzer takes successive calls of a group with one number for a
 * batch, even if only some are sends, and then ends with an error (PyTorch 2.15, find_coalesced_group). So a batch leaves
 * out the numbers of the collectives beside it. */
static void flight_count_batch(struct flight_group *g, bool pair)
{
    if (!pair) {
        g->collectives++;
        return;
    }
    do
        g->pairs++;
    while (g->pairs == g->collectives || g->pairs == g->collectives + 1);
}

/* Adds the batch that begins with this call. Sends and receives use the communicator of the whole group only in a batch,
 * so that one alone is a batch, too. A batch takes one number. Its own entries stay `scheduled`; the last one has its
 * state. */
static void flight_add_batch(struct flight_writer *w, const struct dump_rank *rank, size_t first, bool *done)
{
    const struct dump_call *c = &rank->call[first], *last = c;
    struct flight_group *g = &w->group[c->call->comm];
    bool pair = ncs_fn_info[c->call->fn].pair;
    size_t count = 0;
    for (size_t i = first; i < rank->calls; i++)
        count += i == first || flight_same_batch(c, &rank->call[i]);
    bool alone = count == 1 && !pair;
    flight_count_batch(g, pair);
    for (size_t i = first; i < rank->calls && count > 0; i++) {
        if (i > first && !flight_same_batch(c, &rank->call[i]))
            continue;
        last = &rank->call[i];
        g->ops++;
        flight_add_entry(w, last, false, alone ? last->state : DUMP_SCHEDULED);
        done[i] = true;
        count--;
    }
    if (!alone && !c->open)
        flight_add_entry(w, last, true, last->state);
    if (!pair)
        flight_count_status(g, last->state);
}

/* ---- the document ---- */

static int flight_member(const struct flight_writer *w, const struct ncs_comm_info *info)
{
    for (int k = 0; k < info->nranks; k++)
        if (ncs_dump_rank_of(w->run, info, k) == w->rank)
            return k;
    return -1;
}

/* "[0, 1]" */
static json_t *flight_ranks(const struct flight_writer *w, const struct ncs_comm_info *info)
{
    struct ncs_str text = { 0 };
    for (int k = 0; k < info->nranks; k++)
        ncs_str_addf(&text, "%s%d", k == 0 ? "[" : ", ", ncs_dump_rank_of(w->run, info, k));
    ncs_str_add(&text, "]");
    json_t *value = json_string(text.text);
    ncs_str_free(&text);
    return value;
}

static json_t *flight_status_number(const struct flight_writer *w, int64_t number)
{
    return w->json ? json_sprintf("%" PRId64, number) : json_integer(number);
}

static void flight_add_groups(const struct flight_writer *w, json_t *config, json_t *status)
{
    const struct ncs_journal *j = w->run->result->journal;
    for (size_t i = 0; i < j->comms; i++) {
        const struct flight_group *g = &w->group[i];
        char id[32];
        if (flight_member(w, g->info) < 0)
            continue;
        snprintf(id, sizeof id, "%" PRId64, flight_id(g->info));
        json_object_set_new(config, id,
                            json_pack("{s:o, s:o, s:o}", "name", flight_id_text(g->info), "desc", flight_description(g->info),
                                      "ranks", flight_ranks(w, g->info)));
        json_object_set_new(status, id,
                            json_pack("{s:o, s:o, s:o}", "last_enqueued_collective", flight_status_number(w, g->enqueued),
                                      "last_started_collective", flight_status_number(w, g->started), "last_completed_collective",
                                      flight_status_number(w, g->completed)));
    }
}

static json_t *flight_document(struct flight_writer *w)
{
    const struct ncs_journal *j = w->run->result->journal;
    const struct dump_rank *rank = &w->run->rank[w->rank];
    bool *done = ncs_new(rank->calls * sizeof *done);
    json_t *config = json_object(), *status = json_object(), *root = json_object();
    w->group = ncs_new(j->comms * sizeof *w->group);
    w->entries = json_array();
    for (size_t i = 0; i < j->comms; i++)
        w->group[i] = (struct flight_group){ .info = j->comm[i], .enqueued = -1, .started = -1, .completed = -1 };
    for (size_t i = 0; i < rank->calls; i++)
        if (!done[i])
            flight_add_batch(w, rank, i, done);
    flight_add_groups(w, config, status);
    json_object_set_new(root, "version", json_string(FLIGHT_VERSION));
    json_object_set_new(root, "pg_config", config);
    json_object_set_new(root, "comm_lib_version", json_string(w->run->result->nccl));
    json_object_set_new(root, "pg_status", status);
    if (w->json && json_array_size(w->entries) == 0)
        json_decref(w->entries);
    else
        json_object_set_new(root, "entries", w->entries);
    ncs_free(w->group);
    ncs_free(done);
    return root;
}

static void flight_write(const struct ncs_result *result, bool json, struct ncs_dump *out)
{
    static const char *const tuples[] = { "process_group", NULL };
    struct dump_run run;
    ncs_dump_run_open(&run, result);
    for (int k = 0; k < run.ranks; k++) {
        struct flight_writer w = { .run = &run, .rank = k, .json = json };
        struct ncs_str text = { 0 };
        if (run.rank[k].killed)
            continue;
        json_t *root = flight_document(&w);
        char *line = json ? json_dumps(root, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
        if (json)
            ncs_str_add(&text, line ? line : "");
        else
            ncs_dump_pickle(root, tuples, &text);
        ncs_dump_add(out, &ncs_dump_format[json ? DUMP_FLIGHT_JSON : DUMP_FLIGHT], k, &text);
        free(line);
        json_decref(root);
    }
    ncs_dump_run_close(&run);
}

void ncs_dump_flight(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out)
{
    (void)log;
    flight_write(result, false, out);
}

void ncs_dump_flight_json(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out)
{
    (void)log;
    flight_write(result, true, out);
}
