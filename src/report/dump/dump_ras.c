/* What NCCL's RAS client prints in JSON (NCCL 2.30.7, src/ras/client_support.cc): of each communicator the ranks with
 * their state and how many calls of each kind they have launched. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/dump/dump_private.h"

#define RAS_CUDA 13000
#define RAS_HOST "127.0.0.1" /* the simulator has no network */

/* What is known of a communicator's rank. */
struct ras_member {
    uint64_t launched[NCS_FN_COUNT]; /* by function; other names of a function count as that one */
    bool finalizes, leaves;          /* it has called ncclCommFinalize; is in ncclCommDestroy or ncclCommAbort */
    bool gone;                       /* it has left the communicator */
};

struct ras_writer {
    const struct dump_run *run;
    struct ncs_map member; /* communicator and rank in it -> struct ras_member */
};

static struct ras_member *ras_member(struct ras_writer *w, int comm, int rank)
{
    uint64_t key = (uint64_t)(uint32_t)comm << 32 | (uint32_t)rank;
    struct ras_member *m = ncs_map_get(&w->member, key);
    if (!m) {
        m = ncs_new(sizeof *m);
        ncs_map_put(&w->member, key, m);
    }
    return m;
}

static void ras_count(struct ras_writer *w, const struct ncs_call *call)
{
    if (call->comm < 0 || call->comm_rank < 0)
        return;
    if (ncs_fn_info[call->fn].counted)
        ras_member(w, call->comm, call->comm_rank)->launched[ncs_fn_info[call->fn].same]++;
}

/* A rank leaves for good only while its script goes on: at the end, the process is still there. */
static void ras_note_end(struct ras_writer *w, const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (call->comm < 0 || call->comm_rank < 0 || call->ending ||
        (call->fn != NCS_FN_ncclCommFinalize && info->ends != NCS_ENDS_COMM))
        return;
    struct ras_member *m = ras_member(w, call->comm, call->comm_rank);
    m->finalizes |= call->fn == NCS_FN_ncclCommFinalize;
    m->leaves |= info->ends == NCS_ENDS_COMM && !call->returned;
    m->gone |= info->ends == NCS_ENDS_COMM && call->returned && call->rc == ncclSuccess;
}

static void ras_learn(struct ras_writer *w)
{
    const struct ncs_timeline *t = w->run->result->timeline;
    for (size_t i = 0; i < t->devices; i++)
        for (size_t k = 0; k < t->device[i].calls; k++)
            ras_count(w, t->device[i].call[k]);
    for (size_t i = 0; i < t->hosts; i++)
        if (t->host[i].call && !t->host[i].never)
            ras_note_end(w, t->host[i].call);
}

/* ---- the document ---- */

/* What ranks and missing ranks have in common. A process has the number of its lines in NCCL's log. */
static json_t *ras_rank(const struct ras_writer *w, const struct ncs_comm_info *info, int k)
{
    int rank = ncs_dump_rank_of(w->run, info, k), process = info->member[k].rank >= 0 ? info->member[k].rank : rank;
    int device = info->member[k].device >= 0 ? info->member[k].device : rank;
    return json_pack("{s:i, s:s, s:i, s:i, s:i}", "rank", k, "host", RAS_HOST, "pid", process, "cuda_dev", device, "nvml_dev",
                     device);
}

static void ras_add_rank(struct ras_writer *w, const struct ncs_comm_info *info, int k, json_t *list)
{
    const struct ras_member *m = ras_member(w, info->number, k);
    json_t *rank = ras_rank(w, info, k), *counts = json_object();
    bool aborts = m->leaves && info->member[k].aborted;
    json_object_set_new(rank, "status",
                        json_pack("{s:i, s:i, s:b, s:b, s:b}", "init_state",
                                  info->member[k].handle ? ncclSuccess : ncclInProgress, "async_error", ncclSuccess,
                                  "finalize_called", m->finalizes, "destroy_flag", m->leaves && !aborts, "abort_flag", aborts));
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (ncs_fn_info[fn].counted && ncs_fn_info[fn].same == (enum ncs_fn)fn)
            json_object_set_new(counts, ncs_fn_info[fn].name + strlen("nccl"), json_integer((json_int_t)m->launched[fn]));
    json_object_set_new(counts, "SendRecv", json_integer(0)); /* NCCL makes these inside of itself only */
    json_object_set_new(rank, "collective_counts", counts);
    json_array_append_new(list, rank);
}

