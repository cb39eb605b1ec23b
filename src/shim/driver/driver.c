/* The exports of libcuda.so.1 that driver.def and absent.def list. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "shim/absent.h"
#include "shim/driver/context.h"
#include "sim/cuda/outside.h"

/* ---- what rows call ---- */

static cudaError_t driver_init(const struct ncs_api *api)
{
    int devices;
    return api->cudaGetDeviceCount(&devices);
}

static cudaError_t driver_device(const struct ncs_api *api, int *device, int ordinal)
{
    cudaError_t rc = driver_check(api, ordinal);
    if (rc == cudaSuccess && device)
        *device = ordinal;
    return rc != cudaSuccess || device ? rc : cudaErrorInvalidValue;
}

static cudaError_t driver_properties(const struct ncs_api *api, struct cudaDeviceProp *found, int device)
{
    return api->cudaGetDeviceProperties(found, device);
}

static cudaError_t driver_name(const struct ncs_api *api, char *name, int room, int device)
{
    struct cudaDeviceProp found;
    if (!name || room < 1)
        return cudaErrorInvalidValue;
    cudaError_t rc = driver_properties(api, &found, device);
    if (rc == cudaSuccess)
        snprintf(name, (size_t)room, "%s", found.name);
    return rc;
}

static cudaError_t driver_uuid(const struct ncs_api *api, void *uuid, int device)
{
    struct cudaDeviceProp found;
    cudaError_t rc = uuid ? driver_properties(api, &found, device) : cudaErrorInvalidValue;
    if (rc == cudaSuccess)
        memcpy(uuid, &found.uuid, sizeof found.uuid);
    return rc;
}

static cudaError_t driver_total(const struct ncs_api *api, size_t *bytes, int device)
{
    struct cudaDeviceProp found;
    cudaError_t rc = bytes ? driver_properties(api, &found, device) : cudaErrorInvalidValue;
    if (rc == cudaSuccess)
        *bytes = found.totalGlobalMem;
    return rc;
}

static cudaError_t driver_capability(const struct ncs_api *api, int *major, int *minor, int device)
{
    struct cudaDeviceProp found;
    cudaError_t rc = major && minor ? driver_properties(api, &found, device) : cudaErrorInvalidValue;
    if (rc == cudaSuccess) {
        *major = found.major;
        *minor = found.minor;
    }
    return rc;
}

static cudaError_t driver_answer(unsigned *value, unsigned is)
{
    if (!value)
        return cudaErrorInvalidValue;
    *value = is;
    return cudaSuccess;
}

/* Attributes of a pointer (CUpointer_attribute of cuda.h, CUDA 13.0); other ones are refused as not supported. */
static cudaError_t driver_pointer(const struct ncs_api *api, void *value, int attribute, const void *p)
{
    enum { CONTEXT = 1, KIND = 2, ON_DEVICE = 3, ON_HOST = 4, MANAGED = 8, ORDINAL = 9, HOST = 1, DEVICE = 2 };
    struct cudaPointerAttributes found;
    cudaError_t rc = value ? api->cudaPointerGetAttributes(&found, p) : cudaErrorInvalidValue;
    if (rc == cudaSuccess && found.type == cudaMemoryTypeUnregistered)
        rc = cudaErrorInvalidValue;
    if (rc != cudaSuccess)
        return rc;
    switch (attribute) {
    case CONTEXT: *(struct ncs_context **)value = context_primary(found.device); break;
    case KIND: *(int *)value = found.type == cudaMemoryTypeHost ? HOST : DEVICE; break;
    case ON_DEVICE: *(void **)value = found.devicePointer; break;
    case ON_HOST:
        if (!found.hostPointer)
            return cudaErrorInvalidValue;
        *(void **)value = found.hostPointer;
        break;
    case MANAGED: *(int *)value = found.type == cudaMemoryTypeManaged; break;
    case ORDINAL: *(int *)value = found.device; break;
    default: return cudaErrorNotSupported;
    }
    return cudaSuccess;
}

static cudaError_t copy_own(const struct ncs_api *api, void *to, const void *from, size_t bytes)
{
    cudaError_t rc = api->cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread);
    return rc == cudaSuccess ? api->cudaStreamSynchronize(cudaStreamPerThread) : rc;
}

