/* nccl.param and nccl.params: the library's parameters and their values. */
#include "script/object.h"
#include "script/option.h"

int ncs_nccl_param(lua_State *L)
{
    const char *value = NULL;
    int length = 0;
    ncs_lua_begin(L, "nccl.param", 2);
    const char *key = ncs_lua_string(L, 1, "key");
    ncs_lua_label(L, 2);
    NCS_TRY(L, ncclParamGetParameter, key, &value, &length);
    lua_pushlstring(L, value, (size_t)length);
    return 1;
}

int ncs_nccl_params(lua_State *L)
{
    const char **keys = NULL;
    int count = 0;
    ncs_lua_begin(L, "nccl.params", 1);
    ncs_lua_label(L, 1);
    NCS_TRY(L, ncclParamGetAllParameterKeys, &keys, &count);
    lua_createtable(L, 0, count);
    for (int i = 0; i < count; i++) {
        const char *value = NULL;
        int length = 0;
        NCS_TRY(L, ncclParamGetParameter, keys[i], &value, &length);
        lua_pushlstring(L, value, (size_t)length);
        lua_setfield(L, -2, keys[i]);
    }
    return 1;
}
