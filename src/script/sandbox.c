/* Lua's own libraries for scripts: no files, no processes, no bytecode, no finalisers; the
 * machine's time, random numbers from the seed, and limits where one call could run for ever. A
 * guard against mistakes and foreign scenarios, not a security boundary. */
#include "driver/plan.h"
#include "script/pattern.h"
#include "script/state.h"

#include <string.h>
#include <time.h>

#include <lualib.h>

#define TEXT_LIMIT ((size_t)256 << 20)    /* bytes of string.rep's result */
#define ELEMENTS_LIMIT 100000000          /* of a table, for one call */

/* Functions that are taken over from Lua unchanged. */
static const char *const base_names[] = {
    "error", "getmetatable", "ipairs", "rawequal", "rawget", "rawlen", "rawset", "select",
    "tonumber", "type", NULL };
static const char *const string_names[] = {
    "byte", "char", "len", "lower", "pack", "packsize", "reverse", "sub", "unpack", "upper", NULL };
static const char *const table_names[] = {
    "pack", NULL };
static const char *const math_names[] = {
    "abs", "acos", "asin", "atan", "ceil", "cos", "deg", "exp", "floor", "fmod", "huge", "log",
    "max", "maxinteger", "min", "mininteger", "modf", "pi", "rad", "sin", "sqrt", "tan",
    "tointeger", "type", "ult", NULL };
static const char *const utf8_names[] = {
    "char", "charpattern", "codepoint", "codes", NULL };
static const char *const coroutine_names[] = {
    "close", "isyieldable", "running", "status", "yield", NULL };
static const char *const unsafe_os_names[] = {
    "execute", "getenv", "remove", "rename", "setlocale", "tmpname", NULL };

/* ---- limits ---- */

static int call_original(lua_State *L)
{
    return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

static int guarded_rep(lua_State *L)
{
    size_t text, separator = 0;
    luaL_checklstring(L, 1, &text);
    lua_Integer n = luaL_checkinteger(L, 2);
    luaL_optlstring(L, 3, "", &separator);
    if (n > 0 && text + separator == 0) {
        lua_pushliteral(L, "");
        return 1;
    }
    if (n > 0 && (lua_Unsigned)n > TEXT_LIMIT / (text + separator))
        return luaL_error(L, "string.rep: the result would be longer than 256 MiB");
    return call_original(L);
}

static int guarded_move(lua_State *L)
{
    lua_Integer from = luaL_checkinteger(L, 2), to = luaL_checkinteger(L, 3);
    if (to > from && (lua_Unsigned)to - (lua_Unsigned)from > ELEMENTS_LIMIT)
        return luaL_error(L, "table.move: more than %d elements", ELEMENTS_LIMIT);
    ncs_heap_charge(L, to > from ? (uint64_t)(to - from) : 0);
    return call_original(L);
}

/* Guards functions that go through a table, because its metatable may return any length. For concat
 * and unpack, `place` is the argument with the first index. */
static int go_through(lua_State *L, int place)
{
    lua_Integer elements = 0;
    if (lua_type(L, 1) == LUA_TTABLE) {
        elements = luaL_len(L, 1);
        if (place && !lua_isnoneornil(L, place + 1))
            elements = luaL_checkinteger(L, place + 1) - luaL_optinteger(L, place, 1);
    }
    if (elements > ELEMENTS_LIMIT)
        return luaL_error(L, "more than %d elements of a table", ELEMENTS_LIMIT);
    ncs_heap_charge(L, elements > 0 ? (uint64_t)elements : 0);
    return call_original(L);
}

static int guarded_concat(lua_State *L)
{
    return go_through(L, 3);
}

static int guarded_unpack(lua_State *L)
{
    return go_through(L, 2);
}

static int guarded_sort(lua_State *L)
{
    return go_through(L, 0);
}

/* At the end of a table nothing is moved. */
static int guarded_insert(lua_State *L)
{
    return lua_gettop(L) > 2 ? go_through(L, 0) : call_original(L);
}

static int guarded_remove(lua_State *L)
{
    return lua_gettop(L) > 1 ? go_through(L, 0) : call_original(L);
}

/* Guards functions that read a whole text but return little. */
static int guarded_text(lua_State *L)
{
    ncs_heap_charge(L, lua_type(L, 1) == LUA_TSTRING ? lua_rawlen(L, 1) / 4 : 0);
    return call_original(L);
}

static int guarded_setmetatable(lua_State *L)
{
    if (lua_type(L, 2) == LUA_TTABLE) {
        lua_pushliteral(L, "__gc");
        if (lua_rawget(L, 2) != LUA_TNIL)
            return luaL_error(L, "setmetatable: scripts have no __gc; write local x <close> = ...");
        lua_pop(L, 1);
    }
    return call_original(L);
}

static int guarded_rawset(lua_State *L)
{
    ncs_lua_environment(L);
    if (lua_rawequal(L, 1, -1))
        return luaL_error(L, "rawset: globals cannot be assigned");
    lua_pop(L, 1);
    if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL && !lua_toboolean(L, -1))
        return luaL_error(L, "rawset: this table is locked");
    lua_settop(L, 3);
    return call_original(L);
}

