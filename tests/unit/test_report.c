/* Reports of hand-made results: golden texts, and the JSON read back. */
#include <jansson.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "diagnose/finding.h"
#include "harness.h"
#include "report/page.h"
#include "report/report.h"

#define T(text) ((char *)(text))

static struct ncs_scenario scenario = { .file = T("scenarios/a.lua") };

static struct ncs_result result_of(enum ncs_verdict verdict)
{
    return (struct ncs_result){ .verdict = verdict, .ranks = 4, .driver = "sim", .nccl = "2.30.7",
                                .checked = 12, .calls = 34, .trace = 0x9f3c };
}

static char *text_of(const struct ncs_result *result, bool expected, const char *difference,
                     struct ncs_report_style style)
{
    struct ncs_report_run run = { .scenario = &scenario, .result = result,
                                  .as_expected = expected, .difference = difference };
    struct ncs_str out = { 0 };
    ncs_report_text(&run, &style, &out);
    return ncs_str_take(&out);
}

static void check_text(const struct ncs_result *result, bool expected, const char *want)
{
    char *got = text_of(result, expected, NULL, (struct ncs_report_style){ 0 });
    ck_assert_str_eq(got, want);
    ncs_free(got);
}

static json_t *json_of(const struct ncs_result *result, bool expected)
{
    struct ncs_report_run run = { .scenario = &scenario, .result = result,
                                  .as_expected = expected };
    struct ncs_str out = { 0 };
    ncs_report_json(&run, &out);
    const char *end = strchr(out.text, '\n');
    ck_assert_ptr_nonnull(end);
    ck_assert_str_eq(end, "\n"); /* one object, one line */
    json_error_t error;
    json_t *o = json_loads(out.text, 0, &error);
    ck_assert_msg(o != NULL, "%s in %s", error.text, out.text);
    ncs_str_free(&out);
    return o;
}

/* What `path` leads to: "findings/0/rule". */
static json_t *at(json_t *o, const char *path)
{
    while (o && *path) {
        char key[64];
        size_t n = strcspn(path, "/");
        snprintf(key, sizeof key, "%.*s", (int)n, path);
        o = json_is_array(o) ? json_array_get(o, (size_t)atoi(key)) : json_object_get(o, key);
        path += n + (path[n] == '/');
    }
    return o;
}

static const char *word(json_t *o, const char *path)
{
    const char *s = json_string_value(at(o, path));
    ck_assert_msg(s != NULL, "no text at %s", path);
    return s;
}

static long long number(json_t *o, const char *path)
{
    ck_assert_msg(json_is_integer(at(o, path)), "no whole number at %s", path);
    return json_integer_value(at(o, path));
}

/* ---- the skipped call of the documentation ---- */

static struct ncs_culprit skipped_culprit[] = { { 2, 3, 12 } };
static int skipped_blocked[] = { 0, 1, 3 };
static struct ncs_finding_row skipped_row[] = {
    { 0, T("waits in stream:sync()"), 14, false },
    { 1, T("waits in stream:sync()"), 14, false },
    { 2, T("never made call 3: finished"), 17, false },
    { 3, T("waits in stream:sync()"), 14, false },
};
static struct ncs_finding skipped[] = { {
    .rule = "skipped-call", .comm = T("world"), .call = 3,
    .title = T("communicator world, call 3: AllReduce float32 x 1024 sum"),
    .why = T("rank 2 made 2 calls on world, the others 3: line 12 skips it when rank == 2"),
    .fix = T("every rank of a communicator makes the same calls in the same order"),
    .culprit = skipped_culprit, .culprits = 1, .blocked = skipped_blocked, .blockeds = 3,
    .row = skipped_row, .rows = 4,
} };
static int for_rank_2[] = { 2 };
static struct ncs_wait_line skipped_wait[] = {
    { .rank = 0, .in = T("stream:sync"), .place = { "a.lua", 14 }, .comm = T("world"), .call = 3,
      .op = T("AllReduce float32 x 1024 sum"), .peer = for_rank_2, .peers = 1, .waiting = true },
    { .rank = 1, .in = T("stream:sync"), .place = { "a.lua", 14 }, .comm = T("world"), .call = 3,
      .op = T("AllReduce float32 x 1024 sum"), .peer = for_rank_2, .peers = 1 },
};

static struct ncs_result hang(void)
{
    struct ncs_result r = result_of(NCS_HANG);
    r.diagnosis.finding = skipped;
    r.diagnosis.findings = 1;
    r.diagnosis.wait = skipped_wait;
    r.diagnosis.waits = 2;
    return r;
}

static const char hang_text[] =
    "HANG  scenarios/a.lua  4 ranks, sim, seed 0\n"
    "  communicator world, call 3: AllReduce float32 x 1024 sum\n"
    "    rank 0  waits in stream:sync()         line 14\n"
    "    rank 1  waits in stream:sync()         line 14\n"
    "    rank 2  never made call 3: finished    line 17\n"
    "    rank 3  waits in stream:sync()         line 14\n"
    "  why   rank 2 made 2 calls on world, the others 3: line 12 skips it when rank == 2\n"
    "  fix   every rank of a communicator makes the same calls in the same order\n"
    "  more  ncclscript explain skipped-call\n";

