/* Reports of results made by hand, as text. */
#include "report_lab.h"

static const char hang_text[] = "HANG  scenarios/a.lua  4 ranks, sim, seed 0\n"
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
    const char *tail = "  waits\n"
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
    struct ncs_sentence *waits = SENTENCE("waits");
    for (int i = 0; i < 200; i++)
        row[i] = (struct ncs_finding_row){ .rank = i, .said = waits, .line = 14 };
    row[150] = (struct ncs_finding_row){ .rank = 150, .said = SENTENCE("finished"), .line = 17 };
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

    char text[200][16];
    struct ncs_sentence said[200]; /* all different: cut, but never the culprit */
    for (int i = 0; i < 200; i++) {
        snprintf(text[i], sizeof text[i], "waits for %c%c", 'a' + i / 26, 'a' + i % 26);
        said[i] = (struct ncs_sentence){ .phrase = NCS_PHRASE_plain, .text = text[i] };
        row[i] = (struct ncs_finding_row){ .rank = i, .said = &said[i], .line = 14 };
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
    struct ncs_sentence said[100];
    for (int i = 0; i < 100; i++) {
        snprintf(text[i], sizeof text[i], "waits for %c%c", 'a' + i / 26, 'a' + i % 26);
        said[i] = (struct ncs_sentence){ .phrase = NCS_PHRASE_plain, .text = text[i] };
        row[i] = (struct ncs_finding_row){ .rank = i, .said = &said[i], .line = 14 };
        culprit[i] = (struct ncs_culprit){ .rank = i };
    }
    struct ncs_finding f = { .rule = "p2p-cycle", .row = row, .rows = 100, .culprit = culprit, .culprits = 100 };
    struct ncs_result r = result_of(NCS_HANG);
    r.ranks = 100;
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

/* The same mistake of several ranks at one place is reported once; another place is another finding. */
START_TEST(test_like_findings)
{
    struct ncs_finding f[5];
    struct ncs_culprit culprit[5];
    for (int i = 0; i < 5; i++) {
        culprit[i] = (struct ncs_culprit){ .rank = i, .line = i == 3 ? 8 : 7 };
        f[i] = (struct ncs_finding){
            .rule = "illegal-access", .culprit = &culprit[i], .culprits = 1, .why = SENTENCE("w"), .fix = SENTENCE("f")
        };
    }
    struct ncs_result r = result_of(NCS_ERROR);
    r.ranks = 5;
    r.diagnosis.finding = f;
    r.diagnosis.findings = 5;
    check_text(&r, false,
               "ERROR  scenarios/a.lua  5 ranks, sim, seed 0\n"
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
    check_text(&r, true, "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n");
    r.ranks = 1;
    r.checked = r.calls = r.unchecked = 1;
    r.policy = NCS_POLICY_TYPICAL;
    r.seed = 7;
    check_text(&r, true,
               "PASS  scenarios/a.lua  1 rank, sim, typical, seed 7: 1 result verified, "
               "1 not verified, 1 call\n");
}
END_TEST

START_TEST(test_not_verified)
{
    struct ncs_left_out left_out[NCS_UNVERIFIED_REASONS] = { [NCS_UNVERIFIED_ROOM].count = 3 };
    struct ncs_result r = result_of(NCS_PASS);
    r.left_out = left_out;
    r.unchecked = 3;
    check_text(&r, true,
               "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 3 not verified, 34 calls\n"
               "  note  3 results not verified: no room for copies of the buffers\n"
               "  more  ncclscript explain unverified\n");
    left_out[NCS_UNVERIFIED_ASKED].count = 1;
    r.unchecked = 4;
    check_text(&r, true,
               "PASS  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 4 not verified, 34 calls\n"
               "  note  4 results not verified: verify = false at the call (1), no room for copies of the "
               "buffers (3)\n"
               "  more  ncclscript explain unverified\n");
}
END_TEST

START_TEST(test_pass_not_declared)
{
    struct ncs_result r = result_of(NCS_PASS);
    char *got = text_of(&r, false, "declared hang, came pass", (struct ncs_report_style){ 0 });
    ck_assert_str_eq(got, "FAIL  scenarios/a.lua  4 ranks, sim, seed 0: 12 results verified, 34 calls\n"
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
        { .call = &call,
          .number = 1,
          .rank = 0,
          .first = 5,
          .differ = 12,
          .total = 1024,
          .got = "3",
          .want = "4",
          .pattern = NCS_PATTERN_MISSING,
          .which = 1,
          .text = "rank 1's contribution is missing" },
        { .call = &call,
          .number = 1,
          .rank = 2,
          .first = 5,
          .differ = 1,
          .total = 1024,
          .got = "inf",
          .want = "0.5",
          .pattern = NCS_PATTERN_MISSING,
          .which = 1,
          .text = "rank 1's contribution is missing" },
    };
    struct ncs_run_expect expect = {
        .rank = 3, .message = T("got 2, want 3"), .label = T("sum"), .first = 7, .place = { "a.lua", 11 }
    };
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
        .kind = NCS_KIND_NCCL,
        .rank = 2,
        .code = 4,
        .name = T("ncclInvalidArgument"),
        .call = T("ncclBroadcast"),
        .comm = T("world"),
        .label = T("weights"),
        .message = T("root 9 is no rank of 0 to 3"),
        .detail = T("first\nsecond \033[31m"),
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
    struct ncs_run_error error = {
        .kind = NCS_KIND_LUA, .rank = 0, .name = T("lua"), .message = T("attempt to index a nil value"), .place = { "a.lua", 4 }
    };
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
    check_text(&r, false, "SKIPPED  scenarios/a.lua  4 ranks, sim, seed 0: needs 2 GPUs, here is none\n");
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

NCS_TEST_MAIN("report", test_hang, test_hang_not_as_declared, test_verbose, test_color, test_many_ranks, test_many_culprits,
              test_like_findings, test_output_cut, test_pass, test_not_verified, test_pass_not_declared, test_wrong, test_error,
              test_invalid, test_skipped_and_internal)
