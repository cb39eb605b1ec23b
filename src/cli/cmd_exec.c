/* ncclscript exec: runs an unmodified program on the simulator. The program loads the drop-in libraries
 * instead of the real ones; they print the diagnosis. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/version.h"
#include "base/file.h"
#include "base/interpreter.h"
#include "base/str.h"
#include "cli/command.h"
#include "cli/exec_series.h"
#include "cli/exec_table.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "cli/reproducer.h"
#include "report/report.h"
#include "run/fault_text.h"
#include "scenario/scenario.h"

/* clang-format off */
enum { GPUS, PROCESSES, NCCL, POLICY, TIMEOUT, STALL, PATIENCE, SEED, KERNELS, NO_REDIRECT, VERIFY, FAIL_ON, FAULT, SWEEP, REPEAT, FORMAT, REPORT, HTML, TRACE, RECORD, VERBOSE, DEBUG,
       HELP };
/* clang-format on */

static const char *const policies[] = { "strict", "typical", NULL };

static const char *const processes[] = { "auto", "one", "many", NULL };

static const char *const kernels[] = { "fail", "skip", NULL };

static const struct ncs_option options[] = {
    [GPUS] = NCS_ROW_NUMBER("gpus", 'n', "GPUS", "8", "Running", "number of GPUs", 1, 1024),
    [PROCESSES] = NCS_ROW_WORDS("processes", 0, "auto", "Running",
                                "whether the program is one process, or many with one machine; auto: as it seems", processes),
    [NCCL] = { "nccl-version", 0, NCS_OPTION_CHOICE, "VERSION", NCS_NCCL_DEFAULT_TEXT, "Running",
               "the version of NCCL to simulate: " NCS_NCCL_RANGE, ncs_nccl_profiles, 0, 0 },
    [POLICY] = NCS_ROW_WORDS("policy", 0, "strict", "Running", "strict: what NCCL promises; typical: what it mostly does",
                             policies),
    [TIMEOUT] = NCS_ROW_TIME("timeout", 0, "none", "Running", "end the program after this time without progress, as 60s"),
    [STALL] = NCS_ROW_TIME("stall", 0, "2s", "Running",
                           "of many processes: report once who waits for whom after this time without a change"),
    [PATIENCE] = NCS_ROW_TIME("patience", 0, "30s", "Running",
                              "how long threads may poll without success while all other threads wait"),
    [SEED] = NCS_ROW_NUMBER("seed", 0, "N", "0", "Running",
                            "choose by this number which thread goes first; 0: the first that comes", 0, INT64_MAX),
    [KERNELS] = NCS_ROW_WORDS("kernels", 0, "fail", "Running", "launches of unknown kernels fail, or do nothing", kernels),
    [NO_REDIRECT] = NCS_ROW_FLAG("no-redirect", 0, "Running", "do not replace libraries that an RPATH or an absolute path names"),
    [VERIFY] = NCS_ROW_FLAG("verify", 0, "Checking", "compare the results of all collectives with the right ones"),
    [FAIL_ON] = NCS_ROW_WORDS("fail-on", 0, NULL, "Checking",
                              "also fail a program that ignores failed calls; undefined, note: or that has such findings",
                              ncs_fail_on_names),
    [FAULT] = NCS_ROW_TEXTS("fault", 0, "FAULT|@FILE", NULL, "Checking",
                            "cause a failure, as 'kill rank=2 call=7'; may be given again"),
    [SWEEP] = NCS_ROW_TEXTS("sweep", 0, "FAULT", NULL, "Checking",
                            "run the program once for each place where a rank calls, with kill, fail or stall there"),
    [REPEAT] = NCS_ROW_NUMBER("repeat", 0, "N", "1", "Checking", "run the program with N seeds, from --seed on, or from 1", 1,
                              1000000),
    [FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "one JSON object; tree and dot show who waits for whom",
                             ncs_report_format_names),
    [REPORT] = NCS_OPTION_REPORT(ncs_report_format_names),
    [HTML] = NCS_ROW_TEXTS("html", 0, "FILE", NULL, "Output", "write the run as one page: timeline, waits, every call"),
    [TRACE] = NCS_ROW_TEXTS("trace", 0, "FILE", NULL, "Output", "write a timeline for Perfetto and chrome://tracing"),
    [RECORD] = NCS_ROW_TEXTS("record", 0, "FILE", NULL, "Output", "write the calls as a scenario"),
    [VERBOSE] = NCS_ROW_FLAG("verbose", 'v', "Output", "with --repeat and --sweep: also print what each run prints"),
    [DEBUG] = NCS_OPTION_DEBUG,
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

/* ---- faults ---- */

/* Appends the faults of one option to the list, a line each. */
static bool add_fault(const char *given, struct ncs_str *list)
{
    struct ncs_error err = { 0 };
    struct ncs_fault_list read = { 0 };
    struct ncs_str text = { 0 };
    bool from_file = given[0] == '@', fits;
    if (from_file)
        fits = ncs_file_read(given + 1, NCS_FILE_LIMIT, "a list of faults", &text, &err);
    else {
        ncs_str_add(&text, given);
        fits = true;
    }
    fits = fits && ncs_fault_list_read(&read, text.text ? text.text : "", &err);
    if (fits && !from_file && read.count == 0)
        fits = ncs_fail(&err, NCS_BAD_INPUT, "expected a fault, such as kill rank=2 call=7");
    if (fits)
        ncs_str_addf(list, "%s\n", text.text ? text.text : "");
    else if (from_file) {
        if (!err.file[0])
            ncs_fail_at(&err, given + 1, err.line, err.column);
        ncs_print_error(&err);
    } else
        ncs_usage_error("exec", NULL, "--fault '%s': %s%s%s", given, err.text, err.hint[0] ? ": " : "", err.hint);
    ncs_fault_list_free(&read);
    ncs_str_free(&text);
    return fits;
}

static bool add_faults(const struct ncs_option_value *v, struct ncs_str *list)
{
    for (size_t i = 0; i < v[FAULT].texts; i++)
        if (!add_fault(v[FAULT].text[i], list))
            return false;
    return true;
}

/* ---- drawings ---- */

/* Appends the path from the root, because the program may change its folder. */
static void exec_whole_path(const char *file, struct ncs_str *out)
{
    char *here = file && file[0] != '/' ? getcwd(NULL, 0) : NULL;
    if (here)
        ncs_str_addf(out, "%s/", here);
    ncs_str_add(out, file ? file : "");
    free(here);
}

/* Standard output belongs to the program. */
static bool exec_can_draw(const char *option, const char *file)
{
    struct stat st;
    const char *slash = file ? strrchr(file, '/') : NULL;
    struct ncs_str parent = { 0 };
    if (!file)
        return true;
    ncs_str_add_bytes(&parent, slash ? file : ".", slash ? (size_t)(slash - file) + 1 : 1);
    if (strcmp(file, "-") == 0 || file[0] == '\0')
        ncs_usage_error("exec", NULL, "--%s: expected the name of a file", option);
    else if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
        ncs_usage_error("exec", NULL, "--%s %s: expected a file, this is a folder", option, file);
    else if (stat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 0111)
        ncs_usage_error("exec", NULL, "--%s %s: this file is a program, and is not replaced", option, file);
    else if (stat(parent.text, &st) != 0 || !S_ISDIR(st.st_mode))
        ncs_usage_error("exec", NULL, "--%s %s: there is no folder %s", option, file, parent.text);
    else {
        ncs_str_free(&parent);
        return true;
    }
    ncs_str_free(&parent);
    return false;
}

/* Options that are for a single run of the program. */
static bool exec_drawings_fit(const struct ncs_option_value *v)
{
    const char *html = ncs_option_last(&v[HTML]), *trace = ncs_option_last(&v[TRACE]), *record = ncs_option_last(&v[RECORD]);
    const char *series = v[SWEEP].given ? "sweep" : v[REPEAT].given ? "repeat" : NULL;
    const char *format = ncs_report_format_names[v[FORMAT].number];
    if (series && (html || trace || record || v[REPORT].given))
        ncs_usage_error("exec", NULL, "--%s is for one run: leave out --%s",
                        html     ? "html"
                        : trace  ? "trace"
                        : record ? "record"
                                 : "report",
                        series);
    else if (series && strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        ncs_usage_error("exec", NULL, "--format %s is for one run: leave out --%s", format, series);
    else if (html && trace && strcmp(html, trace) == 0)
        ncs_usage_error("exec", NULL, "--html and --trace cannot both be written to %s", html);
    else {
        for (size_t i = 1; i < v[REPORT].texts; i += 2)
            if (!exec_can_draw("report", v[REPORT].text[i]))
                return false;
        return ncs_debug_begin("exec", &v[DEBUG], &v[FORMAT]) && ncs_report_files_fit("exec", &v[REPORT]) &&
               exec_can_draw("html", html) && exec_can_draw("trace", trace) && exec_can_draw("record", record);
    }
    return false;
}

/* ---- the command ---- */

/* Options that exclude each other. */
static bool exec_options_fit(const struct ncs_option_value *v)
{
    struct ncs_error err = { 0 };
    const char *sweep = ncs_option_last(&v[SWEEP]);
    if (sweep && (v[REPEAT].given || v[FAULT].given))
        ncs_usage_error("exec", NULL, "--sweep chooses the faults itself: leave out --%s", v[REPEAT].given ? "repeat" : "fault");
    else if (sweep && !ncs_exec_sweep_check(sweep, &err))
        ncs_usage_error("exec", NULL, "--sweep '%s': %s%s%s", sweep, err.text, err.hint[0] ? ": " : "", err.hint);
    else
        return exec_drawings_fit(v);
    return false;
}

/* The library writes them all at its report, which a signal or _exit prevents. */
static void exec_say_unwritten(const struct ncs_option_value *v, const struct ncs_exec_end *end)
{
    static const int drawings[] = { HTML, TRACE };
    for (size_t i = 0; i < sizeof drawings / sizeof *drawings; i++)
        if (end->started && !end->reported && v[drawings[i]].given)
            fprintf(stderr, "ncclscript exec: %s was not written\n", ncs_option_last(&v[drawings[i]]));
    if (end->started && !end->scenario && v[RECORD].given)
        fprintf(stderr, "ncclscript exec: %s was not written\n", ncs_option_last(&v[RECORD]));
}

/* With --processes one each process has a run of its own. */
static void exec_say_overwritten(const struct ncs_option_value *v, const struct ncs_exec_end *end)
{
    static const int files[] = { HTML, TRACE, RECORD, REPORT };
    for (size_t i = 0; i < sizeof files / sizeof *files && end->writers > 1; i++)
        if (v[files[i]].given)
            fprintf(stderr, "ncclscript exec: %zu processes with a run each have written %s: it has the run of the last one\n",
                    end->writers, ncs_option_last(&v[files[i]]));
}

/* Writes the files of --report for a program that ended otherwise than the library's report says, or without one. */
static void exec_report_end(const struct ncs_option_value *v, char *const *argv, const struct ncs_exec_end *end)
{
    struct ncs_result result = { .verdict = end->signal ? NCS_LOST : end->status == 5 ? NCS_EMPTY : NCS_ERROR };
    struct ncs_scenario scenario;
    struct ncs_report_run run = { .scenario = &scenario, .result = &result };
    struct ncs_report report;
    struct ncs_str text = { 0 }, out = { 0 };
    if (!v[REPORT].given || (end->reported && (end->cause || end->status == 0)))
        return;
    ncs_exec_table_add_end(end, &text);
    ncs_fail(&result.internal, NCS_BAD_INPUT, "%s%s", text.text,
             end->status == 5 ? ": the program called neither NCCL nor the CUDA runtime" : "");
    ncs_scenario_init(&scenario, ncs_interpreter_script(argv));
    ncs_report_begin(&report, ncs_report_format_of("text"), &(struct ncs_report_style){ 0 }, &out);
    ncs_report_files_add(&v[REPORT], &report);
    ncs_report_only(&report, &run, &out);
    ncs_report_files_write(&report);
    ncs_report_free(&report);
    ncs_scenario_free(&scenario);
    ncs_str_free(&text);
    ncs_str_free(&out);
}

static int exec_run(const struct ncs_option_value *v, char **argv, const char *folder, const struct ncs_exec_variable *variable)
{
    struct ncs_exec_series series = {
        .start = { .argv = argv, .folder = folder, .redirects = !v[NO_REDIRECT].given, .variable = variable, .output = -1 },
        .verbose = v[VERBOSE].given,
        .json = v[FORMAT].number == 1,
        .timed = v[TIMEOUT].given,
    };
    if (v[SWEEP].given)
        return ncs_exec_sweep(&series, ncs_option_last(&v[SWEEP]));
    if (v[REPEAT].given)
        return ncs_exec_repeat(&series, v[REPEAT].number, v[SEED].given ? v[SEED].number : 1);
    struct ncs_exec_end end;
    struct stat at;
    for (size_t i = 1; i < v[REPORT].texts; i += 2) /* the library of a process that passes replaces no file */
        if (stat(v[REPORT].text[i], &at) == 0 && S_ISREG(at.st_mode))
            unlink(v[REPORT].text[i]);
    ncs_exec_run(&series.start, false, &end);
    if (end.scenario && !ncs_reproducer_check(ncs_option_last(&v[RECORD]), &end.ways, end.status))
        ncs_out_file_failed();
    exec_say_unwritten(v, &end);
    exec_say_overwritten(v, &end);
    exec_report_end(v, argv, &end);
    ncs_exec_end_free(&end);
    return end.status;
}

/* What the options mean for the libraries. */
static int exec_start(const struct ncs_option_value *v, char **argv, const char *folder, const char *faults)
{
    char gpus[32], seed[32];
    struct ncs_str html = { 0 }, trace = { 0 }, record = { 0 }, report = { 0 };
    struct ncs_exec_variable variable[24];
    size_t count = 0;
    snprintf(gpus, sizeof gpus, "%" PRId64, v[GPUS].number);
    snprintf(seed, sizeof seed, "%" PRId64, v[SEED].number);
    exec_whole_path(ncs_option_last(&v[HTML]), &html);
    exec_whole_path(ncs_option_last(&v[TRACE]), &trace);
    exec_whole_path(ncs_option_last(&v[RECORD]), &record);
    for (size_t i = 0; i + 1 < v[REPORT].texts; i += 2) {
        ncs_str_addf(&report, "%s ", v[REPORT].text[i]);
        exec_whole_path(v[REPORT].text[i + 1], &report);
        ncs_str_add(&report, "\n");
    }
    const struct {
        bool given;
        struct ncs_exec_variable variable;
    } all[] = {
        { v[GPUS].given, { "NCCLSCRIPT_GPUS", gpus } },
        { v[PROCESSES].given, { "NCCLSCRIPT_PROCESSES", processes[v[PROCESSES].number] } },
        { v[NCCL].given, { "NCCLSCRIPT_NCCL_VERSION", ncs_nccl_profiles[v[NCCL].number] } },
        { v[POLICY].given, { "NCCLSCRIPT_POLICY", policies[v[POLICY].number] } },
        { v[TIMEOUT].given, { "NCCLSCRIPT_TIMEOUT", ncs_option_last(&v[TIMEOUT]) } },
        { v[STALL].given, { "NCCLSCRIPT_STALL", ncs_option_last(&v[STALL]) } },
        { v[PATIENCE].given, { "NCCLSCRIPT_PATIENCE", ncs_option_last(&v[PATIENCE]) } },
        { v[SEED].given, { "NCCLSCRIPT_SEED", seed } },
        { v[KERNELS].given, { "NCCLSCRIPT_KERNELS", kernels[v[KERNELS].number] } },
        { v[VERIFY].given, { "NCCLSCRIPT_VERIFY", "1" } },
        { v[FAULT].given, { "NCCLSCRIPT_FAULTS", faults } },
        { v[FAIL_ON].given, { "NCCLSCRIPT_FAIL_ON", ncs_fail_on_names[v[FAIL_ON].number] } },
        { v[REPORT].given, { "NCCLSCRIPT_REPORT", report.text } },
        { v[DEBUG].given, { "NCCLSCRIPT_DEBUG", "diagnosis" } },
        { v[HTML].given, { "NCCLSCRIPT_HTML", html.text } },
        { v[TRACE].given, { "NCCLSCRIPT_TRACE", trace.text } },
        { v[RECORD].given, { "NCCLSCRIPT_SCENARIO", record.text } },
        { true, { "NCCLSCRIPT_FORMAT", ncs_report_format_names[v[FORMAT].number] } },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].given)
            variable[count++] = all[i].variable;
    variable[count] = (struct ncs_exec_variable){ NULL, NULL };
    int status = exec_run(v, argv, folder, variable);
    ncs_str_free(&html);
    ncs_str_free(&trace);
    ncs_str_free(&record);
    ncs_str_free(&report);
    return status;
}

static int exec_main(const struct ncs_parsed *parsed)
{
    int status = 2;
    struct ncs_str folder = { 0 }, faults = { 0 };
    ncs_str_add(&faults, "");
    if (parsed->operands > 0)
        ncs_usage_error("exec", NULL, "`%s`: write the program after `--`", parsed->operand[0]);
    else if (!parsed->program)
        ncs_usage_error("exec", NULL, "no program was given, as in `exec -- ./train`");
    else if (exec_options_fit(parsed->value) && add_faults(parsed->value, &faults))
        status = ncs_exec_find_libraries(&folder) ? exec_start(parsed->value, parsed->program, folder.text, faults.text) : 70;
    ncs_str_free(&faults);
    ncs_str_free(&folder);
    return status;
}

const struct ncs_command ncs_cmd_exec = {
    .name = "exec",
    .operands = "-- PROGRAM...",
    .summary = "run an NCCL program on the simulator",
    .about = "PROGRAM is any program that uses the shared libraries of NCCL and of the CUDA runtime from host\n"
             "code. It needs no change and no GPU.\n"
             "Each thread of the program is a thread of the simulated machine. The program may be one process\n"
             "with all GPUs, or many processes of one host: `exec -- mpirun -np 8 ./train`, torchrun, srun, or a\n"
             "program that forks. If nothing changes in a job of many processes for --stall, exec reports once\n"
             "who waits for whom, and the job goes on.\n"
             "\n"
             "If every thread waits for another thread, exec reports the hang and ends the program at once.\n"
             "Threads may poll without success (cudaEventQuery, ncclCommGetAsyncError) while all other threads\n"
             "wait. Then exec ends the program after --patience. The report says \"likely\", because the threads\n"
             "may have a time limit of their own. If a thread waits for something outside of the program, only\n"
             "--timeout ends the program. The answer \"not ready\" is no progress. Reports are printed on standard\n"
             "error.\n"
             "\n"
             "--fault causes a failure before a call, as 'kill rank=2 call=7' or\n"
             "'fail rank=1 func=ncclAllReduce nth=3 code=ncclSystemError'; `ncclscript explain fault` lists the\n"
             "kinds. --sweep runs the program once for each place where rank 1 calls NCCL or CUDA, with the\n"
             "fault there, and prints how each run ends. --repeat runs the program with many seeds and prints\n"
             "how the runs end.\n"
             "\n"
             "--html and --trace draw the run, as those of `run`. The library writes them, and the file of\n"
             "--record, when the program ends by itself or hangs. If a signal ends the program, no file is\n"
             "written, and exec prints which ones. Every call is kept for them.\n"
             "\n"
             "--record writes the program's calls as a scenario, runs it, and says whether it ends as the program\n"
             "does. `ncclscript shrink` makes it small. An existing file is replaced.\n"
             "\n"
             "The exit status is that of the program, or of the verdict: 3 hang, 124 no progress, 1 a\n"
             "mistake that the program did not notice or a wrong result, 5 the program called neither NCCL\n"
             "nor CUDA, 6 a signal ended the program or faults stopped all ranks, 74 a file was not written,\n"
             "130 and 143 the program was ended by SIGINT, or by a SIGTERM that exec passed on.\n"
             "\n"
             "exec does not execute kernels, except those of nccl-tests and PyTorch's fill. The launch of any\n"
             "other kernel fails. With --kernels skip it does nothing.\n"
             "\n"
             "A location is a source line, if the program has debug information or Python called, else a return\n"
             "address, for example train_step+0x1a2.\n"
             "When the program ends, exec reports calls that failed while the program went on, resources that\n"
             "the program did not free, freed twice, used after their destroy, or passed from the wrong GPU, and\n"
             "uses of memory that nothing orders.\n"
             "\n"
             "NCCLSCRIPT_QUIET=1 leaves out the line that says that this is a simulator. dlsym also finds\n"
             "functions that the chosen version of NCCL lacks. Calls of these functions fail with a message.\n",
    .option = options,
    .program = true,
    .main = exec_main,
};