START_TEST(test_hang)
{
    struct ncs_result r = hang();
    check_text(&r, false, hang_text);
    check_text(&r, true,
               "PASS  scenarios/a.lua  4 ranks, sim, seed 0: "
               "hang as declared: skipped-call, rank 2\n");
}
END_TEST

START_TEST(test_hang_not_as_declared)
{
    struct ncs_result r = hang();
    char *got = text_of(&r, false, "declared culprit 1, came 2", (struct ncs_report_style){ 0 });
    ck_assert_uint_eq(strncmp(got, hang_text, strlen(hang_text)), 0);
    ck_assert_str_eq(got + strlen(hang_text), "  not as declared: declared culprit 1, came 2\n");
    ncs_free(got);
}
END_TEST

START_TEST(test_verbose)
{
    struct ncs_result r = hang();
    r.virtual_time = 30000;
    char *got = text_of(&r, true, NULL, (struct ncs_report_style){ .verbose = true });
    ck_assert_ptr_nonnull(strstr(got, "    rank 2  never made call 3: finished    line 17\n"));
    const char *tail =
        "  waits\n"
        "    rank 0  in stream:sync, world call 3 (AllReduce float32 x 1024 sum), for rank 2"
        "    line 14\n"
        "    rank 1  in stream:sync, world call 3 (AllReduce float32 x 1024 sum), for rank 2"
        "    line 14\n"
        "  who waits for whom\n"
        "    rank 2 never made call 3: finished at line 17  <- cause: skipped-call\n"
        "    |- rank 0 waits in stream:sync at line 14 for world call 3, AllReduce float32 x 1024 sum\n"
        "    `- rank 1 is in stream:sync at line 14\n"
        "  34 calls, 12 results verified, 0 not, 0 expectations\n"
        "  trace 0000000000009f3c, virtual time 30 us, NCCL 2.30.7, strict policy\n";
    ck_assert_uint_gt(strlen(got), strlen(tail));
    ck_assert_str_eq(got + strlen(got) - strlen(tail), tail);
    ncs_free(got);
    r.schedule.text = T("c1.4.e2");
    r.schedule.bytes = 7;
    got = text_of(&r, true, NULL, (struct ncs_report_style){ .verbose = true });
    ck_assert_ptr_nonnull(strstr(got, "strict policy\n  schedule c1.4.e2\n"));
    ncs_free(got);
    r.schedule_lost = true;
    got = text_of(&r, true, NULL, (struct ncs_report_style){ .verbose = true });
    ck_assert_ptr_nonnull(strstr(got, "strict policy\n  schedule too long to keep\n"));
    ncs_free(got);
}
END_TEST

START_TEST(test_color)
{
    struct ncs_result r = hang();
    char *got = text_of(&r, false, NULL, (struct ncs_report_style){ .color = true });
    ck_assert_ptr_nonnull(strstr(got, "\033[1;31mHANG\033[0m  scenarios/a.lua"));
    ck_assert_ptr_nonnull(strstr(got, "  \033[1mwhy\033[0m   rank 2 made"));
    ck_assert_ptr_nonnull(strstr(got, "  \033[2mmore\033[0m  ncclscript"));
    ncs_free(got);
}
END_TEST

/* With many ranks the odd one stands out instead of being cut off. */
START_TEST(test_many_ranks)
{
    struct ncs_finding_row row[200];
    for (int i = 0; i < 200; i++)
        row[i] = (struct ncs_finding_row){ i, T("waits"), 14, false };
    row[150] = (struct ncs_finding_row){ 150, T("finished"), 17, false };
    struct ncs_finding f = { .rule = "skipped-call", .row = row, .rows = 200 };
    struct ncs_result r = result_of(NCS_HANG);
    r.ranks = 200;
    r.diagnosis.finding = &f;
    r.diagnosis.findings = 1;
    check_text(&r, false,
               "HANG  scenarios/a.lua  200 ranks, sim, seed 0\n"
               "    ranks 0..149, 151..199  waits       line 14\n"
               "    rank 150                finished    line 17\n"
               "  more  ncclscript explain skipped-call\n");

    char text[200][16]; /* all different: cut, but never the culprit */
    for (int i = 0; i < 200; i++) {
        snprintf(text[i], sizeof text[i], "waits for %c%c", 'a' + i / 26, 'a' + i % 26);
        row[i] = (struct ncs_finding_row){ i, text[i], 14, false };
    }
    struct ncs_culprit culprit = { .rank = 150 };
    f.culprit = &culprit;
    f.culprits = 1;
    char *got = text_of(&r, false, NULL, (struct ncs_report_style){ 0 });
    ck_assert_ptr_nonnull(strstr(got, "    rank 15   waits for ap    line 14\n"
                                      "    rank 150  waits for fu    line 14\n"
                                      "    and 183 more; -v shows them\n"));
    ncs_free(got);
}
END_TEST

/* Where all are culprits, as in a ring, they are cut like others; what differs in numbers only is one
 * line, with the first of them. */
