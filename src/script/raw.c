/* The table C: the API as it is in C, by name. One function marshals every call from ncs_fn_info:
 * arguments in C's order without the out-parameters, then the code and the out-parameters back. */
#include "script/object.h"

#include <string.h>

#include "api/invoke.h"
#include "api/types.h"
#include "base/near.h"
#include "script/option.h"

#define MOST_COMMS 65536 /* that one call makes */
#define MOST_OUT 1024    /* bytes of any other out-parameter */

_Static_assert(MOST_OUT >= sizeof(struct cudaDeviceProp), "the largest out-parameter");

/* Besides result codes, whose names room api has. */
struct constant {
    const char *name;
    lua_Integer value;
};

#define C(name) { #name, name }
static const struct constant constants[] = {
    C(ncclNumResults), C(ncclInt8), C(ncclChar), C(ncclUint8), C(ncclInt32), C(ncclInt),
    C(ncclUint32), C(ncclInt64), C(ncclUint64), C(ncclFloat16), C(ncclHalf), C(ncclFloat32),
    C(ncclFloat), C(ncclFloat64), C(ncclDouble), C(ncclBfloat16), C(ncclFloat8e4m3),
    C(ncclFloat8e5m2), C(ncclNumTypes), C(ncclSum), C(ncclProd), C(ncclMax), C(ncclMin),
    C(ncclAvg), C(ncclNumOps), C(ncclScalarDevice), C(ncclScalarHostImmediate),
    C(NCCL_SPLIT_NOCOLOR), C(NCCL_CONFIG_UNDEF_INT), C(NCCL_UNIQUE_ID_BYTES),
    C(cudaMemcpyHostToHost),
    C(cudaMemcpyHostToDevice), C(cudaMemcpyDeviceToHost), C(cudaMemcpyDeviceToDevice),
    C(cudaMemcpyDefault), C(cudaStreamDefault), C(cudaStreamNonBlocking), C(cudaEventDefault),
    C(cudaEventBlockingSync), C(cudaEventDisableTiming), C(cudaEventInterprocess),
    { "cudaMemAttachGlobal", 1 }, { "cudaStreamLegacy", 1 }, { "cudaStreamPerThread", 2 },
    { "NCCL_VERSION_CODE", NCCL_VERSION(2, 30, 7) },
    { NULL, 0 },
};
#undef C

/* ---- arguments ---- */

static lua_Integer integer_arg(lua_State *L, int arg, const char *name)
{
    if (lua_isboolean(L, arg))
        return lua_toboolean(L, arg);
    return ncs_lua_integer(L, arg, name);
}

/* Host memory whose bytes are known, and how many there are from the pointer on. */
static bool known_host(lua_State *L, int arg, size_t *room)
{
    const struct ncs_buffer *b = ncs_object_test(L, arg, NCS_CLASS_BUFFER);
    const struct ncs_pointer *p = ncs_object_test(L, arg, NCS_CLASS_POINTER);
    const char *at = b ? b->bytes : p ? p->at : NULL;
    const struct ncs_buffer *root = b ? b->root : p ? p->root : NULL;
    if (!root || root->memory == NCS_MEMORY_DEVICE)
        return false;
    size_t all = root->count * ncs_dtype_bytes(root->dtype);
    bool inside = !root->head.closed && at >= root->bytes && (size_t)(at - root->bytes) <= all;
    *room = inside ? all - (size_t)(at - root->bytes) : 0;
    return true;
}

/* Tells the machine which memory of the script's own a call may touch. */
static void guard(lua_State *L, int args)
{
    struct ncs_local *local = ncs_lua_thread(L)->local;
    if (!local)
        return;
    local->guarded = !ncs_lua_rank(L)->script->unsafe;
    local->ranges = 0;
    size_t room;
    for (int i = 1; i <= args && local->ranges < NCS_RANGES; i++)
        if (known_host(L, i, &room)) {
            const struct ncs_buffer *b = ncs_object_test(L, i, NCS_CLASS_BUFFER);
            const struct ncs_pointer *p = ncs_object_test(L, i, NCS_CLASS_POINTER);
            local->range[local->ranges++] = (struct ncs_range){ b ? b->bytes : p->at, room };
        }
}

