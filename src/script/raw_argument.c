/* Converts arguments of a call through C from the stack to the union that the call takes. */
#include "script/raw.h"

#include <limits.h>
#include <string.h>

#include "api/types.h"

#define MOST_ITEMS ((size_t)1 << 20) /* of a list */

/* ---- numbers ---- */

static lua_Integer integer(lua_State *L, int arg, const char *name)
{
    return lua_isboolean(L, arg) ? lua_toboolean(L, arg) : ncs_lua_integer(L, arg, name);
}

static int raw_argument_int_of(lua_State *L, int arg, const char *name)
{
    lua_Integer v = integer(L, arg, name);
    if (v < INT_MIN || v > INT_MAX)
        ncs_lua_usage(L, "%s must be within C's int, got %lld", name, (long long)v);
    return (int)v;
}

static unsigned flags_of(lua_State *L, int arg, const char *name)
{
    lua_Integer v = integer(L, arg, name);
    if (v < 0 || v > UINT_MAX)
        ncs_lua_usage(L, "%s must be within C's unsigned int, got %lld", name, (long long)v);
    return (unsigned)v;
}

/* ---- memory ---- */

/* The buffer that the argument is or points into; NULL = none. */
static const struct ncs_buffer *root_at(lua_State *L, int arg)
{
    const struct ncs_buffer *b = ncs_object_test(L, arg, NCS_CLASS_BUFFER);
    const struct ncs_pointer *p = ncs_object_test(L, arg, NCS_CLASS_POINTER);
    return b ? b->root : p ? p->root : NULL;
}

static const char *address_at(lua_State *L, int arg)
{
    const struct ncs_buffer *b = ncs_object_test(L, arg, NCS_CLASS_BUFFER);
    const struct ncs_pointer *p = ncs_object_test(L, arg, NCS_CLASS_POINTER);
    return b ? b->bytes : p ? p->at : NULL;
}

/* Host memory with known bytes, and how many of them follow the pointer. */
static bool known_host(lua_State *L, int arg, const char **from, size_t *room)
{
    const struct ncs_buffer *root = root_at(L, arg);
    const char *at = address_at(L, arg);
    if (!root || root->memory == NCS_MEMORY_DEVICE || root->memory == NCS_MEMORY_NCCL)
        return false;
    size_t all = root->count * ncs_dtype_bytes(root->dtype);
    bool inside = !root->head.closed && at >= root->bytes && (size_t)(at - root->bytes) <= all;
    *from = at;
    *room = inside ? all - (size_t)(at - root->bytes) : 0;
    return true;
}

void ncs_raw_lend(lua_State *L, int args)
{
    const char *from;
    size_t room;
    for (int i = 1; i <= args; i++)
        if (known_host(L, i, &from, &room) && root_at(L, i)->memory == NCS_MEMORY_PAGEABLE)
            ncs_lua_lend_more(L, (struct ncs_range){ .from = from, .bytes = room });
}

void ncs_raw_declare(lua_State *L, const struct ncs_raw *c)
{
    struct ncs_local *local = ncs_lua_thread(L)->local;
    for (int i = 0; i < c->info->nargs && local && c->info->reduces; i++) {
        const struct ncs_buffer *b = c->info->arg[i].kind == NCS_ARG_IN ? root_at(L, c->at[i]) : NULL;
        if (b)
            local->declared = 1 + b->dtype;
    }
}

static const void *raw_argument_pointer_of(lua_State *L, int arg, const char *name, size_t bytes)
{
    bool unsafe = ncs_lua_rank(L)->script->unsafe;
    const char *from;
    size_t room;
    lua_Integer address;
    if (!unsafe && known_host(L, arg, &from, &room) && bytes > room)
        ncs_lua_usage(L, "%s: %zu bytes do not fit: the host memory has %zu bytes there", name, bytes, room);
    if (ncs_object_test(L, arg, NCS_CLASS_BUFFER) || ncs_object_test(L, arg, NCS_CLASS_POINTER))
        return address_at(L, arg);
    if (lua_isnoneornil(L, arg))
        return NULL;
    if (ncs_lua_is_whole(L, arg, &address) && (unsafe || address == 0))
        return (const void *)(uintptr_t)address;
    ncs_lua_wrong(L, arg, name, "a buffer, a pointer or nil");
    return NULL;
}

