/* libnvidia-ml.so.1: what programs ask of the devices before they use them. Numbers and layouts: nvml.h of CUDA 13.0.
 * The devices are those that CUDA shows; NVIDIA's library shows the hidden ones as well. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim/shim.h"

enum nvml {
    NVML_SUCCESS = 0,
    NVML_UNINITIALIZED = 1,
    NVML_INVALID_ARGUMENT = 2,
    NVML_NOT_SUPPORTED = 3,
    NVML_NOT_FOUND = 6,
    NVML_INSUFFICIENT_SIZE = 7,
    NVML_UNKNOWN = 999
};

#define DRIVER_VERSION "580.65.06" /* the first one with CUDA 13.0 (release notes of CUDA 13.0) */

static atomic_int opened;
static const char handles[1024]; /* a device's handle is the address of its element */

#define NVML(name, parameters, body)                      \
    enum nvml name parameters;                            \
    enum nvml name parameters                             \
    {                                                     \
        const struct ncs_api *api;                        \
        if (atomic_load(&opened) <= 0)                    \
            return NVML_UNINITIALIZED;                    \
        api = ncs_shim_enter(NCS_FN_cudaPeekAtLastError); \
        if (!api)                                         \
            return NVML_UNKNOWN;                          \
        enum nvml rc = body;                              \
        ncs_shim_leave();                                 \
        return rc;                                        \
    }
#define SAME_AS(name, other) extern __typeof__(other) name __attribute__((alias(#other)));

/* ---- opening ---- */

NCS_SHIM_DEFINE(enum nvml, nvmlInit_v2, void)
{
    atomic_fetch_add(&opened, 1);
    return NVML_SUCCESS;
}
SAME_AS(nvmlInit, nvmlInit_v2)

NCS_SHIM_DEFINE(enum nvml, nvmlInitWithFlags, unsigned flags)
{
    (void)flags;
    return nvmlInit_v2();
}

NCS_SHIM_DEFINE(enum nvml, nvmlShutdown, void)
{
    if (atomic_load(&opened) <= 0)
        return NVML_UNINITIALIZED;
    atomic_fetch_sub(&opened, 1);
    return NVML_SUCCESS;
}

NCS_SHIM_DEFINE(const char *, nvmlErrorString, enum nvml code)
{
    switch (code) {
    case NVML_SUCCESS: return "success";
    case NVML_UNINITIALIZED: return "nvmlInit was not called";
    case NVML_INVALID_ARGUMENT: return "invalid argument";
    case NVML_NOT_SUPPORTED: return "not supported";
    case NVML_NOT_FOUND: return "not found";
    case NVML_INSUFFICIENT_SIZE: return "too little room";
    case NVML_UNKNOWN: break;
    }
    return "unknown error";
}

/* ---- texts and devices ---- */

static enum nvml put_text(char *to, unsigned room, const char *text)
{
    if (!to)
        return NVML_INVALID_ARGUMENT;
    if (strlen(text) >= room)
        return NVML_INSUFFICIENT_SIZE;
    memcpy(to, text, strlen(text) + 1);
    return NVML_SUCCESS;
}

static int count_devices(const struct ncs_api *api)
{
    int devices = 0;
    return api->cudaGetDeviceCount(&devices) == cudaSuccess ? devices : 0;
}

static enum nvml device_count(const struct ncs_api *api, unsigned *count)
{
    if (!count)
        return NVML_INVALID_ARGUMENT;
    *count = (unsigned)count_devices(api);
    return NVML_SUCCESS;
}

static enum nvml nvml_device(const struct ncs_api *api, unsigned index, const char **handle)
{
    if (!handle || index >= (unsigned)count_devices(api) || index >= sizeof handles)
        return NVML_INVALID_ARGUMENT;
    *handle = &handles[index];
    return NVML_SUCCESS;
}

/* -1: no handle of ours. */
static int index_of(const char *handle)
{
    return handle >= handles && handle < handles + sizeof handles ? (int)(handle - handles) : -1;
}

static bool properties_of(const struct ncs_api *api, const char *handle, struct cudaDeviceProp *found)
{
    int device = index_of(handle);
    return device >= 0 && api->cudaGetDeviceProperties(found, device) == cudaSuccess;
}

static enum nvml nvml_name(const struct ncs_api *api, const char *handle, char *name, unsigned room)
{
    struct cudaDeviceProp found;
    return properties_of(api, handle, &found) ? put_text(name, room, found.name) : NVML_INVALID_ARGUMENT;
}

static enum nvml device_index(const char *handle, unsigned *index)
{
    if (index_of(handle) < 0 || !index)
        return NVML_INVALID_ARGUMENT;
    *index = (unsigned)index_of(handle);
    return NVML_SUCCESS;
}

