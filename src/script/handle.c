/* Objects for opaque handles of NCCL and CUDA. Windows and registrations that C made are such
 * objects too: the script ends them through C. */
#include "script/object.h"

static int handle_to_text(lua_State *L)
{
    const struct ncs_object *o = lua_touserdata(L, 1);
    lua_pushfstring(L, "%s %I", ncs_classes[o->id]->name, (LUAI_UACINT)o->serial);
    return 1;
}

static int handle_equal(lua_State *L)
{
    const struct ncs_handle *a = lua_touserdata(L, 1), *b = lua_touserdata(L, 2);
    bool same = lua_rawlen(L, 1) >= sizeof *a && lua_rawlen(L, 2) >= sizeof *b && a->head.id == b->head.id &&
                a->handle == b->handle && a->handle;
    lua_pushboolean(L, same);
    return 1;
}

const luaL_Reg ncs_handle_meta[] = { { "__eq", handle_equal }, { NULL, NULL } };

const struct ncs_class ncs_class_param = { .name = "param", .meta = ncs_handle_meta, .text = handle_to_text };
const struct ncs_class ncs_class_pool = { .name = "pool", .meta = ncs_handle_meta, .text = handle_to_text };

struct ncs_handle *ncs_handle_make(lua_State *L, enum ncs_class_id id)
{
    struct ncs_handle *h = ncs_object_new(L, id, sizeof(struct ncs_of_comm), 2);
    if (ncs_classes[id]->close) { /* not for the script's objects to close */
        ncs_object_drop(L, &h->head);
        ncs_object_open(&h->head);
    }
    return h;
}
