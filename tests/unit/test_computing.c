/* Scripts that compute without end: counted in instructions, so that the verdict is the same on every
 * machine, whatever catches errors and whichever function of C does the work. */
#include "script_lab.h"

#include "script/session.h"

static const struct ncs_result *compute(const char *text, uint64_t most, int64_t timeout, bool threads)
{
    script = load(text);
    ck_assert_msg(script != NULL, "%s:%d: %s", err.file, err.line, err.text);
    struct ncs_run_options o = {
        .driver = "sim",
        .ranks = scenario.ranks,
        .hosts = scenario.hosts,
        .verify = true,
        .own_threads = threads,
        .computing = most,
        .timeout = timeout,
    };
    struct ncs_program p = ncs_script_program(script, &scenario);
    run = ncs_run_new(&o, &p, NULL, NULL);
    return ncs_run_execute(run);
}

static void ends(const char *text, const char *reason)
{
    for (int threads = 0; threads < 2; threads++) {
        const struct ncs_result *r = compute(text, 2000000, 0, threads);
        ck_assert_msg(r->verdict == NCS_TIMEOUT, "%s: %s", ncs_verdict_name(r->verdict), first_failure(r));
        ck_assert(r->endless);
        ck_assert_str_eq(r->skip_reason, reason);
        finish();
    }
}

START_TEST(test_loops)
{
    ends("scenario { ranks = 2 }\n"
         "while true do\n"
         "end\n",
         "rank 0 computes without end at line 2: 2000000 instructions without a call of NCCL or CUDA");
    ends("scenario { ranks = 2 }\n"
         "barrier()\n"
         "if rank == 1 then\n"
         "    repeat until false\n"
         "end\n"
         "barrier()\n",
         "rank 1 computes without end at line 4: 2000000 instructions without a call of NCCL or CUDA");
    ends("scenario { ranks = 1 }\n"
         "while true do pcall(function() while true do end end) end\n",
         "rank 0 computes without end at line 2: 2000000 instructions without a call of NCCL or CUDA");
    ends("scenario { ranks = 1 }\n"
         "coroutine.wrap(function()\n"
         "    while true do end end)()\n",
         "rank 0 computes without end at line 3: 2000000 instructions without a call of NCCL or CUDA");
    ends("scenario { ranks = 1 }\n"
         "local t = spawn(function()\n"
         "    while true do end end)\n"
         "t:join()\n",
         "rank 0 computes without end at line 3: 2000000 instructions without a call of NCCL or CUDA");
    ends("scenario { ranks = 1 }\n"
         "for i = 1, 1e9 do store:set('key', i) end\n",
         "rank 0 computes without end at line 2: 2000000 instructions without a call of NCCL or CUDA");
}
END_TEST

/* The work of C functions counts. */
START_TEST(test_work_of_c)
{
    static const char *const bodies[] = {
        "local s = ('x'):rep(1 << 20) .. i",
        "local s = text .. i",
        "local s = text:upper()",
        "text:find('b', 1, true)",
        "pcall(text.find, text, '.-.-.-b')",
        "text:gsub('a', 'b')",
        "table.concat(list)",
        "table.sort(list)",
        "table.insert(list, 1, 1) table.remove(list, 1)",
        "table.move(list, 1, #list, 2)",
        "utf8.len(text)",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        char code[400];
        snprintf(code, sizeof code,
                 "scenario { ranks = 1 }\n"
                 "local text, list = ('a'):rep(100000), {}\n"
                 "for i = 1, 20000 do list[i] = i end\n"
                 "for i = 1, 1e6 do %s end\n",
                 bodies[i]);
        const struct ncs_result *r = compute(code, 10000000, 0, false);
        ck_assert_msg(r->verdict == NCS_TIMEOUT && r->endless, "%s: %s, %s", bodies[i], ncs_verdict_name(r->verdict),
                      first_failure(r));
        finish();
    }
}
END_TEST

