/* Packs values for another rank as bytes: nil, booleans, numbers, texts, ids and plain tables of
 * them. A whole number is exactly 8 bytes, because the store adds to it. Anything else begins with
 * a letter and is never 8 bytes long. */
#include "script/object.h"

#include <string.h>

#define DEPTH 32

/* A byte buffer that grows, in a userdata at stack index `slot`. */
struct writer {
    lua_State *L;
    int slot;
    char *bytes;
    size_t count, room;
};

static void value_write_bytes(struct writer *w, const void *bytes, size_t count)
{
    if (w->room - w->count < count) {
        size_t room = (w->count + count) * 2;
        char *grown = lua_newuserdatauv(w->L, room, 0);
        if (w->count)
            memcpy(grown, w->bytes, w->count);
        lua_replace(w->L, w->slot);
        w->bytes = grown;
        w->room = room;
    }
    memcpy(w->bytes + w->count, bytes, count);
    w->count += count;
}

static void add_tagged(struct writer *w, char tag, const void *bytes, size_t count)
{
    value_write_bytes(w, &tag, 1);
    value_write_bytes(w, bytes, count);
}

static void pack(struct writer *w, int index, int depth);

static void pack_table(struct writer *w, int index, int depth)
{
    lua_State *L = w->L;
    if (depth >= DEPTH)
        ncs_lua_usage(L, "tables are nested too deeply, or contain themselves");
    luaL_checkstack(L, 8, NULL);
    value_write_bytes(w, "t", 1);
    lua_Integer count = ncs_lua_keys(L, index); /* in order: equal tables, equal bytes */
    int list = lua_gettop(L);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        lua_pushvalue(L, -1);
        if (lua_rawget(L, index) == LUA_TNIL)
            continue;
        pack(w, list + 1, depth + 1);
        pack(w, list + 2, depth + 1);
    }
    lua_settop(L, list - 1);
    value_write_bytes(w, "e", 1);
}

static void pack(struct writer *w, int index, int depth)
{
    lua_State *L = w->L;
    switch (lua_type(L, index)) {
    case LUA_TNIL: value_write_bytes(w, "n", 1); return;
    case LUA_TBOOLEAN: value_write_bytes(w, lua_toboolean(L, index) ? "1" : "0", 1); return;
    case LUA_TNUMBER:
        if (lua_isinteger(L, index)) {
            lua_Integer i = lua_tointeger(L, index);
            add_tagged(w, 'i', &i, sizeof i);
        } else {
            lua_Number d = lua_tonumber(L, index);
            add_tagged(w, 'd', &d, sizeof d);
        }
        return;
    case LUA_TSTRING: {
        size_t bytes;
        const char *text = lua_tolstring(L, index, &bytes);
        add_tagged(w, 's', &bytes, sizeof bytes);
        value_write_bytes(w, text, bytes);
        return;
    }
    case LUA_TTABLE:
        if (!lua_getmetatable(L, index)) {
            pack_table(w, index, depth);
            return;
        }
        lua_pop(L, 1);
        break;
    case LUA_TUSERDATA: {
        const struct ncs_id *id = ncs_object_test(L, index, NCS_CLASS_ID);
        if (!id)
            break;
        add_tagged(w, 'u', &id->id, sizeof id->id);
        return;
    }
    default: break;
    }
    ncs_lua_wrong(L, index, "a value for another rank", "nil, a boolean, number, text, id or plain table");
}

void ncs_value_pack(lua_State *L, int index)
{
    index = lua_absindex(L, index);
    luaL_checkstack(L, 8, NULL);
    if (lua_isinteger(L, index)) {
        int64_t i = lua_tointeger(L, index);
        lua_pushlstring(L, (const char *)&i, sizeof i);
        return;
    }
    lua_pushnil(L);
    struct writer w = { .L = L, .slot = lua_gettop(L) };
    pack(&w, index, 0);
    if (w.count == 8)
        value_write_bytes(&w, "", 1);
    lua_pushlstring(L, w.bytes, w.count);
    lua_replace(L, w.slot);
}

struct reader {
    const char *at, *end;
};

static void value_read_bytes(lua_State *L, struct reader *r, void *to, size_t bytes)
{
    if ((size_t)(r->end - r->at) < bytes)
        luaL_error(L, "the store's value is cut short");
    memcpy(to, r->at, bytes);
    r->at += bytes;
}

static void unpack(lua_State *L, struct reader *r)
{
    char tag;
    lua_Integer i;
    lua_Number d;
    size_t bytes;
    ncclUniqueId id;
    luaL_checkstack(L, 8, NULL);
    value_read_bytes(L, r, &tag, 1);
    switch (tag) {
    case '0':
    case '1': lua_pushboolean(L, tag == '1'); return;
    case 'i':
        value_read_bytes(L, r, &i, sizeof i);
        lua_pushinteger(L, i);
        return;
    case 'd':
        value_read_bytes(L, r, &d, sizeof d);
        lua_pushnumber(L, d);
        return;
    case 's':
        value_read_bytes(L, r, &bytes, sizeof bytes);
        if ((size_t)(r->end - r->at) < bytes)
            luaL_error(L, "the store's value is cut short");
        lua_pushlstring(L, r->at, bytes);
        r->at += bytes;
        return;
    case 'u':
        value_read_bytes(L, r, &id, sizeof id);
        ncs_id_push(L, &id);
        return;
    case 't':
        lua_newtable(L);
        while (r->at < r->end && *r->at != 'e') {
            unpack(L, r);
            unpack(L, r);
            lua_rawset(L, -3);
        }
        r->at++;
        return;
    default: lua_pushnil(L);
    }
}

void ncs_value_unpack(lua_State *L, const void *bytes, size_t count)
{
    struct reader r = { bytes, (const char *)bytes + count };
    int64_t i;
    if (count == sizeof i) {
        memcpy(&i, bytes, sizeof i);
        lua_pushinteger(L, i);
        return;
    }
    unpack(L, &r);
}
