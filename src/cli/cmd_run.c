/* ncclscript run: loads scenarios, runs each, reports. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/safe.h"
#include "cli/command.h"
#include "cli/job.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "cli/selection.h"
#include "cli/run_options.h"
#include "cli/suite.h"

static bool add_operands_of_run(const struct ncs_parsed *parsed, struct ncs_selection *selection, struct ncs_error *err)
{
    const struct ncs_option_value *v = parsed->value;
    selection->settings = ncs_run_settings(v);
    selection->repeats = v[NCS_RUN_REPEAT].given ? v[NCS_RUN_REPEAT].number : 1;
    selection->seed = (uint64_t)v[NCS_RUN_SEED].number;
    for (size_t i = 0; i < parsed->operands; i++)
        if (!ncs_selection_add(selection, parsed->operand[i], err))
            return false;
    return true;
}

/* Leaves the cases that -k selects; false after an error. */
static bool select_cases(const struct ncs_option_value *v, struct ncs_selection *selection)
{
    struct ncs_error err = { 0 };
    const char *expression = ncs_option_last(v);
    if (expression && !ncs_selection_select(selection, expression, &err)) {
        ncs_usage_error("run", NULL, "`-k %s`: %s", expression, err.text);
        return false;
    }
    if (ncs_selection_close(selection, &err))
        return true;
    ncs_print_error(&err);
    return false;
}

/* Writes a report without runs, in the chosen format, and the reason. */
static int report_no_runs(const struct ncs_option_value *v, const struct ncs_selection *selection)
{
    struct ncs_report report;
    struct ncs_report_style style = { 0 };
    struct ncs_str out = { 0 };
    ncs_report_begin(&report, ncs_run_format(v), &style, &out);
    ncs_report_files_add(&v[NCS_RUN_REPORT], &report);
    ncs_report_end(&report, NULL, &out);
    if (!v[NCS_RUN_LIST].given)
        ncs_report_files_write(&report);
    ncs_report_free(&report);
    if (out.bytes && !v[NCS_RUN_LIST].given)
        ncs_out(out.text);
    ncs_str_free(&out);
    ncs_out_flush();
    fprintf(stderr, "ncclscript run: nothing was executed: ");
    if (selection->left_out)
        fprintf(stderr, "-k selects none of %zu case%s\n", selection->left_out, selection->left_out == 1 ? "" : "s");
    else if (selection->files)
        fprintf(stderr, "all cases are excluded\n");
    else
        fprintf(stderr, "no scenarios (*.lua, *.yaml) there\n");
    return ncs_verdict_exit(NCS_EMPTY);
}

static int list_runs(const struct ncs_selection *selection)
{
    int status = 0;
    for (size_t i = 0; i < selection->runs; i++) {
        const struct ncs_selection_file *file = &selection->file[selection->run[i].file];
        struct ncs_str name = { 0 }, line = { 0 };
        if (!file->script) {
            ncs_selection_print_error(file);
            status = ncs_verdict_exit(NCS_INVALID);
            continue;
        }
        ncs_selection_add_full_name(selection, i, &name);
        ncs_safe_line(&line, name.text);
        ncs_str_add(&line, "\n");
        ncs_out(line.text);
        ncs_str_free(&name);
        ncs_str_free(&line);
    }
    return status;
}

/* Prints the warnings of files without errors; those of other files are printed with the errors. */
static void print_warnings(const struct ncs_selection *selection)
{
    for (size_t i = 0; i < selection->files; i++)
        if (selection->file[i].script && selection->file[i].reading)
            ncs_print_complaints(&selection->file[i].reading->complaints);
}

static int run_selection(const struct ncs_option_value *v, const struct ncs_selection *selection, char *schedule)
{
    struct ncs_suite suite = {
        .value = v,
        .selection = selection,
        .schedule = schedule,
        .quiet = v[NCS_RUN_QUIET].given,
        .times = !v[NCS_RUN_NO_TIMES].given,
        .fail_fast = v[NCS_RUN_FAIL_FAST].given,
    };
    const struct ncs_report_format *format = ncs_run_format(v);
    struct ncs_report_style style = {
        .color = ncs_wants_color((enum ncs_color)v[NCS_RUN_COLOR].number, stdout),
        .verbose = v[NCS_RUN_VERBOSE].given,
        .draw = { .what = v[NCS_RUN_DRAW].given ? NCS_DRAW_CALLS + (int)v[NCS_RUN_DRAW].number : NCS_DRAW_NOTHING,
                  .width = ncs_out_columns(),
                  .unicode = ncs_wants_unicode(),
                  .all = v[NCS_RUN_VERBOSE].given },
    };
    struct ncs_str out = { 0 };
    if (!suite.quiet)
        print_warnings(selection);
    suite.folded = format->people && selection->repeats > 1 && !style.verbose;
    style.quiet = suite.quiet || suite.folded;
    suite.log = (struct ncs_log){ .quiet = style.quiet, .to_stderr = !format->people };
    const char *html = ncs_option_last(&v[NCS_RUN_HTML]);
    if (html && ncs_pages_wanted(html, selection->runs))
        suite.pages = ncs_pages_new(html, selection);
    ncs_report_begin(&suite.report, format, &style, &out);
    ncs_report_files_add(&v[NCS_RUN_REPORT], &suite.report);
    if (out.bytes)
        ncs_out(out.text);
    ncs_str_free(&out);
    int status = ncs_suite_run(&suite, ncs_run_jobs(v));
    ncs_suite_drawn(&suite);
    ncs_suite_dumped(&suite);
    ncs_pages_free(suite.pages);
    ncs_report_free(&suite.report);
    ncs_log_close(&suite.log);
    return status;
}

