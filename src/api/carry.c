#include "api/carry.h"

#include "api/types.h"
#include "ncclscript/cuda_tables.h"

static const struct ncs_carried carried[] = {
    [NCS_ARG_ID] = { NCS_CARRY_IN, sizeof(ncclUniqueId) },
    [NCS_ARG_ID_IN] = { NCS_CARRY_IN, sizeof(ncclUniqueId) },
    [NCS_ARG_POOLPROPS] = { NCS_CARRY_IN, sizeof(struct cudaMemPoolProps) },
    [NCS_ARG_LOCATION] = { NCS_CARRY_IN, sizeof(struct cudaMemLocation) },
    [NCS_ARG_PROPERTIES] = { NCS_CARRY_IN, sizeof(struct cudaDeviceProp) },
    [NCS_ARG_IPCMEM] = { NCS_CARRY_IN, sizeof(cudaIpcMemHandle_t) },
    [NCS_ARG_IPCEVENT] = { NCS_CARRY_IN, sizeof(cudaIpcEventHandle_t) },
    [NCS_ARG_SIMINFO] = { NCS_CARRY_INOUT, sizeof(ncclSimInfo_t) },
    [NCS_ARG_INT_OUT] = { NCS_CARRY_OUT, sizeof(int) },
    [NCS_ARG_BYTES_OUT] = { NCS_CARRY_OUT, sizeof(size_t) },
    [NCS_ARG_FLOAT_OUT] = { NCS_CARRY_OUT, sizeof(float) },
    [NCS_ARG_ID_OUT] = { NCS_CARRY_OUT, sizeof(ncclUniqueId) },
    [NCS_ARG_COMM_OUT] = { NCS_CARRY_LATE, sizeof(ncclComm_t) },
    [NCS_ARG_REDOP_OUT] = { NCS_CARRY_OUT, sizeof(ncclRedOp_t) },
    [NCS_ARG_RESULT_OUT] = { NCS_CARRY_OUT, sizeof(ncclResult_t) },
    [NCS_ARG_MEMORY_OUT] = { NCS_CARRY_OUT, sizeof(void *) },
    [NCS_ARG_STREAM_OUT] = { NCS_CARRY_OUT, sizeof(cudaStream_t) },
    [NCS_ARG_EVENT_OUT] = { NCS_CARRY_OUT, sizeof(cudaEvent_t) },
    [NCS_ARG_I8_OUT] = { NCS_CARRY_OUT, 1 },
    [NCS_ARG_I16_OUT] = { NCS_CARRY_OUT, 2 },
    [NCS_ARG_I32_OUT] = { NCS_CARRY_OUT, 4 },
    [NCS_ARG_I64_OUT] = { NCS_CARRY_OUT, 8 },
    [NCS_ARG_U8_OUT] = { NCS_CARRY_OUT, 1 },
    [NCS_ARG_U16_OUT] = { NCS_CARRY_OUT, 2 },
    [NCS_ARG_U32_OUT] = { NCS_CARRY_OUT, 4 },
    [NCS_ARG_U64_OUT] = { NCS_CARRY_OUT, 8 },
    [NCS_ARG_FLAGS_OUT] = { NCS_CARRY_OUT, sizeof(unsigned) },
    [NCS_ARG_SERIAL_OUT] = { NCS_CARRY_OUT, sizeof(unsigned long long) },
    [NCS_ARG_TEXT_OUT] = { NCS_CARRY_NEVER, 0 },
    [NCS_ARG_TEXTS_OUT] = { NCS_CARRY_NEVER, 0 },
    [NCS_ARG_WINDOW_OUT] = { NCS_CARRY_LATE, sizeof(ncclWindow_t) },
    [NCS_ARG_REGISTRATION_OUT] = { NCS_CARRY_OUT, sizeof(void *) },
    [NCS_ARG_PARAM_OUT] = { NCS_CARRY_OUT, sizeof(ncclParamHandle_t) },
    [NCS_ARG_COMMPROPS_OUT] = { NCS_CARRY_INOUT, sizeof(ncclCommProperties_t) },
    [NCS_ARG_POOL_OUT] = { NCS_CARRY_OUT, sizeof(cudaMemPool_t) },
    [NCS_ARG_PROPERTIES_OUT] = { NCS_CARRY_OUT, sizeof(struct cudaDeviceProp) },
    [NCS_ARG_POINTER_OUT] = { NCS_CARRY_OUT, sizeof(struct cudaPointerAttributes) },
    [NCS_ARG_CAPTURE_OUT] = { NCS_CARRY_OUT, sizeof(enum cudaStreamCaptureStatus) },
    [NCS_ARG_GRAPH_OUT] = { NCS_CARRY_OUT, sizeof(cudaGraph_t) },
    [NCS_ARG_GRAPHEXEC_OUT] = { NCS_CARRY_OUT, sizeof(cudaGraphExec_t) },
    [NCS_ARG_NODES_OUT] = { NCS_CARRY_OUT, sizeof(void *) },
    [NCS_ARG_EDGES_OUT] = { NCS_CARRY_OUT, sizeof(void *) },
    [NCS_ARG_CAPTUREMODE_IO] = { NCS_CARRY_INOUT, sizeof(enum cudaStreamCaptureMode) },
    [NCS_ARG_NODECOUNT] = { NCS_CARRY_INOUT, sizeof(size_t) },
    [NCS_ARG_NODES] = { NCS_CARRY_NEVER, 0 },
    [NCS_ARG_ENTRY_OUT] = { NCS_CARRY_OUT, sizeof(enum cudaDriverEntryPointQueryResult) },
    [NCS_ARG_IPCMEM_OUT] = { NCS_CARRY_OUT, sizeof(cudaIpcMemHandle_t) },
    [NCS_ARG_IPCEVENT_OUT] = { NCS_CARRY_OUT, sizeof(cudaIpcEventHandle_t) },
    [NCS_ARG_TEXT] = { NCS_CARRY_TEXT, 0 },
    [NCS_ARG_CONFIG] = { NCS_CARRY_CONFIG, 0 },
};

