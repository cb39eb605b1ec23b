/* Lines of code that was translated: every line that Lua gives is the one that it comes from. */
#include "harness.h"

#include <lauxlib.h>
#include <lualib.h>
#include <string.h>

#include "base/mem.h"
#include "script/lines.h"

static int append(lua_State *L, const void *part, size_t bytes, void *out)
{
    (void)L;
    ncs_str_add_bytes(out, part, bytes);
    return 0;
}

/* Jumps far ahead and back, so that distances do not fit into a byte. */
static int scattered(size_t line)
{
    return (int)(line * 7919 % 100003) + 1;
}

static struct ncs_lines lines_for(const char *text, int (*from)(size_t line))
{
    struct ncs_lines lines = { .count = 1 };
    for (const char *c = text; *c; c++)
        lines.count += *c == '\n';
    lines.line = ncs_new(lines.count * sizeof *lines.line);
    for (size_t i = 0; i < lines.count; i++)
        lines.line[i] = from(i + 1);
    return lines;
}

static struct ncs_str compiled(const char *text)
{
    struct ncs_str code = { 0 };
    lua_State *L = luaL_newstate();
    ck_assert_msg(luaL_loadbufferx(L, text, strlen(text), "@file", "t") == LUA_OK, "%s", lua_tostring(L, -1));
    lua_dump(L, append, &code, 0);
    lua_close(L);
    return code;
}

static lua_State *loaded(const char *text, const struct ncs_lines *lines)
{
    struct ncs_error err = { 0 };
    struct ncs_str code = compiled(text);
    ck_assert_msg(ncs_lines_apply(lines, &code, &err), "%s", err.text);
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    ck_assert_msg(luaL_loadbufferx(L, code.text, code.bytes, "@file", "b") == LUA_OK, "%s", lua_tostring(L, -1));
    ncs_str_free(&code);
    return L;
}

/* Functions of many lines, in each other, and each line says where it is. */
static char *long_text(void)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "local at = ...\nlocal function outer()\n");
    for (int i = 0; i < 400; i++)
        ncs_str_addf(&text, i % 3 ? "at(%d)\n" : "at(%d) at(%d, 'text', nil, true, false, 2.5)\n", 3 + i, 3 + i);
    ncs_str_add(&text, "local function inner(a, ...)\n");
    for (int i = 0; i < 300; i++)
        ncs_str_addf(&text, "at(%d)%s", 404 + i, i % 5 ? "\n" : " local x = { 1, 2, 3, a, ... } x = x.b or not x\n");
    ncs_str_add(&text, "end\ninner(1, 2)\nend\nouter()\n");
    return ncs_str_take(&text);
}

static const struct ncs_lines *of_text;
static int checked;

static int at(lua_State *L)
{
    lua_Debug ar;
    lua_getstack(L, 1, &ar);
    lua_getinfo(L, "Sl", &ar);
    ck_assert_int_eq(ar.currentline, ncs_lines_from(of_text, (int)lua_tointeger(L, 1)));
    checked++;
    return 0;
}

START_TEST(test_every_line)
{
    char *text = long_text();
    struct ncs_lines lines = lines_for(text, scattered);
    lua_State *L = loaded(text, &lines);
    of_text = &lines;
    lua_pushcfunction(L, at);
    ck_assert_msg(lua_pcall(L, 1, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    ck_assert_int_gt(checked, 700);
    lua_close(L);
    ncs_free(lines.line);
    ncs_free(text);
}
END_TEST

static int tenfold(size_t line)
{
    return (int)line * 10;
}

static void says(const char *text, const char *expression, const char *want)
{
    struct ncs_lines lines = lines_for(text, tenfold);
    lua_State *L = loaded(text, &lines);
    ck_assert_msg(lua_pcall(L, 0, 0, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    ck_assert_msg(luaL_dostring(L, expression) == LUA_OK, "%s", lua_tostring(L, -1));
    ck_assert_str_eq(lua_tostring(L, -1), want);
    lua_close(L);
    ncs_free(lines.line);
}

START_TEST(test_messages)
{
    says("function f()\n\n local x = nil + 1\nend", "return (select(2, pcall(f)))",
         "file:30: attempt to perform arithmetic on a nil value");
    says("\nfunction f() error('no') end", "return (select(2, pcall(f)))", "file:20: no");
    says("function f()\n  return (debug.traceback('here'))\nend", "local text = f() return text",
         "here\nstack traceback:\n\tfile:20: in function 'f'\n"
         "\t[string \"local text = f() return text\"]:1: in main chunk");
    says("function f()\n\nend", "local i = debug.getinfo(f) return i.linedefined .. ' ' .. i.lastlinedefined", "10 30");
    says("function f()\n return 1\nend",
         "local t = {} for k in pairs(debug.getinfo(f, 'L').activelines) do t[#t + 1] = k end "
         "table.sort(t) return table.concat(t, ' ')",
         "20 30");
}
END_TEST

START_TEST(test_lines_beyond)
{
    struct ncs_lines none = { 0 }, two = { .line = (int[]){ 7, 5 }, .count = 2 };
    ck_assert_int_eq(ncs_lines_from(&none, 12), 12);
    ck_assert_int_eq(ncs_lines_from(&two, 0), 0);
    ck_assert_int_eq(ncs_lines_from(&two, 2), 5);
    ck_assert_int_eq(ncs_lines_from(&two, 9), 5);
}
END_TEST

/* Texts that are no bytecode, or not whole, are refused; a changed byte never causes a read beyond the end. */
START_TEST(test_other_bytes)
{
    struct ncs_lines one = { .line = (int[]){ 1 }, .count = 1 };
    struct ncs_str code = compiled("local x = 'text' return function(a) return a + x end");
    for (size_t bytes = 0; bytes < code.bytes; bytes++) {
        struct ncs_error err = { 0 };
        struct ncs_str part = { 0 };
        char *exact = ncs_new(bytes + 1);
        memcpy(exact, code.text, bytes);
        part.text = exact;
        part.bytes = bytes;
        ck_assert(!ncs_lines_apply(&one, &part, &err));
        ck_assert_int_eq(err.status, NCS_INTERNAL);
        ncs_free(exact);
    }
    for (size_t i = 0; i < code.bytes; i++)
        for (int value = 0; value < 256; value += 51) {
            struct ncs_str changed = { 0 };
            ncs_str_add_bytes(&changed, code.text, code.bytes);
            changed.text[i] = (char)value;
            ncs_lines_apply(&one, &changed, NULL);
            ncs_str_free(&changed);
        }
    ncs_str_free(&code);
}
END_TEST

NCS_TEST_MAIN("lines", test_every_line, test_messages, test_lines_beyond, test_other_bytes)