static const void *pointer_arg(lua_State *L, int arg, const char *name, size_t bytes)
{
    const struct ncs_buffer *b = ncs_object_test(L, arg, NCS_CLASS_BUFFER);
    const struct ncs_pointer *p = ncs_object_test(L, arg, NCS_CLASS_POINTER);
    bool unsafe = ncs_lua_rank(L)->script->unsafe;
    size_t room;
    lua_Integer address;
    if (!unsafe && known_host(L, arg, &room) && bytes > room)
        ncs_lua_usage(L, "%s: %zu bytes are beyond the host memory, which has %zu there", name,
                      bytes, room);
    if (b)
        return b->bytes;
    if (p)
        return p->at;
    if (lua_isnoneornil(L, arg))
        return NULL;
    if (ncs_lua_is_whole(L, arg, &address) && (unsafe || address == 0))
        return (const void *)(uintptr_t)address;
    ncs_lua_wrong(L, arg, name, "a buffer, a pointer or nil");
    return NULL;
}

static const void *handle_arg(lua_State *L, int arg, const char *name, enum ncs_class_id id)
{
    lua_Integer small;
    if (lua_isnoneornil(L, arg))
        return NULL;
    if (id == NCS_CLASS_STREAM && ncs_lua_is_whole(L, arg, &small) && small >= 0 && small <= 2)
        return (const void *)(uintptr_t)small;
    struct ncs_object *o = ncs_object_arg(L, arg, id, name);
    switch (id) {
    case NCS_CLASS_COMM: return ncs_comm_handle((struct ncs_comm *)o);
    case NCS_CLASS_STREAM: return ((struct ncs_stream *)o)->handle;
    case NCS_CLASS_EVENT: return ((struct ncs_event *)o)->handle;
    default: return NULL;
    }
}

static const int *devices_arg(lua_State *L, int arg, lua_Integer count)
{
    if (lua_isnoneornil(L, arg))
        return NULL;
    if (lua_type(L, arg) != LUA_TTABLE)
        ncs_lua_wrong(L, arg, "devlist", "a list of devices or nil");
    lua_Integer n = (lua_Integer)lua_rawlen(L, arg);
    if (n < count)
        ncs_lua_usage(L, "devlist has %d devices, ndev is %d", (int)n, (int)count);
    int *list = lua_newuserdatauv(L, (size_t)(n + 1) * sizeof *list, 0);
    for (lua_Integer i = 0; i < n; i++) {
        lua_rawgeti(L, arg, i + 1);
        list[i] = ncs_lua_int(L, lua_gettop(L), "a device");
        lua_pop(L, 1);
    }
    return list;
}

/* The bytes behind a pointer argument that the call reads or writes at once from the host; 0: the
 * call only passes it on, and the driver knows its memory. */
static size_t host_bytes(const struct ncs_fn_info *info, const union ncs_arg *arg)
{
    for (int i = 0; i < info->nargs; i++)
        if (info->arg[i].kind == NCS_ARG_BYTES)
            return (size_t)arg[i].u;
    return 0;
}

static void in_argument(lua_State *L, const struct ncs_fn_arg *a, int at, union ncs_arg *out,
                        lua_Integer nranks)
{
    switch (a->kind) {
    case NCS_ARG_IN: case NCS_ARG_OUT: case NCS_ARG_INOUT: case NCS_ARG_MEMORY:
        out->p = pointer_arg(L, at, a->name, 0);
        break;
    case NCS_ARG_SCALAR:
        out->p = pointer_arg(L, at, a->name, 1);
        break;
    case NCS_ARG_COMM:
        out->p = handle_arg(L, at, a->name, NCS_CLASS_COMM);
        break;
    case NCS_ARG_STREAM:
        out->p = handle_arg(L, at, a->name, NCS_CLASS_STREAM);
        break;
    case NCS_ARG_EVENT:
        out->p = handle_arg(L, at, a->name, NCS_CLASS_EVENT);
        break;
    case NCS_ARG_ID:
        out->p = &((struct ncs_id *)ncs_object_arg(L, at, NCS_CLASS_ID, a->name))->id;
        break;
    case NCS_ARG_CONFIG:
        out->p = lua_isnoneornil(L, at)
                     ? NULL
                     : &((struct ncs_config *)ncs_object_arg(L, at, NCS_CLASS_CONFIG, a->name))
                            ->config;
        break;
    case NCS_ARG_DEVICES:
        out->p = devices_arg(L, at, nranks);
        break;
    case NCS_ARG_SECONDS:
        out->d = ncs_lua_number(L, at, a->name);
        break;
    case NCS_ARG_REDOP: {
        const struct ncs_lua_redop *op = ncs_object_test(L, at, NCS_CLASS_REDOP);
        out->i = op ? (int64_t)op->op : integer_arg(L, at, a->name);
        break;
    }
    default:
        out->i = integer_arg(L, at, a->name);
    }
}