/* The bytes behind pointer argument `which` that a call may touch from the host at once. 0 = the
 * call only passes the pointer on, and the driver knows its memory. */
static size_t touched(const struct ncs_raw *c, int which)
{
    size_t pitch = 0, width = 0, height = 0;
    for (int i = 0; i < c->info->nargs; i++)
        switch (c->info->arg[i].kind) {
        case NCS_ARG_BYTES: return (size_t)c->arg[i].u;
        case NCS_ARG_ROOM: return c->arg[i].i > 0 ? (size_t)c->arg[i].i : 0;
        case NCS_ARG_PITCH:
            if (i == which + 1)
                pitch = (size_t)c->arg[i].u;
            break;
        case NCS_ARG_WIDTH: width = (size_t)c->arg[i].u; break;
        case NCS_ARG_HEIGHT: height = (size_t)c->arg[i].u; break;
        default: break;
        }
    if (height == 0 || width == 0 || pitch < width)
        return 0;
    return pitch > (SIZE_MAX - width) / height ? SIZE_MAX : (height - 1) * pitch + width;
}

static size_t element_of(const struct ncs_raw *c)
{
    for (int i = 0; i < c->info->nargs; i++)
        if (c->info->arg[i].kind == NCS_ARG_DTYPE)
            return ncs_dtype_bytes((int)c->arg[i].i);
    return 0;
}

static void raw_argument_check_memory(lua_State *L, const struct ncs_raw *c)
{
    for (int i = 0; i < c->info->nargs; i++) {
        enum ncs_kind kind = c->info->arg[i].kind;
        if (kind == NCS_ARG_SCALAR)
            raw_argument_pointer_of(L, c->at[i], c->info->arg[i].name, element_of(c));
        if (kind == NCS_ARG_IN || kind == NCS_ARG_OUT || kind == NCS_ARG_INOUT ||
            (kind == NCS_ARG_MEMORY && c->fn == NCS_FN_cudaHostRegister))
            raw_argument_pointer_of(L, c->at[i], c->info->arg[i].name, touched(c, i));
    }
}

/* ---- handles ---- */

static const void *raw_argument_handle_of(lua_State *L, int arg, const char *name, enum ncs_class_id id)
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
    case NCS_CLASS_ID: return &((struct ncs_id *)o)->id;
    case NCS_CLASS_CONFIG: return &((struct ncs_config *)o)->config;
    case NCS_CLASS_SIM_INFO: return &((struct ncs_sim_info *)o)->info;
    default: return ((struct ncs_handle *)o)->handle;
    }
}

/* ---- lists: arrays on Lua's stack with at least as many entries as the call counts ---- */

static lua_Integer items_of(lua_State *L, const struct ncs_raw *c)
{
    for (int i = 0; i < c->info->nargs; i++)
        if (c->info->arg[i].kind == NCS_ARG_ITEMS || c->info->arg[i].kind == NCS_ARG_NRANKS)
            if (c->info->arg[i].kind == NCS_ARG_ITEMS || c->fn == NCS_FN_ncclCommInitAll)
                return raw_argument_int_of(L, c->at[i], c->info->arg[i].name);
    return 0;
}

static void *raw_argument_list_of(lua_State *L, const struct ncs_raw *c, int i, size_t bytes,
                                  void (*raw_argument_read)(lua_State *L, int at, void *to))
{
    const char *name = c->info->arg[i].name;
    int at = c->at[i];
    if (lua_isnoneornil(L, at))
        return NULL;
    size_t n = ncs_lua_list(L, at, name, "a list or nil");
    lua_Integer items = items_of(L, c);
    if (items > (lua_Integer)n)
        ncs_lua_usage(L, "%s has %zu entries, the call says %lld", name, n, (long long)items);
    if (n > MOST_ITEMS)
        ncs_lua_usage(L, "%s has %zu entries, more than %zu", name, n, MOST_ITEMS);
    char *list = lua_newuserdatauv(L, (n + 1) * bytes, 0);
    memset(list, 0, (n + 1) * bytes);
    for (size_t k = 0; k < n; k++) {
        lua_rawgeti(L, at, (lua_Integer)k + 1);
        raw_argument_read(L, lua_gettop(L), list + k * bytes);
        lua_pop(L, 1);
    }
    return list;
}