static void add_uuid(const struct cudaDeviceProp *found, char *text, size_t room)
{
    unsigned char b[16];
    memcpy(b, &found->uuid, sizeof b);
    snprintf(text, room, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2], b[3], b[4],
             b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static enum nvml device_uuid(const struct ncs_api *api, const char *handle, char *uuid, unsigned room)
{
    struct cudaDeviceProp found;
    char text[64];
    if (!properties_of(api, handle, &found))
        return NVML_INVALID_ARGUMENT;
    add_uuid(&found, text, sizeof text);
    return put_text(uuid, room, text);
}

/* With "GPU-" before it or, as CUDA's own text of a UUID is, without (cuda.core 1.2.2 asks like that). */
static enum nvml find_by_uuid(const struct ncs_api *api, const char *uuid, const char **handle)
{
    struct cudaDeviceProp found;
    char text[64];
    for (int i = 0; uuid && handle && i < count_devices(api) && i < (int)sizeof handles; i++) {
        if (!properties_of(api, &handles[i], &found))
            continue;
        add_uuid(&found, text, sizeof text);
        if (strcmp(text, uuid) == 0 || strcmp(text + strlen("GPU-"), uuid) == 0) {
            *handle = &handles[i];
            return NVML_SUCCESS;
        }
    }
    return NVML_NOT_FOUND;
}

static enum nvml find_by_bus(const struct ncs_api *api, const char *bus, const char **handle)
{
    int device;
    if (!bus || !handle || api->cudaDeviceGetByPCIBusId(&device, bus) != cudaSuccess) {
        api->cudaGetLastError();
        return NVML_NOT_FOUND;
    }
    *handle = &handles[device];
    return NVML_SUCCESS;
}

static enum nvml device_capability(const struct ncs_api *api, const char *handle, int *major, int *minor)
{
    struct cudaDeviceProp found;
    if (!major || !minor || !properties_of(api, handle, &found))
        return NVML_INVALID_ARGUMENT;
    *major = found.major;
    *minor = found.minor;
    return NVML_SUCCESS;
}

/* ---- memory ---- */

static enum nvml nvml_memory(const struct ncs_api *api, const char *handle, size_t *free, size_t *total)
{
    int device = index_of(handle), before = 0;
    if (device < 0 || device >= count_devices(api) || api->cudaGetDevice(&before) != cudaSuccess)
        return NVML_INVALID_ARGUMENT;
    api->cudaSetDevice(device);
    cudaError_t rc = api->cudaMemGetInfo(free, total);
    api->cudaSetDevice(before);
    return rc == cudaSuccess ? NVML_SUCCESS : NVML_UNKNOWN;
}

struct memory {
    uint64_t total, free, used;
};
struct memory_2 {
    unsigned version;
    uint64_t total, reserved, free, used;
};

static enum nvml memory_info(const struct ncs_api *api, const char *handle, struct memory *out)
{
    size_t free = 0, total = 0;
    enum nvml rc = out ? nvml_memory(api, handle, &free, &total) : NVML_INVALID_ARGUMENT;
    if (rc == NVML_SUCCESS)
        *out = (struct memory){ total, free, total - free };
    return rc;
}

static enum nvml memory_info_2(const struct ncs_api *api, const char *handle, struct memory_2 *out)
{
    size_t free = 0, total = 0;
    enum nvml rc = out ? nvml_memory(api, handle, &free, &total) : NVML_INVALID_ARGUMENT;
    if (rc == NVML_SUCCESS)
        *out = (struct memory_2){ out->version, total, 0, free, total - free };
    return rc;
}

static enum nvml cuda_version(const struct ncs_api *api, int *version)
{
    return version && api->cudaDriverGetVersion(version) == cudaSuccess ? NVML_SUCCESS : NVML_INVALID_ARGUMENT;
}

/* ---- exports ---- */

NVML(nvmlSystemGetDriverVersion, (char *text, unsigned room), ((void)api, put_text(text, room, DRIVER_VERSION)))
NVML(nvmlSystemGetNVMLVersion, (char *text, unsigned room), ((void)api, put_text(text, room, "13." DRIVER_VERSION)))
NVML(nvmlSystemGetCudaDriverVersion, (int *version), cuda_version(api, version))
SAME_AS(nvmlSystemGetCudaDriverVersion_v2, nvmlSystemGetCudaDriverVersion)
NVML(nvmlDeviceGetCount_v2, (unsigned *count), device_count(api, count))
SAME_AS(nvmlDeviceGetCount, nvmlDeviceGetCount_v2)
NVML(nvmlDeviceGetHandleByIndex_v2, (unsigned index, const char **device), nvml_device(api, index, device))
SAME_AS(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2)
NVML(nvmlDeviceGetHandleByUUID, (const char *uuid, const char **device), find_by_uuid(api, uuid, device))
NVML(nvmlDeviceGetHandleByPciBusId_v2, (const char *bus, const char **device), find_by_bus(api, bus, device))
SAME_AS(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2)
NVML(nvmlDeviceGetIndex, (const char *device, unsigned *index), ((void)api, device_index(device, index)))
NVML(nvmlDeviceGetMinorNumber, (const char *device, unsigned *number), ((void)api, device_index(device, number)))
NVML(nvmlDeviceGetName, (const char *device, char *name, unsigned room), nvml_name(api, device, name, room))
NVML(nvmlDeviceGetUUID, (const char *device, char *uuid, unsigned room), device_uuid(api, device, uuid, room))
NVML(nvmlDeviceGetCudaComputeCapability, (const char *device, int *major, int *minor),
     device_capability(api, device, major, minor))
NVML(nvmlDeviceGetMemoryInfo, (const char *device, struct memory *out), memory_info(api, device, out))
NVML(nvmlDeviceGetMemoryInfo_v2, (const char *device, struct memory_2 *out), memory_info_2(api, device, out))
