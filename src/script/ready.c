/* The ready-made names of a rank's environment, and `world`, which exists before line 1. */
#include "script/ready.h"

#include <string.h>

#include "script/object.h"
#include "script/state.h"

#include "scenario/scenario.h"

static void push_param(lua_State *L, const struct ncs_param *p)
{
    switch (p->kind) {
    case NCS_PARAM_INT: lua_pushinteger(L, p->i); break;
    case NCS_PARAM_NUMBER: lua_pushnumber(L, p->d); break;
    case NCS_PARAM_BOOL: lua_pushboolean(L, p->i != 0); break;
    case NCS_PARAM_TEXT: lua_pushstring(L, p->text); break;
    }
}

void ncs_lua_push_params(lua_State *L, const struct ncs_scenario *s)
{
    lua_createtable(L, 0, (int)s->params);
    for (size_t i = 0; i < s->params; i++) {
        push_param(L, &s->param[i]);
        lua_setfield(L, -2, s->param[i].name);
    }
    ncs_lua_lock(L, lua_gettop(L), "param");
    lua_remove(L, -2);
}

static void push_own_params(lua_State *L)
{
    ncs_lua_push_params(L, ncs_lua_rank(L)->script->scenario);
}

static void push_rank(lua_State *L)
{
    lua_pushinteger(L, ncs_lua_rank(L)->rank);
}

static void push_version(lua_State *L)
{
    lua_pushliteral(L, LUA_VERSION);
}

static void push_nranks(lua_State *L)
{
    lua_pushinteger(L, ncs_lua_rank(L)->nranks);
}

/* ---- names that are made when they are first used ---- */

enum { ALWAYS, UNSAFE, RUN, SESSION }; /* when there is such a name; RUN: with a run, or for a judge of names */

static const struct {
    const char *name;
    void (*push)(lua_State *L);
    int when;
} values[] = {
    { "C", ncs_lua_raw, RUN },
    { "coroutine", ncs_lua_coroutine, ALWAYS },
    { "cuda", ncs_lua_cuda, RUN },
    { "debug", ncs_lua_debug, ALWAYS },
    { "expect", ncs_lua_expect, RUN },
    { "fault", ncs_lua_fault, RUN },
    { "io", ncs_lua_io, UNSAFE },
    { "math", ncs_lua_math, ALWAYS },
    { "nccl", ncs_lua_nccl, RUN },
    { "nranks", push_nranks, RUN },
    { "os", ncs_lua_os, ALWAYS },
    { "param", push_own_params, RUN },
    { "rank", push_rank, RUN },
    { "store", ncs_lua_store, RUN },
    { "table", ncs_lua_table, ALWAYS },
    { "utf8", ncs_lua_utf8, ALWAYS },
    { "_VERSION", push_version, ALWAYS },
};

static const luaL_Reg declaring[] = { { "scenario", ncs_lua_scenario }, { NULL, NULL } };
static const luaL_Reg helping[] = { { "help", ncs_lua_help }, { NULL, NULL } };

static const struct {
    const luaL_Reg *rows;
    int when;
} functions[] = {
    { ncs_base_rows, ALWAYS }, { ncs_base_own, ALWAYS },     { ncs_control_functions, ALWAYS }, { ncs_module_functions, ALWAYS },
    { declaring, ALWAYS },     { ncs_store_functions, RUN }, { ncs_thread_functions, RUN },     { helping, SESSION },
};

enum { VALUES = sizeof values / sizeof *values, FUNCTIONS = sizeof functions / sizeof *functions };

static bool ready_has(const struct ncs_lua_rank *rank, int when)
{
    switch (when) {
    case UNSAFE: return rank->script->unsafe;
    case RUN: return rank->run || rank->names_only;
    case SESSION: return rank->script->session != NULL;
    default: return true;
    }
}

/* Pushes what is ready-made under this name; false = nothing is. */
static bool push_ready(lua_State *L, const char *word)
{
    const struct ncs_lua_rank *rank = ncs_lua_rank(L);
    for (int i = 0; i < VALUES; i++)
        if (strcmp(values[i].name, word) == 0 && ready_has(rank, values[i].when)) {
            values[i].push(L);
            return true;
        }
    for (int i = 0; i < FUNCTIONS; i++)
        for (const luaL_Reg *f = functions[i].rows; f->name && ready_has(rank, functions[i].when); f++)
            if (strcmp(f->name, word) == 0) {
                lua_pushcfunction(L, f->func);
                return true;
            }
    return false;
}

/* The name is there when its library is complete: memory may run out before. */
bool ncs_ready_make(lua_State *L, int globals, const char *word)
{
    luaL_checkstack(L, 24, NULL);
    if (!push_ready(L, word))
        return false;
    lua_pushstring(L, word);
    lua_pushvalue(L, -2);
    lua_rawset(L, globals);
    return true;
}

static void ready_complete(lua_State *L, int globals, const char *word)
{
    lua_pushstring(L, word);
    if (lua_rawget(L, globals) == LUA_TNIL)
        ncs_ready_make(L, globals, word);
    lua_settop(L, globals);
}

void ncs_ready_all(lua_State *L)
{
    luaL_checkstack(L, 4, NULL);
    lua_getfield(L, LUA_REGISTRYINDEX, "ncs.globals");
    int globals = lua_gettop(L);
    for (int i = 0; i < VALUES; i++)
        ready_complete(L, globals, values[i].name);
    for (int i = 0; i < FUNCTIONS; i++)
        for (const luaL_Reg *f = functions[i].rows; f->name; f++)
            ready_complete(L, globals, f->name);
}

/* ---- what is there before the first statement ---- */

/* On real hardware a host may have fewer GPUs than declared, so the driver has
 * chosen the device. */
static void ready_find_device(struct ncs_lua_rank *rank, struct ncs_lua_thread *t)
{
    const struct ncs_api *api = ncs_run_driver_api(rank->run);
    int device;
    if (strcmp(ncs_run_options(rank->run)->driver, "nccl") == 0 && api->cudaGetDevice(&device) == cudaSuccess)
        rank->device = t->device = device;
}

void ncs_lua_make_world(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    struct ncs_lua_thread *t = ncs_lua_begin(L, "world", -1);
    ready_find_device(rank, t);
    t->prologue = t->local->opening = true;
    lua_getfield(L, LUA_REGISTRYINDEX, "ncs.globals");
    int globals = lua_gettop(L);
    rank->stream = &ncs_stream_make(L, "stream", rank->device)->head;
    lua_setfield(L, globals, "stream");
    if (rank->script->scenario->world) {
        ncs_comm_world(L);
        lua_setfield(L, globals, "world");
    }
    lua_settop(L, globals - 1);
    t->prologue = t->local->opening = false;
}
