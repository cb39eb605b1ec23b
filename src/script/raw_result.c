/* Out-parameters of a call through C, and the call's effects on the script's objects. */
#include "script/raw.h"

#include <string.h>

#define MOST_COMMS 65536     /* most communicators of one call */
#define MOST_CHARS (1 << 16) /* most bytes of a text from one call */

/* ---- cells ---- */

static void comm_cell(lua_State *L, struct ncs_raw *c, int i)
{
    bool known = c->nranks >= 0 && c->rank >= 0;
    int device = c->of ? c->of->device : ncs_lua_thread(L)->device;
    struct ncs_comm *made = ncs_comm_make(L, known ? (int)c->rank : -1, known ? (int)c->nranks : -1, device);
    if (c->of)
        made->blocking = c->of->blocking;
    if (c->config && c->config->blocking != NCCL_CONFIG_UNDEF_INT)
        made->blocking = c->config->blocking != 0;
    c->arg[i].p = made->cell;
}

static void comms_cell(lua_State *L, struct ncs_raw *c, int i)
{
    size_t room = c->nranks > 0 ? (size_t)c->nranks : 1;
    if (room > MOST_COMMS)
        ncs_lua_usage(L, "ndev %lld is more than %d", (long long)c->nranks, MOST_COMMS);
    c->arg[i].p = memset(lua_newuserdatauv(L, room * sizeof(ncclComm_t), 0), 0, room * sizeof(ncclComm_t));
}

static size_t chars_room(lua_State *L, const struct ncs_raw *c)
{
    for (int i = 0; i < c->info->nargs; i++) {
        if (c->info->arg[i].kind != NCS_ARG_ROOM)
            continue;
        if (c->arg[i].i > MOST_CHARS)
            ncs_lua_usage(L, "%s %lld is more than %d", c->info->arg[i].name, (long long)c->arg[i].i, MOST_CHARS);
        return c->arg[i].i > 0 ? (size_t)c->arg[i].i + 1 : 1;
    }
    return 1;
}

static size_t cell_bytes(lua_State *L, const struct ncs_raw *c, enum ncs_kind kind)
{
    switch (kind) {
    case NCS_ARG_CHARS_OUT: return chars_room(L, c);
    case NCS_ARG_PROPERTIES_OUT: return sizeof(struct cudaDeviceProp);
    case NCS_ARG_POINTER_OUT: return sizeof(struct cudaPointerAttributes);
    case NCS_ARG_IPCMEM_OUT:
    case NCS_ARG_IPCEVENT_OUT: return CUDA_IPC_HANDLE_SIZE;
    case NCS_ARG_COMMPROPS_OUT: return sizeof(ncclCommProperties_t);
    default: return 8;
    }
}

static enum ncs_class_id handle_class(enum ncs_kind kind)
{
    switch (kind) {
    case NCS_ARG_WINDOW_OUT: return NCS_CLASS_WINDOW;
    case NCS_ARG_REGISTRATION_OUT: return NCS_CLASS_REGISTRATION;
    case NCS_ARG_PARAM_OUT: return NCS_CLASS_PARAM;
    case NCS_ARG_POOL_OUT: return NCS_CLASS_POOL;
    default: return NCS_CLASSES;
    }
}

static void raw_result_cell(lua_State *L, struct ncs_raw *c, int i)
{
    enum ncs_kind kind = c->info->arg[i].kind;
    enum ncs_class_id class = handle_class(kind);
    if (class != NCS_CLASSES) {
        c->arg[i].p = &ncs_handle_make(L, class)->handle;
    } else if (kind == NCS_ARG_COMM_OUT) {
        comm_cell(L, c, i);
    } else if (kind == NCS_ARG_COMMS_OUT) {
        comms_cell(L, c, i);
    } else if (kind == NCS_ARG_ID_OUT) {
        ncs_id_push(L, &(ncclUniqueId){ { 0 } });
        c->arg[i].p = &((struct ncs_id *)lua_touserdata(L, -1))->id;
    } else {
        size_t bytes = cell_bytes(L, c, kind);
        void *p = memset(lua_newuserdatauv(L, bytes, 0), 0, bytes);
        if (kind == NCS_ARG_COMMPROPS_OUT)
            *(ncclCommProperties_t *)p =
                (ncclCommProperties_t){ .size = bytes, .magic = NCCL_CONFIG_MAGIC, .version = NCCLSCRIPT_NCCL_VERSION };
        c->arg[i].p = p;
    }
}

void ncs_raw_cells(lua_State *L, struct ncs_raw *c)
{
    for (int i = 0; i < c->info->nargs; i++) {
        if (!ncs_kind_is_out(c->info->arg[i].kind))
            continue;
        raw_result_cell(L, c, i);
        c->at[i] = lua_gettop(L);
    }
}

