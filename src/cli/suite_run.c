/* One run: loads a scenario, runs it, reports. */
#include "cli/suite.h"

#include <string.h>

#include "cli/output.h"
#include "cli/run_options.h"
#include "base/safe.h"

/* A line that a rank printed. Tabs are the script's own alignment and do no harm. */
static void on_output(void *arg, const char *line)
{
    (void)arg;
    struct ncs_str out = { 0 };
    size_t bytes = strcspn(line, "\n");
    for (size_t at = 0; at < bytes;) {
        size_t n = strcspn(line + at, "\t\n");
        struct ncs_str piece = { 0 };
        ncs_str_add_bytes(&piece, line + at, n);
        ncs_safe_line(&out, piece.text);
        ncs_str_free(&piece);
        at += n;
        if (at < bytes) {
            ncs_str_add(&out, "\t");
            at++;
        }
    }
    ncs_str_add(&out, "\n");
    ncs_out(out.text);
    ncs_str_free(&out);
}

static enum ncs_verdict verdict_of(const struct ncs_error *err)
{
    switch (err->status) {
    case NCS_BAD_INPUT: return NCS_INVALID;
    case NCS_NO_DEVICE: return NCS_SKIPPED;
    default:            return NCS_INTERNAL_FAULT;
    }
}

/* A scenario that could not be started: the error is for standard error, as a compiler's is. */
static void report_unstarted(struct ncs_suite *suite, const struct ncs_scenario *scenario,
                             const struct ncs_error *err)
{
    struct ncs_result result = { .verdict = verdict_of(err), .internal = *err };
    struct ncs_report_run run = { .scenario = scenario, .result = &result };
    ncs_print_error(err);
    if (suite->json)
        ncs_suite_report(suite, &run);
    else
        ncs_tally_add(&suite->tally, result.verdict, false);
}

static void report_skipped(struct ncs_suite *suite, const struct ncs_scenario *scenario,
                           const struct ncs_run_options *o, char *reason)
{
    struct ncs_result result = {
        .verdict = NCS_SKIPPED, .ranks = o->ranks, .driver = o->driver, .policy = o->policy,
        .seed = o->seed, .skip_reason = reason,
    };
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    struct ncs_report_run run = { .scenario = scenario, .result = &result };
    ncs_suite_report(suite, &run);
}

/* Only a run that came to an end of its own can be what was declared. */
static bool is_judged(enum ncs_verdict v)
{
    return v != NCS_INTERNAL_FAULT && v != NCS_SKIPPED && v != NCS_TIMEOUT && v != NCS_INTERRUPTED;
}

static bool declares_more_than_pass(const struct ncs_outcome *o)
{
    return o->any_verdict || o->verdict != NCS_PASS || o->finding;
}

static void report_result(struct ncs_suite *suite, const struct ncs_scenario *scenario,
                          const struct ncs_result *result)
{
    struct ncs_str difference = { 0 };
    struct ncs_report_run run = { .scenario = scenario, .result = result };
    if (is_judged(result->verdict))
        run.as_expected = ncs_outcome_holds(&scenario->outcome, result, &difference);
    /* "declared pass, came hang" is what the verdict says already. */
    if (declares_more_than_pass(&scenario->outcome))
        run.difference = difference.text;
    if (suite->json && result->internal.status != NCS_OK)
        ncs_print_error(&result->internal);
    ncs_suite_report(suite, &run);
    ncs_str_free(&difference);
}

static void run_script(struct ncs_suite *suite, struct ncs_script *script,
                       const struct ncs_scenario *scenario)
{
    struct ncs_run_options o = ncs_run_make_options(suite->value, scenario);
    o.schedule = suite->schedule;
    o.on_log = ncs_log_line;
    o.log_arg = &suite->log;
    struct ncs_str reason = { 0 };
    if (!ncs_scenario_can_run(scenario, &o, &reason)) {
        report_skipped(suite, scenario, &o, reason.text);
        ncs_str_free(&reason);
        return;
    }
    ncs_str_free(&reason);
    struct ncs_program program = ncs_script_program(script, scenario);
    bool prints = !suite->json && !suite->quiet;
    struct ncs_run *run = ncs_run_new(&o, &program, prints ? on_output : NULL, NULL);
    ncs_suite_begin(suite, scenario, &o);
    const struct ncs_result *result = ncs_run_execute(run);
    ncs_suite_end();
    report_result(suite, scenario, result);
    if (!ncs_run_leave(run))
        ncs_suite_end_here(suite);
    ncs_run_free(run);
}

void ncs_suite_run_file(struct ncs_suite *suite, const char *file)
{
    struct ncs_script_settings settings = ncs_run_settings(suite->value);
    struct ncs_error err = { 0 };
    struct ncs_scenario scenario;
    ncs_scenario_init(&scenario, file);
    struct ncs_script *script = ncs_script_load(file, &settings, &scenario, &err);
    if (script)
        run_script(suite, script, &scenario);
    else
        report_unstarted(suite, &scenario, &err);
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
}
