/* The keys `needs`, `sim` and `env` of scenario{}: requirements, simulated machine
 * and environment. */
#include "script/declare.h"

#include <math.h>
#include <string.h>

#include "api/environment.h"
#include "api/model.h"
#include "base/mem.h"
#include "base/near.h"

static void read_needs_driver(lua_State *L, struct ncs_declaration *d, int value)
{
    ncs_declare_replace(&d->scenario->needs_driver, ncs_declare_text(L, d, value));
}

static void read_needs_nccl(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->needs_nccl = ncs_declare_version(L, d, value);
}

static void read_needs_gpus(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->needs_gpus = ncs_lua_int(L, value, "gpus");
}

void ncs_declare_needs(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = {
        { "driver", read_needs_driver }, { "gpus", read_needs_gpus }, { "nccl", read_needs_nccl }, { NULL, NULL }
    };
    ncs_declare_rows(L, d, value, rows);
}

/* The key on top, of a table with settings of single ranks. */
static int declare_read_rank(lua_State *L, const char *of, const char *expected)
{
    bool number = lua_type(L, -1) == LUA_TNUMBER;
    lua_Integer rank = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : -1;
    if (rank >= 0 && rank < NCS_RANKS_MOST)
        return (int)rank;
    if (number)
        ncs_lua_usage(L, "%s: [%s]: expected the number of a rank, 0 or more", of, lua_tostring(L, -1));
    if (lua_type(L, -1) == LUA_TSTRING)
        ncs_lua_usage(L, "%s: '%.60s': expected %s", of, lua_tostring(L, -1), expected);
    ncs_lua_usage(L, "%s: a key is a %s: expected %s", of, luaL_typename(L, -1), expected);
    return -1;
}

static void read_sim_nccl(lua_State *L, struct ncs_declaration *d, int value)
{
    bool table = lua_type(L, value) == LUA_TTABLE;
    if (!table && !d->settings->nccl_version)
        d->scenario->sim_nccl = ncs_declare_version(L, d, value);
    if (!table)
        return;
    lua_Integer count = ncs_lua_keys(L, value);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        bool others = lua_type(L, -1) == LUA_TSTRING && strcmp(lua_tostring(L, -1), "others") == 0;
        int rank = others ? -1 : declare_read_rank(L, "sim: nccl", "[RANK] = version, or others = version");
        lua_pushvalue(L, list + 1);
        lua_rawget(L, value);
        int version = ncs_declare_version(L, d, lua_gettop(L));
        if (!others)
            ncs_scenario_add_own(d->scenario, (struct ncs_own){ .process = rank, .nccl_version = version });
        else if (!d->settings->nccl_version)
            d->scenario->sim_nccl = version;
    }
    lua_settop(L, list - 1);
}

static void read_sim_memory(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->sim_memory = ncs_declare_size(L, d, value);
}

static void read_sim_capability(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_shape *hosts = &d->scenario->hosts;
    bool list = lua_type(L, value) == LUA_TTABLE;
    size_t count = list ? ncs_lua_list(L, value, d->key, "a list of capabilities") : 1;
    if (count == 0)
        ncs_lua_wrong(L, value, d->key, "a capability such as 9.0, or a list of them, one for each device");
    ncs_free(hosts->capability);
    hosts->capability = ncs_new(count * sizeof *hosts->capability);
    hosts->capabilities = count;
    for (size_t i = 0; i < count; i++) {
        list ? (void)lua_rawgeti(L, value, (lua_Integer)i + 1) : lua_pushvalue(L, value);
        double v = ncs_lua_number(L, lua_gettop(L), d->key);
        if (!(v >= 1 && v < 100))
            ncs_lua_wrong(L, lua_gettop(L), d->key, "a capability such as 9.0");
        hosts->capability[i] = (int)lround(v * 10);
        lua_pop(L, 1);
    }
}

static void read_sim_eager(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->sim_eager = ncs_declare_size(L, d, value);
}

static void read_sim_lanes(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->sim_lanes = (int)ncs_lua_count(L, value, d->key);
}

