/* The reader of Lua's syntax: it accepts what Lua itself compiles, and nothing else. Each input is
 * taken as a text, as an expression, and as numbers of words, of which those are kept that go on
 * with a program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "base/str.h"
#include "notation/lint/lint.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

/* Limits of Lua's code, which are no matter of syntax. */
static bool is_other_limit(const char *message)
{
    static const char *const limits[] = { "registers", "C stack overflow", "too long", "not enough",
                                          "overflow",  "too many",         "limit" };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strstr(message, limits[i]))
            return true;
    return false;
}

static size_t length;

static void on_name(void *arg, const struct ncs_lint_name *name)
{
    size_t *last = arg;
    if (name->at.at < *last || name->at.at + name->at.bytes > length || !name->at.bytes ||
        (name->field && name->field_at.at + name->field_at.bytes > length))
        abort(); /* out of order, or out of the text */
    *last = name->at.at;
}

/* True when the text is a program, or the beginning of one. */
static bool compare(lua_State *L, const char *text, size_t bytes)
{
    struct ncs_lint_error err = { 0 };
    size_t last = 0;
    length = bytes;
    bool ours = ncs_lint_chunk(text, bytes, on_name, &last, &err);
    bool theirs = luaL_loadbufferx(L, text, bytes, "=text", "t") == LUA_OK;
    if (!ours && (!err.text[0] || err.at.at + err.at.bytes > bytes || (err.has_open && err.open.at + err.open.bytes > bytes)))
        abort(); /* refused without a word, or at no place */
    if (ours != theirs && (theirs || !is_other_limit(lua_tostring(L, -1)))) {
        fprintf(stderr, "%.*s\nLua: %s\nlint: %s\n", (int)bytes, text, theirs ? "compiles" : lua_tostring(L, -1),
                ours ? "accepts it" : err.text);
        abort();
    }
    lua_settop(L, 0);
    ncs_lint_expression(text, bytes, NULL, NULL, NULL);
    return ours || err.at.at == bytes;
}

static void compare_words(lua_State *L, const unsigned char *data, size_t bytes)
{
    /* clang-format off */
    static const char *const words[] = {
        "and", "break", "do", "else", "elseif", "end", "end", "end", "false", "for", "function",
        "function", "goto", "if", "in", "local", "local", "nil", "not", "or", "repeat", "return",
        "then", "true", "until", "while", "::", "::a::", "goto a", "goto b", "::b::", "<const>",
        "<close>", "=", "=", "=", ",", ",", ";", "(", "(", ")", ")", ")", "{", "}", "[", "]", ".",
        ":", "..", "...", "+", "-", "#", "~", "//", "<<", "==", "a", "b", "c", "_ENV", "self", "1",
        "0x1p4", ".5", "'t'", "[[\n]]", "--c\n", "--[[c]]", "a()", "a.b", "function() end",
        "if a then", "for a = 1, 2 do", "for a, b in c do", "while a do", "do", "local a = b",
        "local function f()", "function a.b:c(...)", "local a <const> = 1", "return", "a = b",
        "break", "repeat", "until a", "function f(a, b)" };
    struct ncs_str text = { 0 };
    for (size_t i = 0, used = 0; i < bytes && used < 40; i++) {
        size_t before = text.bytes;
        ncs_str_add(&text, words[data[i] % (sizeof words / sizeof *words)]);
        ncs_str_add(&text, " ");
        if (compare(L, text.text, text.bytes)) {
            used++;
        } else { /* what can never become a program again leads nowhere */
            text.bytes = before;
            text.text[before] = '\0';
        }
    }
    /* clang-format on */
    ncs_str_free(&text);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes)
{
    lua_State *L = luaL_newstate();
    if (!L)
        return 0;
    compare(L, (const char *)data, bytes);
    compare_words(L, data, bytes);
    lua_close(L);
    return 0;
}
