/* The calls of each rank, and how far the devices have come with them. */

#include "base/map.h"
#include "base/mem.h"
#include "report/dump/dump_private.h"

struct dump_known {
    struct ncs_map work;  /* id of a call -> its device span + 1 */
    struct ncs_map depth; /* serial of a group -> 1 + how many of its calls of ncclGroupStart lack an end */
};

/* ---- ranks ---- */

/* Ranks that have not joined get the lowest ranks that no other member has. */
static int *dump_members(const struct ncs_comm_info *info)
{
    size_t nranks = (size_t)info->nranks;
    int *rank = ncs_new(nranks * sizeof *rank), next = 0;
    bool *taken = ncs_new(nranks * sizeof *taken), shared = ncs_comm_is_shared(info);
    for (int k = 0; k < info->nranks; k++) {
        rank[k] = shared ? k : info->member[k].rank;
        if (rank[k] >= 0 && rank[k] < info->nranks)
            taken[rank[k]] = true;
    }
    for (int k = 0; k < info->nranks; k++) {
        if (rank[k] >= 0)
            continue;
        while (next < info->nranks && taken[next])
            next++;
        rank[k] = next++;
    }
    ncs_free(taken);
    return rank;
}

int ncs_dump_rank_of(const struct dump_run *run, const struct ncs_comm_info *info, int comm_rank)
{
    return run->member[info->number][comm_rank];
}

static void dump_number_ranks(struct dump_run *run)
{
    const struct ncs_journal *j = run->result->journal;
    run->member = ncs_new(j->comms * sizeof *run->member);
    run->ranks = run->result->ranks;
    for (size_t i = 0; i < j->comms; i++) {
        run->member[i] = dump_members(j->comm[i]);
        for (int k = 0; k < j->comm[i]->nranks; k++)
            if (run->member[i][k] >= run->ranks)
                run->ranks = run->member[i][k] + 1;
    }
}

/* ---- calls ---- */

static void dump_note_group(struct dump_known *known, const struct ncs_call *call)
{
    bool starts = call->fn == NCS_FN_ncclGroupStart, ends = ncs_fn_info[call->fn].closes_group;
    if (!call->group || (!starts && !ends))
        return;
    size_t depth = ncs_map_number(&known->depth, call->group);
    depth = depth ? depth : 1;
    ncs_map_put_number(&known->depth, call->group, starts ? depth + 1 : depth > 1 ? depth - 1 : 1);
}

static void dump_learn(struct dump_known *known, const struct ncs_timeline *t)
{
    for (size_t i = 0; i < t->devices; i++)
        for (size_t k = 0; k < t->device[i].calls; k++)
            ncs_map_put_number(&known->work, t->device[i].call[k]->id, i + 1);
    for (size_t i = 0; i < t->hosts; i++)
        if (t->host[i].call && !t->host[i].never)
            dump_note_group(known, t->host[i].call);
}

/* A call that failed, or whose group did, never reached a device. NCCL drops an empty collective, but it is made. */
static bool dump_is_made(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (!info->counted || info->one_sided || !ncs_fn_info[info->same].lua_name || call->comm < 0 || call->comm_rank < 0)
        return false;
    bool failed = call->returned && call->rc != ncclSuccess && call->rc != ncclInProgress;
    return !failed && (call->ordinal > 0 || (!info->pair && ncs_call_count(call) == 0));
}

/* A call's end on the device frees its place there, whether it moved data or was aborted: an event behind it completes. */
static enum dump_state dump_state_of(const struct dump_call *c)
{
    if (!c->work)
        return c->call->ordinal == 0 ? DUMP_COMPLETED : DUMP_SCHEDULED;
    return c->work->end >= 0 ? DUMP_COMPLETED : c->work->begin >= 0 ? DUMP_STARTED : DUMP_SCHEDULED;
}

static void dump_add_call(struct dump_run *run, const struct dump_known *known, const struct ncs_host_span *span)
{
    const struct ncs_call *call = span->call;
    const struct ncs_comm_info *info = run->result->journal->comm[call->comm];
    int peer = ncs_call_peer(call), rank = call->comm_rank < info->nranks ? ncs_dump_rank_of(run, info, call->comm_rank) : -1;
    size_t work = ncs_map_number(&known->work, call->id);
    if (rank < 0 || rank >= run->ranks || peer >= info->nranks)
        return;
    struct dump_call c = { .call = call,
                           .work = work ? &run->result->timeline->device[work - 1] : NULL,
                           .made = span->begin,
                           .batch = call->group,
                           .open = call->group && ncs_map_number(&known->depth, call->group) > 1 };
    c.state = dump_state_of(&c);
    struct dump_rank *of = &run->rank[rank];
    NCS_PUSH(of->call, of->calls, of->room, c);
}

void ncs_dump_run_open(struct dump_run *run, const struct ncs_result *result)
{
    const struct ncs_timeline *t = result->timeline;
    struct dump_known known = { 0 };
    *run = (struct dump_run){ .result = result };
    dump_number_ranks(run);
    run->rank = ncs_new((size_t)run->ranks * sizeof *run->rank);
    for (int i = 0; i < result->ranks && result->killed; i++)
        run->rank[i].killed = result->killed[i];
    dump_learn(&known, t);
    for (size_t i = 0; i < t->hosts; i++)
        if (t->host[i].call && !t->host[i].never && dump_is_made(t->host[i].call))
            dump_add_call(run, &known, &t->host[i]);
    ncs_map_free(&known.work);
    ncs_map_free(&known.depth);
}

void ncs_dump_run_close(struct dump_run *run)
{
    NCS_FREE_EACH(run->rank, run->ranks, call);
    NCS_FREE_ALL(run->member, run->result->journal->comms);
    *run = (struct dump_run){ 0 };
}
