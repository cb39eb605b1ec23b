/* Texts on their way from a script to the report: zero bytes, errors that are tables, byte order
 * marks, and where a comparison first failed. */
#include "script_lab.h"

START_TEST(test_zero_bytes)
{
    prints("scenario { ranks = 1 }\nprint('a\\0b', 1)\nprint('\\0')\nprint('x\\0y\\nz')\n"
           "store:set('k\\0a', 1) expect.equal(store:get('k', { timeout = 0 }), nil)\n",
           "[0] a\\x00b\t1\n[0] \\x00\n[0] x\\x00y\n[0] z\n");
    fails_with("error('a\\0b')", "a\\x00b");
    fails_with("assert(false, 'a\\0b')", "a\\x00b");
    const struct ncs_result *r = execute("scenario { ranks = 1 }\nexpect.that(false, 'a\\0b')\n"
                                         "expect.equal('c\\0d', 'c')\n"
                                         "expect.error('e', function() error('f\\0g', 0) end)\n",
                                         false);
    ck_assert_uint_eq(r->expects, 3);
    ck_assert_str_eq(r->expect[0].message, "a\\x00b");
    ck_assert_str_eq(r->expect[1].message, "got c\\x00d, want c");
    ck_assert_str_eq(r->expect[2].message, "got lua, want e: f\\x00g");
    finish();
}
END_TEST

