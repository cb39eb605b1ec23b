#include "script/object.h"

#include <stdio.h>
#include <string.h>

/* This field of the communicators' metatable holds their abort function. */
#define ABORT "ncs.abort"

const struct ncs_class *const ncs_classes[NCS_CLASSES] = {
    [NCS_CLASS_BUFFER] = &ncs_class_buffer, [NCS_CLASS_STREAM] = &ncs_class_stream,
    [NCS_CLASS_EVENT] = &ncs_class_event,   [NCS_CLASS_COMM] = &ncs_class_comm,
    [NCS_CLASS_REDOP] = &ncs_class_redop,   [NCS_CLASS_POINTER] = &ncs_class_pointer,
    [NCS_CLASS_ID] = &ncs_class_id,         [NCS_CLASS_CONFIG] = &ncs_class_config,
    [NCS_CLASS_THREAD] = &ncs_class_thread, [NCS_CLASS_SIM_INFO] = &ncs_class_sim_info,
    [NCS_CLASS_WINDOW] = &ncs_class_window, [NCS_CLASS_REGISTRATION] = &ncs_class_registration,
    [NCS_CLASS_PARAM] = &ncs_class_param,   [NCS_CLASS_POOL] = &ncs_class_pool,
    [NCS_CLASS_GRAPH] = &ncs_class_graph,
};

/* Pushes the metatable, which is made when it is first asked for. */
static void push_class(lua_State *L, enum ncs_class_id id);

/* ---- list of objects by age, and the table that keeps them alive ---- */

static void push_anchors(lua_State *L)
{
    static const char key; /* its address: found without making a text */
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
}

/* Live communicators by address: a thread remembers the one it called last, which
 * may be collected. */
static void object_push_comms(lua_State *L)
{
    if (luaL_getsubtable(L, LUA_REGISTRYINDEX, "ncs.comms"))
        return;
    lua_createtable(L, 0, 1);
    lua_pushliteral(L, "v");
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
}

const struct ncs_comm *ncs_lua_about(lua_State *L)
{
    const struct ncs_object *o = ncs_lua_thread(L)->about;
    if (!o)
        return NULL;
    luaL_checkstack(L, 4, NULL);
    object_push_comms(L);
    bool alive = lua_rawgetp(L, -1, o) != LUA_TNIL;
    lua_pop(L, 2);
    return alive ? (const struct ncs_comm *)o : NULL;
}

void *ncs_object_new(lua_State *L, enum ncs_class_id id, size_t bytes, int values)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    luaL_checkstack(L, 8, NULL);
    struct ncs_object *o = lua_newuserdatauv(L, bytes, values);
    memset(o, 0, bytes);
    o->class = ncs_classes[id];
    o->id = id;
    o->serial = ++rank->serials;
    push_class(L, id);
    lua_setmetatable(L, -2);
    if (id == NCS_CLASS_COMM) {
        object_push_comms(L);
        lua_pushvalue(L, -2);
        lua_rawsetp(L, -2, o);
        lua_pop(L, 1);
    }
    if (ncs_classes[id]->close) {
        o->closed = true;
        push_anchors(L);
        lua_pushvalue(L, -2);
        lua_rawsetp(L, -2, o);
        lua_pop(L, 1);
        o->older = rank->newest;
        if (rank->newest)
            rank->newest->newer = o;
        rank->newest = o;
    }
    return o;
}

void ncs_object_open(struct ncs_object *o)
{
    o->closed = false;
}

/* A group or a call in progress holds the address of the handle and writes it at its end. */
static bool is_unfilled(const struct ncs_object *o)
{
    switch (o->id) {
    case NCS_CLASS_COMM: return !ncs_comm_handle((const struct ncs_comm *)o);
    case NCS_CLASS_WINDOW:
    case NCS_CLASS_REGISTRATION: return !((const struct ncs_handle *)o)->handle;
    default: return false;
    }
}

