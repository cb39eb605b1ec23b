/* Reads calls one by one: the operations that each enqueues or waits for, and the memory that they use. */
#include "api/types.h"
#include "diagnose/hazard/private.h"

#define MOST_ROWS 256 /* of a 2D copy or fill; memory of one with more rows is not checked */

struct ncs_hazards *ncs_hazards_open(const struct ncs_journal *journal, const struct ncs_hazards_options *options)
{
    struct ncs_hazards *h = ncs_new(sizeof *h);
    h->journal = journal;
    h->options = *options;
    return h;
}

static void free_rank(struct rank *r)
{
    hazard_forget_reads(r);
    hazard_free_launches(r);
    hazard_free_memory(r);
    hazard_free_order(r);
    ncs_free(r);
}

void ncs_hazards_close(struct ncs_hazards *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->ranks; i++)
        if (h->rank[i])
            free_rank(h->rank[i]);
    for (size_t i = 0; i < h->founds; i++) {
        ncs_call_unpin(h->found[i].earlier);
        ncs_call_unpin(h->found[i].later);
        ncs_call_unpin(h->found[i].sync);
        for (size_t k = 0; k < h->found[i].ats; k++)
            ncs_call_unpin(h->found[i].at[k].named);
        ncs_free(h->found[i].at);
    }
    ncs_free(h->rank);
    ncs_free(h->found);
    ncs_free(h->missed);
    ncs_map_free(&h->tainted);
    ncs_free(h);
}

/* ---- operations of CUDA ---- */

static struct stream *stream_of(struct rank *r, const struct ncs_call *call)
{
    const void *handle = ncs_call_stream(call);
    bool relative = !handle || handle == (const void *)cudaStreamLegacy || handle == (const void *)cudaStreamPerThread;
    return hazard_stream(r, handle, relative ? hazard_device(r, call) : -1, call);
}

/* A copy on the null stream between two devices begins when all earlier work of either has ended, and ends before later
 * work of either begins (CUDA programming guide, "Peer-to-Peer Memory Copy"). A copy between the host and memory of a device
 * that is not the current one is taken for such a copy: the guide does not say which device's null stream it is on. Only
 * where one process has several devices. */
static struct stream *other_null_stream(struct rank *r, const struct stream *own, const struct piece *p,
                                        const struct ncs_call *call)
{
    bool asks = own->legacy && r->all->options.one_process;
    const struct block *b = asks ? hazard_block(r, p->from) : NULL;
    bool is_other = b && b->on_device && b->device != own->device;
    return is_other ? hazard_stream(r, NULL, b->device, call) : NULL;
}

/* One operation in a stream; `waited`: the host waits for it. */
static void hazard_operate(struct rank *r, struct ncs_call *call, const struct piece *piece, size_t count, bool waited)
{
    struct stream *stream = stream_of(r, call);
    struct clock *after = &r->scratch;
    hazard_copy(after, &stream->clock);
    hazard_before(r, stream, after);
    for (size_t i = 0; i < count; i++) {
        const struct stream *other = other_null_stream(r, stream, &piece[i], call);
        if (other)
            hazard_before(r, other, after);
    }
    struct step s = { .call = call, .after = after, .lane = stream->lane };
    if (!waited)
        s.tick = ++r->tick[stream->lane];
    for (size_t i = 0; i < count; i++) {
        hazard_look(r, &s, &piece[i]);
        if (waited)
            hazard_look_in_group(r, &s, &piece[i]);
        hazard_look_ahead(r, &s, stream, &piece[i]);
    }
    if (waited)
        s.call = NULL; /* it has ended when its call returns: every later use is ordered behind it */
    for (size_t i = 0; i < count; i++)
        if (!waited || (piece[i].does & NCS_TOUCH_WRITE))
            hazard_note(r, &s, &piece[i]);
    if (!waited)
        hazard_set(after, s.lane, s.tick);
    hazard_copy(&stream->clock, after);
    for (size_t i = 0; i < count; i++) {
        struct stream *other = other_null_stream(r, stream, &piece[i], call);
        if (other)
            hazard_join(&other->clock, after);
    }
    if (waited)
        hazard_join(&r->host, after);
}

static bool is_on_device(struct rank *r, const void *p)
{
    const struct block *b = hazard_block(r, (uintptr_t)p);
    return b && b->on_device;
}

static bool is_pageable(struct rank *r, const void *p)
{
    return !hazard_block(r, (uintptr_t)p);
}