START_TEST(test_many_culprits)
{
    struct ncs_finding_row row[100];
    struct ncs_culprit culprit[100];
    char text[100][16];
    for (int i = 0; i < 100; i++) {
        snprintf(text[i], sizeof text[i], "waits for %c%c", 'a' + i / 26, 'a' + i % 26);
        row[i] = (struct ncs_finding_row){ i, text[i], 14, false };
        culprit[i] = (struct ncs_culprit){ .rank = i };
    }
    struct ncs_finding f = { .rule = "p2p-cycle", .row = row, .rows = 100, .culprit = culprit,
                             .culprits = 100 };
    struct ncs_result r = result_of(NCS_HANG);
    r.diagnosis.finding = &f;
    r.diagnosis.findings = 1;
    char *got = text_of(&r, false, NULL, (struct ncs_report_style){ 0 });
    ck_assert_ptr_nonnull(strstr(got, "    rank 15  waits for ap    line 14\n"
                                      "    and 84 more; -v shows them\n"));
    ncs_free(got);
    for (int i = 0; i < 100; i++)
        snprintf(text[i], sizeof text[i], "waits for %d", (i + 1) % 100);
    row[7].line = 15;
    got = text_of(&r, false, NULL, (struct ncs_report_style){ 0 });
    ck_assert_ptr_nonnull(strstr(got, "    ranks 0..6, 8..99  wait for 1, and so on    line 14\n"
                                      "    rank 7             waits for 8              line 15\n"));
    ncs_free(got);
}
END_TEST

/* What several ranks do wrong at one place is told once; another place is another finding. */
START_TEST(test_like_findings)
{
    struct ncs_finding f[5];
    struct ncs_culprit culprit[5];
    for (int i = 0; i < 5; i++) {
        culprit[i] = (struct ncs_culprit){ .rank = i, .line = i == 3 ? 8 : 7 };
        f[i] = (struct ncs_finding){ .rule = "illegal-access", .culprit = &culprit[i],
                                     .culprits = 1, .why = T("w"), .fix = T("f") };
    }
    struct ncs_result r = result_of(NCS_ERROR);
    r.diagnosis.finding = f;
    r.diagnosis.findings = 5;
    check_text(&r, false,
               "ERROR  scenarios/a.lua  4 ranks, sim, seed 0\n"
               "  why   w\n"
               "  also  the same on ranks 1, 2, 4\n"
               "  fix   f\n"
               "  more  ncclscript explain illegal-access\n"
               "  why   w\n"
               "  fix   f\n"
               "  more  ncclscript explain illegal-access\n");
    char *got = text_of(&r, false, NULL, (struct ncs_report_style){ .verbose = true });
    ck_assert_ptr_null(strstr(got, "also"));
    ncs_free(got);
}
END_TEST

/* ---- the other verdicts ---- */

START_TEST(test_output_cut)
{
    struct ncs_result r = result_of(NCS_PASS);
    r.output.bytes = 1 << 20;
    r.output_lost = 3 << 20;
    check_text(&r, true,
               "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n"
               "  note  what the ranks printed is cut after 1 MiB: 3 MiB more are left out\n");
}
END_TEST

START_TEST(test_pass)
{
    struct ncs_result r = result_of(NCS_PASS);
    check_text(&r, true,
               "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n");
    r.ranks = 1;
    r.checked = r.calls = r.unchecked = 1;
    r.policy = NCS_POLICY_TYPICAL;
    r.seed = 7;
    check_text(&r, true,
               "PASS  scenarios/a.lua  1 rank, sim, typical, seed 7: 1 result verified, "
               "1 not verified, 1 call\n");
}
END_TEST

START_TEST(test_pass_not_declared)
{
    struct ncs_result r = result_of(NCS_PASS);
    char *got = text_of(&r, false, "declared hang, came pass", (struct ncs_report_style){ 0 });
    ck_assert_str_eq(got,
                     "FAIL  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n"
                     "  not as declared: declared hang, came pass\n");
    ncs_free(got);
}
END_TEST

static struct ncs_member member[4];
static struct ncs_comm_info world = { .name = T("world"), .nranks = 4, .member = member };
static struct ncs_comm_info *comms[] = { &world };
static struct ncs_journal journal = { .comm = comms, .comms = 1 };

static struct ncs_call reduce_call(void)
{
    struct ncs_call call = { .fn = NCS_FN_ncclAllReduce, .number = 1, .place = { "a.lua", 9 } };
    call.arg[2].u = 1024;
    call.arg[3].i = ncclFloat32;
    call.arg[4].i = ncclSum;
    return call;
}

