/* The lives of communicators: their states, and the calls that end, interrupt or suspend them. */
#include "script/object.h"

#include "api/types.h"
#include "script/option.h"

static struct ncs_comm *comm_life_self(lua_State *L, const char *method, int max)
{
    return ncs_lua_method(L, NCS_CLASS_COMM, method, max);
}

bool ncs_comm_pending(lua_State *L, const struct ncs_comm *c)
{
    const struct ncs_local *local = ncs_lua_thread(L)->local;
    return !ncs_comm_handle(c) || (c->group && local->group_depth > 0 && local->group == c->group);
}

void ncs_comm_drop_group(lua_State *L)
{
    struct ncs_local *local = ncs_lua_thread(L)->local;
    if (!local || !local->failed_group)
        return;
    for (struct ncs_object *o = ncs_lua_rank(L)->newest; o; o = o->older) {
        struct ncs_comm *c = (struct ncs_comm *)o;
        if (o->id == NCS_CLASS_COMM && c->group == local->failed_group)
            c->dropped = true;
    }
    local->failed_group = 0;
}

void ncs_comm_configure(struct ncs_comm *c, const struct ncs_comm_config *config, const struct ncs_comm *parent)
{
    bool inherits = parent && !config->given;
    c->blocking = inherits ? parent->blocking : config->config.blocking != 0 || !config->given;
    c->split_share = inherits ? parent->split_share : config->config.splitShare == 1;
    c->shrink_share = inherits ? parent->shrink_share : config->config.shrinkShare == 1;
}

/* Marks all communicators that share its resources, because NCCL interrupts them together. */
static void note_interrupted(lua_State *L, const struct ncs_comm *c, bool interrupted)
{
    for (struct ncs_object *o = ncs_lua_rank(L)->newest; o; o = o->older)
        if (o->id == NCS_CLASS_COMM && ((struct ncs_comm *)o)->family == c->family)
            ((struct ncs_comm *)o)->interrupted = interrupted;
}

/* The mark is set before the call, because interrupted waiters go on before it returns. If the call
 * fails, the mark is taken back. */
static int comm_life_cut_short(lua_State *L, const struct ncs_comm *c, enum ncs_fn fn, bool was, int rc)
{
    if (rc != ncclSuccess && rc != ncclInProgress)
        note_interrupted(L, c, was);
    return ncs_lua_ok(L, fn, rc);
}

void ncs_comm_note(lua_State *L, struct ncs_comm *c, enum ncs_fn fn)
{
    if (c->head.closed || (!ncs_comm_handle(c) && !ncs_lua_thread(L)->finished))
        return;
    if (fn == NCS_FN_ncclCommAbort || fn == NCS_FN_ncclCommRevoke)
        note_interrupted(L, c, true);
    c->aborted |= fn == NCS_FN_ncclCommAbort;
    c->revoked |= fn == NCS_FN_ncclCommRevoke;
    c->finalized |= fn == NCS_FN_ncclCommFinalize;
    if (ncs_fn_info[fn].ends == NCS_ENDS_COMM)
        ncs_object_drop(L, &c->head);
}

static int comm_finalize(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "finalize", 1);
    ncs_lua_label(L, 2);
    int rc = NCS_TRY(L, ncclCommFinalize, ncs_comm_handle(c));
    ncs_comm_note(L, c, NCS_FN_ncclCommFinalize);
    return ncs_lua_push_result(L, rc);
}

int ncs_comm_destroy(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "destroy", 1);
    ncs_lua_label(L, 2);
    int rc = NCS_TRY(L, ncclCommDestroy, ncs_comm_handle(c));
    ncs_comm_note(L, c, NCS_FN_ncclCommDestroy);
    return ncs_lua_push_result(L, rc);
}

static int comm_abort(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "abort", 1);
    ncs_lua_label(L, 2);
    bool was = c->interrupted;
    note_interrupted(L, c, true);
    int rc = comm_life_cut_short(L, c, NCS_FN_ncclCommAbort, was, NCS_CALL(L, ncclCommAbort, ncs_comm_handle(c)));
    ncs_comm_note(L, c, NCS_FN_ncclCommAbort);
    return ncs_lua_push_result(L, rc);
}

struct flags {
    int flags;
};
static const struct ncs_option flag_rows[] = { { "flags", NCS_OPTION_INT, offsetof(struct flags, flags) }, { NULL, 0, 0 } };

