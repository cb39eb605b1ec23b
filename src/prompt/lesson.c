#include "prompt/lesson.h"

#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "base/budget.h"
#include "base/mem.h"
#include "prompt/private.h"
#include "prompt/view.h"
#include "script/heap.h"
#include "script/pattern.h"

#define STEPS_OF_LUA 200000000 /* instructions that a lesson's function may take */
#define WATCH 10000            /* instructions between checks of the limits */
#define MARKING "ncclscript.marking" /* of the registry: the functions of lua/marking.lua */

extern const unsigned char ncs_lua_marking[];
extern const size_t ncs_lua_marking_bytes;

struct ncs_lesson {
    struct ncs_heap heap;
    int64_t left;      /* instructions of the function that runs */
    lua_State *L;      /* 1: the lesson's table, 2: its steps */
    char *name, *title;
    int ranks;
    size_t steps;
};

const char *ncs_lesson_title(const struct ncs_lesson *l)
{
    return l->title;
}

int ncs_lesson_ranks(const struct ncs_lesson *l)
{
    return l->ranks;
}

size_t ncs_lesson_steps(const struct ncs_lesson *l)
{
    return l->steps;
}

void ncs_lesson_free(struct ncs_lesson *l)
{
    if (!l)
        return;
    if (l->L)
        lua_close(l->L);
    ncs_heap_free(&l->heap);
    ncs_free(l->name);
    ncs_free(l->title);
    ncs_free(l);
}

/* ---- reading ---- */

static struct ncs_lesson *lesson_of(lua_State *L)
{
    return *(struct ncs_lesson **)lua_getextraspace(L);
}

/* Raises an error at every instruction once the limit is exceeded, so that the lesson cannot catch it and go on. */
static void lesson_too_long(lua_State *L, lua_Debug *ar)
{
    struct ncs_lesson *l = lesson_of(L);
    (void)ar;
    l->left -= WATCH + (int64_t)ncs_heap_charged(&l->heap);
    if (l->left >= 0) {
        lua_sethook(L, lesson_too_long, LUA_MASKCOUNT, WATCH);
        return;
    }
    lua_sethook(L, lesson_too_long, LUA_MASKCOUNT, 1);
    luaL_error(L, "the lesson used up its instruction budget");
}

/* Calls the lesson's own code, with limited steps and memory. */
static int lesson_call(struct ncs_lesson *l, int args, int results)
{
    ncs_heap_refuse(&l->heap, true);
    l->left = STEPS_OF_LUA;
    lua_sethook(l->L, lesson_too_long, LUA_MASKCOUNT, WATCH);
    int status = lua_pcall(l->L, args, results, 0);
    lua_sethook(l->L, NULL, 0, 0);
    ncs_heap_refuse(&l->heap, false);
    return status;
}

static void open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        { "_G", luaopen_base }, { "string", luaopen_string }, { "table", luaopen_table },
        { "math", luaopen_math }, { "utf8", luaopen_utf8 }, { NULL, NULL },
    };
    static const char *const refused[] = { "dofile", "loadfile", "load", "require", "setmetatable", "print",
                                           "collectgarbage", NULL };
    for (const luaL_Reg *l = libraries; l->name; l++) {
        luaL_requiref(L, l->name, l->func, 1);
        lua_pop(L, 1);
    }
    for (int i = 0; refused[i]; i++) {
        lua_pushnil(L);
        lua_setglobal(L, refused[i]);
    }
    if (luaL_loadbufferx(L, (const char *)ncs_lua_marking, ncs_lua_marking_bytes, "@marking", "t") == LUA_OK &&
        lua_pcall(L, 0, 1, 0) == LUA_OK)
        lua_setfield(L, LUA_REGISTRYINDEX, MARKING);
    lua_settop(L, 0);
    lua_getglobal(L, "string");
    ncs_lua_search(L);
    lua_getglobal(L, "table");
    lua_pushnil(L); /* removed: table.move iterates over any number of absent elements */
    lua_setfield(L, -2, "move");
    lua_pop(L, 2);
}