START_TEST(test_wrong)
{
    struct ncs_call call = reduce_call();
    struct ncs_wrong wrong[] = {
        { .call = &call, .number = 1, .rank = 0, .first = 5, .differ = 12, .total = 1024,
          .got = "3", .want = "4", .pattern = NCS_PATTERN_MISSING, .which = 1,
          .text = "rank 1's contribution is missing" },
        { .call = &call, .number = 1, .rank = 2, .first = 5, .differ = 1, .total = 1024,
          .got = "inf", .want = "0.5", .pattern = NCS_PATTERN_MISSING, .which = 1,
          .text = "rank 1's contribution is missing" },
    };
    struct ncs_run_expect expect = { .rank = 3, .message = T("got 2, want 3"), .label = T("sum"),
                                     .first = 7, .place = { "a.lua", 11 } };
    struct ncs_result r = result_of(NCS_WRONG);
    r.journal = &journal;
    r.wrong = wrong;
    r.wrongs = r.wrong_count = 2;
    r.expect = &expect;
    r.expects = 1;
    check_text(&r, false,
               "WRONG  scenarios/a.lua  4 ranks, sim, seed 0\n"
               "  communicator world, call 1: AllReduce float32 x 1024 sum\n"
               "    rank 0  element 5: got 3, want 4; 12 of 1024 differ       line 9\n"
               "    rank 2  element 5: got inf, want 0.5; 1 of 1024 differ    line 9\n"
               "  why   rank 1's contribution is missing\n"
               "  expectation that failed\n"
               "    rank 3  sum: got 2, want 3    line 11\n");
    check_text(&r, true,
               "PASS  scenarios/a.lua  4 ranks, sim, seed 0: "
               "wrong as declared: rank 0, element 5\n");

    json_t *o = json_of(&r, false);
    ck_assert_str_eq(word(o, "verdict"), "wrong");
    ck_assert_int_eq(number(o, "exit"), 1);
    ck_assert_str_eq(word(o, "wrong/0/comm"), "world");
    ck_assert_int_eq(number(o, "wrong/0/call"), 1);
    ck_assert_int_eq(number(o, "wrong/0/got"), 3);
    ck_assert_str_eq(word(o, "wrong/0/pattern"), "missing");
    ck_assert_int_eq(number(o, "wrong/0/line"), 9);
    ck_assert(json_is_false(at(o, "wrong/0/expect")));
    ck_assert_str_eq(word(o, "wrong/1/got"), "inf");
    ck_assert_double_eq(json_real_value(at(o, "wrong/1/want")), 0.5);
    ck_assert(json_is_true(at(o, "wrong/2/expect")));
    ck_assert_str_eq(word(o, "wrong/2/label"), "sum");
    ck_assert_int_eq(number(o, "wrong/2/first"), 7);
    ck_assert_int_eq(number(o, "wrong/2/rank"), 3);
    json_decref(o);
}
END_TEST

START_TEST(test_error)
{
    struct ncs_run_error error = {
        .kind = NCS_KIND_NCCL, .rank = 2, .code = 4, .name = T("ncclInvalidArgument"),
        .call = T("ncclBroadcast"), .comm = T("world"), .label = T("weights"),
        .message = T("root 9 is no rank of 0 to 3"), .detail = T("first\nsecond \033[31m"),
        .place = { "a.lua", 9 },
    };
    struct ncs_wait_line wait[] = {
        { .rank = 0, .in = T("all_reduce"), .place = { "a.lua", 9 } },
        { .rank = 1, .in = T("all_reduce"), .place = { "a.lua", 9 } },
        { .rank = 2, .in = T("stream:sync"), .place = { "a.lua", 12 } },
        { .rank = 3, .in = T("all_reduce"), .place = { "a.lua", 9 } },
    };
    struct ncs_result r = result_of(NCS_ERROR);
    r.error = &error;
    r.errors = 1;
    r.diagnosis.wait = wait;
    r.diagnosis.waits = 4;
    check_text(&r, false,
               "ERROR  scenarios/a.lua  4 ranks, sim, seed 0\n"
               "    rank 2  ncclBroadcast returned ncclInvalidArgument: "
               "root 9 is no rank of 0 to 3 (label \"weights\")    line 9\n"
               "            first\n"
               "            second \\x1b[31m\n"
               "  ranks 0, 1, 3 wait in all_reduce at line 9 because rank 2 failed\n");

    /* Nothing is said twice, and the way through the script only when asked for. */
    error.message = T("ncclBroadcast: ncclInvalidArgument: bad root (label \"weights\")");
    error.detail = T("bad root");
    r.diagnosis.waits = 0;
    const char *short_text = "ERROR  scenarios/a.lua  4 ranks, sim, seed 0\n"
                             "    rank 2  ncclBroadcast: ncclInvalidArgument: bad root "
                             "(label \"weights\")    line 9\n";
    check_text(&r, false, short_text);
    error.detail = T("stack traceback:\n\ta.lua:9: in main chunk");
    check_text(&r, false, short_text);
    char *all = text_of(&r, false, NULL, (struct ncs_report_style){ .verbose = true });
    ck_assert_ptr_nonnull(strstr(all, "             a.lua:9: in main chunk\n"));
    ncs_free(all);

    error.detail = T("first\nsecond \033[31m");
    json_t *o = json_of(&r, true);
    ck_assert_int_eq(number(o, "exit"), 0);
    ck_assert_int_eq(number(o, "errors/0/rank"), 2);
    ck_assert_str_eq(word(o, "errors/0/kind"), "nccl");
    ck_assert_int_eq(number(o, "errors/0/code"), 4);
    ck_assert_str_eq(word(o, "errors/0/detail"), "first\nsecond \033[31m");
    json_decref(o);
}
END_TEST

