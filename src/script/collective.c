/* Collectives, sends and receives. The API's row of a call gives its operands, their sizes for a
 * count, and the meaning of a single operand. */
#include "script/object.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/invoke.h"
#include "api/types.h"
#include "base/near.h"
#include "script/option.h"

/* The arguments of a call in C. */
struct operands {
    const struct ncs_comm *comm;
    const struct ncs_buffer *send, *recv; /* NULL: none, or none needed on this rank */
    size_t count;
    ncclDataType_t dtype;
    ncclRedOp_t op;
    int root, peer;
    cudaStream_t stream;
};

enum alone {                  /* the meaning of a single operand */
             ALONE_BOTH,      /* send and recv */
             ALONE_RECV_PART, /* recv; send is this rank's part of it */
             ALONE_SEND_PART, /* send; recv is this rank's part of it */
             ALONE_NO_RECV,   /* send; recv is given where the call needs it */
};

static const char *collective_name_of(const struct ncs_fn_info *info)
{
    return info->lua_name + strlen("comm:");
}

/* NCCL composes these calls of sends and receives, which are never in place. */
static enum alone alone_of(const struct ncs_fn_info *info)
{
    return info->composed                   ? ALONE_NO_RECV
           : info->writes == NCS_BLOCKS_ALL ? ALONE_RECV_PART
           : info->reads == NCS_BLOCKS_ALL  ? ALONE_SEND_PART
                                            : ALONE_BOTH;
}

static void *bytes_or_null(const struct ncs_buffer *b)
{
    return b ? b->bytes : NULL;
}

static union ncs_arg argument(const struct operands *o, enum ncs_kind kind)
{
    switch ((int)kind) {
    case NCS_ARG_IN: return (union ncs_arg){ .p = bytes_or_null(o->send) };
    case NCS_ARG_OUT: return (union ncs_arg){ .p = bytes_or_null(o->recv) };
    case NCS_ARG_COUNT: return (union ncs_arg){ .u = o->count };
    case NCS_ARG_DTYPE: return (union ncs_arg){ .i = o->dtype };
    case NCS_ARG_REDOP: return (union ncs_arg){ .i = o->op };
    case NCS_ARG_ROOT: return (union ncs_arg){ .i = o->root };
    case NCS_ARG_PEER: return (union ncs_arg){ .i = o->peer };
    case NCS_ARG_COMM: return (union ncs_arg){ .p = ncs_comm_handle(o->comm) };
    default: return (union ncs_arg){ .p = o->stream };
    }
}

static int collective_invoke(lua_State *L, const struct ncs_fn_info *info, const struct operands *o)
{
    enum ncs_fn fn = (enum ncs_fn)(info - ncs_fn_info);
    union ncs_arg arg[NCS_MAX_ARGS], result = { 0 };
    for (int i = 0; i < info->nargs; i++)
        arg[i] = argument(o, info->arg[i].kind);
    ncs_invoke(ncs_lua_before(L, fn), fn, arg, &result);
    return ncs_lua_ok(L, fn, ncs_lua_after(L, (int)result.i));
}

/* ---- options ---- */

struct options {
    int stream, op;    /* stack indices; 0 = none */
    lua_Integer count; /* -1 = not given */
    int root, peer;
    bool verify;
};

static void collective_read_options(lua_State *L, int arg, const struct ncs_fn_info *info, struct options *o)
{
    if (lua_isnoneornil(L, arg))
        return;
    struct ncs_option rows[8] = {
        { "count", NCS_OPTION_INTEGER, offsetof(struct options, count) },
        { "stream", NCS_OPTION_SLOT, offsetof(struct options, stream) },
        { "verify", NCS_OPTION_VERIFY, 0 },
    };
    int n = 3;
    if (info->reduces)
        rows[n++] = (struct ncs_option){ "op", NCS_OPTION_SLOT, offsetof(struct options, op) };
    if (info->rooted)
        rows[n++] = (struct ncs_option){ "root", NCS_OPTION_INT, offsetof(struct options, root) };
    if (info->pair)
        rows[n++] = (struct ncs_option){ "peer", NCS_OPTION_INT, offsetof(struct options, peer) };
    rows[n] = (struct ncs_option){ NULL, 0, 0 };
    ncs_lua_options(L, arg, rows, o);
}

