/* Pointers of scripts: into an allocation, with arithmetic, but without a visible address. */
#include "script/object.h"

#include <stdio.h>

void ncs_pointer_push(lua_State *L, int buffer)
{
    buffer = lua_absindex(L, buffer);
    struct ncs_buffer *b = lua_touserdata(L, buffer);
    struct ncs_pointer *p = ncs_object_new(L, NCS_CLASS_POINTER, sizeof *p, 1);
    p->root = b->root;
    p->base = b->root->bytes;
    p->at = b->bytes;
    p->host = b->memory == NCS_MEMORY_PAGEABLE;
    if (lua_getiuservalue(L, buffer, 1) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_pushvalue(L, buffer);
    }
    lua_setiuservalue(L, -2, 1);
}

void ncs_pointer_push_raw(lua_State *L, void *at)
{
    if (!at) {
        lua_pushnil(L);
        return;
    }
    struct ncs_pointer *p = ncs_object_new(L, NCS_CLASS_POINTER, sizeof *p, 1);
    p->base = p->at = at;
}

static void push_moved(lua_State *L, int from, lua_Integer bytes)
{
    const struct ncs_pointer *p = lua_touserdata(L, from);
    struct ncs_pointer *moved = ncs_object_new(L, NCS_CLASS_POINTER, sizeof *moved, 1);
    struct ncs_object head = moved->head;
    *moved = *p;
    moved->head = head;
    moved->at = (char *)((uintptr_t)p->at + (uintptr_t)bytes);
    lua_getiuservalue(L, from, 1);
    lua_setiuservalue(L, -2, 1);
}

static int pointer_add(lua_State *L)
{
    int from = ncs_object_test(L, 1, NCS_CLASS_POINTER) ? 1 : 2;
    ncs_lua_begin(L, "ptr + bytes", -1);
    push_moved(L, from, ncs_lua_integer(L, 3 - from, "bytes"));
    return 1;
}

static int subtract(lua_State *L)
{
    ncs_lua_begin(L, "ptr - bytes", -1);
    const struct ncs_pointer *p = ncs_object_arg(L, 1, NCS_CLASS_POINTER, "the left side");
    const struct ncs_pointer *q = ncs_object_test(L, 2, NCS_CLASS_POINTER);
    if (q)
        lua_pushinteger(L, (lua_Integer)((uintptr_t)p->at - (uintptr_t)q->at));
    else
        push_moved(L, 1, (lua_Integer)(0 - (lua_Unsigned)ncs_lua_integer(L, 2, "bytes")));
    return 1;
}

static int pointer_equal(lua_State *L)
{
    const struct ncs_pointer *p = ncs_object_test(L, 1, NCS_CLASS_POINTER);
    const struct ncs_pointer *q = ncs_object_test(L, 2, NCS_CLASS_POINTER);
    lua_pushboolean(L, p && q && p->at == q->at);
    return 1;
}

static int pointer_to_text(lua_State *L)
{
    const struct ncs_pointer *p = lua_touserdata(L, 1);
    char words[80];
    lua_Integer serial = p->root ? p->root->head.serial : p->head.serial;
    long long offset = (long long)((intptr_t)p->at - (intptr_t)p->base);
    snprintf(words, sizeof words, "pointer into %s %lld%s%.0lld", p->root ? "buffer" : "allocation", (long long)serial,
             offset ? " + " : "", offset);
    lua_pushstring(L, words);
    return 1;
}

static const luaL_Reg meta[] = { { "__add", pointer_add }, { "__sub", subtract }, { "__eq", pointer_equal }, { NULL, NULL } };

const struct ncs_class ncs_class_pointer = { .name = "pointer", .meta = meta, .text = pointer_to_text };
