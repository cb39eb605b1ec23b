/* Buffers and their views: memory of a type, on a device or the host, and its elements. */
#include "script/object.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "script/element.h"
#include "script/option.h"

static const char *const memory_names[] = { "device", "managed", "nccl", "pinned", "pageable" };

size_t ncs_buffer_element(const struct ncs_buffer *b)
{
    return ncs_dtype_bytes(b->dtype);
}

static bool was_freed(lua_State *L, const struct ncs_buffer *root, struct ncs_freed *how)
{
    const struct ncs_machine *m = ncs_lua_rank(L)->machine;
    return m && m->freed && m->freed(root->allocation, how);
}

/* Notices memory that was freed through another pointer to it, or with its device. */
static void notice(lua_State *L, struct ncs_object *o)
{
    struct ncs_freed how;
    if (!was_freed(L, (struct ncs_buffer *)o, &how))
        return;
    ncs_object_drop(L, o);
    o->closed_by = how.by;
    o->closed_line = how.place.line;
}

bool ncs_buffer_is_live(lua_State *L, const struct ncs_buffer *b)
{
    return !ncs_object_closed(L, &b->root->head);
}

struct ncs_range ncs_buffer_range(const struct ncs_buffer *b)
{
    if (b->memory != NCS_MEMORY_PAGEABLE)
        return NCS_NO_RANGE;
    return (struct ncs_range){ b->bytes, b->count * ncs_buffer_element(b), b->dtype };
}

void ncs_buffer_check_live(lua_State *L, const struct ncs_buffer *b, const char *name)
{
    ncs_object_check_open(L, &b->root->head, name);
}

struct ncs_buffer *ncs_buffer_self(lua_State *L, const char *method, int max)
{
    struct ncs_buffer *b = ncs_lua_method_any(L, NCS_CLASS_BUFFER, method, max);
    ncs_buffer_check_live(L, b, "this");
    return b;
}

/* ---- elements ---- */

void ncs_lua_element(lua_State *L, int arg, int dtype, void *element, const char *name)
{
    if (lua_type(L, arg) != LUA_TNUMBER)
        ncs_lua_wrong(L, arg, name, "a number");
    struct ncs_number v = { .whole = lua_isinteger(L, arg) };
    if (v.whole)
        v.i = lua_tointeger(L, arg);
    else
        v.d = lua_tonumber(L, arg);
    if (!ncs_element_write(dtype, v, element)) {
        lua_pushvalue(L, arg);
        ncs_lua_usage(L, "%s %s does not fit in %s", name, lua_tostring(L, -1), ncs_dtype_name(dtype));
    }
}

static void buffer_push_element(lua_State *L, int dtype, const void *element)
{
    struct ncs_number v = ncs_element_read(dtype, element);
    if (v.whole)
        lua_pushinteger(L, v.i);
    else
        lua_pushnumber(L, v.d);
}

/* The memory must be live. */
static void read_live(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, void *to)
{
    size_t bytes = count * ncs_buffer_element(b);
    if (bytes == 0) /* then there may be no address either */
        return;
    const char *from = b->bytes + first * ncs_buffer_element(b);
    struct ncs_range own = { to, bytes, b->dtype };
    if (b->memory == NCS_MEMORY_PAGEABLE)
        memcpy(to, from, bytes);
    else
        NCS_TRY_LENDING(L, own, NCS_NO_RANGE, cudaMemcpy, to, from, bytes, cudaMemcpyDefault);
}

static void write_live(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, const void *from)
{
    size_t bytes = count * ncs_buffer_element(b);
    if (bytes == 0)
        return;
    char *to = b->bytes + first * ncs_buffer_element(b);
    struct ncs_range own = { from, bytes, b->dtype };
    if (b->memory == NCS_MEMORY_PAGEABLE)
        memcpy(to, from, bytes);
    else
        NCS_TRY_LENDING(L, own, NCS_NO_RANGE, cudaMemcpy, to, from, bytes, cudaMemcpyDefault);
}

/* Checks again for each piece, because the script's own functions may run between two pieces and
 * free the buffer. */
void ncs_buffer_read(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, void *to)
{
    ncs_buffer_check_live(L, b, "this");
    read_live(L, b, first, count, to);
}

void ncs_buffer_write(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, const void *from)
{
    ncs_buffer_check_live(L, b, "this");
    write_live(L, b, first, count, from);
}

/* ---- making ---- */