void ncs_object_drop(lua_State *L, struct ncs_object *o)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    o->closed = true;
    o->closed_line = ncs_lua_where(L).line;
    if (o->newer)
        o->newer->older = o->older;
    else if (rank->newest == o) /* otherwise it has left the list before */
        rank->newest = o->older;
    if (o->older)
        o->older->newer = o->newer;
    o->newer = o->older = NULL;
    if (!is_unfilled(o))
        ncs_object_let_go(L, o);
}

void ncs_object_let_go(lua_State *L, struct ncs_object *o)
{
    push_anchors(L);
    lua_pushnil(L);
    lua_rawsetp(L, -2, o);
    lua_pop(L, 1);
}

bool ncs_object_closed(lua_State *L, const struct ncs_object *o)
{
    if (!o->closed && ncs_classes[o->id]->notice)
        ncs_classes[o->id]->notice(L, (struct ncs_object *)o); /* no other change */
    return o->closed;
}

void ncs_object_push(lua_State *L, struct ncs_object *o)
{
    push_anchors(L);
    lua_rawgetp(L, -1, o);
    lua_remove(L, -2);
}

/* ---- arguments ---- */

struct ncs_object *ncs_object_any(lua_State *L, int arg)
{
    struct ncs_object *o = lua_type(L, arg) == LUA_TUSERDATA ? lua_touserdata(L, arg) : NULL;
    for (int i = 0; o && i < NCS_CLASSES; i++)
        if (o->class == ncs_classes[i])
            return o;
    return NULL;
}

void *ncs_object_test(lua_State *L, int arg, enum ncs_class_id id)
{
    struct ncs_object *o = lua_type(L, arg) == LUA_TUSERDATA ? lua_touserdata(L, arg) : NULL;
    return o && o->class == ncs_classes[id] ? o : NULL;
}

void *ncs_object_arg(lua_State *L, int arg, enum ncs_class_id id, const char *name)
{
    void *o = ncs_object_test(L, arg, id);
    char wanted[40] = "a ";
    if (!o) {
        strcpy(wanted, strchr("aeiou", ncs_classes[id]->name[0]) ? "an " : "a ");
        strncat(wanted, ncs_classes[id]->name, sizeof wanted - 4);
        ncs_lua_wrong(L, arg, name, wanted);
    }
    return o;
}

void ncs_object_check_open(lua_State *L, const struct ncs_object *o, const char *name)
{
    const struct ncs_class *class = ncs_classes[o->id];
    if (!class->close || !ncs_object_closed(L, o))
        return;
    size_t n = strlen(name), tail = strlen(class->name);
    bool said = n >= tail && strcmp(name + n - tail, class->name) == 0; /* "stream" of a stream */
    const char *space = said ? "" : " ", *kind = said ? "" : class->name;
    char by[80] = "", line[24] = "";
    if (o->closed_by)
        snprintf(by, sizeof by, " by %s", o->closed_by);
    if (o->closed_line)
        snprintf(line, sizeof line, " at line %d", o->closed_line);
    ncs_lua_refuse(L, "%s%s%s was %s%s%s", name, space, kind, class->gone, by, line);
}

void *ncs_object_live(lua_State *L, int arg, enum ncs_class_id id, const char *name)
{
    struct ncs_object *o = ncs_object_arg(L, arg, id, name);
    ncs_object_check_open(L, o, name);
    return o;
}

void *ncs_lua_method_any(lua_State *L, enum ncs_class_id id, const char *method, int max)
{
    struct ncs_object *o = ncs_object_test(L, 1, id);
    ncs_lua_begin(L, method, max < 0 ? -1 : max + 1);
    if (!o)
        ncs_lua_usage(L, "methods take a colon, not a dot: %s:%s(...)", ncs_classes[id]->name, method);
    if (id == NCS_CLASS_COMM) {
        ncs_lua_thread(L)->about = o;
        ncs_comm_know(L, (struct ncs_comm *)o);
    }
    return o;
}

