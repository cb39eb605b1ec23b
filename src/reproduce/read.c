/* Reads a journal: each rank's calls in its order, as far as a scenario can make them. */
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "reproduce/reader.h"

/* ---- calls ---- */

static bool can_be_made(const struct ncs_call *call)
{
    return ncs_call_is_collective(call) || ncs_call_is_pair(call);
}

/* The partner of a call, a rank of its communicator, as a rank of the job. */
static int partner_of(const struct ncs_reader *r, const struct ncs_call *call)
{
    const struct ncs_comm_info *info = r->journal->comm[call->comm];
    int partner = ncs_call_is_pair(call) ? ncs_call_peer(call) : ncs_call_root(call);
    partner = ncs_workload_member(r->source, info, partner);
    return partner < r->job->ranks ? partner : -1;
}

/* A scenario has to say what the record does not. */
static void invent(struct ncs_workload_call *c)
{
    if (c->dtype < 0 || !ncs_dtype_name(c->dtype)) /* of a file that is damaged */
        c->dtype = ncclFloat32;
    if (c->unsaid & NCS_UNSAID_COUNT && c->count == 0)
        c->count = 16;
    if (c->unsaid & NCS_UNSAID_KIND)
        c->op = ncclSum;
}

static void read_counted(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    int op = ncs_call_op(call);
    struct ncs_workload_call c = { .fn = call->fn,
                                   .family = r->family_of[call->comm],
                                   .count = ncs_call_count(call),
                                   .dtype = ncs_call_dtype(call),
                                   .op = op >= ncclNumOps ? ncclSum : op,
                                   .partner = partner_of(r, call),
                                   .unsaid = call->unsaid,
                                   .stream = ncs_reader_stream(&r->rank[rank], ncs_call_stream(call)),
                                   .place = ncs_reader_place(r, call) };
    bool paired = ncs_call_is_pair(call) || ncs_call_root(call) >= 0;
    invent(&c);
    if (c.family < 0 || (paired && c.partner < 0)) {
        ncs_reader_leave_out(r, call);
        return;
    }
    ncs_reader_follow(r, call, rank);
    ncs_reader_open_group(r, rank, call->group, &c);
    ncs_reader_add_token(r, rank, NCS_STEP_CALL, &c);
    r->rank[rank].newest = call;
}

static void reader_wait(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    bool of_stream = call->fn == NCS_FN_cudaStreamSynchronize;
    enum ncs_fn fn = of_stream ? call->fn : NCS_FN_cudaDeviceSynchronize;
    ncs_reader_follow(r, call, rank);
    ncs_reader_close_group(r, rank);
    struct ncs_workload_call c = ncs_workload_call_alone(fn, ncs_reader_place(r, call));
    c.stream = of_stream ? ncs_reader_stream(&r->rank[rank], ncs_call_stream(call)) : 0;
    ncs_reader_add_token(r, rank, NCS_STEP_SYNC, &c);
}

/* A call that frees a communicator, if the program makes it before its end. */
static void read_end(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    struct ncs_workload_call c = ncs_workload_call_alone(call->fn, ncs_reader_place(r, call));
    c.family = r->family_of[call->comm];
    ncs_reader_open_group(r, rank, call->group, &c); /* destroys of one group wait for peers only when all are made */
    r->rank[rank].has_ended |= c.family >= 0;
    if (c.family >= 0)
        ncs_reader_add_token(r, rank, NCS_STEP_CALL, &c);
}

static bool reader_ends_comm(const struct ncs_call *call)
{
    return call->comm >= 0 && (ncs_fn_info[call->fn].ends == NCS_ENDS_COMM || call->fn == NCS_FN_ncclCommFinalize);
}

/* The rank of the job that makes the call; -1 = it is not known. */
int ncs_reader_rank(struct ncs_reader *r, const struct ncs_call *call)
{
    if (!r->shared) /* who joins may pass the number of another */
        return ncs_fn_info[call->fn].joins == NCS_JOINS_ONE ? call->rank : ncs_reader_rank_of_handle(r, call);
    const void *stream = ncs_call_stream(call);
    if (call->comm < 0)
        return stream ? (int)ncs_map_number(&r->rank_of, ncs_map_key(stream)) - 1 : -1;
    int rank = ncs_reader_rank_of_handle(r, call);
    if (ncs_fn_info[call->fn].counted && stream && rank >= 0)
        ncs_map_put_number(&r->rank_of, ncs_map_key(stream), (size_t)rank + 1);
    return rank;
}

