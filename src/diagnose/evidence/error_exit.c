/* Ranks that leave after an error: the call that failed is the cause, even if it has nothing to do with the call that
 * the others wait in. */
#include "diagnose/analysis.h"

#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/cuda_abi.h"

const char *ncs_result_name(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].result == NCS_RESULT_CUDA ? ncs_cuda_error_name(call->rc) : ncs_nccl_result_name(call->rc);
}

/* cudaErrorNotReady and cudaErrorPeerAccessAlreadyEnabled are normal answers, and cudaGetLastError and
 * cudaPeekAtLastError return the code of an earlier call. */
bool ncs_call_failed(const struct ncs_call *c)
{
    if (ncs_fn_info[c->fn].result != NCS_RESULT_CUDA)
        return ncs_failed(c);
    return c->returned && c->rc != cudaSuccess && c->rc != cudaErrorNotReady && c->rc != cudaErrorPeerAccessAlreadyEnabled &&
           c->fn != NCS_FN_cudaGetLastError && c->fn != NCS_FN_cudaPeekAtLastError;
}

/* A rank that communicates after the failure has not left because of it: a counted call that succeeds clears it. */
void ncs_see_failure(struct ncs_analysis *q, const struct ncs_call *c)
{
    if (c->rank < 0 || c->rank >= q->ranks || c->opening || c->ending)
        return;
    if (ncs_call_failed(c) && !q->failure[c->rank])
        q->failure[c->rank] = c;
    else if (c->number && !ncs_failed(c))
        q->failure[c->rank] = NULL;
}

/* True if the same call failed in the same way on the rank of this call, right before it. */
static bool failed_there_too(const struct ncs_call *there, const struct ncs_call *failed)
{
    for (const struct ncs_call *c = there->older; c; c = c->older) {
        if (c->rank != there->rank)
            continue;
        if (c->number && !ncs_failed(c))
            return false;
        if (c->fn == failed->fn && c->rc == failed->rc)
            return true;
    }
    return false;
}

const struct ncs_call *ncs_gave_up(const struct ncs_analysis *q, const struct ncs_unmet *unmet, int rank)
{
    const struct ncs_call *failed = rank >= 0 && rank < q->ranks ? q->failure[rank] : NULL;
    if (!failed || !unmet->call || failed_there_too(unmet->call, failed))
        return NULL;
    return failed;
}
