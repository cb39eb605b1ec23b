/* One run: declares a case, runs it, reports the result. */
#include "cli/suite.h"

#include <stdio.h>
#include <string.h>

#include "base/safe.h"
#include "base/thread.h"
#include "cli/output.h"
#include "cli/reproducer.h"
#include "cli/run_options.h"

static void suite_on_output(void *driver, const char *line)
{
    struct ncs_str out = { 0 };
    ncs_safe_output(&out, line);
    ncs_out(out.text);
    if (strcmp(driver, "nccl") == 0)
        ncs_out_flush(); /* NCCL may end the process */
    ncs_str_free(&out);
}

/* Facts about a run besides its result. */
struct suite_report {
    struct ncs_suite *suite;
    size_t run;
    int64_t start;
    struct ncs_str name, command;
    struct ncs_report_run report;
};

static void begin_report(struct suite_report *t, struct ncs_suite *suite, size_t run, int64_t start)
{
    const struct ncs_selection *selection = suite->selection;
    const struct ncs_case *c = ncs_selection_case(selection, run);
    struct ncs_str full = { 0 };
    *t = (struct suite_report){ .suite = suite, .run = run, .start = start };
    ncs_selection_add_name(selection, run, &t->name);
    ncs_selection_add_full_name(selection, run, &full);
    if (t->name.bytes) {
        ncs_run_add_command(suite->value, full.text, selection->repeats > 1 || (c && c->seeded), &t->command);
        t->report.name = t->name.text;
        t->report.command = t->command.text;
    }
    if (c) {
        t->report.value = c->value;
        t->report.values = c->values;
    }
    ncs_str_free(&full);
}

static void end_report(struct suite_report *t)
{
    ncs_str_free(&t->name);
    ncs_str_free(&t->command);
}

static void make_entry(struct suite_report *t, const struct ncs_scenario *scenario, const struct ncs_result *result,
                       struct ncs_report_entry *entry)
{
    if (result->verdict == NCS_INTERRUPTED) /* an interrupted run has nothing worth repeating */
        t->report.command = NULL;
    t->report.scenario = scenario;
    t->report.result = result;
    t->report.wall = t->suite->times ? ncs_clock() - t->start : 0;
    ncs_report_entry(&t->suite->report, &t->report, entry);
    ncs_suite_note(t->suite, &t->report, entry);
}

static void report_entry(struct suite_report *t, const struct ncs_scenario *scenario, const struct ncs_result *result)
{
    struct ncs_report_entry entry;
    make_entry(t, scenario, result, &entry);
    ncs_suite_report(t->suite, &entry);
}

void ncs_suite_entry(struct ncs_suite *suite, size_t run, int64_t start, const struct ncs_scenario *scenario,
                     const struct ncs_result *result, struct ncs_report_entry *entry)
{
    const struct ncs_selection *selection = suite->selection;
    struct suite_report t;
    struct ncs_scenario plain;
    begin_report(&t, suite, run, start);
    ncs_scenario_init(&plain, selection->file[selection->run[run].file].path);
    make_entry(&t, scenario ? scenario : &plain, result, entry);
    entry->file = NULL; /* the text belongs to the scenario */
    ncs_scenario_free(&plain);
    end_report(&t);
}

/* Reads the declaration for a run; false and err if it is wrong. */
static bool suite_declare(const struct ncs_suite *suite, size_t run, struct ncs_scenario *scenario, struct ncs_error *err)
{
    const struct ncs_selection_file *file = &suite->selection->file[suite->selection->run[run].file];
    const struct ncs_case *c = ncs_selection_case(suite->selection, run);
    ncs_scenario_init(scenario, file->path);
    if (!c) {
        *err = file->err;
        return false;
    }
    struct ncs_script_settings settings = ncs_run_settings(suite->value);
    settings.value = c->value;
    settings.values = c->values;
    if (c->ranks > 0)
        settings.ranks = c->ranks;
    return ncs_script_declare(file->script, &settings, scenario, err);
}

/* True if the previous run of the same file had the same error. */
static bool reported_before(const struct suite_report *t, const struct ncs_error *err)
{
    const struct ncs_selection *selection = t->suite->selection;
    struct ncs_error other = { 0 };
    struct ncs_scenario scenario;
    if (t->run == 0 || selection->run[t->run - 1].file != selection->run[t->run].file)
        return false;
    bool same = !suite_declare(t->suite, t->run - 1, &scenario, &other) && other.line == err->line &&
                strcmp(other.text, err->text) == 0;
    ncs_scenario_free(&scenario);
    return same;
}

/* Reports a scenario that could not start; the error goes to standard error, as with compilers. */
static void suite_report_unstarted(struct suite_report *t, const struct ncs_scenario *scenario, const struct ncs_error *err)
{
    const struct ncs_selection *selection = t->suite->selection;
    const struct ncs_selection_file *file = &selection->file[selection->run[t->run].file];
    struct ncs_result result = { .verdict = ncs_status_verdict(err->status), .internal = *err };
    struct ncs_report_entry entry;
    t->report.complaints = file->reading ? &file->reading->complaints : NULL;
    if (!file->script)
        ncs_selection_print_error(file);
    else if (!reported_before(t, err))
        ncs_print_error(err);
    make_entry(t, scenario, &result, &entry);
    if (t->suite->report.format->people)
        ncs_str_free(&entry.text); /* the error suffices */
    ncs_suite_report(t->suite, &entry);
}

