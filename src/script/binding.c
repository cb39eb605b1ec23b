/* Helpers of all bindings: they check arguments, lock libraries, and raise messages in the script's
 * own terms. */
#include "script/object.h"
#include "script/ready.h"
#include "script/state.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/near.h"

#define MOST_INTS 65536 /* of a list */
#define MOST_TEXT 65536 /* bytes of a name, a key, a label, a reason */

/* This field of the metatable holds the name of a locked library. */
#define LIBRARY "ncs.module"

const char *ncs_lua_library(lua_State *L, int arg)
{
    const char *name = NULL;
    if (lua_type(L, arg) == LUA_TTABLE && lua_getmetatable(L, arg)) {
        lua_pushliteral(L, LIBRARY);
        if (lua_rawget(L, -2) == LUA_TSTRING)
            name = lua_tostring(L, -1); /* anchored in the metatable */
        lua_pop(L, 2);
    }
    return name;
}

struct ncs_lua_thread *ncs_lua_begin(lua_State *L, const char *what, int max)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    ncs_lua_no_call(L);
    t->what = what;
    ncs_lua_check_cancel(L);
    luaL_checkstack(L, 24, what);
    const char *library = ncs_lua_library(L, 1);
    if (library)
        ncs_lua_usage(L, "%s takes a dot, not a colon: its functions are called as %s%s%s(...)", library,
                      strchr(what, '.') ? "" : library, strchr(what, '.') ? "" : ".", what);
    if (max >= 0 && lua_gettop(L) > max)
        ncs_lua_usage(L, "%d argument%s, at most %d %s expected", lua_gettop(L), lua_gettop(L) == 1 ? "" : "s", max,
                      max == 1 ? "is" : "are");
    return t;
}

void ncs_lua_no_call(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    t->what = t->through = NULL;
    t->about = NULL;
    if (t->local) {
        t->local->label = NULL;
        t->local->unverified = false;
    }
}

const char *ncs_lua_type(lua_State *L, int arg)
{
    if (lua_type(L, arg) == LUA_TUSERDATA && luaL_getmetafield(L, arg, "__name") == LUA_TSTRING) {
        const char *name = lua_tostring(L, -1);
        lua_pop(L, 1);
        return name;
    }
    return luaL_typename(L, arg);
}

int ncs_lua_wrong(lua_State *L, int arg, const char *name, const char *wanted)
{
    if (lua_type(L, arg) == LUA_TNUMBER || lua_type(L, arg) == LUA_TSTRING) {
        bool text = lua_type(L, arg) == LUA_TSTRING;
        lua_pushvalue(L, arg);
        return ncs_lua_usage(L, "%s must be %s, got %s%.60s%s", name, wanted, text ? "\"" : "", lua_tostring(L, -1),
                             text ? "\"" : "");
    }
    if (lua_type(L, arg) == LUA_TBOOLEAN)
        return ncs_lua_usage(L, "%s must be %s, got %s", name, wanted, lua_toboolean(L, arg) ? "true" : "false");
    return ncs_lua_usage(L, "%s must be %s, got %s", name, wanted,
                         lua_type(L, arg) == LUA_TTABLE ? "a table" : ncs_lua_type(L, arg));
}

bool ncs_lua_is_whole(lua_State *L, int arg, lua_Integer *value)
{
    int ok = 0;
    if (lua_type(L, arg) == LUA_TNUMBER)
        *value = lua_tointegerx(L, arg, &ok);
    return ok;
}

lua_Integer ncs_lua_integer(lua_State *L, int arg, const char *name)
{
    lua_Integer v = 0;
    if (!ncs_lua_is_whole(L, arg, &v))
        ncs_lua_wrong(L, arg, name, "a whole number");
    return v;
}

int ncs_lua_int(lua_State *L, int arg, const char *name)
{
    lua_Integer v = ncs_lua_integer(L, arg, name);
    if (v < INT_MIN || v > INT_MAX)
        ncs_lua_wrong(L, arg, name, "within 32 bits");
    return (int)v;
}

size_t ncs_lua_count(lua_State *L, int arg, const char *name)
{
    lua_Integer v = ncs_lua_integer(L, arg, name);
    if (v < 0)
        ncs_lua_wrong(L, arg, name, "0 or more");
    return (size_t)v;
}

double ncs_lua_number(lua_State *L, int arg, const char *name)
{
    if (lua_type(L, arg) != LUA_TNUMBER)
        ncs_lua_wrong(L, arg, name, "a number");
    return lua_tonumber(L, arg);
}

int64_t ncs_lua_seconds(lua_State *L, int arg, const char *name)
{
    double seconds = ncs_lua_number(L, arg, name);
    if (!(seconds >= 0))
        ncs_lua_wrong(L, arg, name, "0 or more");
    if (seconds >= 9e9)
        ncs_lua_wrong(L, arg, name, "less than 9e9");
    return (int64_t)llround(seconds * 1e9);
}

