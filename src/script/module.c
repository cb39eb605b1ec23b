/* Turns text into code: files compiled once, require from the scenario's own
 * folder, load of text. */
#include "script/state.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "notation/lint/lint.h"

void ncs_chunk_free(struct ncs_chunk *c)
{
    ncs_free(c->name);
    ncs_free(c->file);
    ncs_free(c->code);
    ncs_free(c->text);
    ncs_free(c->origin);
    ncs_lines_free(&c->lines);
    *c = (struct ncs_chunk){ 0 };
}

/* Reads chunk->file, which must lie in its folder unless `anywhere`. */
static bool module_read(struct ncs_chunk *chunk, bool anywhere, struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    bool ok = (anywhere ? ncs_file_read : ncs_file_read_within)(chunk->file, NCS_FILE_LIMIT, "a file of Lua text", &text, err) &&
              ncs_chunk_compile(chunk, text.text, text.bytes, err);
    ncs_str_free(&text);
    return ok;
}

/* ---- compiling ---- */

static int append_code(lua_State *L, const void *part, size_t bytes, void *code)
{
    (void)L;
    ncs_str_add_bytes(code, part, bytes);
    return 0;
}

/* The place and the text of Lua's "FILE:LINE: text". */
/* For a text that is nested too deeply Lua gives no place, so our reader finds where its
 * limit is passed. */
static int line_of_limit(const char *text, size_t bytes, struct ncs_error *err)
{
    struct ncs_lint_error e;
    int line = 1;
    if (ncs_lint_chunk(text, bytes, NULL, NULL, &e))
        return 0;
    for (size_t i = 0; i < e.at.at; i++)
        line += text[i] == '\n';
    ncs_fail(err, NCS_BAD_INPUT, "%s", e.text);
    return line;
}

static bool compile_failed(const struct ncs_chunk *chunk, const char *message, const char *text, size_t bytes,
                           struct ncs_error *err)
{
    int line = 0;
    ncs_fail(err, NCS_BAD_INPUT, "%s", ncs_lua_skip_place(message, chunk->file, &line));
    if (line == 0)
        line = line_of_limit(text, bytes, err);
    return ncs_fail_at(err, chunk->file, ncs_lines_from(&chunk->lines, line), 0);
}

static int last_line(lua_State *L)
{
    lua_Debug ar;
    int last = 0;
    lua_pushvalue(L, -1);
    lua_getinfo(L, ">L", &ar);
    if (lua_type(L, -1) == LUA_TTABLE)
        for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
            if (lua_tointeger(L, -2) > last)
                last = (int)lua_tointeger(L, -2);
    lua_pop(L, 1);
    return last;
}

size_t ncs_chunk_start(const char *text, size_t bytes)
{
    size_t at = bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (bytes - at < 2 || text[at] != '#')
        return at;
    const char *end = memchr(text + at, '\n', bytes - at);
    return end ? (size_t)(end - text) : bytes; /* the newline stays: lines keep their numbers */
}

/* Adds a variable to the first line of a scenario that is closed where the script ends, also by a
 * return; its environment then records the line (state.c). A hook would slow every return of every
 * function, and would miss `return main()`. */
#define AT_END "local at_end_of_script <close> = _ENV; "

bool ncs_chunk_compile(struct ncs_chunk *chunk, const char *text, size_t bytes, struct ncs_error *err)
{
    size_t skip = ncs_chunk_start(text, bytes);
    if (skip < bytes && (text[skip] == LUA_SIGNATURE[0] || memchr(text, 0, bytes))) {
        ncs_fail(err, NCS_BAD_INPUT, "is not a text, expected Lua source");
        return ncs_fail_at(err, chunk->file, 0, 0);
    }
    struct ncs_heap heap = { 0 };
    lua_State *L = ncs_heap_state(&heap);
    if (!L)
        return ncs_fail(err, NCS_NO_MEMORY, "no memory to compile %s", chunk->file);
    struct ncs_str code = { 0 }, name = { 0 }, whole = { 0 };
    ncs_str_addf(&name, "@%s", chunk->file);
    if (!chunk->name)
        ncs_str_add(&whole, AT_END);
    ncs_str_add_bytes(&whole, text + skip, bytes - skip);
    bool ok = luaL_loadbufferx(L, whole.text ? whole.text : "", whole.bytes, name.text, "t") == LUA_OK;
    ncs_str_free(&whole);
    if (ok) {
        chunk->last_line = ncs_lines_from(&chunk->lines, last_line(L));
        lua_dump(L, append_code, &code, 0);
        if (chunk->lines.count)
            ok = ncs_lines_apply(&chunk->lines, &code, err);
        chunk->bytes = code.bytes;
        chunk->code = ncs_str_take(&code);
    } else {
        const char *message = lua_tostring(L, -1);
        compile_failed(chunk, message ? message : "does not compile", text + skip, bytes - skip, err);
    }
    ncs_str_free(&name);
    lua_close(L);
    ncs_heap_free(&heap);
    return ok;
}

/* ---- require ---- */

bool ncs_is_module_name(const char *name, size_t bytes)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t n = strspn(name, allowed);
    return bytes > 0 && bytes < 128 && n >= bytes;
}

