#include "driver/far/pack.h"

#include <stddef.h>
#include <string.h>

#include "api/carry.h"
#include "api/types.h"
#include "base/mem.h"
#include "ncclscript/cuda_tables.h"

/* ---- items ---- */

static size_t pack_padded(size_t bytes)
{
    return (bytes + 7) / 8 * 8;
}

void far_add_item(struct ncs_str *out, const struct far_item *item, const void *bytes)
{
    static const char zeros[8];
    ncs_str_add_bytes(out, item, sizeof *item);
    if (item->bytes > 0)
        ncs_str_add_bytes(out, bytes, item->bytes);
    ncs_str_add_bytes(out, zeros, pack_padded(item->bytes) - item->bytes);
}

bool far_next_item(struct far_reader *r, struct far_item *item, const void **bytes)
{
    size_t left = (size_t)(r->end - r->at);
    if (left < sizeof *item)
        return false;
    memcpy(item, r->at, sizeof *item);
    left -= sizeof *item;
    if (item->bytes > left || pack_padded(item->bytes) > left || item->at >= FAR_ITEMS)
        return false;
    *bytes = r->at + sizeof *item;
    r->at += sizeof *item + pack_padded(item->bytes);
    return true;
}

/* ---- kinds ---- */

/* clang-format off */
static const enum { PACK_ADDRESS = 1, PACK_HANDLE, PACK_RESULT } pack_kinds[NCS_ARG_KINDS] = {
    [NCS_ARG_IN] = PACK_ADDRESS, [NCS_ARG_OUT] = PACK_ADDRESS, [NCS_ARG_INOUT] = PACK_ADDRESS,
    [NCS_ARG_MEMORY] = PACK_ADDRESS, [NCS_ARG_SCALAR] = PACK_ADDRESS,
    [NCS_ARG_COMM] = PACK_HANDLE, [NCS_ARG_STREAM] = PACK_HANDLE, [NCS_ARG_EVENT] = PACK_HANDLE,
    [NCS_ARG_WINDOW] = PACK_HANDLE, [NCS_ARG_REGISTRATION] = PACK_HANDLE, [NCS_ARG_PARAM] = PACK_HANDLE,
    [NCS_ARG_POOL] = PACK_HANDLE,
    [NCS_ARG_COMM_OUT] = PACK_RESULT, [NCS_ARG_COMMS_OUT] = PACK_RESULT, [NCS_ARG_MEMORY_OUT] = PACK_RESULT,
    [NCS_ARG_STREAM_OUT] = PACK_RESULT, [NCS_ARG_EVENT_OUT] = PACK_RESULT, [NCS_ARG_WINDOW_OUT] = PACK_RESULT,
    [NCS_ARG_REGISTRATION_OUT] = PACK_RESULT, [NCS_ARG_PARAM_OUT] = PACK_RESULT, [NCS_ARG_POOL_OUT] = PACK_RESULT,
    [NCS_ARG_GRAPH_OUT] = PACK_RESULT, [NCS_ARG_GRAPHEXEC_OUT] = PACK_RESULT,
    [NCS_ARG_NODES_OUT] = PACK_RESULT, [NCS_ARG_EDGES_OUT] = PACK_RESULT,
    [NCS_ARG_GRAPH] = PACK_HANDLE, [NCS_ARG_GRAPHEXEC] = PACK_HANDLE,
};
/* clang-format on */

bool far_is_address(enum ncs_kind kind)
{
    return pack_kinds[kind] == PACK_ADDRESS || pack_kinds[kind] == PACK_HANDLE;
}

bool far_is_handle(enum ncs_kind kind)
{
    return pack_kinds[kind] == PACK_HANDLE;
}

/* ---- copies: memory of the leader goes along ---- */

size_t far_copied(enum ncs_fn fn, const union ncs_arg *arg, int at)
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

static bool pack_is_copy(enum ncs_fn fn)
{
    return fn == NCS_FN_cudaMemcpy || fn == NCS_FN_cudaMemcpyAsync || fn == NCS_FN_cudaMemcpyPeer ||
           fn == NCS_FN_cudaMemcpyPeerAsync || fn == NCS_FN_cudaMemcpy2D || fn == NCS_FN_cudaMemcpy2DAsync;
}

static bool pack_copy(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, int at)
{
    size_t bytes = far_copied(fn, arg, at);
    bool written = ncs_fn_info[fn].arg[at].kind == NCS_ARG_OUT;
    bool rows = fn == NCS_FN_cudaMemcpy2D || fn == NCS_FN_cudaMemcpy2DAsync; /* what is between them stays */
    struct far_item item = { .at = (uint32_t)at, .back = written, .bytes = written && !rows ? 0 : bytes, .room = bytes };
    if (bytes > 2 * FAR_CHUNK)
        return false;
    far_add_item(out, &item, arg[at].p);
    return true;
}

/* ---- a request ---- */

static void pack_text(struct ncs_str *out, uint32_t at, const char *text)
{
    if (text)
        far_add_item(out, &(struct far_item){ .at = at, .bytes = strlen(text) + 1, .room = strlen(text) + 1 }, text);
}