static bool lesson_fail(struct ncs_error *err, const char *name, const char *text)
{
    ncs_fail(err, NCS_BAD_INPUT, "%s", text);
    return ncs_fail_at(err, name, 0, 0);
}

static bool is_text(lua_State *L, int table, const char *key, bool needed)
{
    int type = lua_getfield(L, table, key);
    lua_pop(L, 1);
    return type == LUA_TSTRING || (!needed && type == LUA_TNIL);
}

/* Files are a table of texts by name, of the lesson's folder. */
static bool are_files(lua_State *L, int step)
{
    bool ok = true;
    int type = lua_getfield(L, step, "files"), files = lua_gettop(L);
    if (type == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, files); lua_pop(L, 1))
            ok &= lua_type(L, -2) == LUA_TSTRING && lua_type(L, -1) == LUA_TSTRING &&
                  shell_is_name(lua_tostring(L, -2));
    lua_settop(L, files - 1);
    return ok && (type == LUA_TTABLE || type == LUA_TNIL);
}

/* Checks a step; pushes the mistake as text, or nothing if the step is well formed. */
static const char *wrong_with_step(lua_State *L, int step)
{
    static const char *const texts[] = { "text", "setup", "task", "right", "solution", NULL };
    static const char *const known[] = { "text", "setup", "task", "right", "solution", "check", "hints",
                                         "wrong", "calls", "fills", "reply", "answer", "files", NULL };
    if (lua_type(L, step) != LUA_TTABLE)
        return "is no table";
    for (int i = 0; texts[i]; i++)
        if (!is_text(L, step, texts[i], i == 0))
            return lua_pushfstring(L, "has no %s, expected a text", texts[i]);
    for (lua_pushnil(L); lua_next(L, step); lua_pop(L, 1)) {
        int i = 0;
        while (known[i] && !(lua_type(L, -2) == LUA_TSTRING && strcmp(known[i], lua_tostring(L, -2)) == 0))
            i++;
        if (!known[i])
            return lua_pushfstring(L, "has an unknown key '%s'", lua_type(L, -2) == LUA_TSTRING
                                                                     ? lua_tostring(L, -2) : "?");
    }
    bool task = lua_getfield(L, step, "task") != LUA_TNIL;
    bool check = lua_getfield(L, step, "check") == LUA_TFUNCTION;
    bool solution = lua_getfield(L, step, "solution") != LUA_TNIL;
    bool answer = lua_getfield(L, step, "answer") == LUA_TSTRING;
    lua_pop(L, 4);
    if (answer ? !task || check || solution : task != check || task != solution)
        return "has one of task, check (a function) and solution without the others; a question has a task and an "
               "answer (a text)";
    if (!are_files(L, step))
        return "has files that are not texts by plain names";
    int calls = lua_getfield(L, step, "calls");
    lua_pop(L, 1);
    if (calls != LUA_TNIL && (calls != LUA_TTABLE || !task))
        return "has calls that are no table, or no task";
    return NULL;
}

static bool read_steps(struct ncs_lesson *l, struct ncs_error *err)
{
    lua_State *L = l->L;
    if (lua_getfield(L, 1, "steps") != LUA_TTABLE || lua_rawlen(L, 2) == 0)
        return lesson_fail(err, l->name, "a lesson has steps, a list of tables");
    l->steps = lua_rawlen(L, 2);
    for (size_t i = 1; i <= l->steps; i++) {
        lua_rawgeti(L, 2, (lua_Integer)i);
        const char *wrong = wrong_with_step(L, 3);
        if (wrong) {
            ncs_fail(err, NCS_BAD_INPUT, "step %zu %s", i, wrong);
            return ncs_fail_at(err, l->name, 0, 0);
        }
        lua_settop(L, 2);
    }
    return true;
}

