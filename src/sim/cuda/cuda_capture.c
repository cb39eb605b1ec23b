/* CUDA's functions that begin and end a capture, and that tell of it. */
#include "sim/cuda/capture.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/graph.h"
#include "sim/cuda/stream.h"
#include "sim/kernel/gen/functions.h"

static bool is_mode(int mode)
{
    return mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed;
}

/* The legacy stream cannot be captured (runtime API guide, cudaStreamBeginCapture). */
cudaError_t sim_cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_find(c, handle, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (!is_mode((int)mode))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (s->legacy)
        return sim_cuda_return(c, cudaErrorStreamCaptureUnsupported);
    if (s->capture)
        return sim_cuda_return(c, cudaErrorIllegalState);
    sim_capture_begin(c, s, mode);
    return cudaSuccess;
}

/* After an error the graph is NULL (runtime API guide, cudaStreamEndCapture). */
cudaError_t sim_cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *out)
{
    CUDA_ENTER(c);
    struct stream *s = sim_stream_find(c, handle, c->device);
    if (!s)
        return sim_cuda_return(c, cudaErrorInvalidResourceHandle);
    if (!out)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    struct graph *g = NULL;
    int error = sim_capture_end(c, s, &g);
    if (g)
        ncs_map_put(&sim_world.graphs, ncs_map_key(g), g);
    *out = (cudaGraph_t)g;
    return sim_cuda_return(c, error);
}

/* Asking about the legacy stream while a blocking stream is captured is an error that breaks no capture. */
static cudaError_t capture_status(struct context *c, cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                  const struct capture **capture)
{
    const struct stream *s = sim_stream_find(c, handle, c->device);
    if (!s || !status)
        return sim_cuda_return(c, !s ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (sim_capture_bars_legacy(s))
        return sim_cuda_return(c, cudaErrorStreamCaptureImplicit);
    *capture = s->capture && !s->capture->broken ? s->capture : NULL;
    *status = !s->capture ? cudaStreamCaptureStatusNone
              : *capture  ? cudaStreamCaptureStatusActive
                          : cudaStreamCaptureStatusInvalidated;
    return cudaSuccess;
}

cudaError_t sim_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    const struct capture *k;
    CUDA_ENTER(c);
    return capture_status(c, stream, status, &k);
}

/* The graph and its nodes are not handed out: functions that would change a graph in capture are refused. */
cudaError_t sim_cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                         cudaGraph_t *graph, const cudaGraphNode_t **nodes, const cudaGraphEdgeData **edges,
                                         size_t *count)
{
    const struct capture *k = NULL;
    CUDA_ENTER(c);
    cudaError_t error = capture_status(c, stream, status, &k);
    if (error || !k)
        return error;
    if (id)
        *id = k->id;
    if (graph)
        *graph = NULL;
    if (nodes)
        *nodes = NULL;
    if (edges)
        *edges = NULL;
    if (count)
        *count = 0;
    return cudaSuccess;
}

cudaError_t sim_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    CUDA_ENTER(c);
    if (!mode || !is_mode((int)*mode))
        return sim_cuda_return(c, cudaErrorInvalidValue);
    int before = c->capture_mode;
    c->capture_mode = (int)*mode;
    *mode = (enum cudaStreamCaptureMode)before;
    return cudaSuccess;
}