/* Under a launcher: false if this process has served the one that leads, or the job did not come together. */
static bool run_begin_job(struct ncs_option_value *v, int *status)
{
    struct ncs_driver_choice driver = { .name = ncs_run_settings(v).driver,
                                        .nccl_lib = ncs_option_last(&v[NCS_RUN_NCCL_LIB]),
                                        .cudart_lib = ncs_option_last(&v[NCS_RUN_CUDART_LIB]) };
    struct ncs_job_options options = { .command = "run",
                                       .rendezvous = ncs_option_last(&v[NCS_RUN_RENDEZVOUS]),
                                       .driver = &driver,
                                       .ranks = (int)v[NCS_RUN_RANKS].number };
    int ranks;
    if (v[NCS_RUN_LIST].given || v[NCS_RUN_PROCESSES].number == 1)
        return true;
    if (!ncs_job_begin(&options, &ranks, status))
        return false;
    if (ncs_job_leads()) {
        static char text[16]; /* for the command that repeats a case: without the launcher it has as many ranks */
        snprintf(text, sizeof text, "%d", ranks);
        v[NCS_RUN_RANKS].given = true;
        v[NCS_RUN_RANKS].number = ranks;
        NCS_PUSH(v[NCS_RUN_RANKS].text, v[NCS_RUN_RANKS].texts, v[NCS_RUN_RANKS].texts_room, text);
    }
    return true;
}

/* While scenarios are read; a run ends in its own way, with the same status. */
static void run_on_early_term(int number)
{
    (void)number;
    _exit(ncs_job_drop(ncs_verdict_exit(NCS_INTERRUPTED)));
}

static int run_operands(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct ncs_selection selection = { 0 };
    struct ncs_error err = { 0 };
    char *schedule = NULL;
    int status = 2;
    if (signal(SIGTERM, run_on_early_term) == SIG_IGN)
        signal(SIGTERM, SIG_IGN);
    if (!ncs_debug_begin("run", &v[NCS_RUN_DEBUG], &v[NCS_RUN_FORMAT]) || !ncs_report_files_fit("run", &v[NCS_RUN_REPORT]) ||
        !run_begin_job(parsed->value, &status))
        return status;
    ncs_memory_limit("run", &v[NCS_RUN_MEMORY], ncs_run_jobs(v));
    if (v[NCS_RUN_UNSAFE].given && !v[NCS_RUN_LIST].given)
        fprintf(stderr, "ncclscript run: --unsafe: scripts may run programs and use files\n");
    if (!ncs_run_read_schedule(v, &schedule, &err) || !ncs_run_options_fit(v, &err) ||
        !add_operands_of_run(parsed, &selection, &err))
        status = ncs_print_error(&err);
    else if (!select_cases(&v[NCS_RUN_SELECT], &selection))
        status = 2;
    else if (selection.runs == 0)
        status = report_no_runs(v, &selection);
    else if (!v[NCS_RUN_LIST].given && (!ncs_suite_can_draw(v, &selection, &err) || !ncs_suite_can_dump(v, &selection, &err)))
        status = ncs_print_error(&err);
    else
        status = v[NCS_RUN_LIST].given ? list_runs(&selection) : run_selection(v, &selection, schedule);
    ncs_selection_free(&selection);
    ncs_free(schedule);
    return status;
}

const struct ncs_command ncs_cmd_run = {
    .name = "run",
    .operands = "FILE|DIR...",
    .summary = "run scenarios and report what happened",
    .about = "A folder means all scenarios below it: every *.lua, and every *.yaml with `steps` or `scenario`\n"
             "at its top level. Several scenarios end with one summary line. The exit status is that of the\n"
             "worst run. A scenario with a matrix has one case for each combination of values.\n"
             "FILE[ranks=4,dtype=int8] means the cases with these values.\n"
             "\n"
             "--repair tries the suggested changes and runs the scenario again, up to 16 times. Your file\n"
             "stays as it is. The verdict and the exit status are those of the unchanged run.\n"
             "\n"
             "For a hang, ncclscript also tries the likeliest explanations, unless the run has more than\n"
             "200 000 calls. `tried` reports the result. --prove tries and lists all explanations of a run of\n"
             "any size. With --prove, --repair continues until it finds nothing more.\n"
             "\n"
             "--leaks lists what the ranks made and did not free, with the lines that made it. Also without it, a\n"
             "run that passes has a note if the results of functions called by their C names were not freed.\n"
             "\n"
             "--trace and --html draw one run. If their FILE is `-`, standard output, the report is printed on\n"
             "standard error. --html DIR writes one page for each run into a folder, and index.html.\n"
             "\n"
             "--dump writes what detectors of hangs read, from one run on the simulator, into a folder for each\n"
             "format: fr, PyTorch's Flight Recorder as pickles; fr-json, the same as JSON; ras, the output of\n"
             "ncclras -f json; log and calls, NCCL's log of INIT,DESTROY,COLL and of INIT,DESTROY,CALL.\n"
             "\n"
             "mpirun -np 16 ncclscript run --driver nccl FILE: the processes of mpirun, srun or torchrun (with\n"
             "--no-python) make one run. Process 0 runs the scripts and reports; the calls of each rank run in its\n"
             "own process. Each process ends with the status of the run.\n"
             "\n"
             "NCCL's environment variables have the same effect on the simulator as on NCCL. The variables\n"
             "that a scenario declares override them. NCCL_DEBUG=INFO prints NCCL's log on standard output\n"
             "(with --format json, on standard error). NCCL_DEBUG_FILE names a file for the log.\n",
    .option = ncs_run_option,
    .missing = "no scenario was given",
    .main = run_operands,
};
