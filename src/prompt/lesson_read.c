/* Reads a lesson: runs its file, and copies what it returns. */
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

#include "base/budget.h"
#include "base/mem.h"
#include "prompt/lesson_private.h"
#include "prompt/shell.h"

#define FILES 64 /* of a step */

static const char *const text_names[LESSON_TEXTS] = {
    [LESSON_TEXT] = "text",   [LESSON_SETUP] = "setup",       [LESSON_TASK] = "task",
    [LESSON_RIGHT] = "right", [LESSON_SOLUTION] = "solution", [LESSON_ANSWER] = "answer",
};

/* ---- copies; each function pushes the mistake as text and returns it, or returns NULL ---- */

static char *copy_of(lua_State *L, int at)
{
    return ncs_copy_text(lua_tostring(L, at));
}

static bool is_plain_text(lua_State *L, int at)
{
    return lua_type(L, at) == LUA_TSTRING && strlen(lua_tostring(L, at)) == lua_rawlen(L, at);
}

static const char *read_texts(lua_State *L, int table, struct lesson_step *step)
{
    for (int i = 0; i < LESSON_TEXTS; i++) {
        lua_getfield(L, table, text_names[i]);
        if (is_plain_text(L, -1))
            step->text[i] = copy_of(L, -1);
        else if (i == LESSON_TEXT || lua_type(L, -1) != LUA_TNIL)
            return lua_pushfstring(L, "has no %s, expected a text", text_names[i]);
        lua_pop(L, 1);
    }
    return NULL;
}

/* A list of texts, or of pairs of texts of which the second may be missing. */
static const char *read_list(lua_State *L, int table, const char *name, bool pairs, struct lesson_list *list)
{
    int type = lua_getfield(L, table, name), from = lua_gettop(L);
    const char *mistake = lua_pushfstring(L, "has %s that are no list of %s", name, pairs ? "pairs of texts" : "texts");
    if (type == LUA_TNIL)
        return NULL;
    if (type != LUA_TTABLE)
        return mistake;
    for (lua_Integer i = 1; lua_rawgeti(L, from, i) != LUA_TNIL; i++) {
        struct lesson_pair item = { 0 };
        int value = lua_gettop(L);
        if (pairs ? lua_type(L, value) != LUA_TTABLE : !is_plain_text(L, value))
            return mistake;
        if (pairs) {
            lua_rawgeti(L, value, 1);
            lua_rawgeti(L, value, 2);
            if (!is_plain_text(L, value + 1) || !(is_plain_text(L, value + 2) || lua_isnil(L, value + 2)))
                return mistake;
            item.second = lua_isnil(L, value + 2) ? ncs_copy_text("") : copy_of(L, value + 2);
        }
        item.first = copy_of(L, pairs ? value + 1 : value);
        NCS_PUSH(list->item, list->items, list->room, item);
        lua_settop(L, value - 1);
    }
    return NULL;
}

static int by_file_name(const void *a, const void *b)
{
    return strcmp(((const struct lesson_pair *)a)->first, ((const struct lesson_pair *)b)->first);
}

static const char *read_lesson_files(lua_State *L, int table, struct lesson_list *list)
{
    int type = lua_getfield(L, table, "files"), from = lua_gettop(L);
    if (type == LUA_TNIL)
        return NULL;
    if (type != LUA_TTABLE)
        return "has files that are not texts by plain names";
    for (lua_pushnil(L); lua_next(L, from); lua_pop(L, 1)) {
        if (!is_plain_text(L, -2) || !is_plain_text(L, -1) || !shell_is_name(lua_tostring(L, -2)) || list->items == FILES)
            return "has files that are not texts by plain names, or too many";
        struct lesson_pair file = { copy_of(L, -2), copy_of(L, -1) };
        NCS_PUSH(list->item, list->items, list->room, file);
    }
    if (list->items)
        qsort(list->item, list->items, sizeof *list->item, by_file_name);
    return NULL;
}

/* ---- a step ---- */

static const char *unknown_key(lua_State *L, int table)
{
    static const char *const known[] = { "check", "hints", "wrong", "calls", "fills", "reply", "files", NULL };
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "?";
        bool is_known = false;
        for (int i = 0; i < LESSON_TEXTS; i++)
            is_known |= strcmp(key, text_names[i]) == 0;
        for (int i = 0; known[i]; i++)
            is_known |= strcmp(key, known[i]) == 0;
        if (!is_known)
            return lua_pushfstring(L, "has an unknown key '%s'", key);
    }
    return NULL;
}

/* The flags, and references to what the lesson's code does. */
static const char *read_functions(lua_State *L, int table, struct lesson_step *step)
{
    step->fills = lua_getfield(L, table, "fills") != LUA_TNIL && lua_toboolean(L, -1);
    step->reply = lua_getfield(L, table, "reply") != LUA_TNIL && lua_toboolean(L, -1);
    int calls = lua_getfield(L, table, "calls");
    step->has_calls = calls == LUA_TTABLE;
    if (calls != LUA_TNIL && (calls != LUA_TTABLE || !step->text[LESSON_TASK]))
        return "has calls that are no table, or no task";
    int check = lua_getfield(L, table, "check");
    step->check = check == LUA_TFUNCTION ? luaL_ref(L, LUA_REGISTRYINDEX) : LUA_NOREF;
    lua_pushvalue(L, table);
    step->table = luaL_ref(L, LUA_REGISTRYINDEX);
    bool task = step->text[LESSON_TASK], solution = step->text[LESSON_SOLUTION];
    if (step->text[LESSON_ANSWER] ? !task || check != LUA_TNIL || solution : task != (check == LUA_TFUNCTION) || task != solution)
        return "has one of task, check (a function) and solution without the others; a question has a task and an "
               "answer (a text)";
    return NULL;
}

