/* Order and identity without addresses: pairs and next have a defined order, tostring and formats
 * use serial numbers. A table or function gets its number when it is first needed. */
#include "script/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "script/object.h"

#define SERIALS "ncs.serials"

static lua_Integer order_serial(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    /* Every userdata is an object of ours with a serial; only --unsafe has files. */
    if (lua_type(L, index) == LUA_TUSERDATA && !ncs_lua_rank(L)->script->unsafe)
        return ((struct ncs_object *)lua_touserdata(L, index))->serial;
    if (luaL_getsubtable(L, LUA_REGISTRYINDEX, SERIALS) == 0) {
        lua_createtable(L, 0, 1);
        lua_pushliteral(L, "k");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
    }
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) != LUA_TNUMBER) {
        lua_pushvalue(L, index);
        lua_pushinteger(L, ++ncs_lua_rank(L)->named);
        lua_pushvalue(L, -1);
        lua_replace(L, -4); /* replaces the nil above */
        lua_rawset(L, -4);
    }
    lua_Integer serial = lua_tointeger(L, -1);
    lua_pop(L, 2);
    return serial;
}

const char *ncs_lua_text(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    if (luaL_callmeta(L, index, "__tostring")) {
        if (!lua_isstring(L, -1))
            luaL_error(L, "'__tostring' must return a string");
        return lua_tostring(L, -1);
    }
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
    case LUA_TSTRING: lua_pushvalue(L, index); break;
    case LUA_TBOOLEAN: lua_pushstring(L, lua_toboolean(L, index) ? "true" : "false"); break;
    case LUA_TNIL: lua_pushliteral(L, "nil"); break;
    default: {
        const char *kind = luaL_typename(L, index);
        int pushed = luaL_getmetafield(L, index, "__name") != LUA_TNIL;
        if (pushed && lua_type(L, -1) == LUA_TSTRING)
            kind = lua_tostring(L, -1);
        lua_pushfstring(L, "%s: %I", kind, (LUAI_UACINT)order_serial(L, index));
        if (pushed)
            lua_remove(L, -2);
    }
    }
    return lua_tostring(L, -1);
}

const char *ncs_lua_whole_text(lua_State *L, int index)
{
    size_t bytes;
    const char *text = lua_tolstring(L, index, &bytes);
    if (!text || strlen(text) == bytes)
        return text;
    luaL_Buffer b;
    index = lua_absindex(L, index);
    luaL_buffinit(L, &b);
    for (size_t i = 0; i < bytes; i++)
        if (text[i])
            luaL_addchar(&b, text[i]);
        else
            luaL_addstring(&b, "\\x00");
    luaL_pushresult(&b);
    lua_replace(L, index);
    return lua_tostring(L, index);
}

int ncs_lua_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    ncs_lua_text(L, 1);
    return 1;
}

/* ---- the order of keys: numbers, texts, booleans, the rest by serial ---- */

struct key {
    int at; /* in the list of keys */
    int rank;
    lua_Number number;
    const char *text;
    size_t bytes;
    lua_Integer serial;
};

static int order_compare(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->text) {
        size_t n = x->bytes < y->bytes ? x->bytes : y->bytes;
        int order = memcmp(x->text, y->text, n);
        return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
    }
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

static struct key order_describe(lua_State *L, int index, int at)
{
    struct key k = { .at = at };
    switch (lua_type(L, index)) {
    case LUA_TNUMBER:
        k.rank = lua_isinteger(L, index) ? 0 : 1;
        k.serial = lua_isinteger(L, index) ? lua_tointeger(L, index) : 0;
        k.number = k.rank ? lua_tonumber(L, index) : 0;
        break;
    case LUA_TSTRING:
        k.rank = 2;
        k.text = lua_tolstring(L, index, &k.bytes);
        break;
    case LUA_TBOOLEAN:
        k.rank = 3;
        k.serial = lua_toboolean(L, index);
        break;
    default: /* objects and other values are numbered apart */
        k.rank = lua_type(L, index) == LUA_TUSERDATA ? 4 : 5;
        k.serial = order_serial(L, index);
    }
    return k;
}

lua_Integer ncs_lua_keys(lua_State *L, int table)
{
    lua_Integer length = (lua_Integer)lua_rawlen(L, table), count = 0;
    bool plain = true;
    table = lua_absindex(L, table);
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1), count++)
        plain = plain && lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length;
    if (plain) {
        lua_pushnil(L);
        return length;
    }
    struct key *keys = lua_newuserdatauv(L, (size_t)count * sizeof *keys, 0);
    lua_createtable(L, (int)count, 0);
    int list = lua_gettop(L), at = 0;
    for (lua_pushnil(L); lua_next(L, table) && at < count; lua_pop(L, 1)) {
        keys[at] = order_describe(L, -2, at + 1);
        lua_pushvalue(L, -2);
        lua_rawseti(L, list, ++at);
    }
    lua_settop(L, list);
    qsort(keys, (size_t)at, sizeof *keys, order_compare);
    lua_createtable(L, at, 0);
    for (int i = 0; i < at; i++) {
        lua_rawgeti(L, list, keys[i].at);
        lua_rawseti(L, -2, i + 1);
    }
    lua_replace(L, list - 1);
    lua_settop(L, list - 1);
    return at;
}

