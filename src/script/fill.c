/* Methods that change the elements of a buffer: fill, copies, and add, which
 * stands for a kernel. */
#include "script/object.h"

#include <string.h>

#include "api/types.h"
#include "script/element.h"
#include "script/option.h"

/* ---- filling ---- */

static void write_from(lua_State *L, const struct ncs_buffer *b, size_t first, size_t count, const void *from,
                       const struct ncs_stream *s)
{
    size_t bytes = count * ncs_buffer_element(b);
    if (!s)
        ncs_buffer_write(L, b, first, count, from);
    else if (bytes)
        NCS_TRY_LENDING(L, ((struct ncs_range){ .from = from, .bytes = bytes }), ncs_buffer_range(b), cudaMemcpyAsync,
                        b->bytes + first * ncs_buffer_element(b), from, bytes, cudaMemcpyDefault, s->handle);
}

/* Small whole numbers keep sums over many ranks exact. */
static void random_element(struct ncs_random *r, int dtype, void *element)
{
    bool is_signed = dtype != ncclUint8 && dtype != ncclUint32 && dtype != ncclUint64;
    int64_t v = is_signed ? (int64_t)ncs_random_below(r, 7) - 3 : (int64_t)ncs_random_below(r, 4);
    ncs_element_write(dtype, (struct ncs_number){ .whole = true, .i = v }, element);
}

/* Element i (from 0) from the value at 2. */
static void make_element(lua_State *L, const struct ncs_buffer *b, size_t i, void *element)
{
    switch (lua_type(L, 2)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 2);
        lua_pushinteger(L, (lua_Integer)i + 1);
        ncs_lua_call_back(L, 1, 1);
        ncs_lua_element(L, lua_gettop(L), b->dtype, element, "value");
        lua_pop(L, 1);
        break;
    case LUA_TTABLE:
        lua_rawgeti(L, 2, (lua_Integer)i + 1);
        ncs_lua_element(L, lua_gettop(L), b->dtype, element, "value");
        lua_pop(L, 1);
        break;
    case LUA_TSTRING: random_element(&ncs_lua_rank(L)->fill_random, b->dtype, element); break;
    default: ncs_lua_element(L, 2, b->dtype, element, "value");
    }
}

/* So many elements, all equal to the number at 2. */
static void make_equal(lua_State *L, const struct ncs_buffer *b, size_t count, char *area)
{
    size_t have = ncs_buffer_element(b), bytes = count * have;
    ncs_lua_element(L, 2, b->dtype, area, "value");
    for (size_t more; have < bytes; have += more) {
        more = bytes - have < have ? bytes - have : have;
        memcpy(area + have, area, more);
    }
}

/* Waits for CUDA functions that a script sees as synchronous, but that only begin their work:
 * memset, copies within devices. */
static void fill_synchronize(lua_State *L)
{
    NCS_TRY(L, cudaStreamSynchronize, cudaStreamLegacy);
}

/* Fills by memset where it saves a copy: on a stream, or for more bytes than one stage holds. */
static bool fill_bytes(lua_State *L, const struct ncs_buffer *b, const struct ncs_stream *s)
{
    unsigned char element[8];
    size_t size = ncs_buffer_element(b);
    if (lua_type(L, 2) != LUA_TNUMBER || b->memory == NCS_MEMORY_PAGEABLE || (!s && b->count * size <= NCS_BUFFER_STAGE))
        return false;
    ncs_lua_element(L, 2, b->dtype, element, "value");
    for (size_t i = 1; i < size; i++)
        if (element[i] != element[0])
            return false;
    if (b->count && s) {
        NCS_TRY(L, cudaMemsetAsync, b->bytes, element[0], b->count * size, s->handle);
    } else if (b->count) {
        NCS_TRY(L, cudaMemset, b->bytes, element[0], b->count * size);
        fill_synchronize(L);
    }
    return true;
}

static void check_fill_value(lua_State *L, const struct ncs_buffer *b)
{
    int type = lua_type(L, 2);
    if (type == LUA_TSTRING && strcmp(lua_tostring(L, 2), "random") != 0)
        ncs_lua_wrong(L, 2, "value", "a number, a list, a function or \"random\"");
    if (type == LUA_TTABLE && lua_rawlen(L, 2) != b->count)
        ncs_lua_usage(L, "the list has %d value%s, the buffer %zu element%s", (int)lua_rawlen(L, 2),
                      lua_rawlen(L, 2) == 1 ? "" : "s", b->count, b->count == 1 ? "" : "s");
    if (type != LUA_TSTRING && type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TNUMBER)
        ncs_lua_wrong(L, 2, "value", "a number, a list, a function or \"random\"");
}

