/* spawn: a further thread of the rank, on a Lua thread of the rank's own state. */
#include "script/object.h"

#include <string.h>

struct script_thread {
    struct ncs_object head;
    struct ncs_lua_thread control;
    struct ncs_thread *thread; /* of the run */
    lua_State *L;              /* user value 1; the results or the error are on its stack */
    bool done, failed;
    bool listed;
};

static struct script_thread *of_control(struct ncs_lua_thread *control)
{
    return (struct script_thread *)((char *)control - offsetof(struct script_thread, control));
}

static char anchors; /* address = registry key of a table of threads not yet joined */

static void thread_list(lua_State *L, struct script_thread *s, int object)
{
    struct ncs_lua_rank *rank = s->control.rank;
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &anchors) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &anchors);
    }
    lua_pushvalue(L, object);
    lua_rawsetp(L, -2, s);
    lua_pop(L, 1);
    s->control.prev = rank->last_thread;
    if (rank->last_thread)
        rank->last_thread->next = &s->control;
    else
        rank->threads = &s->control;
    rank->last_thread = &s->control;
    s->listed = true;
}

static void unlist(lua_State *L, struct script_thread *s)
{
    struct ncs_lua_rank *rank = s->control.rank;
    struct ncs_lua_thread *next = s->control.next, *prev = s->control.prev;
    if (!s->listed)
        return;
    s->listed = false;
    *(prev ? &prev->next : &rank->threads) = next;
    *(next ? &next->prev : &rank->last_thread) = prev;
    if (rank->joining == &s->control)
        rank->joining = next;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &anchors);
    lua_pushnil(L);
    lua_rawsetp(L, -2, s);
    lua_pop(L, 1);
}

/* In the thread's own context. */
static void thread_main(void *arg)
{
    struct script_thread *s = arg;
    struct ncs_lua_thread *t = &s->control;
    lua_State *L = s->L;
    t->local = ncs_local;
    t->local->where = ncs_lua_thread_where;
    t->local->where_arg = t;
    /* handler, function, arguments */
    int status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 1);
    t->finished = status == LUA_OK;
    s->failed = status != LUA_OK && !t->cancelled;
    s->done = true;
    t->local->where = NULL; /* the object may be collected, the local stays */
    if (!s->failed)
        return;
    ncs_lua_report(t, L); /* until somebody joins */
}

static int spawn(lua_State *L)
{
    struct ncs_lua_thread *parent = ncs_lua_begin(L, "spawn", -1);
    struct ncs_lua_rank *rank = parent->rank;
    if (lua_type(L, 1) != LUA_TFUNCTION)
        return ncs_lua_wrong(L, 1, "fn", "a function");
    int n = lua_gettop(L);
    struct script_thread *s = ncs_object_new(L, NCS_CLASS_THREAD, sizeof *s, 1);
    int object = lua_gettop(L);
    s->L = lua_newthread(L);
    lua_setiuservalue(L, object, 1);
    s->control = (struct ncs_lua_thread){ .rank = rank, .L = s->L, .running = s->L, .device = rank->device };
    *(struct ncs_lua_thread **)lua_getextraspace(s->L) = &s->control;
    ncs_lua_watch(s->L);
    luaL_checkstack(L, n + 8, "too many arguments");
    if (!lua_checkstack(s->L, n + 8)) /* nothing protects that stack */
        return luaL_error(L, "too many arguments");
    lua_pushcfunction(s->L, ncs_lua_message);
    for (int i = 1; i <= n; i++)
        lua_pushvalue(L, i);
    lua_xmove(L, s->L, n);
    thread_list(L, s, object);
    struct ncs_error err = { 0 };
    parent->running = L;
    s->thread = ncs_run_spawn(rank->run, thread_main, s, &err);
    if (!s->thread) {
        unlist(L, s);
        if (err.status == NCS_NO_MEMORY)
            return ncs_lua_raise(L,
                                 &(struct ncs_lua_error){ .kind = "memory", .text = lua_pushfstring(L, "spawn: %s", err.text) });
        return ncs_lua_usage(L, "%s", err.text);
    }
    return 1;
}

static int thread_join(lua_State *L)
{
    struct script_thread *s = ncs_lua_method_any(L, NCS_CLASS_THREAD, "join", 0);
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    if (&s->control == t)
        return ncs_lua_usage(L, "a thread cannot join itself");
    t->running = L;
    ncs_thread_join(t->rank->run, s->thread);
    ncs_lua_check_cancel(L);
    unlist(L, s);
    int n = lua_gettop(s->L);
    if (!lua_checkstack(L, n) || !lua_checkstack(s->L, n))
        return luaL_error(L, "too many results");
    if (s->failed) {
        ncs_run_error_taken(t->rank->run, t->rank->rank, ncs_thread_local(s->thread)->thread);
        lua_pushvalue(s->L, n);
        lua_xmove(s->L, L, 1);
        if (lua_type(L, -1) == LUA_TTABLE && !ncs_lua_is_error(L, -1))
            lua_getfield(L, -1, "value"); /* without the message handler's traceback */
        return lua_error(L);
    }
    for (int i = 2; i <= n; i++) /* 1 is the message handler */
        lua_pushvalue(s->L, i);
    lua_xmove(s->L, L, n - 1);
    return n - 1;
}

void ncs_lua_join_all(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    rank->joining = rank->threads;
    while (rank->joining) {
        struct ncs_lua_thread *t = rank->joining;
        ncs_thread_join(rank->run, of_control(t)->thread);
        ncs_lua_check_cancel(L);
        if (rank->joining == t) /* else somebody else has joined it too */
            rank->joining = t->next;
    }
}

static int field_done(lua_State *L)
{
    struct script_thread *s = lua_touserdata(L, 1);
    ncs_lua_thread(L)->running = L;
    lua_pushboolean(L, ncs_thread_done(s->thread));
    return 1;
}

static int thread_text(lua_State *L)
{
    struct script_thread *s = lua_touserdata(L, 1);
    lua_pushfstring(L, "thread %I%s", (LUAI_UACINT)s->head.serial, s->done ? " (done)" : "");
    return 1;
}

static const luaL_Reg methods[] = { { "join", thread_join }, { NULL, NULL } };
static const luaL_Reg fields[] = { { "done", field_done }, { NULL, NULL } };

const struct ncs_class ncs_class_thread = { .name = "thread", .methods = { methods }, .fields = fields, .text = thread_text };

const luaL_Reg ncs_thread_functions[] = { { "spawn", spawn }, { NULL, NULL } };