static ncclRedOp_t operator(lua_State *L, int arg)
{
    if (arg == 0)
        return ncclSum;
    if (lua_type(L, arg) == LUA_TSTRING) {
        const char *name = lua_tostring(L, arg);
        int op = ncs_redop_from_name(name);
        char hint[NCS_NEAR_ROOM];
        if (op < 0)
            ncs_lua_usage(L, "no op \"%.60s\"%s", name,
                          ncs_lua_hint(hint, '"', name, ncs_redop_names, 0,
                                       ", expected \"sum\", \"prod\", \"max\", \"min\", \"avg\" "
                                       "or a premulsum"));
        return (ncclRedOp_t)op;
    }
    struct ncs_lua_redop *op = ncs_object_test(L, arg, NCS_CLASS_REDOP);
    if (!op)
        ncs_lua_wrong(L, arg, "op", "a name or a premulsum");
    ncs_object_check_open(L, &op->head, "op");
    return op->op;
}

cudaStream_t ncs_comm_stream(lua_State *L, int slot)
{
    if (slot)
        return ((struct ncs_stream *)ncs_object_live(L, slot, NCS_CLASS_STREAM, "stream"))->handle;
    const struct ncs_comm *c = lua_touserdata(L, 1);
    if (lua_getiuservalue(L, 1, 1) == LUA_TNIL)
        return ncs_stream_default(L, c->device)->handle;
    return ((struct ncs_stream *)ncs_object_live(L, lua_gettop(L), NCS_CLASS_STREAM, "comm.stream"))->handle;
}

/* ---- operands ---- */

static struct ncs_buffer *buffer_at(lua_State *L, int arg, const char *name)
{
    struct ncs_buffer *b = ncs_object_arg(L, arg, NCS_CLASS_BUFFER, name);
    ncs_buffer_check_live(L, b, name);
    return b;
}

/* This rank's block of the only operand, as a buffer in *part. */
static void own_part(lua_State *L, const struct operands *o, const struct ncs_buffer *whole, struct ncs_buffer *part)
{
    size_t n = o->comm->nranks > 0 ? (size_t)o->comm->nranks : 1;
    if (whole->count % n != 0)
        ncs_lua_usage(L, "%zu elements cannot be divided among %zu ranks", whole->count, n);
    *part = *whole;
    part->count = whole->count / n;
    if (whole->bytes)
        part->bytes = whole->bytes + (size_t)o->comm->rank * part->count * ncs_dtype_bytes(whole->dtype);
}

/* Reads the operands from argument 2 on; *part is room for a derived operand. Returns the index of
 * the next argument. */
static int read_operands(lua_State *L, const struct ncs_fn_info *info, struct operands *o, struct ncs_buffer *part)
{
    bool second = ncs_object_test(L, 3, NCS_CLASS_BUFFER) != NULL;
    enum alone alone = alone_of(info);
    if (info->pair) {
        struct ncs_buffer *x = buffer_at(L, 2, "buffer");
        *(info->reads ? &o->send : &o->recv) = x;
        return 3;
    }
    bool nil_send = lua_isnil(L, 2) && second, nil_recv = lua_isnil(L, 3) && ncs_blocks_are_roots(info->writes);
    if (nil_send && !ncs_blocks_are_roots(info->reads))
        ncs_lua_wrong(L, 2, "send", "a buffer");
    if (!nil_send)
        o->send = buffer_at(L, 2, alone == ALONE_RECV_PART && !second ? "recv" : "send");
    if (second)
        o->recv = buffer_at(L, 3, "recv");
    if (second || nil_recv)
        return 4;
    int next = 3;
    if (lua_isnil(L, 3) || (!lua_isnone(L, 3) && lua_type(L, 3) != LUA_TTABLE))
        next = 4; /* an explicit nil means recv = send; anything else is refused */
    if (lua_type(L, 3) != LUA_TTABLE && !lua_isnoneornil(L, 3))
        ncs_lua_wrong(L, 3, "recv", "a buffer");
    if (alone == ALONE_NO_RECV) {
        if (!ncs_blocks_are_roots(info->writes))
            ncs_lua_wrong(L, 3, "recv", "a buffer");
    } else if (alone == ALONE_BOTH) {
        o->recv = o->send;
    } else if (alone == ALONE_RECV_PART) {
        o->recv = o->send;
        own_part(L, o, o->recv, part);
        o->send = part;
    } else {
        own_part(L, o, o->send, part);
        o->recv = part;
    }
    return next;
}

static void collective_check_extent(lua_State *L, const struct ncs_buffer *b, const char *name, size_t count, size_t blocks)
{
    if (count > b->count / blocks && count > 0) {
        if (blocks == 1)
            ncs_lua_refuse(L, "%s is too small for count %zu: it has %zu element%s", name, count, b->count,
                           b->count == 1 ? "" : "s");
        ncs_lua_refuse(L, "%s is too small for %zu ranks of count %zu: it has %zu element%s", name, blocks, count, b->count,
                       b->count == 1 ? "" : "s");
    }
}

