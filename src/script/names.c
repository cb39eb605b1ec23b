/* Judges names by the environment of a script, so no second list of names is needed:
 * each use is looked up or assigned as the script would do it, and the error that is
 * raised is the complaint. */
#include "script/names.h"

#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "script/object.h"

struct ncs_judge {
    struct ncs_lua_rank rank;
    struct ncs_script *script;
};

struct ncs_judge *ncs_judge_new(struct ncs_script *script, struct ncs_error *err)
{
    struct ncs_judge *n = ncs_new(sizeof *n);
    n->script = script;
    n->rank = (struct ncs_lua_rank){ .script = script, .nranks = script->scenario->ranks, .names_only = true };
    if (ncs_lua_open(&n->rank, NULL, err))
        return n;
    ncs_free(n);
    return NULL;
}

void ncs_judge_free(struct ncs_judge *n)
{
    if (n)
        ncs_lua_close(&n->rank);
    ncs_free(n);
}

/* ---- one use ---- */

enum { NAME = 1, FIELD, ENVIRONMENT, VALUE }; /* where they are on the stack */

struct use {
    const struct ncs_judge *names;
    const struct ncs_lint_name *lint;
    const char *name, *field; /* field NULL = none */
    bool assigned, method, called;
    bool found; /* the name is known: its field is wrong */
};

/* The class of the objects that exist before the first line of a run. */
static enum ncs_class_id names_class_of(const char *name)
{
    if (strcmp(name, "world") == 0)
        return NCS_CLASS_COMM;
    return strcmp(name, "stream") == 0 ? NCS_CLASS_STREAM : NCS_CLASSES;
}

static void judge_object(lua_State *L, struct use *u)
{
    enum ncs_class_id id = names_class_of(u->name);
    if (id == NCS_CLASS_COMM && !u->names->script->scenario->world)
        ncs_lua_usage(L, "there is no world here: scenario{} declares world = false");
    u->found = true;
    if (u->assigned && !u->field)
        ncs_lua_usage(L, "'%.60s' is ready-made and cannot be assigned", u->name);
    if (u->called && !u->field)
        ncs_lua_usage(L, "%.60s is a %s, not a function", u->name, ncs_classes[id]->name);
    if (!u->field)
        return;
    bool method = ncs_object_knows(L, id, u->field);
    if (method && u->called && !u->method)
        ncs_lua_usage(L, "methods take a colon, not a dot: write %s:%s(...)", u->name, u->field);
    if (!method && u->called)
        ncs_lua_usage(L, "%s.%s is a field, not a method", u->name, u->field);
}

/* The real table behind a locked one has all names. */
static void judge_missing(lua_State *L, const struct use *u)
{
    int table = VALUE;
    if (lua_getmetatable(L, VALUE)) {
        lua_getfield(L, -1, "__index");
        if (lua_istable(L, -1))
            table = lua_gettop(L);
    }
    ncs_lua_unknown(L, "field", u->name, u->field, &table, 1);
}

static void judge_field(lua_State *L, const struct use *u)
{
    const char *library = ncs_lua_library(L, VALUE);
    if (library && strcmp(library, "param") == 0 && !u->names->script->line)
        return; /* the file that requires this one declares it */
    if (lua_type(L, VALUE) != LUA_TTABLE) {
        if (lua_type(L, VALUE) != LUA_TSTRING)
            ncs_lua_usage(L, "%s is a %s and has no fields", u->name, luaL_typename(L, VALUE));
        return;
    }
    if (u->assigned) {
        lua_pushboolean(L, true);
        lua_setfield(L, VALUE, u->field);
        return;
    }
    bool colon = library && luaL_getmetafield(L, VALUE, NCS_TAKES_COLON) != LUA_TNIL;
    lua_settop(L, VALUE);
    if (lua_getfield(L, VALUE, u->field) == LUA_TNIL && u->called) /* Lua's own raise nothing */
        judge_missing(L, u);
    if (library && u->called && u->method != colon)
        ncs_lua_usage(L, "%s takes a %s: write %s%c%s(...)", u->name, colon ? "colon, not a dot" : "dot, not a colon", u->name,
                      colon ? ':' : '.', u->field);
}

static void judge_value(lua_State *L, struct use *u)
{
    ncs_lua_environment(L);
    if (u->assigned && !u->field) {
        lua_pushboolean(L, true);
        lua_setfield(L, ENVIRONMENT, u->name);
        return;
    }
    lua_getfield(L, ENVIRONMENT, u->name);
    u->found = true;
    if (u->field)
        judge_field(L, u);
    if (u->called && !lua_isfunction(L, -1) && !luaL_getmetafield(L, -1, "__call"))
        ncs_lua_usage(L, "%s%s%s is a %s, not a function", u->name, u->field ? "." : "", u->field ? u->field : "",
                      ncs_lua_type(L, -1));
}

static int names_judge(lua_State *L)
{
    struct use *u = lua_touserdata(L, 1);
    const struct ncs_lint_name *n = u->lint;
    lua_settop(L, 0);
    ncs_lua_no_call(L);
    u->name = lua_pushlstring(L, n->name, n->at.bytes);
    u->field = n->field ? lua_pushlstring(L, n->field, n->field_at.bytes) : NULL;
    lua_settop(L, FIELD);
    if (names_class_of(u->name) != NCS_CLASSES)
        judge_object(L, u);
    else
        judge_value(L, u);
    return 0;
}

/* The ready-made objects are not in the environment of a judge, which has no ranks. */
static void names_hint_object(const char *name, struct ncs_complaints *c)
{
    static const char *const objects[] = { "world", "stream" };
    const char *near = ncs_nearest(name, objects, sizeof objects / sizeof *objects);
    if (near)
        ncs_complain_hint(c, "did you mean '%s'?", near);
}

/* Complains with the message of the error on top of the stack: the part behind the colon becomes
 * the hint. */
static void names_complain(lua_State *L, const struct use *u, struct ncs_span at, struct ncs_complaints *c)
{
    const char *text = "this fails";
    if (lua_type(L, -1) == LUA_TTABLE && lua_getfield(L, -1, "message") == LUA_TSTRING)
        text = lua_tostring(L, -1);
    const char *colon = strstr(text, ": ");
    size_t n = colon ? (size_t)(colon - text) : strlen(text);
    ncs_complain(c, at, "%.*s", (int)n, text);
    if (colon)
        ncs_complain_hint(c, "%s", colon + 2);
    else if (!u->found && !u->assigned)
        names_hint_object(u->name, c);
}

void ncs_judge_name(struct ncs_judge *n, const struct ncs_lint_name *use, size_t skip, struct ncs_complaints *c)
{
    lua_State *L = n->rank.L;
    struct use u = { .names = n, .lint = use, .assigned = use->assigned, .method = use->method, .called = use->called };
    lua_pushcfunction(L, names_judge);
    lua_pushlightuserdata(L, &u);
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
        struct ncs_span at = u.field && u.found ? use->field_at : use->at;
        names_complain(L, &u, (struct ncs_span){ at.at + skip, at.bytes }, c);
    }
    lua_settop(L, 0);
}