/* The module; the first rank that needs it reads and compiles it. On failure returns
 * NULL and fills err. */
static const struct ncs_chunk *find_module(struct ncs_script *s, const char *name, struct ncs_error *err)
{
    for (const struct ncs_chunk *m = s->modules; m; m = m->next)
        if (strcmp(m->name, name) == 0)
            return m;
    struct ncs_chunk *m = ncs_new(sizeof *m);
    struct ncs_str path = { 0 };
    ncs_str_addf(&path, "%s%s.lua", s->folder, name);
    m->file = ncs_str_take(&path);
    if (!module_read(m, s->unsafe, err)) {
        ncs_chunk_free(m);
        ncs_free(m);
        return NULL;
    }
    m->name = ncs_copy_text(name);
    m->next = s->modules;
    s->modules = m;
    return m;
}

static void module_set_environment(lua_State *L)
{
    ncs_lua_environment(L);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1); /* a chunk that uses no global */
}

static int require(lua_State *L)
{
    ncs_lua_begin(L, "require", 1);
    const char *name = ncs_lua_string(L, 1, "name");
    if (!ncs_is_module_name(name, strlen(name)))
        return ncs_lua_usage(L,
                             "\"%.60s\" is not the name of a module: letters, digits, '_' and '-', "
                             "for a file NAME.lua beside the scenario",
                             name);
    luaL_getsubtable(L, LUA_REGISTRYINDEX, "ncs.modules");
    int type = lua_getfield(L, 2, name);
    if (type == LUA_TLIGHTUSERDATA)
        return ncs_lua_usage(L, "\"%s\" is being loaded already: modules require each other", name);
    if (type != LUA_TNIL)
        return 1;
    struct ncs_error err = { 0 };
    const struct ncs_chunk *m = find_module(ncs_lua_rank(L)->script, name, &err);
    if (!m && err.line)
        return ncs_lua_usage(L, "%s:%d: %s", err.file, err.line, err.text);
    if (!m)
        return ncs_lua_usage(L, "%s: %s", err.file, err.text);
    lua_pushlightuserdata(L, (void *)m->name);
    lua_setfield(L, 2, name);
    lua_pushfstring(L, "@%s", m->file);
    if (luaL_loadbufferx(L, m->code, m->bytes, lua_tostring(L, -1), "b") != LUA_OK)
        return lua_error(L);
    module_set_environment(L);
    lua_pushvalue(L, 1);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK) {
        lua_pushnil(L); /* the next require runs it again */
        lua_setfield(L, 2, name);
        return lua_error(L);
    }
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, name);
    return 1;
}

/* ---- load ---- */

/* Precompiled code is refused, whatever mode allows it: malformed bytecode can do
 * anything to the process. */
static bool is_binary(const char *piece, size_t bytes)
{
    return bytes > 0 && piece[0] == LUA_SIGNATURE[0];
}

static const char binary_refused[] = "attempt to load a binary chunk (mode is 't')";

/* Asks the function at 1 for the next piece, and keeps the piece at 5 while Lua reads it. `data`:
 * whether a piece came so far. An error of the function ends the loading; load then returns it. */
static const char *read_piece(lua_State *L, void *data, size_t *bytes)
{
    bool *given = data;
    luaL_checkstack(L, 2, "too many nested functions");
    lua_pushvalue(L, 1);
    lua_call(L, 0, 1);
    *bytes = 0;
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        return NULL;
    }
    if (!lua_isstring(L, -1))
        luaL_error(L, "reader function must return a string");
    lua_replace(L, 5);
    const char *piece = lua_tolstring(L, 5, bytes);
    if (!*given && is_binary(piece, *bytes)) {
        lua_pushstring(L, binary_refused);
        lua_error(L);
    }
    *given = true;
    return piece;
}

static int load_text(lua_State *L, const char *mode)
{
    size_t bytes;
    const char *text = lua_tolstring(L, 1, &bytes), *name = luaL_optstring(L, 2, text);
    if (!is_binary(text, bytes))
        return luaL_loadbufferx(L, text, bytes, name, mode);
    lua_pushstring(L, binary_refused);
    return LUA_ERRSYNTAX;
}

static int module_load(lua_State *L)
{
    bool environment = !lua_isnone(L, 4), given = false;
    const char *mode = luaL_optstring(L, 3, "bt");
    bool is_text = lua_isstring(L, 1);
    if (!is_text)
        luaL_checktype(L, 1, LUA_TFUNCTION);
    lua_settop(L, 5);
    int status = is_text ? load_text(L, mode) : lua_load(L, read_piece, &given, luaL_optstring(L, 2, "=(load)"), mode);
    ncs_lua_check_cancel(L);
    if (status != LUA_OK) {
        lua_pushnil(L);
        lua_insert(L, -2);
        return 2;
    }
    if (!environment) {
        module_set_environment(L);
        return 1;
    }
    lua_pushvalue(L, 4);
    if (!lua_setupvalue(L, -2, 1))
        lua_pop(L, 1);
    return 1;
}

const luaL_Reg ncs_module_functions[] = { { "require", require }, { "load", module_load }, { NULL, NULL } };