/* An operation on rows of one side (a fill) or two (a copy). */
static void operate_on_rows(struct rank *r, struct ncs_call *call, const struct piece *side, const size_t *pitch, size_t sides,
                            size_t rows, bool waited)
{
    if (rows > MOST_ROWS) {
        hazard_operate(r, call, NULL, 0, waited);
        return;
    }
    struct piece *piece = ncs_new(sides * rows * sizeof *piece);
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < sides; k++) {
            piece[count] = side[k];
            piece[count++].from += i * pitch[k];
        }
    hazard_operate(r, call, piece, count, waited);
    ncs_free(piece);
}

/* cudaMemcpy does not wait for a copy between device memories, and even cudaMemcpyAsync waits for a copy to pageable
 * host memory (CUDA runtime API, "API synchronization behavior"). */
static void copy_memory(struct rank *r, struct ncs_call *call, bool synchronous)
{
    const union ncs_arg *dst = ncs_call_arg(call, NCS_ARG_OUT), *src = ncs_call_arg(call, NCS_ARG_IN);
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
    const union ncs_arg *height = ncs_call_arg(call, NCS_ARG_HEIGHT);
    size_t row = bytes ? (size_t)bytes->u : (size_t)ncs_call_arg(call, NCS_ARG_WIDTH)->u;
    const struct piece side[2] = { { (uintptr_t)src->p, row, NCS_TOUCH_READ }, { (uintptr_t)dst->p, row, NCS_TOUCH_WRITE } };
    bool between = is_on_device(r, dst->p) && is_on_device(r, src->p);
    bool waited = is_pageable(r, dst->p) || (synchronous && !between);
    if (!height) {
        hazard_operate(r, call, side, 2, waited);
        return;
    }
    const size_t pitch[2] = { (size_t)call->arg[3].u, (size_t)call->arg[1].u };
    operate_on_rows(r, call, side, pitch, 2, (size_t)height->u, waited);
}

/* cudaMemset waits only if the target is pinned or managed memory (CUDA runtime API, "API synchronization behavior"). */
static void set(struct rank *r, struct ncs_call *call, bool synchronous)
{
    const void *dst = ncs_call_arg(call, NCS_ARG_OUT)->p;
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
    const union ncs_arg *height = ncs_call_arg(call, NCS_ARG_HEIGHT);
    size_t row = bytes ? (size_t)bytes->u : (size_t)ncs_call_arg(call, NCS_ARG_WIDTH)->u;
    const struct piece side = { (uintptr_t)dst, row, NCS_TOUCH_WRITE };
    bool waited = synchronous && !is_on_device(r, dst);
    const size_t pitch = (size_t)call->arg[1].u;
    operate_on_rows(r, call, &side, &pitch, 1, height ? (size_t)height->u : 1, waited);
}

static void hazard_add(struct rank *r, struct ncs_call *call)
{
    size_t bytes = ncs_call_count(call) * ncs_dtype_bytes(ncs_call_dtype(call));
    const struct piece side[2] = {
        { (uintptr_t)call->arg[1].p, bytes, NCS_TOUCH_READ },
        { (uintptr_t)call->arg[0].p, bytes, NCS_TOUCH_READ | NCS_TOUCH_WRITE },
    };
    hazard_operate(r, call, side, 2, false);
}

/* ---- memory ---- */

static void allocate(struct rank *r, const struct ncs_call *call, bool on_device)
{
    const union ncs_arg *bytes = ncs_call_arg(call, NCS_ARG_BYTES);
    size_t size = bytes ? (size_t)bytes->u : (size_t)(call->arg[2].u * call->arg[3].u);
    hazard_add_block(r, ncs_call_arg(call, NCS_ARG_MEMORY_OUT)->p, size, hazard_device(r, call), on_device);
}

static void touch_all(struct rank *r, struct ncs_call *call, struct block *b, const struct clock *after, bool waited)
{
    struct step s = { .call = call, .after = after ? (struct clock *)after : &r->host, .tick = !waited };
    struct piece all = { b->base, b->end - b->base, NCS_TOUCH_FREE };
    hazard_look(r, &s, &all);
}

/* Functions that free wait for all streams. They do not cover work that is not on a stream yet: calls of an open group
 * and launches in progress. */
static void hazard_release(struct rank *r, struct ncs_call *call)
{
    struct block *b = hazard_block(r, (uintptr_t)call->arg[0].p);
    hazard_drain(r, -1);
    if (!b)
        return;
    touch_all(r, call, b, NULL, true);
    hazard_drop_block(r, b);
}

static void release_in_stream(struct rank *r, struct ncs_call *call)
{
    struct block *b = hazard_block(r, (uintptr_t)call->arg[0].p);
    struct stream *stream = stream_of(r, call);
    if (call->arg[0].p)
        hazard_operate(r, call, NULL, 0, false);
    if (!b)
        return;
    touch_all(r, call, b, &stream->clock, false);
    hazard_drop_block(r, b);
}

