/* The declarations of a scenario: defaults, --set, ranges, needs; and whether a result is the outcome. */
#include <string.h>

#include "base/mem.h"
#include "harness.h"
#include "scenario/scenario.h"

static void declare(struct ncs_scenario *s, const char *name, struct ncs_param value)
{
    value.name = ncs_copy_text(name);
    value.text = ncs_copy_text(value.text);
    s->param = ncs_resize(s->param, (s->params + 1) * sizeof *s->param);
    s->param[s->params++] = value;
}

static char *text(const char *words)
{
    return ncs_copy_text(words);
}

START_TEST(test_defaults)
{
    struct ncs_scenario s;
    ncs_scenario_init(&s, "scenarios/bugs/skipped-call.lua");
    ck_assert_str_eq(s.file, "scenarios/bugs/skipped-call.lua");
    ck_assert_ptr_null(s.about);
    ck_assert_int_eq(s.ranks, 2);
    ck_assert_int_eq(s.hosts.devices, 8);
    ck_assert(s.world && s.verify);
    ck_assert_int_eq(s.outcome.verdict, NCS_PASS);
    ck_assert_str_eq(s.outcome.comm, "world");
    ck_assert_int_eq(s.outcome.rank, -1);
    ck_assert(s.sim_eager == UINT64_MAX);
    struct ncs_error err = { 0 };
    ck_assert(ncs_scenario_check(&s, NULL, &err));
    ncs_scenario_free(&s);
    ncs_scenario_init(&s, "-");
    ncs_scenario_free(&s);
}
END_TEST

static struct ncs_scenario with_params(void)
{
    struct ncs_scenario s;
    ncs_scenario_init(&s, "a.lua");
    declare(&s, "steps", (struct ncs_param){ .kind = NCS_PARAM_INT, .i = 3 });
    declare(&s, "scale", (struct ncs_param){ .kind = NCS_PARAM_NUMBER, .d = 0.5 });
    declare(&s, "op", (struct ncs_param){ .kind = NCS_PARAM_TEXT, .text = (char *)"sum" });
    declare(&s, "bug", (struct ncs_param){ .kind = NCS_PARAM_BOOL, .i = 1 });
    return s;
}

START_TEST(test_set_converts)
{
    struct ncs_scenario s = with_params();
    struct ncs_error err = { 0 };
    ck_assert(ncs_scenario_set(&s, "steps=-12", &err));
    ck_assert_int_eq(ncs_scenario_param(&s, "steps")->i, -12);
    ck_assert(ncs_scenario_set(&s, "steps=0x10", &err));
    ck_assert_int_eq(ncs_scenario_param(&s, "steps")->i, 16);
    ck_assert(ncs_scenario_set(&s, "steps=4.0", &err));
    ck_assert_int_eq(ncs_scenario_param(&s, "steps")->i, 4);
    ck_assert(ncs_scenario_set(&s, "scale=2e-1", &err));
    ck_assert_double_eq(ncs_scenario_param(&s, "scale")->d, 0.2);
    ck_assert(ncs_scenario_set(&s, "op=a=b", &err));
    ck_assert_str_eq(ncs_scenario_param(&s, "op")->text, "a=b");
    ck_assert(ncs_scenario_set(&s, "op=", &err));
    ck_assert_str_eq(ncs_scenario_param(&s, "op")->text, "");
    ck_assert(ncs_scenario_set(&s, "bug=false", &err));
    ck_assert_int_eq(ncs_scenario_param(&s, "bug")->i, 0);
    ck_assert_int_eq(err.status, NCS_OK);
    ck_assert_ptr_null(ncs_scenario_param(&s, "none"));
    ncs_scenario_free(&s);
}
END_TEST

