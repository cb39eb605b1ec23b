/* The keys `needs`, `sim` and `env` of scenario{}: what a scenario runs on. */
#include "script/declare.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

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
        { "driver", read_needs_driver }, { "gpus", read_needs_gpus }, { "nccl", read_needs_nccl },
        { NULL, NULL } };
    ncs_declare_rows(L, d, value, rows);
}

static void read_sim_nccl(lua_State *L, struct ncs_declaration *d, int value)
{
    int version = ncs_declare_version(L, d, value);
    if (!d->settings->nccl_version)
        d->scenario->sim_nccl = version;
}

static void read_sim_memory(lua_State *L, struct ncs_declaration *d, int value)
{
    d->scenario->sim_memory = ncs_declare_size(L, d, value);
}

static void read_sim_capability(lua_State *L, struct ncs_declaration *d, int value)
{
    double v = ncs_lua_number(L, value, d->key);
    if (!(v >= 1 && v < 100))
        ncs_lua_wrong(L, value, d->key, "a capability such as 9.0");
    d->scenario->sim_capability = (int)lround(v * 10);
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

void ncs_declare_sim(lua_State *L, struct ncs_declaration *d, int value)
{
    static const struct ncs_declare_row rows[] = {
        { "capability", read_sim_capability }, { "eager", read_sim_eager },
        { "lanes", read_sim_lanes },           { "memory", read_sim_memory },
        { "nccl", read_sim_nccl },             { "quirks", read_sim_quirks },
        { "ready_after", read_sim_ready_after }, { NULL, NULL } };
    ncs_declare_rows(L, d, value, rows);
}

void ncs_declare_env(lua_State *L, struct ncs_declaration *d, int value)
{
    struct ncs_scenario *s = d->scenario;
    if (!lua_istable(L, value))
        ncs_lua_wrong(L, value, d->key, "a table of NAME = text");
    lua_Integer count = ncs_lua_keys(L, value);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        const char *name = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        if (strncmp(name, "NCCL_", 5) != 0 && strncmp(name, "CUDA_", 5) != 0)
            ncs_lua_usage(L, "env: %.60s: expected a name that begins with NCCL_ or CUDA_",
                          ncs_lua_text(L, list + 1));
        d->key = name;
        if (strcmp(name, "NCCL_DEBUG_FILE") == 0 && !d->script->unsafe)
            ncs_lua_usage(L, "env: NCCL_DEBUG_FILE: scripts may not write files: set it outside, or "
                             "give --unsafe");
        lua_pushvalue(L, -1);
        lua_rawget(L, value);
        struct ncs_str setting = { 0 };
        ncs_str_addf(&setting, "%s=%s", name, ncs_declare_text(L, d, lua_gettop(L)));
        s->env = ncs_resize(s->env, (s->envs + 1) * sizeof *s->env);
        s->env[s->envs++] = ncs_str_take(&setting);
        d->key = "env";
    }
}