static const char *read_step(lua_State *L, int table, struct lesson_step *step)
{
    if (lua_type(L, table) != LUA_TTABLE)
        return "is no table";
    const char *wrong = read_texts(L, table, step);
    wrong = wrong ? wrong : unknown_key(L, table);
    wrong = wrong ? wrong : read_list(L, table, "hints", false, &step->hints);
    wrong = wrong ? wrong : read_list(L, table, "wrong", true, &step->wrong);
    wrong = wrong ? wrong : read_lesson_files(L, table, &step->files);
    return wrong ? wrong : read_functions(L, table, step);
}

/* ---- the whole; runs inside a protected call, as it allocates Lua's memory ---- */

static bool lesson_complain(struct ncs_error *err, const char *name, const char *text)
{
    ncs_fail(err, NCS_BAD_INPUT, "%s", text);
    return ncs_fail_at(err, name, 0, 0);
}

static bool read_steps(struct ncs_lesson *l, int lesson, struct ncs_error *err)
{
    lua_State *L = l->L;
    int steps = lesson + 1;
    if (lua_getfield(L, lesson, "steps") != LUA_TTABLE || lua_rawlen(L, steps) == 0)
        return lesson_complain(err, l->name, "a lesson has steps, a list of tables");
    size_t count = lua_rawlen(L, steps);
    l->step = ncs_new(count * sizeof *l->step);
    for (l->steps = 0; l->steps < count; lua_settop(L, steps)) {
        struct lesson_step *step = &l->step[l->steps++];
        lua_rawgeti(L, steps, (lua_Integer)l->steps);
        const char *wrong = read_step(L, steps + 1, step);
        if (wrong) {
            ncs_fail(err, NCS_BAD_INPUT, "step %zu %s", l->steps, wrong);
            return ncs_fail_at(err, l->name, 0, 0);
        }
    }
    return true;
}

static bool read_head(struct ncs_lesson *l, int lesson, struct ncs_error *err)
{
    lua_State *L = l->L;
    if (lua_type(L, lesson) != LUA_TTABLE)
        return lesson_complain(err, l->name, "a lesson returns a table with title, ranks and steps");
    lua_getfield(L, lesson, "title");
    if (!is_plain_text(L, -1))
        return lesson_complain(err, l->name, "a lesson has a title, a text");
    l->title = copy_of(L, -1);
    l->ranks = NCS_PROMPT_RANKS;
    if (lua_getfield(L, lesson, "ranks") != LUA_TNIL) {
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > 1024)
            return lesson_complain(err, l->name, "ranks of a lesson must be 1..1024");
        l->ranks = (int)lua_tointeger(L, -1);
    }
    lua_settop(L, lesson);
    return true;
}

struct reading {
    struct ncs_lesson *lesson;
    const char *chunk, *text;
    size_t bytes;
    struct ncs_error *err;
    bool ok;
};

static int read_protected(lua_State *L)
{
    struct reading *r = lua_touserdata(L, 1);
    struct ncs_lesson *l = r->lesson;
    lua_settop(L, 0);
    lesson_open_libraries(L);
    if (luaL_loadbufferx(L, r->text, r->bytes, r->chunk, "t") != LUA_OK)
        return lua_error(L);
    lua_call(L, 0, 1);
    r->ok = read_head(l, 1, r->err) && read_steps(l, 1, r->err);
    return 0;
}

struct ncs_lesson *ncs_lesson_read(const char *name, const char *text, size_t bytes, struct ncs_error *err)
{
    struct ncs_lesson *l = ncs_new(sizeof *l);
    struct ncs_str chunk = { 0 };
    char budget[NCS_BUDGET_WORDS];
    l->name = ncs_copy_text(name);
    l->L = ncs_heap_state(&l->heap);
    ncs_str_addf(&chunk, "@%s", name);
    struct reading r = { l, chunk.text, text, bytes, err, false };
    int status = LUA_ERRMEM;
    if (l->L) {
        *(struct ncs_lesson **)lua_getextraspace(l->L) = l;
        lua_pushcfunction(l->L, read_protected);
        lua_pushlightuserdata(l->L, &r);
        status = lesson_call(l, 1, 0);
    }
    if (!l->L)
        ncs_fail(err, NCS_NO_MEMORY, "no memory for the lesson %s", name);
    else if (status == LUA_ERRMEM)
        ncs_fail(err, NCS_NO_MEMORY, "the lesson %s uses up %s", name, ncs_budget_words(budget));
    else if (status != LUA_OK)
        lesson_complain(err, "", lua_isstring(l->L, -1) ? lua_tostring(l->L, -1) : "the lesson fails");
    ncs_str_free(&chunk);
    if (r.ok) {
        lua_settop(l->L, 0);
        return l;
    }
    ncs_lesson_free(l);
    return NULL;
}
