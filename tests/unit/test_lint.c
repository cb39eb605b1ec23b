/* The reader of Lua's syntax: what it accepts, what it says of the rest and where, and the free
 * names that it finds. Lua itself is the judge of the first. */
#define _GNU_SOURCE
#include "harness.h"

#include <ftw.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>

#include "base/mem.h"
#include "base/str.h"
#include "notation/lint/lint.h"

static bool lua_accepts(const char *text, size_t bytes)
{
    lua_State *L = luaL_newstate();
    bool ok = luaL_loadbufferx(L, text, bytes, "=text", "t") == LUA_OK;
    lua_close(L);
    return ok;
}

/* ---- accepted and refused ---- */

static int files;

static int judge_file(const char *path, const struct stat *st, int type, struct FTW *where)
{
    size_t n = strlen(path);
    (void)where;
    if (type != FTW_F || n < 4 || strcmp(path + n - 4, ".lua") != 0)
        return 0;
    char *text = ncs_new((size_t)st->st_size + 1);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t bytes = fread(text, 1, (size_t)st->st_size, f);
    struct ncs_lint_error err = { 0 };
    fclose(f);
    bool accepted = ncs_lint_chunk(text, bytes, NULL, NULL, &err);
    ck_assert_msg(accepted == lua_accepts(text, bytes), "%s: %s", path, accepted ? "accepted" : err.text);
    ncs_free(text);
    files++;
    return 0;
}

START_TEST(test_files_of_the_tree)
{
    static const char *const folders[] = { "scenarios", "tests", "src", "lua", "cmake" };
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        nftw(folders[i], judge_file, 16, FTW_PHYS);
    ck_assert_int_gt(files, 100);
}
END_TEST

/* clang-format off */
static const char *const good[] = {
    "", ";", "return", "return;", "return 1, 2;", "local a", "local a, b = 1",
    "local a <const>, b <close> = 1, nil", "local function f() return f end", "::a:: ::b:: goto a",
    "goto a; local x; ::a::", "goto a; local x; ::a:: ; ::b:: ;", "do goto a end ::a::",
    "do ::a:: end do ::a:: end", "while a do break end", "repeat local x until x",
    "for i = 1, 2 do end", "for i = 1, 2, 3 do i = 4 end", "for a, b, c in f do end",
    "if a then elseif b then else end", "f 'x' \"y\" [[z]] { 1 } (2):g 'h'.i = 1",
    "a.b['c'].d, e = 1", "function a.b.c:d(e, ...) return ... end", "return ...",
    "x = function(...) return select('#', ...) end", "x = { 1, 2; a = 3, ['b'] = 4, f(), }",
    "x = 0x1p4 + .5 + 5. + 0xA.8 + 1e+5 + 0x.1p-3 + 3e10",
    "x = '\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"\\x41\\65\\u{7FFFFFFF}\\z   \n  y\\\nz'",
    "x = [==[ ]] ]=] ]==]", "--[==[ ]] ]==] x = 1", "--[ no long one", "--[=x\n", "--[[]]",
    "x = a // b | c & d ~ e << f >> g .. h ~= ~i", "x = not not -#a ^ -b", "x = (a)()", "(a).b = 1",
    "(a)[1], b = 2", "x = (f())", "local a <const> = 1; local a = 2; a = 3", "a.b = function() end",
    "local _ENV = {}; x = 1", "local x <const> = 5; do local x; x = 1 end",
    "x = 1 --", "x\n=\n1", "a = b\n(c)()", "return function() end", "x = '\\z'", "x = a.b.c.d",
    "while true do if x then break end; x = 1 end", "\tx\v=\f1\r\n",
};