void *ncs_lua_method(lua_State *L, enum ncs_class_id id, const char *method, int max)
{
    struct ncs_object *o = ncs_lua_method_any(L, id, method, max);
    ncs_object_check_open(L, o, "this");
    return o;
}

/* ---- classes: upvalues of __index are the methods, the fields, the class ----
 *
 * A method and a field get into their table when they are first used: every rank has its own tables, and uses few of
 * the methods. */

static bool push_row(lua_State *L, const luaL_Reg *rows, const char *word)
{
    for (; rows && rows->name; rows++)
        if (strcmp(rows->name, word) == 0) {
            lua_pushcfunction(L, rows->func);
            return true;
        }
    return false;
}

/* False = no such method. */
static bool push_method(lua_State *L, const struct ncs_class *class, const char *word)
{
    for (size_t i = 0; class->methods[i]; i++)
        if (push_row(L, class->methods[i], word))
            return true;
    luaL_Reg close[] = { { "close", class->close }, { NULL, NULL } };
    return push_row(L, class->close ? close : NULL, word) ||
           (class == ncs_classes[NCS_CLASS_COMM] && ncs_collective_method(L, word));
}

/* Pushes the method, or the function behind the field, if `table` is the table of those; false: there is none. */
static bool push_member(lua_State *L, const struct ncs_class *class, int table, bool method, const char *word)
{
    lua_pushstring(L, word);
    if (lua_rawget(L, table) != LUA_TNIL)
        return true;
    lua_pop(L, 1);
    bool found = method ? push_method(L, class, word) : push_row(L, class->fields, word);
    if (found) {
        lua_pushstring(L, word);
        lua_pushvalue(L, -2);
        lua_rawset(L, table);
    }
    return found;
}

static void complete_rows(lua_State *L, const struct ncs_class *class, int table, bool methods, const luaL_Reg *rows)
{
    for (; rows && rows->name; rows++) {
        push_member(L, class, table, methods, rows->name);
        lua_pop(L, 1);
    }
}

void ncs_object_members(lua_State *L, enum ncs_class_id id)
{
    const struct ncs_class *class = ncs_classes[id];
    luaL_checkstack(L, 8, NULL);
    push_class(L, id);
    lua_getfield(L, -1, "__index");
    lua_replace(L, -2);
    int index = lua_gettop(L), methods = index + 1, fields = index + 2;
    lua_getupvalue(L, index, 1);
    lua_getupvalue(L, index, 2);
    for (size_t i = 0; class->methods[i]; i++)
        complete_rows(L, class, methods, true, class->methods[i]);
    if (class->close) {
        push_member(L, class, methods, true, "close");
        lua_pop(L, 1);
    }
    for (int fn = 0; id == NCS_CLASS_COMM && fn < NCS_FN_COUNT; fn++)
        if (ncs_collective_name((enum ncs_fn)fn)) {
            push_member(L, class, methods, true, ncs_collective_name((enum ncs_fn)fn));
            lua_pop(L, 1);
        }
    complete_rows(L, class, fields, false, class->fields);
    lua_remove(L, index);
}

static int unknown_member(lua_State *L, const struct ncs_class *class, const char *word)
{
    int id = 0;
    while (ncs_classes[id] != class)
        id++;
    ncs_object_members(L, (enum ncs_class_id)id);
    int tables[2] = { lua_gettop(L) - 1, lua_gettop(L) };
    return ncs_lua_unknown(L, "field or method", class->name, word, tables, 2);
}