START_TEST(test_invalid)
{
    struct ncs_run_error error = { .kind = NCS_KIND_LUA, .rank = 0, .name = T("lua"),
                                   .message = T("attempt to index a nil value"),
                                   .place = { "a.lua", 4 } };
    struct ncs_result r = result_of(NCS_INVALID);
    r.error = &error;
    r.errors = 1;
    check_text(&r, false,
               "INVALID  scenarios/a.lua  4 ranks, sim, seed 0\n"
               "    rank 0  attempt to index a nil value    line 4\n");
}
END_TEST

START_TEST(test_skipped_and_internal)
{
    struct ncs_result r = result_of(NCS_SKIPPED);
    r.skip_reason = T("needs 2 GPUs, here is none");
    check_text(&r, false,
               "SKIPPED  scenarios/a.lua  4 ranks, sim, seed 0: needs 2 GPUs, here is none\n");
    json_t *o = json_of(&r, false);
    ck_assert_int_eq(number(o, "exit"), 77);
    ck_assert_str_eq(word(o, "reason"), "needs 2 GPUs, here is none");
    json_decref(o);

    r = result_of(NCS_INTERNAL_FAULT);
    r.internal = (struct ncs_error){ .status = NCS_INTERNAL, .text = "no edge for rank 1" };
    check_text(&r, false,
               "INTERNAL  scenarios/a.lua  4 ranks, sim, seed 0\n"
               "  why   no edge for rank 1\n"
               "  note  a fault of ncclscript: please report it with the scenario\n");
}
END_TEST

/* ---- JSON ---- */

START_TEST(test_json_hang)
{
    struct ncs_result r = hang();
    ncs_str_add(&r.output, "[0] one\n[1] t\xffwo\n");
    r.schedule.text = T("c1.4.e2");
    json_t *o = json_of(&r, false);
    static const char *const order[] = {
        "schema", "scenario", "case", "ranks", "driver", "nccl", "policy", "seed", "verdict",
        "certainty", "as_expected", "exit", "findings", "waits", "wrong", "errors", "checked",
        "unchecked", "calls", "trace",
    };
    void *key = json_object_iter(o);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        ck_assert_str_eq(json_object_iter_key(key), order[i]);
        key = json_object_iter_next(o, key);
    }
    ck_assert_str_eq(word(o, "schema"), "ncclscript.report/1");
    ck_assert_str_eq(word(o, "scenario"), "scenarios/a.lua");
    ck_assert_str_eq(word(o, "verdict"), "hang");
    ck_assert_str_eq(word(o, "certainty"), "certain");
    ck_assert_int_eq(number(o, "exit"), 3);
    ck_assert(json_is_false(at(o, "as_expected")));
    ck_assert_str_eq(word(o, "findings/0/rule"), "skipped-call");
    ck_assert_str_eq(word(o, "findings/0/level"), "error");
    ck_assert_int_eq(number(o, "findings/0/culprits/0/rank"), 2);
    ck_assert_int_eq(number(o, "findings/0/culprits/0/line"), 12);
    ck_assert_int_eq(number(o, "findings/0/blocked/2"), 3);
    ck_assert_uint_eq(json_array_size(at(o, "findings/0/cycle")), 0);
    ck_assert_str_eq(word(o, "waits/1/in"), "stream:sync");
    ck_assert_str_eq(word(o, "waits/1/op"), "AllReduce");
    ck_assert_int_eq(number(o, "waits/1/for/0"), 2);
    ck_assert_str_eq(word(o, "trace"), "0000000000009f3c");
    ck_assert_str_eq(word(o, "schedule"), "c1.4.e2");
    ck_assert_uint_eq(json_array_size(at(o, "output")), 2);
    ck_assert_str_eq(word(o, "output/1"), "[1] t\xef\xbf\xbdwo");
    json_decref(o);
    ncs_str_free(&r.output);
}
END_TEST

START_TEST(test_json_cycle)
{
    struct ncs_cycle_step cycle[] = { { 0, T("x"), 1, 8, 1, NCS_VIA_COLLECTIVE, NCS_VIA_STREAM },
                                      { 1, T("y"), 1, 10, 0, NCS_VIA_STORE, NCS_VIA_HOST } };
    struct ncs_finding f = { .rule = "order-cycle", .certainty = NCS_LUCK, .cycle = cycle,
                             .cycles = 2, .level = NCS_LEVEL_NOTE };
    struct ncs_result r = result_of(NCS_HANG);
    r.diagnosis.finding = &f;
    r.diagnosis.findings = 1;
    json_t *o = json_of(&r, false);
    ck_assert_str_eq(word(o, "findings/0/level"), "note");
    ck_assert_str_eq(word(o, "findings/0/certainty"), "luck");
    ck_assert(json_is_null(at(o, "findings/0/comm")));
    ck_assert_str_eq(word(o, "findings/0/cycle/1/comm"), "y");
    ck_assert_int_eq(number(o, "findings/0/cycle/1/for"), 0);
    ck_assert_str_eq(word(o, "findings/0/cycle/0/via"), "collective");
    ck_assert_str_eq(word(o, "findings/0/cycle/1/via"), "store");
    ck_assert_str_eq(word(o, "findings/0/cycle/0/behind"), "stream");
    ck_assert_str_eq(word(o, "findings/0/cycle/1/behind"), "host");
    ck_assert(json_is_null(at(o, "findings/0/explain")));
    json_decref(o);
}
END_TEST