/* ---- out-parameters: their cells are objects, because a group may fill them later ---- */

static void out_cell(lua_State *L, const struct ncs_fn_arg *a, union ncs_arg *out,
                     lua_Integer nranks, lua_Integer rank)
{
    int device = ncs_lua_thread(L)->device;
    switch (a->kind) {
    case NCS_ARG_COMM_OUT: {
        struct ncs_comm *c = ncs_comm_make(L, (int)rank, (int)nranks, device);
        out->p = c->cell;
        break;
    }
    case NCS_ARG_COMMS_OUT: {
        size_t room = nranks > 0 ? (size_t)nranks : 1;
        if (room > MOST_COMMS)
            ncs_lua_usage(L, "ndev %lld is more than %d", (long long)nranks, MOST_COMMS);
        out->p = memset(lua_newuserdatauv(L, room * sizeof(ncclComm_t), 0), 0,
                        room * sizeof(ncclComm_t));
        break;
    }
    case NCS_ARG_ID_OUT:
        ncs_id_push(L, &(ncclUniqueId){ { 0 } });
        out->p = &((struct ncs_id *)lua_touserdata(L, -1))->id;
        break;
    default:
        out->p = memset(lua_newuserdatauv(L, MOST_OUT, 0), 0, MOST_OUT);
    }
}

