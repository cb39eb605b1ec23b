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

static void push_nranks(lua_State *L)
{
    lua_pushinteger(L, ncs_lua_rank(L)->nranks);
}

/* ---- names that are made when they are first used ---- */

enum { ALWAYS, UNSAFE, RUN }; /* when there is such a name; RUN: with a run, or for a judge of names */

static const struct {
    const char *name;
    void (*push)(lua_State *L);
    int when;
} libraries[] = {
    { "C", ncs_lua_raw, RUN },         { "coroutine", ncs_lua_coroutine, ALWAYS },
    { "cuda", ncs_lua_cuda, RUN },     { "debug", ncs_lua_debug, ALWAYS },
    { "expect", ncs_lua_expect, RUN }, { "fault", ncs_lua_fault, RUN },
    { "io", ncs_lua_io, UNSAFE },      { "math", ncs_lua_math, ALWAYS },
    { "nccl", ncs_lua_nccl, RUN },     { "nranks", push_nranks, RUN },
    { "os", ncs_lua_os, ALWAYS },      { "param", push_own_params, RUN },
    { "rank", push_rank, RUN },        { "table", ncs_lua_table, ALWAYS },
    { "utf8", ncs_lua_utf8, ALWAYS },
};

enum { LIBRARIES = sizeof libraries / sizeof *libraries };

static bool ready_has(const struct ncs_lua_rank *rank, int when)
{
    return when == ALWAYS || (when == UNSAFE ? rank->script->unsafe : rank->run || rank->names_only);
}

/* The name is there when its library is complete: memory may run out before. */
static void ready_make(lua_State *L, int globals, int i)
{
    luaL_checkstack(L, 24, NULL);
    libraries[i].push(L);
    lua_pushstring(L, libraries[i].name);
    lua_pushvalue(L, -2);
    lua_rawset(L, globals);
}

bool ncs_ready_make(lua_State *L, int globals, const char *word)
{
    for (int i = 0; i < LIBRARIES; i++)
        if (strcmp(libraries[i].name, word) == 0 && ready_has(ncs_lua_rank(L), libraries[i].when)) {
            ready_make(L, globals, i);
            return true;
        }
    return false;
}

void ncs_ready_all(lua_State *L)
{
    luaL_checkstack(L, 4, NULL);
    lua_getfield(L, LUA_REGISTRYINDEX, "ncs.globals");
    int globals = lua_gettop(L);
    for (int i = 0; i < LIBRARIES; i++) {
        lua_pushstring(L, libraries[i].name);
        if (lua_rawget(L, globals) == LUA_TNIL && ready_has(ncs_lua_rank(L), libraries[i].when))
            ready_make(L, globals, i);
        lua_settop(L, globals);
    }
}

/* ---- names that are there from the start ---- */

void ncs_lua_ready_made(lua_State *L)
{
    ncs_lua_store(L);
    ncs_lua_threads(L);
    if (ncs_lua_rank(L)->run)
        ncs_object_classes(L);
}

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
