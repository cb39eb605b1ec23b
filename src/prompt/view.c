#include "prompt/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "api/types.h"
#include "base/mem.h"
#include "prompt/private.h"

#define ELEMENTS 4096

static struct ncs_prompt *view_prompt_of(lua_State *L)
{
    return lua_touserdata(L, lua_upvalueindex(1));
}

static int checked_rank(lua_State *L, const struct ncs_prompt *p)
{
    lua_Integer rank = luaL_checkinteger(L, 1);
    luaL_argcheck(L, rank >= 0 && rank < prompt_ranks(p), 1, "no such rank");
    return (int)rank;
}

static int value(lua_State *L)
{
    struct ncs_prompt *p = view_prompt_of(L);
    int rank = checked_rank(L, p);
    double *element = lua_newuserdatauv(L, ELEMENTS * sizeof *element, 0);
    int64_t count = ncs_session_elements(p->session, rank, luaL_checkstring(L, 2), element, ELEMENTS);
    if (count < 0) {
        snprintf(p->absent, sizeof p->absent, "%s", lua_tostring(L, 2));
        return 0;
    }
    lua_newtable(L);
    for (int64_t i = 0; i < count && i < ELEMENTS; i++) {
        lua_pushnumber(L, element[i]);
        lua_rawseti(L, -2, i + 1);
    }
    return 1;
}

/* The expected value of element i: the number for all, an item of the list, or the function's result. */
static double wanted(lua_State *L, int want, lua_Integer i)
{
    if (lua_type(L, want) == LUA_TNUMBER)
        return lua_tonumber(L, want);
    if (lua_type(L, want) == LUA_TTABLE) {
        lua_rawgeti(L, want, i);
    } else {
        lua_pushvalue(L, want);
        lua_pushinteger(L, i);
        lua_call(L, 1, 1);
    }
    double v = luaL_checknumber(L, -1);
    lua_pop(L, 1);
    return v;
}

static int holds(lua_State *L)
{
    lua_settop(L, 3);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_pushcclosure(L, value, 1);
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    bool same = lua_type(L, -1) == LUA_TTABLE;
    int list = lua_gettop(L);
    lua_Integer n = same ? (lua_Integer)lua_rawlen(L, list) : 0;
    if (same && lua_type(L, 3) == LUA_TTABLE)
        same = (lua_Integer)lua_rawlen(L, 3) == n;
    for (lua_Integer i = 1; same && i <= n; i++) {
        lua_rawgeti(L, list, i);
        double got = lua_tonumber(L, -1), want = wanted(L, 3, i);
        same = got == want || fabs(got - want) <= 1e-3 * fabs(want);
        lua_settop(L, list);
    }
    lua_pushboolean(L, same);
    return 1;
}

static void set_integer(lua_State *L, const char *key, lua_Integer v)
{
    lua_pushinteger(L, v);
    lua_setfield(L, -2, key);
}

static void view_set_text(lua_State *L, const char *key, const char *text)
{
    lua_pushstring(L, text);
    lua_setfield(L, -2, key);
}

static void set_flag(lua_State *L, const char *key, bool v)
{
    lua_pushboolean(L, v);
    lua_setfield(L, -2, key);
}

/* A handle or an address as a text that is the same for the same object. */
static void view_set_pointer(lua_State *L, const char *key, const void *pointer)
{
    char text[32];
    if (!pointer)
        return;
    snprintf(text, sizeof text, "%p", pointer);
    view_set_text(L, key, text);
}

static void view_set_handle(lua_State *L, const char *key, const union ncs_arg *arg)
{
    if (arg)
        view_set_pointer(L, key, arg->p);
}

