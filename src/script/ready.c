/* The ready-made names of a rank's environment, and `world`, which exists before line 1. */
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

void ncs_lua_ready_made(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    static const struct { const char *name; void (*push)(lua_State *L); } libraries[] = {
        { "nccl", ncs_lua_nccl }, { "cuda", ncs_lua_cuda }, { "expect", ncs_lua_expect },
        { "fault", ncs_lua_fault }, { "C", ncs_lua_raw },
    };
    int globals = lua_gettop(L);
    lua_pushinteger(L, rank->rank);
    lua_setfield(L, globals, "rank");
    lua_pushinteger(L, rank->nranks);
    lua_setfield(L, globals, "nranks");
    ncs_lua_push_params(L, rank->script->scenario);
    lua_setfield(L, globals, "param");
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        libraries[i].push(L);
        lua_setfield(L, globals, libraries[i].name);
    }
    ncs_lua_store(L);
    ncs_lua_threads(L);
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