void ncs_lua_key(lua_State *L, int list, lua_Integer i)
{
    if (lua_isnil(L, list))
        lua_pushinteger(L, i);
    else
        lua_rawgeti(L, list, i);
}

/* Upvalues: the keys in order (nil: 1..n), their number, the position. */
static int next_pair(lua_State *L)
{
    lua_Integer count = lua_tointeger(L, lua_upvalueindex(2));
    lua_Integer at = lua_tointeger(L, lua_upvalueindex(3));
    lua_settop(L, 1);
    while (at < count) {
        ncs_lua_key(L, lua_upvalueindex(1), ++at);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, 1) != LUA_TNIL) {
            lua_pushinteger(L, at);
            lua_replace(L, lua_upvalueindex(3));
            return 2;
        }
        lua_settop(L, 1);
    }
    lua_pushnil(L);
    return 1;
}

int ncs_lua_pairs(lua_State *L)
{
    luaL_checkany(L, 1);
    if (luaL_getmetafield(L, 1, "__pairs") != LUA_TNIL) {
        lua_pushvalue(L, 1);
        lua_call(L, 1, 3);
        return 3;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 1);
    lua_pushinteger(L, ncs_lua_keys(L, 1));
    lua_pushinteger(L, 0);
    lua_pushcclosure(L, next_pair, 3);
    lua_pushvalue(L, 1);
    lua_pushnil(L);
    return 3;
}

int ncs_lua_next(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    lua_settop(L, 2);
    struct key best = { .at = 0 }, after = { .rank = -1 };
    if (!lua_isnil(L, 2)) {
        lua_pushvalue(L, 2);
        after = order_describe(L, 2, 0);
        if (after.rank == 0) { /* the usual case: a list */
            lua_Integer follower = (lua_Integer)((lua_Unsigned)after.serial + 1);
            lua_pushinteger(L, follower);
            if (lua_rawgeti(L, 1, follower) != LUA_TNIL)
                return 2;
        }
    }
    lua_settop(L, 2);
    lua_pushnil(L); /* 3: the best key */
    for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
        struct key k = order_describe(L, -2, 1);
        if (order_compare(&k, &after) > 0 && (!best.at || order_compare(&k, &best) < 0)) {
            best = k;
            lua_pushvalue(L, -2);
            lua_replace(L, 3);
        }
    }
    if (!best.at) {
        lua_pushnil(L);
        return 1;
    }
    lua_settop(L, 3);
    lua_pushvalue(L, 3);
    lua_rawget(L, 1);
    return 2;
}

/* ---- string.format: %s and %p print a text instead of an address ---- */

int ncs_lua_format(lua_State *L)
{
    size_t bytes;
    const char *fmt = luaL_checklstring(L, 1, &bytes), *end = fmt + bytes;
    int top = lua_gettop(L), arg = 1;
    luaL_Buffer b;
    luaL_checkstack(L, top + 8, "too many arguments");
    for (int i = 1; i <= top; i++) /* originals below, arguments of the call above */
        lua_pushvalue(L, i);
    luaL_buffinit(L, &b);
    for (const char *c = fmt; c < end; c++) {
        luaL_addchar(&b, *c);
        if (*c != '%')
            continue;
        for (c++; c < end && strchr("-+ #0123456789.", *c) && *c; c++)
            luaL_addchar(&b, *c);
        if (c >= end)
            break;
        luaL_addchar(&b, *c == 'p' ? 's' : *c);
        if (*c == '%')
            continue;
        if (++arg > top || (*c != 's' && *c != 'p'))
            continue;
        int type = lua_type(L, arg);
        if (type != LUA_TSTRING && type != LUA_TNUMBER) {
            /* The luaL_Buffer may occupy the top of the stack, so replace below it. */
            lua_pushvalue(L, arg);
            ncs_lua_text(L, -1);
            lua_replace(L, top + arg);
            lua_pop(L, 1);
        }
    }
    luaL_pushresult(&b);
    lua_replace(L, top + 1);
    for (int i = 1; i <= top; i++)
        lua_copy(L, top + i, i);
    lua_settop(L, top);
    return lua_tocfunction(L, lua_upvalueindex(1))(L); /* in this frame, whose name its errors give */
}
