/* ncclscript run: loads scenarios, runs each, reports. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/log.h"
#include "cli/output.h"
#include "report/report.h"
#include "base/safe.h"
#include "script/script.h"

enum {
    RANKS, DRIVER, NCCL_LIB, CUDART_LIB, NCCL, SEED, SCHEDULE, TIMEOUT, POLICY, RANKS_AS, SET, NO_VERIFY, UNSAFE,
    FORMAT, COLOR, VERBOSE, QUIET, HELP,
};

static const char *const drivers[] = { "sim", "nccl", NULL };
static const char *const policies[] = {
    [NCS_POLICY_STRICT] = "strict", [NCS_POLICY_TYPICAL] = "typical", NULL,
};
static const char *const contexts[] = { "fiber", "thread", NULL };
static const char *const formats[] = { "text", "json", NULL };
static const char *const colors[] = {
    [NCS_COLOR_AUTO] = "auto", [NCS_COLOR_ALWAYS] = "always", [NCS_COLOR_NEVER] = "never", NULL,
};

static const struct ncs_option options[] = {
    [RANKS]     = { "ranks", 'n', NCS_OPTION_INT, "RANKS", "as declared", "Running",
                    "ranks of the run", NULL, 1, 65536 },
    [DRIVER]    = { "driver", 0, NCS_OPTION_CHOICE, NULL, "sim", "Running",
                    "the simulator, or real NCCL", drivers, 0, 0 },
    [NCCL_LIB]  = { "nccl-lib", 0, NCS_OPTION_LIST, "PATH", "libnccl.so.2", "Running",
                    "of driver nccl: the NCCL library", NULL, 0, 0 },
    [CUDART_LIB] = { "cudart-lib", 0, NCS_OPTION_LIST, "PATH", "libcudart.so.13", "Running",
                    "of driver nccl: the CUDA runtime library", NULL, 0, 0 },
    [NCCL]      = { "nccl-version", 0, NCS_OPTION_CHOICE, "VERSION", "2.30.7", "Running",
                    "which NCCL the simulator is: 2.28.9 ... 2.30.7", ncs_nccl_profiles, 0, 0 },
    [SEED]      = { "seed", 0, NCS_OPTION_INT, "N", "0", "Running",
                    "draw the schedule from N; 0: first in, first out", NULL, 0, INT64_MAX },
    [SCHEDULE]  = { "schedule", 0, NCS_OPTION_LIST, "TEXT|@FILE", NULL, "Running",
                    "make the choices that a run with --seed and -v told", NULL, 0, 0 },
    [TIMEOUT]   = { "timeout", 0, NCS_OPTION_DURATION, "TIME", "as declared", "Running",
                    "limit of each run, as 10s; of nccl without progress", NULL, 0, 0 },
    [POLICY]    = { "policy", 0, NCS_OPTION_CHOICE, NULL, "as declared", "Running",
                    "by the contract, or as NCCL mostly does", policies, 0, 0 },
    [RANKS_AS]  = { "ranks-as", 0, NCS_OPTION_CHOICE, NULL, "fiber", "Running",
                    "what ranks are on the simulator", contexts, 0, 0 },
    [SET]       = { "set", 0, NCS_OPTION_LIST, "NAME=VALUE", NULL, "Running",
                    "set a parameter; may be given again", NULL, 0, 0 },
    [NO_VERIFY] = { "no-verify", 0, NCS_OPTION_FLAG, NULL, NULL, "Running",
                    "do not check the results of collectives", NULL, 0, 0 },
    [UNSAFE]    = { "unsafe", 0, NCS_OPTION_FLAG, NULL, NULL, "Running",
                    "let scripts run programs and use files", NULL, 0, 0 },
    [FORMAT]    = { "format", 0, NCS_OPTION_CHOICE, NULL, "text", "Output",
                    "for people, or one JSON object per run and line", formats, 0, 0 },
    [COLOR]     = { "color", 0, NCS_OPTION_CHOICE, NULL, "auto", "Output",
                    "colours in the text", colors, 0, 0 },
    [VERBOSE]   = { "verbose", 'v', NCS_OPTION_FLAG, NULL, NULL, "Output",
                    "the full report of every run, with its trace hash and waits", NULL, 0, 0 },
    [QUIET]     = { "quiet", 'q', NCS_OPTION_FLAG, NULL, NULL, "Output",
                    "only failures and the summary", NULL, 0, 0 },
    [HELP]      = NCS_OPTION_HELP,
    { 0 },
};

struct suite {
    const struct ncs_option_value *value;
    bool json, quiet;
    const char *schedule; /* NULL = none */
    struct ncs_report_style style;
    struct ncs_log log;
    struct ncs_tally tally;
    const struct ncs_files *files;
    size_t next; /* the first that has not been begun */
};

