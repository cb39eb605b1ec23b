/* NCCL's one-sided calls and their own checks. */
#include <stdarg.h>
#include <stdio.h>

#include "sim/comm/comm.h"
#include "sim/comm/rma.h"
#include "sim/comm/window.h"
#include "sim/kernel/gen/functions.h"
#include "sim/nccl/request.h"

static int invalid(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static int invalid(const char *fmt, ...)
{
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    sim_warn("%s", text);
    return ncclInvalidArgument;
}

static int check_put(const struct request *r, const struct one_sided *o,
                     const struct comm_rank *cr, struct rma **out)
{
    if (!o->window)
        return invalid("ncclPutSignal: peerWin is NULL");
    struct window *window = sim_window_find(cr, o->window);
    if (!window) {
        sim_warn("Device object does not exist in shadow pool.");
        sim_explain("peerWin is not a window of this communicator");
        return ncclInternalError;
    }
    if (!r->send)
        return invalid("ncclPutSignal: srcBuff is NULL");
    if (!sim_window_place(cr, r->send).window)
        return invalid("ncclPutSignal: srcWinHost is not in a valid symmetric window");
    *out = sim_rma_new(0);
    (*out)->window = window;
    sim_window_ref(window);
    (*out)->offset = o->offset;
    return ncclSuccess;
}

static int check_descriptor(int i, const ncclWaitSignalDesc_t *d)
{
    if (d->opCnt <= 0)
        return invalid("ncclWaitSignal: descriptor %d has invalid opCnt %d", i, d->opCnt);
    if (d->sigIdx != 0)
        return invalid("ncclWaitSignal: descriptor %d has invalid sigIdx %d (must be 0)", i, d->sigIdx);
    if (d->ctx != 0)
        return invalid("ncclWaitSignal: descriptor %d has invalid context %d (must be 0)", i, d->ctx);
    return ncclSuccess;
}

/* A wait for a peer that is listed twice adds up. */
static void rma_add_wait(struct rma *rma, const ncclWaitSignalDesc_t *d)
{
    size_t i = 0;
    while (i < rma->waits && rma->wait[i].signals > 0 && rma->wait[i].peer != d->peer)
        i++;
    rma->wait[i].peer = d->peer;
    rma->wait[i].signals += (uint64_t)d->opCnt;
}

static int check_wait(const struct one_sided *o, const struct comm_rank *cr, struct rma **out)
{
    if (!o->wait || o->waits == 0)
        return invalid("ncclWaitSignal: invalid arguments");
    for (int i = 0; i < o->waits; i++) {
        int rc = check_descriptor(i, &o->wait[i]);
        if (rc)
            return rc;
    }
    for (int i = 0; i < o->waits; i++)
        if (o->wait[i].peer < 0 || o->wait[i].peer >= cr->nranks) {
            sim_crash("it does not check that a descriptor's peer is a rank of the communicator");
            return ncclInvalidArgument;
        }
    *out = sim_rma_new(o->waits > 0 ? (size_t)o->waits : 0);
    for (int i = 0; i < o->waits; i++)
        rma_add_wait(*out, &o->wait[i]);
    return ncclSuccess;
}

int sim_rma_check(const struct request *r, const struct one_sided *o, const struct comm_rank *cr,
                  struct rma **out)
{
    if (!sim_comm_has_rma(cr))
        return invalid("One sided RMA: host RMA is not supported in this communicator.");
    if (r->fn == NCS_FN_ncclWaitSignal)
        return check_wait(o, cr, out);
    if (o->ctx != 0)
        return invalid("Context %d is invalid (must be 0)", o->ctx);
    if (o->sig_idx != 0)
        return invalid("Signal index %d is invalid (must be 0)", o->sig_idx);
    if (o->flags != 0)
        return invalid("Flags %u is invalid (must be 0)", o->flags);
    return r->fn == NCS_FN_ncclPutSignal ? check_put(r, o, cr, out) : ncclSuccess;
}

ncclResult_t sim_ncclPutSignal(const void *localbuff, size_t count, ncclDataType_t datatype,
                               int peer, ncclWindow_t peerWin, size_t peerWinOffset, int sigIdx,
                               int ctx, unsigned int flags, ncclComm_t comm, cudaStream_t stream)
{
    struct one_sided o = { .window = peerWin, .offset = peerWinOffset, .sig_idx = sigIdx,
                           .ctx = ctx, .flags = flags };
    return sim_request_submit(&(struct request){ NCS_FN_ncclPutSignal, localbuff, NULL, count, datatype,
                                                 ncclSum, peer, comm, stream }, &o);
}

ncclResult_t sim_ncclSignal(int peer, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm,
                            cudaStream_t stream)
{
    struct one_sided o = { .sig_idx = sigIdx, .ctx = ctx, .flags = flags };
    return sim_request_submit(&(struct request){ NCS_FN_ncclSignal, NULL, NULL, 0, ncclInt8, ncclSum,
                                                 peer, comm, stream }, &o);
}

ncclResult_t sim_ncclWaitSignal(int nDesc, ncclWaitSignalDesc_t *signalDescs, ncclComm_t comm,
                                cudaStream_t stream)
{
    struct one_sided o = { .waits = nDesc, .wait = signalDescs };
    return sim_request_submit(&(struct request){ NCS_FN_ncclWaitSignal, NULL, NULL, 0, ncclInt32,
                                                 ncclSum, 0, comm, stream }, &o);
}