START_TEST(test_set_refuses)
{
    static const struct {
        const char *assignment, *message, *hint;
    } cases[] = {
        { "steps", "`steps`: expected name=value", "" },
        { "=3", "`=3`: expected name=value", "" },
        { "stesp=3", "no parameter `stesp`", "did you mean `steps`?" },
        { "quite-different=3", "no parameter `quite-different`", "the scenario has `steps`, `scale`, `op`, `bug`" },
        { "steps=3x", "parameter `steps`: `3x`: expected an integer", "" },
        { "steps=2.5", "parameter `steps`: `2.5`: expected an integer", "" },
        { "steps=", "parameter `steps`: ``: expected an integer", "" },
        { "scale=wide", "parameter `scale`: `wide`: expected a number", "" },
        { "scale= 1", "parameter `scale`: ` 1`: expected a number", "" },
        { "scale=nan", "parameter `scale`: `nan`: expected a number", "" },
        { "bug=1", "parameter `bug`: `1`: expected true or false", "" },
    };
    struct ncs_scenario s = with_params();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ncs_error err = { 0 };
        ck_assert(!ncs_scenario_set(&s, cases[i].assignment, &err));
        ck_assert_int_eq(err.status, NCS_BAD_INPUT);
        ck_assert_str_eq(err.text, cases[i].message);
        ck_assert_str_eq(err.hint, cases[i].hint);
    }
    ck_assert_int_eq(ncs_scenario_param(&s, "steps")->i, 3);
    ck_assert_double_eq(ncs_scenario_param(&s, "scale")->d, 0.5);
    ck_assert_int_eq(ncs_scenario_param(&s, "bug")->i, 1);
    ncs_scenario_free(&s);

    ncs_scenario_init(&s, "a.lua");
    struct ncs_error err = { 0 };
    ck_assert(!ncs_scenario_set(&s, "x=1", &err));
    ck_assert_str_eq(err.hint, "the scenario declares no params");
    ncs_scenario_free(&s);
}
END_TEST

/* The message of a check, with its hint; "" when all is fine. */
static const char *checked(struct ncs_scenario *s)
{
    static struct ncs_error err;
    err = (struct ncs_error){ 0 };
    if (ncs_scenario_check(s, NULL, &err))
        return "";
    ck_assert_int_eq(err.status, NCS_BAD_INPUT);
    if (err.hint[0])
        strcat(strcat(err.text, "; "), err.hint);
    return err.text;
}

START_TEST(test_check_ranges)
{
    struct ncs_scenario s;
    ncs_scenario_init(&s, "a.lua");
    s.ranks = 0;
    ck_assert_str_eq(checked(&s), "ranks = 0: expected 1 to 65536");
    s.ranks = -4;
    ck_assert_str_eq(checked(&s), "ranks = -4: expected 1 to 65536");
    s.ranks = 65537;
    ck_assert_str_eq(checked(&s), "ranks = 65537: expected 1 to 65536");
    s.ranks = 65536;
    ck_assert_str_eq(checked(&s), "");
    s.ranks = 1;
    ck_assert_str_eq(checked(&s), "");
    s.hosts.devices = 0;
    ck_assert_str_eq(checked(&s), "devices = 0: expected 1 to 1024");
    s.hosts.devices = 8;
    s.sim_lanes = -1;
    ck_assert_str_eq(checked(&s), "sim: lanes = -1: expected 0 to 1000000");
    s.sim_lanes = 0;
    s.sim_ready_after = -1;
    ck_assert_str_eq(checked(&s), "sim: ready_after = -1: expected 0 to 1000000");
    s.sim_ready_after = 0;
    s.needs_driver = text("ncll");
    ck_assert_str_eq(checked(&s), "needs: driver = `ncll`: expected sim or nccl; did you mean `nccl`?");
    ncs_scenario_free(&s);
}
END_TEST

START_TEST(test_check_names_the_key)
{
    struct ncs_scenario s;
    struct ncs_error err;
    const char *key;
    ncs_scenario_init(&s, "a.lua");
    s.sim_ready_after = -1;
    ck_assert(!ncs_scenario_check(&s, &key, &err));
    ck_assert_str_eq(key, "ready_after");
    s.ranks = 0;
    ck_assert(!ncs_scenario_check(&s, &key, &err));
    ck_assert_str_eq(key, "ranks");
    s.ranks = 2;
    s.sim_ready_after = 0;
    s.outcome.why = text("late");
    ck_assert(!ncs_scenario_check(&s, &key, &err));
    ck_assert_str_eq(key, "why");
    ncs_scenario_free(&s);
}
END_TEST

