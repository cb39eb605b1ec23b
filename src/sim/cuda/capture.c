#include "sim/cuda/capture.h"

#include "api/journal.h"
#include "base/mem.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/list.h"
#include "sim/kernel/world.h"

static struct capture *capture_of_id(uint64_t id)
{
    struct capture *k = sim_world.capture_first;
    while (k && k->id != id)
        k = k->next;
    return k;
}

static void capture_join(struct capture *k, struct stream *s)
{
    s->capture = k;
    s->captured_lane = sim_graph_lane(k->graph, s);
    s->fronts = 0;
}

struct capture *sim_capture_begin(struct context *c, struct stream *s, enum cudaStreamCaptureMode mode)
{
    struct capture *k = sim_new(sizeof *k);
    *k = (struct capture){
        .id = ++sim_world.capture_serial, .by = c, .process = c->process, .mode = mode, .graph = sim_graph_new(c->process)
    };
    LIST_APPEND(sim_world.capture_first, sim_world.capture_last, k);
    capture_join(k, s);
    return k;
}

void sim_capture_break(struct capture *k)
{
    if (!k->broken)
        sim_world_changed();
    k->broken = true;
}

static void capture_detach(struct stream *s)
{
    s->capture = NULL;
    ncs_free(s->front);
    s->front = NULL;
    s->fronts = s->front_room = 0;
}

void sim_capture_leave(struct stream *s)
{
    if (s->capture)
        sim_capture_break(s->capture);
}

static void capture_free(struct capture *k)
{
    for (size_t i = 0; i < k->graph->lanes; i++)
        if (k->graph->lane[i]->capture == k)
            capture_detach(k->graph->lane[i]);
    LIST_REMOVE(sim_world.capture_first, sim_world.capture_last, k);
    sim_graph_unref(k->graph);
    sim_free(k, sizeof *k);
}

/* Marks what a node follows, and the node itself. Nodes follow older ones only. */
static void mark_before(const struct graph *g, bool *seen, const size_t *front, size_t fronts)
{
    for (size_t i = 0; i < fronts; i++)
        seen[front[i]] = true;
    for (size_t i = g->nodes; i-- > 0;)
        for (size_t k = 0; seen[i] && k < g->node[i].befores; k++)
            seen[g->node[i].before[k]] = true;
}

/* True if everything captured comes before the present end of the stream where the capture began. */
static bool capture_is_joined(const struct capture *k)
{
    const struct graph *g = k->graph;
    const struct stream *origin = g->lane[0];
    bool *seen = ncs_new(g->nodes + 1), joined = true;
    mark_before(g, seen, origin->front, origin->fronts);
    for (size_t i = 0; i < g->nodes; i++)
        joined &= seen[i];
    ncs_free(seen);
    return joined;
}

int sim_capture_end(struct context *c, struct stream *s, struct graph **graph)
{
    struct capture *k = s->capture;
    if (!k)
        return cudaErrorIllegalState;
    if (k->mode != cudaStreamCaptureModeRelaxed && k->by != c) {
        sim_capture_break(k);
        return cudaErrorStreamCaptureWrongThread;
    }
    if (k->graph->lane[0] != s) {
        sim_capture_break(k);
        return cudaErrorStreamCaptureUnmatched;
    }
    int error = k->broken              ? cudaErrorStreamCaptureInvalidated
                : capture_is_joined(k) ? cudaSuccess
                                       : cudaErrorStreamCaptureUnjoined;
    if (!error) {
        *graph = k->graph;
        sim_graph_ref(k->graph);
    }
    capture_free(k);
    return error;
}

/* ---- nodes ---- */

static void front_add(struct stream *s, size_t node)
{
    for (size_t i = 0; i < s->fronts; i++)
        if (s->front[i] == node)
            return;
    NCS_PUSH(s->front, s->fronts, s->front_room, node);
}

static void node_follow(struct node *n, const struct stream *s)
{
    for (size_t i = 0; i < s->fronts; i++) {
        size_t k = 0;
        while (k < n->befores && n->before[k] != s->front[i])
            k++;
        if (k == n->befores)
            NCS_PUSH(n->before, n->befores, n->before_room, s->front[i]);
    }
}

struct op *sim_capture_op(enum op_kind kind, struct gpu *gpu, struct stream *const *streams, size_t count, int64_t cost)
{
    struct graph *g = streams[0]->capture->graph;
    struct op *op = sim_new(sizeof *op);
    *op = (struct op){
        .kind = kind, .gpu = gpu, .cost = cost, .references = 1, .captured = true, .call = ncs_local ? ncs_local->call : NULL
    };
    ncs_call_pin(op->call);
    if (op->call && kind != OP_LAUNCH) /* a launch is put here by a job, whatever thread runs; its parts know their calls */
        op->call->captured = true;
    struct node n = { .op = op, .lanes = count, .lane = ncs_new(count * sizeof(size_t)) };
    for (size_t i = 0; i < count; i++) {
        n.lane[i] = streams[i]->captured_lane;
        node_follow(&n, streams[i]);
    }
    for (size_t i = 0; i < count; i++) {
        streams[i]->fronts = 0;
        streams[i]->used = true;
        front_add(streams[i], g->nodes);
    }
    NCS_PUSH(g->node, g->nodes, g->room, n);
    return op;
}

