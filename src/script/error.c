/* Error objects of scripts: tables with the documented fields and a text. Also reports the error
 * that ends a thread. */
#include "script/object.h"
#include "script/state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/safe.h"

#define ERROR_CLASS "ncs.error"

static int error_text(lua_State *L)
{
    lua_pushliteral(L, "message");
    if (lua_rawget(L, 1) != LUA_TSTRING)
        lua_pushliteral(L, "error");
    return 1;
}

void ncs_lua_error_class(lua_State *L)
{
    luaL_newmetatable(L, ERROR_CLASS);
    lua_pushcfunction(L, error_text);
    lua_setfield(L, -2, "__tostring");
    lua_pushliteral(L, "error");
    lua_setfield(L, -2, "__name");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
}

bool ncs_lua_is_error(lua_State *L, int index)
{
    if (lua_type(L, index) != LUA_TTABLE || !lua_getmetatable(L, index))
        return false;
    luaL_getmetatable(L, ERROR_CLASS);
    bool same = lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
}

static void error_set_text(lua_State *L, const char *field, const char *text)
{
    if (text) {
        lua_pushstring(L, text);
        lua_setfield(L, -2, field);
    }
}

int ncs_lua_raise(lua_State *L, const struct ncs_lua_error *e)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    struct ncs_place place = ncs_lua_where(L);
    const char *label = t->local ? t->local->label : NULL;
    luaL_checkstack(L, 10, NULL);

    luaL_Buffer message;
    luaL_buffinit(L, &message);
    if (place.file) {
        char line[32];
        luaL_addstring(&message, place.file);
        snprintf(line, sizeof line, ":%d: ", place.line);
        luaL_addstring(&message, line);
    }
    luaL_addstring(&message, e->text);
    if (label) {
        luaL_addstring(&message, " (label \"");
        luaL_addstring(&message, label);
        luaL_addstring(&message, "\")");
    }
    luaL_pushresult(&message);
    lua_createtable(L, 0, 10);
    lua_insert(L, -2);
    lua_setfield(L, -2, "message");
    error_set_text(L, "kind", e->kind);
    error_set_text(L, "name", e->name ? e->name : e->kind);
    error_set_text(L, "call", e->call);
    const struct ncs_comm *about = ncs_lua_about(L);
    error_set_text(L, "comm", about ? ncs_lua_comm_name(t->rank, about) : NULL);
    error_set_text(L, "label", label);
    error_set_text(L, "detail", e->detail);
    lua_pushinteger(L, e->code);
    lua_setfield(L, -2, "code");
    lua_pushinteger(L, place.line);
    lua_setfield(L, -2, "line");
    lua_pushinteger(L, t->rank->rank);
    lua_setfield(L, -2, "rank");
    luaL_setmetatable(L, ERROR_CLASS);
    return lua_error(L);
}

static int raise_usage(lua_State *L, bool passed_on, const char *fmt, va_list args)
{
    const struct ncs_lua_thread *t = ncs_lua_thread(L);
    char text[1024];
    int room = sizeof text;
    int at = t->what ? snprintf(text, sizeof text, "%s: ", t->what) : 0;
    at += vsnprintf(text + at, (size_t)(room - at), fmt, args);
    if (passed_on && t->through && at < room)
        snprintf(text + at, (size_t)(room - at), " (C.%s allows it)", t->through);
    return ncs_lua_raise(L, &(struct ncs_lua_error){ .kind = "usage", .text = text });
}

int ncs_lua_usage(lua_State *L, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    raise_usage(L, false, fmt, args);
    va_end(args);
    return 0;
}

int ncs_lua_refuse(lua_State *L, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    raise_usage(L, true, fmt, args);
    va_end(args);
    return 0;
}

/* NCCL only sees a NULL communicator; this says why the script's communicator is not made yet. */
static const char *pending_words(lua_State *L)
{
    const struct ncs_lua_thread *t = ncs_lua_thread(L);
    const struct ncs_comm *c = ncs_lua_about(L);
    if (!c || c->head.closed || !(c->dropped || ncs_comm_pending(L, c)))
        return "";
    if (c->dropped)
        return "; the group that should have made this comm failed";
    return t->local->group_depth > 0 ? "; this comm is made when the group ends" : "; this comm is not made yet";
}

