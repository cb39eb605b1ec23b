/* Windows and registrations: memory that is registered with a communicator. */
#include "script/object.h"

#include <stddef.h>

#include "script/option.h"

/* Begins comm:METHOD(x, ...) and pushes the new object, which keeps both alive. */
static struct ncs_of_comm *window_begin(lua_State *L, const char *method, enum ncs_fn fn, int max, enum ncs_class_id id)
{
    struct ncs_comm *c = ncs_lua_method_any(L, NCS_CLASS_COMM, method, max);
    ncs_lua_thread(L)->through = ncs_fn_info[fn].name;
    ncs_object_check_open(L, &c->head, "this");
    ncs_buffer_check_live(L, ncs_object_arg(L, 2, NCS_CLASS_BUFFER, "buffer"), "buffer");
    struct ncs_of_comm *m = ncs_object_new(L, id, sizeof *m, 2);
    m->comm = c;
    for (int i = 1; i <= 2; i++) {
        lua_pushvalue(L, i);
        lua_setiuservalue(L, -2, i);
    }
    return m;
}

/* Deregisters it. If its communicator ended before, it is gone already, so no call is made. */
static int script_window_end(lua_State *L, enum ncs_class_id id, int (*call)(lua_State *L, struct ncs_of_comm *m))
{
    struct ncs_of_comm *m = ncs_lua_method(L, id, "deregister", 1);
    ncs_lua_label(L, 2);
    if (!m->comm)
        return ncs_lua_usage(L, "this was made through C: deregister it through C");
    ncs_lua_thread(L)->about = &m->comm->head;
    int rc = m->comm->head.closed ? 0 : call(L, m);
    ncs_object_drop(L, &m->handle.head);
    return ncs_lua_push_result(L, rc);
}

static int window_to_text(lua_State *L)
{
    const struct ncs_of_comm *m = lua_touserdata(L, 1);
    const struct ncs_class *class = ncs_classes[m->handle.head.id];
    if (!m->comm) {
        lua_pushfstring(L, "%s %I", class->name, (LUAI_UACINT)m->handle.head.serial);
        return 1;
    }
    const char *name = ncs_lua_comm_name(ncs_lua_rank(L), m->comm);
    lua_getiuservalue(L, 1, 2);
    const struct ncs_buffer *b = lua_touserdata(L, -1);
    lua_pushfstring(L, "%s of %I bytes on %s%s", class->name, (LUAI_UACINT)(b->count * ncs_buffer_element(b)),
                    name ? name : "a comm", m->handle.head.closed ? " (deregistered)" : "");
    return 1;
}

static int field_buffer(lua_State *L)
{
    lua_getiuservalue(L, 1, 2);
    return 1;
}

/* ---- windows ---- */

/* comm:window(x [, { symmetric, strict_ordering }]); nil if NCCL gives none */
static int window_new(lua_State *L)
{
    struct options {
        bool symmetric, strict;
    } o = { false, false };
    static const struct ncs_option rows[] = {
        { "symmetric", NCS_OPTION_FLAG, offsetof(struct options, symmetric) },
        { "strict_ordering", NCS_OPTION_FLAG, offsetof(struct options, strict) },
        { NULL, 0, 0 },
    };
    struct ncs_of_comm *w = window_begin(L, "window", NCS_FN_ncclCommWindowRegister, 2, NCS_CLASS_WINDOW);
    int made = lua_gettop(L);
    const struct ncs_buffer *b = lua_touserdata(L, 2);
    if (made > 3)
        ncs_lua_options(L, 3, rows, &o);
    int flags = (o.symmetric ? NCCL_WIN_COLL_SYMMETRIC : NCCL_WIN_DEFAULT) | (o.strict ? NCCL_WIN_STRICT_ORDERING : 0);
    NCS_TRY(L, ncclCommWindowRegister, ncs_comm_handle(w->comm), b->bytes, b->count * ncs_buffer_element(b),
            (ncclWindow_t *)&w->handle.handle, flags);
    if (!w->handle.handle && w->comm->blocking && ncs_lua_thread(L)->local->group_depth == 0) {
        ncs_object_drop(L, &w->handle.head);
        lua_pushnil(L);
        return 1;
    }
    ncs_object_open(&w->handle.head);
    lua_settop(L, made);
    return 1;
}

static int call_window_end(lua_State *L, struct ncs_of_comm *w)
{
    return NCS_TRY(L, ncclCommWindowDeregister, ncs_comm_handle(w->comm), (ncclWindow_t)w->handle.handle);
}

static int method_window_end(lua_State *L)
{
    return script_window_end(L, NCS_CLASS_WINDOW, call_window_end);
}

static int window_field_pointer(lua_State *L)
{
    const struct ncs_of_comm *w = lua_touserdata(L, 1);
    void *p = NULL;
    ncs_object_check_open(L, &w->handle.head, "this");
    if (!w->comm)
        return ncs_lua_usage(L, "this was made through C: ask for its ptr through C");
    NCS_TRY(L, ncclWinGetUserPtr, ncs_comm_handle(w->comm), (ncclWindow_t)w->handle.handle, &p);
    lua_getiuservalue(L, 1, 2);
    const struct ncs_buffer *b = lua_touserdata(L, -1);
    if (p == (void *)b->bytes)
        ncs_pointer_push(L, lua_gettop(L));
    else
        ncs_pointer_push_raw(L, p);
    return 1;
}

static const luaL_Reg window_methods[] = { { "deregister", method_window_end }, { NULL, NULL } };
static const luaL_Reg window_fields[] = { { "buffer", field_buffer }, { "ptr", window_field_pointer }, { NULL, NULL } };

const struct ncs_class ncs_class_window = {
    .name = "window",
    .gone = "deregistered",
    .methods = { window_methods },
    .fields = window_fields,
    .meta = ncs_handle_meta,
    .close = method_window_end,
    .text = window_to_text,
};

/* ---- registrations ---- */

/* comm:register(x [, { label }]) */
static int registration_new(lua_State *L)
{
    struct ncs_of_comm *r = window_begin(L, "register", NCS_FN_ncclCommRegister, 2, NCS_CLASS_REGISTRATION);
    int made = lua_gettop(L);
    const struct ncs_buffer *b = lua_touserdata(L, 2);
    if (made > 3)
        ncs_lua_label(L, 3);
    NCS_TRY(L, ncclCommRegister, ncs_comm_handle(r->comm), b->bytes, b->count * ncs_buffer_element(b), &r->handle.handle);
    ncs_object_open(&r->handle.head);
    return 1;
}

static int call_registration_end(lua_State *L, struct ncs_of_comm *r)
{
    return NCS_TRY(L, ncclCommDeregister, ncs_comm_handle(r->comm), r->handle.handle);
}

static int registration_end(lua_State *L)
{
    return script_window_end(L, NCS_CLASS_REGISTRATION, call_registration_end);
}

static const luaL_Reg registration_methods[] = { { "deregister", registration_end }, { NULL, NULL } };
static const luaL_Reg registration_fields[] = { { "buffer", field_buffer }, { NULL, NULL } };

const struct ncs_class ncs_class_registration = {
    .name = "registration",
    .gone = "deregistered",
    .methods = { registration_methods },
    .fields = registration_fields,
    .meta = ncs_handle_meta,
    .close = registration_end,
    .text = window_to_text,
};

const luaL_Reg ncs_comm_windows[] = {
    { "register", registration_new },
    { "window", window_new },
    { NULL, NULL },
};