static void pack_config(struct ncs_str *out, uint32_t at, const ncclConfig_t *config)
{
    size_t bytes = config->size < sizeof *config ? config->size : sizeof *config;
    far_add_item(out, &(struct far_item){ .at = at, .bytes = bytes, .room = sizeof *config }, config);
    if (bytes > offsetof(ncclConfig_t, netName))
        pack_text(out, FAR_NET_NAME, config->netName);
    if (bytes > offsetof(ncclConfig_t, commName))
        pack_text(out, FAR_COMM_NAME, config->commName);
}

/* An address or a handle of that process, or memory of the leader that a copy uses. */
static bool pack_address(struct ncs_str *out, enum ncs_fn fn, union ncs_arg *arg, int at, int process)
{
    enum ncs_kind kind = ncs_fn_info[fn].arg[at].kind;
    const void *p = arg[at].p;
    int of = far_process_of(p);
    if (far_is_number(p))
        return true;
    if (of == process) {
        arg[at].p = far_unmark(p);
        return true;
    }
    bool copied = pack_is_copy(fn) || (fn == NCS_FN_ncsAdd && kind == NCS_ARG_IN); /* its result comes later */
    if (of != 0 || far_is_handle(kind) || !copied) /* devices of other hosts do not reach the leader's memory */
        return false;
    return far_copied(fn, arg, at) == 0 || pack_copy(out, fn, arg, at);
}

/* Memory beside the arguments that lies in a process stays there. */
static bool pack_memory(struct ncs_str *out, enum ncs_fn fn, union ncs_arg *arg, int at, int process)
{
    int of = far_process_of(arg[at].p);
    if (of != 0) {
        arg[at].p = far_unmark(arg[at].p);
        return of == process;
    }
    struct ncs_carried c = ncs_carry(fn, arg, at);
    bool back = c.how == NCS_CARRY_OUT || c.how == NCS_CARRY_INOUT;
    bool none = c.how == NCS_CARRY_NOT || !arg[at].p;
    struct far_item item = { .at = (uint32_t)at, .back = back, .bytes = c.how == NCS_CARRY_OUT ? 0 : c.bytes, .room = c.bytes };
    if (c.how == NCS_CARRY_NEVER)
        return false;
    if (none)
        return true;
    if (c.how == NCS_CARRY_TEXT)
        pack_text(out, (uint32_t)at, arg[at].p);
    else if (c.how == NCS_CARRY_CONFIG)
        pack_config(out, (uint32_t)at, arg[at].p);
    else
        far_add_item(out, &item, arg[at].p);
    return true;
}

bool far_pack(struct ncs_str *out, enum ncs_fn fn, const union ncs_arg *arg, int process)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    struct far_request request = { .fn = (int32_t)fn };
    bool fine = true;
    memcpy(request.arg, arg, (size_t)info->nargs * sizeof *arg);
    ncs_str_add_bytes(out, &request, sizeof request);
    for (int i = 0; i < info->nargs && fine; i++)
        if (ncs_carry(fn, arg, i).how != NCS_CARRY_NOT)
            fine = pack_memory(out, fn, request.arg, i, process);
        else if (far_is_address(info->arg[i].kind))
            fine = pack_address(out, fn, request.arg, i, process);
    memcpy(out->text, &request, sizeof request);
    return fine;
}

/* ---- an answer ---- */

static void pack_mark_results(enum ncs_kind kind, void *memory, size_t bytes, int process)
{
    const void **handle = memory;
    struct cudaPointerAttributes *attributes = memory;
    if (pack_kinds[kind] == PACK_RESULT)
        for (size_t i = 0; i < bytes / sizeof *handle; i++)
            handle[i] = far_mark(handle[i], process);
    if (kind == NCS_ARG_POINTER_OUT && bytes >= sizeof *attributes) {
        attributes->devicePointer = (void *)far_mark(attributes->devicePointer, process);
        attributes->hostPointer = (void *)far_mark(attributes->hostPointer, process);
    }
}

char *far_unpack(enum ncs_fn fn, const union ncs_arg *arg, int process, struct far_reader *items)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    struct far_item item;
    const void *bytes;
    char *text = NULL;
    while (far_next_item(items, &item, &bytes)) {
        if (item.at == FAR_TEXT && !text && item.bytes > 0 && ((const char *)bytes)[item.bytes - 1] == '\0')
            text = ncs_copy_text(bytes);
        if (item.at >= (uint32_t)info->nargs || far_process_of(arg[item.at].p) != 0)
            continue;
        struct ncs_carried c = ncs_carry(fn, arg, (int)item.at);
        size_t copied = info->arg[item.at].kind == NCS_ARG_OUT ? far_copied(fn, arg, (int)item.at) : 0;
        size_t room = copied ? copied : c.how == NCS_CARRY_OUT || c.how == NCS_CARRY_INOUT ? c.bytes : 0;
        if (item.bytes == 0 || item.bytes > room) /* what the call does not write stays */
            continue;
        memcpy((void *)arg[item.at].p, bytes, item.bytes);
        pack_mark_results(info->arg[item.at].kind, (void *)arg[item.at].p, item.bytes, process);
    }
    return text;
}
