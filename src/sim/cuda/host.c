#include "sim/cuda/host.h"

#include "base/mem.h"
#include "sim/cuda/op.h"
#include "sim/kernel/context.h"
#include "sim/kernel/foreign.h"
#include "sim/kernel/world.h"

struct host {
    struct context *context;
    struct ncs_local local;
    struct op **queue; /* referenced */
    size_t count, room;
    size_t taken; /* functions before this one were taken; its last one runs */
    struct op *running;
};

static struct op *host_take(struct host *h)
{
    if (h->taken == h->count) {
        h->taken = h->count = 0;
        return NULL;
    }
    return h->queue[h->taken++];
}

/* After a failure a callback (cudaStreamAddCallback) is still called, with the error; a host function is
 * not. */
static void call(struct context *c, struct op *op)
{
    const struct op_work *work = &op->work;
    op->gpu->host->local.again = op->of_graph;
    c->in_callback = true;
    sim_foreign_let_go();
    if (work->callback)
        work->callback(work->handle, (cudaError_t)op->status, work->dst);
    else if (op->state != OP_DONE)
        work->function(work->dst);
    sim_foreign_take_back();
    c->in_callback = false;
}

static void host_main(void *arg)
{
    struct gpu *gpu = arg;
    struct host *h = gpu->host;
    struct context *c = h->context = sim_context_self();
    c->device = gpu->device;
    while (!c->cancelled) {
        h->running = host_take(h);
        if (!h->running) {
            if (!sim_context_idle(c))
                return;
            continue;
        }
        call(c, h->running);
        if (c->cancelled)
            return;
        sim_op_end(h->running, 0);
        sim_op_unref(h->running);
        h->running = NULL;
    }
}

bool sim_host_prepare(struct gpu *gpu)
{
    if (gpu->host)
        return true;
    struct host *h = gpu->host = sim_new(sizeof *h);
    const struct ncs_local *caller = ncs_local;
    h->local.rank = caller ? caller->rank : gpu->process->number;
    h->local.thread = NCS_THREAD_OF_DEVICE(gpu->device);
    struct ncs_context_options options = { .process = gpu->process->number, .local = &h->local, .main = host_main, .arg = gpu };
    if (sim_context_new(&options, NULL))
        return true;
    sim_free(h, sizeof *h);
    gpu->host = NULL;
    return false;
}

static void host_enqueue(struct op *op)
{
    struct host *h = op->gpu->host;
    if (op->gpu->process->dead)
        return; /* its thread was stopped, so it never ends */
    sim_op_ref(op);
    NCS_PUSH(h->queue, h->count, h->room, op);
    if (h->context && h->context->state == CONTEXT_IDLE)
        sim_context_resume(h->context);
}

void sim_host_begin(struct op *op)
{
    host_enqueue(op);
}

void sim_host_failed(struct op *op)
{
    const struct host *h = op->gpu->host;
    bool begun = h->running == op;
    for (size_t i = h->taken; i < h->count; i++)
        begun |= h->queue[i] == op;
    if (op->work.callback && !begun)
        host_enqueue(op);
}

const struct context *sim_host_runner(const struct op *op)
{
    const struct host *h = op->gpu->host;
    return op->kind == OP_HOST && h && h->running == op ? h->context : NULL;
}

void sim_host_free(struct gpu *gpu)
{
    struct host *h = gpu->host;
    if (!h)
        return;
    for (size_t i = h->taken; i < h->count; i++)
        sim_op_unref(h->queue[i]);
    sim_op_unref(h->running);
    ncs_free(h->queue);
    sim_free(h, sizeof *h);
    gpu->host = NULL;
}