START_TEST(test_errors_that_are_tables)
{
    static const char *const cases[][2] = {
        { "error({ message = 'said so', code = 3 })", "said so" },
        { "error({ code = 3, text = 'no' })", "{ code = 3, text = \"no\" }" },
        { "error({ 1, 'two', true })", "{ 1, \"two\", true }" },
        { "error({})", "{}" },
        { "error({ { 1 }, f = print })", "{ table: 1, f = function: 2 }" },
        { "error(setmetatable({}, { __tostring = function() return 'my own' end }))", "my own" },
        { "error({ a = 1, b = ('x'):rep(500) })", "{ a = 1, ... }" },
        { "error({ b = ('x'):rep(500) })", "{ ... }" },
        { "error()", "nil" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fails_with(cases[i][0], cases[i][1]);
}
END_TEST

START_TEST(test_first_element)
{
    const struct ncs_result *r = execute("scenario { ranks = 1 }\nlocal x = cuda.buffer('int32', 8):fill(1)\nx[5] = 2\n"
                                         "expect.equal(x, 1)\n"
                                         "expect.equal({ 1, 2, { 3, 4 } }, { 1, 2, { 3, 5 } })\n"
                                         "expect.equal({ 1 }, { 1, 2 })\n"
                                         "expect.equal(1, 2)\nexpect.that(false)\n",
                                         false);
    static const uint64_t first[] = { 5, 3, 0, 0, 0 };
    ck_assert_int_eq(r->verdict, NCS_WRONG);
    ck_assert_uint_eq(r->expects, 5);
    for (size_t i = 0; i < 5; i++)
        ck_assert_uint_eq(r->expect[i].first, first[i]);
    finish();
}
END_TEST

START_TEST(test_byte_order_mark)
{
    prints("\xef\xbb\xbfscenario { ranks = 1 }\nprint(1)\n", "[0] 1\n");
    prints("\xef\xbb\xbf#!/usr/bin/env ncclscript\nscenario { ranks = 1 }\nprint(2)\n", "[0] 2\n");
    loads("\xef\xbb\xbf");
    ncs_scenario_free(&scenario);
    refuses("\xef\xbb\xbf\nlocal x = = 1\n", 2, "unexpected symbol");
    refuses("\xef\xbb\xbf\033Lua", 0, "is not a text");
}
END_TEST

START_TEST(test_no_exit)
{
    fails_with("os.exit(0)", "no such field 'exit' in os: it would end ncclscript; return ends this "
                             "rank's script");
    settings.unsafe = true;
    fails_with("os.exit(0)", "it would end ncclscript");
    fails_with("os.exit()", "it would end ncclscript");
    passes("scenario { ranks = 1 }\nexpect.equal(os.getenv('NCS_NO_SUCH_VARIABLE'), nil)\n");
    settings.unsafe = false;
}
END_TEST

static void waits_in(const char *text, const char *in)
{
    const struct ncs_result *r = execute(text, false);
    ck_assert_int_eq(r->verdict, NCS_HANG);
    ck_assert_uint_gt(r->diagnosis.waits, 0);
    for (size_t i = 0; i < r->diagnosis.waits; i++)
        ck_assert_str_eq(r->diagnosis.wait[i].in, in);
    finish();
}

/* A report names a call as the script did. */
START_TEST(test_calls_by_the_name_written)
{
    waits_in("scenario { ranks = 2 }\nlocal x = cuda.buffer('int32', 4):fill(1)\n"
             "if rank == 0 then nccl.group(function() world:send(x, 1) end) end\n",
             "nccl.group");
    waits_in("scenario { ranks = 2 }\nlocal x = cuda.buffer('int32', 4):fill(1)\n"
             "if rank == 0 then C.ncclGroupStart() world:send(x, 1) C.ncclGroupEnd() end\n",
             "ncclGroupEnd");
    waits_in("scenario { ranks = 2 }\nlocal x = cuda.buffer('int32', 4):fill(1)\n"
             "world:all_reduce(x)\nif rank == 0 then world:all_reduce(x) C.cudaStreamSynchronize(stream) end\n",
             "cudaStreamSynchronize");
}
END_TEST

static void finished_at(const char *text, int line)
{
    const struct ncs_result *r = execute(text, false);
    ck_assert_int_eq(r->verdict, NCS_HANG);
    const struct ncs_finding *f = &r->diagnosis.finding[0];
    size_t found = 0;
    for (size_t i = 0; i < f->rows; i++)
        if (f->row[i].rank == 1) {
            ck_assert_ptr_nonnull(strstr(ncs_sentence_text(f->row[i].said), "finished"));
            ck_assert_int_eq(f->row[i].line, line);
            found++;
        }
    ck_assert_uint_eq(found, 1);
    finish();
}

/* A rank that ended is shown at its last line that ran, not at its last call. */
START_TEST(test_last_line)
{
    finished_at("scenario { ranks = 2 }\nlocal x = cuda.buffer('int32', 4):fill(1)\n"
                "if rank == 1 then\n  local y = 1\n  return y\nend\nworld:all_reduce(x)\nstream:sync()\n",
                5);
    finished_at("#!shebang\nscenario { ranks = 2 }\nlocal x = cuda.buffer('int32', 4):fill(1)\n"
                "if rank == 0 then world:all_reduce(x) end\nlocal z = 1\nz = z + 1\n\n-- the end\n",
                6);
    finished_at("scenario { ranks = 2 }\nlocal function f() if rank == 0 then world:all_reduce(cuda.buffer('int32', 4)) end end\n"
                "return f()\n",
                3);
    prints("scenario { ranks = 1 } print(select('#', ...))\n", "[0] 0\n"); /* nothing of it is seen */
}
END_TEST

/* Methods without a result return self; what reaches NCCL or CUDA takes a label. */
START_TEST(test_results_and_labels)
{
    prints("scenario { ranks = 1 }\n"
           "local x, s, e = cuda.buffer('int32', 2):fill(3, { label = 'f' }), cuda.stream(), cuda.event()\n"
           "print(x:copy_from(x) == x, x:add(x, { stream = s, label = 'a' }) == x, s:sync { label = 's' } == s,\n"
           "  s:delay(1) == s, e:record(s) == e, s:wait(e) == s, e:sync() == e, store:set('k', 1) == store)\n"
           "print(s:destroy { label = 'd' } == s, e:destroy() == e, x:dump { label = 'd' } == x)\n"
           "print(#x:get { label = 'g' }, x:get(2, 1, { label = 'g' })[1], x:free { label = 'f' } == x)\n"
           "print(world:wait_ready { label = 'w' }, world:wait_ready(1, { label = 'w' }))\n"
           "print(nccl.last_error { label = 'l' } == '', nccl.error_string(0, { label = 'e' }))\n"
           "print(select(2, pcall(x.get, x, { label = 'late' })))\n",
           "[0] true\ttrue\ttrue\ttrue\ttrue\ttrue\ttrue\ttrue\n[0]      1: 6 6\n[0] true\ttrue\ttrue\n"
           "[0] 2\t6\ttrue\n[0] true\ttrue\n[0] true\tno error\n"
           "[0] s.lua:9: get: this buffer was freed at line 6\n");
}
END_TEST

NCS_TEST_MAIN("script texts", test_results_and_labels, test_last_line, test_calls_by_the_name_written, test_zero_bytes,
              test_errors_that_are_tables, test_first_element, test_byte_order_mark, test_no_exit)
