/* Values of scenario{}'s keys, and tables of keys. */
#include "script/declare.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/quantity.h"

void ncs_declare_replace(char **text, const char *with)
{
    ncs_free(*text);
    *text = ncs_copy_text(with);
}

const char *ncs_declare_text(lua_State *L, struct ncs_declaration *d, int value)
{
    return ncs_lua_string(L, value, d->key);
}

bool ncs_declare_flag(lua_State *L, struct ncs_declaration *d, int value)
{
    if (lua_type(L, value) != LUA_TBOOLEAN)
        ncs_lua_wrong(L, value, d->key, "true or false");
    return lua_toboolean(L, value);
}

uint64_t ncs_declare_size(lua_State *L, struct ncs_declaration *d, int value)
{
    uint64_t bytes = 0;
    if (lua_type(L, value) == LUA_TNUMBER)
        return ncs_lua_count(L, value, d->key);
    if (lua_type(L, value) != LUA_TSTRING || !ncs_parse_size(lua_tostring(L, value), &bytes))
        ncs_lua_wrong(L, value, d->key, "a size such as 4096 or \"16G\"");
    return bytes;
}

int ncs_declare_version(lua_State *L, struct ncs_declaration *d, int value)
{
    int code = lua_type(L, value) == LUA_TSTRING ? ncs_nccl_version_code(lua_tostring(L, value)) : 0;
    if (code)
        return code;
    return ncs_lua_wrong(L, value, d->key, "a version such as \"2.30.7\"");
}

void ncs_declare_rows(lua_State *L, struct ncs_declaration *d, int table, const struct ncs_declare_row *rows)
{
    const char *names[24], *outer = d->key, *worst = NULL;
    char hint[NCS_NEAR_ROOM];
    size_t n = 0;
    if (lua_type(L, table) != LUA_TTABLE)
        ncs_lua_wrong(L, table, outer ? outer : "the declaration", "a table { key = value }");
    for (const struct ncs_declare_row *r = rows; r->name; r++)
        names[n++] = r->name;
    for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
        bool known = false;
        if (lua_type(L, -2) != LUA_TSTRING)
            ncs_lua_usage(L, "%s%sthe table has a value without a key, expected key = value", outer ? outer : "",
                          outer ? ": " : "");
        const char *key = lua_tostring(L, -2);
        for (size_t i = 0; i < n; i++)
            known = known || strcmp(names[i], key) == 0;
        if (!known && (!worst || strcmp(key, worst) < 0))
            worst = key;
    }
    if (worst) {
        d->key = worst;
        ncs_lua_usage(L, "no such key '%.60s'%s%s%s", worst, outer ? " in " : "", outer ? outer : "",
                      ncs_near_hint(hint, '\'', worst, names, n, ""));
    }
    for (const struct ncs_declare_row *r = rows; r->name; r++) {
        luaL_checkstack(L, 8, NULL);
        d->key = r->name;
        if (lua_getfield(L, table, r->name) != LUA_TNIL)
            r->read(L, d, lua_gettop(L));
        lua_pop(L, 1);
    }
    d->key = outer;
}

int ncs_declare_computed(lua_State *L, struct ncs_declaration *d, int value)
{
    if (lua_type(L, value) != LUA_TFUNCTION)
        return value;
    lua_pushvalue(L, value);
    ncs_lua_push_params(L, d->scenario);
    lua_call(L, 1, 1);
    return lua_gettop(L);
}

size_t ncs_declare_ints(lua_State *L, struct ncs_declaration *d, int value, int **list)
{
    size_t n = lua_type(L, value) == LUA_TTABLE ? ncs_lua_list(L, value, d->key, "a list of whole numbers") : 1;
    ncs_free(*list);
    *list = ncs_new((n + 1) * sizeof **list);
    if (lua_type(L, value) != LUA_TTABLE) {
        (*list)[0] = ncs_lua_int(L, value, d->key);
        return 1;
    }
    for (size_t i = 0; i < n; i++) {
        lua_rawgeti(L, value, (lua_Integer)i + 1);
        (*list)[i] = ncs_lua_int(L, lua_gettop(L), d->key);
        lua_pop(L, 1);
    }
    return n;
}