/* The default count, from the operand whose elements this call counts. */
static size_t default_count(lua_State *L, const struct ncs_fn_info *info, const struct operands *o, size_t blocks)
{
    if (ncs_blocks_are_many(info->reads) && ncs_blocks_are_many(info->writes)) {
        if (o->send->count % blocks != 0)
            ncs_lua_usage(L, "%zu elements cannot be divided among %zu ranks", o->send->count, blocks);
        return o->send->count / blocks;
    }
    if (alone_of(info) == ALONE_SEND_PART)
        return o->recv ? o->recv->count : o->send->count / blocks;
    if (ncs_blocks_are_roots(info->reads) || !o->send)
        return o->recv->count;
    return o->send->count;
}

/* An all-to-all cannot be in place: a rank would send data that it has just received. */
static void check_in_place(lua_State *L, const struct operands *o, size_t bytes)
{
    uintptr_t send = (uintptr_t)o->send->bytes, recv = (uintptr_t)o->recv->bytes;
    if (bytes > 0 && send < recv + bytes && recv < send + bytes)
        ncs_lua_refuse(L, "send and recv overlap: an all-to-all cannot be done in place");
}

static void collective_resolve(lua_State *L, const struct ncs_fn_info *info, const struct options *options, struct operands *o)
{
    size_t blocks = o->comm->nranks > 0 ? (size_t)o->comm->nranks : 1;
    bool root = o->root == o->comm->rank;
    const struct ncs_buffer *any = o->send ? o->send : o->recv;
    o->dtype = (ncclDataType_t)any->dtype;
    if (o->send && o->recv && o->send->dtype != o->recv->dtype)
        ncs_lua_refuse(L, "send is %s, recv is %s: one call has one dtype", ncs_dtype_name(o->send->dtype),
                       ncs_dtype_name(o->recv->dtype));
    if (root && !o->send && ncs_blocks_are_roots(info->reads))
        ncs_lua_usage(L, "send must be a buffer on the root");
    if (root && !o->recv && ncs_blocks_are_roots(info->writes))
        ncs_lua_usage(L, "recv must be a buffer on the root");
    o->count = options->count >= 0 ? (size_t)options->count : default_count(L, info, o, blocks);
    size_t reads = ncs_block_count(info->reads, root, (int)blocks);
    size_t writes = ncs_block_count(info->writes, root, (int)blocks);
    if (o->send && reads)
        collective_check_extent(L, o->send, "send", o->count, reads);
    if (o->recv && writes)
        collective_check_extent(L, o->recv, "recv", o->count, writes);
    if (ncs_blocks_are_many(info->reads) && ncs_blocks_are_many(info->writes) && blocks > 1)
        check_in_place(L, o, o->count * blocks * ncs_buffer_element(o->send));
}

/* The function is upvalue 1. */
static int collective_communicate(lua_State *L)
{
    const struct ncs_fn_info *info = &ncs_fn_info[lua_tointeger(L, lua_upvalueindex(1))];
    struct operands o = { .comm = ncs_lua_method_any(L, NCS_CLASS_COMM, collective_name_of(info), 4) };
    struct options options = { .count = -1 };
    struct ncs_buffer part;
    ncs_lua_thread(L)->through = info->name;
    ncs_object_check_open(L, &o.comm->head, "this");
    int next = read_operands(L, info, &o, &part);
    bool peer = false;
    if (info->pair && !lua_isnoneornil(L, next) && lua_type(L, next) != LUA_TTABLE) {
        options.peer = ncs_lua_int(L, next++, "peer");
        peer = true;
    }
    if (lua_gettop(L) > next)
        return ncs_lua_usage(L, "unexpected argument after the options");
    if (info->pair && !peer && lua_type(L, next) == LUA_TTABLE) {
        peer = lua_getfield(L, next, "peer") != LUA_TNIL;
        lua_pop(L, 1);
    }
    if (info->pair && !peer)
        return ncs_lua_usage(L, "peer is missing: %s(buffer, peer)", collective_name_of(info));
    if (!lua_isnoneornil(L, next))
        collective_read_options(L, next, info, &options);
    o.op = operator(L, options.op);
    o.root = options.root;
    o.peer = options.peer;
    collective_resolve(L, info, &options, &o);
    o.stream = ncs_comm_stream(L, options.stream);
    return ncs_lua_push_result(L, collective_invoke(L, info, &o));
}

const char *ncs_collective_name(enum ncs_fn fn)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    return info->counted && !info->one_sided && info->lua_name ? collective_name_of(info) : NULL;
}

bool ncs_collective_method(lua_State *L, const char *word)
{
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const char *name = ncs_collective_name((enum ncs_fn)fn);
        if (!name || strcmp(name, word) != 0)
            continue;
        lua_pushinteger(L, fn);
        lua_pushcclosure(L, collective_communicate, 1);
        return true;
    }
    return false;
}
