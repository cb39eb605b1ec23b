/* libcuda: errors in words, functions by name, and what needs no device. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "shim/shim.h"

/* ---- capture: nothing is captured ---- */

NCS_SHIM_DEFINE(cudaError_t, cuThreadExchangeStreamCaptureMode, int *mode)
{
    static _Thread_local int current; /* global */
    int wanted = mode ? *mode : -1;
    if (wanted < 0 || wanted > 2)
        return cudaErrorInvalidValue;
    *mode = current;
    current = wanted;
    return cudaSuccess;
}

/* ---- errors in words: names differ from the runtime's, texts do not ---- */

static const struct {
    int code;
    const char *name;
} error_names[] = {
#define NAME(code, name) { code, "CUDA_" #name },
    NAME(0, SUCCESS) NAME(1, ERROR_INVALID_VALUE) NAME(2, ERROR_OUT_OF_MEMORY) NAME(3, ERROR_NOT_INITIALIZED) NAME(
        4, ERROR_DEINITIALIZED) NAME(34, ERROR_STUB_LIBRARY) NAME(46, ERROR_DEVICE_UNAVAILABLE) NAME(100, ERROR_NO_DEVICE)
        NAME(101, ERROR_INVALID_DEVICE) NAME(200, ERROR_INVALID_IMAGE) NAME(201, ERROR_INVALID_CONTEXT) NAME(
            209, ERROR_NO_BINARY_FOR_GPU) NAME(215, ERROR_UNSUPPORTED_LIMIT) NAME(217, ERROR_PEER_ACCESS_UNSUPPORTED)
            NAME(218, ERROR_INVALID_PTX) NAME(301, ERROR_FILE_NOT_FOUND) NAME(304, ERROR_OPERATING_SYSTEM) NAME(
                400, ERROR_INVALID_HANDLE) NAME(401, ERROR_ILLEGAL_STATE) NAME(500, ERROR_NOT_FOUND) NAME(600, ERROR_NOT_READY)
                NAME(700, ERROR_ILLEGAL_ADDRESS) NAME(701, ERROR_LAUNCH_OUT_OF_RESOURCES) NAME(702, ERROR_LAUNCH_TIMEOUT)
                    NAME(704, ERROR_PEER_ACCESS_ALREADY_ENABLED) NAME(705, ERROR_PEER_ACCESS_NOT_ENABLED)
                        NAME(708, ERROR_PRIMARY_CONTEXT_ACTIVE) NAME(709, ERROR_CONTEXT_IS_DESTROYED)
                            NAME(712, ERROR_HOST_MEMORY_ALREADY_REGISTERED) NAME(713, ERROR_HOST_MEMORY_NOT_REGISTERED)
                                NAME(719, ERROR_LAUNCH_FAILED) NAME(800, ERROR_NOT_PERMITTED) NAME(801, ERROR_NOT_SUPPORTED)
                                    NAME(900, ERROR_STREAM_CAPTURE_UNSUPPORTED) NAME(901, ERROR_STREAM_CAPTURE_INVALIDATED)
                                        NAME(902, ERROR_STREAM_CAPTURE_MERGE) NAME(903, ERROR_STREAM_CAPTURE_UNMATCHED)
                                            NAME(904, ERROR_STREAM_CAPTURE_UNJOINED) NAME(905, ERROR_STREAM_CAPTURE_ISOLATION)
                                                NAME(906, ERROR_STREAM_CAPTURE_IMPLICIT) NAME(907, ERROR_CAPTURED_EVENT)
                                                    NAME(908, ERROR_STREAM_CAPTURE_WRONG_THREAD) NAME(909, ERROR_TIMEOUT)
                                                        NAME(999, ERROR_UNKNOWN)
#undef NAME
};

NCS_SHIM_DEFINE(cudaError_t, cuGetErrorName, int code, const char **name)
{
    if (!name)
        return cudaErrorInvalidValue;
    *name = NULL;
    for (size_t i = 0; i < sizeof error_names / sizeof *error_names; i++)
        if (error_names[i].code == code)
            *name = error_names[i].name;
    return *name ? cudaSuccess : cudaErrorInvalidValue;
}

