/* How bindings call the driver: they set the place for the journal and the label, refuse
 * missing functions, and raise the cancellation, which passes through everything that a
 * script can catch with. */
#include "base/mem.h"
#include "run/fault.h"
#include "script/object.h"
#include "script/session.h"
#include "script/state.h"

#include <stdio.h>
#include <limits.h>
#include <string.h>

/* Its address is the value of the error that cannot be caught. */
static char cancelled_mark;

static const char *call_place_file(const struct ncs_script *s, const char *source)
{
    if (s->main.file && strcmp(source, s->main.file) == 0)
        return s->main.file;
    for (const struct ncs_chunk *m = s->modules; m; m = m->next)
        if (strcmp(source, m->file) == 0)
            return m->file;
    return NULL;
}

/* The file of the function that ar describes, if it is one of the script's own. */
static const char *file_of_function(lua_State *L, const struct ncs_script *s, lua_Debug *ar)
{
    lua_getinfo(L, "S", ar);
    return ar->source[0] == '@' ? call_place_file(s, ar->source + 1) : NULL;
}

/* Runs for each recorded call, so it asks little: not for the binding itself, nor for the source of the scenario's chunk. */
static bool where_on(lua_State *L, const struct ncs_lua_thread *t, struct ncs_place *place)
{
    const struct ncs_script *s = t->rank->script;
    lua_Debug ar;
    for (int level = t->hooked ? 0 : 1; lua_checkstack(L, 1) && lua_getstack(L, level, &ar); level++) {
        lua_getinfo(L, "fl", &ar);
        bool main = t->rank->chunk && lua_topointer(L, -1) == t->rank->chunk;
        lua_pop(L, 1);
        if (ar.currentline <= 0) /* a function of C */
            continue;
        const char *file = main ? s->main.file : file_of_function(L, s, &ar);
        if (file) {
            *place = (struct ncs_place){ file, ar.currentline };
            return true;
        }
    }
    return false;
}

struct ncs_place ncs_lua_where(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    const struct ncs_script *s = t->rank->script;
    struct ncs_place place = { 0 };
    if (t->finished)
        return (struct ncs_place){ s->main.file, t->rank->last_line ? t->rank->last_line : s->main.last_line };
    if (t->prologue) /* before line 1, a hang is in something that scenario{} asked for */
        return s->line ? (struct ncs_place){ s->main.file, s->line } : place;
    if (!where_on(L, t, &place) && L != t->L)
        where_on(t->L, t, &place);
    return place;
}

struct ncs_place ncs_lua_thread_where(void *thread)
{
    struct ncs_lua_thread *t = thread;
    return ncs_lua_where(t->running);
}

/* Ends the plan, because the remaining calls may depend on the unfinished computation. */
static void stop_plan(const struct ncs_lua_thread *t)
{
    char reason[80];
    snprintf(reason, sizeof reason, "rank %d computes too long for a plan, at line %d", t->rank->rank, t->failed.line);
    ncs_run_skip(t->rank->run, reason);
}

/* A session gives up the lines that it runs. */
static bool is_broken(const struct ncs_lua_thread *t)
{
    return t->rank->script->session && t->local && ncs_run_is_broken(t->rank->run);
}

/* A declaration and a plan have budgets of their own; for a run, the runner counts
 * the instructions. */
static void call_count(lua_State *L, struct ncs_lua_thread *t)
{
    struct ncs_lua_rank *rank = t->rank;
    uint64_t done = NCS_LUA_WATCH + ncs_heap_charged(&rank->heap);
    if (t->cancelled)
        return;
    if (rank->run && !rank->planned) {
        if (!rank->script->unsafe) /* whoever allows programs may compute */
            ncs_run_computes(rank->run, done, rank->rank, ncs_lua_thread_where, t);
        return;
    }
    rank->budget -= (int64_t)done;
    if (rank->budget >= 0)
        return;
    t->failed = ncs_lua_where(L);
    if (rank->run)
        stop_plan(t);
    ncs_lua_cancel(L);
}

static void hook(lua_State *L, lua_Debug *ar)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    (void)ar;
    t->running = L;
    if (lua_gethookcount(L) != NCS_LUA_WATCH && !t->cancelled)
        ncs_lua_watch(L);
    t->hooked = true;
    if (t->rank->machine && !t->cancelled)
        t->rank->machine->check();
    call_count(L, t);
    t->hooked = false;
    if (is_broken(t))
        ncs_lua_cancel(L);
    ncs_lua_check_cancel(L);
}

void ncs_lua_watch(lua_State *L)
{
    lua_sethook(L, hook, LUA_MASKCOUNT, NCS_LUA_WATCH);
}

int ncs_lua_cancel(lua_State *L)
{
    ncs_lua_thread(L)->cancelled = true;
    ncs_lua_thread(L)->hooked = false;
    lua_sethook(L, hook, LUA_MASKCOUNT, 1);    /* again at the next instruction, whatever caught it */
    lua_pushlightuserdata(L, &cancelled_mark); /* no settop: in a hook it would close variables */
    return lua_error(L);
}

void ncs_lua_check_cancel(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    const struct ncs_machine *m = t->rank->machine;
    if (t->cancelled || (t->local && m && m->cancelled()) || is_broken(t))
        ncs_lua_cancel(L);
}