int ncs_lua_raise_code(lua_State *L, enum ncs_fn fn, int rc)
{
    const struct ncs_fn_info *info = &ncs_fn_info[fn];
    const struct ncs_api *api = ncs_lua_rank(L)->api;
    bool nccl = info->result == NCS_RESULT_NCCL;
    const char *name = nccl ? ncs_nccl_result_name(rc) : ncs_cuda_error_name(rc);
    const char *detail = NULL;
    char text[1024];
    if (nccl && api->ncclGetLastError)
        detail = api->ncclGetLastError(NULL);
    if (!nccl && api->cudaGetErrorString)
        detail = api->cudaGetErrorString((cudaError_t)rc);
    if (detail && !*detail)
        detail = NULL;
    const char *said = ncs_local->said; /* the driver may know more than the library says */
    const char *words = said                                         ? said
                        : nccl && !detail && api->ncclGetErrorString ? api->ncclGetErrorString((ncclResult_t)rc)
                                                                     : detail;
    /* The calls at the end of a script have no line. */
    snprintf(text, sizeof text, "%s%s: %s%s%s%s", ncs_lua_thread(L)->finished ? "end of script: " : "", info->name, name,
             words ? ": " : "", words ? words : "", nccl ? pending_words(L) : "");
    return ncs_lua_raise(
        L, &(struct ncs_lua_error){
               .kind = nccl ? "nccl" : "cuda", .name = name, .call = info->name, .code = rc, .text = text, .detail = detail });
}

int ncs_lua_no_room(lua_State *L, size_t bytes)
{
    char size[32], budget[NCS_BUDGET_WORDS];
    return ncs_lua_raise(L, &(struct ncs_lua_error){
                                .kind = "memory",
                                .text = lua_pushfstring(L, "%s: no room for %s: %s is used up", ncs_lua_thread(L)->what,
                                                        ncs_format_size(bytes, size, sizeof size), ncs_budget_words(budget)) });
}

int ncs_lua_raise_async(lua_State *L)
{
    const struct ncs_lua_thread *t = ncs_lua_thread(L);
    const struct ncs_api *api = t->rank->api;
    const struct ncs_journal *j = ncs_run_journal(t->rank->run);
    int rc = ncs_local->async_error, comm, comm_rank;
    bool known = ncs_journal_find(j, ncs_local->async_comm, &comm, &comm_rank);
    const char *detail = api->ncclGetLastError ? api->ncclGetLastError(NULL) : NULL;
    const char *words = detail && *detail ? detail : api->ncclGetErrorString ? api->ncclGetErrorString((ncclResult_t)rc) : NULL;
    char text[1024];
    ncs_local->async_error = 0;
    snprintf(text, sizeof text, "%s%s: %s on %s%s%s", t->finished ? "end of script: " : "", t->what ? t->what : "wait",
             ncs_nccl_result_name(rc), known ? j->comm[comm]->name : "a communicator", words ? ": " : "", words ? words : "");
    return ncs_lua_raise(L, &(struct ncs_lua_error){ .kind = "nccl",
                                                     .name = ncs_nccl_result_name(rc),
                                                     .call = "ncclCommGetAsyncError",
                                                     .code = rc,
                                                     .text = text,
                                                     .detail = detail && *detail ? detail : NULL });
}

/* ---- the error that ends a thread ---- */

int ncs_lua_message(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    if (t->cancelled || lua_type(L, 1) == LUA_TLIGHTUSERDATA)
        return 1;
    t->failed = ncs_lua_where(L);
    lua_settop(L, 1);
    lua_createtable(L, 0, 2);
    lua_pushvalue(L, 1);
    lua_setfield(L, -2, "value");
    luaL_traceback(L, L, NULL, 1);
    lua_setfield(L, -2, "traceback");
    return 1;
}

static char *text_field(lua_State *L, int index, const char *field)
{
    lua_pushstring(L, field);
    lua_rawget(L, index);
    char *text = lua_type(L, -1) == LUA_TSTRING ? ncs_safe_copy(lua_tostring(L, -1)) : NULL;
    lua_pop(L, 1);
    return text;
}

static enum ncs_error_kind error_kind(const char *name)
{
    for (int kind = 0; name && kind < NCS_KINDS; kind++)
        if (strcmp(name, ncs_error_kind_name((enum ncs_error_kind)kind)) == 0)
            return (enum ncs_error_kind)kind;
    return NCS_KIND_LUA;
}

static void fill_from_object(lua_State *L, int index, struct ncs_run_error *e)
{
    char *kind = text_field(L, index, "kind");
    e->kind = error_kind(kind);
    ncs_free(kind);
    e->name = text_field(L, index, "name");
    e->call = text_field(L, index, "call");
    e->comm = text_field(L, index, "comm");
    e->label = text_field(L, index, "label");
    e->message = text_field(L, index, "message");
    e->detail = text_field(L, index, "detail");
    lua_pushliteral(L, "code");
    lua_rawget(L, index);
    e->code = (int)lua_tointeger(L, -1);
    lua_pushliteral(L, "line");
    lua_rawget(L, index);
    int line = (int)lua_tointeger(L, -1);
    if (line > 0 && e->place.file) /* raised there, perhaps raised again elsewhere */
        e->place.line = line;
    lua_pop(L, 2);
}

