/* Patterns: what ours makes of them is what Lua's own makes of them, and it comes to an end. */
#include "harness.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "script/heap.h"
#include "script/pattern.h"

static struct ncs_heap heap;
static lua_State *L;

/* Lua's own functions are `own`, ours `ours`. */
static void begin(void)
{
    L = ncs_heap_state(&heap);
    ck_assert_ptr_nonnull(L);
    luaL_openlibs(L);
    lua_getglobal(L, "string");
    lua_setglobal(L, "own");
    lua_newtable(L);
    ncs_lua_search(L);
    lua_setglobal(L, "ours");
    ck_assert_int_eq(
        luaL_dostring(L,
                      "local function show(ok, ...)\n"
                      "  local t = { tostring(ok) }\n"
                      "  if not ok then\n" /* a place stands before Lua's own words, another name within them */
                      "    return 'error: ' .. tostring((...)):gsub('^.-:%d+: ', ''):gsub(' in pattern', ''):gsub(' in "
                      "replacement.*', '')\n"
                      "  end\n"
                      "  for i = 1, select('#', ...) do\n"
                      "    local v = select(i, ...)\n"
                      "    t[#t + 1] = math.type(v) or type(v)\n"
                      "    t[#t + 1] = tostring(v)\n"
                      "  end\n"
                      "  return table.concat(t, '|')\n"
                      "end\n"
                      "local function all(lib, text, pattern)\n"
                      "  local t = {}\n"
                      "  for p, q, r in lib.gmatch(text, pattern) do\n"
                      "    t[#t + 1] = tostring(p) .. ',' .. tostring(q) .. ',' .. tostring(r)\n"
                      "    if #t > 1000 then break end\n"
                      "  end\n"
                      "  return table.concat(t, ';')\n"
                      "end\n"
                      "local replacement = { 'x', '<%0>', '%1', '%2%%', { a = 1, b = 'bb', [''] = false },\n"
                      "  function(a, b) return b or a end, function() return nil end, 7, '%', function() return {} end }\n"
                      "function try(lib, text, pattern, init)\n"
                      "  local t = { show(pcall(lib.find, text, pattern, init)), show(pcall(lib.match, text, pattern, init)),\n"
                      "              show(pcall(lib.find, text, pattern, init, true)), show(pcall(all, lib, text, pattern)) }\n"
                      "  for _, by in ipairs(replacement) do\n"
                      "    t[#t + 1] = show(pcall(lib.gsub, text, pattern, by, init > 0 and init or nil))\n"
                      "  end\n"
                      "  return table.concat(t, '\\n')\n"
                      "end\n"),
        LUA_OK);
}

static const char *try_with(const char *library, const char *text, size_t bytes, const char *pattern, size_t pattern_bytes,
                            int init)
{
    lua_getglobal(L, "try");
    lua_getglobal(L, library);
    lua_pushlstring(L, text, bytes);
    lua_pushlstring(L, pattern, pattern_bytes);
    lua_pushinteger(L, init);
    ck_assert_msg(lua_pcall(L, 4, 1, 0) == LUA_OK, "%s", lua_tostring(L, -1));
    return lua_tostring(L, -1);
}

static void compare(const char *text, size_t bytes, const char *pattern, size_t pattern_bytes, int init)
{
    const char *own = try_with("own", text, bytes, pattern, pattern_bytes, init);
    const char *ours = try_with("ours", text, bytes, pattern, pattern_bytes, init);
    ck_assert_msg(strcmp(own, ours) == 0, "text '%.*s', pattern '%.*s', init %d:\n%s\n--- ours:\n%s", (int)bytes, text,
                  (int)pattern_bytes, pattern, init, own, ours);
    lua_settop(L, 0);
}