START_TEST(test_json_repair)
{
    struct ncs_edit edit[] = {
        { .kind = NCS_EDIT_INSERT, .rank = 2, .call = 3, .line = 12, .model = 0, .model_call = 3,
          .on = T("grads"), .text = T("rank 2: insert Broadcast") },
        { .kind = NCS_EDIT_ARGUMENT, .rank = 1, .comm = 7, .call = 4, .model = -1,
          .argument = "root", .value = 0 },
    };
    struct ncs_finding f = skipped[0];
    f.evidence = T("its calls of lines 9 and 12 are the others' but for one");
    f.repair = edit;
    f.repairs = 2;
    struct ncs_result r = hang();
    r.diagnosis.finding = &f;
    json_t *o = json_of(&r, false);
    ck_assert(json_is_null(at(o, "repair")));
    json_decref(o);
    struct ncs_repair_round round = { .rule = "skipped-call", .edit = edit, .edits = 1, .gone = true,
                                      .verdict = NCS_WRONG, .left = "root-mismatch" };
    r.repair = (struct ncs_repair){ .tried = true, .round = &round, .rounds = 1 };
    o = json_of(&r, false);
    ck_assert(json_is_false(at(o, "repair/repaired")));
    ck_assert_str_eq(word(o, "repair/rounds/0/edits/0/text"), edit[0].text);
    ck_assert_str_eq(word(o, "repair/rounds/0/verdict"), "wrong");
    ck_assert_str_eq(word(o, "repair/rounds/0/left"), "root-mismatch");
    ck_assert(json_is_true(at(o, "repair/rounds/0/gone")));
    ck_assert_str_eq(word(o, "findings/0/evidence"), f.evidence);
    ck_assert_str_eq(word(o, "findings/0/explain"), "skipped-call");
    ck_assert_str_eq(word(o, "findings/0/meaning"), ncs_page("skipped-call")->title);
    ck_assert_str_eq(word(o, "findings/0/repair/0/edit"), "insert");
    ck_assert_int_eq(number(o, "findings/0/repair/0/rank"), 2);
    ck_assert_str_eq(word(o, "findings/0/repair/0/comm"), "grads");
    ck_assert_int_eq(number(o, "findings/0/repair/0/call"), 3);
    ck_assert(json_is_null(at(o, "findings/0/repair/0/other")));
    ck_assert_int_eq(number(o, "findings/0/repair/0/line"), 12);
    ck_assert_int_eq(number(o, "findings/0/repair/0/model_rank"), 0);
    ck_assert_int_eq(number(o, "findings/0/repair/0/model_call"), 3);
    ck_assert(json_is_null(at(o, "findings/0/repair/0/value")));
    ck_assert_str_eq(word(o, "findings/0/repair/1/edit"), "argument");
    ck_assert(json_is_null(at(o, "findings/0/repair/1/comm")));
    ck_assert(json_is_null(at(o, "findings/0/repair/1/model_rank")));
    ck_assert_str_eq(word(o, "findings/0/repair/1/argument"), "root");
    ck_assert_int_eq(number(o, "findings/0/repair/1/value"), 0);
    ck_assert_str_eq(word(o, "waits/0/via"), "collective");
    ck_assert(json_is_null(at(o, "waits/1/via")));
    json_decref(o);
}
END_TEST

START_TEST(test_json_unstarted)
{
    struct ncs_result r = { .verdict = NCS_INVALID };
    ncs_fail(&r.internal, NCS_BAD_INPUT, "unknown key `rank`");
    ncs_fail_at(&r.internal, "scenarios/a.lua", 3, 12);
    json_t *o = json_of(&r, false);
    ck_assert_int_eq(number(o, "exit"), 2);
    ck_assert_str_eq(word(o, "errors/0/kind"), "scenario");
    ck_assert_str_eq(word(o, "errors/0/message"), "unknown key `rank`");
    ck_assert_int_eq(number(o, "errors/0/line"), 3);
    ck_assert_int_eq(number(o, "errors/0/column"), 12);
    json_decref(o);
}
END_TEST

/* ---- tallies, texts from outside, topics ---- */

static void check_tally(const struct ncs_tally *tally, int status, const char *want)
{
    struct ncs_str out = { 0 };
    ncs_tally_text(tally, &out);
    ck_assert_str_eq(out.text, want);
    ck_assert_int_eq(ncs_tally_exit(tally), status);
    ncs_str_free(&out);
}

START_TEST(test_tally)
{
    struct ncs_tally tally = { 0 };
    ck_assert_int_eq(ncs_tally_exit(&tally), 5);
    ncs_tally_add(&tally, NCS_SKIPPED, false);
    check_tally(&tally, 77, "1 scenario: 0 as expected, 1 skipped\n");
    ncs_tally_add(&tally, NCS_HANG, true);
    check_tally(&tally, 0, "2 scenarios: 1 as expected, 1 skipped\n");
    ncs_tally_add(&tally, NCS_PASS, false);
    check_tally(&tally, 1, "3 scenarios: 1 as expected, 1 unexpected (1 passed), 1 skipped\n");
    ncs_tally_add(&tally, NCS_HANG, false);
    ncs_tally_add(&tally, NCS_WRONG, false);
    check_tally(&tally, 3,
                "5 scenarios: 1 as expected, 3 unexpected (1 passed, 1 wrong, 1 hang), 1 skipped\n");
    tally.not_run = 2;
    check_tally(&tally, 3,
                "7 scenarios: 1 as expected, 3 unexpected (1 passed, 1 wrong, 1 hang), 1 skipped, "
                "2 not run\n");
}
END_TEST