NCS_SHIM_DEFINE(cudaError_t, cuGetErrorString, int code, const char **text)
{
    const char *name;
    if (!text || cuGetErrorName(code, &name) != cudaSuccess) {
        if (text)
            *text = NULL;
        return cudaErrorInvalidValue;
    }
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaPeekAtLastError);
    *text = api ? api->cudaGetErrorString((cudaError_t)code) : name;
    if (api)
        ncs_shim_leave();
    return cudaSuccess;
}

/* ---- functions by name: only their addresses matter here ---- */

struct entry {
    const char *name; /* without a version */
    int since;
    void *function, *per_thread; /* per_thread: for a default stream per thread; NULL = the same */
};

#define DRIVER(symbol, base, since, ...) extern char symbol[];
#define DEVICE DRIVER
#define DEVICE_PTSZ(symbol, base, since, ...) extern char symbol[], symbol##_ptsz[];
#define DEVICE_PTDS(symbol, base, since, ...) extern char symbol[], symbol##_ptds[];
#define FORM(name, suffix, since) extern char name##suffix[];
#include "shim/driver/absent.def"
#include "shim/driver/driver.def"
#undef DRIVER
#undef DEVICE
#undef DEVICE_PTSZ
#undef DEVICE_PTDS
#undef FORM

cudaError_t cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
cudaError_t cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status);
cudaError_t cuGetExportTable(const void **table, const void *which);

static const struct entry entries[] = {
#define DRIVER(symbol, base, since, ...) { #base, since, symbol, NULL },
#define DEVICE DRIVER
#define FORM(name, suffix, since) { #name, since, name##suffix, NULL },
#define DEVICE_PTSZ(symbol, base, since, ...) { #base, since, symbol, symbol##_ptsz },
#define DEVICE_PTDS(symbol, base, since, ...) { #base, since, symbol, symbol##_ptds },
#include "shim/driver/driver.def"
#include "shim/driver/absent.def"
    { "cuGetErrorName", 6000, (void *)cuGetErrorName, NULL },
    { "cuGetErrorString", 6000, (void *)cuGetErrorString, NULL },
    { "cuGetExportTable", 3000, (void *)cuGetExportTable, NULL },
    { "cuThreadExchangeStreamCaptureMode", 10010, (void *)cuThreadExchangeStreamCaptureMode, NULL },
    { "cuGetProcAddress", 11030, (void *)cuGetProcAddress, NULL },
    { "cuGetProcAddress", 12000, (void *)cuGetProcAddress_v2, NULL },
};

enum { FOUND = 0, NOT_FOUND = 1, TOO_NEW = 2, PER_THREAD = 2 }; /* CUdriverProcAddressQueryResult; a flag (cuda.h, CUDA 13.0) */

/* The newest function of that name that a program of this version knows. */
static int look_up(const char *name, int version, uint64_t flags, void **function)
{
    const struct entry *best = NULL;
    bool named = false;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, name) != 0)
            continue;
        named = true;
        if (entries[i].since <= version && (!best || entries[i].since >= best->since))
            best = &entries[i];
    }
    *function = !best ? NULL : flags & PER_THREAD && best->per_thread ? best->per_thread : best->function;
    return best ? FOUND : named ? TOO_NEW : NOT_FOUND;
}

cudaError_t cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    if (!name || !function)
        return cudaErrorInvalidValue;
    int result = look_up(name, version, flags, function);
    if (status)
        *status = result;
    return result == FOUND || status ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* Tables without documentation, for which a runtime that is linked into a program asks first. */
cudaError_t cuGetExportTable(const void **table, const void *which)
{
    static atomic_bool said;
    Dl_info caller;
    (void)which;
    if (table)
        *table = NULL;
    if (!atomic_exchange(&said, true) && dladdr(__builtin_return_address(0), &caller) && caller.dli_fname)
        ncs_shim_warn("%s has a CUDA runtime of its own, which does not work here: what it allocates is not ours",
                      caller.dli_fname);
    return cudaErrorSymbolNotFound;
}