static void read_device(lua_State *L, int at, void *to)
{
    *(int *)to = raw_argument_int_of(L, at, "a device");
}
static void read_rank(lua_State *L, int at, void *to)
{
    *(int *)to = raw_argument_int_of(L, at, "a rank");
}

static void read_id(lua_State *L, int at, void *to)
{
    *(ncclUniqueId *)to = ((struct ncs_id *)ncs_object_arg(L, at, NCS_CLASS_ID, "an entry"))->id;
}

static void read_wait(lua_State *L, int at, void *to)
{
    ncs_struct_read(L, at, NCS_STRUCT_WAIT, to, "an entry");
}

/* ---- structs, texts, functions ---- */

static const void *struct_of(lua_State *L, int at, const char *name, enum ncs_raw_struct what, size_t bytes, bool nullable)
{
    if (nullable && lua_isnoneornil(L, at))
        return NULL;
    void *to = memset(lua_newuserdatauv(L, bytes, 0), 0, bytes);
    ncs_struct_read(L, at, what, to, name);
    return to;
}

static const char *raw_argument_text_of(lua_State *L, int at, const char *name)
{
    if (lua_isnoneornil(L, at))
        return NULL;
    if (lua_type(L, at) != LUA_TSTRING)
        ncs_lua_wrong(L, at, name, "a text or nil");
    const char *text = lua_tostring(L, at);
    if (strlen(text) != lua_rawlen(L, at))
        ncs_lua_usage(L, "%s has a zero byte", name);
    return text;
}

static const void *ipc_of(lua_State *L, int at, const char *name)
{
    if (lua_type(L, at) != LUA_TSTRING || lua_rawlen(L, at) != CUDA_IPC_HANDLE_SIZE)
        ncs_lua_wrong(L, at, name, "a handle of 64 bytes");
    return lua_tostring(L, at);
}

/* For the library, the function and its userData, the next argument, are one object. */
static void raw_argument_function_of(lua_State *L, struct ncs_raw *c, int i, bool of_stream)
{
    int at = c->at[i];
    if (lua_isnoneornil(L, at))
        return;
    if (lua_type(L, at) != LUA_TFUNCTION)
        ncs_lua_wrong(L, at, c->info->arg[i].name, "a function or nil");
    c->arg[i + 1].p = ncs_callback_new(L, at, c->at[i + 1], of_stream ? c->at[0] : 0);
    c->arg[i].f = of_stream ? (void (*)(void))ncs_callback_run_stream : (void (*)(void))ncs_callback_run;
}

/* ---- one argument ---- */