struct ncs_buffer *ncs_buffer_host(lua_State *L, int dtype, size_t count)
{
    size_t bytes = count * ncs_dtype_bytes(dtype), offset = (sizeof(struct ncs_buffer) + 15) & ~15u;
    struct ncs_buffer *b = ncs_object_new(L, NCS_CLASS_BUFFER, offset + bytes, 1);
    *b = (struct ncs_buffer){ .head = b->head,
                              .root = b,
                              .bytes = (char *)b + offset,
                              .count = count,
                              .dtype = dtype,
                              .memory = NCS_MEMORY_PAGEABLE,
                              .device = ncs_lua_thread(L)->device };
    ncs_object_open(&b->head);
    return b;
}

static size_t checked_count(lua_State *L, int arg, int dtype)
{
    size_t count = ncs_lua_count(L, arg, "count");
    if (count > ((uint64_t)1 << 60) / ncs_dtype_bytes(dtype))
        ncs_lua_usage(L, "count %zu of %s is more than a buffer can hold", count, ncs_dtype_name(dtype));
    return count;
}

static enum ncs_memory memory_kind(lua_State *L, const char *name)
{
    for (int i = NCS_MEMORY_DEVICE; i <= NCS_MEMORY_PAGEABLE; i++)
        if (strcmp(name, memory_names[i]) == 0)
            return (enum ncs_memory)i;
    return (enum ncs_memory)ncs_lua_usage(L,
                                          "no memory \"%.60s\", expected \"device\", "
                                          "\"managed\", \"nccl\", \"pinned\" or "
                                          "\"pageable\"",
                                          name);
}

static void buffer_allocate(lua_State *L, struct ncs_buffer *b, size_t bytes, const struct ncs_stream *s)
{
    void **p = (void **)&b->bytes;
    switch (b->memory) {
    case NCS_MEMORY_DEVICE:
        if (s)
            NCS_TRY_ON(L, b->device, cudaMallocAsync, p, bytes, s->handle);
        else
            NCS_TRY_ON(L, b->device, cudaMalloc, p, bytes);
        break;
    case NCS_MEMORY_MANAGED:
        if (bytes) /* CUDA refuses an empty one */
            NCS_TRY_ON(L, b->device, cudaMallocManaged, p, bytes, cudaMemAttachGlobal);
        break;
    case NCS_MEMORY_NCCL: NCS_TRY_ON(L, b->device, ncclMemAlloc, p, bytes); break;
    case NCS_MEMORY_PINNED: NCS_TRY_ON(L, b->device, cudaMallocHost, p, bytes); break;
    case NCS_MEMORY_PAGEABLE: break;
    }
    const struct ncs_machine *m = ncs_lua_rank(L)->machine;
    b->allocation = m && m->watch ? m->watch(b->bytes) : 0;
}

/* cuda.buffer(dtype, count [, options]) */
int ncs_buffer_make(lua_State *L)
{
    struct options {
        const char *memory;
        int device, stream;
    };
    static const struct ncs_option rows[] = {
        { "memory", NCS_OPTION_TEXT, offsetof(struct options, memory) },
        { "device", NCS_OPTION_INT, offsetof(struct options, device) },
        { "stream", NCS_OPTION_SLOT, offsetof(struct options, stream) },
        { NULL, 0, 0 },
    };
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.buffer", 3);
    struct options o = { "device", INT_MIN, 0 };
    int dtype = ncs_lua_dtype(L, 1);
    size_t count = checked_count(L, 2, dtype);
    ncs_lua_options(L, 3, rows, &o);
    enum ncs_memory memory = memory_kind(L, o.memory);
    const struct ncs_stream *s = o.stream ? ncs_object_live(L, o.stream, NCS_CLASS_STREAM, "stream") : NULL;
    if (s && memory != NCS_MEMORY_DEVICE)
        return ncs_lua_usage(L, "only memory \"device\" can be allocated in the order of a stream");
    if (o.device == INT_MIN)
        o.device = s ? ncs_stream_device(L, s) : t->device;
    if (memory == NCS_MEMORY_PAGEABLE) {
        ncs_buffer_host(L, dtype, count);
        return 1;
    }
    struct ncs_buffer *b = ncs_object_new(L, NCS_CLASS_BUFFER, sizeof *b, 1);
    *b = (struct ncs_buffer){ .head = b->head, .root = b, .count = count, .dtype = dtype, .memory = memory, .device = o.device };
    buffer_allocate(L, b, count * ncs_dtype_bytes(dtype), s);
    ncs_object_open(&b->head);
    return 1;
}