/* The first entries of a plain table as text: { code = 3, text = "no" }. Inner tables
 * are not expanded. */
static void push_contents(lua_State *L, int table)
{
    char text[200] = "{";
    size_t room = 120, at = 1;
    lua_Integer count = ncs_lua_keys(L, table);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, table);
        bool quoted = lua_type(L, list + 2) == LUA_TSTRING, named = !lua_isinteger(L, list + 1);
        ncs_lua_text(L, list + 1);
        ncs_lua_text(L, list + 2);
        const char *key = ncs_lua_whole_text(L, list + 3), *value = ncs_lua_whole_text(L, list + 4);
        if (at + strlen(key) + strlen(value) > room) {
            at += (size_t)snprintf(text + at, sizeof text - at, "%s ...", i > 1 ? "," : "");
            break;
        }
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %s%s%s%s%s", i > 1 ? "," : "", named ? key : "",
                               named ? " = " : "", quoted ? "\"" : "", value, quoted ? "\"" : "");
    }
    lua_settop(L, list - 1);
    lua_pushfstring(L, "%s%s", text, at > 1 ? " }" : "}");
}

void ncs_lua_shown(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    luaL_checkstack(L, 12, NULL);
    if (lua_type(L, index) == LUA_TTABLE && !luaL_getmetafield(L, index, "__tostring")) {
        lua_pushliteral(L, "message");
        if (lua_rawget(L, index) == LUA_TSTRING)
            return;
        lua_pop(L, 1);
        push_contents(L, index);
        return;
    }
    ncs_lua_text(L, index);
}

/* Runs in a protected call, because the script's __tostring may do anything. */
static int plain_text(lua_State *L)
{
    ncs_lua_shown(L, 1);
    ncs_lua_whole_text(L, -1);
    return 1;
}

static char *message_of(lua_State *L, int index)
{
    char *text = NULL;
    struct ncs_heap *heap = &ncs_lua_rank(L)->heap;
    lua_pushcfunction(L, plain_text);
    lua_pushvalue(L, index);
    bool refused = ncs_heap_refuse(heap, true);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_isstring(L, -1))
        text = ncs_safe_copy(lua_tostring(L, -1));
    ncs_heap_refuse(heap, refused);
    lua_pop(L, 1);
    return text ? text : ncs_copy_text("an error that has no text");
}

const char *ncs_lua_skip_place(const char *text, const char *file, int *line)
{
    enum { TAIL = LUA_IDSIZE - 4 }; /* Lua shortens a path to "...TAIL" */
    const char *at = text, *end;
    size_t n = strlen(file);
    if (n > TAIL + 3 && strncmp(text, "...", 3) == 0) {
        at += 3;
        file += n - TAIL;
        n = TAIL;
    }
    if (strncmp(at, file, n) != 0 || at[n] != ':')
        return text;
    long number = strtol(at + n + 1, (char **)&end, 10);
    if (number < 1 || number > INT_MAX || end[0] != ':' || end[1] != ' ')
        return text;
    *line = (int)number;
    return end + 2;
}

/* Skips a place in a file of the script at the beginning of the text, and stores it. Returns the
 * text itself if there is none. */
static const char *take_place(const char *text, const struct ncs_script *script, struct ncs_place *place)
{
    const char *rest = text;
    for (const struct ncs_chunk *c = &script->main; rest == text && c; c = c == &script->main ? script->modules : c->next) {
        rest = ncs_lua_skip_place(text, c->file, &place->line);
        if (rest != text)
            place->file = c->file;
    }
    return rest;
}

/* Makes the message one line and moves its leading place to e->place, because error(text, 2) may
 * blame a caller in another file. Each coroutine.wrap that the error passed has prepended its own
 * place, so the last one is where the error was raised. */
static void tidy(struct ncs_run_error *e, const struct ncs_script *script)
{
    const char *rest = e->message;
    for (const char *before = NULL; e->place.file && rest != before;) {
        before = rest;
        rest = take_place(before, script, &e->place);
    }
    memmove(e->message, rest, strlen(rest) + 1);
    for (char *c = e->message; *c; c++)
        if (*c == '\n' || *c == '\r')
            *c = ' ';
}

/* The driver's threads, which run a stream's functions, have negative numbers. */
static int error_thread_of(const struct ncs_lua_thread *t)
{
    return t->local && t->local->thread > 0 ? t->local->thread : 0;
}