static int index_object(lua_State *L)
{
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    const struct ncs_class *class = lua_touserdata(L, lua_upvalueindex(3));
    lua_settop(L, 2);
    if (lua_type(L, 2) != LUA_TSTRING) {
        if (class->index)
            return class->index(L);
        ncs_lua_no_call(L);
        return ncs_lua_usage(L, "a %s has no elements", class->name);
    }
    const char *word = lua_tostring(L, 2);
    if (push_member(L, class, lua_upvalueindex(1), true, word))
        return 1;
    if (!push_member(L, class, lua_upvalueindex(2), false, word))
        return unknown_member(L, class, word);
    lua_CFunction field = lua_tocfunction(L, -1);
    struct ncs_lua_thread *t = ncs_lua_begin(L, word, -1);
    if (class == ncs_classes[NCS_CLASS_COMM]) {
        t->about = lua_touserdata(L, 1);
        ncs_comm_know(L, lua_touserdata(L, 1));
    }
    lua_settop(L, 1);
    return field(L);
}

bool ncs_object_knows(lua_State *L, enum ncs_class_id id, const char *word)
{
    int top = lua_gettop(L);
    ncs_object_members(L, id);
    bool method = lua_getfield(L, top + 1, word) != LUA_TNIL;
    if (!method && lua_getfield(L, top + 2, word) == LUA_TNIL)
        ncs_lua_unknown(L, "field or method", ncs_classes[id]->name, word, (int[]){ top + 1, top + 2 }, 2);
    lua_settop(L, top);
    return method;
}

static int refuse_assignment(lua_State *L)
{
    const struct ncs_class *class = lua_touserdata(L, lua_upvalueindex(3));
    const char *word = ncs_lua_text(L, 2);
    ncs_lua_no_call(L);
    return ncs_lua_usage(L, "'%.60s' of a %s cannot be assigned", word, class->name);
}

/* __close. A communicator that an error leaves is aborted, not destroyed. */
static int close_variable(lua_State *L)
{
    struct ncs_object *o = lua_touserdata(L, 1);
    if (ncs_object_closed(L, o))
        return 0;
    bool abort = o->id == NCS_CLASS_COMM && !lua_isnoneornil(L, 2);
    lua_settop(L, 1);
    if (!abort)
        return ncs_classes[o->id]->close(L);
    luaL_getmetafield(L, 1, ABORT);
    lua_insert(L, 1);
    lua_call(L, 1, 0);
    return 0;
}

/* Pushes the metatable, and registers it when it is complete: memory may run out before. */
static void make_class(lua_State *L, enum ncs_class_id id)
{
    const struct ncs_class *class = ncs_classes[id];
    luaL_checkstack(L, 12, NULL);
    lua_newtable(L);
    lua_pushstring(L, class->name);
    lua_setfield(L, -2, "__name");
    if (class->meta)
        luaL_setfuncs(L, class->meta, 0);
    if (class == ncs_classes[NCS_CLASS_COMM]) {
        push_method(L, class, "abort");
        lua_setfield(L, -2, ABORT);
    }
    if (class->close) {
        lua_pushcfunction(L, close_variable);
        lua_setfield(L, -2, "__close");
    }
    lua_newtable(L);
    lua_newtable(L);
    lua_pushlightuserdata(L, (void *)class);
    for (int i = 0; i < 3; i++)
        lua_pushvalue(L, -3);
    lua_pushcclosure(L, class->assign ? class->assign : refuse_assignment, 3);
    lua_setfield(L, -5, "__newindex");
    lua_pushcclosure(L, index_object, 3);
    lua_setfield(L, -2, "__index");
    lua_pushcfunction(L, class->text);
    lua_setfield(L, -2, "__tostring");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, class);
}

static void push_class(lua_State *L, enum ncs_class_id id)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, ncs_classes[id]) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    make_class(L, id);
}

void ncs_object_begin(lua_State *L)
{
    push_anchors(L);
    object_push_comms(L);
    push_class(L, NCS_CLASS_STREAM);
    push_class(L, NCS_CLASS_ID);
    push_class(L, NCS_CLASS_COMM);
    push_class(L, NCS_CLASS_BUFFER);
    lua_pop(L, 6);
}