static void push_call(lua_State *L, const struct ncs_prompt *p, const struct ncs_call *c)
{
    const struct ncs_journal *j = ncs_run_journal(p->run);
    lua_newtable(L);
    view_set_text(L, "fn", ncs_fn_info[c->fn].name);
    set_integer(L, "number", c->number);
    set_integer(L, "line", c->place.line);
    set_flag(L, "returned", c->returned);
    set_flag(L, "grouped", c->group != 0);
    if (c->returned)
        set_integer(L, "rc", c->rc);
    if (c->label)
        view_set_text(L, "label", c->label);
    view_set_handle(L, "stream", ncs_call_arg(c, NCS_ARG_STREAM));
    view_set_handle(L, "event", ncs_call_arg(c, NCS_ARG_EVENT));
    const union ncs_arg *seconds = ncs_call_arg(c, NCS_ARG_SECONDS);
    if (seconds) {
        lua_pushnumber(L, seconds->d);
        lua_setfield(L, -2, "seconds");
    }
    if (c->comm >= 0 && j->comm[c->comm]->name)
        view_set_text(L, "comm", j->comm[c->comm]->name);
    if (!c->number)
        return;
    set_integer(L, "count", (lua_Integer)ncs_call_count(c));
    if (ncs_call_dtype(c) >= 0)
        view_set_text(L, "dtype", ncs_dtype_name(ncs_call_dtype(c)));
    if (ncs_call_op(c) >= 0)
        view_set_text(L, "op", ncs_redop_name(ncs_call_op(c)));
    if (ncs_call_root(c) >= 0)
        set_integer(L, "root", ncs_call_root(c));
    if (ncs_call_peer(c) >= 0)
        set_integer(L, "peer", ncs_call_peer(c));
    const char *send = ncs_call_sendbuff(c), *recv = ncs_call_recvbuff(c);
    set_flag(L, "in_place", send && recv && send == recv);
    view_set_pointer(L, "send", send);
    view_set_pointer(L, "recv", recv);
}

/* The calls of a rank after call `from` of the run. */
static int calls_after(lua_State *L, uint64_t from)
{
    struct ncs_prompt *p = view_prompt_of(L);
    int rank = checked_rank(L, p);
    const char *fn = luaL_optstring(L, 2, NULL);
    lua_Integer n = 0;
    lua_newtable(L);
    for (const struct ncs_call *c = ncs_run_journal(p->run)->oldest; c; c = c->newer) {
        if (c->id <= from || c->rank != rank || c->opening || (fn && strcmp(ncs_fn_info[c->fn].name, fn) != 0))
            continue;
        push_call(L, p, c);
        lua_rawseti(L, -2, ++n);
    }
    return 1;
}

static int calls(lua_State *L)
{
    return calls_after(L, 0);
}

static int made(lua_State *L)
{
    return calls_after(L, view_prompt_of(L)->task_from);
}

struct view_range {
    const char *begin, *end;
};