static const char *const bad[] = {
    "}", "x", "x.y", "x =", "= 1", "1", "'a'", "local 1", "local a <foo> = 1", "local a <const = 1",
    "local a <close>, b <close> = 1, 2", "local a <const> = 1; a = 2", "local a <close> = nil; a = 1",
    "local a <const> = 1; function a() end", "local a <const> = 1; x = function() a = 2 end",
    "local function a.b() end", "return 1 2", "return return", "break", "do break end",
    "while a do x = function() break end end", "goto a", "goto a; do ::a:: end",
    "goto a; local x; ::a:: x = 1", "repeat goto a; local x; ::a:: until x", "::a:: ::a::",
    "::a:: do ::a:: end", "goto 1", "::a:", "while a", "while a do", "repeat", "repeat until",
    "for i = 1 do end", "for i do end", "for i, j = 1, 2 do end", "for 1 = 1, 2 do end",
    "for a in do end", "if a end", "if a then else elseif b then end", "f() = 1", "(a) = 1",
    "a, f() = 1", "a, b", "f 1", "a:b", "a:b = 1", "a. 1", "function () end", "function a:b.c() end",
    "function a(1) end", "function a(b,) end", "function a(..., b) end", "function a() return ... end",
    "x = { 1 2 }", "x = { [1] 2 }", "x = {", "x = f(", "x = f(1,)", "x = a[1", "x = 3in", "x = 0x",
    "x = 0xp1", "x = 1e", "x = 1..2", "x = 1.2.3", "x = 08x", "x = '\\q'", "x = '\\256'", "x = '\\x4'",
    "x = '\\u{}'", "x = '\\u{80000000}'", "x = '\\u41'", "x = 'a", "x = 'a\n'", "x = [[a", "x = [=a]=]",
    "--[[", "x = a !", "x = a != b", "x = $", "x = \xe2\x80\x9c", "end", "x = 1 end", "goto while",
    "x = not", "x = a ..", "x = ^a", "x = a b", "\x1bLua", "#!/bin/sh", "x = '\\", "x = '\\z", "a.b:c.d()",
    "local x <const>", "nil = 1", "x = function", "x = () -> 1", "continue", "local a <const>; a = 1",
};
/* clang-format on */

START_TEST(test_good_and_bad_chunks)
{
    struct ncs_lint_error err;
    size_t refused = 0;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        ck_assert_msg(lua_accepts(good[i], strlen(good[i])), "Lua refuses: %s", good[i]);
        ck_assert_msg(ncs_lint_chunk(good[i], strlen(good[i]), NULL, NULL, &err), "%s: %s", good[i], err.text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool accepted = lua_accepts(bad[i], strlen(bad[i]));
        refused += !accepted;
        ck_assert_msg(ncs_lint_chunk(bad[i], strlen(bad[i]), NULL, NULL, &err) == accepted, "%s", bad[i]);
    }
    ck_assert_uint_eq(refused, sizeof bad / sizeof *bad - 1); /* a constant without a value is none */
}
END_TEST

/* A piece repeated, between two others. */
static struct ncs_str repeated(const char *before, const char *piece, int count, const char *after)
{
    struct ncs_str s = { 0 };
    ncs_str_add(&s, before);
    for (int i = 0; i < count; i++)
        ncs_str_addf(&s, piece, i);
    ncs_str_add(&s, after);
    return s;
}