START_TEST(test_tally_of_cases)
{
    struct ncs_tally tally = { .scenarios = 2, .cases = 2 };
    ncs_tally_add(&tally, NCS_PASS, true);
    ncs_tally_add(&tally, NCS_PASS, true);
    check_tally(&tally, 0, "2 scenarios: 2 as expected\n");
    tally.scenarios = 1;
    check_tally(&tally, 0, "2 cases of 1 scenario: 2 as expected\n");
    tally.not_run = 2;
    check_tally(&tally, 0, "4 runs of 2 cases of 1 scenario: 2 as expected, 2 not run\n");
    tally.cases = 1;
    check_tally(&tally, 0, "4 runs of 1 scenario: 2 as expected, 2 not run\n");
    tally.scenarios = tally.cases = tally.not_run = 0;
    for (int i = 0; i < 7; i++)
        ncs_tally_add(&tally, NCS_SKIPPED, false);
    ncs_tally_skip(&tally, "no\nGPU");
    ncs_tally_skip(&tally, "no\nGPU");
    check_tally(&tally, 0, "9 scenarios: 2 as expected, 7 skipped (2: no GPU; 5: other reasons)\n");
    ncs_tally_skip(&tally, "b");
    ncs_tally_skip(&tally, "c");
    ncs_tally_skip(&tally, "d");
    ncs_tally_skip(&tally, "e");
    check_tally(&tally, 0, "9 scenarios: 2 as expected, 7 skipped (2: no GPU; 1: b; 1: c; 1: d; "
                           "2: other reasons)\n");
    ncs_tally_free(&tally);
}
END_TEST

static void check_repeated(const struct ncs_repeated *r, const char *want)
{
    struct ncs_report_style plain = { 0 };
    struct ncs_str out = { 0 };
    ncs_repeated_text(r, "a.lua", &plain, &out);
    ck_assert_str_eq(out.text, want);
    ncs_str_free(&out);
}

START_TEST(test_repeated)
{
    struct ncs_repeated r = { .first = 5 };
    struct ncs_report_entry fine = { .as_expected = true }, hang = { .verdict = NCS_HANG },
                            wrong = { .verdict = NCS_WRONG };
    ncs_repeated_add(&r, &fine);
    check_repeated(&r, "PASS  a.lua  1 run, seeds 5..5: 1 as expected\n");
    for (int i = 0; i < 3; i++)
        ncs_repeated_add(&r, &hang);
    ncs_repeated_add(&r, &wrong);
    ncs_repeated_add(&r, &wrong);
    ncs_repeated_add(&r, &hang);
    check_repeated(&r, "FAIL  a.lua  7 runs, seeds 5..11: 1 as expected, 6 unexpected (2 wrong, 4 hang)\n"
                       "  wrong  seeds 9, 10\n  hang  seeds 6..8, 11\n");
    for (int i = 0; i < 40; i++)
        ncs_repeated_add(&r, i % 2 ? &hang : &fine);
    check_repeated(&r, "FAIL  a.lua  47 runs, seeds 5..51: 21 as expected, 26 unexpected (2 wrong, 24 hang)\n"
                       "  wrong  seeds 9, 10\n"
                       "  hang  seeds 6..8, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31 and 10 more\n");
    ncs_repeated_free(&r);
}
END_TEST

START_TEST(test_alone)
{
    struct ncs_result r = result_of(NCS_TIMEOUT);
    struct ncs_report_style plain = { 0 };
    struct ncs_report_run run = { .scenario = &scenario, .result = &r, .name = "n=1",
                                  .command = "ncclscript run 'scenarios/a.lua[n=1]'" };
    struct ncs_str out = { 0 };
    ncs_report_text(&run, &plain, &out);
    ck_assert_str_eq(out.text, "TIMEOUT  scenarios/a.lua[n=1]  4 ranks, sim, seed 0: no verdict within "
                               "the time limit\n  alone ncclscript run 'scenarios/a.lua[n=1]'\n");
    ncs_str_free(&out);
    run.as_expected = true;
    ncs_report_text(&run, &plain, &out);
    ck_assert_ptr_null(strstr(out.text, "alone"));
    ncs_str_free(&out);
}
END_TEST

START_TEST(test_about)
{
    struct ncs_report_style verbose = { .verbose = true };
    struct ncs_result r = result_of(NCS_PASS);
    char *about = scenario.about;
    scenario.about = T("gradients\nof a layer");
    check_text(&r, true, "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n");
    char *got = text_of(&r, true, NULL, verbose);
    ck_assert_ptr_nonnull(strstr(got, "34 calls\n  about gradients of a layer\n"));
    ncs_free(got);
    json_t *o = json_of(&r, true);
    ck_assert_str_eq(word(o, "about"), "gradients\nof a layer");
    json_decref(o);
    scenario.about = T("a.lua"); /* as when none is given */
    got = text_of(&r, true, NULL, verbose);
    ck_assert_ptr_null(strstr(got, "about"));
    ncs_free(got);
    scenario.about = about;
}
END_TEST

