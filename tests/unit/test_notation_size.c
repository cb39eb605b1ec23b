/* Scenarios in YAML that are large: what Lua limits, they are not limited by. */
#include "base/sanitizer.h"
#include "harness.h"
#include "notation_lab.h"

#include <jansson.h>
#include <lualib.h>

/* Translates and compiles; runs it when `run` is set, with functions that count the calls. */
static void check(const struct ncs_str *text, struct lab *lab)
{
    struct ncs_str said = { 0 };
    lab_open(lab, "big.yaml", text->text, text->bytes);
    ncs_complaints_text(&lab->complaints, &said);
    ck_assert_msg(lab->ok, "%s", said.text);
    char *compiled = lab_compile(lab);
    ck_assert_msg(!compiled, "%s", compiled);
    size_t lines = 0;
    for (size_t i = 0; i < lab->out.lua.bytes; i++)
        lines += lab->out.lua.text[i] == '\n';
    ck_assert_uint_eq(lines, lab->out.lines);
    ncs_str_free(&said);
}

static void close_both(struct ncs_str *text, struct lab *lab)
{
    lab_close(lab);
    ncs_str_free(text);
}

/* What the environment of ncclscript has, as objects that take any call and count it. */
static const char stand_ins[] =
    "local calls = 0\n"
    "local object = setmetatable({}, { __index = function(self, name)\n"
    "  return name == 'stream' and self or function() calls = calls + 1 return self end end })\n"
    "cuda, world, stream, nccl, store, expect, param, fault = object, object, object, object, object,\n"
    "  object, object, object\n"
    "rank, nranks = 0, 2\n"
    "function scenario() end\n"
    "function spawn(f) f() return object end\n"
    "function barrier() end\n"
    "function sleep() end\n"
    "function counted() return calls end\n";

/* Runs a translation; how many methods and functions of tables it calls. */
static lua_Integer run(const struct lab *lab)
{
    lua_State *L = luaL_newstate();
    luaL_openlibs(L);
    ck_assert_int_eq(luaL_dostring(L, stand_ins), LUA_OK);
    bool ok = luaL_loadbufferx(L, lab->out.lua.text, lab->out.lua.bytes, "=lua", "t") == LUA_OK &&
              lua_pcall(L, 0, 0, 0) == LUA_OK;
    ck_assert_msg(ok, "%s", lua_tostring(L, -1));
    lua_getglobal(L, "counted");
    lua_call(L, 0, 1);
    lua_Integer calls = lua_tointeger(L, -1);
    lua_close(L);
    return calls;
}

/* Far enough beyond Lua's limits; the sanitizers look for what is left, at any length. */
#if NCS_TSAN || NCS_ASAN
enum { STEPS = 25000, LONG = 11000 };
#else
enum { STEPS = 50000, LONG = 70000 };
#endif

START_TEST(thousand_buffers)
{
    struct ncs_str text = { 0 };
    struct lab lab;
    ncs_str_add(&text, "let: { one: 1 }\nbuffers:\n");
    for (int i = 0; i < 1000; i++)
        ncs_str_addf(&text, "  b%d: { dtype: float32, count: one, init: i + %d }\n", i, i);
    ncs_str_add(&text, "comms: { pair: { init: [5, 6] } }\nsteps:\n");
    for (int i = 0; i < 1000; i++)
        ncs_str_addf(&text, "  - all_reduce: b%d\n    label: ${rank + %d}\n", i, i);
    ncs_str_add(&text, "  - split: { as: more, color: 0 }\n    where: pair == nil\n");
    ncs_str_add(&text, "  - lua: |\n      local n = string.rep('a', 3)\n      assert(n == 'aaa' and b7)\n");
    ncs_str_add(&text, "  - barrier: true\n    where: pair ~= nil\n  - sync: more\n");
    check(&text, &lab);
    ck_assert_int_eq(run(&lab), 2000 + 1000 + 1 + 1); /* buffer, fill; all_reduce; split; sync */
    close_both(&text, &lab);
}
END_TEST

START_TEST(fifty_thousand_steps)
{
    struct ncs_str text = { 0 };
    struct lab lab;
    ncs_str_add(&text, "buffers: { x: { dtype: int8, count: 8 } }\nsteps:\n");
    for (int i = 0; i < STEPS; i++)
        ncs_str_addf(&text, "  - all_reduce: x\n");
    ncs_str_add(&text, "  - split: { as: row, color: 0 }\n  - all_reduce: { send: x, comm: row }\n");
    check(&text, &lab);
    ck_assert_int_eq(run(&lab), 1 + STEPS + 2);
    for (size_t i = 0; i < lab.out.lines; i++)
        ck_assert_int_le(lab.out.line[i], STEPS + 4);
    close_both(&text, &lab);
}
END_TEST