/* ---- streams, events, waits ---- */

/* A wait for the legacy stream covers all blocking streams, as an operation on it would wait for these. */
static void hazard_wait_stream(struct rank *r, struct ncs_call *call)
{
    struct stream *s = stream_of(r, call);
    hazard_in_vain(r, call, s);
    if (s->legacy)
        hazard_before(r, s, &r->host);
    else
        hazard_join(&r->host, &s->clock);
}

static struct event *event_of(struct rank *r, const void *handle)
{
    struct event *e = ncs_map_get(&r->events, ncs_map_key(handle));
    if (!e) {
        e = ncs_new(sizeof *e);
        ncs_map_put(&r->events, ncs_map_key(handle), e);
    }
    return e;
}

static void end_event(struct rank *r, const void *handle)
{
    struct event *e = ncs_map_remove(&r->events, ncs_map_key(handle));
    if (e)
        ncs_free(e->clock.at);
    ncs_free(e);
}

static void record(struct rank *r, struct ncs_call *call)
{
    struct stream *s = stream_of(r, call);
    struct event *e = event_of(r, call->arg[0].p);
    hazard_in_vain(r, call, s);
    hazard_copy(&e->clock, &s->clock);
    hazard_before(r, s, &e->clock);
    hazard_copy(&s->clock, &e->clock);
}

static void wait_event_in_stream(struct rank *r, const struct ncs_call *call)
{
    struct stream *s = stream_of(r, call);
    const struct event *e = ncs_map_get(&r->events, ncs_map_key(call->arg[1].p));
    hazard_copy(&r->scratch, &s->clock);
    hazard_before(r, s, &r->scratch);
    if (e)
        hazard_join(&r->scratch, &e->clock);
    hazard_copy(&s->clock, &r->scratch);
}

static void hazard_wait_event(struct rank *r, const void *handle)
{
    const struct event *e = ncs_map_get(&r->events, ncs_map_key(handle));
    if (e)
        hazard_join(&r->host, &e->clock);
}

/* A host function runs behind the work on its stream. If the host learns that the function ran, by a flag or a poll, it
 * knows that this work has ended. */
static void call_host(struct rank *r, struct ncs_call *call)
{
    hazard_operate(r, call, NULL, 0, false);
    hazard_join(&r->callbacks, &stream_of(r, call)->clock);
}

static void wait_device(struct rank *r, struct ncs_call *call)
{
    hazard_in_vain(r, call, NULL);
    hazard_drain(r, hazard_device(r, call));
}

/* The host may have learned by now that the enqueued host functions ran. */
static void hear(struct rank *r)
{
    hazard_join(&r->host, &r->callbacks);
}

static struct rank *rank_of(struct ncs_hazards *h, int rank)
{
    int process = h->options.process ? h->options.process() : 0;
    return hazard_rank(h, h->options.one_process ? process : rank);
}

void ncs_hazards_waited(struct ncs_hazards *h, int rank)
{
    if (rank >= 0)
        hear(rank_of(h, rank));
}

void ncs_hazards_kernel(struct ncs_hazards *h)
{
    struct rank *r = rank_of(h, 0);
    for (struct block *b = NULL; (b = hazard_next_block(r, b ? b->base : 0));)
        hazard_drop_hollows(b);
}

/* ---- the table ---- */

static bool succeeded(const struct ncs_call *call)
{
    return call->rc == 0 || (ncs_fn_info[call->fn].lib == NCS_LIB_NCCL && call->rc == ncclInProgress);
}

static void hazard_put(struct rank *r, struct ncs_call *call)
{
    switch ((int)call->fn) {
    case NCS_FN_cudaMemcpy:
    case NCS_FN_cudaMemcpy2D:
    case NCS_FN_cudaMemcpyPeer: copy_memory(r, call, true); break;
    case NCS_FN_cudaMemcpyAsync:
    case NCS_FN_cudaMemcpy2DAsync:
    case NCS_FN_cudaMemcpyPeerAsync: copy_memory(r, call, false); break;
    case NCS_FN_cudaMemset:
    case NCS_FN_cudaMemset2D: set(r, call, true); break;
    case NCS_FN_cudaMemsetAsync:
    case NCS_FN_cudaMemset2DAsync: set(r, call, false); break;
    case NCS_FN_ncsAdd: hazard_add(r, call); break;
    case NCS_FN_cudaLaunchHostFunc:
    case NCS_FN_cudaStreamAddCallback: call_host(r, call); break;
    case NCS_FN_cudaMalloc:
    case NCS_FN_cudaMallocAsync:
    case NCS_FN_cudaMallocFromPoolAsync:
    case NCS_FN_cudaMallocPitch:
    case NCS_FN_ncclMemAlloc: allocate(r, call, true); break;
    case NCS_FN_cudaMallocHost:
    case NCS_FN_cudaHostAlloc:
    case NCS_FN_cudaMallocManaged: allocate(r, call, false); break;
    case NCS_FN_cudaHostRegister:
        hazard_add_block(r, call->arg[0].p, (size_t)call->arg[1].u, hazard_device(r, call), false);
        break;
    case NCS_FN_cudaFree:
    case NCS_FN_cudaFreeHost:
    case NCS_FN_cudaHostUnregister:
    case NCS_FN_ncclMemFree: hazard_release(r, call); break;
    case NCS_FN_cudaFreeAsync: release_in_stream(r, call); break;
    }
}

