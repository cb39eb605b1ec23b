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
cudaError_t sim_cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
                                         unsigned long long *id)
{
    CUDA_ENTER(c);
    const struct stream *s = sim_stream_find(c, handle, c->device);
    if (!s || !status)
        return sim_cuda_return(c, !s ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    if (sim_capture_bars_legacy(s))
        return sim_cuda_return(c, cudaErrorStreamCaptureImplicit);
    *status = !s->capture          ? cudaStreamCaptureStatusNone
              : s->capture->broken ? cudaStreamCaptureStatusInvalidated
                                   : cudaStreamCaptureStatusActive;
    if (id && s->capture && !s->capture->broken)
        *id = s->capture->id;
    return cudaSuccess;
}

cudaError_t sim_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
    return sim_cudaStreamGetCaptureInfo(stream, status, NULL);
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
