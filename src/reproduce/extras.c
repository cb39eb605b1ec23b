/* Reads what is not a plain call: steps of hosts, signals, calls that were refused, inits. */
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "reproduce/reader.h"

void ncs_reader_host(struct ncs_reader *r, const struct ncs_host_step *step)
{
    char *text;
    if (!r->hosts || step->thread != 0 || step->rank < 0 || step->rank >= r->job->ranks || step->in_vain ||
        (step->kind == NCS_HOST_GET && step->unique_id) || !(text = ncs_workload_host_text(step, r->job->ranks)))
        return;
    ncs_reader_add_text(r, step->rank, NULL, text, -1);
    r->rank[step->rank].blocked = (step->kind == NCS_HOST_BARRIER || step->kind == NCS_HOST_GET) && !step->over;
}

void ncs_reader_leave_out(struct ncs_reader *r, const struct ncs_call *call)
{
    if (r->left_out++ == 0)
        r->first_left_out = ncs_fn_info[call->fn].name;
    if (call->returned && call->rc != 0 && call->rc != ncclInProgress)
        r->refused++;
    else
        r->lost[call->fn]++;
}

/* A put, a signal, or a wait for signals. */
void ncs_reader_signal(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    const struct ncs_comm_info *info = r->journal->comm[call->comm];
    size_t count = 0;
    const ncclWaitSignalDesc_t *wait = ncs_call_waits(call, &count);
    int peer = wait && count == 1 ? wait->peer : wait ? -1 : ncs_call_peer(call), partner;
    partner = ncs_workload_member(r->source, info, peer);
    partner = partner < r->job->ranks ? partner : -1;
    char *text = r->family_of[call->comm] >= 0 && (partner >= 0 || count > 1)
                     ? ncs_workload_signal_text(call, ncs_reader_stream(&r->rank[rank], ncs_call_stream(call)) > 0)
                     : NULL;
    if (!text) {
        ncs_reader_leave_out(r, call);
        return;
    }
    r->puts += call->fn == NCS_FN_ncclPutSignal;
    ncs_reader_add_text(r, rank, call, text, partner);
    r->rank[rank].newest = call;
}

/* A call that the library refused. The rank may go on. */
void ncs_reader_failed(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    bool fits = ncs_fn_info[call->fn].counted && !call->faulted && (call->comm < 0 || r->family_of[call->comm] >= 0);
    int nranks = call->comm >= 0 ? r->journal->comm[call->comm]->nranks : 0;
    char *text = fits ? ncs_workload_failed_text(call, nranks, r->rank[rank].has_ended) : NULL;
    r->rank[rank].failed = text != NULL;
    if (text)
        ncs_reader_add_text(r, rank, call, text, -1);
    else
        ncs_reader_leave_out(r, call);
}

/* A rank that gets no memory may go another way than the others. */
void ncs_reader_failed_of_cuda(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
    if (call->fn != NCS_FN_cudaMalloc || call->faulted || !bytes)
        return;
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "pcall(cuda.buffer, \"int8\", %llu)", (unsigned long long)bytes->u);
    ncs_reader_add_text(r, rank, NULL, ncs_str_take(&text), -1);
}

/* Joins that clash with earlier ones came last. */
static bool init_clashes(struct ncs_reader *r, const struct ncs_call *call)
{
    const union ncs_arg *nranks = ncs_call_arg(call, NCS_ARG_NRANKS), *own = ncs_call_arg(call, NCS_ARG_RANK);
    uint64_t key = ncs_hash(ncs_hash((uint64_t)call->comm + 1, 0), own ? (uint64_t)own->i : 0);
    bool again = ncs_map_number(&r->made, key) > 0;
    ncs_map_put_number(&r->made, key, 1);
    return again || (nranks && nranks->i != r->journal->comm[call->comm]->nranks);
}

void ncs_reader_init(struct ncs_reader *r, const struct ncs_call *call, int rank)
{
    char *text = ncs_workload_init_text(call, rank, r->job->ranks);
    if (text && !r->has_id[call->comm]) {
        struct ncs_str set = { 0 };
        ncs_str_addf(&set, "store:set(\"id %d\", nccl.unique_id())", call->comm + 1);
        r->has_id[call->comm] = true;
        ncs_reader_add_text(r, rank, NULL, ncs_str_take(&set), -1);
    }
    if (text && init_clashes(r, call))
        ncs_reader_add_text(r, rank, NULL, ncs_copy_text("sleep(1)"), -1);
    if (text)
        ncs_reader_add_text(r, rank, call, text, -1);
    else
        ncs_reader_leave_out(r, call);
}