START_TEST(test_check_outcome)
{
    struct ncs_scenario s;
    ncs_scenario_init(&s, "a.lua");
    s.ranks = 4;
    int culprits[] = { 1, 4 };
    s.outcome.culprit = culprits;
    s.outcome.culprits = 1;
    ck_assert_str_eq(checked(&s), "");
    s.outcome.culprits = 2;
    ck_assert_str_eq(checked(&s), "outcome: culprit = 4: the run has ranks 0 to 3; ranks count from 0");
    s.outcome.culprit = NULL;
    s.outcome.culprits = 0;
    s.outcome.rank = 9;
    ck_assert_str_eq(checked(&s), "outcome: rank = 9: the run has ranks 0 to 3");
    s.outcome.rank = -1;
    s.outcome.call = -2;
    ck_assert_str_eq(checked(&s), "outcome: call = -2: expected 0 to 4294967295");
    s.outcome.call = 0;
    s.outcome.why = text(ncs_rule_ids[0]);
    ck_assert_str_eq(checked(&s), "");
    s.outcome.finding.rule = text("no rule is called so");
    ck_assert_str_eq(checked(&s), "outcome: finding = `no rule is called so`: no such rule");
    ncs_free(s.outcome.finding.rule);
    s.outcome.finding.rule = text("skiped-call");
    ck_assert_str_eq(checked(&s), "outcome: finding = `skiped-call`: no such rule; did you mean "
                                  "`skipped-call`?");
    ncs_free(s.outcome.finding.rule);
    s.outcome.finding.rule = NULL;

    s.outcome.error_name = text("ncclInvalidArgument");
    ck_assert_str_eq(checked(&s), "");
    ncs_free(s.outcome.error_name);
    s.outcome.error_name = text("usage");
    ck_assert_str_eq(checked(&s), "");
    ncs_free(s.outcome.error_name);
    s.outcome.error_name = text("ncclInvalidArgumnet");
    ck_assert_str_eq(checked(&s), "outcome: error = `ncclInvalidArgumnet`: expected the name of an NCCL or CUDA "
                                  "result, or nccl, cuda, usage, expect, lua; did you mean "
                                  "`ncclInvalidArgument`?");
    ncs_scenario_free(&s);
}
END_TEST

START_TEST(test_can_run)
{
    struct ncs_scenario s;
    struct ncs_str reason = { 0 };
    struct ncs_run_options o = { .driver = "sim", .ranks = 4, .hosts.devices = 2 };
    ncs_scenario_init(&s, "a.lua");
    ck_assert(ncs_scenario_can_run(&s, &o, &reason));
    ck_assert_uint_eq(reason.bytes, 0);

    s.needs_driver = text("nccl");
    ck_assert(!ncs_scenario_can_run(&s, &o, &reason));
    ck_assert_str_eq(reason.text, "needs driver `nccl`, this run is on `sim`");
    ncs_free(s.needs_driver);
    s.needs_driver = NULL;

    ncs_str_clear(&reason);
    s.needs_nccl = 23300;
    ck_assert(!ncs_scenario_can_run(&s, &o, &reason));
    ck_assert_str_eq(reason.text, "needs NCCL 2.33.0 or newer, this is 2.32.3");
    s.needs_nccl = 22900;
    ck_assert(ncs_scenario_can_run(&s, &o, &reason));
    o.nccl_version = 22809;
    ncs_str_clear(&reason);
    ck_assert(!ncs_scenario_can_run(&s, &o, &reason));
    ck_assert_str_eq(reason.text, "needs NCCL 2.29.0 or newer, this is 2.28.9");
    s.needs_nccl = 0;

    s.needs_gpus = 4;
    ck_assert(ncs_scenario_can_run(&s, &o, &reason));
    s.needs_gpus = 5;
    ncs_str_clear(&reason);
    ck_assert(!ncs_scenario_can_run(&s, &o, &reason));
    ck_assert_str_eq(reason.text, "needs 5 GPUs, the simulated machine has 4");
    ncs_str_free(&reason);
    ncs_scenario_free(&s);
}
END_TEST

