/* The names, exit codes and order of verdicts; and the judge, given what is left of a run. */
#include "harness.h"
#include "run/private.h"

START_TEST(test_verdict_names)
{
    static const struct {
        enum ncs_verdict verdict;
        const char *name;
        int exit;
    } table[] = {
        { NCS_PASS, "pass", 0 },        { NCS_WRONG, "wrong", 1 },       { NCS_INVALID, "invalid", 2 },
        { NCS_HANG, "hang", 3 },        { NCS_ERROR, "error", 4 },       { NCS_EMPTY, "empty", 5 },
        { NCS_LOST, "lost", 6 },        { NCS_MEMORY, "memory", 7 },     { NCS_INTERNAL_FAULT, "internal", 70 },
        { NCS_SKIPPED, "skipped", 77 }, { NCS_TIMEOUT, "timeout", 124 }, { NCS_INTERRUPTED, "interrupted", 130 },
    };
    ck_assert_uint_eq(sizeof table / sizeof *table, NCS_VERDICTS);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ck_assert_str_eq(ncs_verdict_name(table[i].verdict), table[i].name);
        ck_assert_int_eq(ncs_verdict_exit(table[i].verdict), table[i].exit);
    }
}
END_TEST

START_TEST(test_verdict_order)
{
    static const int exits[] = { 70, 130, 2, 6, 4, 3, 1, 7, 124, 5, 0, 77 };
    for (int a = 0; a < NCS_VERDICTS; a++)
        for (int b = 0; b < NCS_VERDICTS; b++) {
            enum ncs_verdict x = (enum ncs_verdict)a, y = (enum ncs_verdict)b;
            size_t i = 0;
            while (exits[i] != ncs_verdict_exit(x) && exits[i] != ncs_verdict_exit(y))
                i++;
            ck_assert_int_eq(ncs_verdict_exit(ncs_verdict_worse(x, y)), exits[i]);
        }
}
END_TEST

START_TEST(test_version_text)
{
    char text[16];
    ck_assert_str_eq(ncs_nccl_version_text(0, text, sizeof text), "2.32.3");
    ck_assert_str_eq(ncs_nccl_version_text(22809, text, sizeof text), "2.28.9");
    ck_assert_str_eq(ncs_nccl_version_text(2708, text, sizeof text), "2.7.8");
}
END_TEST

/* A run as it looks when the machine has stopped, for the judge alone. */
struct verdict_case {
    struct ncs_run run;
    struct ncs_run_error error;
    struct ncs_wait_line wait;
    struct ncs_finding finding;
    int peer;
};

static struct verdict_case *quiet(struct verdict_case *v)
{
    *v = (struct verdict_case){ .peer = 1 };
    v->error = (struct ncs_run_error){ .kind = NCS_KIND_EXPECT, .rank = 1, .order = 3 };
    v->wait = (struct ncs_wait_line){ .rank = 0, .peer = &v->peer, .peers = 1 };
    v->finding = (struct ncs_finding){ .rule = "skipped-call", .certainty = NCS_POLICY_DEPENDENT };
    v->run.started = 2;
    v->run.result.error = &v->error;
    v->run.result.stop = NCS_STOP_QUIET;
    v->run.result.diagnosis =
        (struct ncs_diagnosis){ .finding = &v->finding, .findings = 1, .wait = &v->wait, .waits = 1, .explained = true };
    return v;
}

static enum ncs_verdict judged(struct verdict_case *v)
{
    ncs_run_judge(&v->run);
    return v->run.result.verdict;
}

START_TEST(test_judge_hang)
{
    struct verdict_case v;
    struct ncs_result *r = &quiet(&v)->run.result;
    ck_assert_int_eq(judged(&v), NCS_HANG);
    ck_assert_int_eq(r->certainty, NCS_POLICY_DEPENDENT);
    r->stop = NCS_STOP_LIVELOCK;
    ck_assert_int_eq(judged(&v), NCS_HANG);
    r->wrong_count = 1;
    ck_assert_int_eq(judged(&v), NCS_HANG);
}
END_TEST