static bool read_head(struct ncs_lesson *l, struct ncs_error *err)
{
    lua_State *L = l->L;
    if (lua_type(L, 1) != LUA_TTABLE)
        return lesson_fail(err, l->name, "a lesson returns a table with title, ranks and steps");
    if (lua_getfield(L, 1, "title") != LUA_TSTRING)
        return lesson_fail(err, l->name, "a lesson has a title, a text");
    l->title = ncs_copy_text(lua_tostring(L, -1));
    lua_pop(L, 1);
    l->ranks = NCS_PROMPT_RANKS;
    if (lua_getfield(L, 1, "ranks") != LUA_TNIL) {
        if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1 || lua_tointeger(L, -1) > 1024)
            return lesson_fail(err, l->name, "ranks of a lesson must be 1..1024");
        l->ranks = (int)lua_tointeger(L, -1);
    }
    lua_pop(L, 1);
    return true;
}

struct ncs_lesson *ncs_lesson_read(const char *name, const char *text, size_t bytes,
                                   struct ncs_error *err)
{
    struct ncs_lesson *l = ncs_new(sizeof *l);
    l->name = ncs_copy_text(name);
    l->L = ncs_heap_state(&l->heap);
    struct ncs_str chunk = { 0 };
    ncs_str_addf(&chunk, "@%s", name);
    bool ok = l->L != NULL;
    char budget[NCS_BUDGET_WORDS];
    if (ok) {
        *(struct ncs_lesson **)lua_getextraspace(l->L) = l;
        open_libraries(l->L);
        ok = luaL_loadbufferx(l->L, text, bytes, chunk.text, "t") == LUA_OK;
        int status = ok ? lesson_call(l, 0, 1) : LUA_ERRSYNTAX;
        ok = status == LUA_OK;
        if (status == LUA_ERRMEM)
            ncs_fail(err, NCS_NO_MEMORY, "the lesson %s uses up %s", name, ncs_budget_words(budget));
        else if (!ok)
            lesson_fail(err, "",
                        lua_isstring(l->L, -1) ? lua_tostring(l->L, -1) : "the lesson fails");
    } else {
        ncs_fail(err, NCS_NO_MEMORY, "no memory for the lesson %s", name);
    }
    ncs_str_free(&chunk);
    if (ok && read_head(l, err) && read_steps(l, err))
        return l;
    ncs_lesson_free(l);
    return NULL;
}

/* ---- parts of a step ---- */

static void push_step(struct ncs_lesson *l, size_t step)
{
    lua_settop(l->L, 2);
    lua_rawgeti(l->L, 2, (lua_Integer)step + 1);
}

/* The text stays valid: the lesson's tables hold it. */
const char *ncs_lesson_part(struct ncs_lesson *l, size_t step, const char *part)
{
    push_step(l, step);
    lua_getfield(l->L, 3, part);
    return lua_type(l->L, -1) == LUA_TSTRING ? lua_tostring(l->L, -1) : NULL;
}

const char *ncs_lesson_solution(struct ncs_lesson *l, size_t step)
{
    return ncs_lesson_part(l, step, ncs_lesson_asks(l, step) ? "answer" : "solution");
}

const char *ncs_lesson_hint(struct ncs_lesson *l, size_t step, size_t n)
{
    push_step(l, step);
    if (lua_getfield(l->L, 3, "hints") != LUA_TTABLE)
        return NULL;
    return lua_rawgeti(l->L, -1, (lua_Integer)n + 1) == LUA_TSTRING ? lua_tostring(l->L, -1) : NULL;
}

bool ncs_lesson_wrong(struct ncs_lesson *l, size_t step, size_t n, const char **input,
                      const char **said)
{
    push_step(l, step);
    if (lua_getfield(l->L, 3, "wrong") != LUA_TTABLE ||
        lua_rawgeti(l->L, -1, (lua_Integer)n + 1) != LUA_TTABLE)
        return false;
    *input = lua_rawgeti(l->L, -1, 1) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
    *said = lua_rawgeti(l->L, -2, 2) == LUA_TSTRING ? lua_tostring(l->L, -1) : "";
    return true;
}

bool ncs_lesson_has_task(struct ncs_lesson *l, size_t step)
{
    return ncs_lesson_part(l, step, "task") != NULL;
}

