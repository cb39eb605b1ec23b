/* Names and sizes of data types, operators and result codes. */
#include "api/types.h"

#include <stdio.h>
#include <string.h>

#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"

struct named {
    const char *name;
    int value;
};

static const struct {
    const char *name;
    size_t bytes;
} dtypes[ncclNumTypes] = {
    [ncclInt8] = { "int8", 1 },
    [ncclUint8] = { "uint8", 1 },
    [ncclInt32] = { "int32", 4 },
    [ncclUint32] = { "uint32", 4 },
    [ncclInt64] = { "int64", 8 },
    [ncclUint64] = { "uint64", 8 },
    [ncclFloat16] = { "float16", 2 },
    [ncclFloat32] = { "float32", 4 },
    [ncclFloat64] = { "float64", 8 },
    [ncclBfloat16] = { "bfloat16", 2 },
    [ncclFloat8e4m3] = { "float8e4m3", 1 },
    [ncclFloat8e5m2] = { "float8e5m2", 1 },
};

/* NCCL's second names for some of them. */
static const struct named dtype_aliases[] = {
    { "char", ncclChar },   { "int", ncclInt },       { "half", ncclHalf },
    { "float", ncclFloat }, { "double", ncclDouble },
};

const char *const ncs_dtype_names[] = {
    "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
    "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2",
    "char",    "int",     "half",    "float",    "double",     NULL,
};

const char *const ncs_redop_names[] = { "sum", "prod", "max", "min", "avg", NULL };

_Static_assert(sizeof ncs_redop_names / sizeof *ncs_redop_names == ncclNumOps + 1,
               "a name per built-in operator");

#define NAMED(constant)                                                                            \
    {                                                                                              \
#constant, constant                                                                        \
    }

static const struct named nccl_results[] = {
    NAMED(ncclSuccess),       NAMED(ncclUnhandledCudaError), NAMED(ncclSystemError),
    NAMED(ncclInternalError), NAMED(ncclInvalidArgument),    NAMED(ncclInvalidUsage),
    NAMED(ncclRemoteError),   NAMED(ncclInProgress),         NAMED(ncclTimeout),
};

static const struct named cuda_errors[] = {
    NAMED(cudaSuccess),
    NAMED(cudaErrorInvalidValue),
    NAMED(cudaErrorMemoryAllocation),
    NAMED(cudaErrorInitializationError),
    NAMED(cudaErrorCudartUnloading),
    NAMED(cudaErrorInvalidConfiguration),
    NAMED(cudaErrorInvalidPitchValue),
    NAMED(cudaErrorInvalidSymbol),
    NAMED(cudaErrorInvalidHostPointer),
    NAMED(cudaErrorInvalidDevicePointer),
    NAMED(cudaErrorInvalidMemcpyDirection),
    NAMED(cudaErrorStubLibrary),
    NAMED(cudaErrorInsufficientDriver),
    NAMED(cudaErrorDevicesUnavailable),
    NAMED(cudaErrorInvalidDeviceFunction),
    NAMED(cudaErrorNoDevice),
    NAMED(cudaErrorInvalidDevice),
    NAMED(cudaErrorDeviceUninitialized),
    NAMED(cudaErrorUnsupportedLimit),
    NAMED(cudaErrorPeerAccessUnsupported),
    NAMED(cudaErrorInvalidResourceHandle),
    NAMED(cudaErrorIllegalState),
    NAMED(cudaErrorSymbolNotFound),
    NAMED(cudaErrorNotReady),
    NAMED(cudaErrorIllegalAddress),
    NAMED(cudaErrorLaunchOutOfResources),
    NAMED(cudaErrorLaunchTimeout),
    NAMED(cudaErrorPeerAccessAlreadyEnabled),
    NAMED(cudaErrorPeerAccessNotEnabled),
    NAMED(cudaErrorSetOnActiveProcess),
    NAMED(cudaErrorContextIsDestroyed),
    NAMED(cudaErrorHostMemoryAlreadyRegistered),
    NAMED(cudaErrorHostMemoryNotRegistered),
    NAMED(cudaErrorLaunchFailure),
    NAMED(cudaErrorNotPermitted),
    NAMED(cudaErrorNotSupported),
    NAMED(cudaErrorStreamCaptureUnsupported),
    NAMED(cudaErrorStreamCaptureInvalidated),
    NAMED(cudaErrorStreamCaptureMerge),
    NAMED(cudaErrorStreamCaptureUnmatched),
    NAMED(cudaErrorStreamCaptureUnjoined),
    NAMED(cudaErrorStreamCaptureIsolation),
    NAMED(cudaErrorStreamCaptureImplicit),
    NAMED(cudaErrorCapturedEvent),
    NAMED(cudaErrorStreamCaptureWrongThread),
    NAMED(cudaErrorTimeout),
    NAMED(cudaErrorUnknown),
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *name_of(const struct named *list, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].value == value)
            return list[i].name;
    return NULL;
}

static int value_of(const struct named *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    return -1;
}

size_t ncs_dtype_bytes(int dtype)
{
    return dtype >= 0 && dtype < ncclNumTypes ? dtypes[dtype].bytes : 0;
}

const char *ncs_dtype_name(int dtype)
{
    return dtype >= 0 && dtype < ncclNumTypes ? dtypes[dtype].name : NULL;
}

int ncs_dtype_from_name(const char *name)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        if (strcmp(dtypes[dtype].name, name) == 0)
            return dtype;
    return value_of(dtype_aliases, COUNT(dtype_aliases), name);
}

const char *ncs_redop_name(int op)
{
    if (op < 0)
        return NULL;
    return op < ncclNumOps ? ncs_redop_names[op] : "premulsum";
}

int ncs_redop_from_name(const char *name)
{
    for (int op = 0; op < ncclNumOps; op++)
        if (strcmp(ncs_redop_names[op], name) == 0)
            return op;
    return -1;
}

/* The text lives until the same thread has asked for a few more unknown ones. */
static const char *unknown(const char *type, int value)
{
    static _Thread_local char texts[4][48];
    static _Thread_local unsigned next;
    char *text = texts[next++ % COUNT(texts)];

    snprintf(text, sizeof texts[0], "unknown %s %d", type, value);
    return text;
}

const char *ncs_nccl_result_name(int result)
{
    const char *name = name_of(nccl_results, COUNT(nccl_results), result);

    return name ? name : unknown("ncclResult_t", result);
}

const char *ncs_cuda_error_name(int error)
{
    const char *name = name_of(cuda_errors, COUNT(cuda_errors), error);

    return name ? name : unknown("cudaError_t", error);
}

int ncs_result_from_name(const char *name)
{
    int value = value_of(nccl_results, COUNT(nccl_results), name);

    return value >= 0 ? value : value_of(cuda_errors, COUNT(cuda_errors), name);
}