static bool ras_is_dead(const struct ras_writer *w, const struct ncs_comm_info *info, int k)
{
    int rank = ncs_dump_rank_of(w->run, info, k);
    return rank < w->run->ranks && w->run->rank[rank].killed;
}

/* A process that has left a communicator answers, but knows nothing of it. */
static void ras_add_missing(struct ras_writer *w, const struct ncs_comm_info *info, int k, json_t *list)
{
    json_t *rank = ras_rank(w, info, k);
    bool dead = ras_is_dead(w, info, k);
    json_object_set_new(rank, "status", json_pack("{s:b, s:b}", "unresponsive", dead, "considered_dead", dead));
    json_array_append_new(list, rank);
}

static json_t *ras_communicator(struct ras_writer *w, const struct ncs_comm_info *info)
{
    json_t *ranks = json_array(), *missing = json_array();
    for (int k = 0; k < info->nranks; k++) {
        bool here = !ras_is_dead(w, info, k) && info->member[k].rank >= 0 && !ras_member(w, info->number, k)->gone;
        if (here)
            ras_add_rank(w, info, k, ranks);
        else
            ras_add_missing(w, info, k, missing);
    }
    return json_pack("{s:o, s:o, s:i, s:i, s:i, s:o, s:o}", "hash", json_sprintf("0x%" PRIx64, info->key), "secondary_hash",
                     json_sprintf("0x%" PRIx64 ":0x%" PRIx64, ncs_hash(info->key, 1), ncs_hash(info->key, 2)), "size",
                     info->nranks, "ranks_count", (int)json_array_size(ranks), "missing_ranks_count",
                     (int)json_array_size(missing), "ranks", ranks, "missing_ranks", missing);
}

static json_t *ras_document(struct ras_writer *w)
{
    const struct ncs_result *r = w->run->result;
    json_t *comms = json_array(), *root;
    time_t now = (time_t)(DUMP_EPOCH_S + r->timeline->now / 1000000000);
    struct tm day;
    char text[32];
    strftime(text, sizeof text, "%F %T", gmtime_r(&now, &day));
    for (size_t i = 0; i < r->journal->comms; i++) {
        json_t *comm = ras_communicator(w, r->journal->comm[i]);
        if (json_array_size(json_object_get(comm, "ranks")))
            json_array_append(comms, comm);
        json_decref(comm);
    }
    root = json_pack("{s:s, s:i, s:i, s:s, s:i, s:o, s:{s:f, s:i}}", "nccl_version", r->nccl, "cuda_runtime_version", RAS_CUDA,
                     "cuda_driver_version", RAS_CUDA, "timestamp", text, "communicators_count", (int)json_array_size(comms),
                     "communicators", comms, "ras", "collection_time_sec", 0.0, "timeouts_count", 0);
    return root;
}

static void ras_free_member(void *member, void *arg)
{
    (void)arg;
    ncs_free(member);
}

void ncs_dump_ras(const struct ncs_result *result, const struct ncs_dump_log *log, struct ncs_dump *out)
{
    struct dump_run run;
    struct ras_writer w = { .run = &run };
    struct ncs_str text = { 0 };
    (void)log;
    ncs_dump_run_open(&run, result);
    ras_learn(&w);
    ncs_json_line(ras_document(&w), JSON_INDENT(2), &text);
    ncs_dump_add(out, &ncs_dump_format[DUMP_RAS], 0, &text);
    ncs_map_each(&w.member, ras_free_member, NULL);
    ncs_map_free(&w.member);
    ncs_dump_run_close(&run);
}
