/* nccl.group: runs a function between group start and end. If the function raises, the group is
 * ended (sim/README.md, rule 22). */
#include "script/object.h"

#include <stdio.h>
#include <string.h>

static void note_dropped(lua_State *L, int index, unsigned queued)
{
    char text[64];
    if (queued == 0 || !ncs_lua_is_error(L, index))
        return;
    snprintf(text, sizeof text, "; %u queued call%s dropped", queued, queued == 1 ? " was" : "s were");
    lua_pushliteral(L, "message");
    lua_pushliteral(L, "message");
    lua_rawget(L, index);
    lua_pushstring(L, text);
    lua_concat(L, 2);
    lua_rawset(L, index);
}

/* Ends the group because of the error on top: no queued call is launched. */
static int group_drop(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    int error = lua_gettop(L);
    if (t->local->group_depth > 0) {
        unsigned queued = t->queued;
        bool outermost = t->local->group_depth == 1;
        /* A call that fails poisons the group, on every driver. */
        ncs_run_driver_api(t->rank->run)->ncclAllReduce(NULL, NULL, 0, ncclInt8, ncclSum, NULL, NULL);
        NCS_CALL(L, ncclGroupEnd);
        if (outermost)
            note_dropped(L, error, queued);
    }
    lua_settop(L, error);
    return lua_error(L);
}

/* Starts the group and calls fn; its results are on the stack. If fn raises, the group is ended. */
static void group_start(lua_State *L, const char *what)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, what, 2);
    const char *label = NULL;
    if (lua_type(L, 1) == LUA_TSTRING) {
        label = ncs_script_intern(t->rank->script, ncs_lua_string(L, 1, "label"));
        lua_remove(L, 1);
    }
    if (lua_type(L, 1) != LUA_TFUNCTION)
        ncs_lua_wrong(L, 1, "fn", "a function");
    lua_settop(L, 1);
    t->local->label = label;
    if (t->local->group_depth == 0)
        t->queued = 0;
    NCS_TRY(L, ncclGroupStart);
    int status = lua_pcall(L, 0, LUA_MULTRET, 0);
    ncs_lua_check_cancel(L);
    t->about = NULL;
    t->what = what;
    t->local->label = label;
    if (status != LUA_OK)
        group_drop(L);
}

/* nccl.group([label,] fn) */
int ncs_lua_group(lua_State *L)
{
    group_start(L, "nccl.group");
    int rc = NCS_TRY(L, ncclGroupEnd);
    ncs_comm_name_filled(ncs_lua_rank(L));
    if (rc == ncclInProgress)
        return ncs_lua_push_result(L, rc);
    return lua_gettop(L);
}

/* nccl.simulate([label,] fn): seconds, or nil if there is no estimate */
int ncs_lua_simulate(lua_State *L)
{
    ncclSimInfo_t info = { sizeof info, NCCL_SIM_INFO_MAGIC, NCCLSCRIPT_NCCL_VERSION, NCCL_UNDEF_FLOAT };
    ncs_lua_before(L, NCS_FN_ncclGroupSimulateEnd); /* it may be missing */
    group_start(L, "nccl.simulate");
    NCS_TRY(L, ncclGroupSimulateEnd, &info);
    ncs_comm_name_filled(ncs_lua_rank(L));
    if (info.estimatedTime < 0)
        lua_pushnil(L);
    else
        lua_pushnumber(L, (lua_Number)info.estimatedTime / 1e6);
    return 1;
}
