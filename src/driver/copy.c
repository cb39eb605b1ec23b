/* Copies the data of collectives. Calls of one communicator in a group (or one call alone) share a
 * launch, whose copies go onto the stream of its first call. NCCL orders a launch after all streams that
 * the group gives for the communicator, and these streams after it; with several streams, events do the
 * same for the copies. */
#include "api/journal.h"
#include "api/types.h"
#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/stage.h"
#include "driver/world.h"

struct real_event {
    cudaEvent_t handle;
    int process, device;
};

void ncs_copy_close(void)
{
    for (size_t i = 0; i < ncs_real.events.count; i++)
        ncs_real.plain->cudaEventDestroy(ncs_real.events.free[i].handle);
    ncs_free(ncs_real.events.free);
    ncs_real.events.free = NULL;
    ncs_real.events.count = ncs_real.events.room = 0;
}

/* ---- events ---- */

cudaEvent_t ncs_copy_take_event(int device)
{
    cudaEvent_t event = NULL;
    for (size_t i = 0; i < ncs_real.events.count; i++)
        if (ncs_real.events.free[i].process == far_here() && ncs_real.events.free[i].device == device) {
            event = ncs_real.events.free[i].handle;
            ncs_real.events.free[i] = ncs_real.events.free[--ncs_real.events.count];
            return event;
        }
    return ncs_real.plain->cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess ? event : NULL;
}

void ncs_copy_give_event(cudaEvent_t event, int device)
{
    struct real_event e = { event, far_process_of(event), device };
    NCS_PUSH(ncs_real.events.free, ncs_real.events.count, ncs_real.events.room, e);
}

/* ---- the thread's last error in CUDA ---- */

cudaError_t ncs_copy_standing_error(void)
{
    return ncs_real.plain->cudaPeekAtLastError ? ncs_real.plain->cudaPeekAtLastError() : cudaSuccess;
}

/* Switches to the launch's device; returns the device to switch back to, -1 = it is the same. */
int ncs_copy_enter(const struct stage_launch *l)
{
    int device = -1;
    if (l->line->device < 0 || !ncs_real.plain->cudaGetDevice || !ncs_real.plain->cudaSetDevice ||
        ncs_real.plain->cudaGetDevice(&device) != cudaSuccess || device == l->line->device)
        return -1;
    ncs_real.plain->cudaSetDevice(l->line->device);
    return device;
}

/* Switches back, and clears errors of the copies. */
void ncs_copy_leave(int device)
{
    if (device >= 0)
        ncs_real.plain->cudaSetDevice(device);
    if (ncs_real.plain->cudaGetLastError && ncs_copy_standing_error() != cudaSuccess)
        ncs_real.plain->cudaGetLastError();
}

/* ---- copies ---- */

static const void *scalar_of(const struct ncs_call *call)
{
    return call->redop && call->redop->on_device ? call->redop->pointer : NULL;
}

/* True if memory is of a kind that can be copied in the order of a stream. */
static bool is_copied_in_order(const void *p)
{
    struct cudaPointerAttributes a;
    if (!ncs_real.plain->cudaPointerGetAttributes)
        return true;
    return ncs_real.plain->cudaPointerGetAttributes(&a, p) == cudaSuccess && a.type != cudaMemoryTypeUnregistered;
}

static bool fits(const void *p, size_t bytes)
{
    return bytes == 0 || (p && is_copied_in_order(p));
}

/* Reserves memory for the part's copies: for all of them, or for none. */
void ncs_copy_make_room(struct stage_part *p)
{
    size_t in, out, all;
    const void *scalar = scalar_of(p->call);
    bool counted = ncs_meet_extent(p->call, p->line->nranks, &in, &out);
    if (!counted || (in == 0 && out == 0))
        return;
    p->lost = NCS_UNVERIFIED_COPY;
    if (!fits(ncs_call_sendbuff(p->call), in) || !fits(ncs_call_recvbuff(p->call), out) ||
        (scalar && !is_copied_in_order(scalar)))
        return;
    p->lost = NCS_UNVERIFIED_ROOM;
    size_t in_room = (in + 15) / 16 * 16, out_room = (out + 15) / 16 * 16;
    if (__builtin_add_overflow(in_room, out_room, &all) || all > SIZE_MAX - 16)
        return;
    unsigned char *memory = ncs_pinned_take(p->arena, all + 16);
    if (!memory)
        return;
    p->lost = NCS_FIT;
    p->memory = memory;
    p->in = in ? memory : NULL;
    p->out = out ? memory + in_room : NULL;
    p->scalar = scalar ? memory + all : NULL;
}

void ncs_copy_lose(struct stage_launch *l, enum ncs_unverified why)
{
    for (struct stage_part *p = l->first; p; p = p->next) {
        p->in = p->out = p->scalar = NULL;
        p->lost = p->lost ? p->lost : why;
    }
}

static bool copy(void *to, const void *from, size_t bytes, cudaStream_t stream)
{
    return !to || ncs_real.plain->cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream) == cudaSuccess;
}

/* Makes the first stream wait for the others, or with `others` the others for the first. */
static bool join_streams(const struct stage_launch *l, cudaEvent_t event, bool others)
{
    bool ok = true;
    for (int i = 1; i < l->streams && ok; i++) {
        cudaStream_t from = l->stream[others ? 0 : i], to = l->stream[others ? i : 0];
        ok = ncs_real.plain->cudaEventRecord(event, from) == cudaSuccess &&
             ncs_real.plain->cudaStreamWaitEvent(to, event, 0) == cudaSuccess;
    }
    return ok;
}

bool ncs_copy_inputs(const struct stage_launch *l)
{
    bool ok = join_streams(l, l->done, false);
    for (const struct stage_part *p = l->first; p && ok; p = p->next) {
        size_t in, out;
        ncs_meet_extent(p->call, p->line->nranks, &in, &out);
        ok = copy((void *)p->in, ncs_call_sendbuff(p->call), in, l->stream[0]) &&
             copy((void *)p->scalar, scalar_of(p->call), ncs_dtype_bytes(ncs_call_dtype(p->call)), l->stream[0]);
    }
    return ok;
}

bool ncs_copy_outputs(const struct stage_launch *l)
{
    bool ok = true;
    for (const struct stage_part *p = l->first; p && ok; p = p->next) {
        size_t in, out;
        ncs_meet_extent(p->call, p->line->nranks, &in, &out);
        if (!p->call->unverified)
            ok = copy((void *)p->out, ncs_call_recvbuff(p->call), out, l->stream[0]);
    }
    return ok && join_streams(l, l->done, true);
}
