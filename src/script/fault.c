/* The library fault: faults of this run, and when they happen. */
#include "run/fault.h"
#include "run/fault_text.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "api/types.h"
#include "script/object.h"
#include "script/option.h"

/* Marks an option as not given: no option can have this number. */
#define NONE INT_MIN

struct options {
    int rank, comm, code; /* comm, code: places on the stack; 0 = not given */
    lua_Integer call, nth, first, count;
    const char *func;
    int peer;
    int64_t seconds;
};

#define WHEN                                                                                                                 \
    { "rank", NCS_OPTION_INT, offsetof(struct options, rank) }, { "comm", NCS_OPTION_SLOT, offsetof(struct options, comm) }, \
        { "call", NCS_OPTION_INTEGER, offsetof(struct options, call) },                                                      \
        { "func", NCS_OPTION_TEXT, offsetof(struct options, func) },                                                         \
    {                                                                                                                        \
        "nth", NCS_OPTION_INTEGER, offsetof(struct options, nth)                                                             \
    }
#define SECONDS                                                          \
    {                                                                    \
        "seconds", NCS_OPTION_SECONDS, offsetof(struct options, seconds) \
    }
#define CODE                                                    \
    {                                                           \
        "code", NCS_OPTION_SLOT, offsetof(struct options, code) \
    }
#define END        \
    {              \
        NULL, 0, 0 \
    }

static const struct ncs_option nothing[] = { WHEN, END };
static const struct ncs_option delay[] = { WHEN, SECONDS, END };
static const struct ncs_option code[] = { WHEN, CODE, END };
static const struct ncs_option elements[] = { WHEN,
                                              { "first", NCS_OPTION_INTEGER, offsetof(struct options, first) },
                                              { "count", NCS_OPTION_INTEGER, offsetof(struct options, count) },
                                              END };
static const struct ncs_option peer[] = { WHEN, SECONDS, { "peer", NCS_OPTION_INT, offsetof(struct options, peer) }, END };

static const struct ncs_option *const option_rows[] = {
    [NCS_FAULT_NEEDS_nothing] = nothing,   [NCS_FAULT_NEEDS_delay] = delay, [NCS_FAULT_NEEDS_code] = code,
    [NCS_FAULT_NEEDS_elements] = elements, [NCS_FAULT_NEEDS_peer] = peer,
};

/* ---- the parts of `when` ---- */

static const struct ncs_comm *fault_comm_of(lua_State *L, const struct options *o)
{
    struct ncs_object *world = ncs_lua_rank(L)->world;
    if (o->comm)
        return ncs_object_live(L, o->comm, NCS_CLASS_COMM, "comm");
    return world && !world->closed ? (const struct ncs_comm *)world : NULL;
}

static void fault_read_call(lua_State *L, const struct options *o, const struct ncs_comm *c, struct ncs_fault *f)
{
    int number, rank;
    const struct ncs_journal *j = ncs_run_journal(ncs_lua_rank(L)->run);
    if (o->call < 1 || o->call > UINT32_MAX)
        ncs_lua_usage(L, "call must be 1 or more: calls are counted from 1");
    f->call = (uint32_t)o->call;
    if (!c)
        ncs_lua_usage(L, "call is counted on a communicator: give comm, there is no world");
    if (ncs_journal_find(j, f->comm, &number, &rank) && j->comm[number]->member[rank].calls >= f->call)
        ncs_lua_usage(L, "call %u on %s has been made: this rank has made %u", (unsigned)f->call,
                      ncs_lua_comm_name(ncs_lua_rank(L), c), (unsigned)j->comm[number]->member[rank].calls);
}

static void read_func(lua_State *L, const struct options *o, struct ncs_fault *f)
{
    char hint[NCS_NEAR_ROOM];
    const char *names[NCS_FN_COUNT];
    size_t count = 0;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        names[count++] = ncs_fn_info[fn].name;
        if (strcmp(ncs_fn_info[fn].name, o->func) == 0)
            f->fn = fn;
    }
    if (f->fn < 0)
        ncs_lua_usage(L, "no function \"%.60s\"%s", o->func,
                      ncs_lua_hint(hint, '"', o->func, names, count, ", expected a C name such as \"ncclAllReduce\""));
    if (o->nth != NONE && o->nth < 1)
        ncs_lua_usage(L, "nth must be 1 or more: uses are counted from 1");
    f->nth = o->nth == NONE ? 1 : (uint64_t)o->nth;
}