/* What would not come back, and is refused. */
START_TEST(test_functions_that_never_end)
{
    static const char *const calls[] = {
        "table.concat(setmetatable({}, { __index = table.concat }), '', 1, math.maxinteger)",
        "table.insert(setmetatable({}, { __len = function() return 1 << 60 end }), 1, 0)",
        "table.remove(setmetatable({}, { __len = function() return 1 << 60 end }), 1)",
        "table.sort(setmetatable({}, { __len = function() return 1 << 30 end, __index = type }))",
        "table.move({}, 1, 1 << 60, 2)",
        "table.unpack({}, 1, 1 << 60)",
        "('x'):rep(1 << 40)",
        "('a'):rep(1 << 20):find('.-.-.-.-b')",
    };
    struct ncs_str code = { 0 };
    ncs_str_add(&code, "scenario { ranks = 1 }\nlocal function refused(f) expect.that(not pcall(f)) end\n");
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        ncs_str_addf(&code, "refused(function() return %s end)\n", calls[i]);
    const struct ncs_result *r = compute(code.text, 0, 0, false);
    ck_assert_msg(r->verdict == NCS_PASS, "%s: %s", ncs_verdict_name(r->verdict), first_failure(r));
    ck_assert_uint_eq(r->expected, sizeof calls / sizeof *calls);
    finish();
    ncs_str_free(&code);
}
END_TEST

/* A call, of whichever rank, begins the count anew; a time limit stands in its place. */
START_TEST(test_what_goes_on)
{
    const struct ncs_result *r = compute("scenario { ranks = 2 }\n"
                                         "local x = cuda.buffer('float32', 4):fill(1)\n"
                                         "for i = 1, 20 do\n"
                                         "    for k = 1, 200000 do end\n"
                                         "    world:all_reduce(x) stream:sync()\n"
                                         "end\n",
                                         1000000, 0, false);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    finish();
    r = compute("scenario { ranks = 1 }\nfor k = 1, 3000000 do end\n", 1000000, (int64_t)600000000000, false);
    ck_assert_int_eq(r->verdict, NCS_PASS);
    finish();
    r = compute("scenario { ranks = 1 }\nwhile true do end\n", 0, 50000000, false);
    ck_assert_int_eq(r->verdict, NCS_TIMEOUT);
    ck_assert(!r->endless);
    finish();
}
END_TEST

/* At the prompt the line is given up, and not the run. */
START_TEST(test_at_the_prompt)
{
    struct ncs_run_options o = { .driver = "sim", .ranks = 2, .hosts.devices = 8, .computing = 1000000 };
    const struct ncs_code *code;
    size_t replies;
    ncs_scenario_init(&scenario, "prompt");
    scenario.ranks = 2;
    struct ncs_session *s = ncs_session_new(NULL, &scenario, "prompt", false);
    struct ncs_program p = ncs_session_program(s);
    run = ncs_run_new(&o, &p, NULL, NULL);
    ck_assert(ncs_run_begin(run, &err));
    ncs_run_go_on(run, -1);
    ck_assert_int_eq(ncs_session_read(s, "while true do end", 1, &code, &err), NCS_READ_WHOLE);
    ncs_session_give(s, 1, code);
    ncs_run_go_on(run, -1);
    const struct ncs_reply *reply = ncs_session_replies(s, &replies);
    ck_assert_uint_eq(replies, 1);
    ck_assert_int_eq(reply->kind, NCS_REPLY_INTERRUPTED);
    ck_assert_str_eq(ncs_run_so_far(run)->skip_reason, "rank 1 computes without end at line 1: 1000000 "
                                                       "instructions without a call of NCCL or CUDA");
    ncs_session_forget(s);
    ck_assert_int_eq(ncs_session_read(s, "1 + 1", 2, &code, &err), NCS_READ_WHOLE);
    ncs_session_give(s, 1, code);
    ncs_run_go_on(run, -1);
    reply = ncs_session_replies(s, &replies);
    ck_assert_uint_eq(replies, 1);
    ck_assert_str_eq(reply->text, "2");
    ck_assert_ptr_null(ncs_run_so_far(run)->skip_reason);
    ncs_run_free(run);
    ncs_session_free(s);
    ncs_scenario_free(&scenario);
}
END_TEST

NCS_TEST_MAIN("computing", test_at_the_prompt, test_loops, test_work_of_c, test_functions_that_never_end, test_what_goes_on)
