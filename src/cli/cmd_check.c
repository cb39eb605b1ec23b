/* ncclscript check: reports the mistakes in scenarios without running them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/safe.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "cli/selection.h"
#include "report/check.h"
#include "report/plan.h"
#include "script/check.h"

enum { PLAN, RANKS, SET, MEMORY, UNSAFE, FORMAT, REPORT, QUIET, HELP };

static const struct ncs_option options[] = {
    [PLAN] = NCS_ROW_FLAG("plan", 0, "Checking", "print the calls that each rank would make"),
    [RANKS] = NCS_ROW_NUMBER("ranks", 'n', "RANKS", "as declared", "Checking", "ranks of a run", 1, NCS_RANKS_MOST),
    [SET] = NCS_ROW_TEXTS("set", 0, "NAME=VALUE", NULL, "Checking", "set a parameter; may be given again"),
    [MEMORY] = NCS_OPTION_MEMORY("Checking"),
    [UNSAFE] = NCS_ROW_FLAG("unsafe", 0, "Checking", "scripts may run programs and use files, as in `run --unsafe`"),
    [FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "json: one object per file and line; github: annotations",
                             ncs_report_check_format_names),
    [REPORT] = NCS_OPTION_REPORT(ncs_report_check_format_names + 2),
    [QUIET] = NCS_ROW_FLAG("quiet", 'q', "Output", "print no summary"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* A file to check: an operand, or required by one. */
struct entry {
    char *path;
    char *only; /* the case that is wanted; NULL = all */
    bool is_module;
};

struct check {
    struct ncs_script_settings settings;
    bool json, text, plan;
    struct ncs_report report; /* the formats that `run` has, too, and the files of --report */
    struct entry *entry;
    size_t count, room;
    size_t wrong, errors;   /* files with errors, and their errors */
    enum ncs_verdict worst; /* NCS_PASS; of a file with errors NCS_INVALID, or what kept it from being checked */
};

static void check_add_entry(struct check *check, const char *path, const char *only, bool is_module)
{
    for (size_t i = 0; i < check->count; i++)
        if (strcmp(check->entry[i].path, path) == 0 && !check->entry[i].only && !only)
            return;
    struct entry entry = { ncs_copy_text(path), ncs_copy_text(only), is_module };
    NCS_PUSH(check->entry, check->count, check->room, entry);
}

/* Adds a file, or one with a case as "FILE[ranks=4]". */
static void add_operand(struct check *check, const char *operand)
{
    struct ncs_str path = { 0 }, name = { 0 };
    if (ncs_selection_split(operand, &path, &name))
        check_add_entry(check, path.text, name.text, false);
    else
        check_add_entry(check, operand, NULL, false);
    ncs_str_free(&path);
    ncs_str_free(&name);
}

static void add_unread(const struct ncs_error *err, struct ncs_str *out)
{
    ncs_safe_line(out, err->file[0] ? err->file : "ncclscript");
    ncs_str_add(out, ": error: ");
    ncs_safe_line(out, err->text);
    if (err->hint[0]) {
        ncs_str_add(out, "\n  hint: ");
        ncs_safe_line(out, err->hint);
    }
    ncs_str_add(out, "\n");
}

/* ---- plans ---- */

/* Ends a single call of Lua that does not return. Plans need no other time limit, because their steps are limited. */
#define PLAN_TIME ((int64_t)10 * 1000000000)

static void check_plan_complain(struct ncs_checking *c, const struct ncs_call_plan *plan, const struct ncs_call_plan_fault *f)
{
    struct ncs_complaints *all = &c->reading.complaints;
    struct ncs_str text = { 0 };
    bool own = f->place.file && strcmp(f->place.file, c->file) == 0;
    struct ncs_span at = own ? ncs_checking_span(c, f->place.line, f->text) : (struct ncs_span){ 0, 0 };
    const char *tail = strstr(f->text, ": did you mean");
    if (plan->name)
        ncs_str_addf(&text, "[%s] ", plan->name);
    if (!own && f->place.file)
        ncs_str_addf(&text, "%s:%d: ", f->place.file, f->place.line);
    if (f->ranks < (size_t)plan->ranks) {
        ncs_str_addf(&text, "rank%s ", f->ranks == 1 ? "" : "s");
        ncs_str_add_ranks(&text, f->rank, f->ranks);
        ncs_str_add(&text, ": ");
    }
    ncs_str_add_bytes(&text, f->text, tail ? (size_t)(tail - f->text) : strlen(f->text));
    if (f->unsure) {
        ncs_complain_warning(all, at, "%s", text.text);
        ncs_complain_hint(all, "this may depend on a value that only a run knows");
    } else {
        ncs_complain(all, at, "%s", text.text);
        if (tail)
            ncs_complain_hint(all, "%s", tail + 2);
    }
    ncs_str_free(&text);
}