static int comm_revoke(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "revoke", 1);
    struct flags o = { NCCL_REVOKE_DEFAULT };
    ncs_lua_options(L, 2, flag_rows, &o);
    bool was = c->interrupted;
    note_interrupted(L, c, true);
    int rc = comm_life_cut_short(L, c, NCS_FN_ncclCommRevoke, was, NCS_CALL(L, ncclCommRevoke, ncs_comm_handle(c), o.flags));
    ncs_comm_note(L, c, NCS_FN_ncclCommRevoke);
    return ncs_lua_push_result(L, rc);
}

static int comm_suspend(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "suspend", 1);
    struct flags o = { NCCL_SUSPEND_MEM };
    ncs_lua_options(L, 2, flag_rows, &o);
    return ncs_lua_push_result(L, NCS_TRY(L, ncclCommSuspend, ncs_comm_handle(c), o.flags));
}

static int comm_resume(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "resume", 1);
    ncs_lua_label(L, 2);
    return ncs_lua_push_result(L, NCS_TRY(L, ncclCommResume, ncs_comm_handle(c)));
}

static int comm_mem_stats(lua_State *L)
{
    static const struct {
        const char *name;
        ncclCommMemStat_t stat;
    } rows[] = { { "suspend", ncclStatGpuMemSuspend },
                 { "suspended", ncclStatGpuMemSuspended },
                 { "persist", ncclStatGpuMemPersist },
                 { "total", ncclStatGpuMemTotal } };
    struct ncs_comm *c = comm_life_self(L, "mem_stats", 1);
    ncs_lua_label(L, 2);
    lua_createtable(L, 0, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t value = 0;
        NCS_TRY(L, ncclCommMemStats, ncs_comm_handle(c), rows[i].stat, &value);
        lua_pushinteger(L, (lua_Integer)value);
        lua_setfield(L, -2, rows[i].name);
    }
    return 1;
}

static int comm_async_error(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "async_error", 1);
    ncclResult_t error = ncclSuccess;
    ncs_lua_label(L, 2);
    NCS_TRY(L, ncclCommGetAsyncError, ncs_comm_handle(c), &error);
    lua_pushstring(L, ncs_nccl_result_name(error));
    return 1;
}

static int comm_wait_ready(lua_State *L)
{
    struct ncs_comm *c = comm_life_self(L, "wait_ready", 2);
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    int options = lua_type(L, 2) == LUA_TTABLE ? 2 : 3;
    int64_t limit = options == 2 || lua_isnoneornil(L, 2) ? -1 : ncs_lua_seconds(L, 2, "seconds");
    int64_t until = limit < 0 ? 0 : ncs_run_clock(rank->run) + limit;
    ncclResult_t error = ncclInProgress;
    ncs_lua_label(L, options);
    for (;;) {
        NCS_TRY(L, ncclCommGetAsyncError, ncs_comm_handle(c), &error);
        if (error != ncclInProgress)
            break;
        if (limit >= 0 && ncs_run_clock(rank->run) >= until) {
            lua_pushboolean(L, 0);
            return 1;
        }
    }
    ncs_lua_ok(L, NCS_FN_ncclCommGetAsyncError, error);
    ncs_comm_name_filled(rank);
    lua_pushboolean(L, 1);
    return 1;
}

int ncs_comm_state(lua_State *L)
{
    struct ncs_comm *c = lua_touserdata(L, 1);
    ncclResult_t error = ncclSuccess;
    const char *state = c->revoked ? "revoked" : c->finalized ? "finalized" : "ready";
    if (c->aborted)
        state = "aborted";
    else if (c->head.closed)
        state = "destroyed";
    else if (c->dropped)
        state = "error";
    else if (ncs_comm_pending(L, c))
        state = "pending";
    else if (!c->blocking) {
        NCS_TRY(L, ncclCommGetAsyncError, ncs_comm_handle(c), &error);
        if (error == ncclInProgress)
            state = "pending";
        else if (error != ncclSuccess)
            state = "error";
    }
    lua_pushstring(L, state);
    return 1;
}

const luaL_Reg ncs_comm_lives[] = {
    { "abort", comm_abort },           { "async_error", comm_async_error },
    { "destroy", ncs_comm_destroy },   { "finalize", comm_finalize },
    { "mem_stats", comm_mem_stats },   { "resume", comm_resume },
    { "revoke", comm_revoke },         { "suspend", comm_suspend },
    { "wait_ready", comm_wait_ready }, { NULL, NULL },
};
