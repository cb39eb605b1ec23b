#include "prompt/lesson.h"

#include <string.h>

#include <lauxlib.h>
#include <lualib.h>

#include "base/mem.h"
#include "prompt/lesson_private.h"
#include "prompt/private.h"
#include "prompt/view.h"
#include "script/guards.h"

#define STEPS_OF_LUA 200000000 /* instructions that a lesson's function may take */
#define WATCH 10000            /* instructions between checks of the limits */

extern const unsigned char ncs_lua_marking[];
extern const size_t ncs_lua_marking_bytes;

/* ---- the lesson's own code ---- */

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

int lesson_call(struct ncs_lesson *l, int args, int results)
{
    ncs_heap_refuse(&l->heap, true);
    l->left = STEPS_OF_LUA;
    lua_sethook(l->L, lesson_too_long, LUA_MASKCOUNT, WATCH);
    int status = lua_pcall(l->L, args, results, 0);
    lua_sethook(l->L, NULL, 0, 0);
    ncs_heap_refuse(&l->heap, false);
    return status;
}

void lesson_open_libraries(lua_State *L)
{
    static const luaL_Reg libraries[] = {
        { "_G", luaopen_base },   { "string", luaopen_string }, { "table", luaopen_table },
        { "math", luaopen_math }, { "utf8", luaopen_utf8 },     { NULL, NULL },
    };
    static const char *const refused[] = { "dofile",       "loadfile", "load",           "require",
                                           "setmetatable", "print",    "collectgarbage", NULL };
    for (const luaL_Reg *l = libraries; l->name; l++) {
        luaL_requiref(L, l->name, l->func, 1);
        lua_pop(L, 1);
    }
    for (int i = 0; refused[i]; i++) {
        lua_pushnil(L);
        lua_setglobal(L, refused[i]);
    }
    ncs_lua_guard(L);
    if (luaL_loadbufferx(L, (const char *)ncs_lua_marking, ncs_lua_marking_bytes, "@marking", "t") != LUA_OK)
        lua_error(L);
    lua_call(L, 0, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, NCS_LESSON_MARKING);
    lua_settop(L, 0);
}

/* ---- texts ---- */

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

const char *ncs_lesson_text(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].text[LESSON_TEXT];
}

const char *ncs_lesson_setup(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].text[LESSON_SETUP];
}

const char *ncs_lesson_task(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].text[LESSON_TASK];
}

const char *ncs_lesson_right(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].text[LESSON_RIGHT];
}

const char *ncs_lesson_solution(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].text[ncs_lesson_asks(l, step) ? LESSON_ANSWER : LESSON_SOLUTION];
}

const char *ncs_lesson_hint(const struct ncs_lesson *l, size_t step, size_t n)
{
    const struct lesson_list *hints = &l->step[step].hints;
    return n < hints->items ? hints->item[n].first : NULL;
}

static bool pair_at(const struct lesson_list *list, size_t n, const char **first, const char **second)
{
    if (n >= list->items)
        return false;
    *first = list->item[n].first;
    *second = list->item[n].second;
    return true;
}

bool ncs_lesson_wrong(const struct ncs_lesson *l, size_t step, size_t n, const char **input, const char **said)
{
    return pair_at(&l->step[step].wrong, n, input, said);
}

bool ncs_lesson_file(const struct ncs_lesson *l, size_t step, size_t n, const char **name, const char **text)
{
    return pair_at(&l->step[step].files, n, name, text);
}

bool ncs_lesson_needs_folder(const struct ncs_lesson *l)
{
    for (size_t i = 0; i < l->steps; i++)
        if (l->step[i].files.items)
            return true;
    return false;
}

bool ncs_lesson_asks(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].text[LESSON_ANSWER];
}

bool ncs_lesson_asks_reply(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].reply;
}

bool ncs_lesson_forbids_fills(const struct ncs_lesson *l, size_t step)
{
    return l->step[step].has_calls && !l->step[step].fills;
}

/* ---- marks ---- */

static enum ncs_marked mark_broken(struct ncs_lesson *l, struct ncs_str *say)
{
    ncs_str_clear(say);
    ncs_str_addf(say, "the lesson is broken: %s", lua_isstring(l->L, -1) ? lua_tostring(l->L, -1) : "?");
    return NCS_MARKED_BROKEN;
}

/* Calls a function of lua/marking.lua with the step, the view, and an answer. It returns what is wrong. */
static enum ncs_marked mark_by(struct ncs_lesson *l, const char *function, size_t step, struct ncs_prompt *p, const char *answer,
                               struct ncs_str *say)
{
    lua_State *L = l->L;
    lua_settop(L, 0);
    lua_getfield(L, LUA_REGISTRYINDEX, NCS_LESSON_MARKING);
    lua_getfield(L, 1, function);
    lua_rawgeti(L, LUA_REGISTRYINDEX, l->step[step].table);
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

enum ncs_marked ncs_lesson_mark(struct ncs_lesson *l, size_t step, struct ncs_prompt *p, const char *answer, struct ncs_str *say)
{
    lua_State *L = l->L;
    if (ncs_lesson_asks(l, step))
        return answer ? mark_by(l, "answer", step, p, answer, say) : NCS_MARKED_NOT_YET;
    if (!ncs_lesson_task(l, step) || !p->run)
        return NCS_MARKED_NOT_YET;
    lua_settop(L, 0);
    lua_rawgeti(L, LUA_REGISTRYINDEX, l->step[step].check);
    prompt_push_view(L, p);
    if (lesson_call(l, 1, 2) != LUA_OK)
        return mark_broken(l, say);
    if (lua_type(L, -1) == LUA_TSTRING)
        ncs_str_add(say, lua_tostring(L, -1));
    if (!lua_toboolean(L, -2))
        return NCS_MARKED_NOT_YET;
    return l->step[step].has_calls ? mark_by(l, "calls", step, p, NULL, say) : NCS_MARKED_RIGHT;
}

/* ---- the end ---- */

static void list_free(struct lesson_list *list)
{
    for (size_t i = 0; i < list->items; i++) {
        ncs_free(list->item[i].first);
        ncs_free(list->item[i].second);
    }
    ncs_free(list->item);
}

void ncs_lesson_free(struct ncs_lesson *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->steps; i++) {
        for (int k = 0; k < LESSON_TEXTS; k++)
            ncs_free(l->step[i].text[k]);
        list_free(&l->step[i].hints);
        list_free(&l->step[i].wrong);
        list_free(&l->step[i].files);
    }
    ncs_free(l->step);
    if (l->L)
        lua_close(l->L);
    ncs_heap_free(&l->heap);
    ncs_free(l->name);
    ncs_free(l->title);
    ncs_free(l);
}