static struct ncs_run_options make_options(const struct ncs_scenario *s)
{
    struct ncs_run_options o = ncs_scenario_options(s);
    o.driver = "dry-run";
    o.timeout = PLAN_TIME;
    o.verify = false;
    o.needs_nccl = o.needs_gpus = 0; /* fits_simulator has looked */
    o.once = true;
    return o;
}

static bool passes(const struct ncs_outcome *o)
{
    return !o->any_verdict && o->verdict == NCS_PASS;
}

/* With `unsure` false, leaves out faults that may depend on a value only a run knows; the plan's text shows them. */
static void complain_faults(struct ncs_checking *c, const struct ncs_call_plan *plan, bool unsure)
{
    for (size_t i = 0; i < plan->faults; i++)
        if (unsure || !plan->fault[i].unsure)
            check_plan_complain(c, plan, &plan->fault[i]);
}

/* True if the simulator, which provides the plan's communicators and memory, meets the scenario's needs. */
static bool fits_simulator(const struct ncs_scenario *s, struct ncs_str *reason)
{
    struct ncs_run_options simulated = ncs_scenario_options(s);
    return ncs_scenario_can_run(s, &simulated, reason);
}

static bool make_plan(struct ncs_checking *c, const struct ncs_scenario *scenario, bool unsure, struct ncs_call_plan *plan,
                      struct ncs_error *err)
{
    struct ncs_run_options dry = make_options(scenario);
    struct ncs_str reason = { 0 };
    bool fits = fits_simulator(scenario, &reason);
    if (!fits) {
        plan->end = ncs_str_take(&reason);
        return true;
    }
    struct ncs_program program = ncs_script_program(c->script, scenario);
    struct ncs_run *run = ncs_run_new(&dry, &program, NULL, NULL);
    const struct ncs_result *r = ncs_run_execute(run);
    bool ok = r->internal.status == NCS_OK;
    if (ok && r->verdict == NCS_MEMORY && passes(&scenario->outcome)) { /* the host is short: no fault of the scenario */
        ok = ncs_fail(err, NCS_NO_MEMORY, "%s", r->errors ? r->error[0].message : "the run has no memory left");
        ncs_fail_at(err, c->file, r->errors ? r->error[0].place.line : 0, 0);
    }
    if (ok)
        ncs_call_plan_make(r, plan);
    else if (err->status == NCS_OK)
        *err = r->internal;
    if (ok && passes(&scenario->outcome))
        complain_faults(c, plan, unsure);
    ncs_run_free(run);
    return ok;
}

/* Finds the calls that each rank would make, without carrying them out. Calls that cannot work are added
 * to the complaints, unless the case declares another end than a pass. `unsure`: calls that may fail
 * depending on a value only a run knows are added too, as warnings. `only`: the name of one case, as for
 * ncs_case_is; NULL = all. on_plan may be NULL; it may take over the plan's contents, leaving the plan
 * zeroed. False and err if a plan cannot be made. */
static bool plan_cases(struct ncs_checking *c, const struct ncs_script_settings *settings, const char *only, bool unsure,
                       void (*on_plan)(void *arg, struct ncs_call_plan *plan), void *arg, struct ncs_error *err)
{
    bool ok = true, any = !only;
    for (size_t i = 0; i < c->cases.count && ok; i++) {
        if (only && !ncs_case_is(&c->cases.item[i], only))
            continue;
        any = true;
        struct ncs_call_plan plan = { .name = ncs_copy_text(c->cases.item[i].name) };
        struct ncs_scenario scenario;
        if (ncs_checking_declare(c, settings, i, &scenario)) {
            ok = make_plan(c, &scenario, unsure, &plan, err);
            if (ok && on_plan)
                on_plan(arg, &plan);
        }
        ncs_scenario_free(&scenario);
        ncs_call_plan_free(&plan);
    }
    if (ok && !any) {
        ok = ncs_fail(err, NCS_BAD_INPUT, "has no case [%s]", only);
        ncs_fail_at(err, c->file, 0, 0);
        ncs_fail_hint(err, "`ncclscript run --list %s` names them", c->file);
    }
    return ok;
}

