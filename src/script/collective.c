/* Communication: one row per call says which operands there are, how large each is for a count,
 * what one operand alone means, and how C is called. */
#include "script/object.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/near.h"
#include "script/option.h"

/* What a call needs, in C's terms. */
struct operands {
    const struct ncs_comm *comm;
    const struct ncs_buffer *send, *recv; /* NULL: none, or none needed on this rank */
    size_t count;
    ncclDataType_t dtype;
    ncclRedOp_t op;
    int root, peer;
    cudaStream_t stream;
};

enum { OP = 1, ROOT = 2, PEER = 4, SEND_ONLY = 8, RECV_ONLY = 16 };

enum alone { /* what the single operand of a collective is */
    ALONE_BOTH,      /* send and recv */
    ALONE_RECV_PART, /* recv; send is this rank's part of it */
    ALONE_SEND_PART, /* send; recv is this rank's part of it */
    ALONE_NO_RECV,   /* send; recv must be given where it is needed */
};

enum needed { ALWAYS, AT_ROOT, NEVER };

struct row {
    const char *name;
    enum ncs_fn fn;
    int flags;
    enum alone alone;
    bool send_blocks, recv_blocks;   /* the operand has nranks blocks of count elements */
    enum needed send, recv;
    int (*call)(lua_State *L, const struct operands *o);
};

static void *at(const struct ncs_buffer *b)
{
    return b ? b->bytes : NULL;
}