/* Calls after which a communicator is another. */
static bool changes_comm(const struct ncs_call *call)
{
    return call->fn == NCS_FN_ncclCommRevoke || call->fn == NCS_FN_ncclCommSuspend || call->fn == NCS_FN_ncclCommResume;
}

/* Calls without a step on which an ending may depend. */
static bool may_matter(const struct ncs_call *call)
{
    static const enum ncs_fn those[] = { NCS_FN_cudaStreamWaitEvent,     NCS_FN_cudaStreamAddCallback, NCS_FN_cudaLaunchHostFunc,
                                         NCS_FN_cudaEventSynchronize,    NCS_FN_cudaStreamEndCapture,  NCS_FN_cudaDeviceReset,
                                         NCS_FN_ncclCommShrink,          NCS_FN_ncclCommGrow,          NCS_FN_ncclCommInitAll,
                                         NCS_FN_ncclCommRevoke,          NCS_FN_ncclCommSuspend,       NCS_FN_ncclCommResume,
                                         NCS_FN_ncclRedOpCreatePreMulSum };
    for (size_t i = 0; i < sizeof those / sizeof *those; i++)
        if (those[i] == call->fn)
            return true;
    return false;
}

static void read_call(struct ncs_reader *r, const struct ncs_call *call)
{
    int rank = ncs_reader_rank(r, call);
    uint64_t caller = ncs_hash((uint64_t)call->rank + 1, (uint64_t)call->thread);
    if (r->shared)
        ncs_map_put_number(&r->waits, caller, !call->returned);
    if (rank < 0 || rank >= r->job->ranks || call->opening || call->ending || call->withdrawn)
        return;
    if (ncs_reader_is_cut(r, call))
        return;
    r->rank[rank].blocked = !call->returned;
    r->rank[rank].caller = caller;
    r->rank[rank].failed &= !ncs_fn_info[call->fn].counted;
    bool of_nccl = ncs_fn_info[call->fn].lib == NCS_LIB_NCCL; /* a query of CUDA's that finds nothing is no loss */
    bool failed = call->returned && call->rc != 0 && !(of_nccl && call->rc == ncclInProgress);
    if (call->thread == 0 && call->fn == NCS_FN_ncclGroupStart)
        r->rank[rank].depth++;
    else if (call->thread == 0 && call->fn == NCS_FN_ncclGroupEnd && r->rank[rank].depth > 0)
        r->rank[rank].depth--;
    else if (call->comm >= 0 && r->stuck[call->comm] && ncs_fn_info[call->fn].joins == NCS_JOINS_ONE)
        ncs_reader_init(r, call, rank);
    else if (ncs_reader_is_waited_for(r, call) ||
             (!failed && changes_comm(call) && call->comm >= 0 && r->family_of[call->comm] >= 0))
        ncs_reader_add_text(r, rank, call, ncs_workload_collective_text(call), -1);
    else if (failed && of_nccl)
        ncs_reader_failed(r, call, rank);
    else if (failed)
        ncs_reader_failed_of_cuda(r, call, rank);
    else if (ncs_fn_info[call->fn].counted && call->comm >= 0 && ncs_call_is_one_sided(call))
        ncs_reader_signal(r, call, rank);
    else if (ncs_fn_info[call->fn].counted && call->comm >= 0)
        can_be_made(call) ? read_counted(r, call, rank) : ncs_reader_leave_out(r, call);
    else if (call->fn == NCS_FN_cudaStreamSynchronize || call->fn == NCS_FN_cudaDeviceSynchronize)
        reader_wait(r, call, rank);
    else if (ncs_reader_is_of_event(call) && call->returned && !r->shared)
        ncs_reader_event(r, call, rank);
    else if (ncs_fn_info[call->fn].lib == NCS_LIB_CUDA && !call->returned)
        reader_wait(r, call, rank); /* cudaFree, say: the host waits for the device */
    else if (reader_ends_comm(call))
        read_end(r, call, rank);
    else if (may_matter(call))
        r->lost[call->fn]++;
}

/* ---- the whole ---- */

static void note_losses(struct ncs_reader *r, int threads)
{
    if (r->shared)
        ncs_workload_lose(r->job, "the process that has several devices: each device is a rank");
    if (threads)
        ncs_workload_lose(r->job, "the threads of a rank: one thread makes its calls");
    if (r->refused)
        ncs_workload_lose(r->job, "%zu call%s that NCCL refused", r->refused, r->refused == 1 ? "" : "s");
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        if (r->lost[fn])
            ncs_workload_lose(r->job, "%zu call%s of %s", r->lost[fn], r->lost[fn] == 1 ? "" : "s", ncs_fn_info[fn].name);
}

