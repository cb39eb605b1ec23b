#include "sim/cuda/graph.h"

#include "api/journal.h"
#include "base/mem.h"
#include "sim/cuda/above.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/context.h"
#include "sim/kernel/world.h"
#include "sim/settings/cost.h"

struct graph *sim_graph_new(const struct process *process)
{
    struct graph *g = sim_new(sizeof *g);
    *g = (struct graph){ .process = process, .references = 1 };
    return g;
}

void sim_graph_ref(struct graph *g)
{
    g->references++;
}

static void node_free(struct node *n)
{
    n->op->state = OP_DONE; /* it never ran */
    ncs_call_unpin(n->op->call);
    sim_launch_free(n->op->launch);
    sim_op_unref(n->op);
    ncs_free(n->before);
    ncs_free(n->lane);
}

void sim_graph_unref(struct graph *g)
{
    if (!g || --g->references > 0)
        return;
    for (size_t i = 0; i < g->nodes; i++)
        node_free(&g->node[i]);
    for (size_t i = 0; i < g->lanes; i++)
        sim_stream_unref(g->lane[i]);
    ncs_free(g->node);
    ncs_free(g->lane);
    sim_free(g, sizeof *g);
}

size_t sim_graph_lane(struct graph *g, struct stream *s)
{
    for (size_t i = 0; i < g->lanes; i++)
        if (g->lane[i] == s)
            return i;
    sim_stream_ref(s);
    NCS_PUSH(g->lane, g->lanes, g->lane_room, s);
    return g->lanes - 1;
}

struct graph_exec *sim_graph_exec_new(struct graph *g)
{
    struct graph_exec *x = sim_new(sizeof *x);
    x->graph = g;
    x->lane = ncs_new((g->lanes + 1) * sizeof(struct stream *));
    for (size_t i = 1; i < g->lanes; i++)
        x->lane[i] = sim_stream_new(g->lane[i]->gpu, cudaStreamNonBlocking, g->lane[i]->priority);
    sim_graph_ref(g);
    return x;
}

void sim_graph_exec_free(struct graph_exec *x)
{
    for (size_t i = 1; i < x->graph->lanes; i++)
        sim_stream_unref(x->lane[i]);
    ncs_free(x->lane);
    sim_op_unref(x->last);
    sim_graph_unref(x->graph);
    sim_free(x, sizeof *x);
}

/* ---- launches ---- */

struct ncs_call *sim_graph_call(struct ncs_call *captured)
{
    const struct ncs_observer *o = &sim_world.observer;
    struct ncs_call *by = ncs_local ? ncs_local->call : NULL;
    return captured && by && o->launched ? o->launched(o->self, captured, by) : NULL;
}

bool sim_graph_is_possible(const struct graph_exec *x)
{
    for (size_t i = 0; i < x->graph->nodes; i++)
        if (x->graph->node[i].op->launch && !sim_launch_is_possible(x->graph->node[i].op->launch))
            return false;
    return true;
}

/* An operation like the node's, on the streams that stand for the node's in this launch. */
static struct op *graph_op(struct graph_exec *x, const struct node *n, struct stream *origin)
{
    struct stream **streams = ncs_new(2 * n->lanes * sizeof *streams), **captured = streams + n->lanes;
    for (size_t i = 0; i < n->lanes; i++) {
        streams[i] = n->lane[i] == 0 ? origin : x->lane[n->lane[i]];
        captured[i] = x->graph->lane[n->lane[i]];
    }
    struct op *op = sim_op_new(n->op->kind, n->op->gpu, streams, n->lanes, n->op->cost);
    ncs_call_unpin(op->call);
    op->call = n->op->kind == OP_LAUNCH ? NULL : sim_graph_call(n->op->call);
    ncs_call_pin(op->call);
    op->work = n->op->work;
    op->of_graph = true;
    if (n->op->launch)
        sim_launch_again(op, n->op->launch, captured, streams, n->lanes);
    ncs_free(streams);
    return op;
}

/* The operation that comes before all of a launch, or after all of it. */
static struct op *graph_bound(struct stream *s)
{
    return sim_op_new(OP_EVENT, s->gpu, &s, 1, sim_cost_step());
}

static void put_nodes(struct graph_exec *x, struct stream *s, struct op *begin, struct op **made)
{
    const struct graph *g = x->graph;
    for (size_t i = 0; i < g->nodes; i++) {
        const struct node *n = &g->node[i];
        made[i] = graph_op(x, n, s);
        sim_op_ref(made[i]);
        if (n->befores == 0)
            sim_op_after(made[i], begin);
        for (size_t k = 0; k < n->befores; k++)
            sim_op_after(made[i], made[n->before[k]]);
        sim_op_submit(made[i]);
    }
}

void sim_graph_launch(struct graph_exec *x, struct stream *s)
{
    size_t nodes = x->graph->nodes;
    struct op **made = ncs_new((nodes + 1) * sizeof *made);
    struct op *begin = graph_bound(s);
    sim_op_after(begin, x->last);
    sim_op_ref(begin);
    sim_op_submit(begin);
    put_nodes(x, s, begin, made);
    struct op *end = graph_bound(s);
    for (size_t i = 0; i < nodes; i++)
        sim_op_after(end, made[i]);
    sim_op_unref(x->last);
    x->last = end;
    sim_op_ref(end);
    sim_op_submit(end);
    sim_op_unref(begin);
    for (size_t i = 0; i < nodes; i++)
        sim_op_unref(made[i]);
    ncs_free(made);
}

/* ---- the end of the world ---- */

static void graph_free_one(void *value, void *arg)
{
    (void)arg;
    sim_graph_unref(value);
}

static void exec_free_one(void *value, void *arg)
{
    (void)arg;
    sim_graph_exec_free(value);
}

void sim_graphs_free(void)
{
    ncs_map_each(&sim_world.graph_execs, exec_free_one, NULL);
    ncs_map_free(&sim_world.graph_execs);
    ncs_map_each(&sim_world.graphs, graph_free_one, NULL);
    ncs_map_free(&sim_world.graphs);
}
