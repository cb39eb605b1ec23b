/* string.find, match, gmatch and gsub as in Lua's manual (5.4, section 6.4), with a matcher that
 * always ends. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include <lauxlib.h>

#include "script/heap.h"
#include "script/pattern.h"

#define STEPS_MOST UINT64_C(200000000) /* most steps of one call: about a second */

/* A matcher for the text at 1 and the pattern at 2. */
static struct ncs_matcher matcher_of(lua_State *L, int text, int pattern)
{
    struct ncs_matcher m = { .L = L, .most = STEPS_MOST };
    size_t bytes;
    m.text = luaL_checklstring(L, text, &bytes);
    m.text_end = m.text + bytes;
    m.pattern = luaL_checklstring(L, pattern, &bytes);
    m.pattern_end = m.pattern + bytes;
    return m;
}

/* An anchor at the beginning of the pattern is taken off. */
static bool take_anchor(struct ncs_matcher *m)
{
    bool anchored = *m->pattern == '^';
    m->pattern += anchored;
    return anchored;
}

/* The start that argument 3 gives; NULL = behind the end. */
static const char *begin_at(const struct ncs_matcher *m)
{
    lua_Integer bytes = m->text_end - m->text, init = luaL_optinteger(m->L, 3, 1);
    if (init < 0)
        init = init < -bytes ? 1 : bytes + init + 1;
    if (init > bytes + 1)
        return NULL;
    return m->text + (init > 0 ? init - 1 : 0);
}

static int fails(lua_State *L)
{
    luaL_pushfail(L);
    return 1;
}

/* ---- find, match ---- */

static bool has_specials(const struct ncs_matcher *m)
{
    for (const char *p = m->pattern; p < m->pattern_end; p++)
        if (*p && strchr("^$*+?.([%-", *p))
            return true;
    return false;
}

static int find_plain(lua_State *L, const struct ncs_matcher *m, const char *from)
{
    size_t bytes = (size_t)(m->pattern_end - m->pattern);
    const char *found = memmem(from, (size_t)(m->text_end - from), m->pattern, bytes);
    ncs_heap_charge(L, (uint64_t)((found ? found : m->text_end) - from) / 16);
    if (!found)
        return fails(L);
    lua_pushinteger(L, found - m->text + 1);
    lua_pushinteger(L, found - m->text + (lua_Integer)bytes);
    return 2;
}

static int search(lua_State *L, bool find)
{
    struct ncs_matcher m = matcher_of(L, 1, 2);
    const char *at = begin_at(&m);
    if (!at)
        return fails(L);
    if (find && (lua_toboolean(L, 4) || !has_specials(&m)))
        return find_plain(L, &m, at);
    bool anchored = take_anchor(&m);
    const char *to;
    do
        to = ncs_pattern_match(&m, at);
    while (!to && at++ < m.text_end && !anchored);
    ncs_heap_charge(L, m.steps);
    if (!to)
        return fails(L);
    if (!find)
        return ncs_pattern_push(&m, at, to, true);
    lua_pushinteger(L, at - m.text + 1);
    lua_pushinteger(L, to - m.text);
    return 2 + ncs_pattern_push(&m, at, to, false);
}

static int search_text(lua_State *L)
{
    return search(L, true);
}

static int search_match(lua_State *L)
{
    return search(L, false);
}

/* ---- gmatch ---- */

enum { TEXT = 1, PATTERN, NEXT, LAST_END }; /* upvalues; the places count from 0 */

static int gmatch_next(lua_State *L)
{
    struct ncs_matcher m = matcher_of(L, lua_upvalueindex(TEXT), lua_upvalueindex(PATTERN));
    lua_Integer next = lua_tointeger(L, lua_upvalueindex(NEXT));
    lua_Integer last_end = lua_tointeger(L, lua_upvalueindex(LAST_END));
    const char *to = NULL;
    for (; next <= m.text_end - m.text; next++) {
        to = ncs_pattern_match(&m, m.text + next);
        if (to && to - m.text != last_end)
            break;
        to = NULL;
    }
    ncs_heap_charge(L, m.steps);
    if (!to)
        return 0;
    lua_pushinteger(L, to - m.text);
    lua_copy(L, -1, lua_upvalueindex(NEXT));
    lua_replace(L, lua_upvalueindex(LAST_END));
    return ncs_pattern_push(&m, m.text + next, to, true);
}

