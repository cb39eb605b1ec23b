/* Functions of a script that a stream runs: cudaLaunchHostFunc and cudaStreamAddCallback. The call
 * makes a Lua thread for its function; the stream later runs that thread in a context of the driver
 * that belongs to the rank. The rank's own threads wait meanwhile, in the driver or for their turn,
 * so its Lua state is at rest. */
#include "script/raw.h"

struct callback {
    struct ncs_lua_thread control;
    lua_State *L; /* user value 1: message handler, function, its arguments */
    bool status;  /* the second argument becomes the stream's error */
};

static char anchors; /* address = registry key of a table of callbacks still to run */

static void anchor(lua_State *L, struct callback *c)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &anchors) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &anchors);
    }
    lua_pushvalue(L, -2);
    lua_rawsetp(L, -2, c);
    lua_pop(L, 1);
}

void *ncs_callback_new(lua_State *L, int fn, int data, int stream)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    luaL_checkstack(L, 8, NULL);
    struct callback *c = lua_newuserdatauv(L, sizeof *c, 1);
    lua_State *own = lua_newthread(L);
    luaL_checkstack(own, 12, NULL);
    lua_setiuservalue(L, -2, 1);
    *c = (struct callback){ .control = { .rank = t->rank, .L = own, .running = own, .device = t->device },
                            .L = own,
                            .status = stream != 0 };
    *(struct ncs_lua_thread **)lua_getextraspace(own) = &c->control;
    ncs_lua_watch(own);
    lua_pushcfunction(own, ncs_lua_message);
    const int values[] = { fn, stream, data };
    for (int i = 0; i < 3; i++) {
        if (i == 1 && !stream)
            continue;
        lua_pushvalue(L, values[i]);
        lua_xmove(L, own, 1);
        if (i == 1)
            lua_pushinteger(own, 0);
    }
    anchor(L, c);
    lua_pop(L, 1);
    return c;
}

void ncs_callback_drop(lua_State *L, void *callback)
{
    if (!callback || lua_rawgetp(L, LUA_REGISTRYINDEX, &anchors) == LUA_TNIL)
        return;
    lua_pushnil(L);
    lua_rawsetp(L, -2, callback);
    lua_pop(L, 1);
}

void ncs_callback_run(void *callback)
{
    struct callback *c = callback;
    struct ncs_lua_thread *t = &c->control;
    lua_State *L = c->L;
    struct ncs_local *local = t->local = ncs_local, before = *local;
    local->where = ncs_lua_thread_where;
    local->where_arg = t;
    bool again = local->again; /* the graph keeps the function and its arguments */
    int first = again ? lua_gettop(L) + 1 : 2;
    for (int i = 2; again && i < first; i++)
        lua_pushvalue(L, i);
    int status = lua_pcall(L, lua_gettop(L) - first, 0, 1);
    t->finished = status == LUA_OK;
    if (status != LUA_OK && !t->cancelled)
        ncs_lua_report(t, L);
    local->where = before.where; /* of the thread that lent its context */
    local->where_arg = before.where_arg;
    local->label = before.label;
    if (!t->cancelled && !again)
        ncs_callback_drop(L, c);
}

void ncs_callback_run_stream(cudaStream_t stream, cudaError_t status, void *callback)
{
    struct callback *c = callback;
    (void)stream; /* the script's own value for it is among the arguments */
    if (c->status) {
        lua_pushinteger(c->L, status);
        lua_replace(c->L, 4);
    }
    ncs_callback_run(callback);
}
