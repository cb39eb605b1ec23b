/* The library cuda: devices, memory, errors. Its objects are in other files. */
#include "script/object.h"

#include <ctype.h>
#include <stdio.h>

#include "api/types.h"
#include "script/option.h"

/* cuda.NAME(): the number that a function of CUDA gives. */
#define NUMBER_OF(name, fn)                 \
    static int name(lua_State *L)           \
    {                                       \
        int v = 0;                          \
        ncs_lua_begin(L, "cuda." #name, 1); \
        ncs_lua_label(L, 1);                \
        NCS_TRY(L, fn, &v);                 \
        lua_pushinteger(L, v);              \
        return 1;                           \
    }
NUMBER_OF(device, cudaGetDevice)
NUMBER_OF(device_count, cudaGetDeviceCount)
NUMBER_OF(runtime_version, cudaRuntimeGetVersion)
NUMBER_OF(driver_version, cudaDriverGetVersion)

static int set_device(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.set_device", 2);
    int v = ncs_lua_int(L, 1, "device");
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaSetDevice, v);
    t->device = v;
    return 0;
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

static int cuda_last_error(lua_State *L)
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

/* Converts C's name of a field to lower case: pciBusID to pci_bus_id, maxTexture1DMipmap to
 * max_texture1d_mipmap. */
static void push_snake(lua_State *L, const char *name)
{
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    for (size_t i = 0; name[i]; i++) {
        bool before_small = name[i] && islower((unsigned char)name[i + 1]);
        bool after_small = i > 0 && islower((unsigned char)name[i - 1]);
        if (i > 0 && isupper((unsigned char)name[i]) && (after_small || before_small))
            luaL_addchar(&out, '_');
        luaL_addchar(&out, (char)tolower((unsigned char)name[i]));
    }
    luaL_pushresult(&out);
}

static void cuda_set_list(lua_State *L, const char *name, const int *list, int length)
{
    push_snake(L, name);
    lua_createtable(L, length, 0);
    for (int i = 0; i < length; i++) {
        lua_pushinteger(L, list[i]);
        lua_rawseti(L, -2, i + 1);
    }
    lua_rawset(L, -3);
}

static void set_bytes(lua_State *L, const char *name, const char *bytes, size_t length)
{
    push_snake(L, name);
    luaL_Buffer out;
    luaL_buffinit(L, &out);
    for (size_t i = 0; i < length; i++) {
        char hex[3];
        snprintf(hex, sizeof hex, "%02x", (unsigned char)bytes[i]);
        luaL_addlstring(&out, hex, 2);
    }
    luaL_pushresult(&out);
    lua_rawset(L, -3);
}

/* cuda.properties([device]): the fields of cudaDeviceProp */
static int properties(lua_State *L)
{
    struct ncs_lua_thread *t = ncs_lua_begin(L, "cuda.properties", 2);
    bool given = lua_type(L, 1) != LUA_TTABLE && !lua_isnoneornil(L, 1);
    int d = given ? ncs_lua_int(L, 1, "device") : t->device;
    struct cudaDeviceProp p;
    ncs_lua_label(L, given || lua_isnil(L, 1) ? 2 : 1);
    NCS_TRY(L, cudaGetDeviceProperties, &p, d);
    lua_newtable(L);
#define NUMBER(type, name) (push_snake(L, #name), lua_pushinteger(L, (lua_Integer)p.name), lua_rawset(L, -3));
#define LIST(type, name, length) cuda_set_list(L, #name, p.name, length);
#define TEXT(name, length) (push_snake(L, #name), lua_pushstring(L, p.name), lua_rawset(L, -3));
#define BYTES(name, length) set_bytes(L, #name, p.name, length);
    NCS_CUDA_PROPERTIES(NUMBER, LIST, TEXT, BYTES)
#undef NUMBER
#undef LIST
#undef TEXT
#undef BYTES
    return 1;
}

static int can_access_peer(lua_State *L)
{
    int can = 0;
    ncs_lua_begin(L, "cuda.can_access_peer", 3);
    int d = ncs_lua_int(L, 1, "device"), peer = ncs_lua_int(L, 2, "peer");
    ncs_lua_label(L, 3);
    NCS_TRY(L, cudaDeviceCanAccessPeer, &can, d, peer);
    lua_pushboolean(L, can);
    return 1;
}

static int enable_peer(lua_State *L)
{
    ncs_lua_begin(L, "cuda.enable_peer", 2);
    int peer = ncs_lua_int(L, 1, "peer");
    ncs_lua_label(L, 2);
    NCS_TRY(L, cudaDeviceEnablePeerAccess, peer, 0u);
    return 0;
}

static const luaL_Reg functions[] = {
    { "buffer", ncs_buffer_make },
    { "can_access_peer", can_access_peer },
    { "device", device },
    { "device_count", device_count },
    { "driver_version", driver_version },
    { "enable_peer", enable_peer },
    { "event", ncs_event_new },
    { "last_error", cuda_last_error },
    { "graph", ncs_graph_new },
    { "memory", memory },
    { "properties", properties },
    { "runtime_version", runtime_version },
    { "set_device", set_device },
    { "stream", ncs_stream_new },
    { "sync", sync },
    { NULL, NULL },
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