static void push_view(lua_State *L, struct ncs_buffer *b, size_t first, size_t count)
{
    struct ncs_buffer *view = ncs_object_new(L, NCS_CLASS_BUFFER, sizeof *view, 1);
    int top = lua_gettop(L);
    struct ncs_object head = view->head;
    *view = *b;
    view->head = head;
    view->count = count;
    view->allocation = 0; /* the root's to know */
    if (b->bytes)
        view->bytes = b->bytes + first * ncs_buffer_element(b);
    ncs_object_drop(L, &view->head); /* only the root of a view can be closed */
    ncs_object_open(&view->head);
    if (lua_getiuservalue(L, 1, 1) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_pushvalue(L, 1);
    }
    lua_setiuservalue(L, top, 1);
}

static int buffer_slice(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "slice", 2);
    size_t first = ncs_lua_count(L, 2, "first");
    if (first < 1 || first > b->count + 1)
        return ncs_lua_usage(L, "first %zu is outside 1 .. %zu", first, b->count + 1);
    size_t count = lua_isnoneornil(L, 3) ? b->count - (first - 1) : ncs_lua_count(L, 3, "count");
    if (count > b->count - (first - 1))
        return ncs_lua_usage(L, "%zu elements from %zu go beyond the end: the buffer has %zu", count, first, b->count);
    push_view(L, b, first - 1, count);
    return 1;
}

static int buffer_part(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "part", 2);
    size_t k = ncs_lua_count(L, 2, "k");
    size_t n = lua_isnoneornil(L, 3) ? (size_t)ncs_lua_rank(L)->nranks : ncs_lua_count(L, 3, "n");
    if (n == 0 || b->count % n != 0)
        return ncs_lua_usage(L, "%zu elements cannot be divided into %zu equal parts", b->count, n);
    if (k >= n)
        return ncs_lua_usage(L, "part %zu is outside 0 .. %zu", k, n - 1);
    push_view(L, b, k * (b->count / n), b->count / n);
    return 1;
}

/* ---- reading ---- */

void *ncs_buffer_stage(lua_State *L, size_t bytes)
{
    return lua_newuserdatauv(L, bytes ? bytes : 1, 0);
}

static size_t element_index(lua_State *L, const struct ncs_buffer *b)
{
    lua_Integer i = ncs_lua_integer(L, 2, "index");
    if (i < 1 || (lua_Unsigned)i > b->count)
        ncs_lua_usage(L, "index %lld is outside 1 .. %zu", (long long)i, b->count);
    return (size_t)i - 1;
}

static int buffer_index(lua_State *L)
{
    struct ncs_buffer *b = lua_touserdata(L, 1);
    unsigned char element[8];
    ncs_lua_begin(L, "x[i]", -1);
    ncs_buffer_check_live(L, b, "x");
    read_live(L, b, element_index(L, b), 1, element);
    buffer_push_element(L, b->dtype, element);
    return 1;
}

static int buffer_assign(lua_State *L)
{
    struct ncs_buffer *b = lua_touserdata(L, 1);
    unsigned char element[8];
    ncs_lua_begin(L, "x[i] = v", -1);
    if (lua_type(L, 2) != LUA_TNUMBER) {
        ncs_lua_no_call(L);
        return ncs_lua_usage(L, "'%.60s' of a buffer cannot be assigned", ncs_lua_text(L, 2));
    }
    ncs_buffer_check_live(L, b, "x");
    size_t i = element_index(L, b);
    ncs_lua_element(L, 3, b->dtype, element, "value");
    write_live(L, b, i, 1, element);
    return 0;
}

static int buffer_get(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "get", 3);
    int options = lua_type(L, 2) == LUA_TTABLE ? 2 : 4;
    ncs_lua_label(L, options);
    lua_settop(L, options == 2 ? 1 : 3);
    size_t first = lua_isnoneornil(L, 2) ? 1 : ncs_lua_count(L, 2, "first");
    if (first < 1 || first > b->count + 1)
        return ncs_lua_usage(L, "first %zu is outside 1 .. %zu", first, b->count);
    size_t count = lua_isnoneornil(L, 3) ? b->count - (first - 1) : ncs_lua_count(L, 3, "count");
    if (count > b->count - (first - 1))
        return ncs_lua_usage(L, "%zu elements from %zu go beyond the end: the buffer has %zu", count, first, b->count);
    size_t size = ncs_buffer_element(b), chunk = NCS_BUFFER_STAGE / size;
    char *area = ncs_buffer_stage(L, (count < chunk ? count : chunk) * size);
    lua_createtable(L, count > 1u << 30 ? 0 : (int)count, 0);
    for (size_t at = 0; at < count; at += chunk) {
        size_t n = count - at < chunk ? count - at : chunk;
        ncs_buffer_read(L, b, first - 1 + at, n, area);
        for (size_t i = 0; i < n; i++) {
            buffer_push_element(L, b->dtype, area + i * size);
            lua_rawseti(L, -2, (lua_Integer)(at + i) + 1);
        }
    }
    return 1;
}