static void order(struct rank *r, struct ncs_call *call)
{
    switch ((int)call->fn) {
    case NCS_FN_cudaSetDevice: hazard_thread(r, call)->device = (int)call->arg[0].i; break;
    case NCS_FN_cudaStreamCreate: hazard_new_stream(r, call->arg[0].p, hazard_device(r, call), true); break;
    case NCS_FN_cudaStreamCreateWithFlags:
    case NCS_FN_cudaStreamCreateWithPriority:
        hazard_new_stream(r, call->arg[0].p, hazard_device(r, call), !(call->arg[1].u & cudaStreamNonBlocking));
        break;
    case NCS_FN_cudaStreamDestroy: hazard_end_stream(r, call->arg[0].p); break;
    case NCS_FN_cudaStreamSynchronize: hazard_wait_stream(r, call); break;
    case NCS_FN_cudaStreamQuery:
        hazard_wait_stream(r, call);
        hear(r);
        break;
    case NCS_FN_cudaStreamWaitEvent: wait_event_in_stream(r, call); break;
    case NCS_FN_cudaEventRecord:
    case NCS_FN_cudaEventRecordWithFlags: record(r, call); break;
    case NCS_FN_cudaEventQuery:
    case NCS_FN_cudaEventSynchronize:
        hazard_wait_event(r, call->arg[0].p);
        hear(r);
        break;
    case NCS_FN_cudaEventElapsedTime:
        hazard_wait_event(r, call->arg[1].p);
        hazard_wait_event(r, call->arg[2].p);
        break;
    case NCS_FN_cudaEventDestroy: end_event(r, call->arg[0].p); break;
    case NCS_FN_cudaDeviceSynchronize: wait_device(r, call); break;
    case NCS_FN_cudaStreamBeginCapture:
    case NCS_FN_cudaDeviceReset:
    case NCS_FN_cudaIpcOpenEventHandle: /* it has two handles from now on */ r->blind = true; break;
    }
}

static void communicate(struct rank *r, struct ncs_call *call)
{
    switch ((int)call->fn) {
    case NCS_FN_ncclGroupStart: hazard_thread(r, call)->depth++; break;
    case NCS_FN_ncclCommGetAsyncError:
        if (call->arg[1].i == ncclSuccess)
            hazard_settled(r, call);
        else if (hazard_breaks_calls((int)call->arg[1].i))
            hazard_cut_short(r, call);
        break;
    case NCS_FN_ncclCommAbort:
        hazard_cut_short(r, call);
        hazard_end_line(r, call, true);
        break;
    case NCS_FN_ncclCommDestroy: hazard_end_line(r, call, true); break;
    case NCS_FN_ncclCommFinalize: hazard_end_line(r, call, false); break;
    case NCS_FN_ncclCommShrink:
        if (!(call->arg[5].i & NCCL_SHRINK_ABORT))
            break;
        /* fallthrough */
    case NCS_FN_ncclCommRevoke:
        hazard_cut_short(r, call);
        hazard_end_line(r, call, false);
        break;
    case NCS_FN_ncclCommWindowRegister: hazard_share(r, ncs_call_arg(call, NCS_ARG_MEMORY)->p); break;
    default:
        if (ncs_fn_info[call->fn].counted)
            hazard_communicate(r, call);
    }
}

void ncs_hazards_call(struct ncs_hazards *h, struct ncs_call *call)
{
    if (call->rank < 0)
        return;
    struct rank *r = rank_of(h, call->rank);
    if (r->blind)
        return;
    if (h->options.one_process)
        hear(r);
    if (ncs_fn_info[call->fn].closes_group)
        hazard_group_end(r, call);
    else if (!succeeded(call))
        return;
    else if (ncs_fn_info[call->fn].lib == NCS_LIB_NCCL && call->fn != NCS_FN_ncclMemAlloc && call->fn != NCS_FN_ncclMemFree)
        communicate(r, call);
    else {
        hazard_put(r, call);
        order(r, call);
    }
}
