/* C's structs in scripts: tables with C's field names. ncclConfig and ncclSimInfo are objects,
 * because the library writes to them or reads them later. */
#include "script/raw.h"

#include <limits.h>
#include <string.h>

#include "base/near.h"
#include "script/option.h"

enum type { INT, UNSIGNED, SHORT, SIZE, FLOAT, BOOL, TEXT, BYTES, ADDRESS, LOCATION };

struct field {
    const char *name;
    enum type type;
    size_t offset;
    int length; /* of an array, a text or bytes; 0 = one value */
};

#define FIELDS_MOST 96

#define FIELD(type, of, field)                       \
    {                                                \
        .name = #field, type, offsetof(of, field), 0 \
    }

static const struct field wait_fields[] = {
    FIELD(INT, ncclWaitSignalDesc_t, opCnt),
    FIELD(INT, ncclWaitSignalDesc_t, peer),
    FIELD(INT, ncclWaitSignalDesc_t, sigIdx),
    FIELD(INT, ncclWaitSignalDesc_t, ctx),
    { NULL, 0, 0, 0 },
};

static const struct field location_fields[] = {
    FIELD(INT, struct cudaMemLocation, type),
    FIELD(INT, struct cudaMemLocation, id),
    { NULL, 0, 0, 0 },
};

static const struct field pool_fields[] = {
    FIELD(INT, struct cudaMemPoolProps, allocType),     FIELD(INT, struct cudaMemPoolProps, handleTypes),
    FIELD(LOCATION, struct cudaMemPoolProps, location), FIELD(SIZE, struct cudaMemPoolProps, maxSize),
    FIELD(SHORT, struct cudaMemPoolProps, usage),       { NULL, 0, 0, 0 },
};

#define OF(field) (((struct cudaDeviceProp *)0)->field)
#define TYPE_OF(field) _Generic(OF(field), size_t : SIZE, unsigned : UNSIGNED, default : INT)
#define NUMBER_ROW(type, name) { #name, TYPE_OF(name), offsetof(struct cudaDeviceProp, name), 0 },
#define LIST_ROW(type, name, length) { #name, INT, offsetof(struct cudaDeviceProp, name), length },
#define TEXT_ROW(name, length) { #name, TEXT, offsetof(struct cudaDeviceProp, name), length },
#define BYTES_ROW(name, length) { #name, BYTES, offsetof(struct cudaDeviceProp, name), length },
static const struct field device_fields[] = {
    NCS_CUDA_PROPERTIES(NUMBER_ROW, LIST_ROW, TEXT_ROW, BYTES_ROW){ NULL, 0, 0, 0 },
};

static const struct field pointer_fields[] = {
    FIELD(INT, struct cudaPointerAttributes, type),
    FIELD(INT, struct cudaPointerAttributes, device),
    FIELD(ADDRESS, struct cudaPointerAttributes, devicePointer),
    FIELD(ADDRESS, struct cudaPointerAttributes, hostPointer),
    { NULL, 0, 0, 0 },
};

static const struct field comm_fields[] = {
    FIELD(INT, ncclCommProperties_t, rank),
    FIELD(INT, ncclCommProperties_t, nRanks),
    FIELD(INT, ncclCommProperties_t, cudaDev),
    FIELD(INT, ncclCommProperties_t, nvmlDev),
    FIELD(BOOL, ncclCommProperties_t, deviceApiSupport),
    FIELD(BOOL, ncclCommProperties_t, multimemSupport),
    FIELD(INT, ncclCommProperties_t, ginType),
    FIELD(INT, ncclCommProperties_t, nLsaTeams),
    FIELD(BOOL, ncclCommProperties_t, hostRmaSupport),
    FIELD(INT, ncclCommProperties_t, railedGinType),
    { NULL, 0, 0, 0 },
};

static const struct field sim_fields[] = {
    FIELD(SIZE, ncclSimInfo_t, size),
    FIELD(UNSIGNED, ncclSimInfo_t, magic),
    FIELD(UNSIGNED, ncclSimInfo_t, version),
    FIELD(FLOAT, ncclSimInfo_t, estimatedTime),
    { NULL, 0, 0, 0 },
};

static const struct field config_fields[] = {
    FIELD(SIZE, ncclConfig_t, size),
    FIELD(UNSIGNED, ncclConfig_t, magic),
    FIELD(UNSIGNED, ncclConfig_t, version),
    { NULL, 0, 0, 0 },
};

static const struct field *const structs[] = {
    [NCS_STRUCT_WAIT] = wait_fields,     [NCS_STRUCT_LOCATION] = location_fields, [NCS_STRUCT_POOL] = pool_fields,
    [NCS_STRUCT_DEVICE] = device_fields, [NCS_STRUCT_POINTER] = pointer_fields,   [NCS_STRUCT_COMM] = comm_fields,
    [NCS_STRUCT_SIM] = sim_fields,       [NCS_STRUCT_CONFIG] = config_fields,
};