/* The plans to print. */
struct plans {
    struct ncs_call_plan *item;
    size_t count, room;
};

static void keep_plan(void *arg, struct ncs_call_plan *plan)
{
    struct plans *plans = arg;
    NCS_PUSH(plans->item, plans->count, plans->room, *plan);
    *plan = (struct ncs_call_plan){ 0 };
}

static void add_plan(const char *file, const struct ncs_call_plan *plan, struct ncs_str *out)
{
    struct ncs_str head = { 0 };
    ncs_str_add(&head, file);
    if (plan->name)
        ncs_str_addf(&head, "[%s]", plan->name);
    if (plan->ranks)
        ncs_str_addf(&head, ": %d rank%s", plan->ranks, plan->ranks == 1 ? "" : "s");
    else
        ncs_str_addf(&head, ": no plan: %s", plan->end);
    ncs_safe_line(out, head.text);
    ncs_str_add(out, "\n");
    ncs_str_free(&head);
    ncs_call_plan_text(plan, out);
}

static void check_add_text(const struct ncs_checking *c, const struct ncs_error *err, const struct plans *plans,
                           struct ncs_str *out)
{
    ncs_complaints_text(&c->reading.complaints, out);
    if (err->status != NCS_OK)
        add_unread(err, out);
    for (size_t i = 0; i < plans->count; i++)
        add_plan(c->file, &plans->item[i], out);
}

/* Adds the file to the reports as a run that did not begin. */
static void check_add_report(struct check *check, const struct ncs_checking *c, const struct ncs_error *err,
                             enum ncs_verdict verdict, struct ncs_str *out)
{
    struct ncs_result result = { .verdict = verdict, .internal = *err };
    struct ncs_scenario scenario;
    struct ncs_report_entry entry;
    struct ncs_report_run run = {
        .scenario = &scenario, .result = &result, .as_expected = verdict == NCS_PASS, .complaints = &c->reading.complaints
    };
    ncs_scenario_init(&scenario, c->file);
    ncs_report_entry(&check->report, &run, &entry);
    ncs_report_add(&check->report, &entry, out);
    ncs_report_entry_free(&entry);
    ncs_scenario_free(&scenario);
}

static void check_file(struct check *check, struct entry entry)
{
    struct ncs_checking c = { .file = entry.path, .is_module = entry.is_module };
    struct ncs_complaints *complaints = &c.reading.complaints;
    struct ncs_error err = { 0 };
    struct plans plans = { 0 };
    struct ncs_str out = { 0 };
    bool ok = ncs_script_check(&c, &check->settings, &err);
    /* With --unsafe a plan can have effects, so it is made only if it was asked for. */
    if (ok && !complaints->errors && (check->plan || !check->settings.unsafe))
        ok = plan_cases(&c, &check->settings, entry.only, check->plan, check->plan ? keep_plan : NULL, &plans, &err);
    enum ncs_verdict verdict = ncs_status_verdict(ok ? ncs_complaints_status(complaints) : err.status);
    check_add_report(check, &c, &err, verdict, &out);
    if (check->json || check->text) {
        ncs_str_clear(&out);
        check->json ? ncs_report_check(c.file, complaints, &err, plans.item, plans.count, &out)
                    : check_add_text(&c, &err, &plans, &out);
    }
    if (out.text)
        ncs_out(out.text);
    check->wrong += verdict != NCS_PASS;
    check->worst = ncs_verdict_worse(check->worst, verdict);
    check->errors += complaints->errors + (err.status != NCS_OK);
    for (size_t i = 0; i < c.modules; i++)
        check_add_entry(check, c.module[i], NULL, true);
    for (size_t i = 0; i < plans.count; i++)
        ncs_call_plan_free(&plans.item[i]);
    ncs_free(plans.item);
    ncs_str_free(&out);
    ncs_checking_free(&c);
}

/* ---- a rank that does not return from a call of Lua ---- */

static const char *in_progress;