START_TEST(test_judge_waits_for_failed)
{
    struct verdict_case v;
    struct ncs_result *r = &quiet(&v)->run.result;
    r->errors = 1;
    ck_assert_int_eq(judged(&v), NCS_WRONG); /* rank 0 waits because rank 1 failed */
    ck_assert_int_eq(r->certainty, NCS_CERTAIN);
    v.peer = 2;
    ck_assert_int_eq(judged(&v), NCS_HANG); /* rank 0 waits for somebody else */
    struct ncs_culprit culprit = { .rank = 1 };
    v.finding.culprit = &culprit;
    v.finding.culprits = 1;
    ck_assert_int_eq(judged(&v), NCS_WRONG);
    v.error.kind = NCS_KIND_NCCL;
    ck_assert_int_eq(judged(&v), NCS_ERROR);
    v.error.kind = NCS_KIND_LUA; /* the hang is what follows from it */
    ck_assert_int_eq(judged(&v), NCS_ERROR);
    v.error.kind = NCS_KIND_USAGE;
    ck_assert_int_eq(judged(&v), NCS_ERROR);
    v.error.kind = NCS_KIND_SCENARIO;
    ck_assert_int_eq(judged(&v), NCS_INVALID);
}
END_TEST

START_TEST(test_judge_unexplained)
{
    struct verdict_case v;
    struct ncs_result *r = &quiet(&v)->run.result;
    r->diagnosis.explained = false;
    ck_assert_int_eq(judged(&v), NCS_INTERNAL_FAULT);
    ck_assert_int_eq(r->internal.status, NCS_INTERNAL);
    ck_assert_str_ne(r->internal.text, "");
}
END_TEST

START_TEST(test_judge_stops)
{
    struct verdict_case v;
    struct ncs_result *r = &quiet(&v)->run.result;
    r->stop = NCS_STOP_INTERRUPTED;
    ck_assert_int_eq(judged(&v), NCS_INTERRUPTED);
    atomic_store(&v.run.watch.expired, true);
    ck_assert_int_eq(judged(&v), NCS_TIMEOUT);
    r->errors = 1;
    ck_assert_int_eq(judged(&v), NCS_WRONG); /* 1 comes before 124 */
    r->errors = 0;
    r->stop = NCS_STOP_BUDGET;
    ck_assert_int_eq(judged(&v), NCS_TIMEOUT);
    r->stop = NCS_STOP_DONE;
    ck_assert_int_eq(judged(&v), NCS_PASS);
    ck_assert_int_eq(r->certainty, NCS_POLICY_DEPENDENT);
    v.finding.certainty = NCS_UNDEFINED; /* ranks disagreed and went on */
    ck_assert_int_eq(judged(&v), NCS_WRONG);
    v.finding.level = NCS_LEVEL_NOTE;
    ck_assert_int_eq(judged(&v), NCS_PASS);
    r->wrong_count = 1;
    ck_assert_int_eq(judged(&v), NCS_WRONG);
}
END_TEST

/* A run is as certain as its first finding, whether a value is wrong or ranks merely disagreed. */
START_TEST(test_judge_certainty)
{
    struct verdict_case v;
    struct ncs_result *r = &quiet(&v)->run.result;
    r->stop = NCS_STOP_DONE;
    for (uint64_t wrong = 0; wrong < 2; wrong++) {
        r->wrong_count = wrong;
        v.finding.certainty = NCS_UNDEFINED;
        ck_assert_int_eq(judged(&v), NCS_WRONG);
        ck_assert_int_eq(r->certainty, NCS_UNDEFINED);
        v.finding.certainty = NCS_CERTAIN;
        ck_assert_int_eq(judged(&v), NCS_WRONG);
        ck_assert_int_eq(r->certainty, NCS_CERTAIN);
        v.finding.certainty = NCS_POLICY_DEPENDENT;
        ck_assert_int_eq(judged(&v), wrong ? NCS_WRONG : NCS_PASS);
        ck_assert_int_eq(r->certainty, wrong ? NCS_CERTAIN : NCS_POLICY_DEPENDENT);
    }
    v.finding.certainty = NCS_UNDEFINED;
    v.finding.level = NCS_LEVEL_NOTE; /* a note is no cause */
    ck_assert_int_eq(judged(&v), NCS_WRONG);
    ck_assert_int_eq(r->certainty, NCS_CERTAIN);
    r->stop = NCS_STOP_STALLED;
    judged(&v);
    ck_assert_int_eq(r->certainty, NCS_LIKELY);
}
END_TEST

NCS_TEST_MAIN("verdict", test_verdict_names, test_verdict_order, test_version_text, test_judge_hang, test_judge_waits_for_failed,
              test_judge_unexplained, test_judge_stops, test_judge_certainty)