#define CARRY_ITEMS 65536 /* bounds a list: no job has more ranks or devices */

/* The number of items of the list that is argument `at`: an argument beside it says so. */
static size_t carry_items(const struct ncs_fn_info *info, const union ncs_arg *arg, int at)
{
    for (int i = at - 1; i <= at + 1; i += 2)
        if (i >= 0 && i < info->nargs && (info->arg[i].kind == NCS_ARG_ITEMS || info->arg[i].kind == NCS_ARG_NRANKS))
            return arg[i].i < 0 ? 0 : arg[i].i > CARRY_ITEMS ? CARRY_ITEMS : (size_t)arg[i].i;
    return 0;
}

/* Bytes of an attribute of a pool: those from 4 on are numbers of bytes (driver_types.h, cudaMemPoolAttr). */
static size_t carry_attribute(const struct ncs_fn_info *info, const union ncs_arg *arg)
{
    int at = info->at[NCS_ARG_POOLATTR];
    return at && arg[at - 1].i < cudaMemPoolAttrReleaseThreshold ? 4 : 8;
}

/* A scalar on the host has the size of its type; on the device its address is that process's. */
static size_t carry_scalar(const struct ncs_fn_info *info, const union ncs_arg *arg)
{
    int type = info->at[NCS_ARG_DTYPE], residence = info->at[NCS_ARG_RESIDENCE];
    bool on_device = residence && arg[residence - 1].i != ncclScalarHostImmediate;
    return type && !on_device ? ncs_dtype_bytes((int)arg[type - 1].i) : 0;
}

static size_t carry_room(const struct ncs_fn_info *info, const union ncs_arg *arg)
{
    int at = info->at[NCS_ARG_ROOM];
    int64_t room = at ? arg[at - 1].i : 0;
    return room < 0 ? 0 : room > (int64_t)NCS_CARRY_TEXT_MOST ? NCS_CARRY_TEXT_MOST : (size_t)room;
}

struct ncs_carried ncs_carry(enum ncs_fn fn, const union ncs_arg *arg, int at)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    enum ncs_kind kind = info->arg[at].kind;
    size_t items = carry_items(info, arg, at);
    switch (kind) {
    case NCS_ARG_IDS: return (struct ncs_carried){ NCS_CARRY_IN, items * sizeof(ncclUniqueId) };
    case NCS_ARG_DEVICES: return (struct ncs_carried){ NCS_CARRY_IN, items * sizeof(int) };
    case NCS_ARG_RANKS: return (struct ncs_carried){ NCS_CARRY_INOUT, items * sizeof(int) };
    case NCS_ARG_WAITS: return (struct ncs_carried){ NCS_CARRY_IN, items * sizeof(ncclWaitSignalDesc_t) };
    case NCS_ARG_COMMS_OUT: return (struct ncs_carried){ NCS_CARRY_OUT, items * sizeof(ncclComm_t) };
    case NCS_ARG_CHARS_OUT: return (struct ncs_carried){ NCS_CARRY_OUT, carry_room(info, arg) };
    case NCS_ARG_OUT: /* memory of the device, or of the caller if the function is told its room (ncclParamGet) */
        return info->at[NCS_ARG_ROOM] ? (struct ncs_carried){ NCS_CARRY_OUT, carry_room(info, arg) }
                                      : (struct ncs_carried){ NCS_CARRY_NOT, 0 };
    case NCS_ARG_ATTRIBUTE: return (struct ncs_carried){ NCS_CARRY_INOUT, carry_attribute(info, arg) };
    case NCS_ARG_SCALAR: {
        size_t bytes = carry_scalar(info, arg);
        return (struct ncs_carried){ bytes ? NCS_CARRY_IN : NCS_CARRY_NOT, bytes };
    }
    default: return (size_t)kind < sizeof carried / sizeof *carried ? carried[kind] : (struct ncs_carried){ NCS_CARRY_NOT, 0 };
    }
}