START_TEST(test_safe_line)
{
    struct ncs_str out = { 0 };
    ncs_safe_line(&out, "a\tb\nc\033[0m\x7f \xc3\xa4 \xff \xc2\x9b");
    ck_assert_str_eq(out.text, "a b c\\x1b[0m\\x7f \xc3\xa4 \\xff \\xc2\\x9b");
    ck_assert_uint_eq(ncs_safe_width("\xc3\xa4x"), 2);
    ncs_str_clear(&out);
    /* Direction: marks, embeddings, isolates; their neighbours stay as they are. */
    ncs_safe_line(&out, "\u200e\u200f\u202a\u202e\u2066\u2069\u061c|\u200d\u2010\u2029\u202f\u2065\u206a");
    ck_assert_str_eq(out.text, "\\xe2\\x80\\x8e\\xe2\\x80\\x8f\\xe2\\x80\\xaa\\xe2\\x80\\xae"
                               "\\xe2\\x81\\xa6\\xe2\\x81\\xa9\\xd8\\x9c|"
                               "\u200d\u2010\u2029\u202f\u2065\u206a");
    ncs_str_free(&out);
}
END_TEST

/* Every rule has a page and every class is a rule; every function has one; no name leads astray. */
START_TEST(test_pages)
{
    size_t rules = 0, classes = 0;
    for (; ncs_rule_ids[rules]; rules++)
        ck_assert_msg(ncs_page(ncs_rule_ids[rules]) != NULL, "no page explains %s",
                      ncs_rule_ids[rules]);
    for (const struct ncs_page *p = ncs_pages; p->id; p++)
        classes += p->kind == NCS_PAGE_CLASS;
    ck_assert_msg(classes == rules, "%zu pages for %zu rules", classes, rules);
    for (int fn = 0; fn < NCS_FN_COUNT; fn++)
        ck_assert_msg(ncs_page_of_function(fn) != NULL, "no page has %s", ncs_fn_info[fn].name);
    for (const struct ncs_page *p = ncs_pages; p->id; p++) {
        char name[80];
        for (const char *list = p->functions; (list = ncs_list_next(list, name, sizeof name));)
            ck_assert_msg(ncs_fn_from_name(name) >= 0, "%s names %s, which is no function", p->id, name);
        if (p->kind == NCS_PAGE_RESULT || p->kind == NCS_PAGE_ERROR)
            ck_assert_msg(ncs_result_from_name(p->id) >= 0, "%s is no result", p->id);
    }
}
END_TEST

static int function_named(const char *name)
{
    struct ncs_named named;
    ck_assert_msg(ncs_page_find(name, &named), "%s leads nowhere", name);
    return named.fn;
}

START_TEST(test_page_names)
{
    static const char *const reduce[] = { "ncclAllReduce", "all_reduce", "world:all_reduce",
                                          "C.ncclAllReduce", "my.comm:all-reduce", "NCCLALLREDUCE" };
    for (size_t i = 0; i < sizeof reduce / sizeof *reduce; i++)
        ck_assert_int_eq(function_named(reduce[i]), NCS_FN_ncclAllReduce);
    ck_assert_int_eq(function_named("stream:sync"), NCS_FN_cudaStreamSynchronize);
    ck_assert_int_eq(function_named("event:sync"), NCS_FN_cudaEventSynchronize);
    ck_assert_int_eq(function_named("cuda.sync"), NCS_FN_cudaDeviceSynchronize);
    ck_assert_int_eq(function_named("world:abort"), NCS_FN_ncclCommAbort);
    struct ncs_named named;
    ck_assert(ncs_page_find("abort", &named) && named.group); /* the classes of findings */
    ck_assert(ncs_page_find("5", &named));
    ck_assert_str_eq(named.page->id, "ncclInvalidUsage");
    ck_assert(ncs_page_find("700", &named));
    ck_assert_str_eq(named.page->id, "cudaErrorIllegalAddress");
    ck_assert(ncs_page_find("First contact", &named));
    ck_assert_str_eq(named.page->id, "first-contact");
    ck_assert(ncs_page_find("strict", &named));
    ck_assert_str_eq(named.page->id, "policy");
    static const char *const none[] = { "", "-", "x", "-1", "4711", "nccl.", "cuda.all_reduce" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_msg(!ncs_page_find(none[i], &named), "`%s` leads to a page", none[i]);
}
END_TEST

NCS_TEST_MAIN("report", test_hang, test_hang_not_as_declared, test_verbose, test_color,
              test_many_ranks, test_many_culprits, test_like_findings,
              test_output_cut, test_pass, test_pass_not_declared, test_wrong, test_error,
              test_invalid, test_skipped_and_internal, test_json_hang, test_json_cycle,
              test_json_repair,
              test_json_unstarted, test_tally, test_tally_of_cases, test_repeated, test_alone,
              test_safe_line, test_pages, test_page_names,
              test_about)