static void raw_argument_read(lua_State *L, struct ncs_raw *c, int i)
{
    const char *name = c->info->arg[i].name;
    union ncs_arg *out = &c->arg[i];
    int at = c->at[i];
    switch (c->info->arg[i].kind) {
    case NCS_ARG_IN:
    case NCS_ARG_OUT:
    case NCS_ARG_INOUT:
    case NCS_ARG_MEMORY:
    case NCS_ARG_SCALAR:
    case NCS_ARG_GRAPH:
    case NCS_ARG_GRAPHEXEC:
    case NCS_ARG_NODES: out->p = raw_argument_pointer_of(L, at, name, 0); break;
    case NCS_ARG_NODECOUNT: out->p = raw_argument_pointer_of(L, at, name, sizeof(size_t)); break;
    case NCS_ARG_CAPTUREMODE_IO: out->p = raw_argument_pointer_of(L, at, name, sizeof(int)); break;
    case NCS_ARG_ATTRIBUTE: /* the first three attributes of a pool are of 4 bytes */
        out->p = raw_argument_pointer_of(L, at, name, c->arg[i - 1].i < cudaMemPoolAttrReleaseThreshold ? 4 : 8);
        break;
    case NCS_ARG_COMM:
        out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_COMM);
        c->of = lua_touserdata(L, at);
        break;
    case NCS_ARG_STREAM: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_STREAM); break;
    case NCS_ARG_EVENT: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_EVENT); break;
    case NCS_ARG_ID:
        ncs_object_arg(L, at, NCS_CLASS_ID, name);
        out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_ID);
        break;
    case NCS_ARG_ID_IN: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_ID); break;
    case NCS_ARG_CONFIG:
        out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_CONFIG);
        c->config = out->p;
        break;
    case NCS_ARG_SIMINFO: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_SIM_INFO); break;
    case NCS_ARG_WINDOW: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_WINDOW); break;
    case NCS_ARG_REGISTRATION: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_REGISTRATION); break;
    case NCS_ARG_PARAM: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_PARAM); break;
    case NCS_ARG_POOL: out->p = raw_argument_handle_of(L, at, name, NCS_CLASS_POOL); break;
    case NCS_ARG_DEVICES: out->p = c->devices = raw_argument_list_of(L, c, i, sizeof(int), read_device); break;
    case NCS_ARG_RANKS: out->p = raw_argument_list_of(L, c, i, sizeof(int), read_rank); break;
    case NCS_ARG_IDS: out->p = raw_argument_list_of(L, c, i, sizeof(ncclUniqueId), read_id); break;
    case NCS_ARG_WAITS: out->p = raw_argument_list_of(L, c, i, sizeof(ncclWaitSignalDesc_t), read_wait); break;
    case NCS_ARG_LOCATION: out->p = struct_of(L, at, name, NCS_STRUCT_LOCATION, sizeof(struct cudaMemLocation), false); break;
    case NCS_ARG_POOLPROPS: out->p = struct_of(L, at, name, NCS_STRUCT_POOL, sizeof(struct cudaMemPoolProps), true); break;
    case NCS_ARG_PROPERTIES: out->p = struct_of(L, at, name, NCS_STRUCT_DEVICE, sizeof(struct cudaDeviceProp), true); break;
    case NCS_ARG_TEXT: out->p = raw_argument_text_of(L, at, name); break;
    case NCS_ARG_IPCMEM:
    case NCS_ARG_IPCEVENT: out->p = ipc_of(L, at, name); break;
    case NCS_ARG_HOSTFN: raw_argument_function_of(L, c, i, false); break;
    case NCS_ARG_STREAMFN: raw_argument_function_of(L, c, i, true); break;
    case NCS_ARG_USERDATA: break; /* set with the function */
    case NCS_ARG_SECONDS: out->d = ncs_lua_number(L, at, name); break;
    case NCS_ARG_REDOP: {
        const struct ncs_lua_redop *op = ncs_object_test(L, at, NCS_CLASS_REDOP);
        out->i = op ? (int64_t)op->op : raw_argument_int_of(L, at, name);
        break;
    }
    case NCS_ARG_COUNT:
    case NCS_ARG_BYTES:
    case NCS_ARG_OFFSET:
    case NCS_ARG_PITCH:
    case NCS_ARG_WIDTH:
    case NCS_ARG_HEIGHT:
    case NCS_ARG_LONGFLAGS: out->u = (uint64_t)integer(L, at, name); break;
    case NCS_ARG_FLAGS: out->u = flags_of(L, at, name); break;
    default: out->i = raw_argument_int_of(L, at, name);
    }
}

void ncs_raw_arguments(lua_State *L, struct ncs_raw *c)
{
    const struct ncs_fn_info *info = c->info;
    int at = 0;
    c->nranks = c->rank = -1;
    for (int i = 0; i < info->nargs; i++) {
        c->arg[i].u = 0;
        c->at[i] = ncs_kind_is_out(info->arg[i].kind) ? 0 : ++at;
    }
    for (int i = 0; i < info->nargs; i++) {
        enum ncs_kind kind = info->arg[i].kind;
        if (ncs_kind_is_out(kind))
            continue;
        raw_argument_read(L, c, i);
        if (kind == NCS_ARG_NRANKS)
            c->nranks = c->arg[i].i;
        if (kind == NCS_ARG_RANK)
            c->rank = c->arg[i].i;
        if (kind == NCS_ARG_COLOR)
            c->no_color = c->arg[i].i == NCCL_SPLIT_NOCOLOR;
    }
    raw_argument_check_memory(L, c);
}