static void read_code(lua_State *L, const struct options *o, struct ncs_fault *f)
{
    bool cuda = f->fn >= 0 && ncs_fn_info[f->fn].result == NCS_RESULT_CUDA;
    const char *such = cuda ? "\"cudaErrorMemoryAllocation\"" : "\"ncclSystemError\"";
    if (!o->code)
        ncs_lua_usage(L, "code is missing: the result, such as %s", such);
    if (lua_type(L, o->code) == LUA_TSTRING) {
        const char *name = lua_tostring(L, o->code);
        f->code = cuda == (strncmp(name, "cuda", 4) == 0) ? ncs_result_from_name(name) : -1;
        if (f->code < 0)
            ncs_lua_usage(L, "no result \"%.60s\" of %s, expected one such as %s", name, cuda ? "CUDA" : "NCCL", such);
    } else {
        f->code = ncs_lua_int(L, o->code, "code");
    }
    if (f->code <= 0 || (!cuda && (f->code >= ncclNumResults || f->code == ncclInProgress)))
        ncs_lua_usage(L, "code %d is not an error of %s", f->code, cuda ? "CUDA" : "NCCL");
}

static void check_fail(lua_State *L, const struct ncs_fault *f)
{
    if (!f->call && f->fn < 0)
        ncs_lua_usage(L, "which call fails? Give call, or func");
    if (f->fn >= 0 && !ncs_fault_can_fail(f->fn))
        ncs_lua_usage(L, "%s cannot be left out", ncs_fn_info[f->fn].name);
}

/* Reads the fields that this kind of fault has besides `when`. */
static void read_rest(lua_State *L, const struct options *o, const struct ncs_comm *c, struct ncs_fault *f)
{
    enum ncs_fault_needs needs = ncs_fault_info[f->kind].needs;
    if (f->kind == NCS_FAULT_FAIL)
        check_fail(L, f);
    if (ncs_fault_is_of_comm(f->kind) && !c)
        ncs_lua_usage(L, "give comm: there is no world");
    if (needs == NCS_FAULT_NEEDS_code)
        read_code(L, o, f);
    if (needs == NCS_FAULT_NEEDS_delay && o->seconds < 0)
        ncs_lua_usage(L, "seconds is missing: how much later");
    if (needs == NCS_FAULT_NEEDS_peer && o->peer == NONE)
        ncs_lua_usage(L, "peer is missing: the rank at the other end of the link");
    if (needs == NCS_FAULT_NEEDS_peer) {
        ncs_comm_check_rank(L, c, "peer", o->peer);
        if (o->peer == c->rank)
            ncs_lua_usage(L, "peer %d is this rank: it has no link to itself", o->peer);
    }
    if (needs == NCS_FAULT_NEEDS_elements && o->first < 1)
        ncs_lua_usage(L, "first must be 1 or more: elements are counted from 1");
    if (o->count == 0)
        ncs_lua_usage(L, "count must be 1 or more; without it all elements from first on are spoilt");
    f->nanoseconds = o->seconds;
    f->peer = o->peer;
    f->first = (uint64_t)o->first - 1;
    f->count = o->count == NONE ? 0 : (uint64_t)o->count;
}

/* ---- the functions of `fault` ---- */

static int make_fault(lua_State *L)
{
    enum ncs_fault_kind kind = (enum ncs_fault_kind)lua_tointeger(L, lua_upvalueindex(1));
    struct ncs_lua_thread *t = ncs_lua_begin(L, ncs_fault_info[kind].what, 1);
    struct options o = { .rank = NONE, .call = NONE, .nth = NONE, .first = 1, .count = NONE, .peer = NONE, .seconds = -1 };
    struct ncs_fault f = { .kind = kind, .fn = -1, .place = ncs_lua_where(L) };
    ncs_lua_options(L, 1, option_rows[ncs_fault_info[kind].needs], &o);
    if (o.rank != NONE && (o.rank < 0 || o.rank >= t->rank->nranks))
        ncs_lua_usage(L, "rank %d: the run has ranks 0 to %d", o.rank, t->rank->nranks - 1);
    if (o.nth != NONE && !o.func)
        ncs_lua_usage(L, "nth counts the uses of a function: give func");
    if (o.call != NONE && o.func)
        ncs_lua_usage(L, "give call or func, not both");
    if (o.rank != NONE && o.rank != t->rank->rank)
        return 0;
    const struct ncs_comm *c = fault_comm_of(L, &o);
    f.comm = c && (o.comm || o.call != NONE || ncs_fault_is_of_comm(kind)) ? ncs_comm_handle(c) : NULL;
    if (o.call != NONE)
        fault_read_call(L, &o, c, &f);
    if (o.func)
        read_func(L, &o, &f);
    read_rest(L, &o, c, &f);
    t->running = L;
    if (!ncs_run_can_fault(t->rank->run, kind))
        return ncs_lua_needs_simulator(L, ncs_fault_info[kind].what);
    ncs_run_fault(t->rank->run, &f);
    ncs_lua_check_cancel(L);
    return 0;
}

void ncs_lua_fault(lua_State *L)
{
    lua_createtable(L, 0, NCS_FAULTS);
    for (int i = 0; i < NCS_FAULTS; i++) {
        lua_pushinteger(L, i);
        lua_pushcclosure(L, make_fault, 1);
        lua_setfield(L, -2, ncs_fault_info[i].name);
    }
    ncs_lua_lock(L, lua_gettop(L), "fault");
    lua_remove(L, -2);
}
