/* Why a call failed, where nothing but the call itself is wrong: its arguments, or what it is given to. */
#include "diagnose/rules/rule.h"

#include <string.h>

#include "diagnose/party.h"
#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

bool ncs_message_has(const struct ncs_call *call, const char *words)
{
    return ncs_call_rare(call)->said && strstr(ncs_call_rare(call)->said, words);
}

static int nranks_of(const struct ncs_analysis *q, const struct ncs_call *call)
{
    return call->comm >= 0 ? q->journal->comm[call->comm]->nranks : 0;
}

/* The capture that the rank has begun last; NULL = another thread's capture is in the way. */
static const struct ncs_call *capture_around(const struct ncs_call *call)
{
    const struct ncs_call *c = call->older;
    while (c && (c->rank != call->rank || (c->fn != NCS_FN_cudaStreamBeginCapture && c->fn != NCS_FN_cudaStreamEndCapture)))
        c = c->older;
    return c && c->fn == NCS_FN_cudaStreamBeginCapture ? c : NULL;
}

static void format_not_captured(const struct ncs_call *call, struct ncs_str *why, struct ncs_str *fix)
{
    const struct ncs_call *begin = capture_around(call);
    bool copies = call->fn == NCS_FN_cudaMemcpyAsync || call->fn == NCS_FN_cudaMemcpy2DAsync;
    ncs_str_add(why, begin ? "; the capture that begins" : "; a capture of another thread");
    if (begin)
        ncs_format_place(why, begin);
    ncs_str_addf(why, " is open, and %s",
                 copies ? "it cannot contain a copy of pageable host memory"
                        : "meanwhile a call that waits or allocates is an error");
    ncs_str_add(fix, copies ? "use pinned memory or memory of a device for the copy" : "move the call");
    ncs_format_place(fix, call);
    ncs_str_add(fix, copies  ? ", or copy before the capture"
                     : begin ? " before the capture, or end the capture before it"
                             : " before the capture or behind it");
}

/* True if one thread made both calls. A thread that drives several devices makes each call as the rank of its current device. */
static bool is_by_same_thread(const struct ncs_analysis *q, const struct ncs_call *a, const struct ncs_call *b)
{
    return a->thread == b->thread && ncs_process_of_party(q->parties, a->rank) == ncs_process_of_party(q->parties, b->rank);
}

/* The device that was current for the call; -1 = unknown. Threads begin on device 0, but a run gives each rank its own. */
static int device_current_at(const struct ncs_analysis *q, const struct ncs_call *call)
{
    const struct ncs_call *c = call->older;
    while (c && !(c->fn == NCS_FN_cudaSetDevice && is_by_same_thread(q, c, call)))
        c = c->older;
    return c ? (int)c->arg[0].i : ncs_process_of_party(q->parties, call->rank) == 0 ? 0 : -1;
}

/* The device on which the call's stream was made; -1 = unknown. */
static int device_of_stream(const struct ncs_analysis *q, const struct ncs_call *call)
{
    const void *stream = ncs_call_stream(call);
    for (const struct ncs_call *c = stream ? call->older : NULL; c; c = c->older) {
        const union ncs_arg *made = is_by_same_thread(q, c, call) ? ncs_call_arg(c, NCS_ARG_STREAM_OUT) : NULL;
        if (made && made->p == stream)
            return device_current_at(q, c);
    }
    return -1;
}

/* The call whose stream is not on its communicator's device, among those that a failed group ends, or the failed call itself;
 * NULL = none. CUDA refuses its launch. */
static const struct ncs_call *on_foreign_stream(const struct ncs_analysis *q, const struct ncs_call *call, int *own, int *other)
{
    for (const struct ncs_call *c = call; c && call->rc == ncclUnhandledCudaError; c = c->older) {
        bool is_of = c == call ||
                     (call->fn == NCS_FN_ncclGroupEnd && call->group && c->group == call->group && is_by_same_thread(q, c, call));
        const struct ncs_comm_info *info = is_of && c->comm >= 0 ? q->journal->comm[c->comm] : NULL;
        if (!info || c->comm_rank < 0 || c->comm_rank >= info->members)
            continue;
        *own = info->member[c->comm_rank].device;
        *other = device_of_stream(q, c);
        if (*own >= 0 && *other >= 0 && *own != *other)
            return c;
    }
    return NULL;
}

static void format_foreign_stream(const struct ncs_analysis *q, const struct ncs_call *c, int own, int other, struct ncs_str *why,
                                  struct ncs_str *fix)
{
    ncs_str_addf(why, "; %s", ncs_fn_info[c->fn].name);
    ncs_format_place(why, c);
    ncs_str_addf(why, " for rank %d of %s, which is on device %d, uses a stream of device %d", c->comm_rank,
                 ncs_comm_name(q, c->comm), own, other);
    ncs_str_addf(fix, "give the call");
    ncs_format_place(fix, c);
    ncs_str_addf(fix, " a stream that was made while device %d was current", own);
}

void ncs_format_own_mistake(const struct ncs_analysis *q, const struct ncs_call *call, const struct ncs_call *earlier,
                            struct ncs_str *why, struct ncs_str *fix)
{
    (void)earlier;
    int last = nranks_of(q, call) - 1, number, own = -1, other = -1;
    const struct ncs_call *foreign = on_foreign_stream(q, call, &own, &other);
    if (foreign) {
        format_foreign_stream(q, foreign, own, other, why, fix);
    } else if (call->rc == ncclInvalidArgument && ncs_call_stray(call, last + 1, &number)) {
        ncs_str_addf(why, "; %s has ranks 0 to %d", ncs_comm_name(q, call->comm), last);
        ncs_str_addf(fix, "name a rank of %s, 0 to %d,", ncs_comm_name(q, call->comm), last);
        ncs_format_place(fix, call);
        ncs_str_add(fix, ": a communicator numbers its ranks on its own, whatever they are in another");
    } else if (ncs_call_is_pair(call) && call->rc == ncclInvalidUsage && ncs_call_peer(call) == call->comm_rank &&
               call->comm >= 0) {
        ncs_str_add(fix, "put the send and the receive of what the rank sends to itself");
        ncs_format_place(fix, call);
        ncs_str_add(fix, " into one group");
    } else if (call->fn == NCS_FN_ncclGroupEnd && call->rc == ncclInvalidUsage) {
        ncs_str_add(fix, "leave out the end of a group");
        ncs_format_place(fix, call);
        ncs_str_add(fix, ", or start one before it: as many ncclGroupEnd as ncclGroupStart, on every path");
    } else if (call->rc == ncclInvalidArgument && ncs_message_has(call, "Blocking and nonblocking")) {
        ncs_str_add(fix, "make what blocking and what non-blocking communicators do");
        ncs_format_place(fix, call);
        ncs_str_add(fix, " in groups of their own");
    } else if (call->fn == NCS_FN_cudaMalloc && call->rc == cudaErrorMemoryAllocation) {
        ncs_str_add(fix, "ask for less memory");
        ncs_format_place(fix, call);
        ncs_str_add(fix, ", or free some before it");
    } else if (call->rc == cudaErrorStreamCaptureUnsupported) {
        format_not_captured(call, why, fix);
    } else {
        ncs_str_add(fix, "repair what failed");
        ncs_format_place(fix, call);
        ncs_str_addf(fix, " (ncclscript explain %s)", ncs_result_name(call));
    }
}