bool ncs_lesson_asks(struct ncs_lesson *l, size_t step)
{
    return ncs_lesson_part(l, step, "answer") != NULL;
}

bool ncs_lesson_file(struct ncs_lesson *l, size_t step, size_t n, const char **name, const char **text)
{
    lua_State *L = l->L;
    const char *before = NULL;
    push_step(l, step);
    if (lua_getfield(L, 3, "files") != LUA_TTABLE)
        return false;
    for (size_t i = 0; i <= n; i++, before = *name) {
        *name = NULL; /* the first one after `before` */
        for (lua_pushnil(L); lua_next(L, 4); lua_pop(L, 1)) {
            const char *key = lua_tostring(L, -2);
            if ((!before || strcmp(key, before) > 0) && (!*name || strcmp(key, *name) < 0)) {
                *name = key;
                *text = lua_tostring(L, -1);
            }
        }
        if (!*name)
            return false;
    }
    return true;
}

bool ncs_lesson_needs_folder(struct ncs_lesson *l)
{
    const char *name, *text;
    for (size_t i = 0; i < l->steps; i++)
        if (ncs_lesson_file(l, i, 0, &name, &text))
            return true;
    return false;
}

static enum ncs_marked mark_broken(struct ncs_lesson *l, struct ncs_str *say)
{
    ncs_str_clear(say);
    ncs_str_addf(say, "the lesson is broken: %s", lua_isstring(l->L, -1) ? lua_tostring(l->L, -1) : "?");
    return NCS_MARKED_BROKEN;
}

/* Calls a function of lua/marking.lua with the step, at index 3, the view, and an answer. It returns what is wrong. */
static enum ncs_marked mark_by(struct ncs_lesson *l, const char *function, struct ncs_prompt *p, const char *answer,
                               struct ncs_str *say)
{
    lua_State *L = l->L;
    lua_getfield(L, LUA_REGISTRYINDEX, MARKING);
    lua_getfield(L, -1, function);
    lua_pushvalue(L, 3);
    prompt_push_view(L, p);
    lua_pushstring(L, answer);
    if (lesson_call(l, 3, 1) != LUA_OK)
        return mark_broken(l, say);
    if (lua_type(L, -1) != LUA_TSTRING)
        return NCS_MARKED_RIGHT;
    ncs_str_clear(say);
    ncs_str_add(say, lua_tostring(L, -1));
    return NCS_MARKED_NOT_YET;
}

enum ncs_marked ncs_lesson_mark(struct ncs_lesson *l, size_t step, struct ncs_prompt *p, const char *answer,
                                struct ncs_str *say)
{
    lua_State *L = l->L;
    if (ncs_lesson_asks(l, step)) {
        lua_settop(L, 3);
        return answer ? mark_by(l, "answer", p, answer, say) : NCS_MARKED_NOT_YET;
    }
    push_step(l, step);
    lua_getfield(L, 3, "check");
    prompt_push_view(L, p);
    if (lesson_call(l, 1, 2) != LUA_OK)
        return mark_broken(l, say);
    if (lua_type(L, -1) == LUA_TSTRING)
        ncs_str_add(say, lua_tostring(L, -1));
    if (!lua_toboolean(L, -2))
        return NCS_MARKED_NOT_YET;
    lua_settop(L, 3);
    return lua_getfield(L, 3, "calls") == LUA_TNIL ? NCS_MARKED_RIGHT : mark_by(l, "calls", p, NULL, say);
}

bool ncs_lesson_forbids_fills(struct ncs_lesson *l, size_t step)
{
    push_step(l, step);
    bool fills = lua_getfield(l->L, 3, "fills") != LUA_TNIL && lua_toboolean(l->L, -1);
    return lua_getfield(l->L, 3, "calls") != LUA_TNIL && !fills;
}

bool ncs_lesson_asks_reply(struct ncs_lesson *l, size_t step)
{
    push_step(l, step);
    lua_getfield(l->L, 3, "reply");
    return lua_toboolean(l->L, -1);
}