static int by_begin(const void *a, const void *b)
{
    const struct view_range *x = a, *y = b;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The memory that calls have allocated, freed or not, as separate ranges in order. */
static size_t find_allocated(const struct ncs_journal *j, struct view_range **out)
{
    struct view_range *range = NULL;
    size_t count = 0, room = 0, kept = 0;
    for (const struct ncs_call *c = j->oldest; c; c = c->newer) {
        const union ncs_arg *bytes = ncs_call_arg(c, NCS_ARG_BYTES), *at = ncs_call_arg(c, NCS_ARG_MEMORY_OUT);
        if (bytes && at && at->p) {
            struct view_range one = { at->p, (const char *)at->p + bytes->u };
            NCS_PUSH(range, count, room, one);
        }
    }
    if (count)
        qsort(range, count, sizeof *range, by_begin);
    for (size_t i = 0; i < count; i++)
        if (kept && range[i].begin <= range[kept - 1].end)
            range[kept - 1].end = range[i].end > range[kept - 1].end ? range[i].end : range[kept - 1].end;
        else
            range[kept++] = range[i];
    *out = range;
    return kept;
}

static bool is_in_ranges(const struct view_range *range, size_t ranges, const char *address)
{
    size_t low = 0, high = ranges; /* the last range that begins at or before the address */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (range[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && address < range[low - 1].end;
}

static bool writes_by_hand(const struct ncs_call *c, const struct view_range *range, size_t ranges)
{
    if (c->fn == NCS_FN_cudaMemset || c->fn == NCS_FN_cudaMemsetAsync)
        return true;
    return (c->fn == NCS_FN_cudaMemcpy || c->fn == NCS_FN_cudaMemcpyAsync) && is_in_ranges(range, ranges, c->arg[0].p) &&
           !is_in_ranges(range, ranges, c->arg[1].p);
}

size_t prompt_count_fills(const struct ncs_prompt *p, uint64_t from, int rank)
{
    const struct ncs_journal *j = ncs_run_journal(p->run);
    struct view_range *range;
    size_t ranges = find_allocated(j, &range), fills = 0;
    for (const struct ncs_call *c = j->newest; c && c->id > from; c = c->older)
        fills += (rank < 0 || c->rank == rank) && !c->opening && writes_by_hand(c, range, ranges);
    ncs_free(range);
    return fills;
}

/* How often a rank has done that since the task was set. */
static int filled(lua_State *L)
{
    struct ncs_prompt *p = view_prompt_of(L);
    lua_pushinteger(L, (lua_Integer)prompt_count_fills(p, p->task_from, checked_rank(L, p)));
    return 1;
}

/* The data type of the buffer in a variable; nil if it is none. */
static int dtype(lua_State *L)
{
    struct ncs_prompt *p = view_prompt_of(L);
    int type = ncs_session_dtype(p->session, checked_rank(L, p), luaL_checkstring(L, 2));
    lua_pushstring(L, type < 0 ? NULL : ncs_dtype_name(type));
    return 1;
}

/* The address of a buffer, as `send` and `recv` of a call; nil if it is none. */
static int view_address(lua_State *L)
{
    struct ncs_prompt *p = view_prompt_of(L);
    char text[32];
    const void *address = ncs_session_address(p->session, checked_rank(L, p), luaL_checkstring(L, 2));
    snprintf(text, sizeof text, "%p", address);
    lua_pushstring(L, address ? text : NULL);
    return 1;
}

static int streams(lua_State *L)
{
    lua_pushinteger(L, (lua_Integer)view_prompt_of(L)->snapshot.ops);
    return 1;
}

/* The text of a file of the lesson's folder; nil if there is none. */
static int view_file(lua_State *L)
{
    const struct ncs_shell *s = &view_prompt_of(L)->shell;
    const char *name = luaL_checkstring(L, 1);
    struct ncs_str text = { 0 };
    struct ncs_error err = { 0 };
    bool is_there = s->host && shell_is_name(name) && s->host->read(s->host->arg, name, &text, &err);
    if (is_there)
        lua_pushlstring(L, text.text ? text.text : "", text.bytes);
    ncs_str_free(&text);
    return is_there;
}

static void set_command(lua_State *L, const struct ncs_shell_command *c)
{
    if (!c->text)
        return;
    lua_newtable(L);
    view_set_text(L, "text", c->text);
    set_integer(L, "status", c->status);
    lua_pushlstring(L, c->output.text ? c->output.text : "", c->output.bytes);
    lua_setfield(L, -2, "output");
    lua_setfield(L, -2, "command");
}

static void set_function(lua_State *L, struct ncs_prompt *p, const char *name, lua_CFunction fn)
{
    lua_pushlightuserdata(L, p);
    lua_pushcclosure(L, fn, 1);
    lua_setfield(L, -2, name);
}

static void set_ranks(lua_State *L, struct ncs_prompt *p)
{
    lua_Integer n = 0;
    lua_newtable(L);
    lua_newtable(L);
    lua_newtable(L);
    for (int r = 0; r < prompt_ranks(p); r++) {
        if (prompt_busy(p, r)) {
            lua_pushinteger(L, r);
            lua_rawseti(L, -2, ++n);
        }
        const struct last_reply *last = &p->last[r];
        if (last->text) {
            lua_pushstring(L, last->text);
            lua_rawseti(L, last->failed ? -3 : -4, r);
        }
    }
    lua_setfield(L, -4, "waiting");
    lua_setfield(L, -3, "errors");
    lua_setfield(L, -2, "replies");
}

void prompt_push_view(lua_State *L, struct ncs_prompt *p)
{
    const struct ncs_result *r = ncs_run_so_far(p->run);
    lua_newtable(L);
    set_integer(L, "nranks", prompt_ranks(p));
    const char *input = "";
    for (size_t i = 0; i < p->inputs; i++)
        if (p->input[i].kind == INPUT_LINE)
            input = p->input[i].text;
    view_set_text(L, "input", input);
    set_integer(L, "wrong", (lua_Integer)r->wrong_count);
    set_integer(L, "failed", (lua_Integer)r->expect_failed);
    lua_pushnumber(L, (double)p->snapshot.now / 1e9);
    lua_setfield(L, -2, "time");
    set_ranks(L, p);
    lua_newtable(L);
    for (size_t i = 0; i < p->state.findings; i++) {
        lua_pushstring(L, p->state.finding[i].rule);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    lua_setfield(L, -2, "findings");
    set_function(L, p, "value", value);
    set_function(L, p, "holds", holds);
    set_function(L, p, "calls", calls);
    set_function(L, p, "made", made);
    set_function(L, p, "filled", filled);
    set_function(L, p, "dtype", dtype);
    set_function(L, p, "address", view_address);
    set_function(L, p, "streams", streams);
    set_function(L, p, "file", view_file);
    set_command(L, &p->shell.last);
}
