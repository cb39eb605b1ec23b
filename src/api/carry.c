#include "api/carry.h"

#include "api/types.h"

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

static enum ncs_carry carry_how(enum ncs_kind kind)
{
    switch (kind) {
    case NCS_ARG_TEXT: return NCS_CARRY_TEXT;
    case NCS_ARG_CONFIG: return NCS_CARRY_CONFIG;
    case NCS_ARG_COMM_OUT:
    case NCS_ARG_WINDOW_OUT: return NCS_CARRY_LATE;
    case NCS_ARG_TEXT_OUT:
    case NCS_ARG_TEXTS_OUT:
    case NCS_ARG_NODES: return NCS_CARRY_NEVER;
    case NCS_ARG_SIMINFO:
    case NCS_ARG_COMMPROPS_OUT:
    case NCS_ARG_CAPTUREMODE_IO:
    case NCS_ARG_NODECOUNT:
    case NCS_ARG_RANKS:
    case NCS_ARG_ATTRIBUTE: return NCS_CARRY_INOUT;
    default: return ncs_kind_is_out(kind) ? NCS_CARRY_OUT : ncs_kind_info[kind].bytes ? NCS_CARRY_IN : NCS_CARRY_NOT;
    }
}

struct ncs_carried ncs_carry(enum ncs_fn fn, const union ncs_arg *arg, int at)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    enum ncs_kind kind = info->arg[at].kind;
    struct ncs_carried c = { carry_how(kind), ncs_kind_info[kind].bytes };
    switch (kind) {
    case NCS_ARG_IDS:
    case NCS_ARG_DEVICES:
    case NCS_ARG_RANKS:
    case NCS_ARG_WAITS:
    case NCS_ARG_COMMS_OUT: c.bytes *= carry_items(info, arg, at); break;
    case NCS_ARG_OUT: /* memory of the device, or of the caller if the function is told its room (ncclParamGet) */
        c.how = info->at[NCS_ARG_ROOM] ? NCS_CARRY_OUT : NCS_CARRY_NOT;
        c.bytes = carry_room(info, arg);
        break;
    case NCS_ARG_CHARS_OUT: c.bytes = carry_room(info, arg); break;
    case NCS_ARG_ATTRIBUTE: c.bytes = carry_attribute(info, arg); break;
    case NCS_ARG_SCALAR:
        c.bytes = carry_scalar(info, arg);
        c.how = c.bytes ? NCS_CARRY_IN : NCS_CARRY_NOT;
        break;
    default: break;
    }
    return c;
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

bool ncs_carry_is_address(enum ncs_kind kind)
{
    return ncs_kind_info[kind].handle || kind == NCS_ARG_IN || kind == NCS_ARG_OUT || kind == NCS_ARG_INOUT ||
           kind == NCS_ARG_MEMORY || kind == NCS_ARG_SCALAR;
}