START_TEST(test_limits)
{
    static const struct {
        const char *before, *piece, *after;
        int most;
    } cases[] = {
        { "x = ", "(", "", 0 },        { "", "do ", "", 0 },          { "x = ", "{", "", 0 },
        { "x = ", "- ", "1", 197 },    { "x = 1", " .. 1", "", 197 }, { "x = 1", " + 1", "", 100000 },
        { "", "local a%d;", "", 200 }, { "", "x = 1;", "", 100000 },  { "a", ", a", " = 1", 197 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int most = cases[i].most ? cases[i].most : 100000;
        bool too_many = cases[i].most != 100000;
        for (int more = 0; more <= (too_many ? 1 : 0); more++) {
            struct ncs_str s = repeated(cases[i].before, cases[i].piece, most + more, cases[i].after);
            struct ncs_lint_error err;
            bool accepted = ncs_lint_chunk(s.text, s.bytes, NULL, NULL, &err);
            bool should = cases[i].most && !more;
            ck_assert_msg(accepted == should, "%s %d: %s", cases[i].piece, most + more, accepted ? "accepted" : err.text);
            ck_assert_msg(lua_accepts(s.text, s.bytes) == should, "Lua: %s %d", cases[i].piece, most + more);
            ncs_str_free(&s);
        }
    }
}
END_TEST

/* ---- messages ---- */

START_TEST(test_messages)
{
    static const struct {
        const char *text;
        size_t at, bytes;
        const char *message, *open;
    } cases[] = {
        { "x = )", 4, 1, "unexpected symbol `)`, expected an expression", NULL },
        { "for i = 1, 3 do\n  f(i)\n", 23, 0, "unexpected end of the text, expected `end`", "for i = 1, 3 do\n  f(i)\n" },
        { "f(1, 2\ng()", 7, 1, "unexpected name `g`, expected `)`", "(1, 2\ng()" },
        { "x = { 1\n  y = 2 }", 10, 1, "unexpected name `y`, expected `}` or a further entry after a comma", "{ 1\n  y = 2 }" },
        { "x = \"abc\ny = 1", 8, 0, "the text is not closed, expected `\"`", "\"abc\ny = 1" },
        { "--[==[ x", 8, 0, "the comment is not closed, expected `]==]`", "--[==[ x" },
        { "if a && b then end", 5, 2, "unexpected symbol `&&`, expected an expression: \"and\" is `and` in Lua", NULL },
        { "x = a || b", 6, 2, "unexpected symbol `||`, expected an expression: \"or\" is `or` in Lua", NULL },
        { "if a = b then end", 5, 1, "unexpected symbol `=`, expected `then`: \"equal\" is `==` in Lua", NULL },
        { "f(a, op = b)", 8, 1,
          "unexpected symbol `=`, expected `)`: options are given in a table, "
          "`f(x, { name = value })`",
          NULL },
        { "if a != b then end", 5, 1, "unexpected symbol `!`, expected `then`: \"not equal\" is `~=` in Lua", NULL },
        { "x += 1", 2, 1, "unexpected symbol `+`, expected a call or an assignment: Lua writes `x = x + y`", NULL },
        { "// what it does", 0, 2, "unexpected symbol `//`, expected an expression: a comment begins with `--` in Lua", NULL },
        { "x = \xe2\x80\x9c"
          "a\xe2\x80\x9d",
          4, 3,
          "unexpected character `\xe2\x80\x9c`, expected an "
          "expression: texts stand in \"straight quotes\"",
          NULL },
        { "x = 3in", 4, 2, "`3i` is no number", NULL },
        { "x = '\\q'", 5, 2, "invalid escape `\\q` in a text: a backslash itself is written \\\\", NULL },
        { "f() = 1", 4, 1, "a call cannot be assigned, expected a variable before it", NULL },
        { "local a <const> = 1\na = 2", 20, 1, "`a` is constant and cannot be assigned", NULL },
        { "local a <final> = 1", 9, 5, "no attribute `final`, expected `const` or `close`", NULL },
        { "goto done", 5, 4, "no label `done` for this goto in its function", NULL },
        { "goto a; local x; ::a:: x = 1", 5, 1, "goto a jumps into the scope of local `x`", NULL },
        { "::a:: ::a::", 8, 1, "label `a` exists already", "a:: ::a::" },
        { "break", 0, 5, "`break` outside of a loop", NULL },
        { "x = 1 \x01", 6, 1, "unexpected symbol `\\x01`, expected an expression", NULL },
        { "x = y end", 6, 3, "unexpected `end`, expected a statement or the end of the text", NULL },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ncs_lint_error err;
        ck_assert(!ncs_lint_chunk(cases[i].text, strlen(cases[i].text), NULL, NULL, &err));
        ck_assert_str_eq(err.text, cases[i].message);
        ck_assert_msg(err.at.at == cases[i].at && err.at.bytes == cases[i].bytes, "%s: at %zu, %zu", cases[i].text, err.at.at,
                      err.at.bytes);
        ck_assert_int_eq(err.has_open, cases[i].open != NULL);
        if (cases[i].open)
            ck_assert_str_eq(cases[i].text + err.open.at, cases[i].open);
    }
}
END_TEST

/* ---- names ---- */

static struct ncs_str seen;

static void note(void *arg, const struct ncs_lint_name *n)
{
    const char *text = arg;
    ck_assert_ptr_eq(n->name, text + n->at.at);
    ncs_str_addf(&seen, "%s%.*s", seen.bytes ? " " : "", (int)n->at.bytes, n->name);
    if (n->field) {
        ck_assert_ptr_eq(n->field, text + n->field_at.at);
        ncs_str_addf(&seen, "%c%.*s", n->method ? ':' : '.', (int)n->field_at.bytes, n->field);
    }
    ncs_str_addf(&seen, "%s%s", n->called ? "()" : "", n->assigned ? "=" : "");
}

static void names(const char *text, bool expression, const char *expected)
{
    struct ncs_lint_error err;
    ncs_str_clear(&seen);
    bool ok = (expression ? ncs_lint_expression : ncs_lint_chunk)(text, strlen(text), note, (void *)(uintptr_t)text, &err);
    ck_assert_msg(ok, "%s: %s", text, err.text);
    ck_assert_str_eq(seen.text ? seen.text : "", expected);
}

START_TEST(test_names)
{
    static const char *const cases[][2] = {
        { "x = y", "x= y" },
        { "nccl.group(function() world:send(a, b.c.d) end)", "nccl.group() world:send() a b.c" },
        { "local x = x; x = x", "x" },
        { "local function f(a, ...) return f, a, g end", "g" },
        { "local f = function() return f end", "f" },
        { "function f() end function a.b() end function a:b() end function a.b.c() end", "f= a.b= a:b= a.b" },
        { "function f:g(x) return self, x end", "f:g=" },
        { "for i = i, n do x(i) end", "i n x()" },
        { "for k, v in pairs(t) do y(k, v) end k()", "pairs() t y() k()" },
        { "do local a; a() end a()", "a()" },
        { "repeat local a until a b()", "b()" },
        { "a, b.c, d[e], f.g.h = 1", "a= b.c= d e f.g" },
        { "a[b], c = d", "a b c= d" },
        { "f 'x' g { h = i, [j] = k, l }", "f() g() i j k l" },
        { "local t = { t = 1 }; t.x = t.y; t:z()", "" },
        { "goto a; ::a::", "" },
        { "return C.ncclSum, cuda .buffer (1)", "C.ncclSum cuda.buffer()" },
        { "local _ENV = env; x = y.z", "env" },
        { "local function f(_ENV) return x end return x", "x" },
        { "a.b = a.b.c", "a.b= a.b" },
        { "a = function() a = 1 end", "a= a=" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        names(cases[i][0], false, cases[i][1]);
    ncs_str_free(&seen);
}
END_TEST

START_TEST(test_expressions)
{
    static const char *const refused[] = { "", " ", "1, 2", "x = 1", "...", "return 1", "1;", "f(", "a b", "--", "local x" };
    names("(rank - 1) % nranks", true, "rank nranks");
    names("math.max(rank, 1)", true, "math.max() rank");
    names("function(i) return i * param.scale end", true, "param.scale");
    names("x:part(rank)[1] --", true, "x:part() rank");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ncs_lint_error err;
        ck_assert_msg(!ncs_lint_expression(refused[i], strlen(refused[i]), NULL, NULL, &err), "%s", refused[i]);
        ck_assert_uint_gt(strlen(err.text), 0);
    }
    ncs_str_free(&seen);
}
END_TEST

START_TEST(test_texts_that_only_call)
{
    static const char *const only[] = { "",      " -- x\n",
                                        "f {}",  "f({ a = 1, b = { '}' } })",
                                        ";f{};", "f { a = function() return 1 end } f {} -- f\n" };
    static const char *const more[] = { "g {}",  "f",       "f = 1",       "f {} g {}", "f { } .x()",  "f 'x'",
                                        "ff {}", "local f", "f {} return", "f {",       "return f {}", "'" };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        ck_assert_msg(ncs_lint_only_calls(only[i], strlen(only[i]), "f"), "%s", only[i]);
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        ck_assert_msg(!ncs_lint_only_calls(more[i], strlen(more[i]), "f"), "%s", more[i]);
}
END_TEST

static void note_statement(void *arg, const struct ncs_lint_statement *st)
{
    const char *text = arg;
    const char *what = !st->local ? "" : st->function ? "F" : st->closes ? "C" : st->valued ? "V" : "L";
    ncs_str_addf(&seen, "%s%.*s", what, (int)st->at.bytes, text + st->at.at);
    if (st->local && !st->function)
        ncs_str_addf(&seen, "@%zu", st->names_end - st->at.at);
    ncs_str_add(&seen, "|");
}

/* The statements of a chunk: behind those that make something local it is said where the names end. */
static bool splits(const char *text, const char *expected)
{
    struct ncs_lint_error err;
    ncs_str_clear(&seen);
    bool whole = ncs_lint_split(text, strlen(text), note_statement, (void *)text, &err);
    ck_assert_str_eq(seen.text ? seen.text : "", expected);
    return whole;
}

START_TEST(test_split)
{
    ck_assert(splits("", ""));
    ck_assert(splits(" -- nothing\n", ""));
    ck_assert(splits("a = 1 b()", "a = 1 |b()|"));
    ck_assert(splits("local a, b", "Llocal a, b@10|"));
    ck_assert(splits("local a,b=1 a()", "Vlocal a,b=1 @9|a()|"));
    ck_assert(splits("local a <const>, b = 1", "Vlocal a <const>, b = 1@18|"));
    ck_assert(splits("local a <close> = b", "Clocal a <close> = b@7|"));
    ck_assert(splits("local function f() local x = 1 end", "Flocal function f() local x = 1 end|"));
    ck_assert(splits("do local x = 1 end", "do local x = 1 end|")); /* not the chunk's own */
    ck_assert(splits("return 1", "return 1|"));
    ck_assert(!splits("a = 1 b(", "a = 1 |")); /* what came before the error was told */
    ck_assert(!splits("a b", ""));
    ncs_str_free(&seen);
}
END_TEST

NCS_TEST_MAIN("lint", test_files_of_the_tree, test_good_and_bad_chunks, test_limits, test_messages, test_names, test_expressions,
              test_texts_that_only_call, test_split)