static int guarded_collect(lua_State *L)
{
    static const char *const options[] = { "collect", "count", "step", NULL };
    luaL_checkoption(L, 1, "collect", options);
    ncs_heap_charge(L, (uint64_t)lua_gc(L, LUA_GCCOUNT) * 64); /* KiB */
    return call_original(L);
}

/* A failed assertion is a failed expectation, unless it carries a value of the script. */
static int script_assert(lua_State *L)
{
    luaL_checkany(L, 1);
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    bool unknown = rank->planned && ncs_driver_plan_first(rank->rank) != 0;
    if (lua_toboolean(L, 1) || unknown)
        return lua_gettop(L);
    lua_remove(L, 1);
    if (lua_gettop(L) > 0 && lua_type(L, 1) != LUA_TSTRING && !lua_isnil(L, 1)) {
        lua_settop(L, 1);
        return lua_error(L);
    }
    const char *text = lua_gettop(L) > 0 && lua_isstring(L, 1) ? ncs_lua_whole_text(L, 1)
                                                               : "assertion failed!";
    ncs_lua_no_call(L);
    return ncs_lua_raise(L, &(struct ncs_lua_error){ .kind = "expect", .text = text });
}

/* ---- print ---- */

static int script_print(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    struct ncs_lua_rank *rank = t->rank;
    int n = lua_gettop(L);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    for (int i = 1; i <= n; i++) {
        if (i > 1)
            luaL_addchar(&b, '\t');
        ncs_lua_text(L, i);
        luaL_addvalue(&b);
    }
    luaL_pushresult(&b);
    t->running = L;
    if (rank->run)
        ncs_run_print(rank->run, rank->rank, ncs_lua_whole_text(L, -1));
    return 0;
}

/* ---- random numbers ---- */

static int random_number(lua_State *L)
{
    struct ncs_random *r = &ncs_lua_rank(L)->random;
    lua_Integer low = 1, high;
    switch (lua_gettop(L)) {
    case 0:
        lua_pushnumber(L, (lua_Number)(ncs_random_next(r) >> 11) * 0x1p-53);
        return 1;
    case 1:
        high = luaL_checkinteger(L, 1);
        if (high == 0) {
            lua_pushinteger(L, (lua_Integer)ncs_random_next(r));
            return 1;
        }
        break;
    case 2:
        low = luaL_checkinteger(L, 1);
        high = luaL_checkinteger(L, 2);
        break;
    default:
        return luaL_error(L, "wrong number of arguments");
    }
    luaL_argcheck(L, low <= high, 1, "interval is empty");
    uint64_t span = (uint64_t)high - (uint64_t)low + 1; /* 0: all 64 bits */
    uint64_t drawn = span ? ncs_random_below(r, span) : ncs_random_next(r);
    lua_pushinteger(L, (lua_Integer)((uint64_t)low + drawn));
    return 1;
}

