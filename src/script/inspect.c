/* Inspection for a session: values as text, names, and the variables that hold objects. Nothing
 * here calls the driver. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "script/object.h"
#include "script/ready.h"
#include "script/session.h"
#include "script/state.h"

#define TEXT_SHOWN 200 /* bytes of a text */
#define TABLE_SHOWN 16 /* entries of a table */
#define TABLE_DEPTH 3

/* ---- values ---- */

static void add_quoted(luaL_Buffer *b, const char *text, size_t bytes)
{
    char escaped[8];
    size_t end = bytes < TEXT_SHOWN ? bytes : TEXT_SHOWN;
    while (end < bytes && end > TEXT_SHOWN - 4 && ((unsigned char)text[end] & 0xc0) == 0x80)
        end--; /* not in the middle of a character */
    luaL_addchar(b, '"');
    for (size_t i = 0; i < end; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            luaL_addchar(b, '\\');
            luaL_addchar(b, (char)c);
        } else if (c == '\n') {
            luaL_addstring(b, "\\n");
        } else if (c < ' ' || c == 127) {
            snprintf(escaped, sizeof escaped, "\\%03d", c);
            luaL_addstring(b, escaped);
        } else {
            luaL_addchar(b, (char)c);
        }
    }
    luaL_addstring(b, bytes > TEXT_SHOWN ? "...\"" : "\"");
}

static void push_quoted(lua_State *L, int index)
{
    size_t bytes;
    const char *text = lua_tolstring(L, index, &bytes);
    luaL_Buffer b;
    luaL_buffinit(L, &b);
    add_quoted(&b, text, bytes);
    luaL_pushresult(&b);
}

static void inspect_show(lua_State *L, int index, int depth);

/* Pushes the key at `at` as a table's text shows it; entries of a list have no key. */
static void push_key(lua_State *L, int at, lua_Integer expected)
{
    if (lua_isinteger(L, at) && lua_tointeger(L, at) == expected)
        lua_pushliteral(L, "");
    else if (lua_type(L, at) == LUA_TSTRING)
        lua_pushfstring(L, "%s = ", lua_tostring(L, at));
    else
        lua_pushfstring(L, "[%s] = ", ncs_lua_text(L, at));
}

static void push_table(lua_State *L, int index, int depth)
{
    lua_Integer count = ncs_lua_keys(L, index);
    int list = lua_gettop(L);
    lua_pushliteral(L, "{");
    int text = lua_gettop(L);
    for (lua_Integer i = 1; i <= count && i <= TABLE_SHOWN; i++) {
        ncs_lua_key(L, list, i);
        int key = lua_gettop(L);
        lua_pushvalue(L, key);
        lua_rawget(L, index);
        int value = lua_gettop(L);
        lua_pushvalue(L, text);
        lua_pushstring(L, i > 1 ? ", " : "");
        push_key(L, key, i);
        if (lua_gettop(L) != value + 3) /* what made the key is below it */
            lua_remove(L, -2);
        inspect_show(L, value, depth + 1);
        lua_concat(L, 4);
        lua_replace(L, text);
        lua_settop(L, text);
    }
    lua_pushstring(L, count > TABLE_SHOWN ? ", ...}" : "}");
    lua_concat(L, 2);
    lua_replace(L, list);
    lua_settop(L, list);
}

static void inspect_show(lua_State *L, int index, int depth)
{
    luaL_checkstack(L, 20, NULL);
    index = lua_absindex(L, index);
    const struct ncs_buffer *b = ncs_object_test(L, index, NCS_CLASS_BUFFER);
    if (b)
        ncs_buffer_show(L, b);
    else if (lua_type(L, index) == LUA_TSTRING)
        push_quoted(L, index);
    else if (lua_type(L, index) != LUA_TTABLE || depth >= TABLE_DEPTH)
        ncs_lua_text(L, index);
    else if (ncs_lua_library(L, index))
        lua_pushfstring(L, "the library %s", ncs_lua_library(L, index));
    else if (luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) {
        lua_pop(L, 1);
        ncs_lua_text(L, index);
    } else {
        push_table(L, index, depth);
    }
}

void ncs_lua_show(lua_State *L, int index)
{
    inspect_show(L, index, 0);
}

/* ---- names ---- */

/* Replaces the value on top by a table of its names: of a library, a plain table, or the methods or
 * fields of an object; nil if it has none. */
static void names_behind(lua_State *L, bool methods)
{
    struct ncs_object *o = lua_type(L, -1) == LUA_TUSERDATA ? ncs_object_any(L, -1) : NULL;
    if (o) {
        ncs_object_members(L, o->id);
        lua_pushvalue(L, methods ? -2 : -1);
        lua_replace(L, -4);
        lua_pop(L, 2);
    } else if (ncs_lua_library(L, -1) && lua_getmetatable(L, -1)) {
        lua_getfield(L, -1, "__index");
        lua_replace(L, -3);
        lua_pop(L, 1);
    }
    if (lua_type(L, -1) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_pushnil(L);
    }
}

