/* How scripts get Lua's own libraries: no files, no processes, no bytecode, no finalisers; the machine's
 * time, random numbers from the seed, and limits where one call could run for ever. A guard against
 * mistakes and foreign scenarios, not a security boundary. */
#include "driver/driver.h"
#include "driver/dry_run.h"
#include "script/state.h"

#include <string.h>
#include <time.h>

#define TEXT_LIMIT ((size_t)256 << 20) /* bytes of string.rep's result */
#define ELEMENTS_LIMIT 100000000       /* of a table, for one call */

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
    ncs_heap_charge(L, to > from ? (uint64_t)to - (uint64_t)from : 0);
    return call_original(L);
}

/* Guards functions that go through a table, because its metatable may return any length. For concat
 * and unpack, `place` is the argument with the first index. */
static int go_through(lua_State *L, int place)
{
    uint64_t elements = 0;
    if (lua_type(L, 1) == LUA_TTABLE) {
        lua_Integer first = place ? luaL_optinteger(L, place, 1) : 1;
        lua_Integer last = place && !lua_isnoneornil(L, place + 1) ? luaL_checkinteger(L, place + 1) : luaL_len(L, 1);
        elements = last >= first ? (uint64_t)last - (uint64_t)first : 0;
    }
    if (elements > ELEMENTS_LIMIT)
        return luaL_error(L, "more than %d elements of a table", ELEMENTS_LIMIT);
    ncs_heap_charge(L, elements);
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

/* It compares each element about log2(n) times, perhaps by a function of C. */
static int guarded_sort(lua_State *L)
{
    lua_Integer elements = lua_type(L, 1) == LUA_TTABLE ? luaL_len(L, 1) : 0;
    for (lua_Integer rest = elements; rest > 1 && elements <= ELEMENTS_LIMIT; rest /= 2)
        ncs_heap_charge(L, (uint64_t)elements);
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
    bool unknown = rank->planned && ncs_driver_dry_run_first(rank->rank) != 0;
    if (lua_toboolean(L, 1) || unknown)
        return lua_gettop(L);
    lua_remove(L, 1);
    if (lua_gettop(L) > 0 && lua_type(L, 1) != LUA_TSTRING && !lua_isnil(L, 1)) {
        lua_settop(L, 1);
        return lua_error(L);
    }
    const char *text = lua_gettop(L) > 0 && lua_isstring(L, 1) ? ncs_lua_whole_text(L, 1) : "assertion failed!";
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
    case 0: lua_pushnumber(L, (lua_Number)(ncs_random_next(r) >> 11) * 0x1p-53); return 1;
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
    default: return luaL_error(L, "wrong number of arguments");
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
    lua_Integer time = lua_isnoneornil(L, 2) ? (lua_Integer)(sandbox_now(L) / 1000000000) : luaL_checkinteger(L, 2);
    lua_pushfstring(L, "!%s", *fmt == '!' ? fmt + 1 : fmt);
    lua_insert(L, 1);
    lua_settop(L, 1);
    lua_pushinteger(L, time);
    return call_original(L);
}

/* ---- rows for the libraries (script/library.c) ---- */

const luaL_Reg ncs_base_guards[] = {
    { "collectgarbage", guarded_collect }, { "rawset", guarded_rawset }, { "setmetatable", guarded_setmetatable }, { NULL, NULL }
};
const luaL_Reg ncs_base_own[] = { { "assert", script_assert }, { "next", ncs_lua_next },         { "pairs", ncs_lua_pairs },
                                  { "print", script_print },   { "tostring", ncs_lua_tostring }, { NULL, NULL } };
const luaL_Reg ncs_string_guards[] = { { "format", ncs_lua_format }, { "rep", guarded_rep }, { NULL, NULL } };
const luaL_Reg ncs_table_guards[] = { { "concat", guarded_concat },
                                      { "insert", guarded_insert },
                                      { "move", guarded_move },
                                      { "remove", guarded_remove },
                                      { "sort", guarded_sort },
                                      { "unpack", guarded_unpack },
                                      { NULL, NULL } };
const luaL_Reg ncs_utf8_guards[] = { { "len", guarded_text }, { "offset", guarded_text }, { NULL, NULL } };
const luaL_Reg ncs_math_own[] = { { "random", random_number }, { "randomseed", random_seed }, { NULL, NULL } };
const luaL_Reg ncs_os_guards[] = { { "date", script_date }, { NULL, NULL } };
/* os.getenv with --unsafe: a variable of this rank only wins over the process's. */
static int script_getenv(lua_State *L)
{
    const struct ncs_lua_rank *rank = ncs_lua_rank(L);
    const char *name = luaL_checkstring(L, 1);
    const char *own = rank->run ? ncs_owns_variable(&ncs_run_options(rank->run)->owns, rank->rank, name) : NULL;
    lua_pushstring(L, own ? own : ncs_driver_variable(name));
    return 1;
}

const luaL_Reg ncs_os_unsafe[] = { { "getenv", script_getenv }, { NULL, NULL } };
const luaL_Reg ncs_os_own[] = { { "clock", script_clock }, { "time", script_time }, { NULL, NULL } };