static int random_seed(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    lua_Number seed = luaL_optnumber(L, 1, 0);
    rank->random.state = ncs_hash_bytes((uint64_t)rank->rank, &seed, sizeof seed);
    return 0;
}

/* ---- time ---- */

static int64_t sandbox_now(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    t->running = L;
    return t->rank->run ? ncs_run_clock(t->rank->run) : 0;
}

static int time_field(lua_State *L, const char *name, int fallback)
{
    int whole, type = lua_getfield(L, 1, name);
    lua_Integer v = lua_tointegerx(L, -1, &whole);
    lua_pop(L, 1);
    if (!whole && type != LUA_TNIL)
        return luaL_error(L, "field '%s' is not an integer", name);
    if (!whole && fallback < 0)
        return luaL_error(L, "field '%s' missing in date table", name);
    if (v < -1000000 || v > 1000000)
        return luaL_error(L, "field '%s' is out-of-bound", name);
    return whole ? (int)v : fallback;
}

static int script_time(lua_State *L)
{
    if (lua_isnoneornil(L, 1)) {
        lua_pushinteger(L, sandbox_now(L) / 1000000000);
        return 1;
    }
    luaL_checktype(L, 1, LUA_TTABLE);
    struct tm tm = { .tm_year = time_field(L, "year", -1) - 1900 };
    tm.tm_mon = time_field(L, "month", -1) - 1; /* one after the other: the first that is wrong is named */
    tm.tm_mday = time_field(L, "day", -1);
    tm.tm_hour = time_field(L, "hour", 12);
    tm.tm_min = time_field(L, "min", 0);
    tm.tm_sec = time_field(L, "sec", 0);
    lua_pushinteger(L, (lua_Integer)timegm(&tm));
    return 1;
}

static int script_clock(lua_State *L)
{
    lua_pushnumber(L, (lua_Number)sandbox_now(L) / 1e9);
    return 1;
}

/* Lua's os.date, always of a given time and in UTC. */
static int script_date(lua_State *L)
{
    const char *fmt = luaL_optstring(L, 1, "%c");
    lua_Integer time = lua_isnoneornil(L, 2) ? (lua_Integer)(sandbox_now(L) / 1000000000)
                                             : luaL_checkinteger(L, 2);
    lua_pushfstring(L, "!%s", *fmt == '!' ? fmt + 1 : fmt);
    lua_insert(L, 1);
    lua_settop(L, 1);
    lua_pushinteger(L, time);
    return call_original(L);
}

/* ---- putting it together ---- */

static void sandbox_copy_fields(lua_State *L, int from, int to, const char *const *names)
{
    for (; *names; names++) {
        lua_getfield(L, from, *names);
        lua_setfield(L, to, *names);
    }
}

/* Puts `fn` in place of the library's function `name`, which becomes its upvalue 1. */
static void wrap(lua_State *L, int from, int to, const char *name, lua_CFunction fn)
{
    lua_getfield(L, from, name);
    lua_pushcclosure(L, fn, 1);
    lua_setfield(L, to, name);
}

static const luaL_Reg table_guards[] = {
    { "concat", guarded_concat }, { "insert", guarded_insert }, { "move", guarded_move },
    { "remove", guarded_remove }, { "sort", guarded_sort }, { "unpack", guarded_unpack }, { NULL, NULL } };
static const luaL_Reg utf8_guards[] = {
    { "len", guarded_text }, { "offset", guarded_text }, { NULL, NULL } };

