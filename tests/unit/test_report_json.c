/* Reports of results made by hand, as JSON. */
#include "report_lab.h"

#include "report/page.h"

START_TEST(test_json_hang)
{
    struct ncs_result r = hang();
    ncs_str_add(&r.output, "[0] one\n[1] t\xffwo\n");
    r.schedule.text = T("c1.4.e2");
    json_t *o = json_of(&r, false);
    static const char *const order[] = {
        "schema",      "scenario", "case",     "ranks", "driver", "nccl",   "policy",  "seed",      "verdict", "certainty",
        "as_expected", "exit",     "findings", "waits", "wrong",  "errors", "checked", "unchecked", "calls",   "trace",
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
    struct ncs_finding f = {
        .rule = "order-cycle", .certainty = NCS_POLICY_DEPENDENT, .cycle = cycle, .cycles = 2, .level = NCS_LEVEL_NOTE
    };
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
        { .kind = NCS_EDIT_INSERT,
          .rank = 2,
          .call = 3,
          .line = 12,
          .model = 0,
          .model_call = 3,
          .on = T("grads"),
          .text = T("rank 2: insert Broadcast") },
        { .kind = NCS_EDIT_ARGUMENT, .rank = 1, .comm = 7, .call = 4, .model = -1, .argument = "root", .value = 0 },
    };
    struct ncs_finding f = skipped[0];
    f.evidence = SENTENCE("its calls of lines 9 and 12 are the others' but for one");
    f.repair = edit;
    f.repairs = 2;
    struct ncs_result r = hang();
    r.diagnosis.finding = &f;
    json_t *o = json_of(&r, false);
    ck_assert(json_is_null(at(o, "repair")));
    json_decref(o);
    struct ncs_trial round = { .rule = "skipped-call",
                               .edit = edit,
                               .edits = 1,
                               .diagnosed = true,
                               .gone = true,
                               .verdict = NCS_WRONG,
                               .left = "root-mismatch" };
    r.repair = (struct ncs_repair){ .tried = true, .round = &round, .rounds = 1 };
    o = json_of(&r, false);
    ck_assert(json_is_false(at(o, "repair/repaired")));
    ck_assert_str_eq(word(o, "repair/rounds/0/edits/0/text"), edit[0].text);
    ck_assert_str_eq(word(o, "repair/rounds/0/verdict"), "wrong");
    ck_assert_str_eq(word(o, "repair/rounds/0/left"), "root-mismatch");
    ck_assert(json_is_true(at(o, "repair/rounds/0/gone")));
    ck_assert_str_eq(word(o, "findings/0/evidence"), ncs_sentence_text(f.evidence));
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

START_TEST(test_json_unverified)
{
    struct ncs_call call = { .rank = 3, .comm = -1, .number = 7, .place.line = 12 };
    struct ncs_left_out left_out[NCS_UNVERIFIED_REASONS] = {
        [NCS_UNVERIFIED_DISAGREEMENT] = { 5, { &call }, 1 },
        [NCS_UNVERIFIED_COPY] = { .count = 1 },
    };
    struct ncs_result r = result_of(NCS_PASS);
    r.left_out = left_out;
    json_t *o = json_of(&r, true);
    ck_assert_uint_eq(json_array_size(at(o, "unverified")), 2);
    ck_assert_str_eq(word(o, "unverified/0/reason"), "ranks-disagree");
    ck_assert_str_eq(word(o, "unverified/0/meaning"), "the ranks passed different arguments");
    ck_assert_int_eq(number(o, "unverified/0/count"), 5);
    ck_assert_uint_eq(json_array_size(at(o, "unverified/0/calls")), 1);
    ck_assert_int_eq(number(o, "unverified/0/calls/0/rank"), 3);
    ck_assert_int_eq(number(o, "unverified/0/calls/0/call"), 7);
    ck_assert_int_eq(number(o, "unverified/0/calls/0/line"), 12);
    ck_assert_str_eq(word(o, "unverified/1/reason"), "copy-refused");
    json_decref(o);
}
END_TEST

/* A report on processes, as text or as JSON. */
static char *report_of_processes(const struct ncs_result *r, const struct ncs_report_process *process, size_t processes,
                                 void (*report)(const struct ncs_report_run *run, struct ncs_str *out))
{
    struct ncs_report_run run = { .scenario = &scenario, .result = r, .process = process, .processes = processes };
    struct ncs_str out = { 0 };
    report(&run, &out);
    return ncs_str_take(&out);
}

static void report_as_text(const struct ncs_report_run *run, struct ncs_str *out)
{
    ncs_report_text(run, &(struct ncs_report_style){ 0 }, out);
}

START_TEST(test_json_processes)
{
    const struct ncs_report_process process[] = { { 0, 4711 }, { 1, 4713 }, { -1, 4712 } };
    struct ncs_result r = hang();
    char *text = report_of_processes(&r, process, 3, ncs_report_json);
    json_t *o = json_loads(text, 0, NULL);
    ck_assert_uint_eq(json_array_size(at(o, "processes")), 3);
    ck_assert_int_eq(number(o, "processes/1/rank"), 1);
    ck_assert_int_eq(number(o, "processes/1/pid"), 4713);
    ck_assert(json_is_null(at(o, "processes/2/rank")));
    json_decref(o);
    ncs_free(text);
    text = report_of_processes(&r, process, 3, report_as_text);
    ck_assert_ptr_nonnull(strstr(text, "\n  processes  rank 0: 4711, rank 1: 4713, no rank: 4712\n"));
    ncs_free(text);
    r.verdict = NCS_WRONG;
    text = report_of_processes(&r, process, 3, report_as_text);
    ck_assert_ptr_null(strstr(text, "processes"));
    ncs_free(text);
}
END_TEST

/* The process of rank 12, a culprit, is shown. */
START_TEST(test_json_many_processes)
{
    struct ncs_report_process process[20];
    struct ncs_culprit culprit = { .rank = 12 };
    struct ncs_finding f = { .rule = "skipped-call", .culprit = &culprit, .culprits = 1 };
    struct ncs_result r = result_of(NCS_HANG);
    r.ranks = 20;
    r.diagnosis.finding = &f;
    r.diagnosis.findings = 1;
    for (int i = 0; i < 20; i++)
        process[i] = (struct ncs_report_process){ i, 100 + i };
    char *text = report_of_processes(&r, process, 20, report_as_text);
    ck_assert_ptr_nonnull(strstr(text, "rank 5: 105, rank 6: 106, rank 12: 112 and 12 more\n"));
    ncs_free(text);
}
END_TEST

/* The processes 0 and 1 drive two ranks each. */
START_TEST(test_json_processes_of_several_ranks)
{
    const struct ncs_report_process process[] = { { 0, 4711 }, { 2, 4712 } };
    struct ncs_party party[] = { { .rank = 0 }, { .rank = 0 }, { .rank = 2 }, { .rank = 2 } };
    struct ncs_result r = result_of(NCS_HANG);
    r.diagnosis.party = party;
    r.diagnosis.parties = 4;
    char *text = report_of_processes(&r, process, 2, report_as_text);
    ck_assert_ptr_nonnull(strstr(text, "\n  processes  rank 0: 4711, rank 1: 4711, rank 2: 4712, rank 3: 4712\n"));
    ncs_free(text);
}
END_TEST

NCS_TEST_MAIN("report_json", test_json_hang, test_json_cycle, test_json_repair, test_json_unstarted, test_json_unverified,
              test_json_processes, test_json_many_processes, test_json_processes_of_several_ranks)