static bool is_simulated(const struct ncs_lua_rank *rank)
{
    return rank->run && strcmp(ncs_run_options(rank->run)->driver, "nccl") != 0;
}

int ncs_lua_needs_simulator(lua_State *L, const char *what)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    t->running = L;
    lua_pushfstring(L, "%s needs the simulator", what);
    ncs_run_skip(t->rank->run, lua_tostring(L, -1));
    return ncs_lua_cancel(L);
}

/* The simulator lacks functions newer than its NCCL version, and functions that it does not
 * implement yet. */
static void lacks(lua_State *L, const struct ncs_lua_rank *rank, const struct ncs_fn_info *info)
{
    char since[24] = "";
    int have = INT_MAX;
    if (info->lib == NCS_LIB_NCCL)
        ncs_nccl_version_text(info->since, since, sizeof since);
    bool simulated = is_simulated(rank);
    if (simulated && info->lib == NCS_LIB_NCCL && ncs_api_has(rank->api, NCS_FN_ncclGetVersion))
        rank->api->ncclGetVersion(&have);
    if (simulated && have >= info->since)
        ncs_lua_usage(L, "%s is a function of %s that the simulator does not have yet", info->name,
                      info->lib == NCS_LIB_NCCL ? "NCCL" : "the CUDA runtime");
    ncs_lua_usage(L, "%s is not in the library that was opened%s%s", info->name, *since ? ": NCCL has it since " : "", since);
}

const struct ncs_api *ncs_lua_before(lua_State *L, enum ncs_fn fn)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    t->running = L;
    if (t->local) { /* bindings of C carry the name of what they call */
        t->local->by_c_name = t->what && strcmp(t->what, info->name) == 0;
        t->local->guarded = !t->rank->script->unsafe;
        t->local->ranges = 0;
        t->local->declared = 0;
    }
    bool newer = info->lib == NCS_LIB_NCCL && t->rank->nccl && info->since > t->rank->nccl;
    if (newer || !ncs_api_has(t->rank->api, fn))
        lacks(L, t->rank, info);
    /* The data of captured calls moves at the launches, which are not followed on real hardware. */
    if (fn == NCS_FN_cudaStreamBeginCapture && t->rank->run && !is_simulated(t->rank))
        ncs_lua_needs_simulator(L, "a capture of a stream");
    return t->rank->api;
}

void ncs_lua_lend_more(lua_State *L, struct ncs_range range)
{
    struct ncs_local *local = ncs_lua_thread(L)->local;
    if (local && range.bytes && local->ranges < NCS_RANGES)
        local->range[local->ranges++] = range;
}

const struct ncs_api *ncs_lua_lend(lua_State *L, enum ncs_fn fn, struct ncs_range one, struct ncs_range other)
{
    const struct ncs_api *api = ncs_lua_before(L, fn);
    ncs_lua_lend_more(L, one);
    ncs_lua_lend_more(L, other);
    return api;
}

/* A fault that the script planned does not fit the call that it waited for. */
static void raise_misfit(lua_State *L)
{
    const struct ncs_lua_rank *rank = ncs_lua_rank(L);
    char *why = rank->run && ncs_local ? ncs_run_take_misfit(rank->run, rank->rank) : NULL;
    if (!why)
        return;
    lua_pushstring(L, why);
    ncs_free(why);
    ncs_lua_usage(L, "%s", lua_tostring(L, -1));
}

int ncs_lua_after(lua_State *L, int rc)
{
    struct ncs_local *local = ncs_lua_thread(L)->local;
    if (local)
        local->ranges = 0;
    ncs_lua_check_cancel(L);
    raise_misfit(L);
    ncs_comm_drop_group(L);
    if (ncs_local && ncs_local->async_error)
        ncs_lua_raise_async(L);
    return rc;
}

int ncs_lua_ok(lua_State *L, enum ncs_fn fn, int rc)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    bool nccl = ncs_fn_info[fn].result == NCS_RESULT_NCCL;
    if (rc != 0 && !(nccl && rc == ncclInProgress))
        return ncs_lua_raise_code(L, fn, rc);
    if (ncs_fn_info[fn].grouped && t->local && t->local->group_depth > 0)
        t->queued++;
    return rc;
}

void ncs_lua_enter_device(lua_State *L, int device)
{
    if (device != ncs_lua_thread(L)->device)
        NCS_TRY(L, cudaSetDevice, device);
}

void ncs_lua_leave_device(lua_State *L, int device)
{
    int home = ncs_lua_thread(L)->device;
    if (device != home)
        NCS_TRY(L, cudaSetDevice, home);
}

void ncs_lua_call_back(lua_State *L, int args, int results)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    const char *what = t->what, *label = t->local ? t->local->label : NULL;
    const struct ncs_object *about = t->about;
    bool unverified = t->local && t->local->unverified;
    lua_call(L, args, results);
    t->what = what;
    t->about = about;
    if (t->local) {
        t->local->label = label;
        t->local->unverified = unverified;
    }
}

int ncs_lua_push_result(lua_State *L, int rc)
{
    lua_pushstring(L, rc == ncclInProgress ? "ncclInProgress" : "ncclSuccess");
    return 1;
}