size_t ncs_carry_copied(enum ncs_fn fn, const union ncs_arg *arg, int at)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    int count = info->at[NCS_ARG_BYTES], width = info->at[NCS_ARG_WIDTH], height = info->at[NCS_ARG_HEIGHT];
    switch (fn) {
    case NCS_FN_ncsAdd:
        return info->arg[at].kind == NCS_ARG_IN
                   ? (size_t)arg[info->at[NCS_ARG_COUNT] - 1].u * ncs_dtype_bytes((int)arg[info->at[NCS_ARG_DTYPE] - 1].i)
                   : 0;
    case NCS_FN_cudaMemcpy:
    case NCS_FN_cudaMemcpyAsync:
    case NCS_FN_cudaMemcpyPeer:
    case NCS_FN_cudaMemcpyPeerAsync: return (size_t)arg[count - 1].u;
    case NCS_FN_cudaMemcpy2D:
    case NCS_FN_cudaMemcpy2DAsync: {
        size_t rows = (size_t)arg[height - 1].u, pitch = (size_t)arg[at + 1].u, bytes;
        if (rows == 0 || arg[width - 1].u == 0)
            return 0;
        return __builtin_mul_overflow(rows - 1, pitch, &bytes) || __builtin_add_overflow(bytes, (size_t)arg[width - 1].u, &bytes)
                   ? SIZE_MAX
                   : bytes;
    }
    default: return 0;
    }
}

bool ncs_carry_is_copy(enum ncs_fn fn, enum ncs_kind kind)
{
    return fn == NCS_FN_cudaMemcpy || fn == NCS_FN_cudaMemcpyAsync || fn == NCS_FN_cudaMemcpyPeer ||
           fn == NCS_FN_cudaMemcpyPeerAsync || fn == NCS_FN_cudaMemcpy2D || fn == NCS_FN_cudaMemcpy2DAsync ||
           (fn == NCS_FN_ncsAdd && kind == NCS_ARG_IN); /* its result comes later */
}

static const bool carry_handles[NCS_ARG_KINDS] = {
    [NCS_ARG_COMM] = true,   [NCS_ARG_STREAM] = true,       [NCS_ARG_EVENT] = true,
    [NCS_ARG_WINDOW] = true, [NCS_ARG_REGISTRATION] = true, [NCS_ARG_PARAM] = true,
    [NCS_ARG_POOL] = true,   [NCS_ARG_GRAPH] = true,        [NCS_ARG_GRAPHEXEC] = true,
};

bool ncs_carry_is_handle(enum ncs_kind kind)
{
    return carry_handles[kind];
}

bool ncs_carry_is_address(enum ncs_kind kind)
{
    return carry_handles[kind] || kind == NCS_ARG_IN || kind == NCS_ARG_OUT || kind == NCS_ARG_INOUT || kind == NCS_ARG_MEMORY ||
           kind == NCS_ARG_SCALAR;
}

static const bool carry_result_kinds[NCS_ARG_KINDS] = {
    [NCS_ARG_COMM_OUT] = true,  [NCS_ARG_COMMS_OUT] = true,  [NCS_ARG_MEMORY_OUT] = true,       [NCS_ARG_STREAM_OUT] = true,
    [NCS_ARG_EVENT_OUT] = true, [NCS_ARG_WINDOW_OUT] = true, [NCS_ARG_REGISTRATION_OUT] = true, [NCS_ARG_PARAM_OUT] = true,
    [NCS_ARG_POOL_OUT] = true,  [NCS_ARG_GRAPH_OUT] = true,  [NCS_ARG_GRAPHEXEC_OUT] = true,    [NCS_ARG_NODES_OUT] = true,
    [NCS_ARG_EDGES_OUT] = true,
};

bool ncs_carry_is_result(enum ncs_kind kind)
{
    return carry_result_kinds[kind];
}
