/* The keys `matrix` and `exclude` of scenario{}: the cases that a file stands for. */
#include "script/declare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

static const char *const wanted[] = {
    [NCS_PARAM_INT] = "a whole number",
    [NCS_PARAM_NUMBER] = "a number",
    [NCS_PARAM_TEXT] = "a text",
    [NCS_PARAM_BOOL] = "true or false",
};

/* The value on top as a value of the axis; `what` names it in complaints. */
static struct ncs_param matrix_read_value(lua_State *L, const struct ncs_axis *axis, const char *what)
{
    static const int type[] = {
        [NCS_PARAM_INT] = LUA_TNUMBER,
        [NCS_PARAM_NUMBER] = LUA_TNUMBER,
        [NCS_PARAM_TEXT] = LUA_TSTRING,
        [NCS_PARAM_BOOL] = LUA_TBOOLEAN,
    };
    int top = lua_gettop(L);
    enum ncs_param_kind kind = axis->kind;
    char expected[80];
    lua_Integer whole = 0;
    snprintf(expected, sizeof expected, "%s%s", wanted[kind], axis->is_param ? ", as its default in params" : "");
    if (lua_type(L, top) != type[kind] || (kind == NCS_PARAM_INT && !ncs_lua_is_whole(L, top, &whole)) ||
        (kind == NCS_PARAM_NUMBER && !isfinite(lua_tonumber(L, top))))
        ncs_lua_wrong(L, top, what, expected);
    if (!axis->is_param && strcmp(axis->name, "ranks") == 0 && (whole < 1 || whole > NCS_RANKS_MOST))
        ncs_lua_wrong(L, top, what, "1 to 65536");
    if (!axis->is_param && whole < 0)
        ncs_lua_wrong(L, top, what, "0 or more");
    struct ncs_param p = { .name = ncs_copy_text(axis->name), .kind = kind };
    if (kind == NCS_PARAM_INT)
        p.i = whole;
    else if (kind == NCS_PARAM_NUMBER)
        p.d = lua_tonumber(L, top);
    else if (kind == NCS_PARAM_BOOL)
        p.i = lua_toboolean(L, top);
    else
        p.text = ncs_copy_text(ncs_lua_whole_text(L, top));
    return p;
}

/* Appends to a list that the declaration owns and frees, even after a Lua error. */
static void matrix_add_value(struct ncs_param **list, size_t *count, size_t *room, struct ncs_param value)
{
    NCS_PUSH(*list, *count, *room, value);
}

/* ---- matrix ---- */

static void unknown_axis(lua_State *L, struct ncs_declaration *d, const char *name)
{
    const struct ncs_scenario *s = d->scenario;
    char hint[NCS_NEAR_ROOM];
    const char **names = lua_newuserdatauv(L, (s->params + 2) * sizeof *names, 0);
    for (size_t i = 0; i < s->params; i++)
        names[i] = s->param[i].name;
    names[s->params] = "ranks";
    names[s->params + 1] = "seed";
    ncs_lua_usage(L, "matrix: no parameter '%.60s'%s", name,
                  ncs_near_hint(hint, '\'', name, names, s->params + 2,
                                s->params ? ", expected one of params, or ranks, or seed" : ": the scenario declares no params"));
}

static void read_axis(lua_State *L, struct ncs_declaration *d, const char *name, int value)
{
    char what[100];
    struct ncs_axis *axis = ncs_matrix_add(&d->matrix, d->scenario, name);
    if (!axis)
        unknown_axis(L, d, name);
    snprintf(what, sizeof what, "matrix: %.60s", name);
    size_t n = ncs_lua_list(L, value, what, "a list of values such as { 1, 2 }");
    if (n == 0)
        ncs_lua_usage(L, "%s has no values", what);
    for (size_t i = 1; i <= n; i++) {
        snprintf(what, sizeof what, "matrix: %.60s: value %zu", name, i);
        lua_rawgeti(L, value, (lua_Integer)i);
        struct ncs_param p = matrix_read_value(L, axis, what);
        if (!ncs_axis_add(axis, p))
            ncs_lua_usage(L, "%s repeats %s", what, ncs_lua_text(L, -1));
        lua_pop(L, 1);
    }
}

/* "4 x 100 x 50" */
static void matrix_add_sizes(const struct ncs_matrix *m, struct ncs_str *out)
{
    for (size_t i = 0; i < m->axes; i++)
        ncs_str_addf(out, "%s%zu", i ? " x " : "", m->axis[i].values);
}

static void matrix_check_size(lua_State *L, struct ncs_declaration *d)
{
    if (ncs_matrix_combinations(&d->matrix) <= NCS_CASES_MOST)
        return;
    struct ncs_str sizes = { 0 };
    matrix_add_sizes(&d->matrix, &sizes);
    lua_pushlstring(L, sizes.text, sizes.bytes);
    ncs_str_free(&sizes);
    ncs_lua_usage(L, "matrix: %s combinations, more than %d", lua_tostring(L, -1), NCS_CASES_MOST);
}

