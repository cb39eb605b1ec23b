/* NCCL's one-sided calls and what they alone check. */
#include "sim/comm.h"
#include "sim/functions.h"
#include "sim/request.h"
#include "sim/rma.h"
#include "sim/window.h"
#include "sim/world.h"

static int must_be_zero(const struct request *r, const char *what, long long value)
{
    if (value == 0)
        return ncclSuccess;
    nccl_warn("%s : %s %lld is invalid, it must be 0", r->name, what, value);
    return ncclInvalidArgument;
}

static int invalid(const struct request *r, const char *what)
{
    nccl_warn("%s : %s", r->name, what);
    return ncclInvalidArgument;
}

static int check_put(const struct request *r, const struct one_sided *o,
                     const struct comm_rank *cr, struct rma **out)
{
    if (!o->window)
        return invalid(r, "peerWin argument is NULL");
    struct window *window = window_find(cr, o->window);
    if (!window) {
        nccl_warn("%s : peerWin is no window of this communicator", r->name);
        return ncclInternalError;
    }
    if (!r->send)
        return invalid(r, "localbuff argument is NULL");
    if (!window_place(cr, r->send).window)
        return invalid(r, "localbuff is in no window that was registered with "
                          "NCCL_WIN_COLL_SYMMETRIC");
    *out = rma_new(0);
    (*out)->window = window;
    window_ref(window);
    (*out)->offset = o->offset;
    return ncclSuccess;
}

static int check_descriptor(const struct request *r, const ncclWaitSignalDesc_t *d)
{
    if (d->opCnt <= 0) {
        nccl_warn("%s : opCnt %d is invalid, it must be positive", r->name, d->opCnt);
        return ncclInvalidArgument;
    }
    int rc = must_be_zero(r, "sigIdx", d->sigIdx);
    return rc ? rc : must_be_zero(r, "ctx", d->ctx);
}

/* A peer that is listed twice is waited for as often. */
static void add_wait(struct rma *rma, const ncclWaitSignalDesc_t *d)
{
    size_t i = 0;
    while (i < rma->waits && rma->wait[i].signals > 0 && rma->wait[i].peer != d->peer)
        i++;
    rma->wait[i].peer = d->peer;
    rma->wait[i].signals += (uint64_t)d->opCnt;
}

static int check_wait(const struct request *r, const struct one_sided *o,
                      const struct comm_rank *cr, struct rma **out)
{
    if (!o->wait)
        return invalid(r, "signalDescs argument is NULL");
    if (o->waits == 0)
        return invalid(r, "nDesc is 0");
    for (int i = 0; i < o->waits; i++) {
        int rc = check_descriptor(r, &o->wait[i]);
        if (rc)
            return rc;
    }
    for (int i = 0; i < o->waits; i++)
        if (o->wait[i].peer < 0 || o->wait[i].peer >= cr->nranks) {
            nccl_crash("it does not check that a descriptor's peer is a rank of the communicator");
            return ncclInvalidArgument;
        }
    *out = rma_new(o->waits > 0 ? (size_t)o->waits : 0);
    for (int i = 0; i < o->waits; i++)
        add_wait(*out, &o->wait[i]);
    return ncclSuccess;
}

int rma_check(const struct request *r, const struct one_sided *o, const struct comm_rank *cr,
              struct rma **out)
{
    int rc = ncclSuccess;
    if (!comm_has_rma(cr))
        return invalid(r, "the communicator has no support for one-sided operations");
    if (r->kind == PART_WAIT)
        return check_wait(r, o, cr, out);
    rc = must_be_zero(r, "ctx", o->ctx);
    if (!rc)
        rc = must_be_zero(r, "sigIdx", o->sig_idx);
    if (!rc)
        rc = must_be_zero(r, "flags", o->flags);
    return !rc && r->kind == PART_PUT ? check_put(r, o, cr, out) : rc;
}

ncclResult_t sim_ncclPutSignal(const void *localbuff, size_t count, ncclDataType_t datatype,
                               int peer, ncclWindow_t peerWin, size_t peerWinOffset, int sigIdx,
                               int ctx, unsigned int flags, ncclComm_t comm, cudaStream_t stream)
{
    struct one_sided o = { .window = peerWin, .offset = peerWinOffset, .sig_idx = sigIdx,
                           .ctx = ctx, .flags = flags };
    return request_submit(&(struct request){ "PutSignal", PART_PUT, localbuff, NULL, count,
                                             datatype, ncclSum, peer, comm, stream }, &o);
}

ncclResult_t sim_ncclSignal(int peer, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm,
                            cudaStream_t stream)
{
    struct one_sided o = { .sig_idx = sigIdx, .ctx = ctx, .flags = flags };
    return request_submit(&(struct request){ "Signal", PART_SIGNAL, NULL, NULL, 0, ncclInt8,
                                             ncclSum, peer, comm, stream }, &o);
}

ncclResult_t sim_ncclWaitSignal(int nDesc, ncclWaitSignalDesc_t *signalDescs, ncclComm_t comm,
                                cudaStream_t stream)
{
    struct one_sided o = { .waits = nDesc, .wait = signalDescs };
    return request_submit(&(struct request){ "WaitSignal", PART_WAIT, NULL, NULL, 0, ncclInt8,
                                             ncclSum, 0, comm, stream }, &o);
}