/* ---- what they hold ---- */

/* Pushes a list of communicators for the array of handles in a cell. */
static void raw_result_push_comms(lua_State *L, const struct ncs_raw *call, int cell)
{
    ncclComm_t *handles = lua_touserdata(L, cell);
    lua_Integer n = call->nranks > 0 ? call->nranks : 0;
    lua_createtable(L, (int)n, 0);
    for (lua_Integer i = 0; i < n; i++) {
        int device = call->devices ? call->devices[i] : (int)i;
        struct ncs_comm *c = ncs_comm_make(L, (int)i, (int)n, device);
        c->cell = &handles[i];
        lua_pushvalue(L, cell);
        lua_setiuservalue(L, -2, 2);
        ncs_comm_open(L, c);
        lua_rawseti(L, -2, i + 1);
    }
}

static void push_comm(lua_State *L, const struct ncs_raw *call, int cell)
{
    struct ncs_comm *c = lua_touserdata(L, cell);
    if (call->no_color) { /* NCCL says NULL, and has the cell's address */
        lua_pushnil(L);
        return;
    }
    ncs_comm_open(L, c);
    ncs_comm_know(L, c);
    lua_pushvalue(L, cell);
}

/* In a group, the handle is a value at once and is filled later. Outside a group,
 * NULL becomes nil. */
static void push_handle(lua_State *L, int cell)
{
    struct ncs_handle *h = lua_touserdata(L, cell);
    const struct ncs_local *local = ncs_lua_thread(L)->local;
    if (h->handle)
        ncs_object_let_go(L, &h->head);
    if (h->handle || (local && local->group_depth > 0))
        lua_pushvalue(L, cell);
    else
        lua_pushnil(L);
}

/* Pushes the list of texts; the next out-parameter is its length. */
static void push_texts(lua_State *L, const struct ncs_raw *c, int i)
{
    const char *const *texts = *(const char *const *const *)c->arg[i].p;
    int n = *(const int *)c->arg[i + 1].p;
    lua_createtable(L, n > 0 ? n : 0, 0);
    for (int k = 0; texts && k < n; k++) {
        lua_pushstring(L, texts[k]);
        lua_rawseti(L, -2, k + 1);
    }
}

static void raw_result_push(lua_State *L, const struct ncs_raw *c, int i)
{
    const void *p = c->arg[i].p;
    int at = c->at[i];
    switch (c->info->arg[i].kind) {
    case NCS_ARG_COMM_OUT: push_comm(L, c, at); break;
    case NCS_ARG_COMMS_OUT: raw_result_push_comms(L, c, at); break;
    case NCS_ARG_ID_OUT: lua_pushvalue(L, at); break;
    case NCS_ARG_BYTES_OUT: lua_pushinteger(L, (lua_Integer) * (const size_t *)p); break;
    case NCS_ARG_FLOAT_OUT: lua_pushnumber(L, (lua_Number) * (const float *)p); break;
    case NCS_ARG_MEMORY_OUT:
    case NCS_ARG_GRAPH_OUT:
    case NCS_ARG_GRAPHEXEC_OUT:
    case NCS_ARG_NODES_OUT:
    case NCS_ARG_EDGES_OUT: ncs_pointer_push_raw(L, *(void *const *)p); break;
    case NCS_ARG_STREAM_OUT: ncs_stream_wrap(L, *(const cudaStream_t *)p); break;
    case NCS_ARG_EVENT_OUT: ncs_event_wrap(L, *(const cudaEvent_t *)p); break;
    case NCS_ARG_I8_OUT: lua_pushinteger(L, *(const int8_t *)p); break;
    case NCS_ARG_I16_OUT: lua_pushinteger(L, *(const int16_t *)p); break;
    case NCS_ARG_I64_OUT: lua_pushinteger(L, *(const int64_t *)p); break;
    case NCS_ARG_U8_OUT: lua_pushinteger(L, *(const uint8_t *)p); break;
    case NCS_ARG_U16_OUT: lua_pushinteger(L, *(const uint16_t *)p); break;
    case NCS_ARG_U32_OUT:
    case NCS_ARG_FLAGS_OUT: lua_pushinteger(L, *(const uint32_t *)p); break;
    case NCS_ARG_U64_OUT:
    case NCS_ARG_SERIAL_OUT: lua_pushinteger(L, (lua_Integer) * (const uint64_t *)p); break;
    case NCS_ARG_CHARS_OUT: lua_pushstring(L, p); break;
    case NCS_ARG_TEXT_OUT: lua_pushstring(L, *(const char *const *)p); break;
    case NCS_ARG_TEXTS_OUT: push_texts(L, c, i); break;
    case NCS_ARG_WINDOW_OUT:
    case NCS_ARG_REGISTRATION_OUT:
    case NCS_ARG_PARAM_OUT:
    case NCS_ARG_POOL_OUT: push_handle(L, at); break;
    case NCS_ARG_COMMPROPS_OUT: ncs_struct_push(L, NCS_STRUCT_COMM, p); break;
    case NCS_ARG_PROPERTIES_OUT: ncs_struct_push(L, NCS_STRUCT_DEVICE, p); break;
    case NCS_ARG_POINTER_OUT: ncs_struct_push(L, NCS_STRUCT_POINTER, p); break;
    case NCS_ARG_IPCMEM_OUT:
    case NCS_ARG_IPCEVENT_OUT: lua_pushlstring(L, p, CUDA_IPC_HANDLE_SIZE); break;
    default: lua_pushinteger(L, *(const int *)p);
    }
}

