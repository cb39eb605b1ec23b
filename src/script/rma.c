/* One-sided calls: put_signal, signal, wait_signal. */
#include "script/object.h"

#include <stddef.h>

#include "script/option.h"

struct options {
    int stream;        /* stack index; 0 = none */
    lua_Integer count; /* -1 = not given */
    lua_Integer first;
    int sig_idx, ctx, flags, op_cnt;
};

#define OPTION(option, kind)                                    \
    {                                                           \
        .name = #option, kind, offsetof(struct options, option) \
    }

/* Begins a call on the communicator at 1, with at most `max` arguments. */
static struct ncs_comm *rma_begin(lua_State *L, const char *method, enum ncs_fn fn, int max)
{
    struct ncs_comm *c = ncs_lua_method_any(L, NCS_CLASS_COMM, method, max);
    ncs_lua_thread(L)->through = ncs_fn_info[fn].name;
    ncs_object_check_open(L, &c->head, "this");
    return c;
}

/* comm:put_signal(x, peer, window [, options]) */
static int put_signal(lua_State *L)
{
    static const struct ncs_option rows[] = {
        OPTION(count, NCS_OPTION_INTEGER),  OPTION(stream, NCS_OPTION_SLOT),
        { "verify", NCS_OPTION_VERIFY, 0 }, OPTION(first, NCS_OPTION_INTEGER),
        OPTION(sig_idx, NCS_OPTION_INT),    OPTION(ctx, NCS_OPTION_INT),
        OPTION(flags, NCS_OPTION_INT),      { NULL, 0, 0 },
    };
    struct ncs_comm *c = rma_begin(L, "put_signal", NCS_FN_ncclPutSignal, 4);
    struct options o = { .count = -1, .first = 1 };
    const struct ncs_buffer *x = ncs_object_arg(L, 2, NCS_CLASS_BUFFER, "buffer");
    ncs_buffer_check_live(L, x, "buffer");
    int peer = ncs_lua_int(L, 3, "peer");
    const struct ncs_handle *w = ncs_object_live(L, 4, NCS_CLASS_WINDOW, "window");
    ncs_lua_options(L, 5, rows, &o);
    size_t count = o.count < 0 ? x->count : (size_t)o.count;
    if (count > x->count)
        return ncs_lua_refuse(L, "the buffer is too small for count %zu: it has %zu elements", count, x->count);
    if (o.first < 1)
        return ncs_lua_usage(L, "first counts elements of the window from 1, got 0");
    size_t offset = (size_t)(o.first - 1) * ncs_buffer_element(x);
    int rc = NCS_TRY(L, ncclPutSignal, x->bytes, count, (ncclDataType_t)x->dtype, peer, (ncclWindow_t)w->handle, offset,
                     o.sig_idx, o.ctx, (unsigned)o.flags, ncs_comm_handle(c), ncs_comm_stream(L, o.stream));
    return ncs_lua_push_result(L, rc);
}

/* comm:signal(peer [, options]) */
static int signal_peer(lua_State *L)
{
    static const struct ncs_option rows[] = {
        OPTION(stream, NCS_OPTION_SLOT),
        OPTION(sig_idx, NCS_OPTION_INT),
        OPTION(ctx, NCS_OPTION_INT),
        OPTION(flags, NCS_OPTION_INT),
        { NULL, 0, 0 },
    };
    struct ncs_comm *c = rma_begin(L, "signal", NCS_FN_ncclSignal, 2);
    struct options o = { 0 };
    int peer = ncs_lua_int(L, 2, "peer");
    ncs_lua_options(L, 3, rows, &o);
    int rc = NCS_TRY(L, ncclSignal, peer, o.sig_idx, o.ctx, (unsigned)o.flags, ncs_comm_handle(c), ncs_comm_stream(L, o.stream));
    return ncs_lua_push_result(L, rc);
}

/* One entry of the list: a rank, or a table with the fields of C's descriptor. */
static void read_entry(lua_State *L, const struct ncs_comm *c, int at, const struct options *all, ncclWaitSignalDesc_t *d)
{
    struct entry {
        int peer, op_cnt, sig_idx, ctx;
    };
    static const struct ncs_option rows[] = {
        { "peer", NCS_OPTION_INT, offsetof(struct entry, peer) },
        { "op_cnt", NCS_OPTION_INT, offsetof(struct entry, op_cnt) },
        { "sig_idx", NCS_OPTION_INT, offsetof(struct entry, sig_idx) },
        { "ctx", NCS_OPTION_INT, offsetof(struct entry, ctx) },
        { NULL, 0, 0 },
    };
    struct entry e = { .peer = -1, .op_cnt = all->op_cnt, .sig_idx = all->sig_idx, .ctx = all->ctx };
    if (lua_type(L, at) == LUA_TTABLE) {
        ncs_lua_options(L, at, rows, &e);
        lua_getfield(L, at, "peer");
        ncs_lua_int(L, lua_gettop(L), "peer");
        lua_pop(L, 1);
    } else {
        e.peer = ncs_lua_int(L, at, "peer");
    }
    ncs_comm_check_rank(L, c, "peer", e.peer);
    *d = (ncclWaitSignalDesc_t){ .opCnt = e.op_cnt, .peer = e.peer, .sigIdx = e.sig_idx, .ctx = e.ctx };
}

/* comm:wait_signal(peer or list [, options]) */
static int wait_signal(lua_State *L)
{
    static const struct ncs_option rows[] = {
        OPTION(stream, NCS_OPTION_SLOT),
        OPTION(op_cnt, NCS_OPTION_INT),
        OPTION(sig_idx, NCS_OPTION_INT),
        OPTION(ctx, NCS_OPTION_INT),
        { NULL, 0, 0 },
    };
    struct ncs_comm *c = rma_begin(L, "wait_signal", NCS_FN_ncclWaitSignal, 2);
    struct options o = { .op_cnt = 1 };
    bool list = lua_type(L, 2) == LUA_TTABLE;
    size_t n = list ? ncs_lua_list(L, 2, "peer", "a rank or a list of ranks and tables") : 1;
    ncs_lua_options(L, 3, rows, &o);
    cudaStream_t stream = ncs_comm_stream(L, o.stream);
    ncclWaitSignalDesc_t *d = lua_newuserdatauv(L, (n + 1) * sizeof *d, 0);
    if (!list)
        read_entry(L, c, 2, &o, d);
    for (size_t i = 0; list && i < n; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        read_entry(L, c, lua_gettop(L), &o, &d[i]);
        lua_pop(L, 1);
    }
    int rc = NCS_TRY(L, ncclWaitSignal, (int)n, d, ncs_comm_handle(c), stream);
    return ncs_lua_push_result(L, rc);
}

const luaL_Reg ncs_one_sided[] = {
    { "put_signal", put_signal },
    { "signal", signal_peer },
    { "wait_signal", wait_signal },
    { NULL, NULL },
};