static void note_limits(struct ncs_reader *r)
{
    int threads = 0;
    for (int i = 0; i < r->job->ranks; i++)
        threads += r->rank[i].threads;
    if (r->left_out)
        ncs_workload_note(r->job, "%zu call%s left out, the first is %s: only collectives, sends, receives and waits are kept",
                          r->left_out, r->left_out == 1 ? " is" : "s are", r->first_left_out);
    if (r->puts)
        ncs_workload_note(r->job, "%zu put%s written as signals: the data that puts move are not kept", r->puts,
                          r->puts == 1 ? " is" : "s are");
    if (threads)
        ncs_workload_note(r->job, "the calls of all threads of a rank are made by one thread, in the order of the record");
    note_losses(r, threads);
    r->job->late = r->source->late || r->journal->dropped;
    if (r->source->late) {
        ncs_workload_lose(r->job, "the first calls");
        ncs_workload_note(r->job, "the first calls are missing: newer calls have replaced them in the record");
    }
    if (r->journal->dropped)
        ncs_workload_lose(r->job, "the first %llu calls", (unsigned long long)r->journal->dropped);
    if (r->journal->dropped)
        ncs_workload_note(r->job,
                          "the first %llu calls are missing, and those that meet them: the record was too long to be kept",
                          (unsigned long long)r->journal->dropped);
}

static bool workload_has_calls(const struct ncs_workload *job)
{
    for (size_t i = 0; i < job->steps; i++)
        if (job->step[i]->kind == NCS_STEP_CALL || job->step[i]->kind == NCS_STEP_TEXT)
            return true;
    return false;
}

/* Devices of one process are ranks; a process as such is none. */
static int ranks_of_job(const struct ncs_workload_source *source)
{
    int ranks = source->ranks;
    for (size_t i = 0; i < source->diagnosis->parties; i++)
        if ((int)i >= ranks && (source->diagnosis->party[i].device >= 0 || source->diagnosis->party[i].rank < 0))
            ranks = (int)i + 1;
    return ranks;
}

/* choice: gets whether the other value of `behind` gives another order. */
static bool workload_read(struct ncs_workload *job, const struct ncs_workload_source *source, bool behind, bool *choice)
{
    struct ncs_reader r = { .job = job, .source = source, .journal = source->journal };
    const struct ncs_journal *journal = source->journal;
    r.shared = source->diagnosis->parties > 0;
    int ranks = ranks_of_job(source);
    *job = (struct ncs_workload){ .ranks = ranks };
    r.of = ncs_new((size_t)ranks * sizeof *r.of);
    r.rank = ncs_new((size_t)ranks * sizeof *r.rank);
    ncs_reader_find_waits(&r);
    ncs_reader_find_begins(&r);
    ncs_workload_read_comms(job, source, r.used, &r.family_of);
    const struct ncs_host_step *host = journal->oldest_host;
    for (const struct ncs_call *call = journal->oldest; call; call = call->newer) {
        for (; host && host->after < call->id; host = host->newer)
            ncs_reader_host(&r, host);
        read_call(&r, call);
    }
    for (; host; host = host->newer)
        ncs_reader_host(&r, host);
    for (int i = 0; i < ranks; i++)
        ncs_reader_end_rank(&r, i);
    *choice = ncs_workload_merge(job, r.of, behind);
    for (int i = 0; i < ranks; i++)
        job->apart |= source->one_process && r.rank[i].has_ended;
    ncs_reader_go_on(&r);
    note_limits(&r);
    NCS_FREE_EACH(r.of, ranks, token);
    ncs_free(r.rank);
    ncs_free(r.family_of);
    ncs_free(r.stuck);
    ncs_free(r.has_id);
    ncs_free(r.used);
    ncs_map_free(&r.waited);
    ncs_map_free(&r.begins);
    ncs_map_free(&r.floors);
    ncs_map_free(&r.made);
    ncs_map_free(&r.last_wait);
    ncs_map_free(&r.recorded);
    ncs_map_free(&r.event_of);
    ncs_map_free(&r.text_of);
    ncs_map_free(&r.rank_of);
    ncs_map_free(&r.waits);
    return workload_has_calls(job);
}

bool ncs_workload_read(struct ncs_workload *job, const struct ncs_workload_source *source)
{
    bool choice, has_calls = workload_read(job, source, false, &choice);
    if (has_calls && choice) {
        job->other = ncs_new(sizeof *job->other);
        workload_read(job->other, source, true, &choice);
    }
    return has_calls;
}
