/* The library nccl: version, ids, communicators, groups, errors. */
#include "script/object.h"

#include <string.h>

#include "api/types.h"
#include "script/option.h"

void ncs_id_push(lua_State *L, const ncclUniqueId *id)
{
    struct ncs_id *o = ncs_object_new(L, NCS_CLASS_ID, sizeof *o, 0);
    o->id = *id;
}

static int id_equal(lua_State *L)
{
    const struct ncs_id *a = ncs_object_test(L, 1, NCS_CLASS_ID);
    const struct ncs_id *b = ncs_object_test(L, 2, NCS_CLASS_ID);
    lua_pushboolean(L, a && b && memcmp(&a->id, &b->id, sizeof a->id) == 0);
    return 1;
}

static int id_text(lua_State *L)
{
    lua_pushfstring(L, "id %I", (LUAI_UACINT)((struct ncs_id *)lua_touserdata(L, 1))->head.serial);
    return 1;
}

/* id:bytes(): the 128 bytes, which nccl.unique_id takes back */
static int id_bytes(lua_State *L)
{
    const struct ncs_id *o = ncs_lua_method(L, NCS_CLASS_ID, "bytes", 0);
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    if (rank->run)
        ncs_run_id_show(rank->run, &o->id);
    lua_pushlstring(L, o->id.internal, sizeof o->id.internal);
    return 1;
}

static const luaL_Reg id_methods[] = { { "bytes", id_bytes }, { NULL, NULL } };
static const luaL_Reg id_meta[] = { { "__eq", id_equal }, { NULL, NULL } };

const struct ncs_class ncs_class_id = { .name = "id", .methods = { id_methods }, .meta = id_meta, .text = id_text };

/* An id of the bytes at 1. Bytes of a stranger could make NCCL connect to any address. A plan connects
 * to nothing, and knows no contents of buffers through which bytes may have come. */
static int id_of_bytes(lua_State *L)
{
    const struct ncs_lua_rank *rank = ncs_lua_rank(L);
    ncclUniqueId id;
    size_t bytes;
    const char *text = lua_tolstring(L, 1, &bytes);
    if (bytes != sizeof id)
        return ncs_lua_usage(L, "bytes must be the %zu bytes of an id, got %zu", sizeof id, bytes);
    memcpy(&id, text, sizeof id);
    if (rank->run && !rank->planned && !rank->script->unsafe && !ncs_run_id_shown(rank->run, &id))
        return ncs_lua_usage(L, "no id of this run has these bytes: bytes must come from id:bytes(), "
                                "other bytes need --unsafe");
    ncs_id_push(L, &id);
    return 1;
}

/* nccl.unique_id([{ label }]) makes a new id, nccl.unique_id(bytes) an id of bytes. nil is refused: bytes
 * that never came must not become an id of their own, for which nobody else waits. */
static int unique_id(lua_State *L)
{
    ncs_lua_begin(L, "nccl.unique_id", 1);
    if (lua_type(L, 1) == LUA_TSTRING)
        return id_of_bytes(L);
    if (!lua_isnone(L, 1) && lua_type(L, 1) != LUA_TTABLE)
        return ncs_lua_wrong(L, 1, "bytes", "a text, the bytes of an id");
    ncs_lua_label(L, 1);
    ncs_id_push(L, &(ncclUniqueId){ { 0 } });
    struct ncs_id *id = lua_touserdata(L, -1);
    NCS_TRY(L, ncclGetUniqueId, &id->id);
    return 1;
}

static int nccl_version(lua_State *L)
{
    int v = 0;
    char text[32];
    ncs_lua_begin(L, "nccl.version", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, ncclGetVersion, &v);
    lua_pushinteger(L, v);
    lua_pushstring(L, ncs_nccl_version_text(v, text, sizeof text));
    return 2;
}

static int error_string(lua_State *L)
{
    ncs_lua_begin(L, "nccl.error_string", 2);
    int code;
    ncs_lua_label(L, 2);
    if (lua_type(L, 1) == LUA_TSTRING) {
        code = ncs_result_from_name(lua_tostring(L, 1));
        if (code < 0)
            return ncs_lua_usage(L,
                                 "no result \"%.60s\", expected one such as "
                                 "\"ncclInvalidArgument\"",
                                 lua_tostring(L, 1));
    } else {
        code = ncs_lua_int(L, 1, "code");
    }
    const struct ncs_api *api = ncs_lua_before(L, NCS_FN_ncclGetErrorString);
    lua_pushstring(L, api->ncclGetErrorString((ncclResult_t)code));
    return 1;
}

static int nccl_last_error(lua_State *L)
{
    ncs_lua_begin(L, "nccl.last_error", 1);
    ncs_lua_label(L, 1);
    lua_pushstring(L, ncs_lua_before(L, NCS_FN_ncclGetLastError)->ncclGetLastError(NULL));
    return 1;
}

static const luaL_Reg functions[] = {
    { "error_string", error_string },  { "group", ncs_lua_group },          { "grow", ncs_comm_join },
    { "init_all", ncs_comm_init_all }, { "init_rank", ncs_comm_init_rank }, { "last_error", nccl_last_error },
    { "param", ncs_nccl_param },       { "params", ncs_nccl_params },       { "simulate", ncs_lua_simulate },
    { "unique_id", unique_id },        { "version", nccl_version },         { NULL, NULL },
};

void ncs_lua_nccl(lua_State *L)
{
    luaL_newlib(L, functions);
    lua_pushinteger(L, NCCL_SPLIT_NOCOLOR);
    lua_setfield(L, -2, "NOCOLOR");
    ncs_lua_lock(L, lua_gettop(L), "nccl");
    lua_remove(L, -2);
}