static void sandbox_set(lua_State *L, int to, const char *name, lua_CFunction fn)
{
    lua_pushcfunction(L, fn);
    lua_setfield(L, to, name);
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

static void string_library(lua_State *L, int globals)
{
    int from = open_library(L, luaopen_string), to = from + 1;
    sandbox_copy_fields(L, from, to, string_names);
    wrap(L, from, to, "rep", guarded_rep);
    wrap(L, from, to, "format", ncs_lua_format);
    ncs_lua_search(L);
    lua_pushliteral(L, ""); /* methods of texts are the same functions */
    lua_getmetatable(L, -1);
    lua_pushvalue(L, to);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_settop(L, to);
    lua_setfield(L, globals, "string");
    lua_pop(L, 1);
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

static void os_library(lua_State *L, int globals, bool unsafe)
{
    int from = open_library(L, luaopen_os), to = from + 1;
    lua_getfield(L, from, "difftime");
    lua_setfield(L, to, "difftime");
    sandbox_set(L, to, "time", script_time);
    sandbox_set(L, to, "clock", script_clock);
    wrap(L, from, to, "date", script_date);
    if (unsafe)
        sandbox_copy_fields(L, from, to, unsafe_os_names);
    announce(L, "os");
    ncs_lua_lock(L, to, "os");
    lua_setfield(L, globals, "os");
    lua_pop(L, 2);
}

/* Fills a library with unchanged and guarded functions. */
static void plain_library(lua_State *L, int globals, const char *name, lua_CFunction open,
                          const char *const *names, const luaL_Reg *guards)
{
    int from = open_library(L, open);
    sandbox_copy_fields(L, from, from + 1, names);
    for (; guards && guards->name; guards++)
        wrap(L, from, from + 1, guards->name, guards->func);
    lua_setfield(L, globals, name);
    lua_pop(L, 1);
}

static void base_library(lua_State *L, int globals)
{
    lua_pushcfunction(L, luaopen_base);
    lua_call(L, 0, 1); /* it is Lua's own table of globals, which no script sees */
    int from = lua_gettop(L);
    sandbox_copy_fields(L, from, globals, base_names);
    wrap(L, from, globals, "setmetatable", guarded_setmetatable);
    wrap(L, from, globals, "rawset", guarded_rawset);
    wrap(L, from, globals, "collectgarbage", guarded_collect);
    lua_pop(L, 1);
    sandbox_set(L, globals, "assert", script_assert);
    sandbox_set(L, globals, "print", script_print);
    sandbox_set(L, globals, "pairs", ncs_lua_pairs);
    sandbox_set(L, globals, "next", ncs_lua_next);
    sandbox_set(L, globals, "tostring", ncs_lua_tostring);
    lua_pushliteral(L, LUA_VERSION);
    lua_setfield(L, globals, "_VERSION");
}

void ncs_lua_sandbox(lua_State *L)
{
    bool unsafe = ncs_lua_rank(L)->script->unsafe;
    lua_createtable(L, 0, 64);
    int globals = lua_gettop(L);
    base_library(L, globals);
    string_library(L, globals);
    os_library(L, globals, unsafe);
    plain_library(L, globals, "table", luaopen_table, table_names, table_guards);
    plain_library(L, globals, "math", luaopen_math, math_names, NULL);
    plain_library(L, globals, "utf8", luaopen_utf8, utf8_names, utf8_guards);
    plain_library(L, globals, "coroutine", luaopen_coroutine, coroutine_names, NULL);

    lua_getfield(L, globals, "math");
    sandbox_set(L, lua_gettop(L), "random", random_number);
    sandbox_set(L, lua_gettop(L), "randomseed", random_seed);
    lua_settop(L, globals);

    open_library(L, luaopen_debug);
    lua_getfield(L, -2, "traceback");
    lua_setfield(L, -2, "traceback");
    lua_setfield(L, globals, "debug");
    lua_settop(L, globals);
    if (unsafe) {
        open_library(L, luaopen_io);
        lua_pop(L, 1);
        lua_setfield(L, globals, "io");
    }
}

void ncs_lua_lock_sandbox(lua_State *L)
{
    static const char *const names[] = { "string", "table", "math", "utf8", "coroutine" };
    int globals = lua_gettop(L);
    announce(L, LUA_GNAME);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        lua_getfield(L, globals, names[i]);
        announce(L, names[i]);
        ncs_lua_lock(L, globals + 1, names[i]);
        lua_setfield(L, globals, names[i]);
        lua_pushnil(L); /* missing libraries are nil, so that programs can test for them */
        lua_setmetatable(L, globals + 1);
        lua_settop(L, globals);
    }
}