static const char *text_key(lua_State *L, int index, const char *where)
{
    if (lua_type(L, index) != LUA_TSTRING)
        ncs_lua_usage(L, "%s: a value without a name, expected name = %s", where,
                      strcmp(where, "matrix") == 0 ? "{ values }" : "value");
    return lua_tostring(L, index);
}

void ncs_declare_matrix(lua_State *L, struct ncs_declaration *d, int value)
{
    if (lua_type(L, value) != LUA_TTABLE)
        ncs_lua_wrong(L, value, "matrix", "a table { name = { values } }");
    lua_Integer count = ncs_lua_keys(L, value);
    int list = lua_gettop(L);
    d->within = "matrix";
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        luaL_checkstack(L, 8, NULL);
        ncs_lua_key(L, list, i);
        const char *name = text_key(L, list + 1, "matrix");
        d->key = name;
        lua_pushvalue(L, list + 1);
        lua_rawget(L, value);
        read_axis(L, d, name, list + 2);
    }
    d->within = NULL;
    d->key = "matrix";
    lua_settop(L, list - 1);
    if (d->matrix.axes == 0)
        ncs_lua_usage(L, "matrix has no axes, expected name = { values }");
    matrix_check_size(L, d);
}

/* ---- exclude ---- */

static void matrix_unknown_name(lua_State *L, const struct ncs_matrix *m, const char *entry, const char *name)
{
    char hint[NCS_NEAR_ROOM];
    const char **names = lua_newuserdatauv(L, (m->axes + 1) * sizeof *names, 0);
    for (size_t i = 0; i < m->axes; i++)
        names[i] = m->axis[i].name;
    ncs_lua_usage(L, "%s: '%.60s' is not an axis of the matrix%s", entry, name,
                  ncs_near_hint(hint, '\'', name, names, m->axes, ""));
}

static void read_term(lua_State *L, struct ncs_declaration *d, struct ncs_exclusion *e, const char *entry, const char *name)
{
    char what[120];
    struct ncs_axis *axis = ncs_matrix_axis(&d->matrix, name);
    if (!axis)
        matrix_unknown_name(L, &d->matrix, entry, name);
    snprintf(what, sizeof what, "%s: %.60s", entry, name);
    matrix_add_value(&e->value, &e->values, &e->values_room, matrix_read_value(L, axis, what));
    if (!ncs_axis_has(axis, &e->value[e->values - 1]))
        ncs_lua_usage(L, "%s = %s: the matrix has no such value", what, ncs_lua_text(L, -1));
}

static void read_exclusion(lua_State *L, struct ncs_declaration *d, const char *entry, int value)
{
    if (lua_type(L, value) != LUA_TTABLE)
        ncs_lua_wrong(L, value, entry, "a table { name = value }");
    struct ncs_matrix *m = &d->matrix;
    NCS_PUSH(m->exclusion, m->exclusions, m->exclusions_room, (struct ncs_exclusion){ 0 });
    struct ncs_exclusion *e = &m->exclusion[m->exclusions - 1];
    lua_Integer count = ncs_lua_keys(L, value);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        luaL_checkstack(L, 8, NULL);
        ncs_lua_key(L, list, i);
        const char *name = text_key(L, list + 1, entry);
        lua_pushvalue(L, list + 1);
        lua_rawget(L, value);
        read_term(L, d, e, entry, name);
    }
    if (e->values == 0)
        ncs_lua_usage(L, "%s names nothing: it would leave out every combination", entry);
}

void ncs_declare_exclude(lua_State *L, struct ncs_declaration *d, int value)
{
    char entry[40];
    if (d->matrix.axes == 0)
        ncs_lua_usage(L, "exclude leaves out combinations of a matrix: there is no matrix");
    size_t n = ncs_lua_list(L, value, "exclude", "a list such as { { name = value } }");
    for (size_t i = 1; i <= n; i++) {
        snprintf(entry, sizeof entry, "exclude: entry %zu", i);
        lua_rawgeti(L, value, (lua_Integer)i);
        read_exclusion(L, d, entry, lua_gettop(L));
        lua_settop(L, value);
    }
    if (ncs_matrix_cases(&d->matrix) == 0)
        ncs_lua_usage(L, "exclude leaves out all combinations of the matrix");
}

void ncs_declare_pins(struct ncs_declaration *d)
{
    const struct ncs_script_settings *settings = d->settings;
    for (size_t i = 0; i < d->matrix.axes; i++) {
        struct ncs_axis *axis = &d->matrix.axis[i];
        size_t bytes = strlen(axis->name);
        struct ncs_param outside = { .name = axis->name, .kind = NCS_PARAM_INT };
        if (axis->is_param) {
            for (size_t k = 0; k < settings->sets && !axis->pinned; k++)
                if (strncmp(settings->set[k], axis->name, bytes) == 0 && settings->set[k][bytes] == '=')
                    ncs_axis_pin(axis, ncs_scenario_param(d->scenario, axis->name));
        } else if (strcmp(axis->name, "ranks") == 0) {
            outside.i = settings->ranks;
            if (settings->ranks > 0)
                ncs_axis_pin(axis, &outside);
        } else {
            outside.i = settings->seed;
            if (settings->seeded)
                ncs_axis_pin(axis, &outside);
        }
    }
}