/* Lua's loops hold 131071 instructions, its functions as many functions. */
START_TEST(long_loop)
{
    struct ncs_str text = { 0 };
    struct lab lab;
    ncs_str_add(&text, "buffers: { x: { dtype: int8, count: 8 } }\nsteps:\n  - repeat: 2\n    as: k\n"
                       "    do:\n");
    for (int i = 0; i < LONG; i++)
        ncs_str_addf(&text, "      - expect: { x: k + i }\n      - all_reduce: x\n");
    check(&text, &lab);
    ck_assert_int_eq(run(&lab), 1 + 4 * LONG);
    close_both(&text, &lab);
}
END_TEST

/* Aliases can stand for far more steps than a file has. */
START_TEST(steps_of_aliases)
{
    struct ncs_str text = { 0 };
    struct lab lab;
    ncs_str_add(&text, "steps:\n  - do: &a\n");
    for (int i = 0; i < 100; i++)
        ncs_str_add(&text, "      - barrier: true\n");
    ncs_str_add(&text, "  - do: &b\n");
    for (int i = 0; i < 200; i++)
        ncs_str_add(&text, "      - do: *a\n");
    for (int i = 0; i < 60; i++)
        ncs_str_add(&text, "  - do: *b\n");
    lab_open(&lab, "bomb.yaml", text.text, text.bytes);
    ck_assert(!lab.ok);
    ck_assert_uint_eq(lab.complaints.errors, 1);
    ck_assert_ptr_nonnull(strstr(lab.complaints.item[0].text, "more than 1048576 steps"));
    close_both(&text, &lab);
}
END_TEST

/* And for far more levels. */
START_TEST(levels_of_aliases)
{
    for (int levels = 31; levels <= 200; levels += 169) {
        struct ncs_str text = { 0 };
        struct lab lab;
        ncs_str_add(&text, "steps:\n  - &a0 { sync: stream }\n");
        for (int i = 1; i <= levels; i++)
            ncs_str_addf(&text, "  - &a%d { repeat: 1, do: [*a%d] }\n", i, i - 1);
        lab_open(&lab, "deep.yaml", text.text, text.bytes);
        ck_assert_int_eq(lab.ok, levels == 31);
        ck_assert_uint_eq(lab.complaints.errors, levels > 31);
        if (levels == 31)
            ck_assert_int_eq(run(&lab), 32); /* each of the steps is made once */
        else
            ck_assert_ptr_nonnull(strstr(lab.complaints.item[0].text, "more than 32 deep"));
        close_both(&text, &lab);
    }
}
END_TEST

/* Of many mistakes the first are told, and all are counted. */
START_TEST(many_mistakes)
{
    struct ncs_str text = { 0 };
    struct lab lab;
    ncs_str_add(&text, "steps:\n");
    for (int i = 0; i < 20000; i++)
        ncs_str_addf(&text, "  - al_reduce: x%d\n", i);
    lab_open(&lab, "wrong.yaml", text.text, text.bytes);
    ck_assert(!lab.ok);
    ck_assert_uint_eq(lab.complaints.errors, 20000);
    ck_assert_uint_eq(lab.complaints.count, NCS_COMPLAINTS_KEPT);
    close_both(&text, &lab);
}
END_TEST

/* ---- the schema ---- */

static void described(const char *key, json_t *schema)
{
    const char *name;
    json_t *property, *properties = json_object_get(schema, "properties");
    json_object_foreach(properties, name, property) if (json_is_object(property))
        ck_assert_msg(json_object_get(property, "description"), "%s: %s", key, name);
}

START_TEST(schema)
{
    struct ncs_str text = { 0 };
    json_error_t error;
    ncs_notation_schema(&text);
    json_t *root = json_loads(text.text, JSON_REJECT_DUPLICATES, &error);
    ck_assert_msg(root, "line %d: %s", error.line, error.text);
    ck_assert_str_eq(json_string_value(json_object_get(root, "$schema")), "http://json-schema.org/draft-07/schema#");
    ck_assert(json_is_false(json_object_get(root, "additionalProperties")));
    described("scenario", root);
    json_t *step = json_object_get(json_object_get(root, "definitions"), "step");
    described("step", step);
    json_t *properties = json_object_get(step, "properties");
    ck_assert_ptr_nonnull(json_object_get(properties, "all_reduce"));
    ck_assert_ptr_nonnull(json_object_get(properties, "where"));
    json_decref(root);
    ncs_str_free(&text);
}
END_TEST

NCS_TEST_MAIN("notation_size", thousand_buffers, fifty_thousand_steps, long_loop, steps_of_aliases, levels_of_aliases,
              many_mistakes, schema)
