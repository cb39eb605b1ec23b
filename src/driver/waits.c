/* Replaces functions that block until a device has finished by polls, so that a rank that waits in vain
 * can be told to stop. Runs host functions in streams as the rank that enqueued them. */
#include <string.h>

#include "api/journal.h"
#include "api/local.h"
#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/stage.h"
#include "driver/token.h"
#include "driver/world.h"

/* Pause between polls of a stream in ns: short at first, for work that is nearly done. */
#define SHORTEST ((int64_t)5000)
#define LONGEST ((int64_t)1000000)

struct real_stream {
    cudaStream_t handle;
    int process, device;
    bool blocking; /* in order with the legacy stream */
};

static int current_device(void)
{
    int device = 0;
    if (ncs_real.plain->cudaGetDevice(&device) != cudaSuccess)
        device = 0;
    return device;
}

static void remember(cudaStream_t handle, bool blocking)
{
    struct real_stream s = { handle, far_here(), current_device(), blocking };
    NCS_PUSH(ncs_real.streams.stream, ncs_real.streams.count, ncs_real.streams.room, s);
}

static void forget_tasks(void);

static void forget(cudaStream_t handle)
{
    for (size_t i = 0; i < ncs_real.streams.count; i++)
        if (ncs_real.streams.stream[i].handle == handle) {
            ncs_real.streams.stream[i] = ncs_real.streams.stream[--ncs_real.streams.count];
            return;
        }
}

void ncs_waits_forget(void)
{
    ncs_free(ncs_real.streams.stream);
    ncs_real.streams.stream = NULL;
    ncs_real.streams.count = ncs_real.streams.room = 0;
    forget_tasks();
}

/* ---- waiting by looking ---- */

/* Clears cudaErrorNotReady, which a poll leaves as the thread's last error: the script did not poll. */
static void unmark(cudaError_t before)
{
    if (before == cudaSuccess && ncs_real.plain->cudaGetLastError && ncs_real.plain->cudaPeekAtLastError &&
        ncs_real.plain->cudaPeekAtLastError() == cudaErrorNotReady)
        ncs_real.plain->cudaGetLastError();
}

/* Notes progress of launches. True: NCCL has reported an error, which ends the wait. */
static bool has_failed(void)
{
    ncclComm_t comm;
    if (!ncs_local || !ncs_real_self || ncs_token_over())
        return false;
    ncclResult_t error = ncs_stage_line_error(ncs_local->rank, &comm);
    ncs_stage_look();
    if (error == ncclSuccess)
        return false;
    ncs_local->async_error = (int)error;
    ncs_local->async_comm = comm;
    ncs_real_self->failed = true;
    return true;
}

/* Polls until the result is not "not ready"; returns "not ready" if the run is over. */
static cudaError_t watch(cudaError_t (*look)(const void *what), const void *what)
{
    cudaError_t before = ncs_copy_standing_error();
    cudaError_t rc = look(what);
    for (int64_t pause = SHORTEST; rc == cudaErrorNotReady; rc = look(what)) {
        unmark(before);
        if (!ncs_token_pause(pause))
            return rc;
        if (pause == LONGEST && has_failed())
            return cudaErrorUnknown;
        pause = pause < LONGEST ? pause * 2 : LONGEST;
    }
    unmark(before);
    return has_failed() ? cudaErrorUnknown : rc;
}

/* True if the wait was given up: the run is over, or NCCL has reported an error. */
static bool is_given_up(cudaError_t rc)
{
    return rc == cudaErrorNotReady || (rc == cudaErrorUnknown && ncs_local && ncs_local->async_error);
}

static cudaError_t look_at_stream(const void *what)
{
    return ncs_real.with_token.cudaStreamQuery(*(const cudaStream_t *)what);
}

static bool is_there(cudaStream_t handle)
{
    for (size_t i = 0; i < ncs_real.streams.count; i++)
        if (ncs_real.streams.stream[i].handle == handle)
            return true;
    return false;
}

