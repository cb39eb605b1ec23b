/* Lua's pcall, xpcall and coroutines with two differences: the cancellation of a thread passes
 * through them, and a coroutine belongs to the thread that resumes it. */
#include "script/state.h"

static int finish_call(lua_State *L, int status, lua_KContext extra)
{
    ncs_lua_check_cancel(L);
    if (status != LUA_OK && status != LUA_YIELD) {
        if (status != LUA_ERRMEM)
            ncs_lua_caught(L);
        else /* no room for a record of it; others need what the call has left behind */
            lua_gc(L, LUA_GCCOLLECT);
        lua_pushboolean(L, 0);
        lua_pushvalue(L, -2);
        return 2;
    }
    return lua_gettop(L) - (int)extra;
}

static int protected_call(lua_State *L)
{
    luaL_checkany(L, 1);
    lua_pushboolean(L, 1); /* the first result, if all goes well */
    lua_insert(L, 1);
    return finish_call(L, lua_pcallk(L, lua_gettop(L) - 2, LUA_MULTRET, 0, 0, finish_call), 0);
}

static int protected_call_handler(lua_State *L)
{
    int n = lua_gettop(L);
    luaL_checktype(L, 2, LUA_TFUNCTION);
    lua_pushboolean(L, 1);
    lua_pushvalue(L, 1);
    lua_rotate(L, 3, 2); /* function, handler, true, function, arguments */
    return finish_call(L, lua_pcallk(L, n - 2, LUA_MULTRET, 2, 2, finish_call), 2);
}

static lua_State *coroutine_arg(lua_State *L)
{
    lua_State *co = lua_tothread(L, 1);
    luaL_argexpected(L, co, 1, "thread");
    return co;
}

/* Assigns the coroutine to the thread that resumes or closes it, because its previous thread may be
 * gone. A running coroutine is left alone: Lua refuses to resume it. */
static void adopt(lua_State *L, lua_State *co)
{
    lua_Debug ar;
    if (co != L && !(lua_status(co) == LUA_OK && lua_getstack(co, 0, &ar)))
        *(struct ncs_lua_thread **)lua_getextraspace(co) = ncs_lua_thread(L);
}

/* Resumes with the arguments on top of L. Returns the number of results on L, or -1 with the error
 * on L. */
static int resume(lua_State *L, lua_State *co, int args)
{
    int results;
    if (!lua_checkstack(co, args)) {
        lua_pushliteral(L, "too many arguments to resume");
        return -1;
    }
    lua_xmove(L, co, args);
    adopt(L, co);
    int status = lua_resume(co, L, args, &results);
    ncs_lua_thread(L)->running = L; /* the coroutine may be collected */
    ncs_lua_check_cancel(L);
    if (status != LUA_OK && status != LUA_YIELD) {
        lua_xmove(co, L, 1);
        return -1;
    }
    if (!lua_checkstack(L, results + 1)) {
        lua_pop(co, results);
        lua_pushliteral(L, "too many results to resume");
        return -1;
    }
    lua_xmove(co, L, results);
    return results;
}

static int coroutine_resume(lua_State *L)
{
    lua_State *co = coroutine_arg(L);
    int results = resume(L, co, lua_gettop(L) - 1);
    if (results < 0) {
        if (lua_status(co) != LUA_ERRMEM)
            ncs_lua_caught(L);
        lua_pushboolean(L, 0);
        lua_insert(L, -2);
        return 2;
    }
    lua_pushboolean(L, 1);
    lua_insert(L, -(results + 1));
    return results + 1;
}

/* Upvalue 1 is Lua's own function. The variables that it closes may call anything. */
static int coroutine_close(lua_State *L)
{
    adopt(L, coroutine_arg(L));
    int results = lua_tocfunction(L, lua_upvalueindex(1))(L);
    ncs_lua_thread(L)->running = L;
    ncs_lua_check_cancel(L);
    return results;
}

static int call_wrapped(lua_State *L)
{
    lua_State *co = lua_tothread(L, lua_upvalueindex(1));
    int results = resume(L, co, lua_gettop(L));
    if (results >= 0)
        return results;
    int status = lua_status(co);
    if (status != LUA_OK && status != LUA_YIELD && lua_resetthread(co) != LUA_OK) {
        ncs_lua_check_cancel(L);
        lua_xmove(co, L, 1); /* the error, or the error of a variable that it closed */
    }
    if (status != LUA_ERRMEM && lua_type(L, -1) == LUA_TSTRING) {
        luaL_where(L, 1);
        lua_insert(L, -2);
        lua_concat(L, 2);
    }
    return lua_error(L);
}

static int coroutine_create(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_State *co = lua_newthread(L);
    *(struct ncs_lua_thread **)lua_getextraspace(co) = ncs_lua_thread(L);
    ncs_lua_watch(co);
    lua_pushvalue(L, 1);
    lua_xmove(L, co, 1);
    return 1;
}

static int coroutine_wrap(lua_State *L)
{
    coroutine_create(L);
    lua_pushcclosure(L, call_wrapped, 1);
    return 1;
}

const luaL_Reg ncs_control_functions[] = { { "pcall", protected_call }, { "xpcall", protected_call_handler }, { NULL, NULL } };

const luaL_Reg ncs_coroutine_guards[] = { { "close", coroutine_close }, { NULL, NULL } };
const luaL_Reg ncs_coroutine_own[] = {
    { "create", coroutine_create }, { "resume", coroutine_resume }, { "wrap", coroutine_wrap }, { NULL, NULL }
};
