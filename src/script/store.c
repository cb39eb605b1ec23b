/* Exchange between ranks outside NCCL: store, barrier, sleep, clock, skip. */
#include "script/object.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/dry_run.h"
#include "script/option.h"

#define STORE "ncs.store"

struct wait_options {
    int64_t timeout; /* ns; -1 = none */
    int ranks;       /* stack index; 0 = all */
};

/* store is a value: its functions take a colon. */
static struct ncs_lua_thread *method(lua_State *L, const char *what, int max)
{
    bool self = lua_type(L, 1) == LUA_TTABLE && luaL_getmetafield(L, 1, NCS_TAKES_COLON) != LUA_TNIL;
    struct ncs_lua_thread *t;
    if (self) {
        lua_pop(L, 1);
        lua_remove(L, 1);
    }
    t = ncs_lua_begin(L, what, self ? max : -1);
    if (!self)
        ncs_lua_usage(L, "store takes a colon: %s(...)", what);
    t->running = L;
    return t;
}

/* Tells the plan that the rank receives data from other ranks' scripts. */
static void store_listen(const struct ncs_lua_rank *rank)
{
    if (rank->planned)
        ncs_driver_dry_run_listens(rank->rank);
}

static int store_set(lua_State *L)
{
    struct ncs_lua_thread *t = method(L, "store:set", 2);
    const char *key = ncs_lua_string(L, 1, "key");
    size_t bytes;
    lua_settop(L, 2);
    ncs_value_pack(L, 2);
    const char *value = lua_tolstring(L, -1, &bytes);
    if (!ncs_run_store_set(t->rank->run, key, value, bytes))
        return ncs_lua_no_room(L, bytes);
    ncs_lua_check_cancel(L);
    lua_getfield(L, LUA_REGISTRYINDEX, STORE);
    return 1;
}

static int store_get(lua_State *L)
{
    static const struct ncs_option rows[] = {
        { "timeout", NCS_OPTION_SECONDS, offsetof(struct wait_options, timeout) },
        { NULL, 0, 0 },
    };
    struct ncs_lua_thread *t = method(L, "store:get", 2);
    struct ncs_lua_rank *rank = t->rank;
    struct wait_options o = { -1, 0 };
    const char *key = ncs_lua_string(L, 1, "key");
    void *value = NULL;
    size_t bytes = 0;
    ncs_lua_options(L, 2, rows, &o);
    store_listen(rank);
    bool there = ncs_run_store_get(rank->run, key, o.timeout, &value, &bytes);
    ncs_free(rank->held);
    rank->held = there ? value : NULL; /* Lua may run out of memory below */
    ncs_lua_check_cancel(L);
    if (there)
        ncs_value_unpack(L, value, bytes);
    else
        lua_pushnil(L);
    ncs_free(rank->held);
    rank->held = NULL;
    return 1;
}

static int store_add(lua_State *L)
{
    struct ncs_lua_thread *t = method(L, "store:add", 2);
    const char *key = ncs_lua_string(L, 1, "key");
    int64_t n = ncs_lua_integer(L, 2, "n"), sum = 0;
    store_listen(t->rank);
    bool ok = ncs_run_store_add(t->rank->run, key, n, &sum);
    ncs_lua_check_cancel(L);
    if (!ok)
        return ncs_lua_usage(L, "the key \"%.60s\" does not hold a whole number", key);
    lua_pushinteger(L, sum);
    return 1;
}

/* barrier([{ ranks, timeout }]) */
static int barrier(lua_State *L)
{
    static const struct ncs_option rows[] = {
        { "ranks", NCS_OPTION_SLOT, offsetof(struct wait_options, ranks) },
        { "timeout", NCS_OPTION_SECONDS, offsetof(struct wait_options, timeout) },
        { NULL, 0, 0 },
    };
    struct ncs_lua_thread *t = ncs_lua_begin(L, "barrier", 1);
    struct wait_options o = { -1, 0 };
    int *ranks = NULL, count = 0;
    ncs_lua_options(L, 1, rows, &o);
    if (o.ranks) {
        ranks = ncs_lua_ints(L, o.ranks, "ranks", "a list of ranks", &count);
        bool here = false;
        for (int i = 0; i < count; i++) {
            if (ranks[i] < 0 || ranks[i] >= t->rank->nranks)
                return ncs_lua_usage(L, "rank %d: the run has ranks 0 to %d", ranks[i], t->rank->nranks - 1);
            here = here || ranks[i] == t->rank->rank;
        }
        if (!here)
            return ncs_lua_usage(L, "rank %d is not in the list of ranks", t->rank->rank);
    }
    t->running = L;
    if (o.timeout >= 0)
        store_listen(t->rank);
    bool met = ncs_run_barrier(t->rank->run, ranks, (size_t)count, o.timeout);
    ncs_lua_check_cancel(L);
    lua_pushboolean(L, met);
    return 1;
}

static int sleep_for(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "sleep", 1);
    int64_t time = ncs_lua_seconds(L, 1, "seconds");
    t->running = L;
    ncs_run_sleep(t->rank->run, time);
    ncs_lua_check_cancel(L);
    return 0;
}

static int clock_now(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "clock", 0);
    t->running = L;
    int64_t now = ncs_run_clock(t->rank->run);
    ncs_lua_check_cancel(L);
    lua_pushnumber(L, (lua_Number)now / 1e9);
    return 1;
}

static int store_skip(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "skip", 1);
    const char *reason = lua_isnoneornil(L, 1) ? "the scenario asked for it" : ncs_lua_string(L, 1, "reason");
    t->running = L;
    ncs_run_skip(t->rank->run, reason);
    return ncs_lua_cancel(L);
}

const luaL_Reg ncs_store_functions[] = {
    { "barrier", barrier }, { "clock", clock_now }, { "skip", store_skip }, { "sleep", sleep_for }, { NULL, NULL }
};

static const luaL_Reg store_functions[] = { { "add", store_add }, { "get", store_get }, { "set", store_set }, { NULL, NULL } };

void ncs_lua_store(lua_State *L)
{
    luaL_newlib(L, store_functions);
    ncs_lua_lock(L, lua_gettop(L), "store");
    lua_getmetatable(L, -1);
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, NCS_TAKES_COLON);
    lua_pop(L, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, STORE);
    lua_remove(L, -2);
}