/* A hang: rank 2 skipped call 3 on world, all others wait; besides, a remark stands before it. */
struct hang {
    struct ncs_culprit culprit;
    int blocked[3];
    struct ncs_finding finding[2];
    struct ncs_result result;
};

static struct ncs_result *hang(struct hang *h)
{
    *h = (struct hang){ .culprit = { .rank = 2, .call = 3 }, .blocked = { 3, 0, 1 } };
    h->finding[0] = (struct ncs_finding){ .rule = "works-by-luck", .level = NCS_LEVEL_NOTE };
    h->finding[1] = (struct ncs_finding){
        .rule = "skipped-call",
        .comm = (char *)"world",
        .call = 3,
        .culprit = &h->culprit,
        .culprits = 1,
        .blocked = h->blocked,
        .blockeds = 3,
    };
    h->result = (struct ncs_result){ .verdict = NCS_HANG, .ranks = 4 };
    h->result.diagnosis.finding = h->finding;
    h->result.diagnosis.findings = 2;
    return &h->result;
}

static const char *difference(const struct ncs_outcome *o, const struct ncs_result *r)
{
    static char kept[512];
    struct ncs_str words = { 0 };
    bool holds = ncs_outcome_holds(o, r, &words);
    ck_assert(holds == (words.bytes == 0));
    snprintf(kept, sizeof kept, "%s", holds ? "" : words.text);
    ck_assert_ptr_null(strchr(kept, '\n'));
    ncs_str_free(&words);
    return kept;
}

START_TEST(test_hang_fields)
{
    struct hang h;
    struct ncs_result *r = hang(&h);
    int culprit = 2, waiting[] = { 0, 1, 3, 3 };
    struct ncs_outcome o = { .verdict = NCS_HANG, .rank = -1 };
    ck_assert_str_eq(difference(&o, r), "");
    o.culprit = &culprit;
    o.culprits = 1;
    o.waiting = waiting;
    o.waitings = 4;
    o.call = 3;
    o.why = (char *)"skipped-call";
    ck_assert_str_eq(difference(&o, r), "");

    culprit = 1;
    ck_assert_str_eq(difference(&o, r), "declared a hang with culprit 1; waiting 0, 1, 3; call 3 on world; "
                                        "why skipped-call, got: hang with culprit 2; waiting 0, 1, 3; "
                                        "call 3 on world; why skipped-call");
    culprit = 2;
    o.waitings = 2;
    ck_assert_str_ne(difference(&o, r), "");
    o.waitings = 4;
    o.call = 2;
    ck_assert_str_ne(difference(&o, r), "");
    o.call = 3;
    o.why = (char *)"works-by-luck";
    ck_assert_str_ne(difference(&o, r), "");
}
END_TEST

START_TEST(test_hang_words)
{
    struct hang h;
    struct ncs_result *r = hang(&h);
    int culprit = 1;
    struct ncs_outcome o = { .verdict = NCS_HANG, .rank = -1, .culprit = &culprit, .culprits = 1 };
    ck_assert_str_eq(difference(&o, r), "declared a hang with culprit 1, got: hang with culprit 2");
    o.culprits = 0;
    o.comm = (char *)"rows";
    o.comm_given = true;
    ck_assert_str_eq(difference(&o, r), "declared a hang with comm rows, got: hang with comm world");
    o.verdict = NCS_PASS;
    ck_assert_str_eq(difference(&o, r), "declared a pass, got: hang with culprit 2; why skipped-call");
    o.verdict = NCS_HANG;
    r->verdict = NCS_PASS;
    ck_assert_str_eq(difference(&o, r), "declared a hang with comm rows, got: pass");
    r->verdict = NCS_HANG;
    r->diagnosis.findings = 0;
    ck_assert_str_eq(difference(&o, r), "declared a hang with comm rows, got: hang without a finding");
    o.comm_given = false;
    ck_assert_str_eq(difference(&o, r), "");
}
END_TEST

