/* Hints for unknown names: a similar name, the script's name of a C function, or the reason why a
 * name is closed. */
#include "script/state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "api/spelling.h"

int ncs_lua_meant_function(const char *owner, const char *word)
{
    size_t n = owner ? strlen(owner) : 0;
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        const char *name = ncs_fn_info[fn].name;
        const char *rest = ncs_bare_name(name);
        if (rest == name) /* ours, in place of kernels */
            continue;
        bool owned = n && tolower((unsigned char)rest[0]) == owner[0] && strncmp(rest + 1, owner + 1, n - 1) == 0;
        if (ncs_same_letters(ncs_bare_name(word), rest) || (owned && ncs_same_letters(ncs_bare_name(word), rest + n)))
            return fn;
    }
    return -1;
}

const char *ncs_lua_hint(char hint[NCS_NEAR_ROOM], char quote, const char *word, const char *const *names, size_t count,
                         const char *otherwise)
{
    const char *meant = ncs_translated_name(word, names, count);
    if (meant)
        return ncs_near_hint(hint, quote, meant, &meant, 1, otherwise);
    return ncs_near_hint(hint, quote, word, names, count, otherwise);
}

/* Names that --unsafe opens, and names that never exist. */
static const char *closed_hint(const char *word)
{
    static const char *const names[] = { "io", "execute", "getenv", "remove", "rename", "tmpname" };
    if (strcmp(word, "dofile") == 0 || strcmp(word, "loadfile") == 0)
        return ": require \"name\" loads name.lua beside the scenario";
    if (strcmp(word, "exit") == 0)
        return ": it would end ncclscript; return ends this rank's script";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(word, names[i]) == 0)
            return ": closed to scenarios, --unsafe opens it";
    return NULL;
}

/* Pushes all text keys of the tables as a sorted array, because the order of a table's
 * keys is not defined. */
static const char **all_keys(lua_State *L, const int *tables, int count, size_t *n)
{
    size_t room = 0;
    for (int i = 0; i < count; i++)
        for (lua_pushnil(L); lua_next(L, tables[i]); lua_pop(L, 1))
            room++;
    const char **names = lua_newuserdatauv(L, (room + 1) * sizeof *names, 0);
    *n = 0;
    for (int i = 0; i < count; i++)
        for (lua_pushnil(L); lua_next(L, tables[i]); lua_pop(L, 1))
            if (lua_type(L, -2) == LUA_TSTRING && *n < room) {
                const char *name = lua_tostring(L, -2); /* anchored in its table */
                size_t at = (*n)++;
                for (; at > 0 && strcmp(names[at - 1], name) > 0; at--)
                    names[at] = names[at - 1];
                names[at] = name;
            }
    return names;
}

/* The script's name of the C function that is meant; NULL = none. A method or field of the owner
 * itself is named without the owner, unless the name exists only with it. */
static const char *function_hint(char hint[NCS_NEAR_ROOM], const char *owner, const char *word)
{
    bool free_names = owner && (strcmp(owner, "param") == 0 || strcmp(owner, "run") == 0);
    int fn = free_names ? -1 : ncs_lua_meant_function(owner, word);
    if (fn < 0)
        return NULL;
    const char *name = ncs_fn_info[fn].lua_name;
    if (!name) {
        snprintf(hint, NCS_NEAR_ROOM, ": did you mean 'C.%s'?", ncs_fn_info[fn].name);
        return hint;
    }
    size_t n = strcspn(name, ".:");
    const char *object = owner && strcmp(owner, "buffer") == 0 ? "x" : owner;
    bool own = object && strlen(object) == n && strncmp(name, object, n) == 0;
    bool of_comm = !own && n == 4 && strncmp(name, "comm", n) == 0; /* a script has `world`, not `comm` */
    snprintf(hint, NCS_NEAR_ROOM, ": did you mean '%s%s'?", of_comm ? "world" : "",
             own       ? name + n + 1
             : of_comm ? name + n
                       : name);
    return hint;
}

int ncs_lua_unknown(lua_State *L, const char *what, const char *owner, const char *word, const int *tables, int count)
{
    const char *hint = closed_hint(word);
    char room[NCS_NEAR_ROOM];
    luaL_checkstack(L, 8, NULL);
    ncs_lua_no_call(L);
    if (!hint)
        hint = function_hint(room, owner, word);
    if (!hint) {
        size_t n;
        const char **names = all_keys(L, tables, count, &n);
        hint = n ? ncs_lua_hint(room, '\'', word, names, n, "") : "";
    }
    return ncs_lua_usage(L, "no such %s '%.60s'%s%s%s", what, word, owner ? " in " : "", owner ? owner : "", hint);
}
