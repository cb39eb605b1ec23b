/* Operators of the user: comm:premulsum. */
#include "script/object.h"

#include "api/types.h"
#include "script/option.h"

/* comm:premulsum(dtype, scalar [, { label }]) */
static int redop_new(lua_State *L)
{
    struct ncs_comm *c = ncs_lua_method(L, NCS_CLASS_COMM, "premulsum", 3);
    int dtype = ncs_lua_dtype(L, 2);
    struct ncs_buffer *from = ncs_object_test(L, 3, NCS_CLASS_BUFFER);
    unsigned char element[8] = { 0 };
    void *scalar = element;
    if (from) {
        ncs_buffer_check_live(L, from, "scalar");
        if (from->dtype != dtype)
            return ncs_lua_usage(L, "the scalar is %s, the operator %s", ncs_dtype_name(from->dtype), ncs_dtype_name(dtype));
        if (from->count < 1)
            return ncs_lua_usage(L, "the scalar's buffer is empty");
        scalar = from->bytes;
    } else if (lua_type(L, 3) != LUA_TNUMBER) {
        return ncs_lua_wrong(L, 3, "scalar", "a number or a buffer");
    } else {
        ncs_lua_element(L, 3, dtype, element, "scalar");
    }
    ncs_lua_label(L, 4);
    struct ncs_lua_redop *op = ncs_object_new(L, NCS_CLASS_REDOP, sizeof *op, 2);
    op->comm = ncs_comm_handle(c);
    op->owner = c;
    op->dtype = dtype;
    op->on_device = from != NULL;
    op->scalar = from ? 0 : lua_tonumber(L, 3);
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    lua_pushvalue(L, 3); /* the scalar's memory is read when a call executes */
    lua_setiuservalue(L, -2, 2);
    struct ncs_range own = { .from = element, .bytes = sizeof element };
    NCS_TRY_LENDING(L, own, NCS_NO_RANGE, ncclRedOpCreatePreMulSum, &op->op, scalar, (ncclDataType_t)dtype,
                    from ? ncclScalarDevice : ncclScalarHostImmediate, op->comm);
    ncs_object_open(&op->head);
    return 1;
}

static int redop_destroy(lua_State *L)
{
    struct ncs_lua_redop *op = ncs_lua_method(L, NCS_CLASS_REDOP, "destroy", 1);
    ncs_lua_label(L, 2);
    ncs_lua_thread(L)->about = &op->owner->head;
    /* The end of the communicator has destroyed the operator, so no call is made then. Through C a
     * script can still make that wrong call. */
    int rc = op->owner->head.closed ? 0 : NCS_TRY(L, ncclRedOpDestroy, op->op, op->comm);
    ncs_object_drop(L, &op->head);
    return ncs_lua_push_result(L, rc);
}

static int redop_field_dtype(lua_State *L)
{
    lua_pushstring(L, ncs_dtype_name(((struct ncs_lua_redop *)lua_touserdata(L, 1))->dtype));
    return 1;
}

static int redop_text(lua_State *L)
{
    const struct ncs_lua_redop *op = lua_touserdata(L, 1);
    const char *gone = op->head.closed ? " (destroyed)" : "";
    if (op->on_device)
        lua_pushfstring(L, "premulsum(%s, from a buffer)%s", ncs_dtype_name(op->dtype), gone);
    else if (op->scalar > -1e15 && op->scalar < 1e15 && op->scalar == (double)(long long)op->scalar)
        lua_pushfstring(L, "premulsum(%s, %I)%s", ncs_dtype_name(op->dtype), (LUAI_UACINT)op->scalar, gone);
    else
        lua_pushfstring(L, "premulsum(%s, %f)%s", ncs_dtype_name(op->dtype), (LUAI_UACNUMBER)op->scalar, gone);
    return 1;
}

static const luaL_Reg methods[] = { { "destroy", redop_destroy }, { NULL, NULL } };
static const luaL_Reg fields[] = { { "dtype", redop_field_dtype }, { NULL, NULL } };

const struct ncs_class ncs_class_redop = {
    .name = "op",
    .gone = "destroyed",
    .methods = { methods },
    .fields = fields,
    .close = redop_destroy,
    .text = redop_text,
};

const luaL_Reg ncs_comm_redops[] = {
    { "premulsum", redop_new },
    { NULL, NULL },
};