static void report_skipped(struct suite_report *t, const struct ncs_scenario *scenario, const struct ncs_run_options *o,
                           char *reason)
{
    struct ncs_result result = {
        .verdict = NCS_SKIPPED,
        .ranks = o->ranks,
        .driver = o->driver,
        .policy = o->policy,
        .seed = o->seed,
        .skip_reason = reason,
    };
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    report_entry(t, scenario, &result);
}

static void report_result(struct suite_report *t, const struct ncs_scenario *scenario, const struct ncs_result *result)
{
    struct ncs_str difference = { 0 };
    struct ncs_failing *failing = &t->report.failing;
    t->report.as_expected = ncs_outcome_judge(&scenario->outcome, result, ncs_run_fail_on(t->suite->value), failing, &difference);
    t->report.difference = difference.text;
    if (!t->suite->report.format->people && result->internal.status != NCS_OK)
        ncs_print_error(&result->internal);
    t->report.scenario = scenario;
    t->report.result = result;
    ncs_suite_draw(t->suite, t->run, &t->report);
    ncs_suite_dump(t->suite, &t->report);
    report_entry(t, scenario, result);
    ncs_failing_free(failing);
    ncs_str_free(&difference);
}

/* What --record needs of a run: its calls, and how it ended. */
struct recording {
    const char *file; /* NULL = nothing is recorded */
    bool has_calls;
    struct ncs_workload workload;
    struct ncs_reproduced expected;
};

static void recording_read(struct recording *rec, const struct ncs_option_value *v, const struct ncs_scenario *scenario,
                           const struct ncs_result *result)
{
    *rec = (struct recording){ .file = result->journal ? ncs_option_last(&v[NCS_RUN_RECORD]) : NULL };
    if (!rec->file)
        return;
    rec->has_calls = ncs_reproducer_read(result, scenario->file, &rec->workload, &rec->expected);
}

/* Once the run is freed: the scenario that is written is run, too. */
static void recording_write(struct recording *rec, const char *origin, const struct ncs_run_options *options)
{
    if (!rec->file)
        return;
    if (!rec->has_calls)
        fprintf(stderr, "ncclscript run: %s was not written: the run has no call that a record keeps\n", rec->file);
    if (!rec->has_calls || ncs_reproducer_write(rec->file, true, &rec->workload, origin, &rec->expected, options) == 2)
        ncs_out_file_failed();
    ncs_workload_free(&rec->workload);
    ncs_reproduced_free(&rec->expected);
}

static void run_declared(struct suite_report *t, struct ncs_script *script, const struct ncs_scenario *scenario)
{
    struct ncs_suite *suite = t->suite;
    struct ncs_run_options o = ncs_run_make_options(suite->value, scenario);
    o.seed = suite->selection->run[t->run].seed;
    o.seeded = o.seed != 0;
    o.schedule = suite->schedule;
    o.on_log = ncs_log_line;
    o.log_arg = &suite->log;
    ncs_suite_prepare_dump(suite, &o);
    struct ncs_str reason = { 0 };
    if (!ncs_scenario_can_run(scenario, &o, &reason)) {
        report_skipped(t, scenario, &o, reason.text);
        ncs_str_free(&reason);
        return;
    }
    ncs_str_free(&reason);
    struct ncs_program program = ncs_script_program(script, scenario);
    bool prints = suite->report.format->people && !suite->report.style.quiet;
    struct ncs_run *run = ncs_run_new(&o, &program, prints ? suite_on_output : NULL, (void *)o.driver);
    ncs_suite_begin(suite, scenario, &o, t->run, t->start);
    const struct ncs_result *result = ncs_run_execute(run);
    ncs_suite_end();
    struct recording recording;
    report_result(t, scenario, result);
    recording_read(&recording, suite->value, scenario, result);
    if (!ncs_run_leave(run))
        ncs_suite_end_here(suite);
    ncs_run_free(run);
    struct ncs_str origin = { 0 };
    ncs_selection_add_full_name(suite->selection, t->run, &origin);
    recording_write(&recording, origin.text, &o);
    ncs_str_free(&origin);
}

void ncs_suite_make(struct ncs_suite *suite, size_t run)
{
    const struct ncs_selection *selection = suite->selection;
    struct suite_report t;
    struct ncs_error err = { 0 };
    struct ncs_scenario scenario;
    begin_report(&t, suite, run, ncs_clock());
    if (suite_declare(suite, run, &scenario, &err))
        run_declared(&t, selection->file[selection->run[run].file].script, &scenario);
    else
        suite_report_unstarted(&t, &scenario, &err);
    ncs_scenario_free(&scenario);
    end_report(&t);
}