/* Pushes the value of a path, or nil. The first name is a variable or a ready-made name; later
 * names are looked up in tables and libraries. */
static void push_path(lua_State *L, const char *path)
{
    char name[80];
    size_t n = strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), path);
    ncs_lua_environment(L);
    lua_pushstring(L, name);
    if (lua_rawget(L, -2) == LUA_TNIL) {
        lua_pop(L, 1);
        ncs_ready_all(L);
        lua_pushstring(L, name);
        lua_rawget(L, -2);
        lua_remove(L, -2);
    }
    lua_remove(L, -2);
    while (path[n] == '.') {
        path += n + 1;
        n = strcspn(path, ".");
        names_behind(L, false);
        if (lua_isnil(L, -1))
            return;
        lua_pushlstring(L, path, n);
        lua_rawget(L, -2);
        lua_remove(L, -2);
    }
}

/* Inspects a rank from outside its script. The function gets `look` as light userdata. An error of
 * Lua, even lack of memory, ends only this inspection. */
static void look_on(struct ncs_session *s, int rank, lua_CFunction at, void *look)
{
    lua_State *L = ncs_session_eye(s, rank);
    if (!L)
        return;
    lua_pushcfunction(L, at);
    lua_pushlightuserdata(L, look);
    lua_pcall(L, 1, 0, 0);
    lua_settop(L, 0);
}

struct class_look {
    const char *path, *class;
};

static int look_at_class(lua_State *L)
{
    struct class_look *look = lua_touserdata(L, 1);
    push_path(L, look->path);
    const struct ncs_object *o = ncs_object_any(L, -1);
    if (o)
        look->class = ncs_classes[o->id]->name;
    else if (ncs_lua_library(L, -1))
        look->class = "library";
    else if (!lua_isnil(L, -1))
        look->class = luaL_typename(L, -1);
    return 0;
}

const char *ncs_session_class(struct ncs_session *s, const char *path)
{
    struct class_look look = { path, NULL };
    look_on(s, 0, look_at_class, &look);
    return look.class;
}

static void each_text_key(lua_State *L, void (*on_name)(void *arg, const char *name), void *arg)
{
    if (lua_type(L, -1) != LUA_TTABLE)
        return;
    lua_Integer count = ncs_lua_keys(L, lua_gettop(L));
    int list = lua_gettop(L);
    for (lua_Integer i = 1; lua_istable(L, list) && i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        if (lua_type(L, -1) == LUA_TSTRING)
            on_name(arg, lua_tostring(L, -1));
    }
    lua_settop(L, list - 1);
}

struct names_look {
    const char *path;
    bool methods;
    void (*on_name)(void *arg, const char *name);
    void *arg;
};

static int look_at_names(lua_State *L)
{
    const struct names_look *look = lua_touserdata(L, 1);
    if (!*look->path) {
        ncs_lua_environment(L);
        each_text_key(L, look->on_name, look->arg);
        ncs_ready_all(L);
    } else {
        push_path(L, look->path);
        names_behind(L, look->methods);
    }
    each_text_key(L, look->on_name, look->arg);
    return 0;
}

void ncs_session_names(struct ncs_session *s, const char *path, bool methods, void (*on_name)(void *arg, const char *name),
                       void *arg)
{
    struct names_look look = { path, methods, on_name, arg };
    look_on(s, 0, look_at_names, &look);
}

/* ---- what a value is called ---- */

/* Pushes "OWNERseparatorKEY" for the first key in the table on top that holds the value at `value`.
 * If there is none, pushes nothing and returns false. */
static bool inspect_find_value(lua_State *L, int value, const char *owner, const char *separator)
{
    lua_Integer count = ncs_lua_keys(L, lua_gettop(L));
    int list = lua_gettop(L);
    for (lua_Integer i = 1; lua_istable(L, list) && i <= count; i++, lua_settop(L, list)) {
        ncs_lua_key(L, list, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, list - 1);
        if (!lua_rawequal(L, -1, value) || lua_type(L, list + 1) != LUA_TSTRING)
            continue;
        lua_pushfstring(L, "%s%s%s", owner, separator, lua_tostring(L, list + 1));
        lua_replace(L, list);
        lua_settop(L, list);
        return true;
    }
    lua_settop(L, list - 1);
    return false;
}

static bool find_method(lua_State *L, int value)
{
    int top = lua_gettop(L);
    for (int i = 0; i < NCS_CLASSES; i++, lua_settop(L, top)) {
        ncs_object_members(L, (enum ncs_class_id)i);
        lua_pop(L, 1);
        if (inspect_find_value(L, value, ncs_classes[i]->name, ":")) {
            lua_replace(L, top + 1);
            lua_settop(L, top + 1);
            return true;
        }
    }
    return false;
}

