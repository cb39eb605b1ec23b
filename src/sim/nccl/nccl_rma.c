/* NCCL's one-sided calls and their own checks. */
#include <stdarg.h>
#include <stdio.h>

#include "sim/comm/comm.h"
#include "sim/comm/rma.h"
#include "sim/comm/window.h"
#include "sim/kernel/gen/functions.h"
#include "sim/nccl/request.h"
#include "sim/settings/version.h"

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

static int check_put(const struct request *r, const struct one_sided *o, const struct comm_rank *cr, struct rma **out)
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

/* What an index must be: "0", or "in [0, 4)" since the configuration says how many there are. */
struct rma_range {
    char text[32];
};

static struct rma_range rma_range_of(const struct comm_rank *cr, enum config_field field)
{
    struct rma_range range = { "0" };
    if (sim_version_does(DOES_RMA_RANGE))
        snprintf(range.text, sizeof range.text, "in [0, %d)", cr->config.value[field]);
    return range;
}

/* True if the call is refused. The simulator keeps one signal per pair of ranks, whatever the configuration. */
static bool is_bad_index(const struct comm_rank *cr, enum config_field field, int index)
{
    if (index > 0 && index < cr->config.value[field] && sim_version_does(DOES_RMA_RANGE))
        sim_explain("the simulator has only the index 0: one signal and one context for each pair of ranks");
    return index != 0;
}

static int check_descriptor(const struct comm_rank *cr, int i, const ncclWaitSignalDesc_t *d)
{
    if (d->opCnt <= 0)
        return invalid("ncclWaitSignal: descriptor %d has invalid opCnt %d", i, d->opCnt);
    if (is_bad_index(cr, CONFIG_NUM_RMA_SIG, d->sigIdx))
        return invalid("ncclWaitSignal: descriptor %d has invalid sigIdx %d (must be %s)", i, d->sigIdx,
                       rma_range_of(cr, CONFIG_NUM_RMA_SIG).text);
    if (is_bad_index(cr, CONFIG_NUM_RMA_CTX, d->ctx))
        return invalid("ncclWaitSignal: descriptor %d has invalid context %d (must be %s)", i, d->ctx,
                       rma_range_of(cr, CONFIG_NUM_RMA_CTX).text);
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
        int rc = check_descriptor(cr, i, &o->wait[i]);
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

int sim_rma_check(const struct request *r, const struct one_sided *o, const struct comm_rank *cr, struct rma **out)
{
    if (!sim_comm_has_rma(cr))
        return invalid("One sided RMA: host RMA is not supported in this communicator.");
    if (r->fn == NCS_FN_ncclWaitSignal)
        return check_wait(o, cr, out);
    if (is_bad_index(cr, CONFIG_NUM_RMA_CTX, o->ctx))
        return invalid("Context %d is invalid (must be %s)", o->ctx, rma_range_of(cr, CONFIG_NUM_RMA_CTX).text);
    if (is_bad_index(cr, CONFIG_NUM_RMA_SIG, o->sig_idx))
        return invalid("Signal index %d is invalid (must be %s)", o->sig_idx, rma_range_of(cr, CONFIG_NUM_RMA_SIG).text);
    if (o->flags != 0)
        return invalid("Flags %u is invalid (must be 0)", o->flags);
    return r->fn == NCS_FN_ncclPutSignal ? check_put(r, o, cr, out) : ncclSuccess;
}

ncclResult_t sim_ncclPutSignal(const void *localbuff, size_t count, ncclDataType_t datatype, int peer, ncclWindow_t peerWin,
                               size_t peerWinOffset, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm,
                               cudaStream_t stream)
{
    struct one_sided o = { .window = peerWin, .offset = peerWinOffset, .sig_idx = sigIdx, .ctx = ctx, .flags = flags };
    return sim_request_submit(
        &(struct request){ NCS_FN_ncclPutSignal, localbuff, NULL, count, datatype, ncclSum, peer, comm, stream }, &o);
}

ncclResult_t sim_ncclSignal(int peer, int sigIdx, int ctx, unsigned int flags, ncclComm_t comm, cudaStream_t stream)
{
    struct one_sided o = { .sig_idx = sigIdx, .ctx = ctx, .flags = flags };
    return sim_request_submit(&(struct request){ NCS_FN_ncclSignal, NULL, NULL, 0, ncclInt8, ncclSum, peer, comm, stream }, &o);
}

ncclResult_t sim_ncclWaitSignal(int nDesc, ncclWaitSignalDesc_t *signalDescs, ncclComm_t comm, cudaStream_t stream)
{
    struct one_sided o = { .waits = nDesc, .wait = signalDescs };
    return sim_request_submit(&(struct request){ NCS_FN_ncclWaitSignal, NULL, NULL, 0, ncclInt32, ncclSum, 0, comm, stream }, &o);
}