static int buffer_length(lua_State *L)
{
    struct ncs_buffer *b = lua_touserdata(L, 1);
    lua_pushinteger(L, (lua_Integer)b->count);
    return 1;
}

/* ---- freeing, fields ---- */

/* x:free([options]) */
static int buffer_free(lua_State *L)
{
    struct options {
        int stream;
    };
    static const struct ncs_option rows[] = { { "stream", NCS_OPTION_SLOT, offsetof(struct options, stream) }, { NULL, 0, 0 } };
    struct ncs_buffer *b = ncs_buffer_self(L, "free", 1);
    struct options o = { 0 };
    ncs_lua_options(L, 2, rows, &o);
    const struct ncs_stream *s = o.stream ? ncs_object_live(L, o.stream, NCS_CLASS_STREAM, "stream") : NULL;
    if (b->root != b)
        return ncs_lua_usage(L, "this is a view: the buffer that it is part of is freed");
    if (s && b->memory != NCS_MEMORY_DEVICE)
        return ncs_lua_usage(L, "only memory \"device\" can be freed in the order of a stream");
    switch (b->memory) {
    case NCS_MEMORY_DEVICE:
    case NCS_MEMORY_MANAGED:
        if (s)
            NCS_TRY_ON(L, b->device, cudaFreeAsync, b->bytes, s->handle);
        else
            NCS_TRY(L, cudaFree, b->bytes);
        break;
    case NCS_MEMORY_NCCL: NCS_TRY(L, ncclMemFree, b->bytes); break;
    case NCS_MEMORY_PINNED: NCS_TRY(L, cudaFreeHost, b->bytes); break;
    case NCS_MEMORY_PAGEABLE: break;
    }
    ncs_object_drop(L, &b->head);
    was_freed(L, b, &(struct ncs_freed){ 0 }); /* collects the machine's record of this free */
    lua_settop(L, 1);
    return 1;
}

static int buffer_field_dtype(lua_State *L)
{
    lua_pushstring(L, ncs_dtype_name(((struct ncs_buffer *)lua_touserdata(L, 1))->dtype));
    return 1;
}

static int field_bytes(lua_State *L)
{
    struct ncs_buffer *b = lua_touserdata(L, 1);
    lua_pushinteger(L, (lua_Integer)(b->count * ncs_buffer_element(b)));
    return 1;
}

static int buffer_field_device(lua_State *L)
{
    lua_pushinteger(L, ((struct ncs_buffer *)lua_touserdata(L, 1))->device);
    return 1;
}

static int field_memory(lua_State *L)
{
    lua_pushstring(L, memory_names[((struct ncs_buffer *)lua_touserdata(L, 1))->memory]);
    return 1;
}

static int buffer_field_pointer(lua_State *L)
{
    ncs_pointer_push(L, 1);
    return 1;
}

static const luaL_Reg methods[] = {
    { "add", ncs_buffer_add },
    { "copy_from", ncs_buffer_copy_from },
    { "dump", ncs_buffer_dump },
    { "fill", ncs_buffer_fill },
    { "free", buffer_free },
    { "get", buffer_get },
    { "part", buffer_part },
    { "slice", buffer_slice },
    { NULL, NULL },
};

static const luaL_Reg fields[] = {
    { "bytes", field_bytes },
    { "count", buffer_length },
    { "device", buffer_field_device },
    { "dtype", buffer_field_dtype },
    { "memory", field_memory },
    { "ptr", buffer_field_pointer },
    { NULL, NULL },
};

static const luaL_Reg meta[] = { { "__len", buffer_length }, { NULL, NULL } };

const struct ncs_class ncs_class_buffer = {
    .name = "buffer",
    .gone = "freed",
    .methods = { methods },
    .fields = fields,
    .meta = meta,
    .close = buffer_free,
    .index = buffer_index,
    .assign = buffer_assign,
    .text = ncs_buffer_text,
    .notice = notice,
};