/* Pushes the name of a ready-made function or library. */
static bool find_ready_made(lua_State *L, int value)
{
    int top = lua_gettop(L);
    ncs_ready_all(L);
    if (inspect_find_value(L, value, "", "")) {
        lua_replace(L, top + 1);
        return true;
    }
    lua_Integer count = ncs_lua_keys(L, top + 1);
    for (lua_Integer i = 1; i <= count; i++, lua_settop(L, top + 2)) {
        ncs_lua_key(L, top + 2, i);
        lua_pushvalue(L, -1);
        lua_rawget(L, top + 1);
        const char *library = ncs_lua_library(L, -1);
        if (!library)
            continue;
        names_behind(L, false);
        if (inspect_find_value(L, value, library, ".")) {
            lua_replace(L, top + 1);
            lua_settop(L, top + 1);
            return true;
        }
    }
    lua_settop(L, top);
    return false;
}

int ncs_lua_help(lua_State *L)
{
    struct ncs_lua_rank *rank = ncs_lua_rank(L);
    lua_settop(L, 1);
    const char *topic = "";
    if (lua_type(L, 1) == LUA_TSTRING)
        topic = ncs_lua_whole_text(L, 1);
    else if (ncs_object_any(L, 1))
        topic = ncs_classes[ncs_object_any(L, 1)->id]->name;
    else if (ncs_lua_library(L, 1))
        topic = ncs_lua_library(L, 1);
    else if (!lua_isnil(L, 1) && (find_ready_made(L, 1) || find_method(L, 1)))
        topic = lua_tostring(L, -1);
    else if (!lua_isnil(L, 1))
        return ncs_lua_usage(L, "help is about a name, a function or an object of ncclscript, not about %s", ncs_lua_type(L, 1));
    ncs_session_help(rank->script->session, rank->rank, topic);
    return 0;
}

/* ---- what ranks hold ---- */

/* The name of the variable that holds the object at `object`; NULL = none. */
static const char *variable_of(lua_State *L, int object)
{
    ncs_lua_environment(L);
    bool found = inspect_find_value(L, object, "", "");
    if (!found) {
        lua_pop(L, 1);
        ncs_ready_all(L);
        found = inspect_find_value(L, object, "", "");
    }
    return found ? lua_tostring(L, -1) : NULL;
}

struct holdings_look {
    void (*on_holding)(void *arg, const struct ncs_holding *h);
    void *arg;
};

static int look_at_holdings(lua_State *L)
{
    const struct holdings_look *look = lua_touserdata(L, 1);
    struct ncs_object *oldest = ncs_lua_rank(L)->newest;
    while (oldest && oldest->older)
        oldest = oldest->older;
    for (struct ncs_object *o = oldest, *newer; o; o = newer) {
        newer = o->newer;
        if (ncs_object_closed(L, o))
            continue;
        luaL_checkstack(L, 20, NULL);
        ncs_object_push(L, o);
        ncs_lua_show(L, 2);
        struct ncs_holding h = { .class = ncs_classes[o->id]->name, .text = lua_tostring(L, 3) };
        h.name = variable_of(L, 2);
        look->on_holding(look->arg, &h);
        lua_settop(L, 1);
    }
    return 0;
}

void ncs_session_holdings(struct ncs_session *s, int rank, void (*on_holding)(void *arg, const struct ncs_holding *h), void *arg)
{
    struct holdings_look look = { on_holding, arg };
    look_on(s, rank, look_at_holdings, &look);
}

struct elements_look {
    const char *variable;
    double *element;
    size_t most;
    int64_t count; /* -1: the variable is no buffer */
    const void *address;
    int dtype;
};

static int look_at_elements(lua_State *L)
{
    struct elements_look *look = lua_touserdata(L, 1);
    push_path(L, look->variable);
    const struct ncs_buffer *b = ncs_object_test(L, -1, NCS_CLASS_BUFFER);
    if (!b || !ncs_buffer_is_live(L, b))
        return 0;
    look->count = (int64_t)b->count;
    look->address = b->bytes;
    look->dtype = (int)b->dtype;
    for (size_t i = 0; i < look->most && i < b->count; i++)
        look->element[i] = ncs_buffer_peek(b, i);
    return 0;
}

int64_t ncs_session_elements(struct ncs_session *s, int rank, const char *variable, double *element, size_t most)
{
    struct elements_look look = { .variable = variable, .element = element, .most = most, .count = -1 };
    look_on(s, rank, look_at_elements, &look);
    return look.count;
}

int ncs_session_dtype(struct ncs_session *s, int rank, const char *variable)
{
    struct elements_look look = { .variable = variable, .dtype = -1 };
    look_on(s, rank, look_at_elements, &look);
    return look.dtype;
}

const void *ncs_session_address(struct ncs_session *s, int rank, const char *variable)
{
    struct elements_look look = { .variable = variable, .count = -1 };
    look_on(s, rank, look_at_elements, &look);
    return look.address;
}