/* ---- interrupts ---- */

static volatile sig_atomic_t interrupts;

/* Seconds that a run has to come back from an interrupt, which a rank inside one of Lua's own
 * functions does not notice. */
enum { INTERRUPT_GRACE = 2 };

static void leave(void)
{
    static const char text[] = "ncclscript run: interrupted, and a rank does not come back from a "
                               "call of Lua's: given up\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(ncs_verdict_exit(NCS_INTERRUPTED));
}

static void on_signal(int signal_number)
{
    if (signal_number == SIGALRM)
        leave();
    if (interrupts++)
        _exit(ncs_verdict_exit(NCS_INTERRUPTED));
    alarm(INTERRUPT_GRACE);
    ncs_run_interrupt();
}

static void catch_interrupts(void)
{
    struct sigaction action = { .sa_handler = on_signal };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
}

/* ---- one run ---- */

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

static void report(struct suite *suite, const struct ncs_report_run *run)
{
    struct ncs_str out = { 0 };
    if (suite->json)
        ncs_report_json(run, &out);
    else if (!suite->quiet || !(run->as_expected || run->result->verdict == NCS_SKIPPED))
        ncs_report_text(run, &suite->style, &out);
    if (out.text)
        ncs_out(out.text);
    ncs_out_flush();
    ncs_str_free(&out);
    ncs_tally_add(&suite->tally, run->result->verdict, run->as_expected);
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
static void report_unstarted(struct suite *suite, const struct ncs_scenario *scenario,
                             const struct ncs_error *err)
{
    struct ncs_result result = { .verdict = verdict_of(err), .internal = *err };
    struct ncs_report_run run = { .scenario = scenario, .result = &result };
    ncs_print_error(err);
    if (suite->json)
        report(suite, &run);
    else
        ncs_tally_add(&suite->tally, result.verdict, false);
}

static void report_skipped(struct suite *suite, const struct ncs_scenario *scenario,
                           const struct ncs_run_options *o, char *reason)
{
    struct ncs_result result = {
        .verdict = NCS_SKIPPED, .ranks = o->ranks, .driver = o->driver, .policy = o->policy,
        .seed = o->seed, .skip_reason = reason,
    };
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    struct ncs_report_run run = { .scenario = scenario, .result = &result };
    report(suite, &run);
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

static void report_result(struct suite *suite, const struct ncs_scenario *scenario,
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
    report(suite, &run);
    ncs_str_free(&difference);
}

/* Of an option that may be given again; NULL = it was not given. */
static const char *last_text(const struct ncs_option_value *v)
{
    return v->given ? v->text[v->texts - 1] : NULL;
}

/* The command line over the scenario over the defaults. */
static struct ncs_run_options make_options(struct suite *suite, const struct ncs_scenario *s)
{
    const struct ncs_option_value *v = suite->value;
    return (struct ncs_run_options){
        .driver = drivers[v[DRIVER].number],
        .nccl_lib = last_text(&v[NCCL_LIB]),
        .cudart_lib = last_text(&v[CUDART_LIB]),
        .ranks = s->ranks,
        .devices = s->devices,
        .policy = v[POLICY].given ? (enum ncs_policy)v[POLICY].number : s->policy,
        .eager = s->sim_eager,
        .lanes = s->sim_lanes,
        .seeded = v[SEED].number != 0,
        .seed = (uint64_t)v[SEED].number,
        .schedule = suite->schedule,
        .own_threads = v[RANKS_AS].number == 1,
        .verify = s->verify && !v[NO_VERIFY].given,
        .timeout = v[TIMEOUT].given ? v[TIMEOUT].number : s->timeout,
        .nccl_version = s->sim_nccl,
        .device_memory = s->sim_memory,
        .capability = s->sim_capability,
        .ready_after = s->sim_ready_after,
        .quirks = s->sim_quirks,
        .needs_nccl = s->needs_nccl,
        .needs_gpus = s->needs_gpus,
        .once = v[UNSAFE].given,
        .env = s->env,
        .envs = s->envs,
        .on_log = ncs_log_line,
        .log_arg = &suite->log,
    };
}

/* ---- a rank that does not come back from a call ---- */

/* The run in progress, for the watch's thread. */
static struct {
    struct suite *suite;
    const struct ncs_scenario *scenario;
    const struct ncs_run_options *options;
} current;

/* "; not run: b.lua, c.lua", on standard error. */
static void add_not_run(const struct suite *suite, struct ncs_str *out)
{
    const struct ncs_files *files = suite->files;
    for (size_t i = suite->next; i < files->count; i++) {
        ncs_str_add(out, i == suite->next ? "; not run: " : ", ");
        ncs_safe_line(out, files->path[i]);
    }
}

static void summarize(struct suite *suite)
{
    suite->tally.not_run = suite->files->count - suite->next;
    if (suite->files->count < 2 || suite->json)
        return;
    struct ncs_str out = { 0 };
    ncs_tally_text(&suite->tally, &out);
    ncs_out(out.text);
    ncs_str_free(&out);
}

/* On the watch's thread. The rank's thread may hold the lock of standard output, and nothing that
 * it uses can be freed or looked at: what the run has done is lost, its verdict is not. */
static void give_up(void)
{
    struct suite *suite = current.suite;
    const struct ncs_run_options *o = current.options;
    static char reason[] = "a rank does not come back from a call of Lua's";
    struct ncs_result result = {
        .verdict = NCS_TIMEOUT, .ranks = o->ranks, .driver = o->driver, .policy = o->policy,
        .seed = o->seed, .skip_reason = reason,
    };
    struct ncs_report_run run = { .scenario = current.scenario, .result = &result };
    struct ncs_str text = { 0 };
    int status = ncs_verdict_exit(NCS_TIMEOUT);
    ncs_nccl_version_text(o->nccl_version, result.nccl, sizeof result.nccl);
    if (ftrylockfile(stdout) == 0) {
        report(suite, &run);
        summarize(suite);
        ncs_out_flush();
        status = ncs_tally_exit(&suite->tally);
        funlockfile(stdout);
    }
    ncs_str_add(&text, "ncclscript run: ");
    ncs_safe_line(&text, current.scenario->file);
    ncs_str_addf(&text, ": past the time limit, and %s: given up", reason);
    add_not_run(suite, &text);
    ncs_str_add(&text, "\n");
    ssize_t written = write(STDERR_FILENO, text.text, text.bytes);
    (void)written;
    _exit(status);
}

/* A rank is in a call of the real library that does not return, with memory that it may use: there
 * is no next run in this process, and no orderly end of it. */
static void end_here(struct suite *suite)
{
    struct ncs_str text = { 0 };
    summarize(suite);
    ncs_out_flush();
    ncs_str_add(&text, "ncclscript run: a rank does not come back from a call of NCCL's: given up");
    add_not_run(suite, &text);
    fprintf(stderr, "%s\n", text.text);
    _exit(ncs_tally_exit(&suite->tally));
}

static void run_script(struct suite *suite, struct ncs_script *script,
                       const struct ncs_scenario *scenario)
{
    struct ncs_run_options o = make_options(suite, scenario);
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
    current.suite = suite;
    current.scenario = scenario;
    current.options = &o;
    if (interrupts) /* while the file was loaded: there was no run to interrupt */
        ncs_run_interrupt();
    const struct ncs_result *result = ncs_run_execute(run);
    alarm(0);
    report_result(suite, scenario, result);
    if (!ncs_run_leave(run))
        end_here(suite);
    ncs_run_free(run);
}

static void run_file(struct suite *suite, const char *file)
{
    const struct ncs_option_value *v = suite->value;
    struct ncs_script_settings settings = {
        .set = v[SET].text,
        .sets = v[SET].texts,
        .ranks = (int)v[RANKS].number,
        .policy = v[POLICY].given ? (int)v[POLICY].number : -1,
        .nccl_version = v[NCCL].given ? ncs_nccl_version_code(ncs_nccl_profiles[v[NCCL].number]) : 0,
        .driver = drivers[v[DRIVER].number],
        .unsafe = v[UNSAFE].given,
    };
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

/* ---- the command ---- */

static int run_files(struct suite *suite, const struct ncs_files *files)
{
    if (!files->count) {
        fprintf(stderr, "ncclscript run: nothing was executed: no scenarios (*.lua) there\n");
        return ncs_verdict_exit(NCS_EMPTY);
    }
    catch_interrupts();
    ncs_run_stuck = give_up;
    suite->files = files;
    while (suite->next < files->count && !interrupts)
        run_file(suite, files->path[suite->next++]);
    summarize(suite);
    if (suite->next < files->count) /* a run that had its verdict keeps it */
        suite->tally.worst = ncs_verdict_worse(suite->tally.worst, NCS_INTERRUPTED);
    return ncs_tally_exit(&suite->tally);
}

/* The text of --schedule, or of the file that it names; NULL = it was not given. */
static bool read_schedule(const struct ncs_option_value *v, char **schedule, struct ncs_error *err)
{
    enum { MOST = 16 << 20 };
    *schedule = NULL;
    if (!v->given)
        return true;
    const char *given = v->text[v->texts - 1];
    if (given[0] != '@') {
        *schedule = ncs_copy_text(given);
        return true;
    }
    FILE *file = fopen(given + 1, "rb");
    if (!file)
        return ncs_fail(err, NCS_BAD_INPUT, "--schedule: cannot read `%s`: %s", given + 1,
                        strerror(errno));
    struct ncs_str text = { 0 };
    char piece[4096];
    for (size_t n; text.bytes <= MOST && (n = fread(piece, 1, sizeof piece, file)) > 0;)
        ncs_str_add_bytes(&text, piece, n);
    bool failed = ferror(file), endless = text.bytes > MOST;
    fclose(file);
    while (text.bytes > 0 && isspace((unsigned char)text.text[text.bytes - 1]))
        text.text[--text.bytes] = '\0';
    ncs_str_add(&text, "");
    *schedule = ncs_str_take(&text);
    if (endless)
        return ncs_fail(err, NCS_BAD_INPUT, "--schedule: `%s` is longer than 16 MiB", given + 1);
    return !failed || ncs_fail(err, NCS_BAD_INPUT, "--schedule: cannot read `%s`", given + 1);
}

/* Options that are for one driver alone. */
static bool fits_driver(const struct ncs_option_value *v, struct ncs_error *err)
{
    static const struct { int option, driver; } only[] = {
        { NCCL_LIB, 1 }, { CUDART_LIB, 1 }, { NCCL, 0 }, { SEED, 0 }, { SCHEDULE, 0 },
        { POLICY, 0 }, { RANKS_AS, 0 },
    };
    for (size_t i = 0; i < sizeof only / sizeof *only; i++)
        if (v[only[i].option].given && v[DRIVER].number != only[i].driver)
            return ncs_fail(err, NCS_BAD_INPUT, "--%s is for --driver %s, this run is on %s",
                            options[only[i].option].name, drivers[only[i].driver],
                            drivers[v[DRIVER].number]);
    return true;
}

static int run_operands(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    char *schedule;
    struct suite suite = {
        .value = v,
        .json = v[FORMAT].number == 1,
        .quiet = v[QUIET].given,
        .style = { .color = ncs_wants_color((enum ncs_color)v[COLOR].number, stdout),
                   .verbose = v[VERBOSE].given },
    };
    suite.log = (struct ncs_log){ .quiet = suite.quiet, .to_stderr = suite.json };
    if (v[UNSAFE].given)
        fprintf(stderr, "ncclscript run: --unsafe: scripts may run programs and use files\n");
    struct ncs_files files = { 0 };
    struct ncs_error err;
    int status = 0;
    if (!read_schedule(&v[SCHEDULE], &schedule, &err) || !fits_driver(v, &err)) {
        ncs_print_error(&err);
        status = 2;
    }
    suite.schedule = schedule;
    for (size_t i = 0; i < parsed->operands && !status; i++)
        if (!ncs_files_add(&files, parsed->operand[i], &err)) {
            ncs_print_error(&err);
            status = 2;
        }
    if (!status)
        status = run_files(&suite, &files);
    ncs_files_free(&files);
    ncs_free(schedule);
    ncs_log_close(&suite.log);
    return status;
}

static int run_main(const struct ncs_command *self, int argc, char **argv)
{
    struct ncs_parsed parsed;
    if (!ncs_options_parse(self, argc, argv, &parsed))
        return 2;
    int status = 0;
    if (parsed.help) {
        struct ncs_str out = { 0 };
        ncs_options_help(self, &out);
        ncs_out(out.text);
        ncs_str_free(&out);
    } else if (!parsed.operands) {
        ncs_usage_error(self->name, NULL, "no scenario was given");
        status = 2;
    } else {
        status = run_operands(&parsed);
    }
    ncs_parsed_free(self, &parsed);
    return status;
}

const struct ncs_command ncs_cmd_run = {
    .name = "run",
    .operands = "FILE|DIR...",
    .summary = "run scenarios and report what happened",
    .about = "A folder stands for all *.lua below it. Several scenarios end in one summary line,\n"
             "and the exit status is that of the worst.\n"
             "\n"
             "NCCL's environment variables do to the simulator what they do to NCCL; those that\n"
             "a scenario declares win. NCCL_DEBUG=INFO shows NCCL's log, on standard output, or\n"
             "on standard error beside --format json; NCCL_DEBUG_FILE names a file for it.\n",
    .option = options,
    .main = run_main,
};
