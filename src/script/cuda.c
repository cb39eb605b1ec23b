/* The library cuda: devices, memory, errors. Its objects are in files of their own. */
#include "script/object.h"

#include "api/types.h"
#include "script/option.h"

static int device(lua_State *L)
{
    int v = 0;
    ncs_lua_begin(L, "cuda.device", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, cudaGetDevice, &v);
    lua_pushinteger(L, v);
    return 1;
}

static int set_device(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.set_device", 2);
    int v = ncs_lua_int(L, 1, "device");
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaSetDevice, v);
    t->device = v;
    return 0;
}

static int device_count(lua_State *L)
{
    int v = 0;
    ncs_lua_begin(L, "cuda.device_count", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, cudaGetDeviceCount, &v);
    lua_pushinteger(L, v);
    return 1;
}

static int sync(lua_State *L)
{
    ncs_lua_begin(L, "cuda.sync", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, cudaDeviceSynchronize);
    return 0;
}

static int memory(lua_State *L)
{
    size_t unused = 0, total = 0;
    ncs_lua_begin(L, "cuda.memory", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, cudaMemGetInfo, &unused, &total);
    lua_pushinteger(L, (lua_Integer)unused);
    lua_pushinteger(L, (lua_Integer)total);
    return 2;
}

static int last_error(lua_State *L)
{
    ncs_lua_begin(L, "cuda.last_error", 1);
    ncs_lua_label(L, 1);
    int rc = NCS_CALL(L, cudaGetLastError);
    if (rc == cudaSuccess)
        lua_pushnil(L);
    else
        lua_pushstring(L, ncs_cuda_error_name(rc));
    return 1;
}

static int runtime_version(lua_State *L)
{
    int v = 0;
    ncs_lua_begin(L, "cuda.runtime_version", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, cudaRuntimeGetVersion, &v);
    lua_pushinteger(L, v);
    return 1;
}

static int driver_version(lua_State *L)
{
    int v = 0;
    ncs_lua_begin(L, "cuda.driver_version", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, cudaDriverGetVersion, &v);
    lua_pushinteger(L, v);
    return 1;
}

static const luaL_Reg functions[] = {
    { "buffer", ncs_buffer_make },         { "device", device },
    { "device_count", device_count },      { "driver_version", driver_version },
    { "event", ncs_event_new },            { "last_error", last_error },
    { "memory", memory },                  { "runtime_version", runtime_version },
    { "set_device", set_device },          { "stream", ncs_stream_new },
    { "sync", sync },                      { NULL, NULL },
};

void ncs_lua_cuda(lua_State *L)
{
    luaL_newlib(L, functions);
    ncs_stream_legacy(L);
    lua_setfield(L, -2, "legacy_stream");
    ncs_stream_per_thread(L);
    lua_setfield(L, -2, "per_thread_stream");
    ncs_lua_lock(L, lua_gettop(L), "cuda");
    lua_remove(L, -2);
}