START_TEST(test_as_lua_does)
{
    /* clang-format off */
    static const char *const patterns[] = {
        "", "a", ".", "^", "$", "^$", "a*", "a+", "a-", "a?", "(a)", "()", "(a*)(b)", "((a)(b))", "%a+", "%A",
        "[abc]", "[^abc]", "[a-c]+", "[]]", "[^]]", "[]-a]", "[a-]", "[-a]", "[%a_]", "[%]]", "[a-%%]", "%b()",
        "%b''", "%bxx", "%f[%w]%w+", "%f[^%w]", "%f[\\0]", "(.)%1", "(a)(%1)", "%1", "(%1)", "(a", "a)", "[a", "[^",
        "[", "[]", "[^]", "%", "a%", "%b", "%b(", "%f", "%fa", "%0", "(()", "())", "$a", "a$b", "^^a", "a^", "%^a",
        "(a+)-(b+)", "[%-%d]+", "%d%d%d", "%s*(%S+)%s*", "^(.-)%s*$", "(%w+)=(%w+)", ".-b", ".*b", "(.-)b()",
        "[%z]", "%z", "\\0", "%g+", "%x%x", "%u%l*", "%c", "%p", "[%s%p]*", "(a?)(b?)(c?)", "a?b?c?$", "[z-a]",
        "()a()", "%.", "%%", "[.]", "[*]*", "x*$", "(x*)$", "-", "*", "+", "?", "a**", "a+*", "a-?", "[a]-b",
    };
    static const char *const texts[] = {
        "", "a", "b", "aaa", "abc", "aaab", "hello world", "(a(b)c)", "key = value", "x=1, y=22", "a]b", "a-b",
        "THE (quick) fox", "aabbcc", "  trim  ", "100%", "a.b.c", "''quoted''", "^a$", "((", "-5 +7", "0fF",
    };
    /* clang-format on */
    begin();
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            for (int init = -3; init <= 4; init++)
                compare(texts[t], strlen(texts[t]), patterns[p], strlen(patterns[p]), init);
    compare("a\0b", 3, "\0", 1, 1);
    compare("a\0b", 3, "[^a]+", 5, 1);
    compare("a\0b", 3, "%z", 2, 1);
    lua_close(L);
}
END_TEST

START_TEST(test_as_lua_does_by_chance)
{
    static const char parts[] = "aab.%%ab()()[]^$*+-?-%1%2%f%b[^ab]%w%s";
    struct ncs_random random = { 7 };
    begin();
    for (int i = 0; i < 40000; i++) {
        char pattern[12], text[12];
        size_t pattern_bytes = ncs_random_below(&random, sizeof pattern);
        size_t bytes = ncs_random_below(&random, sizeof text);
        for (size_t k = 0; k < pattern_bytes; k++)
            pattern[k] = parts[ncs_random_below(&random, sizeof parts - 1)];
        for (size_t k = 0; k < bytes; k++)
            text[k] = "aab() "[ncs_random_below(&random, 6)];
        compare(text, bytes, pattern, pattern_bytes, (int)ncs_random_below(&random, 5) - 2);
    }
    lua_close(L);
}
END_TEST

START_TEST(test_comes_to_an_end)
{
    static const char *const calls[] = {
        "ours.find(('a'):rep(1 << 20), '.-.-.-.-b')",        "ours.match(('a'):rep(300), ('a-'):rep(60) .. 'b')",
        "ours.match(('a'):rep(300), ('a?'):rep(60) .. 'b')", "ours.gsub(('('):rep(1 << 18), '%b()', '')",
        "ours.gmatch(('a'):rep(1 << 20), '.*.*.*b')()",      "ours.find(('ab'):rep(1 << 20), '(.*)%1%1c')",
    };
    begin();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char chunk[200];
        snprintf(chunk, sizeof chunk, "return pcall(function() return %s end)", calls[i]);
        ncs_heap_charged(&heap);
        ck_assert_int_eq(luaL_dostring(L, chunk), LUA_OK);
        ck_assert_msg(!lua_toboolean(L, -2), "%s", calls[i]);
        ck_assert_ptr_nonnull(strstr(lua_tostring(L, -1), "the pattern takes more than 200000000 steps"));
        ck_assert_uint_ge(ncs_heap_charged(&heap), 200000000);
        lua_settop(L, 0);
    }
    /* A large buffer that is used once is none of these. */
    ck_assert_int_eq(
        luaL_dostring(L, "local text = ('word = value, '):rep(200000)\n"
                         "assert(select(2, ours.gsub(text, '(%w+) = (%w+)', '%2 = %1')) == 200000)\n"
                         "local n = 0 for k, v in ours.gmatch(text, '(%w+)%s*=%s*(%w+)') do n = n + 1 end\n"
                         "assert(n == 200000)\n"
                         "assert(ours.find(('a'):rep(1 << 20) .. 'b', ('a'):rep(1 << 19) .. 'b', 1, true) == (1 << 19) + 1)\n"),
        LUA_OK);
    lua_close(L);
}
END_TEST

NCS_TEST_MAIN("pattern", test_as_lua_does, test_as_lua_does_by_chance, test_comes_to_an_end)