START_TEST(test_cycle)
{
    struct hang h;
    struct ncs_result *r = hang(&h);
    struct ncs_cycle_step cycle[] = { { .rank = 2, .waits_for = 0 }, { .rank = 0, .waits_for = 2 } };
    h.finding[1].cycle = cycle;
    h.finding[1].cycles = 2;
    int both[] = { 0, 2 }, one[] = { 2 }, wrong[] = { 0 };
    struct ncs_outcome o = { .verdict = NCS_HANG, .rank = -1, .culprit = both, .culprits = 2 };
    ck_assert_str_eq(difference(&o, r), "");
    o.culprit = one;
    o.culprits = 1;
    ck_assert_str_eq(difference(&o, r), "");
    o.culprit = wrong;
    ck_assert_str_eq(difference(&o, r), "declared a hang with culprit 0, got: hang with culprit 2");
}
END_TEST

START_TEST(test_finding)
{
    struct hang h;
    struct ncs_result *r = hang(&h);
    struct ncs_outcome o = { .verdict = NCS_HANG, .rank = -1, .finding_given = true, .finding.rule = (char *)"works-by-luck" };
    ck_assert_str_eq(difference(&o, r), "");
    o.any_verdict = true;
    o.finding.rule = (char *)"skipped-call";
    r->verdict = NCS_PASS;
    ck_assert_str_eq(difference(&o, r), "");
    o.finding.rule = (char *)"count-mismatch";
    ck_assert_str_eq(difference(&o, r), "declared finding count-mismatch, got: findings works-by-luck, skipped-call");
    r->diagnosis.findings = 0;
    ck_assert_str_eq(difference(&o, r), "declared finding count-mismatch, got: no finding");
}
END_TEST

START_TEST(test_finding_details)
{
    struct hang h;
    struct ncs_result *r = hang(&h);
    int culprit = 2, waiting[] = { 0, 1, 3 };
    struct ncs_outcome o = { .any_verdict = true,
                             .rank = -1,
                             .finding_given = true,
                             .finding = { .rule = (char *)"skipped-call",
                                          .culprit = &culprit,
                                          .culprits = 1,
                                          .waiting = waiting,
                                          .waitings = 3,
                                          .call = 3,
                                          .comm = (char *)"world",
                                          .certainty = (char *)"certain" } };
    ck_assert_str_eq(difference(&o, r), "");
    h.finding[1].certainty = NCS_UNDEFINED;
    ck_assert_str_ne(difference(&o, r), "");
    o.finding.certainty = NULL;
    o.finding.comm = (char *)"rows";
    ck_assert_str_ne(difference(&o, r), "");
    o.finding.comm = NULL;
    o.finding.call = 2;
    ck_assert_str_ne(difference(&o, r), "");
    o.finding.call = 0;
    o.finding.waitings = 2;
    ck_assert_str_ne(difference(&o, r), "");
    o.finding.waitings = 0;
    culprit = 1;
    ck_assert_str_eq(difference(&o, r), "declared finding skipped-call with culprit 1, got: findings works-by-luck "
                                        "with culprit none, skipped-call with culprit 2");
    o.finding.rule = NULL; /* that one may be of any rule */
    culprit = 2;
    ck_assert_str_eq(difference(&o, r), "");
    o.findings_given = true;
    o.findings = 1;
    ck_assert_str_eq(difference(&o, r), "");
    o.findings = 2;
    ck_assert_str_eq(difference(&o, r), "declared 2 findings of level error, got: skipped-call");
    o.finding_given = false;
    o.findings = 0;
    h.finding[1].level = NCS_LEVEL_NOTE;
    ck_assert_str_eq(difference(&o, r), "");
}
END_TEST

