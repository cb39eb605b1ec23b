#include "script/state.h"

#include <string.h>

#include "base/mem.h"
#include "script/object.h"

/* A text in the script's list of interned ones. */
struct text {
    struct text *next; /* of the same hash */
    char text[];
};

const char *ncs_script_intern(struct ncs_script *s, const char *text)
{
    size_t bytes = strlen(text) + 1;
    uint64_t key = ncs_hash_bytes(1, text, bytes);
    struct text *first = ncs_map_get(&s->texts, key);
    for (struct text *t = first; t; t = t->next)
        if (strcmp(t->text, text) == 0)
            return t->text;
    struct text *t = ncs_new(sizeof *t + bytes);
    memcpy(t->text, text, bytes);
    t->next = first;
    ncs_map_put(&s->texts, key, t);
    return t->text;
}

static void state_free_chain(void *first, void *arg)
{
    (void)arg;
    for (struct text *t = first, *next; t; t = next) {
        next = t->next;
        ncs_free(t);
    }
}

void ncs_script_free_texts(struct ncs_script *s)
{
    ncs_map_each(&s->texts, state_free_chain, NULL);
    ncs_map_free(&s->texts);
}

int ncs_lua_note_end(lua_State *L)
{
    lua_Debug ar;
    if (lua_isnoneornil(L, 2) && lua_getstack(L, 1, &ar) && lua_getinfo(L, "l", &ar) && ar.currentline > 0)
        ncs_lua_rank(L)->last_line = ar.currentline;
    return 0;
}

static bool is_own_name(const char *name)
{
    static const char *const own[] = { "rank", "nranks", "world", "stream" };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i], name) == 0)
            return true;
    return false;
}

/* __newindex. A typed line must not hide what lessons and help speak of. The file of a session may. */
static int make_variable(lua_State *L)
{
    lua_Debug ar;
    const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
    const struct ncs_chunk *file = &ncs_lua_rank(L)->script->main;
    bool typed = !file->text || (lua_getstack(L, 1, &ar) && lua_getinfo(L, "S", &ar) && strcmp(ar.short_src, file->file) != 0);
    if (typed && is_own_name(name) && lua_getfield(L, 1, name) != LUA_TNIL)
        return luaL_error(L, "`%s` is ready-made and stays as it is; choose another name", name);
    lua_settop(L, 3);
    lua_rawset(L, 1);
    return 0;
}

/* For a session: puts a table for variables in front of the environment on top. */
static void put_variables_before(lua_State *L)
{
    lua_newtable(L);
    lua_createtable(L, 0, 3);
    lua_pushcfunction(L, make_variable);
    lua_setfield(L, -2, "__newindex");
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_remove(L, -2);
}

/* Puts the parts of the environment into one locked table. */
static int set_up(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    ncs_lua_error_class(L);
    ncs_lua_sandbox(L);
    if (rank->run)
        ncs_object_begin(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "ncs.globals");
    ncs_lua_lock(L, lua_gettop(L), NULL);
    lua_getmetatable(L, -1);
    lua_pushcfunction(L, ncs_lua_note_end);
    lua_setfield(L, -2, "__close");
    lua_pop(L, 1);
    if (rank->script->session)
        put_variables_before(L);
    lua_pushvalue(L, -1);
    lua_setfield(L, LUA_REGISTRYINDEX, "ncs.environment");
    lua_pushvalue(L, -1); /* rank._G is the proxy, too; the real table is out of reach */
    lua_setfield(L, -3, "_G");
    return 0;
}

void ncs_lua_environment(lua_State *L)
{
    lua_getfield(L, LUA_REGISTRYINDEX, "ncs.environment");
}

static bool open_failed(const struct ncs_lua_rank *rank, struct ncs_error *err)
{
    return ncs_fail(err, NCS_NO_MEMORY, "no memory for the script's state of rank %d", rank->rank);
}

static void take_state(struct ncs_lua_rank *rank, lua_State *L)
{
    rank->L = L;
    rank->main.rank = rank;
    rank->main.L = rank->main.running = L;
    rank->main.device = rank->device;
    *(struct ncs_lua_thread **)lua_getextraspace(L) = &rank->main;
}

static bool state_call(struct ncs_lua_rank *rank, lua_State *L, int args, int results, struct ncs_error *err)
{
    if (lua_pcall(L, args, results, 0) == LUA_OK)
        return true;
    return ncs_fail(err, NCS_NO_MEMORY, "cannot set up the script's state of rank %d: %s", rank->rank,
                    lua_isstring(L, -1) ? lua_tostring(L, -1) : "no memory");
}

/* Makes the environment. */
static bool state_fill(struct ncs_lua_rank *rank, lua_State *L, struct ncs_error *err)
{
    take_state(rank, L);
    lua_gc(L, LUA_GCSTOP);
    lua_pushcfunction(L, set_up);
    return state_call(rank, L, 0, 0, err);
}

/* `more` goes on where the environment is complete; NULL = nothing. */
static bool state_go_on(struct ncs_lua_rank *rank, lua_CFunction more, struct ncs_error *err)
{
    bool done = true;
    lua_gc(rank->L, LUA_GCSTOP);
    if (more) {
        lua_pushcfunction(rank->L, ncs_lua_message);
        lua_pushcfunction(rank->L, more);
        done = state_call(rank, rank->L, 0, 1, err);
    }
    lua_gc(rank->L, LUA_GCRESTART);
    return done;
}

bool ncs_lua_open(struct ncs_lua_rank *rank, lua_CFunction more, struct ncs_error *err)
{
    lua_State *L = ncs_heap_state(&rank->heap);
    if (!L)
        return open_failed(rank, err);
    bool done = state_fill(rank, L, err) && state_go_on(rank, more, err);
    if (!done)
        ncs_lua_close(rank);
    return done;
}

/* ---- ranks of a run, copies of one state ---- */

enum { FIRST_ARENA = 64 << 10, LAST_ARENA = 1 << 20 };

/* The environment alone: what is in a model may not come from a scenario, since words of it that look like addresses move. */
static bool model_make(struct ncs_heap_model *model, const struct ncs_lua_rank *of, size_t bytes)
{
    struct ncs_error unused;
    struct ncs_lua_rank rank = *of;
    lua_State *L = ncs_heap_model_state(model, bytes);
    bool fits = L && state_fill(&rank, L, &unused) && ncs_heap_model_finish(model);
    if (!fits)
        ncs_heap_model_free(model);
    return fits;
}

bool ncs_lua_open_copy(struct ncs_lua_rank *rank, lua_CFunction more, struct ncs_error *err)
{
    struct ncs_script *s = rank->script;
    for (size_t bytes = FIRST_ARENA; !s->session && !s->modelled && bytes <= LAST_ARENA; bytes *= 4)
        s->modelled = model_make(&s->model, rank, bytes);
    s->modelled = true;
    if (!s->model.L)
        return ncs_lua_open(rank, more, err);
    lua_State *L = ncs_heap_copy(&rank->heap, &s->model);
    if (!L)
        return open_failed(rank, err);
    take_state(rank, L);
    bool done = state_go_on(rank, more, err);
    if (!done)
        ncs_lua_close(rank);
    return done;
}

void ncs_lua_close(struct ncs_lua_rank *rank)
{
    ncs_heap_free(&rank->heap);
    ncs_free(rank->held);
    rank->held = NULL;
    rank->L = NULL;
}
