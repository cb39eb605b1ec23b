/* CUDA's functions on devices, versions and errors. */
#include "sim/cuda.h"
#include "sim/functions.h"
#include "sim/stream.h"

#define CUDA_VERSION_REPORTED 13000 /* 1000 * major + 10 * minor */

cudaError_t sim_cudaGetDeviceCount(int *count)
{
    CUDA_ENTER(c);
    if (!count)
        return cuda_return(c, cudaErrorInvalidValue);
    *count = sim_world.options.devices;
    return cudaSuccess;
}

cudaError_t sim_cudaSetDevice(int device)
{
    struct context *c = context_enter();
    if (!c)
        return cudaSuccess;
    if (device < 0 || device >= sim_world.options.devices)
        return cuda_return(c, cudaErrorInvalidDevice);
    c->device = device;
    return cuda_return(c, current_gpu(c)->fault);
}

cudaError_t sim_cudaGetDevice(int *device)
{
    CUDA_ENTER(c);
    if (!device)
        return cuda_return(c, cudaErrorInvalidValue);
    *device = c->device;
    return cudaSuccess;
}

cudaError_t sim_cudaDeviceSynchronize(void)
{
    CUDA_ENTER(c);
    gpu_wait(c, current_gpu(c));
    return cuda_return(c, current_gpu(c)->fault);
}

static cudaError_t give_version(int *version)
{
    struct context *c = context_enter();
    if (!c)
        return cudaSuccess;
    if (!version)
        return cuda_return(c, cudaErrorInvalidValue);
    *version = CUDA_VERSION_REPORTED;
    return cudaSuccess;
}

cudaError_t sim_cudaRuntimeGetVersion(int *version)
{
    return give_version(version);
}

cudaError_t sim_cudaDriverGetVersion(int *version)
{
    return give_version(version);
}

cudaError_t sim_cudaPeekAtLastError(void)
{
    struct context *c = context_enter();
    return c ? (cudaError_t)c->cuda_error : cudaSuccess;
}

cudaError_t sim_cudaGetLastError(void)
{
    struct context *c = context_enter();
    if (!c)
        return cudaSuccess;
    int error = c->cuda_error;
    c->cuda_error = current_gpu(c)->fault; /* a sticky error stays */
    return (cudaError_t)error;
}

struct error_text {
    cudaError_t error;
    const char *name, *text;
};

#define ERROR(error, text) { error, #error, text }

static const struct error_text error_texts[] = {
    ERROR(cudaSuccess, "no error"),
    ERROR(cudaErrorInvalidValue, "invalid argument"),
    ERROR(cudaErrorMemoryAllocation, "out of memory"),
    ERROR(cudaErrorInitializationError, "initialization error"),
    ERROR(cudaErrorCudartUnloading, "driver shutting down"),
    ERROR(cudaErrorInvalidConfiguration, "invalid configuration argument"),
    ERROR(cudaErrorInvalidPitchValue, "invalid pitch argument"),
    ERROR(cudaErrorInvalidSymbol, "invalid device symbol"),
    ERROR(cudaErrorInvalidHostPointer, "invalid host pointer"),
    ERROR(cudaErrorInvalidDevicePointer, "invalid device pointer"),
    ERROR(cudaErrorInvalidMemcpyDirection, "invalid copy direction for memcpy"),
    ERROR(cudaErrorInsufficientDriver,
          "CUDA driver version is insufficient for CUDA runtime version"),
    ERROR(cudaErrorDevicesUnavailable, "CUDA-capable device(s) is/are busy or unavailable"),
    ERROR(cudaErrorInvalidDeviceFunction, "invalid device function"),
    ERROR(cudaErrorNoDevice, "no CUDA-capable device is detected"),
    ERROR(cudaErrorInvalidDevice, "invalid device ordinal"),
    ERROR(cudaErrorDeviceUninitialized, "invalid device context"),
    ERROR(cudaErrorPeerAccessUnsupported,
          "peer access is not supported between these two devices"),
    ERROR(cudaErrorInvalidResourceHandle, "invalid resource handle"),
    ERROR(cudaErrorIllegalState,
          "the operation cannot be performed in the present state"),
    ERROR(cudaErrorSymbolNotFound, "named symbol not found"),
    ERROR(cudaErrorNotReady, "device not ready"),
    ERROR(cudaErrorIllegalAddress, "an illegal memory access was encountered"),
    ERROR(cudaErrorLaunchOutOfResources, "too many resources requested for launch"),
    ERROR(cudaErrorLaunchTimeout, "the launch timed out and was terminated"),
    ERROR(cudaErrorPeerAccessAlreadyEnabled, "peer access is already enabled"),
    ERROR(cudaErrorPeerAccessNotEnabled, "peer access has not been enabled"),
    ERROR(cudaErrorContextIsDestroyed, "context is destroyed"),
    ERROR(cudaErrorHostMemoryAlreadyRegistered,
          "part or all of the requested memory range is already mapped"),
    ERROR(cudaErrorHostMemoryNotRegistered,
          "pointer does not correspond to a registered memory region"),
    ERROR(cudaErrorLaunchFailure, "unspecified launch failure"),
    ERROR(cudaErrorNotPermitted, "operation not permitted"),
    ERROR(cudaErrorNotSupported, "operation not supported"),
    ERROR(cudaErrorStreamCaptureUnsupported,
          "operation not permitted when stream is capturing"),
    ERROR(cudaErrorUnknown, "unknown error"),
};

static const struct error_text *find_text(cudaError_t error)
{
    static const struct error_text unknown = { cudaErrorUnknown, "unrecognized error code",
                                               "unrecognized error code" };
    for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
        if (error_texts[i].error == error)
            return &error_texts[i];
    return &unknown;
}

const char *sim_cudaGetErrorString(cudaError_t error)
{
    return find_text(error)->text;
}

const char *sim_cudaGetErrorName(cudaError_t error)
{
    return find_text(error)->name;
}