START_TEST(test_error)
{
    struct ncs_run_error error[] = {
        { .kind = NCS_KIND_NCCL, .rank = 1, .name = (char *)"ncclInvalidArgument", .call = (char *)"ncclAllReduce" },
        { .kind = NCS_KIND_EXPECT, .rank = 2, .name = (char *)"expect" },
    };
    struct ncs_result r = { .verdict = NCS_ERROR, .error = error, .errors = 2 };
    struct ncs_outcome o = { .verdict = NCS_ERROR, .rank = -1, .error_name = (char *)"ncclInvalidArgument" };
    ck_assert_str_eq(difference(&o, &r), "");
    o.rank = 1;
    o.error_call = (char *)"ncclAllReduce";
    ck_assert_str_eq(difference(&o, &r), "");
    o.error_name = (char *)"nccl";
    ck_assert_str_eq(difference(&o, &r), "");
    o.rank = 2;
    ck_assert_str_eq(difference(&o, &r), "declared error nccl of ncclAllReduce on rank 2, "
                                         "got: error ncclInvalidArgument of ncclAllReduce on rank 1");
    /* The later error is no outcome of a run that the earlier one decided. */
    o = (struct ncs_outcome){ .verdict = NCS_ERROR, .rank = 2, .error_name = (char *)"expect" };
    ck_assert_str_eq(difference(&o, &r), "declared error expect on rank 2, "
                                         "got: error ncclInvalidArgument of ncclAllReduce on rank 1");
    r.verdict = NCS_WRONG;
    ck_assert_str_eq(difference(&o, &r), "");
    /* An error that a rank raises itself counts like that of a call. */
    error[0] = (struct ncs_run_error){ .kind = NCS_KIND_LUA, .rank = 2, .name = (char *)"lua" };
    r.verdict = NCS_ERROR;
    r.errors = 1;
    ck_assert_str_eq(difference(&o, &r), "declared error expect on rank 2, got: error lua on rank 2");
    o.error_name = (char *)"lua";
    ck_assert_str_eq(difference(&o, &r), "");
    o = (struct ncs_outcome){ .verdict = NCS_PASS, .rank = -1 };
    ck_assert_str_eq(difference(&o, &r), "declared a pass, got: error lua on rank 2");
}
END_TEST

START_TEST(test_wrong)
{
    struct ncs_comm_info world = { .name = (char *)"world" }, *comms[] = { &world };
    struct ncs_journal journal = { .comm = comms, .comms = 1 };
    struct ncs_wrong wrong[] = {
        { .comm = 0, .number = 1, .rank = 0, .first = 1 },
        { .comm = 0, .number = 3, .rank = 2, .first = 5 },
    };
    struct ncs_run_expect expect = { .rank = 3, .message = (char *)"element 2: got 2, want 3", .first = 2 };
    struct ncs_result r = {
        .verdict = NCS_WRONG, .wrong = wrong, .wrongs = 2, .expect = &expect, .expects = 1, .journal = &journal
    };
    struct ncs_outcome o = { .verdict = NCS_WRONG, .rank = -1 };
    ck_assert_str_eq(difference(&o, &r), "");
    o.rank = 2;
    o.call = 3;
    o.first = 5;
    ck_assert_str_eq(difference(&o, &r), "");
    o.call = 1;
    ck_assert_str_eq(difference(&o, &r), "declared a wrong result on rank 2 of call 1 on world from element 5, "
                                         "got: wrong result on rank 0 of call 1 on world from element 1");
    o = (struct ncs_outcome){ .verdict = NCS_WRONG, .rank = 3 };
    ck_assert_str_eq(difference(&o, &r), "");
    o.first = 2;
    ck_assert_str_eq(difference(&o, &r), "");
    o.first = 1;
    ck_assert_str_ne(difference(&o, &r), "");
    o.first = 2;
    o.rank = 1;
    ck_assert_str_ne(difference(&o, &r), "");
    o.first = 0;
    r.wrongs = 0;
    ck_assert_str_eq(difference(&o, &r), "declared a wrong result on rank 1, "
                                         "got: wrong result on rank 3: element 2: got 2, want 3");
    struct ncs_run_error assertion = { .kind = NCS_KIND_EXPECT, .rank = 1, .message = (char *)"assertion failed!" };
    r.expects = 0;
    r.error = &assertion;
    r.errors = 1;
    ck_assert_str_eq(difference(&o, &r), "");
}
END_TEST