static void become_memory(struct ncs_run_error *e)
{
    char budget[NCS_BUDGET_WORDS];
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "not enough memory for what the script holds: %s is used up", ncs_budget_words(budget));
    ncs_free(e->message);
    ncs_free(e->name);
    e->message = ncs_str_take(&text);
    e->name = ncs_copy_text(ncs_error_kind_name(NCS_KIND_MEMORY));
    e->kind = NCS_KIND_MEMORY;
}

/* Converts the error on top of L. */
static struct ncs_run_error error_of(struct ncs_lua_thread *t, lua_State *L)
{
    struct ncs_lua_rank *rank = t->rank;
    struct ncs_run_error e = { .kind = NCS_KIND_LUA, .rank = rank->rank, .thread = error_thread_of(t), .place = t->failed };
    int top = lua_gettop(L);
    bool refused = ncs_heap_refuse(&rank->heap, false); /* no protected call is active here */
    if (lua_type(L, top) == LUA_TTABLE && !ncs_lua_is_error(L, top)) {
        e.detail = text_field(L, top, "traceback");
        lua_pushliteral(L, "value");
        lua_rawget(L, top);
    } else {
        lua_pushvalue(L, top);
    }
    int value = lua_gettop(L);
    if (ncs_lua_is_error(L, value)) {
        char *traceback = e.detail;
        fill_from_object(L, value, &e);
        if (e.detail)
            ncs_free(traceback);
        else
            e.detail = traceback;
    }
    if (!e.name)
        e.name = ncs_copy_text("lua");
    if (!e.message)
        e.message = message_of(L, value);
    if (lua_type(L, top) == LUA_TSTRING && strcmp(e.message, "not enough memory") == 0)
        become_memory(&e); /* Lua raises it without a message handler */
    tidy(&e, rank->script);
    lua_settop(L, top);
    ncs_heap_refuse(&rank->heap, refused);
    return e;
}

/* True if a call failed, which the journal recorded. An error that NCCL found during a wait belongs
 * to no call. */
static bool is_of_call(const struct ncs_run_error *e)
{
    bool library = e->kind == NCS_KIND_NCCL || e->kind == NCS_KIND_CUDA;
    return library && e->call && strcmp(e->call, "ncclCommGetAsyncError") != 0;
}

/* The first line of the error's text. Calls no function of the script to produce it. */
static char *first_line_of(lua_State *L, int value)
{
    char text[512];
    if (lua_type(L, value) == LUA_TTABLE) {
        lua_pushliteral(L, "message");
        lua_rawget(L, value);
    }
    bool words = lua_type(L, -1) == LUA_TSTRING;
    snprintf(text, sizeof text, "%s", words ? lua_tostring(L, -1) : luaL_typename(L, value));
    lua_settop(L, value);
    text[strcspn(text, "\r\n")] = '\0'; /* the rest is usually a traceback */
    return ncs_safe_copy(text);
}

void ncs_lua_caught(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    struct ncs_caught c = { .at = ncs_lua_where(L), .last = INT_MAX };
    struct ncs_run_error e = { .kind = NCS_KIND_LUA, .place = c.at };
    lua_Debug ar;
    if (!rank->run || !lua_checkstack(L, 4))
        return;
    bool refused = ncs_heap_refuse(&rank->heap, false); /* to catch an error raises no other */
    if (ncs_lua_is_error(L, lua_gettop(L)))
        fill_from_object(L, lua_gettop(L), &e);
    if (!e.message)
        e.message = first_line_of(L, lua_gettop(L));
    tidy(&e, rank->script);
    c.place = e.place;
    c.text = e.message;
    if (lua_getstack(L, 1, &ar) && lua_getinfo(L, "S", &ar) && ar.lastlinedefined > 0) {
        c.first = ar.linedefined;
        c.last = ar.lastlinedefined;
    }
    if (!is_of_call(&e))
        ncs_journal_caught(ncs_run_journal(rank->run), &c);
    ncs_run_error_free(&e);
    ncs_heap_refuse(&rank->heap, refused);
}

void ncs_lua_report(struct ncs_lua_thread *t, lua_State *L)
{
    struct ncs_run_error e = error_of(t, L);
    ncs_run_error(t->rank->run, &e);
}

char *ncs_lua_error_line(struct ncs_lua_thread *t, lua_State *L, int line)
{
    struct ncs_run_error e = error_of(t, L);
    struct ncs_str text = { 0 };
    if (e.place.line > 0 && e.place.line != line)
        ncs_str_addf(&text, "line %d: ", e.place.line);
    ncs_str_add(&text, e.message);
    ncs_run_error_free(&e);
    return ncs_str_take(&text);
}
