/* Lua's libraries as scripts get them, put together from what is taken over as it is, what is guarded, and what is
 * the sandbox's own (script/sandbox.c). */
#include "script/guards.h"
#include "script/state.h"

#include <pthread.h>
#include <string.h>

#include <lualib.h>

#include "script/pattern.h"

/* Functions that are taken over from Lua unchanged. */
static const char *const base_names[] = { "error",  "getmetatable", "ipairs",   "rawequal", "rawget", "rawlen",
                                          "rawset", "select",       "tonumber", "type",     NULL };
static const char *const string_names[] = { "byte",    "char", "len",    "lower", "pack", "packsize",
                                            "reverse", "sub",  "unpack", "upper", NULL };
static const char *const table_names[] = { "pack", NULL };
static const char *const math_names[] = { "abs",  "acos", "asin", "atan", "ceil",       "cos",  "deg",        "exp",  "floor",
                                          "fmod", "huge", "log",  "max",  "maxinteger", "min",  "mininteger", "modf", "pi",
                                          "rad",  "sin",  "sqrt", "tan",  "tointeger",  "type", "ult",        NULL };
static const char *const utf8_names[] = { "char", "charpattern", "codepoint", "codes", NULL };
static const char *const coroutine_names[] = { "isyieldable", "running", "status", "yield", NULL };
static const char *const unsafe_os_names[] = { "execute", "getenv", "remove", "rename", "setlocale", "tmpname", NULL };

/* Fills the table at `to`, which is on top, with functions of the table at `from`, unchanged and guarded (a guard
 * gets Lua's own function as upvalue 1), and with the sandbox's own. */
static void put_fields(lua_State *L, int from, int to, const char *const *names, const luaL_Reg *guards, const luaL_Reg *own)
{
    for (; *names; names++) {
        lua_getfield(L, from, *names);
        lua_setfield(L, to, *names);
    }
    for (; guards && guards->name; guards++) {
        lua_getfield(L, from, guards->name);
        lua_pushcclosure(L, guards->func, 1);
        lua_setfield(L, to, guards->name);
    }
    if (own)
        luaL_setfuncs(L, own, 0);
}

/* Opens a library of Lua and an empty table for the permitted part; leaves both on the stack. */
static int open_library(lua_State *L, lua_CFunction open)
{
    lua_pushcfunction(L, open);
    lua_pushliteral(L, "");
    lua_call(L, 1, 1);
    lua_newtable(L);
    return lua_gettop(L) - 1;
}

/* Registers the table on top where Lua looks up the name of a function that was called without one,
 * as by pcall. Scripts never see it. */
static void announce(lua_State *L, const char *name)
{
    luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
    lua_pushvalue(L, -2);
    lua_setfield(L, -2, name);
    lua_pop(L, 1);
}

/* Replaces the real table on top by its locked one. What Lua's libraries lack is nil, as programs ask for it. */
static void lock_library(lua_State *L, const char *name)
{
    announce(L, name);
    ncs_lua_lock(L, lua_gettop(L), name);
    lua_pushnil(L);
    lua_setmetatable(L, -3);
    lua_remove(L, -2);
}

/* Pushes a library of unchanged, guarded and own functions. */
static void push_library(lua_State *L, const char *name, lua_CFunction open, const char *const *names, const luaL_Reg *guards,
                         const luaL_Reg *own)
{
    int from = open_library(L, open);
    put_fields(L, from, from + 1, names, guards, own);
    lock_library(L, name);
    lua_remove(L, from);
}

/* ---- what is there from the start ----
 *
 * Every rank has its own tables, but Lua's functions are the same in all: the process asks Lua for them once. */

static const char *const text_events[] = { "__add", "__div", "__idiv", "__mod", "__mul", "__pow", "__sub", "__unm", NULL };

/* The functions of one of Lua's tables: taken over unchanged, and wrapped by guards, in the order of the rows. */
struct originals {
    const char *const *names;
    const luaL_Reg *guards; /* NULL = none */
    lua_CFunction function[16], guarded[4];
};

static struct originals base = { .names = base_names, .guards = ncs_base_guards };
static struct originals texts = { .names = string_names, .guards = ncs_string_guards };
static struct originals events = { .names = text_events };
static bool originals_known;

static lua_CFunction original(lua_State *L, const char *name)
{
    lua_getfield(L, -1, name);
    lua_CFunction function = lua_tocfunction(L, -1);
    lua_pop(L, 1);
    return function;
}