/* Another thread may destroy the stream meanwhile. It removes it from the list first, and this
 * poll keeps the token. */
static cudaError_t look_at_listed(const void *what)
{
    cudaStream_t stream = *(const cudaStream_t *)what;
    return is_there(stream) ? ncs_real.plain->cudaStreamQuery(stream) : cudaSuccess;
}

static cudaError_t look_at_event(const void *what)
{
    return ncs_real.with_token.cudaEventQuery(*(const cudaEvent_t *)what);
}

static cudaError_t wait_stream(cudaStream_t stream)
{
    return watch(look_at_stream, &stream);
}

static cudaError_t wait_event(cudaEvent_t event)
{
    return watch(look_at_event, &event);
}

/* Waits for every stream of the current device, or only for those that the legacy stream waits for; only
 * streams that exist now, because others make and destroy streams meanwhile. Returns only why it gave up;
 * the call that follows reports CUDA's own errors. */
static cudaError_t wait_streams(bool all)
{
    int process = far_here(), device = current_device();
    size_t waited = 0;
    cudaStream_t *wait = ncs_new(ncs_real.streams.count * sizeof *wait);
    for (size_t i = 0; i < ncs_real.streams.count; i++)
        if (ncs_real.streams.stream[i].process == process && ncs_real.streams.stream[i].device == device &&
            (all || ncs_real.streams.stream[i].blocking))
            wait[waited++] = ncs_real.streams.stream[i].handle;
    cudaError_t rc = wait_stream(NULL);
    for (size_t i = 0; i < waited && !is_given_up(rc); i++)
        rc = watch(look_at_listed, &wait[i]);
    ncs_free(wait);
    return is_given_up(rc) ? rc : cudaSuccess;
}

/* ---- the functions that wait ---- */

static cudaError_t over_device_synchronize(void)
{
    cudaError_t rc = wait_streams(true);
    return rc == cudaSuccess ? ncs_real.with_token.cudaDeviceSynchronize() : rc;
}

static cudaError_t over_free(void *p)
{
    cudaError_t rc = p ? wait_streams(true) : cudaSuccess;
    return rc == cudaSuccess ? ncs_real.with_token.cudaFree(p) : rc;
}

static cudaError_t over_memcpy(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind)
{
    cudaError_t rc = wait_streams(false);
    return rc == cudaSuccess ? ncs_real.with_token.cudaMemcpy(dst, src, bytes, kind) : rc;
}

static cudaError_t over_stream_create(cudaStream_t *stream)
{
    cudaError_t rc = ncs_real.with_token.cudaStreamCreate(stream);
    if (rc == cudaSuccess)
        remember(*stream, true);
    return rc;
}

static cudaError_t over_stream_create_with_flags(cudaStream_t *stream, unsigned int flags)
{
    cudaError_t rc = ncs_real.with_token.cudaStreamCreateWithFlags(stream, flags);
    if (rc == cudaSuccess)
        remember(*stream, !(flags & cudaStreamNonBlocking));
    return rc;
}

static cudaError_t over_stream_create_with_priority(cudaStream_t *stream, unsigned int flags, int priority)
{
    cudaError_t rc = ncs_real.with_token.cudaStreamCreateWithPriority(stream, flags, priority);
    if (rc == cudaSuccess)
        remember(*stream, !(flags & cudaStreamNonBlocking));
    return rc;
}

static cudaError_t over_stream_destroy(cudaStream_t stream)
{
    forget(stream);
    return ncs_real.with_token.cudaStreamDestroy(stream);
}

/* ---- functions that a stream runs ---- */

struct real_task {
    cudaHostFn_t function;
    cudaStreamCallback_t callback; /* one of both */
    void *data;
    struct ncs_local local;
    struct ncs_call *call; /* pinned; NULL = the run is over */
    int device;
    struct real_context *visitor; /* NULL: not begun */
    struct real_task *next;
};

