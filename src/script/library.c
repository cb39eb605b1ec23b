/* Lua's libraries as scripts get them, put together from what is taken over as it is, what is guarded, and what is
 * the sandbox's own (script/sandbox.c). */
#include "script/guards.h"
#include "script/state.h"

#include <pthread.h>
#include <string.h>

#include <lualib.h>

#include "script/pattern.h"

/* Functions that are taken over from Lua unchanged. */
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
 * Lua's functions are the same in all states: the process asks Lua for them once. Opening its libraries in each state would
 * leave garbage in it. */

luaL_Reg ncs_base_rows[] = { { "error", NULL },    { "getmetatable", NULL }, { "ipairs", NULL },
                             { "rawequal", NULL }, { "rawget", NULL },       { "rawlen", NULL },
                             { "select", NULL },   { "tonumber", NULL },     { "type", NULL },
                             { NULL, NULL } };
static luaL_Reg text_rows[] = { { "byte", NULL },   { "char", NULL },     { "len", NULL },     { "lower", NULL },
                                { "pack", NULL },   { "packsize", NULL }, { "reverse", NULL }, { "sub", NULL },
                                { "unpack", NULL }, { "upper", NULL },    { NULL, NULL } };
static luaL_Reg text_events[] = { { "__add", NULL }, { "__div", NULL }, { "__idiv", NULL }, { "__mod", NULL }, { "__mul", NULL },
                                  { "__pow", NULL }, { "__sub", NULL }, { "__unm", NULL },  { NULL, NULL } };
static luaL_Reg base_guarded[] = { { "collectgarbage", NULL }, { "rawset", NULL }, { "setmetatable", NULL }, { NULL, NULL } };
static luaL_Reg text_guarded[] = { { "format", NULL }, { "rep", NULL }, { NULL, NULL } };
static bool originals_known;

/* From the table on top. */
static void note_originals(lua_State *L, luaL_Reg *rows)
{
    for (; rows->name; rows++) {
        lua_getfield(L, -1, rows->name);
        rows->func = lua_tocfunction(L, -1);
        lua_pop(L, 1);
    }
}

static int ask_originals(lua_State *L)
{
    luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
    note_originals(L, ncs_base_rows);
    note_originals(L, base_guarded);
    luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
    note_originals(L, text_rows);
    note_originals(L, text_guarded);
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    note_originals(L, text_events);
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
static void put_guards(lua_State *L, const luaL_Reg *originals, const luaL_Reg *guards)
{
    for (; guards->name; guards++, originals++) {
        lua_pushcfunction(L, originals->func);
        lua_pushcclosure(L, guards->func, 1);
        lua_setfield(L, -2, guards->name);
    }
}

/* Pushes the library of texts, whose functions are their methods. */
static void library_push_texts(lua_State *L)
{
    lua_createtable(L, 0, 16);
    luaL_setfuncs(L, text_rows, 0);
    put_guards(L, text_guarded, ncs_string_guards);
    ncs_lua_search(L);
    lua_pushliteral(L, "");
    lua_createtable(L, 0, 10);
    luaL_setfuncs(L, text_events, 0);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    lock_library(L, "string");
}

void ncs_lua_sandbox(lua_State *L)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_originals);
    if (!originals_known)
        luaL_error(L, "no memory for Lua's libraries");
    lua_createtable(L, 0, 16);
    put_guards(L, base_guarded, ncs_base_guards);
    announce(L, LUA_GNAME);
    library_push_texts(L);
    lua_setfield(L, -2, "string");
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