/* The list of communicators from the array of handles at `cell`. */
static void push_comms(lua_State *L, int cell, lua_Integer nranks, const int *devices)
{
    ncclComm_t *handles = lua_touserdata(L, cell);
    lua_createtable(L, nranks > 0 ? (int)nranks : 0, 0);
    for (lua_Integer i = 0; i < nranks; i++) {
        struct ncs_comm *c = ncs_comm_make(L, (int)i, (int)nranks, devices ? devices[i] : (int)i);
        c->cell = &handles[i];
        lua_pushvalue(L, cell);
        lua_setiuservalue(L, -2, 2);
        ncs_comm_open(L, c);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_out(lua_State *L, const struct ncs_fn_arg *a, int cell, const union ncs_arg *arg,
                     lua_Integer nranks, const int *devices)
{
    switch (a->kind) {
    case NCS_ARG_COMM_OUT:
        ncs_comm_open(L, lua_touserdata(L, cell));
        lua_pushvalue(L, cell);
        break;
    case NCS_ARG_COMMS_OUT:
        push_comms(L, cell, nranks, devices);
        break;
    case NCS_ARG_ID_OUT:
        lua_pushvalue(L, cell);
        break;
    case NCS_ARG_BYTES_OUT:
        lua_pushinteger(L, (lua_Integer)*(const size_t *)arg->p);
        break;
    case NCS_ARG_FLOAT_OUT:
        lua_pushnumber(L, (lua_Number)*(const float *)arg->p);
        break;
    case NCS_ARG_MEMORY_OUT:
        ncs_pointer_push_raw(L, *(void *const *)arg->p);
        break;
    case NCS_ARG_STREAM_OUT:
        ncs_stream_wrap(L, *(const cudaStream_t *)arg->p);
        break;
    case NCS_ARG_EVENT_OUT:
        ncs_event_wrap(L, *(const cudaEvent_t *)arg->p);
        break;
    default:
        lua_pushinteger(L, *(const int *)arg->p);
    }
}

/* What the script knows of an object that C has destroyed or moved on. */
static void note_effect(lua_State *L, enum ncs_fn fn, const union ncs_arg *arg)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    struct ncs_object *o = NULL;
    switch (fn) {
    case NCS_FN_cudaSetDevice:
        t->device = (int)arg[0].i;
        return;
    case NCS_FN_ncclGroupEnd:
        ncs_comm_name_filled(t->rank);
        return;
    case NCS_FN_ncclCommDestroy: case NCS_FN_ncclCommAbort: case NCS_FN_cudaStreamDestroy:
    case NCS_FN_cudaEventDestroy: case NCS_FN_ncclRedOpDestroy:
        o = lua_touserdata(L, 1);
        break;
    case NCS_FN_cudaFree: case NCS_FN_cudaFreeHost: {
        const struct ncs_pointer *p = ncs_object_test(L, 1, NCS_CLASS_POINTER);
        struct ncs_buffer *b = ncs_object_test(L, 1, NCS_CLASS_BUFFER);
        b = b ? b->root : p ? p->root : NULL;
        o = b ? &b->head : NULL;
        break;
    }
    default:
        return;
    }
    if (!o || o->closed || !ncs_classes[o->id]->close)
        return;
    if (fn == NCS_FN_ncclCommAbort)
        ((struct ncs_comm *)o)->aborted = true;
    ncs_object_drop(L, o);
}

static int call(lua_State *L)
{
    enum ncs_fn fn = (enum ncs_fn)lua_tointeger(L, lua_upvalueindex(1));
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    union ncs_arg arg[NCS_MAX_ARGS], result = { .i = 0 };
    int cell[NCS_MAX_ARGS];
    lua_Integer nranks = 0, rank = 0;
    const int *devices = NULL;
    int given = lua_gettop(L), at = 0, wanted = 0;
    struct ncs_lua_thread *t = ncs_lua_begin(L, info->name, -1);
    const struct ncs_api *api = ncs_lua_before(L, fn);
    for (int i = 0; i < info->nargs; i++)
        wanted += !ncs_kind_is_out(info->arg[i].kind);
    if (given > wanted)
        return ncs_lua_usage(L, "%d arguments, C's are %d without the out-parameters", given,
                             wanted);
    luaL_checkstack(L, wanted + info->nargs * 2 + 16, NULL);
    lua_settop(L, wanted);
    for (int i = 0; i < info->nargs; i++) {
        if (ncs_kind_is_out(info->arg[i].kind))
            continue;
        in_argument(L, &info->arg[i], ++at, &arg[i], nranks);
        if (info->arg[i].kind == NCS_ARG_NRANKS)
            nranks = arg[i].i;
        if (info->arg[i].kind == NCS_ARG_RANK)
            rank = arg[i].i;
        if (info->arg[i].kind == NCS_ARG_DEVICES)
            devices = arg[i].p;
    }
    size_t bytes = host_bytes(info, arg);
    for (int i = at = 0; i < info->nargs; i++) { /* again, now that the bytes are known */
        enum ncs_kind kind = info->arg[i].kind;
        if (ncs_kind_is_out(kind))
            continue;
        at++;
        if (bytes && (kind == NCS_ARG_IN || kind == NCS_ARG_OUT || kind == NCS_ARG_INOUT))
            pointer_arg(L, at, info->arg[i].name, bytes);
    }
    for (int i = 0; i < info->nargs; i++) {
        if (!ncs_kind_is_out(info->arg[i].kind))
            continue;
        out_cell(L, &info->arg[i], &arg[i], nranks, rank);
        cell[i] = lua_gettop(L);
    }
    if (info->result == NCS_RESULT_NCCL || info->result == NCS_RESULT_CUDA)
        t->last_fn = fn;
    guard(L, wanted);
    ncs_invoke(api, fn, arg, &result);
    if (t->local)
        t->local->guarded = false;
    ncs_lua_check_cancel(L);
    if (info->result == NCS_RESULT_TEXT) {
        lua_pushstring(L, result.p);
        return 1;
    }
    if (info->result == NCS_RESULT_VOID)
        return 0;
    int rc = (int)result.i;
    bool ok = rc == 0 || (info->result == NCS_RESULT_NCCL && rc == ncclInProgress);
    int first = lua_gettop(L) + 1;
    lua_pushinteger(L, rc);
    if (ok)
        note_effect(L, fn, arg);
    for (int i = 0; i < info->nargs; i++) {
        if (!ncs_kind_is_out(info->arg[i].kind))
            continue;
        if (!ok)
            lua_pushnil(L);
        else
            push_out(L, &info->arg[i], cell[i], &arg[i], nranks, devices);
    }
    return lua_gettop(L) - first + 1;
}

/* ---- what is not a function of the API ---- */

static int c_has(lua_State *L)
{
    ncs_lua_begin(L, "C.has", 1);
    int fn = ncs_fn_from_name(ncs_lua_string(L, 1, "name"));
    lua_pushboolean(L, fn >= 0 && ncs_api_has(ncs_lua_rank(L)->api, (enum ncs_fn)fn));
    return 1;
}

static int c_host(lua_State *L)
{
    ncs_lua_begin(L, "C.host", 2);
    int dtype = ncs_lua_dtype(L, 1);
    size_t count = lua_isnoneornil(L, 2) ? 1 : ncs_lua_count(L, 2, "count");
    if (count > ((size_t)1 << 40) / ncs_dtype_bytes(dtype))
        return ncs_lua_usage(L, "count %zu is more than the host has", count);
    ncs_buffer_host(L, dtype, count);
    return 1;
}

static int c_sizeof(lua_State *L)
{
    ncs_lua_begin(L, "C.sizeof", 1);
    lua_Integer number;
    int dtype = ncs_lua_is_whole(L, 1, &number) ? (int)number : ncs_lua_dtype(L, 1);
    lua_pushinteger(L, (lua_Integer)ncs_dtype_bytes(dtype));
    return 1;
}

static int c_check(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "C.check", -1);
    lua_Integer rc = ncs_lua_integer(L, 1, "rc");
    if (rc != 0)
        return ncs_lua_raise_code(L, t->last_fn, (int)rc);
    return lua_gettop(L) - 1;
}