static const struct field *raw_struct_find(enum ncs_raw_struct what, const char *name)
{
    for (const struct field *f = structs[what]; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* NULL = none */
static const char *struct_near(enum ncs_raw_struct what, const char *field)
{
    const char *names[FIELDS_MOST];
    size_t count = 0;
    for (const struct field *f = structs[what]; f->name && count < FIELDS_MOST; f++)
        names[count++] = f->name;
    return ncs_nearest(field, names, count);
}

/* ---- to Lua ---- */

static void push_value(lua_State *L, const struct field *f, const char *from)
{
    switch (f->type) {
    case INT: lua_pushinteger(L, *(const int *)from); break;
    case UNSIGNED: lua_pushinteger(L, *(const unsigned *)from); break;
    case SHORT: lua_pushinteger(L, *(const unsigned short *)from); break;
    case SIZE: lua_pushinteger(L, (lua_Integer) * (const size_t *)from); break;
    case FLOAT: lua_pushnumber(L, (lua_Number) * (const float *)from); break;
    case BOOL: lua_pushboolean(L, *(const bool *)from); break;
    case TEXT: lua_pushlstring(L, from, strnlen(from, (size_t)f->length)); break;
    case BYTES: lua_pushlstring(L, from, (size_t)f->length); break;
    case ADDRESS: ncs_pointer_push_raw(L, *(void *const *)from); break;
    case LOCATION: ncs_struct_push(L, NCS_STRUCT_LOCATION, from); break;
    }
}

static void push_field(lua_State *L, const struct field *f, const void *of)
{
    const char *from = (const char *)of + f->offset;
    if (f->type != INT || f->length == 0) {
        push_value(L, f, from);
        return;
    }
    lua_createtable(L, f->length, 0);
    for (int i = 0; i < f->length; i++) {
        push_value(L, f, from + (size_t)i * sizeof(int));
        lua_rawseti(L, -2, i + 1);
    }
}

void ncs_struct_push(lua_State *L, enum ncs_raw_struct what, const void *from)
{
    luaL_checkstack(L, 8, NULL);
    lua_newtable(L);
    for (const struct field *f = structs[what]; f->name; f++) {
        push_field(L, f, from);
        lua_setfield(L, -2, f->name);
    }
}

static bool struct_get(lua_State *L, enum ncs_raw_struct what, const char *field, const void *from)
{
    const struct field *f = raw_struct_find(what, field);
    if (f)
        push_field(L, f, from);
    return f != NULL;
}

/* ---- from Lua ---- */

static lua_Integer raw_struct_within(lua_State *L, int arg, const char *name, lua_Integer least, lua_Integer most)
{
    lua_Integer v = lua_isboolean(L, arg) ? lua_toboolean(L, arg) : ncs_lua_integer(L, arg, name);
    if (v < least || v > most)
        ncs_lua_usage(L, "%s must be from %lld to %lld, got %lld", name, (long long)least, (long long)most, (long long)v);
    return v;
}

static void read_bytes(lua_State *L, const struct field *f, int arg, char *to)
{
    size_t count;
    if (lua_type(L, arg) != LUA_TSTRING)
        ncs_lua_wrong(L, arg, f->name, "a text");
    const char *text = lua_tolstring(L, arg, &count);
    if (count > (size_t)f->length)
        ncs_lua_usage(L, "%s is longer than %d bytes", f->name, f->length);
    memset(to, 0, (size_t)f->length);
    memcpy(to, text, count);
}

static void raw_struct_read_value(lua_State *L, const struct field *f, int arg, char *to)
{
    switch (f->type) {
    case INT: *(int *)to = (int)raw_struct_within(L, arg, f->name, INT_MIN, INT_MAX); break;
    case UNSIGNED: *(unsigned *)to = (unsigned)raw_struct_within(L, arg, f->name, 0, UINT_MAX); break;
    case SHORT: *(unsigned short *)to = (unsigned short)raw_struct_within(L, arg, f->name, 0, USHRT_MAX); break;
    case SIZE: *(size_t *)to = (size_t)raw_struct_within(L, arg, f->name, 0, LLONG_MAX); break;
    case FLOAT: *(float *)to = (float)ncs_lua_number(L, arg, f->name); break;
    case BOOL: *(bool *)to = raw_struct_within(L, arg, f->name, 0, 1); break;
    case TEXT:
    case BYTES: read_bytes(L, f, arg, to); break;
    case ADDRESS: ncs_lua_usage(L, "%s is filled in by the library", f->name); break;
    case LOCATION: ncs_struct_read(L, arg, NCS_STRUCT_LOCATION, to, f->name); break;
    }
}

static void read_field(lua_State *L, const struct field *f, int arg, void *of)
{
    char *to = (char *)of + f->offset;
    if (f->type != INT || f->length == 0) {
        raw_struct_read_value(L, f, arg, to);
        return;
    }
    if (lua_type(L, arg) != LUA_TTABLE || lua_rawlen(L, arg) != (size_t)f->length)
        ncs_lua_usage(L, "%s must be a list of %d integers", f->name, f->length);
    for (int i = 0; i < f->length; i++) {
        lua_rawgeti(L, arg, i + 1);
        raw_struct_read_value(L, f, lua_gettop(L), to + (size_t)i * sizeof(int));
        lua_pop(L, 1);
    }
}

/* One field; false: there is no such field. */
static bool struct_set(lua_State *L, enum ncs_raw_struct what, const char *field, int arg, void *to)
{
    const struct field *f = raw_struct_find(what, field);
    if (f)
        read_field(L, f, arg, to);
    return f != NULL;
}

static int no_field(lua_State *L, enum ncs_raw_struct what, const char *field)
{
    const char *near = struct_near(what, field);
    if (!near && what == NCS_STRUCT_CONFIG)
        near = ncs_nearest(field, ncs_config_fields(), 0);
    return ncs_lua_usage(L, "no such field '%.60s'%s%s%s", field, near ? ": did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
}

void ncs_struct_read(lua_State *L, int arg, enum ncs_raw_struct what, void *to, const char *name)
{
    arg = lua_absindex(L, arg);
    if (lua_type(L, arg) != LUA_TTABLE)
        ncs_lua_wrong(L, arg, name, "a table with C's names of the fields");
    luaL_checkstack(L, 12, NULL);
    lua_Integer count = ncs_lua_keys(L, arg);
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        const char *field = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
        lua_pushvalue(L, -1);
        if (lua_rawget(L, arg) == LUA_TNIL || struct_set(L, what, field, list + 2, to))
            continue;
        if (what == NCS_STRUCT_CONFIG && ncs_config_set(L, to, field, list + 2))
            continue;
        no_field(L, what, field);
    }
    lua_settop(L, list - 1);
}

/* ---- the two that are objects ---- */

int ncs_raw_config(lua_State *L)
{
    ncs_lua_begin(L, "C.ncclConfig", 1);
    struct ncs_config *c = ncs_object_new(L, NCS_CLASS_CONFIG, sizeof *c, 0);
    c->config = (ncclConfig_t)NCCL_CONFIG_INITIALIZER;
    if (lua_gettop(L) > 1 && !lua_isnil(L, 1))
        ncs_struct_read(L, 1, NCS_STRUCT_CONFIG, &c->config, "the fields");
    return 1;
}

int ncs_raw_sim_info(lua_State *L)
{
    ncs_lua_begin(L, "C.ncclSimInfo", 1);
    struct ncs_sim_info *s = ncs_object_new(L, NCS_CLASS_SIM_INFO, sizeof *s, 0);
    s->info = (ncclSimInfo_t){ sizeof s->info, NCCL_SIM_INFO_MAGIC, NCCLSCRIPT_NCCL_VERSION, NCCL_UNDEF_FLOAT };
    if (lua_gettop(L) > 1 && !lua_isnil(L, 1))
        ncs_struct_read(L, 1, NCS_STRUCT_SIM, &s->info, "the fields");
    return 1;
}

static int config_text(lua_State *L)
{
    lua_pushfstring(L, "ncclConfig %I", (LUAI_UACINT)((struct ncs_object *)lua_touserdata(L, 1))->serial);
    return 1;
}

const struct ncs_class ncs_class_config = { .name = "config", .text = config_text };

static int sim_field(lua_State *L, const char *field)
{
    struct_get(L, NCS_STRUCT_SIM, field, &((struct ncs_sim_info *)lua_touserdata(L, 1))->info);
    return 1;
}

/* clang-format off */
static int sim_estimated(lua_State *L) { return sim_field(L, "estimatedTime"); }
static int sim_magic(lua_State *L) { return sim_field(L, "magic"); }
static int sim_size(lua_State *L) { return sim_field(L, "size"); }
static int sim_version(lua_State *L) { return sim_field(L, "version"); }
/* clang-format on */

static int sim_text(lua_State *L)
{
    lua_pushfstring(L, "ncclSimInfo %I", (LUAI_UACINT)((struct ncs_object *)lua_touserdata(L, 1))->serial);
    return 1;
}

static const luaL_Reg sim_getters[] = {
    { "estimatedTime", sim_estimated }, { "magic", sim_magic }, { "size", sim_size }, { "version", sim_version }, { NULL, NULL },
};

const struct ncs_class ncs_class_sim_info = { .name = "simInfo", .fields = sim_getters, .text = sim_text };
