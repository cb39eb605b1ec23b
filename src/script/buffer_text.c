/* Buffers as text: for tostring, dump and the prompt. */
#include "script/object.h"

#include <math.h>
#include <stdio.h>

#include "api/types.h"
#include "script/element.h"
#include "script/option.h"

#define SHOWN 8 /* elements that tostring shows */

/* A number in the shortest form that its type allows: 0.1 of float32 is 0.1. */
static void buffer_add_element(luaL_Buffer *out, int dtype, const void *element)
{
    char text[40];
    struct ncs_number v = ncs_element_read(dtype, element);
    if (v.whole)
        snprintf(text, sizeof text, "%lld", (long long)v.i);
    else
        snprintf(text, sizeof text, "%.*g", dtype == ncclFloat64 ? 15 : 7, v.d);
    luaL_addstring(out, text);
}

/* "float32[1024] {1, 1, 1, ...}" of the first n elements. */
static void push_text(lua_State *L, const struct ncs_buffer *b, const char *element, size_t n)
{
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    lua_pushfstring(L, "%s[%I] {", ncs_dtype_name(b->dtype), (LUAI_UACINT)b->count);
    luaL_addvalue(&out);
    for (size_t i = 0; i < n; i++) {
        if (i)
            luaL_addstring(&out, ", ");
        buffer_add_element(&out, b->dtype, element + i * ncs_buffer_element(b));
    }
    luaL_addstring(&out, b->count > n ? ", ...}" : "}");
    luaL_pushresult(&out);
}

static size_t shown_of(const struct ncs_buffer *b)
{
    return b->count < SHOWN ? b->count : SHOWN;
}

static int push_freed(lua_State *L, const struct ncs_buffer *b)
{
    lua_pushfstring(L, "%s[%I] (freed)", ncs_dtype_name(b->dtype), (LUAI_UACINT)b->count);
    return 1;
}

int ncs_buffer_text(lua_State *L)
{
    struct ncs_buffer *b = lua_touserdata(L, 1);
    char area[SHOWN * 8];
    ncs_lua_begin(L, "tostring", -1);
    if (!ncs_buffer_is_live(L, b))
        return push_freed(L, b);
    ncs_buffer_read(L, b, 0, shown_of(b), area);
    push_text(L, b, area, shown_of(b));
    return 1;
}

/* A summary for buffers with more elements than are shown: their range and mean. */
static void push_summary(lua_State *L, const struct ncs_buffer *b)
{
    double least = INFINITY, most = -INFINITY, sum = 0;
    for (size_t i = 0; i < b->count; i++) {
        double v = ncs_number_double(ncs_element_read(b->dtype, b->bytes + i * ncs_buffer_element(b)));
        least = v < least ? v : least;
        most = v > most ? v : most;
        sum += v;
    }
    char text[120];
    if (least == most)
        snprintf(text, sizeof text, " all %.7g", least);
    else
        snprintf(text, sizeof text, " min %.7g, max %.7g, mean %.7g", least, most, sum / (double)b->count);
    lua_pushstring(L, text);
}

void ncs_buffer_show(lua_State *L, const struct ncs_buffer *b)
{
    if (!ncs_buffer_is_live(L, b)) {
        push_freed(L, b);
        return;
    }
    push_text(L, b, b->bytes, shown_of(b));
    if (b->count <= SHOWN)
        return;
    push_summary(L, b);
    lua_concat(L, 2);
}

double ncs_buffer_peek(const struct ncs_buffer *b, size_t i)
{
    return ncs_number_double(ncs_element_read(b->dtype, b->bytes + i * ncs_buffer_element(b)));
}

/* All elements, 8 to a line, by print. */
int ncs_buffer_dump(lua_State *L)
{
    struct ncs_buffer *b = ncs_buffer_self(L, "dump", 1);
    ncs_lua_label(L, 2);
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    size_t size = ncs_buffer_element(b), chunk = NCS_BUFFER_STAGE / size;
    char *area = ncs_buffer_stage(L, (b->count < chunk ? b->count : chunk) * size);
    for (size_t at = 0; at < b->count; at += SHOWN) {
        size_t n = b->count - at < SHOWN ? b->count - at : SHOWN;
        if (at % chunk == 0)
            ncs_buffer_read(L, b, at, b->count - at < chunk ? b->count - at : chunk, area);
        char head[32];
        luaL_Buffer line;
        luaL_buffinit(L, &line);
        snprintf(head, sizeof head, "%6zu:", at + 1);
        luaL_addstring(&line, head);
        for (size_t i = 0; i < n; i++) {
            luaL_addstring(&line, " ");
            buffer_add_element(&line, b->dtype, area + (at % chunk + i) * size);
        }
        luaL_pushresult(&line);
        ncs_run_print(rank->run, rank->rank, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_settop(L, 1);
    return 1;
}