/* ---- events ---- */

void sim_capture_forget_record(struct event_record *r)
{
    ncs_free(r->front);
    r->front = NULL;
    r->fronts = 0;
    r->captured = 0;
}

void sim_capture_record(struct event_record *r, struct stream *s)
{
    sim_op_unref(r->op);
    r->op = NULL;
    sim_capture_forget_record(r);
    r->captured = s->capture->id;
    r->fronts = s->fronts;
    r->front = ncs_new(s->fronts * sizeof *r->front);
    for (size_t i = 0; i < s->fronts; i++)
        r->front[i] = s->front[i];
}

int sim_capture_wait(struct stream *s, const struct event_record *r)
{
    struct capture *k = r->captured ? capture_of_id(r->captured) : NULL;
    if (!r->captured) {
        sim_capture_break(s->capture);
        return cudaErrorStreamCaptureIsolation;
    }
    if (!k) { /* that capture has ended: the event stands for nothing that could be waited for */
        if (s->capture)
            sim_capture_break(s->capture);
        return cudaErrorCapturedEvent;
    }
    if (k->broken)
        return cudaErrorStreamCaptureInvalidated;
    if (s->legacy) {
        sim_capture_break(k);
        return cudaErrorStreamCaptureImplicit;
    }
    if (s->capture && s->capture != k) {
        sim_capture_break(k);
        sim_capture_break(s->capture);
        return cudaErrorStreamCaptureMerge;
    }
    if (!s->capture)
        capture_join(k, s);
    for (size_t i = 0; i < r->fronts; i++)
        front_add(s, r->front[i]);
    return cudaSuccess;
}

int sim_capture_refuses_event(const struct event_record *r)
{
    struct capture *k = r->captured ? capture_of_id(r->captured) : NULL;
    if (k)
        sim_capture_break(k);
    return r->captured ? cudaErrorCapturedEvent : cudaSuccess;
}

/* ---- what is forbidden meanwhile ---- */

bool sim_capture_bars_legacy(const struct stream *s)
{
    for (size_t i = 0; s->legacy && i < s->gpu->streams; i++)
        if (s->gpu->stream[i]->capture && s->gpu->stream[i]->blocking)
            return true;
    return false;
}

static void break_on(const struct gpu *gpu, bool blocking_only)
{
    for (size_t i = 0; i < gpu->streams; i++)
        if (gpu->stream[i]->capture && (!blocking_only || gpu->stream[i]->blocking))
            sim_capture_break(gpu->stream[i]->capture);
}

int sim_capture_refuses(struct stream *s)
{
    if (s->capture)
        return s->capture->broken ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    if (!sim_world.capture_first || !sim_capture_bars_legacy(s))
        return cudaSuccess;
    break_on(s->gpu, true);
    return cudaErrorStreamCaptureImplicit;
}

/* Which captures of the process forbid the thread an unsafe call, by the table of modes at
 * cudaThreadExchangeStreamCaptureMode in the runtime API guide. */
static bool forbids_unsafe(const struct capture *k, const struct context *c)
{
    if (k->process != c->process || c->capture_mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (k->by == c)
        return k->mode != cudaStreamCaptureModeRelaxed;
    return c->capture_mode == cudaStreamCaptureModeGlobal && k->mode == cudaStreamCaptureModeGlobal;
}

int sim_capture_refuses_unsafe(struct context *c)
{
    int error = cudaSuccess;
    for (struct capture *k = sim_world.capture_first; k; k = k->next)
        if (forbids_unsafe(k, c)) {
            sim_capture_break(k);
            error = cudaErrorStreamCaptureUnsupported;
        }
    return error;
}

int sim_capture_refuses_wait(struct context *c, struct stream *s)
{
    if (!sim_world.capture_first)
        return cudaSuccess;
    if (s->capture)
        return sim_capture_unsupported(s, cudaErrorStreamCaptureUnsupported);
    int error = sim_capture_refuses(s);
    return error ? error : sim_capture_refuses_unsafe(c);
}

int sim_capture_refuses_device(struct context *c, const struct gpu *gpu)
{
    bool captures = false;
    for (size_t i = 0; i < gpu->streams; i++)
        captures |= gpu->stream[i]->capture != NULL;
    break_on(gpu, false);
    return captures ? cudaErrorStreamCaptureUnsupported : sim_capture_refuses_unsafe(c);
}

int sim_capture_unsupported(struct stream *s, int error)
{
    if (!s->capture)
        return cudaSuccess;
    int broken = s->capture->broken;
    sim_capture_break(s->capture);
    return broken ? cudaErrorStreamCaptureInvalidated : error;
}

void sim_captures_free(void)
{
    while (sim_world.capture_first)
        capture_free(sim_world.capture_first);
}
