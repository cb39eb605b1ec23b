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

#define INTEGER(bits) .bytes = (bits) / 8
#define FLOAT(size, fraction_bits, exponent_bits, has_infinity) \
    .bytes = (size), .fraction = (fraction_bits), .bias = (1 << ((exponent_bits)-1)) - 1, .infinite = (has_infinity)

/* clang-format off */
const struct ncs_dtype_info ncs_dtype_info[ncclNumTypes] = {
    [ncclInt8] = { "int8", "ncclInt8", { "char", "ncclChar" }, NULL, "Char", INTEGER(8) },
    [ncclUint8] = { "uint8", "ncclUint8", { NULL, NULL }, NULL, "Byte", INTEGER(8) },
    [ncclInt32] = { "int32", "ncclInt32", { "int", "ncclInt" }, NULL, "Int", INTEGER(32) },
    [ncclUint32] = { "uint32", "ncclUint32", { NULL, NULL }, NULL, "UInt32", INTEGER(32) },
    [ncclInt64] = { "int64", "ncclInt64", { NULL, NULL }, "long", "Long", INTEGER(64) },
    [ncclUint64] = { "uint64", "ncclUint64", { NULL, NULL }, NULL, "UInt64", INTEGER(64) },
    [ncclFloat16] = { "float16", "ncclFloat16", { "half", "ncclHalf" }, "fp16", "Half",
                      FLOAT(2, 10, 5, true), .top = 0x7bff, .nan = 0x7e00 },
    [ncclFloat32] = { "float32", "ncclFloat32", { "float", "ncclFloat" }, "fp32", "Float",
                      FLOAT(4, 23, 8, true) },
    [ncclFloat64] = { "float64", "ncclFloat64", { "double", "ncclDouble" }, "fp64", "Double",
                      FLOAT(8, 52, 11, true) },
    [ncclBfloat16] = { "bfloat16", "ncclBfloat16", { NULL, NULL }, "bf16", "BFloat16",
                       FLOAT(2, 7, 8, true), .top = 0x7f7f, .nan = 0x7fc0 },
    [ncclFloat8e4m3] = { "float8e4m3", "ncclFloat8e4m3", { NULL, NULL }, NULL, "Float8_e4m3fn",
                         FLOAT(1, 3, 4, false), .saturates = true, .top = 0x7e, .nan = 0x7f },
    [ncclFloat8e5m2] = { "float8e5m2", "ncclFloat8e5m2", { NULL, NULL }, NULL, "Float8_e5m2",
                         FLOAT(1, 2, 5, true), .saturates = true, .top = 0x7b, .nan = 0x7f },
};
/* clang-format on */

/* The names of the rows above, as an array for ncs_nearest. */
const char *const ncs_dtype_names[] = {
    "int8",     "uint8",      "int32",      "uint32", "int64", "uint64", "float16", "float32", "float64",
    "bfloat16", "float8e4m3", "float8e5m2", "char",   "int",   "half",   "float",   "double",  NULL,
};

const char *const ncs_redop_names[] = { "sum", "prod", "max", "min", "avg", NULL };

_Static_assert(sizeof ncs_redop_names / sizeof *ncs_redop_names == ncclNumOps + 1, "a name per built-in operator");

#define NAMED(constant)             \
    {                               \
        .name = #constant, constant \
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
    NAMED(cudaErrorAssert),
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

static const char *type_name_of(const struct named *list, size_t count, int value)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].value == value)
            return list[i].name;
    return NULL;
}

static int type_value_of(const struct named *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return list[i].value;
    return -1;
}

const char *ncs_dtype_name(int dtype)
{
    return dtype >= 0 && dtype < ncclNumTypes ? ncs_dtype_info[dtype].name : NULL;
}

static bool type_has_name(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

int ncs_dtype_from_name(const char *name)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        if (type_has_name(ncs_dtype_info[dtype].name, name) || type_has_name(ncs_dtype_info[dtype].other[0], name))
            return dtype;
    return -1;
}

int ncs_dtype_from_constant(const char *name)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        if (type_has_name(ncs_dtype_info[dtype].constant, name) || type_has_name(ncs_dtype_info[dtype].other[1], name))
            return dtype;
    return -1;
}

int ncs_dtype_from_torch(const char *name)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        if (type_has_name(ncs_dtype_info[dtype].torch, name))
            return dtype;
    return -1;
}

bool ncs_dtype_is_float(int dtype)
{
    return dtype >= 0 && dtype < ncclNumTypes && ncs_dtype_info[dtype].bias > 0;
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

/* The text stays valid for the calling thread's next three calls. */
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
    const char *name = type_name_of(nccl_results, COUNT(nccl_results), result);

    return name ? name : unknown("ncclResult_t", result);
}

const char *ncs_cuda_error_name(int error)
{
    const char *name = type_name_of(cuda_errors, COUNT(cuda_errors), error);

    return name ? name : unknown("cudaError_t", error);
}

int ncs_result_from_name(const char *name)
{
    int value = type_value_of(nccl_results, COUNT(nccl_results), name);

    return value >= 0 ? value : type_value_of(cuda_errors, COUNT(cuda_errors), name);
}
