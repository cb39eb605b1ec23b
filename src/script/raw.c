/* The table C: the C API by name. One function makes every call from ncs_fn_info: it takes C's
 * arguments without the out-parameters, and returns the code and the out-parameters. */
#include "script/raw.h"

#include <string.h>

#include "api/invoke.h"
#include "api/types.h"
#include "base/near.h"

static int raw_invoke(lua_State *L)
{
    struct ncs_raw c = { .fn = (enum ncs_fn)lua_tointeger(L, lua_upvalueindex(1)) };
    union ncs_arg result = { .i = 0 };
    const struct ncs_fn_info *info = c.info = &ncs_fn_info[c.fn];
    int given = lua_gettop(L), wanted = 0;
    struct ncs_lua_thread *t = ncs_lua_begin(L, info->name, -1);
    const struct ncs_api *api = ncs_lua_before(L, c.fn);
    for (int i = 0; i < info->nargs; i++)
        wanted += !ncs_kind_is_out(info->arg[i].kind);
    if (given > wanted)
        return ncs_lua_usage(L, "%d arguments, C has %d without the out-parameters", given, wanted);
    luaL_checkstack(L, wanted + info->nargs * 2 + 16, NULL);
    lua_settop(L, wanted);
    ncs_raw_arguments(L, &c);
    ncs_raw_cells(L, &c);
    if (info->result == NCS_RESULT_NCCL || info->result == NCS_RESULT_CUDA)
        t->last_fn = c.fn;
    ncs_raw_lend(L, wanted);
    ncs_raw_declare(L, &c);
    ncs_invoke(api, c.fn, c.arg, &result);
    ncs_lua_after(L, 0);
    if (info->result == NCS_RESULT_VOID)
        return 0;
    if (info->result == NCS_RESULT_TEXT) {
        lua_pushstring(L, result.p);
        return 1;
    }
    int rc = (int)result.i;
    int first = lua_gettop(L) + 1;
    lua_pushinteger(L, rc);
    ncs_raw_results(L, &c, rc == 0 || (info->result == NCS_RESULT_NCCL && rc == ncclInProgress));
    return lua_gettop(L) - first + 1;
}

/* ---- what is not a function of the API ---- */

static int c_has(lua_State *L)
{
    ncs_lua_begin(L, "C.has", 1);
    int fn = ncs_fn_from_name(ncs_lua_string(L, 1, "name"));
    lua_pushboolean(L, fn >= 0 && ncs_api_has(ncs_lua_rank(L)->api, (enum ncs_fn)fn));
    return 1;
}

/* A dtype by its name or as one of C's constants. */
static int raw_dtype_of(lua_State *L, int arg)
{
    lua_Integer number;
    if (!ncs_lua_is_whole(L, arg, &number))
        return ncs_lua_dtype(L, arg);
    if (number < 0 || number >= ncclNumTypes)
        ncs_lua_wrong(L, arg, "dtype", "a name or one of C's constants, as C.ncclFloat32");
    return (int)number;
}

static int c_host(lua_State *L)
{
    ncs_lua_begin(L, "C.host", 2);
    int dtype = raw_dtype_of(L, 1);
    size_t count = lua_isnoneornil(L, 2) ? 1 : ncs_lua_count(L, 2, "count");
    if (count > ((uint64_t)1 << 40) / ncs_dtype_bytes(dtype))
        return ncs_lua_usage(L, "count %zu is more than the host has", count);
    ncs_buffer_host(L, dtype, count);
    return 1;
}

static int c_sizeof(lua_State *L)
{
    ncs_lua_begin(L, "C.sizeof", 1);
    lua_pushinteger(L, (lua_Integer)ncs_dtype_bytes(raw_dtype_of(L, 1)));
    return 1;
}

static int c_check(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "C.check", -1);
    int rc = ncs_lua_int(L, 1, "rc");
    if (rc != 0)
        return ncs_lua_raise_code(L, t->last_fn, rc);
    return lua_gettop(L) - 1;
}

/* Makes a function of the API at its first use; upvalue 1 is the real table. */
static int raw_find_function(lua_State *L)
{
    if (lua_type(L, 2) != LUA_TSTRING)
        return 0;
    const char *name = lua_tostring(L, 2);
    int fn = ncs_fn_from_name(name);
    lua_settop(L, 2);
    if (fn >= 0) {
        lua_pushinteger(L, fn);
        lua_pushcclosure(L, raw_invoke, 1);
        lua_pushvalue(L, 2);
        lua_pushvalue(L, 3);
        lua_rawset(L, 1);
        return 1;
    }
    lua_Integer value;
    if (ncs_raw_constant(name, &value)) {
        lua_pushinteger(L, value);
        return 1;
    }
    const char *names[NCS_FN_COUNT], *near;
    for (int i = 0; i < NCS_FN_COUNT; i++)
        names[i] = ncs_fn_info[i].name;
    int meant = ncs_lua_meant_function(NULL, name);
    near = meant >= 0 ? names[meant] : ncs_nearest(name, names, NCS_FN_COUNT);
    if (!near)
        near = ncs_raw_near_constant(name);
    ncs_lua_no_call(L);
    return ncs_lua_usage(L, "no such field '%.60s' in C%s%s%s", name, near ? ": did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
}

static const luaL_Reg functions[] = { { "check", c_check },
                                      { "has", c_has },
                                      { "host", c_host },
                                      { "ncclConfig", ncs_raw_config },
                                      { "ncclSimInfo", ncs_raw_sim_info },
                                      { "sizeof", c_sizeof },
                                      { NULL, NULL } };

void ncs_lua_raw(lua_State *L)
{
    luaL_newlib(L, functions);
    ncs_lua_lock(L, lua_gettop(L), "C");
    lua_getmetatable(L, -2); /* of the real table: changes its handling of unknown names */
    lua_pushcfunction(L, raw_find_function);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
    lua_remove(L, -2);
}