START_TEST(test_other_verdicts)
{
    struct ncs_culprit lost = { .rank = 1 };
    struct ncs_finding finding = { .rule = "lost", .culprit = &lost, .culprits = 1 };
    struct ncs_result r = { .verdict = NCS_LOST };
    r.diagnosis.finding = &finding;
    r.diagnosis.findings = 1;
    struct ncs_outcome o = { .verdict = NCS_LOST, .rank = 1 };
    ck_assert_str_eq(difference(&o, &r), "");
    o.rank = 0;
    ck_assert_str_eq(difference(&o, &r), "declared a lost rank 0, got: lost");
    o = (struct ncs_outcome){ .verdict = NCS_PASS, .rank = -1 };
    r.verdict = NCS_PASS;
    ck_assert_str_eq(difference(&o, &r), "");
    r.verdict = NCS_TIMEOUT;
    ck_assert_str_eq(difference(&o, &r), "declared a pass, got: timeout");
    r.verdict = NCS_INTERNAL_FAULT;
    ncs_fail(&r.internal, NCS_INTERNAL, "it broke");
    ck_assert_str_eq(difference(&o, &r), "declared a pass, got: internal: it broke");
}
END_TEST

/* The rules that --fail-on counts, each followed by a blank. */
static const char *failing(const struct ncs_outcome *o, const struct ncs_result *r, enum ncs_fail_on level)
{
    static char text[200];
    struct ncs_failing f;
    ncs_outcome_failing(o, r, level, &f);
    ck_assert_int_eq(f.level, level);
    text[0] = '\0';
    for (size_t i = 0; i < f.rules; i++) {
        strcat(text, f.rule[i]);
        strcat(text, " ");
    }
    ncs_failing_free(&f);
    return text;
}

START_TEST(test_failing)
{
    struct ncs_culprit culprit = { .rank = 1 };
    struct ncs_finding finding[] = {
        { .rule = "p2p-cycle", .certainty = NCS_POLICY_DEPENDENT },
        { .rule = "buffer-reused", .level = NCS_LEVEL_NOTE, .certainty = NCS_UNDEFINED, .culprit = &culprit, .culprits = 1 },
        { .rule = "sum-overflow", .level = NCS_LEVEL_NOTE, .certainty = NCS_CERTAIN },
        { .rule = "buffer-reused", .level = NCS_LEVEL_NOTE, .certainty = NCS_UNDEFINED },
    };
    struct ncs_result r = { .verdict = NCS_PASS };
    struct ncs_outcome o = { .verdict = NCS_PASS, .rank = -1 };
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_NOTE), "");
    r.diagnosis.finding = finding;
    r.diagnosis.findings = 4;
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_ERROR), "");
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_UNDEFINED), "p2p-cycle buffer-reused ");
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_NOTE), "p2p-cycle buffer-reused sum-overflow ");
    /* what is declared does not count: by its rule, by its culprit, by how many there are */
    o.finding_given = true;
    o.finding.rule = (char *)"buffer-reused";
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_NOTE), "p2p-cycle sum-overflow ");
    o.finding.culprit = &culprit.rank;
    o.finding.culprits = 1;
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_NOTE), "p2p-cycle sum-overflow buffer-reused ");
    o.findings_given = true;
    o.findings = 1;
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_NOTE), "sum-overflow buffer-reused ");
    /* a reproducer's verdict is declared, and all that comes with it */
    o = (struct ncs_outcome){ .verdict = NCS_HANG, .rank = -1 };
    r.verdict = NCS_HANG;
    ck_assert_str_eq(failing(&o, &r, NCS_FAIL_ON_NOTE), "");
}
END_TEST

NCS_TEST_MAIN("scenario", test_defaults, test_set_converts, test_set_refuses, test_check_ranges, test_check_names_the_key,
              test_check_outcome, test_can_run, test_hang_fields, test_hang_words, test_cycle, test_finding, test_finding_details,
              test_error, test_wrong, test_other_verdicts, test_failing)
