/* CUDA's functions on graphs. A graph comes from a capture, or is empty: functions that add nodes are refused. */
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/outside.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/gen/functions.h"

static struct graph *graph_find(const struct context *c, cudaGraph_t handle)
{
    struct graph *g = ncs_map_get(&sim_world.graphs, ncs_map_key(handle));
    return g && g->process == c->process ? g : NULL;
}

static struct graph_exec *graph_exec_find(const struct context *c, cudaGraphExec_t handle)
{
    struct graph_exec *x = ncs_map_get(&sim_world.graph_execs, ncs_map_key(handle));
    return x && x->graph->process == c->process ? x : NULL;
}

cudaError_t sim_cudaGraphCreate(cudaGraph_t *out, unsigned int flags)
{
    CUDA_ENTER(c);
    if (!out || flags != 0)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct graph *g = sim_graph_new(c->process);
    ncs_map_put(&sim_world.graphs, ncs_map_key(g), g);
    *out = (cudaGraph_t)g;
    return cudaSuccess;
}

cudaError_t sim_cudaGraphDestroy(cudaGraph_t handle)
{
    CUDA_ENTER(c);
    struct graph *g = graph_find(c, handle);
    if (!g)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    ncs_map_remove(&sim_world.graphs, ncs_map_key(handle));
    sim_graph_unref(g);
    return cudaSuccess;
}

/* Without room it tells the number of nodes; with more room than that, the rest is set to NULL. A handle of a node is its
 * place, because no function takes one. */
cudaError_t sim_cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count)
{
    CUDA_ENTER(c);
    const struct graph *g = graph_find(c, handle);
    if (!g || !count)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    for (size_t i = 0; nodes && i < *count; i++)
        nodes[i] = i < g->nodes ? (cudaGraphNode_t)(g->node + i) : NULL;
    if (!nodes || *count > g->nodes)
        *count = g->nodes;
    return cudaSuccess;
}

#define KNOWN_FLAGS 15u /* driver_types.h of CUDA 13.0, cudaGraphInstantiateFlags: they change nothing here */

cudaError_t sim_cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t handle, unsigned long long flags)
{
    CUDA_ENTER(c);
    struct graph *g = graph_find(c, handle);
    if (!out || !g || flags & ~(unsigned long long)KNOWN_FLAGS)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct graph_exec *x = sim_graph_exec_new(g);
    ncs_map_put(&sim_world.graph_execs, ncs_map_key(x), x);
    *out = (cudaGraphExec_t)x;
    return cudaSuccess;
}

cudaError_t sim_cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
{
    return sim_cudaGraphInstantiateWithFlags(out, graph, flags);
}

/* A graph cannot be launched into a capturing stream here: CUDA makes a child node of it. */
static cudaError_t find_both(struct context *c, cudaGraphExec_t handle, cudaStream_t stream, struct graph_exec **x,
                             struct stream **s)
{
    *s = sim_stream_with_room(c, stream, c->device);
    *x = graph_exec_find(c, handle);
    if (!*x)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!*s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    CAPTURE_CHECK(c, *s);
    return sim_cuda_return(c, sim_capture_unsupported(*s, cudaErrorNotSupported));
}

cudaError_t sim_cudaGraphUpload(cudaGraphExec_t handle, cudaStream_t stream)
{
    CUDA_ENTER(c);
    struct graph_exec *x;
    struct stream *s;
    return find_both(c, handle, stream, &x, &s);
}

cudaError_t sim_cudaGraphLaunch(cudaGraphExec_t handle, cudaStream_t stream)
{
    CUDA_ENTER(c);
    struct graph_exec *x;
    struct stream *s;
    cudaError_t error = find_both(c, handle, stream, &x, &s);
    if (error)
        return error;
    if (!sim_graph_is_possible(x)) {
        sim_crash("it launches a graph with calls of a communicator that is gone");
        return sim_cuda_return(c, cudaErrorIllegalAddress);
    }
    sim_outside_kernel(); /* the graph may have some */
    sim_graph_launch(x, s);
    return cudaSuccess;
}

cudaError_t sim_cudaGraphExecDestroy(cudaGraphExec_t handle)
{
    CUDA_ENTER(c);
    struct graph_exec *x = graph_exec_find(c, handle);
    if (!x)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    ncs_map_remove(&sim_world.graph_execs, ncs_map_key(handle));
    sim_graph_exec_free(x);
    return cudaSuccess;
}