/* ---- what the script's objects learn ---- */

/* Closes the buffers that the call freed through any pointer, if no machine reports it: the buffer
 * that begins at p, or all of a device that was reset. */
static void close_freed(lua_State *L, const struct ncs_raw *c, const void *p)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    const struct ncs_machine *m = t->rank->machine;
    bool reset = c->fn == NCS_FN_cudaDeviceReset;
    if (m && m->freed)
        return;
    for (struct ncs_object *o = t->rank->newest, *older; o; o = older) {
        const struct ncs_buffer *b = (const struct ncs_buffer *)o;
        older = o->older;
        if (o->id != NCS_CLASS_BUFFER || o->closed || b->memory == NCS_MEMORY_PAGEABLE || !b->bytes ||
            (reset ? b->device != t->device : b->bytes != p))
            continue;
        ncs_object_drop(L, o);
        o->closed_by = c->info->name;
    }
}

/* Keeps pinned memory in place until the rank ends, even if its buffer is collected. */
static void raw_result_keep(lua_State *L, int arg)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "ncs.pinned");
    lua_pushvalue(L, arg);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    lua_pop(L, 1);
}

/* After this call the rank's part of the communicator takes no work. */
static bool ends_work(const struct ncs_raw *c)
{
    return c->info->ends == NCS_ENDS_COMM || c->fn == NCS_FN_ncclCommFinalize || c->fn == NCS_FN_ncclCommRevoke;
}

/* The object that the call ends. NULL for a window or registration that C made: its
 * object stays open. */
static struct ncs_object *ended_object(lua_State *L, const struct ncs_raw *c)
{
    enum ncs_kind kind = c->info->arg[c->info->nargs - 1].kind;
    if (kind != NCS_ARG_WINDOW && kind != NCS_ARG_REGISTRATION)
        return lua_touserdata(L, 1);
    struct ncs_of_comm *m = lua_touserdata(L, 2);
    return m && m->comm ? &m->handle.head : NULL;
}

static void note_effect(lua_State *L, const struct ncs_raw *c)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    struct ncs_object *o = NULL;
    const struct ncs_fn_info *info = c->info;
    if (c->fn == NCS_FN_cudaSetDevice)
        t->device = (int)c->arg[0].i;
    else if (c->fn == NCS_FN_cudaHostRegister)
        raw_result_keep(L, 1);
    else if (info->closes_group)
        ncs_comm_name_filled(t->rank);
    else if (lua_touserdata(L, 1) && ends_work(c))
        ncs_comm_note(L, lua_touserdata(L, 1), c->fn);
    else if (info->ends == NCS_ENDS_MEMORY || c->fn == NCS_FN_cudaDeviceReset)
        close_freed(L, c, info->nargs ? c->arg[0].p : NULL);
    else if (info->ends == NCS_ENDS_HANDLE)
        o = ended_object(L, c);
    if (!o || o->closed || !ncs_classes[o->id]->close)
        return;
    ncs_object_drop(L, o);
}

void ncs_raw_results(lua_State *L, struct ncs_raw *c, bool ok)
{
    if (ok)
        note_effect(L, c);
    for (int i = 0; i < c->info->nargs; i++) {
        enum ncs_kind kind = c->info->arg[i].kind;
        if (!ok && (kind == NCS_ARG_HOSTFN || kind == NCS_ARG_STREAMFN))
            ncs_callback_drop(L, (void *)c->arg[i + 1].p);
        if (!ncs_kind_is_out(kind))
            continue;
        if (!ok)
            lua_pushnil(L);
        else
            raw_result_push(L, c, i);
    }
}