const char *ncs_lua_string(lua_State *L, int arg, const char *name)
{
    if (lua_type(L, arg) != LUA_TSTRING)
        ncs_lua_wrong(L, arg, name, "a text");
    if (lua_rawlen(L, arg) > MOST_TEXT)
        ncs_lua_usage(L, "%s has %zu bytes, expected %d or fewer", name, (size_t)lua_rawlen(L, arg), MOST_TEXT);
    return ncs_lua_whole_text(L, arg);
}

size_t ncs_lua_list(lua_State *L, int arg, const char *name, const char *wanted)
{
    if (lua_type(L, arg) != LUA_TTABLE)
        ncs_lua_wrong(L, arg, name, wanted);
    size_t n = lua_rawlen(L, arg);
    for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1))
        if (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1 || lua_tointeger(L, -2) > (lua_Integer)n)
            ncs_lua_usage(L, "%s must be %s: the table has a key '%.60s'", name, wanted, ncs_lua_text(L, lua_gettop(L) - 1));
    return n;
}

int *ncs_lua_ints(lua_State *L, int arg, const char *name, const char *wanted, int *count)
{
    char item[40];
    size_t n = ncs_lua_list(L, arg, name, wanted);
    snprintf(item, sizeof item, "an entry of %s", name);
    if (n > MOST_INTS)
        ncs_lua_usage(L, "%s has %zu entries, more than %d", name, n, MOST_INTS);
    int *list = lua_newuserdatauv(L, (n + 1) * sizeof *list, 0);
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, arg, (lua_Integer)i + 1);
        list[i] = ncs_lua_int(L, lua_gettop(L), item);
        lua_pop(L, 1);
    }
    *count = (int)n;
    return list;
}

int ncs_lua_dtype(lua_State *L, int arg)
{
    const char *name = ncs_lua_string(L, arg, "dtype");
    int dtype = ncs_dtype_from_name(name);
    char hint[NCS_NEAR_ROOM];
    if (dtype < 0)
        ncs_lua_usage(L, "no dtype \"%.60s\"%s", name,
                      ncs_lua_hint(hint, '"', name, ncs_dtype_names, 0, ", expected one such as \"float32\""));
    return dtype;
}

/* ---- locked libraries: upvalue 1 is the real table, 2 the name or nil for the globals ---- */

/* A line of a session has made the name at 2 local. */
static bool binding_is_declared(lua_State *L)
{
    if (lua_getfield(L, LUA_REGISTRYINDEX, NCS_DECLARED) != LUA_TTABLE)
        return false;
    lua_pushvalue(L, 2);
    return lua_rawget(L, -2) != LUA_TNIL;
}

static int missing(lua_State *L)
{
    const char *owner = lua_tostring(L, lua_upvalueindex(2));
    int table = lua_upvalueindex(1);
    lua_pushvalue(L, table);
    table = lua_gettop(L);
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *word = lua_tostring(L, 2);
    if (!owner && ncs_ready_make(L, table, word))
        return 1;
    if (!owner && strcmp(word, "world") == 0 && ncs_lua_rank(L)->run)
        return 0; /* world = false */
    if (!owner && binding_is_declared(L))
        return 0;
    if (!owner) {
        ncs_ready_all(L);
        return ncs_lua_unknown(L, "global", NULL, word, &table, 1);
    }
    return ncs_lua_unknown(L, "field", owner, word, &table, 1);
}

static int refuse_write(lua_State *L)
{
    const char *owner = lua_tostring(L, lua_upvalueindex(2));
    const char *word = ncs_lua_text(L, 2);
    ncs_lua_no_call(L);
    if (owner)
        return ncs_lua_usage(L, "%s.%.60s cannot be assigned", owner, word);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushvalue(L, 2);
    if (lua_rawget(L, -2) != LUA_TNIL || ncs_ready_make(L, lua_gettop(L) - 1, word))
        return ncs_lua_usage(L, "'%.60s' is ready-made and cannot be assigned", word);
    return ncs_lua_usage(L, "'%.60s' would be a new global: write local %.60s = ...", word, word);
}

void ncs_lua_lock(lua_State *L, int index, const char *name)
{
    lua_createtable(L, 0, 1); /* metatable of the real table: unknown names */
    lua_pushvalue(L, index);
    lua_pushstring(L, name);
    lua_pushcclosure(L, missing, 2);
    lua_setfield(L, -2, "__index");
    lua_setmetatable(L, index);

    lua_newtable(L); /* the proxy */
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, index);
    lua_setfield(L, -2, "__index");
    lua_pushvalue(L, index);
    lua_pushstring(L, name);
    lua_pushcclosure(L, refuse_write, 2);
    lua_setfield(L, -2, "__newindex");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    if (name) {
        lua_pushstring(L, name);
        lua_setfield(L, -2, LIBRARY);
    }
    lua_setmetatable(L, -2);
}