static int c_config(lua_State *L)
{
    ncs_lua_begin(L, "C.ncclConfig", 1);
    struct ncs_config *c = ncs_object_new(L, NCS_CLASS_CONFIG, sizeof *c, 0);
    int object = lua_gettop(L);
    ncs_config_init(&c->config);
    if (object == 1 || lua_isnil(L, 1))
        return 1;
    if (lua_type(L, 1) != LUA_TTABLE)
        return ncs_lua_wrong(L, 1, "the fields", "a table");
    lua_Integer count = ncs_lua_keys(L, 1);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        const char *field = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) == LUA_TNIL || ncs_config_set(L, &c->config, field, list + 2))
            continue;
        const char *near = ncs_nearest(field, ncs_config_fields(), 0);
        return ncs_lua_usage(L, "no such field '%.60s'%s%s%s", field,
                             near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    lua_settop(L, object);
    return 1;
}

static int config_text(lua_State *L)
{
    lua_pushfstring(L, "ncclConfig %I",
                    (LUAI_UACINT)((struct ncs_object *)lua_touserdata(L, 1))->serial);
    return 1;
}

const struct ncs_class ncs_class_config = { .name = "config", .text = config_text };

/* Functions of the API are made when they are first named: upvalue 1 is the real table. */
static int find(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *name = lua_tostring(L, 2);
    int fn = ncs_fn_from_name(name);
    lua_settop(L, 2);
    if (fn >= 0) {
        lua_pushinteger(L, fn);
        lua_pushcclosure(L, call, 1);
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 3);
        lua_rawset(L, 1);
        return 1;
    }
    for (const struct constant *c = constants; c->name; c++)
        if (strcmp(c->name, name) == 0) {
            lua_pushinteger(L, c->value);
            return 1;
        }
    int code = ncs_result_from_name(name);
    if (code >= 0) {
        lua_pushinteger(L, code);
        return 1;
    }
    const char *names[NCS_FN_COUNT];
    for (int i = 0; i < NCS_FN_COUNT; i++)
        names[i] = ncs_fn_info[i].name;
    const char *near = ncs_nearest(name, names, NCS_FN_COUNT);
    for (const struct constant *c = constants; c->name && !near; c++)
        near = ncs_nearest(name, &c->name, 1);
    for (int i = 0; i <= cudaErrorUnknown && !near; i++) {
        const char *results[] = { ncs_nccl_result_name(i), ncs_cuda_error_name(i) };
        for (int k = 0; k < 2 && !near; k++)
            near = ncs_result_from_name(results[k]) == i ? ncs_nearest(name, &results[k], 1) : NULL;
    }
    ncs_lua_no_call(L);
    return ncs_lua_usage(L, "no such field '%.60s' in C%s%s%s", name,
                         near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static const luaL_Reg functions[] = {
    { "check", c_check }, { "has", c_has }, { "host", c_host }, { "ncclConfig", c_config },
    { "sizeof", c_sizeof }, { NULL, NULL } };

void ncs_lua_raw(lua_State *L)
{
    luaL_newlib(L, functions);
    ncs_lua_lock(L, lua_gettop(L), "C");
    lua_getmetatable(L, -2); /* of the real table: replace what happens to unknown names */
    lua_pushcfunction(L, find);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    lua_remove(L, -2);
}
