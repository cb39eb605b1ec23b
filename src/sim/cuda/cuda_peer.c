/* CUDA's functions for access of one device to the memory of another. */
#include "base/mem.h"
#include "sim/cuda/cuda.h"
#include "sim/kernel/gen/functions.h"

static bool can_access(int device, int peer)
{
    return device != peer && !sim_world.options.no_peer_access;
}

cudaError_t sim_cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    CUDA_ENTER(c);
    if (!can)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_is_device(c, device) || !sim_is_device(c, peer))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    *can = can_access(device, peer);
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
    CUDA_ENTER(c);
    struct gpu *gpu = sim_current_gpu(c);
    if (flags != 0)
        return sim_cuda_return(c, cudaErrorInvalidValue);
    if (!sim_is_device(c, peer) || peer == gpu->device)
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    if (!can_access(gpu->device, peer))
        return sim_cuda_return(c, cudaErrorPeerAccessUnsupported);
    if (!gpu->peer)
        gpu->peer = ncs_new((size_t)c->process->devices * sizeof *gpu->peer);
    if (gpu->peer[peer])
        return sim_cuda_return(c, cudaErrorPeerAccessAlreadyEnabled);
    gpu->peer[peer] = true;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceDisablePeerAccess(int peer)
{
    CUDA_ENTER(c);
    struct gpu *gpu = sim_current_gpu(c);
    if (!sim_is_device(c, peer))
        return sim_cuda_return(c, cudaErrorInvalidDevice);
    if (!gpu->peer || !gpu->peer[peer])
        return sim_cuda_return(c, cudaErrorPeerAccessNotEnabled);
    gpu->peer[peer] = false;
    return cudaSuccess;
}