static int call_all_reduce(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclAllReduce, at(o->send), at(o->recv), o->count, o->dtype, o->op,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_broadcast(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclBroadcast, at(o->send), at(o->recv), o->count, o->dtype, o->root,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_reduce(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclReduce, at(o->send), at(o->recv), o->count, o->dtype, o->op, o->root,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_all_gather(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclAllGather, at(o->send), at(o->recv), o->count, o->dtype,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_reduce_scatter(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclReduceScatter, at(o->send), at(o->recv), o->count, o->dtype, o->op,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_all_to_all(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclAlltoAll, at(o->send), at(o->recv), o->count, o->dtype,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_gather(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclGather, at(o->send), at(o->recv), o->count, o->dtype, o->root,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_scatter(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclScatter, at(o->send), at(o->recv), o->count, o->dtype, o->root,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_send(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclSend, at(o->send), o->count, o->dtype, o->peer,
                    ncs_comm_handle(o->comm), o->stream);
}

static int call_recv(lua_State *L, const struct operands *o)
{
    return NCS_CALL(L, ncclRecv, at(o->recv), o->count, o->dtype, o->peer,
                    ncs_comm_handle(o->comm), o->stream);
}

static const struct row all_reduce = {
    "all_reduce", NCS_FN_ncclAllReduce, OP, ALONE_BOTH, false, false, ALWAYS, ALWAYS,
    call_all_reduce };
static const struct row broadcast = {
    "broadcast", NCS_FN_ncclBroadcast, ROOT, ALONE_BOTH, false, false, AT_ROOT, ALWAYS,
    call_broadcast };
static const struct row reduce = {
    "reduce", NCS_FN_ncclReduce, OP | ROOT, ALONE_BOTH, false, false, ALWAYS, AT_ROOT,
    call_reduce };
static const struct row all_gather = {
    "all_gather", NCS_FN_ncclAllGather, 0, ALONE_RECV_PART, false, true, ALWAYS, ALWAYS,
    call_all_gather };
static const struct row reduce_scatter = {
    "reduce_scatter", NCS_FN_ncclReduceScatter, OP, ALONE_SEND_PART, true, false, ALWAYS, ALWAYS,
    call_reduce_scatter };
static const struct row all_to_all = {
    "all_to_all", NCS_FN_ncclAlltoAll, 0, ALONE_NO_RECV, true, true, ALWAYS, ALWAYS,
    call_all_to_all };
static const struct row gather = {
    "gather", NCS_FN_ncclGather, ROOT, ALONE_NO_RECV, false, true, ALWAYS, AT_ROOT,
    call_gather };
static const struct row scatter = {
    "scatter", NCS_FN_ncclScatter, ROOT, ALONE_NO_RECV, true, false, AT_ROOT, ALWAYS,
    call_scatter };
static const struct row send_row = {
    "send", NCS_FN_ncclSend, PEER | SEND_ONLY, ALONE_BOTH, false, false, ALWAYS, NEVER,
    call_send };
static const struct row recv_row = {
    "recv", NCS_FN_ncclRecv, PEER | RECV_ONLY, ALONE_BOTH, false, false, NEVER, ALWAYS,
    call_recv };

/* ---- options ---- */

struct options {
    int stream, op;    /* stack indices; 0 = none */
    lua_Integer count; /* -1 = not given */
    int root, peer;
    bool verify;
};

static void read_options(lua_State *L, int arg, const struct row *row, struct options *o)
{
    struct ncs_option rows[8] = {
        { "count", NCS_OPTION_INTEGER, offsetof(struct options, count) },
        { "stream", NCS_OPTION_SLOT, offsetof(struct options, stream) },
        { "verify", NCS_OPTION_VERIFY, 0 },
    };
    int n = 3;
    if (row->flags & OP)
        rows[n++] = (struct ncs_option){ "op", NCS_OPTION_SLOT, offsetof(struct options, op) };
    if (row->flags & ROOT)
        rows[n++] = (struct ncs_option){ "root", NCS_OPTION_INT, offsetof(struct options, root) };
    if (row->flags & PEER)
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
    struct ncs_stream *s;
    if (lua_getiuservalue(L, 1, 1) == LUA_TNIL)
        s = ncs_stream_default(L, c->device);
    else
        s = ncs_object_live(L, lua_gettop(L), NCS_CLASS_STREAM, "comm.stream");
    return s->handle;
}

/* ---- operands ---- */

static struct ncs_buffer *buffer_at(lua_State *L, int arg, const char *name)
{
    struct ncs_buffer *b = ncs_object_arg(L, arg, NCS_CLASS_BUFFER, name);
    ncs_buffer_check_live(L, b, name);
    return b;
}

/* This rank's block of the only operand, as a buffer in *part. */
static void own_part(lua_State *L, const struct operands *o, const struct ncs_buffer *whole,
                     struct ncs_buffer *part)
{
    size_t n = o->comm->nranks > 0 ? (size_t)o->comm->nranks : 1;
    if (whole->count % n != 0)
        ncs_lua_usage(L, "%zu elements cannot be divided among %zu ranks", whole->count, n);
    *part = *whole;
    part->count = whole->count / n;
    if (whole->bytes)
        part->bytes = whole->bytes +
                      (size_t)o->comm->rank * part->count * ncs_dtype_bytes(whole->dtype);
}

/* Reads the operands from 2 on; *part is room for a derived one. The index of what follows them. */
static int read_operands(lua_State *L, const struct row *row, struct operands *o,
                         struct ncs_buffer *part)
{
    bool second = ncs_object_test(L, 3, NCS_CLASS_BUFFER) != NULL;
    if (row->flags & (SEND_ONLY | RECV_ONLY)) {
        struct ncs_buffer *x = buffer_at(L, 2, "buffer");
        *(row->flags & SEND_ONLY ? &o->send : &o->recv) = x;
        return 3;
    }
    bool nil_send = lua_isnil(L, 2) && second, nil_recv = lua_isnil(L, 3) && row->recv == AT_ROOT;
    if (nil_send && row->send != AT_ROOT)
        ncs_lua_wrong(L, 2, "send", "a buffer");
    if (!nil_send)
        o->send = buffer_at(L, 2, row->alone == ALONE_RECV_PART && !second ? "recv" : "send");
    if (second)
        o->recv = buffer_at(L, 3, "recv");
    if (second || nil_recv)
        return 4;
    int next = 3;
    if (lua_isnil(L, 3) || (!lua_isnone(L, 3) && lua_type(L, 3) != LUA_TTABLE))
        next = 4; /* an explicit nil stands for recv = send; anything else is refused */
    if (lua_type(L, 3) != LUA_TTABLE && !lua_isnoneornil(L, 3))
        ncs_lua_wrong(L, 3, "recv", "a buffer");
    if (row->alone == ALONE_NO_RECV) {
        if (row->recv == ALWAYS)
            ncs_lua_wrong(L, 3, "recv", "a buffer");
    } else if (row->alone == ALONE_BOTH) {
        o->recv = o->send;
    } else if (row->alone == ALONE_RECV_PART) {
        o->recv = o->send;
        own_part(L, o, o->recv, part);
        o->send = part;
    } else {
        own_part(L, o, o->send, part);
        o->recv = part;
    }
    return next;
}

static void check_extent(lua_State *L, const struct ncs_buffer *b, const char *name, size_t count,
                         size_t blocks)
{
    if (count > b->count / blocks && count > 0) {
        if (blocks == 1)
            ncs_lua_refuse(L, "count %zu is beyond %s, which has %zu element%s", count, name,
                           b->count, b->count == 1 ? "" : "s");
        ncs_lua_refuse(L, "%zu ranks of count %zu are beyond %s, which has %zu element%s", blocks,
                       count, name, b->count, b->count == 1 ? "" : "s");
    }
}

/* The count if none was given, by the operand that this call counts by. */
static size_t default_count(lua_State *L, const struct row *row, const struct operands *o,
                            size_t blocks)
{
    if (row->send_blocks && row->recv_blocks) {
        if (o->send->count % blocks != 0)
            ncs_lua_usage(L, "%zu elements cannot be divided among %zu ranks", o->send->count,
                          blocks);
        return o->send->count / blocks;
    }
    if (row->alone == ALONE_SEND_PART)
        return o->recv ? o->recv->count : o->send->count / blocks;
    if (row->send == AT_ROOT || !o->send)
        return o->recv->count;
    return o->send->count;
}

/* An all-to-all cannot be done in place: a rank would send what it has just received. */
static void check_in_place(lua_State *L, const struct operands *o, size_t bytes)
{
    uintptr_t send = (uintptr_t)o->send->bytes, recv = (uintptr_t)o->recv->bytes;
    if (bytes > 0 && send < recv + bytes && recv < send + bytes)
        ncs_lua_refuse(L, "send and recv overlap: an all-to-all cannot be done in place");
}

static void resolve(lua_State *L, const struct row *row, const struct options *options,
                    struct operands *o)
{
    size_t blocks = o->comm->nranks > 0 ? (size_t)o->comm->nranks : 1;
    bool root = o->root == o->comm->rank;
    const struct ncs_buffer *any = o->send ? o->send : o->recv;
    o->dtype = (ncclDataType_t)any->dtype;
    if (o->send && o->recv && o->send->dtype != o->recv->dtype)
        ncs_lua_refuse(L, "send is %s, recv is %s: one call has one dtype",
                       ncs_dtype_name(o->send->dtype), ncs_dtype_name(o->recv->dtype));
    if (root && !o->send && row->send == AT_ROOT)
        ncs_lua_usage(L, "send must be a buffer on the root");
    if (root && !o->recv && row->recv == AT_ROOT)
        ncs_lua_usage(L, "recv must be a buffer on the root");
    o->count = options->count >= 0 ? (size_t)options->count : default_count(L, row, o, blocks);
    if (o->send && (row->send == ALWAYS || root))
        check_extent(L, o->send, "send", o->count, row->send_blocks ? blocks : 1);
    if (o->recv && (row->recv == ALWAYS || root))
        check_extent(L, o->recv, "recv", o->count, row->recv_blocks ? blocks : 1);
    if (row->send_blocks && row->recv_blocks && blocks > 1)
        check_in_place(L, o, o->count * blocks * ncs_buffer_element(o->send));
}

static int communicate(lua_State *L, const struct row *row)
{
    struct operands o = { .comm = ncs_lua_method_any(L, NCS_CLASS_COMM, row->name, 4) };
    struct options options = { .count = -1 };
    struct ncs_buffer part;
    ncs_lua_thread(L)->through = ncs_fn_info[row->fn].name;
    ncs_object_check_open(L, &o.comm->head, "this");
    int next = read_operands(L, row, &o, &part);
    bool peer = false;
    if (row->flags & PEER && !lua_isnoneornil(L, next) && lua_type(L, next) != LUA_TTABLE) {
        options.peer = ncs_lua_int(L, next++, "peer");
        peer = true;
    }
    if (lua_gettop(L) > next)
        return ncs_lua_usage(L, "unexpected argument after the options");
    if (row->flags & PEER && !peer && lua_type(L, next) == LUA_TTABLE) {
        peer = lua_getfield(L, next, "peer") != LUA_TNIL;
        lua_pop(L, 1);
    }
    if (row->flags & PEER && !peer)
        return ncs_lua_usage(L, "peer is missing: %s(buffer, peer)", row->name);
    read_options(L, next, row, &options);
    o.op = operator(L, options.op);
    o.root = options.root;
    o.peer = options.peer;
    resolve(L, row, &options, &o);
    o.stream = ncs_comm_stream(L, options.stream);
    return ncs_lua_push_result(L, ncs_lua_ok(L, row->fn, row->call(L, &o)));
}

static int comm_all_reduce(lua_State *L) { return communicate(L, &all_reduce); }
static int comm_broadcast(lua_State *L) { return communicate(L, &broadcast); }
static int comm_reduce(lua_State *L) { return communicate(L, &reduce); }
static int comm_all_gather(lua_State *L) { return communicate(L, &all_gather); }
static int comm_reduce_scatter(lua_State *L) { return communicate(L, &reduce_scatter); }
static int comm_all_to_all(lua_State *L) { return communicate(L, &all_to_all); }
static int comm_gather(lua_State *L) { return communicate(L, &gather); }
static int comm_scatter(lua_State *L) { return communicate(L, &scatter); }
static int comm_send(lua_State *L) { return communicate(L, &send_row); }
static int comm_recv(lua_State *L) { return communicate(L, &recv_row); }

const luaL_Reg ncs_collectives[] = {
    { "all_gather", comm_all_gather },         { "all_reduce", comm_all_reduce },
    { "all_to_all", comm_all_to_all },         { "broadcast", comm_broadcast },
    { "gather", comm_gather },                 { "recv", comm_recv },
    { "reduce", comm_reduce },                 { "reduce_scatter", comm_reduce_scatter },
    { "scatter", comm_scatter },               { "send", comm_send },
    { NULL, NULL },
};
