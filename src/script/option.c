#include "script/option.h"

#include <string.h>

#include "base/near.h"

/* Also finds options inside lists of their own, so that a hint knows them. */
#define MAX_ROWS 32

static const struct ncs_option *find_row(const struct ncs_option *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static int raise_unknown_option(lua_State *L, const struct ncs_option *rows, const char *name)
{
    const char *names[MAX_ROWS + 1];
    size_t n = 0;
    for (; rows->name && n < MAX_ROWS; rows++)
        names[n++] = rows->name;
    names[n++] = "label";
    char hint[NCS_NEAR_ROOM];
    return ncs_lua_usage(L, "no option '%.60s'%s", name, ncs_lua_hint(hint, '\'', name, names, n, ""));
}

static void refuse_other_keys(lua_State *L, int arg, const struct ncs_option *rows)
{
    const char *worst = NULL; /* the first by name, as a table's keys have no defined order */
    for (lua_pushnil(L); lua_next(L, arg); lua_pop(L, 1)) {
        if (lua_type(L, -2) != LUA_TSTRING)
            ncs_lua_usage(L, "options are written { name = value }, got a value without a name");
        const char *name = lua_tostring(L, -2);
        if (!find_row(rows, name) && strcmp(name, "label") != 0 && (!worst || strcmp(name, worst) < 0))
            worst = name;
    }
    if (worst)
        raise_unknown_option(L, rows, worst);
}

static bool boolean(lua_State *L, int arg, const char *name)
{
    lua_Integer v;
    if (ncs_lua_is_whole(L, arg, &v) && (v == 0 || v == 1))
        return v != 0;
    if (lua_type(L, arg) != LUA_TBOOLEAN)
        ncs_lua_wrong(L, arg, name, "true or false");
    return lua_toboolean(L, arg);
}

static void store(lua_State *L, const struct ncs_option *row, int value, void *into)
{
    char *at = (char *)into + row->offset;
    switch (row->kind) {
    case NCS_OPTION_FLAG: *(bool *)at = boolean(L, value, row->name); break;
    case NCS_OPTION_SWITCH:
        *(int *)at = lua_isboolean(L, value) ? lua_toboolean(L, value) : ncs_lua_int(L, value, row->name);
        break;
    case NCS_OPTION_INT: *(int *)at = ncs_lua_int(L, value, row->name); break;
    case NCS_OPTION_INTEGER: *(lua_Integer *)at = (lua_Integer)ncs_lua_count(L, value, row->name); break;
    case NCS_OPTION_NUMBER: *(double *)at = ncs_lua_number(L, value, row->name); break;
    case NCS_OPTION_SECONDS: *(int64_t *)at = ncs_lua_seconds(L, value, row->name); break;
    case NCS_OPTION_TEXT:
        *(const char **)at = ncs_script_intern(ncs_lua_rank(L)->script, ncs_lua_string(L, value, row->name));
        break;
    case NCS_OPTION_SLOT: *(int *)at = value; break;
    case NCS_OPTION_VERIFY: {
        bool verify = boolean(L, value, row->name);
        if (ncs_lua_thread(L)->local)
            ncs_lua_thread(L)->local->unverified = !verify;
    }
    }
}

void ncs_lua_options(lua_State *L, int arg, const struct ncs_option *rows, void *into)
{
    struct ncs_lua_thread *t = ncs_lua_thread(L);
    if (lua_isnoneornil(L, arg))
        return;
    if (lua_type(L, arg) != LUA_TTABLE)
        ncs_lua_wrong(L, arg, "the last argument", "a table of options");
    luaL_checkstack(L, MAX_ROWS + 4, NULL);
    refuse_other_keys(L, arg, rows);
    if (lua_getfield(L, arg, "label") != LUA_TNIL) {
        const char *label = ncs_lua_string(L, lua_gettop(L), "label");
        if (t->local)
            t->local->label = ncs_script_intern(t->rank->script, label);
    }
    lua_pop(L, 1);
    for (; rows->name; rows++) {
        if (lua_getfield(L, arg, rows->name) == LUA_TNIL) {
            lua_pop(L, 1);
            continue;
        }
        store(L, rows, lua_gettop(L), into);
        if (rows->kind != NCS_OPTION_SLOT)
            lua_pop(L, 1);
    }
}

void ncs_lua_label(lua_State *L, int arg)
{
    static const struct ncs_option none[] = { { NULL, 0, 0 } };
    ncs_lua_options(L, arg, none, NULL);
}