static struct real_task *task_new(void *data)
{
    struct real_task *t = ncs_new(sizeof *t);
    t->data = data;
    t->device = current_device();
    t->local.rank = ncs_local ? ncs_local->rank : -1;
    t->local.thread = NCS_THREAD_OF_DEVICE(t->device);
    t->call = ncs_local ? ncs_local->call : NULL;
    ncs_call_pin(t->call);
    t->next = ncs_real.tasks;
    ncs_real.tasks = t;
    return t;
}

/* Call under the token. */
static void task_free(struct real_task *t)
{
    struct real_task **at = &ncs_real.tasks;
    while (*at && *at != t)
        at = &(*at)->next;
    if (*at)
        *at = t->next;
    ncs_call_unpin(t->call);
    ncs_free(t);
}

static void forget_tasks(void)
{
    for (struct real_task *t = ncs_real.tasks, *next; t; t = next) {
        next = t->next;
        ncs_call_unpin(t->call);
        t->call = NULL;
        t->next = NULL;
    }
    ncs_real.tasks = NULL;
}

void ncs_real_tasks(void (*visit)(void *arg, const struct ncs_call *call, int device, const struct real_context *visitor),
                    void *arg)
{
    for (const struct real_task *t = ncs_real.tasks; t; t = t->next)
        if (t->call)
            visit(arg, t->call, t->device, t->visitor);
}

static void run_task(struct real_task *t, cudaStream_t stream, cudaError_t status)
{
    struct real_context *visitor = ncs_token_lend(&t->local);
    t->visitor = visitor;
    if (visitor && t->callback)
        t->callback(stream, status, t->data);
    else if (visitor)
        t->function(t->data);
    task_free(t);
    ncs_token_back(visitor);
}

static void host_task(void *task)
{
    run_task(task, NULL, cudaSuccess);
}

static void stream_task(cudaStream_t stream, cudaError_t status, void *task)
{
    run_task(task, stream, status);
}

static cudaError_t over_launch_host_func(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
    if (!fn)
        return ncs_real.with_token.cudaLaunchHostFunc(stream, fn, data);
    struct real_task *t = task_new(data);
    t->function = fn;
    cudaError_t rc = ncs_real.with_token.cudaLaunchHostFunc(stream, host_task, t);
    if (rc != cudaSuccess && far_here() == 0) /* elsewhere it may have begun before the process was lost */
        task_free(t);
    return rc;
}

static cudaError_t over_add_callback(cudaStream_t stream, cudaStreamCallback_t fn, void *data, unsigned int flags)
{
    if (!fn)
        return ncs_real.with_token.cudaStreamAddCallback(stream, fn, data, flags);
    struct real_task *t = task_new(data);
    t->callback = fn;
    cudaError_t rc = ncs_real.with_token.cudaStreamAddCallback(stream, stream_task, t, flags);
    if (rc != cudaSuccess && far_here() == 0)
        task_free(t);
    return rc;
}

#define OVER(name, function)  \
    if (ncs_real.plain->name) \
    out->name = function

void ncs_waits_wrap(struct ncs_api *out)
{
    ncs_real.with_token = *out;
    OVER(cudaGetDevice, ncs_real.plain->cudaGetDevice); /* at once; the journal asks amidst its own work */
    OVER(cudaStreamSynchronize, wait_stream);
    OVER(cudaEventSynchronize, wait_event);
    OVER(cudaDeviceSynchronize, over_device_synchronize);
    OVER(cudaFree, over_free);
    OVER(cudaMemcpy, over_memcpy);
    OVER(cudaStreamCreate, over_stream_create);
    OVER(cudaStreamCreateWithFlags, over_stream_create_with_flags);
    OVER(cudaStreamCreateWithPriority, over_stream_create_with_priority);
    OVER(cudaStreamDestroy, over_stream_destroy);
    OVER(cudaLaunchHostFunc, over_launch_host_func);
    OVER(cudaStreamAddCallback, over_add_callback);
}