/* Runs on the watch's thread: the rank's data must be neither freed nor read. */
static void check_give_up(void)
{
    struct ncs_str text = { 0 };
    ncs_str_add(&text, "ncclscript check: ");
    ncs_safe_line(&text, in_progress);
    ncs_str_add(&text, ": a rank does not return from a call of Lua: given up\n");
    if (ftrylockfile(stdout) == 0)
        ncs_out_flush();
    ssize_t written = write(STDERR_FILENO, text.text, text.bytes);
    (void)written;
    _exit(ncs_verdict_exit(NCS_TIMEOUT));
}

/* "2 errors in 1 file", "2 errors in 1 of 3 files", "no errors in 3 files" */
static void check_add_summary(const struct check *check, struct ncs_str *out)
{
    if (check->wrong)
        ncs_str_addf(out, "%zu error%s in ", check->errors, check->errors == 1 ? "" : "s");
    else
        ncs_str_add(out, "no errors in ");
    if (check->wrong && check->wrong < check->count)
        ncs_str_addf(out, "%zu of ", check->wrong);
    ncs_str_addf(out, "%zu file%s\n", check->count, check->count == 1 ? "" : "s");
}

static int check_files(struct check *check, const struct ncs_files *files, const struct ncs_option_value *v)
{
    struct ncs_report_style style = { .quiet = v[QUIET].given };
    struct ncs_str out = { 0 };
    if (!files->count) {
        fprintf(stderr, "ncclscript check: nothing was checked: no scenarios (*.lua, *.yaml) there\n");
        return ncs_verdict_exit(NCS_EMPTY);
    }
    for (size_t i = 0; i < files->count; i++)
        add_operand(check, files->path[i]);
    ncs_report_begin(&check->report, ncs_report_format_of(ncs_report_check_format_names[v[FORMAT].number]), &style, &out);
    ncs_report_files_add(&v[REPORT], &check->report);
    if (out.bytes)
        ncs_out(out.text);
    ncs_run_stuck = check_give_up;
    for (size_t i = 0; i < check->count; i++) {
        in_progress = check->entry[i].path;
        check_file(check, check->entry[i]);
    }
    ncs_str_clear(&out);
    ncs_report_end(&check->report, NULL, &out);
    if (check->json || check->text)
        ncs_str_clear(&out);
    if (check->text && !style.quiet)
        check_add_summary(check, &out);
    if (out.bytes)
        ncs_out(out.text);
    ncs_str_free(&out);
    ncs_report_files_write(&check->report);
    return ncs_verdict_exit(check->worst);
}

static int check_operands(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct check check = {
        .settings = { .set = v[SET].text,
                      .sets = v[SET].texts,
                      .ranks = (int)v[RANKS].number,
                      .policy = -1,
                      .driver = "sim",
                      .unsafe = v[UNSAFE].given },
        .text = v[FORMAT].number == 0,
        .json = v[FORMAT].number == 1,
        .plan = v[PLAN].given,
    };
    struct ncs_files files = { 0 };
    struct ncs_error err = { 0 };
    int status = 0;
    if (!ncs_report_files_fit("check", &v[REPORT]))
        return 2;
    ncs_memory_limit("check", &v[MEMORY], 1);
    for (size_t i = 0; i < parsed->operands && status == 0; i++)
        if (!ncs_files_add(&files, parsed->operand[i], &err)) {
            status = ncs_print_error(&err);
        }
    if (status == 0)
        status = check_files(&check, &files, v);
    for (size_t i = 0; i < check.count; i++) {
        ncs_free(check.entry[i].path);
        ncs_free(check.entry[i].only);
    }
    ncs_free(check.entry);
    ncs_report_free(&check.report);
    ncs_files_free(&files);
    return status;
}

const struct ncs_command ncs_cmd_check = {
    .name = "check",
    .operands = "FILE|DIR...",
    .summary = "report mistakes in scenarios without running them",
    .about = "check first reports all errors of syntax, unknown names and fields, and wrong declarations, also\n"
             "in the files that a scenario requires. If there are none, check lists the calls of each rank\n"
             "without executing them, and reports wrong calls: unknown options, roots that are no ranks,\n"
             "counts larger than a buffer. `-` is standard input. FILE[ranks=4] is one case.\n"
             "\n"
             "Exit status: 0 no errors, 2 errors, 5 no scenario there, 7 no memory, 124 one call of Lua takes longer than\n"
             "10 s.\n",
    .option = options,
    .missing = "no scenario was given",
    .main = check_operands,
};