struct stream_option {
    int stream;        /* stack index; 0 = none */
    lua_Integer count; /* -1 = not given */
};

static const struct ncs_option stream_rows[] = {
    { "stream", NCS_OPTION_SLOT, offsetof(struct stream_option, stream) },
    { NULL, 0, 0 },
};

static const struct ncs_option copy_rows[] = {
    { "stream", NCS_OPTION_SLOT, offsetof(struct stream_option, stream) },
    { "count", NCS_OPTION_INTEGER, offsetof(struct stream_option, count) },
    { NULL, 0, 0 },
};

static const struct ncs_stream *option_stream(lua_State *L, const struct stream_option *o)
{
    return o->stream ? ncs_object_live(L, o->stream, NCS_CLASS_STREAM, "stream") : NULL;
}

int ncs_buffer_fill(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "fill", 2);
    struct stream_option o = { 0, -1 };
    check_fill_value(L, b);
    ncs_lua_options(L, 3, stream_rows, &o);
    const struct ncs_stream *s = option_stream(L, &o);
    size_t size = ncs_buffer_element(b), most = s ? b->count : NCS_BUFFER_STAGE / size;
    size_t chunk = b->count < most ? b->count : most;
    bool uniform = lua_type(L, 2) == LUA_TNUMBER;
    if (!fill_bytes(L, b, s)) {
        char *area = ncs_buffer_stage(L, chunk * size);
        for (size_t first = 0; first < b->count; first += chunk) {
            size_t n = b->count - first < chunk ? b->count - first : chunk;
            if (!uniform)
                for (size_t i = 0; i < n; i++)
                    make_element(L, b, first + i, area + i * size);
            else if (first == 0)
                make_equal(L, b, n, area);
            write_from(L, b, first, n, area, s);
        }
    }
    lua_settop(L, 1);
    return 1;
}

/* ---- copying ---- */

static struct ncs_buffer *other(lua_State *L, const struct ncs_buffer *b, const char *name)
{
    struct ncs_buffer *y = ncs_object_arg(L, 2, NCS_CLASS_BUFFER, name);
    ncs_buffer_check_live(L, y, name);
    if (y->dtype != b->dtype)
        ncs_lua_usage(L, "the buffers have different dtypes: %s and %s", ncs_dtype_name(b->dtype), ncs_dtype_name(y->dtype));
    return y;
}

int ncs_buffer_copy_from(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "copy_from", 2);
    struct ncs_buffer *from = other(L, b, "from");
    struct stream_option o = { 0, -1 };
    ncs_lua_options(L, 3, copy_rows, &o);
    const struct ncs_stream *s = option_stream(L, &o);
    size_t count = o.count < 0 ? from->count : (size_t)o.count;
    if (count > from->count || count > b->count)
        return ncs_lua_usage(L, "count %zu is more than the buffers hold: %zu to %zu elements", count, from->count, b->count);
    size_t bytes = count * ncs_buffer_element(b);
    if (bytes && s) {
        NCS_TRY_LENDING(L, ncs_buffer_range(b), ncs_buffer_range(from), cudaMemcpyAsync, b->bytes, from->bytes, bytes,
                        cudaMemcpyDefault, s->handle);
    } else if (bytes) {
        NCS_TRY_LENDING(L, ncs_buffer_range(b), ncs_buffer_range(from), cudaMemcpy, b->bytes, from->bytes, bytes,
                        cudaMemcpyDefault);
        if (b->memory <= NCS_MEMORY_NCCL && from->memory <= NCS_MEMORY_NCCL)
            fill_synchronize(L);
    }
    lua_settop(L, 1);
    return 1;
}

/* Stands for a kernel, in stream order. Without a stream it uses the legacy stream and waits. */
int ncs_buffer_add(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "add", 2);
    struct ncs_buffer *y = other(L, b, "y");
    struct stream_option o = { 0, -1 };
    ncs_lua_options(L, 3, stream_rows, &o);
    const struct ncs_stream *s = option_stream(L, &o);
    if (y->count != b->count)
        return ncs_lua_usage(L, "the buffers have %zu and %zu elements", b->count, y->count);
    cudaStream_t stream = s ? s->handle : cudaStreamLegacy;
    if (b->count)
        NCS_TRY(L, ncsAdd, b->bytes, y->bytes, b->count, (ncclDataType_t)b->dtype, stream);
    if (b->count && !s)
        NCS_TRY(L, cudaStreamSynchronize, stream);
    lua_settop(L, 1);
    return 1;
}