static int gmatch(lua_State *L)
{
    struct ncs_matcher m = matcher_of(L, 1, 2);
    const char *at = begin_at(&m);
    lua_settop(L, 2);
    lua_pushinteger(L, at ? at - m.text : m.text_end - m.text + 1);
    lua_pushinteger(L, -1);
    lua_pushcclosure(L, gmatch_next, 4);
    return 1;
}

/* ---- gsub ---- */

/* Adds the text at 3 with its captures replaced. */
static void search_add_text(struct ncs_matcher *m, luaL_Buffer *b, const char *from, const char *to)
{
    size_t bytes;
    const char *p = lua_tolstring(m->L, 3, &bytes), *end = p + bytes;
    for (const char *sign; (sign = memchr(p, '%', (size_t)(end - p))); p = sign + 2) {
        luaL_addlstring(b, p, (size_t)(sign - p));
        int c = (unsigned char)sign[1];
        if (c == '%') {
            luaL_addchar(b, '%');
        } else if (c == '0') {
            luaL_addlstring(b, from, (size_t)(to - from));
        } else if (c >= '1' && c <= '9') {
            ncs_pattern_push_one(m, c - '1', from, to);
            luaL_tolstring(m->L, -1, NULL);
            lua_remove(m->L, -2);
            luaL_addvalue(b);
        } else {
            luaL_error(m->L, "invalid use of '%%' in replacement string");
        }
    }
    luaL_addlstring(b, p, (size_t)(end - p));
}

/* Adds the replacement of the match; false = the match stays. */
static bool search_add_value(struct ncs_matcher *m, luaL_Buffer *b, const char *from, const char *to)
{
    lua_State *L = m->L;
    switch (lua_type(L, 3)) {
    case LUA_TFUNCTION:
        lua_pushvalue(L, 3);
        lua_call(L, ncs_pattern_push(m, from, to, true), 1);
        break;
    case LUA_TTABLE:
        ncs_pattern_push_one(m, 0, from, to);
        lua_gettable(L, 3);
        break;
    default: search_add_text(m, b, from, to); return true;
    }
    if (!lua_toboolean(L, -1)) {
        lua_pop(L, 1);
        luaL_addlstring(b, from, (size_t)(to - from));
        return false;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "invalid replacement value (a %s)", luaL_typename(L, -1));
    luaL_addvalue(b);
    return true;
}

static int gsub(lua_State *L)
{
    struct ncs_matcher m = matcher_of(L, 1, 2);
    const char *at = m.text, *last_end = NULL;
    lua_Integer most = luaL_optinteger(L, 4, (m.text_end - m.text) + 1), n = 0;
    bool changed = false, anchored = take_anchor(&m);
    int type = lua_type(L, 3);
    luaL_argexpected(L, type == LUA_TNUMBER || type == LUA_TSTRING || type == LUA_TTABLE || type == LUA_TFUNCTION, 3,
                     "string/function/table");
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    while (n < most) {
        const char *to = ncs_pattern_match(&m, at);
        if (to && to != last_end) {
            n++;
            changed = search_add_value(&m, &b, at, to) || changed;
            at = last_end = to;
        } else if (at < m.text_end) {
            luaL_addchar(&b, *at++);
        } else {
            break;
        }
        if (anchored)
            break;
    }
    ncs_heap_charge(L, m.steps);
    luaL_addlstring(&b, at, (size_t)(m.text_end - at));
    luaL_pushresult(&b);
    if (!changed)
        lua_pushvalue(L, 1);
    lua_pushinteger(L, n);
    return 2;
}

void ncs_lua_search(lua_State *L)
{
    static const luaL_Reg functions[] = {
        { "find", search_text }, { "gmatch", gmatch }, { "gsub", gsub }, { "match", search_match }, { NULL, NULL }
    };
    luaL_setfuncs(L, functions, 0);
}
