/* NCCL's communication calls, groups and user operators. */
#include <inttypes.h>
#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/mem.h"
#include "sim/comm/check.h"
#include "sim/comm/comm.h"
#include "sim/comm/group.h"
#include "sim/comm/launch.h"
#include "sim/comm/rma.h"
#include "sim/comm/composed.h"
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/stream.h"
#include "sim/data/memory.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/world.h"
#include "sim/nccl/request.h"

/* Handles of user operators look random and differ between communicators: the index is mixed with
 * a number of the rank's handle. Bit 30 keeps them away from the built-in ones. */
static int handle_mask(const struct comm_rank *cr)
{
    uint64_t who = cr->comm ? cr->comm->serial : 0;
    return (int)(ncs_hash(ncs_hash(0, who), (uint64_t)cr->rank) & 0x3fffff00u) | 0x40000000;
}

static struct redop *redop_find(struct comm_rank *cr, int op)
{
    unsigned index = (unsigned)(op ^ handle_mask(cr)) - ncclNumOps;
    return index < cr->redops && cr->redop[index].live ? &cr->redop[index] : NULL;
}

static int check_arguments(const struct request *r, struct comm_rank *cr)
{
    if (r->root < 0 || r->root >= cr->nranks) {
        sim_warn("%s : invalid root %d (root should be in the 0..%d range)", sim_request_name(r->fn), r->root, cr->nranks);
        return ncclInvalidArgument;
    }
    if ((int)r->dtype < 0 || r->dtype >= ncclNumTypes) {
        sim_warn("%s : invalid type %d", sim_request_name(r->fn), (int)r->dtype);
        return ncclInvalidArgument;
    }
    if (r->op < 0) {
        sim_warn("%s : invalid reduction operation %d", sim_request_name(r->fn), r->op);
        return ncclInvalidArgument;
    }
    if (r->op >= ncclNumOps && !redop_find(cr, r->op)) {
        sim_warn("%s : reduction operation %d unknown to this communicator", sim_request_name(r->fn), r->op);
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

/* The checks that NCCL makes only when there is something to do. */
static int check_reduction(const struct request *r, struct comm_rank *cr)
{
    bool fp8 = ncs_dtype_is_float((int)r->dtype) && ncs_dtype_bytes((int)r->dtype) == 1;
    if (!ncs_fn_info[r->fn].reduces)
        return ncclSuccess;
    if (fp8 && cr->comm->least_capability < 90) {
        sim_warn("FP8 reduction support begins with sm90 capable devices.");
        return ncclInvalidArgument;
    }
    if (fp8 && cr->nranks == 1 && r->op >= ncclAvg)
        return ncclInvalidArgument; /* the one-rank kernels are built without fp8 */
    const struct redop *redop = r->op >= ncclNumOps ? redop_find(cr, r->op) : NULL;
    if (redop && redop->dtype != (int)r->dtype) {
        sim_warn("Data type supplied to user-created ncclRedOp_t does not match type given to "
                 "reduction operation");
        return ncclInvalidArgument;
    }
    return ncclSuccess;
}

static struct part *make_part(const struct request *r, struct comm_rank *cr, struct stream *stream)
{
    struct part *p = sim_new(sizeof *p);
    *p = (struct part){ .fn = r->fn,
                        .cr = cr,
                        .stream = stream,
                        .send = r->send,
                        .recv = r->recv,
                        .count = r->count,
                        .dtype = (int)r->dtype,
                        .op = r->op,
                        .root = r->root };
    if (r->op >= ncclNumOps) {
        /* Copied now, because the operator may be destroyed as soon as the call has returned. */
        const struct redop *redop = redop_find(cr, r->op);
        p->op = ncclSum;
        p->premul = true;
        if (redop->on_device)
            p->scalar_pointer = redop->pointer;
        else
            memcpy(p->scalar, redop->scalar, sizeof p->scalar);
    }
    sim_part_measure(p);
    sim_comm_hold(cr);
    sim_stream_ref(stream);
    p->call = ncs_local ? ncs_local->call : NULL;
    ncs_call_pin(p->call);
    p->capture = stream->capture ? stream->capture->id : 0;
    if (p->capture && p->call)
        p->call->captured = true;
    return p;
}

/* As in NCCL's log, a send's buffer appears in the column of the receive buffer. */
static void log_request(const struct request *r, const struct comm_rank *cr)
{
    if (!sim_info_wanted(LOG_COLL) && !sim_trace_wanted())
        return;
    bool sends = r->fn == NCS_FN_ncclSend;
    uint64_t send = sends ? 0 : sim_memory_address(r->send), recv = sim_memory_address(sends ? r->send : r->recv);
    struct log_pointer comm = sim_log_pointer(cr->handle), stream = sim_log_pointer(sim_stream_name(r->stream));
    if (sim_info_wanted(LOG_COLL))
        sim_info(LOG_COLL,
                 "%s: opCount %" PRIx64 " sendbuff %s recvbuff %s count %zu datatype %d op %d root %d "
                 "comm %s [nranks=%d] stream %s",
                 sim_request_name(r->fn), cr->launches, LOG_POINTER(send), LOG_POINTER(recv), r->count, (int)r->dtype, r->op,
                 r->root, comm.text, cr->nranks, stream.text);
    sim_trace("nccl%s(%" PRIx64 ",%" PRIx64 ",%zu,%d,%d,%d,%s,%s)", sim_request_name(r->fn), send, recv, r->count, (int)r->dtype,
              r->op, r->root, comm.text, stream.text);
}

static void queue_composed(struct context *c, struct part *whole)
{
    if (sim_composed_whole(whole)) {
        sim_group_add_part(c, whole);
        return;
    }
    struct part **part = ncs_new(2 * (size_t)whole->cr->nranks * sizeof(struct part *));
    size_t count = sim_composed_call(whole, part);
    for (size_t i = 0; i < count; i++)
        sim_group_add_part(c, part[i]);
    ncs_free(part);
}

/* A communicator of one rank copies at once, even inside a group. */
static void run_alone(struct part *p, bool composed)
{
    if (composed)
        sim_composed_alone(p);
    sim_launch_enqueue(p->cr, &p, 1);
}

/* Runs NCCL's checks in their order, then queues the call in the group. */
static int queue_request(struct context *c, const struct request *r, const struct one_sided *o)
{
    struct comm_rank *cr;
    int rc = sim_comm_check(r->comm, sim_request_name(r->fn), &cr);
    if (rc)
        return rc;
    if (cr->state == COMM_REVOKED) {
        sim_warn("%s: communicator was revoked", sim_request_name(r->fn));
        return ncclInvalidUsage;
    }
    rc = sim_comm_ready(cr);
    if (!rc && (cr->state == COMM_FINAL || cr->suspended)) {
        sim_crash(cr->suspended ? "it uses a communicator that is suspended" : "it uses a communicator after ncclCommFinalize");
        rc = ncclInvalidArgument;
    }
    if (!rc && cr->resets != cr->gpu->resets)
        rc = sim_cuda_failed_in_nccl(c, cudaErrorContextIsDestroyed);
    if (!rc && cr->gpu->fault)
        rc = sim_cuda_failed_in_nccl(c, cr->gpu->fault);
    if (!rc)
        rc = check_arguments(r, cr);
    const struct ncs_fn_info *info = &ncs_fn_info[r->fn];
    bool one_sided = info->one_sided, pair = info->pair;
    if (!rc && cr->checks && !one_sided && !(pair && r->count == 0))
        rc = sim_check_pointers(cr,
                                &(struct check_call){ sim_request_name(r->fn), pair, info->reads == NCS_BLOCKS_ROOT_ONE,
                                                      info->writes == NCS_BLOCKS_ROOT_ONE, r->send, r->recv },
                                r->root == cr->rank);
    if (!rc)
        rc = sim_cuda_refusal_in_nccl(c);
    if (rc)
        return rc;
    log_request(r, cr);
    bool collective = !one_sided && !pair;
    if (r->count == 0 && collective)
        return ncclSuccess; /* queues nothing and waits for no rank */
    struct rma *rma = NULL;
    rc = one_sided ? sim_rma_check(r, o, cr, &rma) : check_reduction(r, cr);
    if (rc)
        return rc;
    bool at_once = cr->nranks == 1 && collective;
    struct stream *stream = at_once ? sim_stream_with_room(c, r->stream, cr->gpu->device)
                                    : sim_stream_find(c, r->stream, cr->gpu->device);
    /* A copy within one rank runs on any stream; a kernel only on one of its own device. */
    if (!stream || (at_once && r->op >= ncclNumOps && stream->gpu != cr->gpu)) {
        sim_rma_free(rma);
        return sim_cuda_failed_in_nccl(c, cudaErrorInvalidResourceHandle);
    }
    int refused = sim_capture_refuses(stream);
    if (!refused && one_sided) /* one-sided calls in graphs are not simulated */
        refused = sim_capture_unsupported(stream, cudaErrorNotSupported);
    if (refused) {
        sim_rma_free(rma);
        return sim_cuda_failed_in_nccl(c, refused);
    }
    struct part *p = make_part(r, cr, stream);
    p->rma = rma;
    if (at_once)
        run_alone(p, info->composed);
    else if (info->composed)
        queue_composed(c, p);
    else
        sim_group_add_part(c, p);
    return ncclSuccess;
}

ncclResult_t sim_request_submit(const struct request *r, const struct one_sided *o)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    sim_group_begin(c);
    int rc = queue_request(c, r, o);
    if (rc)
        sim_comm_fail(r->comm, rc);
    return sim_group_leave(c, rc);
}

ncclResult_t sim_ncclGroupStart(void)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    sim_group_begin(c);
    sim_trace("ncclGroupStart()");
    return ncclSuccess;
}