/* From the table on top. */
static void note_originals(lua_State *L, struct originals *o)
{
    for (size_t i = 0; o->names[i]; i++)
        o->function[i] = original(L, o->names[i]);
    for (size_t i = 0; o->guards && o->guards[i].name; i++)
        o->guarded[i] = original(L, o->guards[i].name);
}

static int ask_originals(lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    note_originals(L, &base);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    note_originals(L, &texts);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    note_originals(L, &events);
    return 0;
}

static void find_originals(void)
{
    lua_State *L = luaL_newstate();
    if (!L)
        return;
    lua_pushcfunction(L, ask_originals);
    originals_known = lua_pcall(L, 0, 0, 0) == LUA_OK;
    lua_close(L);
}

/* Into the table on top. A guard gets the function of its name as upvalue 1. */
static void put_originals(lua_State *L, const struct originals *o)
{
    for (size_t i = 0; o->names[i]; i++) {
        lua_pushcfunction(L, o->function[i]);
        lua_setfield(L, -2, o->names[i]);
    }
    for (size_t i = 0; o->guards && o->guards[i].name; i++) {
        lua_pushcfunction(L, o->guarded[i]);
        lua_pushcclosure(L, o->guards[i].func, 1);
        lua_setfield(L, -2, o->guards[i].name);
    }
}

/* The methods of texts are the same functions. */
static void string_library(lua_State *L, int globals)
{
    lua_createtable(L, 0, 32);
    put_originals(L, &texts);
    ncs_lua_search(L);
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 16);
    put_originals(L, &events);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lock_library(L, "string");
    lua_setfield(L, globals, "string");
}

void ncs_lua_sandbox(lua_State *L)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_originals);
    if (!originals_known)
        luaL_error(L, "no memory for Lua's libraries");
    lua_createtable(L, 0, 64);
    int globals = lua_gettop(L);
    put_originals(L, &base);
    luaL_setfuncs(L, ncs_base_own, 0);
    lua_pushliteral(L, LUA_VERSION);
    lua_setfield(L, globals, "_VERSION");
    announce(L, LUA_GNAME);
    string_library(L, globals);
}

/* ---- what is made when a script first names it ---- */

void ncs_lua_table(lua_State *L)
{
    push_library(L, "table", luaopen_table, table_names, ncs_table_guards, NULL);
}

void ncs_lua_utf8(lua_State *L)
{
    push_library(L, "utf8", luaopen_utf8, utf8_names, ncs_utf8_guards, NULL);
}

void ncs_lua_coroutine(lua_State *L)
{
    push_library(L, "coroutine", luaopen_coroutine, coroutine_names, ncs_coroutine_guards, ncs_coroutine_own);
}

void ncs_lua_math(lua_State *L)
{
    push_library(L, "math", luaopen_math, math_names, NULL, ncs_math_own);
}

void ncs_lua_os(lua_State *L)
{
    int from = open_library(L, luaopen_os), to = from + 1;
    static const char *const names[] = { "difftime", NULL };
    put_fields(L, from, to, names, ncs_os_guards, ncs_os_own);
    if (ncs_lua_rank(L)->script->unsafe)
        put_fields(L, from, to, unsafe_os_names, NULL, ncs_os_unsafe);
    announce(L, "os");
    ncs_lua_lock(L, to, "os");
    lua_replace(L, from);
    lua_settop(L, from);
}

void ncs_lua_debug(lua_State *L)
{
    int from = open_library(L, luaopen_debug);
    lua_getfield(L, from, "traceback");
    lua_setfield(L, from + 1, "traceback");
    lua_remove(L, from);
}

void ncs_lua_io(lua_State *L)
{
    open_library(L, luaopen_io);
    lua_pop(L, 1);
}

/* ---- states that are no rank's ---- */

/* Wraps functions of the library in the global; a guard has Lua's own function as upvalue 1. */
static void guard_global(lua_State *L, const char *library, const luaL_Reg *guards, const char *only)
{
    lua_getglobal(L, library);
    for (size_t i = 0; guards[i].name; i++) {
        if (only && strcmp(guards[i].name, only) != 0)
            continue;
        lua_getfield(L, -1, guards[i].name);
        lua_pushcclosure(L, guards[i].func, 1);
        lua_setfield(L, -2, guards[i].name);
    }
    lua_pop(L, 1);
}

void ncs_lua_guard(lua_State *L)
{
    guard_global(L, "string", ncs_string_guards, "rep"); /* format's guard orders what ranks print */
    guard_global(L, "table", ncs_table_guards, NULL);
    guard_global(L, "utf8", ncs_utf8_guards, NULL);
    lua_getglobal(L, "string");
    ncs_lua_search(L);
    lua_pop(L, 1);
}
