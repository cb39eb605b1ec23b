/* Copies of a state: they go on as the state would have, wherever they lie, and own nothing of it. */
#include "harness.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitizer.h"
#include "script/heap.h"

/* Leaves the function `go` on the stack. */
static const char contents[] = "local counter, texts, parts = 0, {}, {}\n"
                               "for i = 1, 40 do texts['key' .. i], parts[i] = ('x'):rep(i * 20), { at = i, [-i] = i / 3 } end\n"
                               "local thread = coroutine.create(function(a) while true do a = coroutine.yield(a + 1) end end)\n"
                               "coroutine.resume(thread, 1)\n"
                               "local object = setmetatable({}, { __index = function(_, name) return name .. counter end })\n"
                               "for i = 1, 100 do local garbage = { i, tostring(i) } end\n"
                               "return function()\n"
                               "  local sum = 0\n"
                               "  for i = 1, 40 do\n"
                               "    counter = counter + 1\n"
                               "    sum = sum + #texts['key' .. i] + parts[i].at + parts[i][-i] * 3\n"
                               "    parts[i]['new' .. i] = object['field' .. i]\n"
                               "    local more = {}\n"
                               "    for j = 1, 50 do more[j] = { tostring(j) } end\n"
                               "  end\n"
                               "  collectgarbage()\n"
                               "  local _, got = coroutine.resume(thread, sum)\n"
                               "  return table.concat({ sum, got, counter, parts[7].new7, math.type(sum) }, ' ')\n"
                               "end\n";

static bool make(struct ncs_heap_model *m, size_t bytes)
{
    lua_State *L = ncs_heap_model_state(m, bytes);
    ck_assert_ptr_nonnull(L);
    luaL_openlibs(L);
    ck_assert_int_eq(luaL_dostring(L, contents), LUA_OK);
    return ncs_heap_model_finish(m);
}

static void go(lua_State *L, const char *expected)
{
    lua_pushvalue(L, -1);
    ck_assert_int_eq(lua_pcall(L, 0, 1, 0), LUA_OK);
    ck_assert_str_eq(lua_tostring(L, -1), expected);
    lua_pop(L, 1);
}

START_TEST(test_copies_go_on)
{
    enum { COPIES = 40 };
    static struct ncs_heap heap[COPIES];
    struct ncs_heap_model m = { 0 };
    lua_State *copy[COPIES];
    if (NCS_ASAN) /* each block is on its own there */
        return;
    ck_assert(make(&m, 256 << 10));
    for (int i = 0; i < COPIES; i++) {
        free(malloc((size_t)i * 336)); /* they lie above and below the model */
        copy[i] = ncs_heap_copy(&heap[i], &m);
        ck_assert_ptr_nonnull(copy[i]);
    }
    memset(m.heap.arena + 2 * sizeof(void *), 0x5A, m.heap.arena_bytes - 2 * sizeof(void *));
    ncs_heap_model_free(&m);
    for (int i = 0; i < COPIES; i++)
        go(copy[i], "18040.0 18041.0 40 field77 float");
    for (int i = 0; i < COPIES; i++) {
        go(copy[i], "18040.0 18041.0 80 field747 float");
        ncs_heap_free(&heap[i]);
    }
}
END_TEST

START_TEST(test_an_arena_may_be_too_small)
{
    struct ncs_heap_model m = { 0 };
    if (NCS_ASAN)
        return;
    ck_assert(!make(&m, 32 << 10));
    ncs_heap_model_free(&m);
    ck_assert_ptr_null(m.L);
}
END_TEST

/* Blocks that do not fit end where their bytes end, whatever their sizes. */
START_TEST(test_blocks_beside_a_full_arena)
{
    enum { LARGE = 4000, SIZES = 64 };
    struct ncs_heap_model m = { 0 };
    lua_State *L = ncs_heap_model_state(&m, 8 << 10);
    char text[LARGE + SIZES];
    if (!L)
        return; /* under AddressSanitizer */
    memset(text, 'x', sizeof text);
    for (int i = 0; i < SIZES; i++) {
        lua_pushlstring(L, text, (size_t)(LARGE + i));
        lua_pop(L, 1);
    }
    lua_gc(L, LUA_GCCOLLECT);             /* the host's allocator finds what was written behind a block */
    ck_assert(ncs_heap_model_finish(&m)); /* they are gone, and the rest fits */
    ncs_heap_model_free(&m);
}
END_TEST

NCS_TEST_MAIN("heap", test_copies_go_on, test_an_arena_may_be_too_small, test_blocks_beside_a_full_arena)