/* True if all bytes of the value are the same, so that memset does. */
static bool is_one_byte(const unsigned char *value, size_t size)
{
    for (size_t i = 1; i < size; i++)
        if (value[i] != value[0])
            return false;
    return true;
}

static cudaError_t fill_with(const struct ncs_api *api, void *p, const void *value, size_t size, size_t count)
{
    if (is_one_byte(value, size))
        return api->cudaMemset(p, *(const unsigned char *)value, size * count);
    if (count > SIZE_MAX / size)
        return cudaErrorInvalidValue;
    char *pattern = malloc(size * count + 1);
    if (!pattern)
        return cudaErrorMemoryAllocation;
    for (size_t i = 0; i < count; i++)
        memcpy(pattern + i * size, value, size);
    cudaError_t rc = api->cudaMemcpy(p, pattern, size * count, cudaMemcpyHostToDevice);
    free(pattern);
    return rc;
}

struct fill_later {
    void *p;
    size_t size, count;
    unsigned char value[4];
};

static void fill_now(void *arg)
{
    struct fill_later *f = arg;
    for (size_t i = 0; i < f->count; i++)
        memcpy((char *)f->p + i * f->size, f->value, f->size);
    ncs_free(f);
}

/* Device memory is memory of the host here, so a host function in the stream can fill it. */
static cudaError_t fill_async(const struct ncs_api *api, void *p, const void *value, size_t size, size_t count,
                              cudaStream_t stream)
{
    struct cudaPointerAttributes found;
    if (is_one_byte(value, size))
        return api->cudaMemsetAsync(p, *(const unsigned char *)value, size * count, stream);
    cudaError_t rc = api->cudaPointerGetAttributes(&found, p);
    if (rc != cudaSuccess || found.type == cudaMemoryTypeUnregistered)
        return rc != cudaSuccess ? rc : cudaErrorInvalidValue;
    struct fill_later *f = ncs_new(sizeof *f);
    *f = (struct fill_later){ p, size, count, { 0 } };
    memcpy(f->value, value, size);
    return api->cudaLaunchHostFunc(stream, fill_now, f);
}

/* ---- exports ---- */

/* The runtime's last error is not the driver's: a failed call leaves none behind. */
#define BODY(condition, call)                                                   \
    {                                                                           \
        const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaPeekAtLastError); \
        if (!api)                                                               \
            return (cudaError_t)ncs_shim_refusal();                             \
        cudaError_t rc = (condition) ? (call) : cudaErrorDeviceUninitialized;   \
        if (rc != cudaSuccess && rc != cudaErrorNotReady)                       \
            api->cudaGetLastError();                                            \
        ncs_shim_leave();                                                       \
        return rc;                                                              \
    }
#define EXPORT(symbol, parameters, condition, call) \
    cudaError_t symbol parameters;                  \
    cudaError_t symbol parameters BODY(condition, call)
#define DRIVER(symbol, base, since, parameters, call) EXPORT(symbol, parameters, true, call)
#define DEVICE(symbol, base, since, parameters, call) EXPORT(symbol, parameters, context_is_current(api), call)
#define OWN_STREAM(call) (stream = stream ? stream : cudaStreamPerThread, (call))
#define DEVICE_PTSZ(symbol, base, since, parameters, call)    \
    EXPORT(symbol, parameters, context_is_current(api), call) \
    EXPORT(symbol##_ptsz, parameters, context_is_current(api), OWN_STREAM(call))
#define DEVICE_PTDS(symbol, base, since, parameters, call, own) \
    EXPORT(symbol, parameters, context_is_current(api), call)   \
    EXPORT(symbol##_ptds, parameters, context_is_current(api), own)
#include "shim/driver/driver.def"

#define REFUSED(symbol)                                                                                                  \
    NCS_SHIM_DEFINE(cudaError_t, symbol, void)                                                                           \
    {                                                                                                                    \
        static struct ncs_absent absent = { .name = #symbol, .why = "the simulator lacks this function of the driver" }; \
        ncs_shim_count_absent(&absent);                                                                                  \
        return cudaErrorNotSupported;                                                                                    \
    }
#define FORM(name, suffix, since) REFUSED(name##suffix)
#include "shim/driver/absent.def"