/* NCCL traces a group end only after it has succeeded. */
static ncclResult_t nccl_end_group(const char *name, int rc)
{
    if (rc == ncclSuccess)
        sim_trace("%s()", name);
    return rc;
}

ncclResult_t sim_ncclGroupEnd(void)
{
    struct context *c = sim_context_enter();
    return c ? nccl_end_group("ncclGroupEnd", sim_group_end(c)) : ncclSuccess;
}

ncclResult_t sim_ncclGroupSimulateEnd(ncclSimInfo_t *simInfo)
{
    struct context *c = sim_context_enter();
    return c ? nccl_end_group("ncclGroupSimulateEnd", sim_group_simulate(c, simInfo)) : ncclSuccess;
}

/* The operator freed last is used first, as in NCCL, so a stale handle may name the newest operator. */
static size_t take_slot(struct comm_rank *cr)
{
    if (cr->free_redop > 0) {
        size_t slot = cr->free_redop - 1;
        cr->free_redop = cr->redop[slot].next_free;
        return slot;
    }
    NCS_PUSH(cr->redop, cr->redops, cr->redops_room, (struct redop){ 0 });
    return cr->redops - 1;
}

ncclResult_t sim_ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t datatype, ncclScalarResidence_t residence,
                                          ncclComm_t comm)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    struct comm_rank *cr;
    int rc = sim_comm_check(comm, "ncclRedOpCreatePreMulSum", &cr);
    if (!rc)
        rc = sim_comm_ready(cr);
    if (rc)
        return rc;
    size_t bytes = ncs_dtype_bytes((int)datatype);
    bool host = residence == ncclScalarHostImmediate;
    const struct allocation *a = host ? sim_memory_find(scalar) : NULL;
    const char *crash = !op                             ? "op is NULL"
                        : !scalar                       ? "scalar is NULL"
                        : a && a->kind == MEMORY_DEVICE ? "scalar is memory of the device, and the host reads it"
                        : host && !sim_memory_usable(c->process, scalar, bytes) ? "scalar is no memory of the host"
                                                                                : NULL;
    if (crash) {
        sim_crash(crash);
        return ncclInvalidArgument;
    }
    size_t slot = take_slot(cr);
    struct redop *r = &cr->redop[slot];
    *r = (struct redop){ .live = true, .dtype = (int)datatype, .on_device = !host, .pointer = scalar };
    if (!r->on_device) {
        if (bytes == 0)
            return ncclInternalError; /* and the slot stays taken, as in NCCL */
        memcpy(r->scalar, scalar, bytes);
    }
    *op = (ncclRedOp_t)(((int)slot + ncclNumOps) ^ handle_mask(cr));
    sim_trace("ncclRedOpCreatePreMulSum(%d,%s,%d,%d,%s)", (int)*op, LOG_POINTER(sim_memory_address(scalar)), (int)datatype,
              (int)residence, LOG_POINTER(cr->handle));
    return ncclSuccess;
}

ncclResult_t sim_ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    struct context *c = sim_context_enter();
    if (!c)
        return ncclSuccess;
    const char *problem = NULL;
    struct comm_rank *cr = comm ? sim_comm_find(comm) : NULL;
    struct redop *redop = cr ? redop_find(cr, (int)op) : NULL;
    if ((int)op >= 0 && (int)op < ncclNumOps)
        problem = " operator is a NCCL builtin.";
    else if ((int)op < 0)
        problem = "  operator is garbage.";
    else if (!comm)
        problem = " invalid communicator passed.";
    else if (!redop)
        problem = " operator unknown to this communicator.";
    if (problem) {
        sim_warn("ncclRedOpDestroy :%s", problem);
        return ncclInvalidArgument;
    }
    redop->live = false;
    redop->next_free = cr->free_redop;
    cr->free_redop = (size_t)(redop - cr->redop) + 1;
    sim_trace("ncclRedOpDestroy(%d,%s)", (int)op, LOG_POINTER(cr->handle));
    return ncclSuccess;
}