static void read_sim_ready_after(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->sim_ready_after = (int)ncs_lua_count(L, value, d->key);
}

static void read_sim_quirks(lua_State *L, struct ncs_declaration *d, int value)
{
    if (!lua_isboolean(L, value))
        ncs_lua_wrong(L, value, d->key, "a boolean");
    d->scenario->sim_quirks = lua_toboolean(L, value);
}

static void read_sim_model(lua_State *L, struct ncs_declaration *d, int value)
{
    const char *name = ncs_lua_text(L, value);
    int model = 0;
    while (ncs_model_names[model] && strcmp(ncs_model_names[model], name) != 0)
        model++;
    if (!ncs_model_names[model]) {
        char hint[NCS_NEAR_ROOM];
        ncs_lua_usage(L, "sim: no model \"%.60s\"%s", name,
                      ncs_lua_hint(hint, '"', name, ncs_model_names, 0, ", expected \"plain\", \"hgx-a100\" or \"hgx-h100\""));
    }
    d->scenario->sim_model = model;
}

void ncs_declare_sim(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = { { "capability", read_sim_capability },
                                                   { "eager", read_sim_eager },
                                                   { "lanes", read_sim_lanes },
                                                   { "memory", read_sim_memory },
                                                   { "model", read_sim_model },
                                                   { "nccl", read_sim_nccl },
                                                   { "quirks", read_sim_quirks },
                                                   { "ready_after", read_sim_ready_after },
                                                   { NULL, NULL } };
    int top = lua_gettop(L);
    ncs_declare_rows(L, d, ncs_declare_computed(L, d, value), rows);
    lua_settop(L, top);
}

/* The setting whose name and value are on top. */
static char *read_setting(lua_State *L, struct ncs_declaration *d)
{
    struct ncs_error err = { 0 };
    struct ncs_str setting = { 0 };
    bool unsafe = d->script->unsafe;
    size_t bytes = 0;
    const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tolstring(L, -2, &bytes) : ncs_lua_text(L, lua_gettop(L) - 1);
    d->key = name;
    if (!ncs_environment_allows(name, bytes, unsafe, &err))
        ncs_lua_usage(L, "env: %s%s%s", err.text, err.hint[0] ? ": " : "", err.hint);
    const char *value = ncs_declare_text(L, d, lua_gettop(L));
    if (!ncs_environment_takes(name, value, unsafe, &err))
        ncs_lua_usage(L, "env: %s", err.text);
    ncs_str_addf(&setting, "%s=%s", name, value);
    return ncs_str_take(&setting);
}

static void declare_env_of(lua_State *L, struct ncs_declaration *d, int value, int rank)
{
    struct ncs_scenario *s = d->scenario;
    lua_Integer count = ncs_lua_keys(L, value);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, value);
        if (rank < 0 && lua_type(L, -2) == LUA_TNUMBER) {
            lua_pushvalue(L, -2);
            int of = declare_read_rank(L, "env", NULL);
            lua_pop(L, 1);
            if (!lua_istable(L, -1))
                ncs_lua_usage(L, "env: [%d]: expected the variables of rank %d, a table of NAME = text", of, of);
            declare_env_of(L, d, list + 2, of);
            continue;
        }
        char *setting = read_setting(L, d);
        if (rank >= 0) {
            ncs_scenario_add_own(s, (struct ncs_own){ .process = rank, .variable = setting });
            continue;
        }
        s->env = ncs_resize(s->env, (s->envs + 1) * sizeof *s->env);
        s->env[s->envs++] = setting;
    }
    lua_settop(L, list - 1);
}

void ncs_declare_env(lua_State *L, struct ncs_declaration *d, int value)
{
    int top = lua_gettop(L);
    value = ncs_declare_computed(L, d, value);
    if (!lua_istable(L, value))
        ncs_lua_wrong(L, value, d->key, "a table of NAME = text");
    d->within = "env";
    declare_env_of(L, d, value, -1);
    d->within = NULL;
    d->key = "env";
    lua_settop(L, top);
}
