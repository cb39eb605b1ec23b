/* ncclscript shrink: makes a failing scenario smaller. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/thread.h"
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "cli/reproducer.h"
#include "cli/selection.h"
#include "reproduce/shrink.h"
#include "script/script.h"

enum { RANKS, SET, SEED, POLICY, BUDGET, MEMORY, OUTPUT, FORCE, QUIET, HELP };

static const char *const policies[] = { [NCS_POLICY_STRICT] = "strict", [NCS_POLICY_TYPICAL] = "typical", NULL };

#define BUDGET_NS ((int64_t)60 * 1000000000)

static const struct ncs_option options[] = {
    [RANKS] = NCS_ROW_NUMBER("ranks", 'n', "RANKS", "as declared", "Running", "number of ranks", 1, NCS_RANKS_MOST),
    [SET] = NCS_ROW_TEXTS("set", 0, "NAME=VALUE", NULL, "Running", "set a parameter; may be given again"),
    [SEED] = NCS_ROW_NUMBER("seed", 0, "N", "0", "Running", "choose the schedule by this number", 0, INT64_MAX),
    [POLICY] = NCS_ROW_WORDS("policy", 0, "as declared", "Running", "strict: what NCCL promises; typical: what it mostly does",
                             policies),
    [BUDGET] = NCS_ROW_TIME("budget", 0, "60s", "Running", "stop with what is found after this time"),
    [MEMORY] = NCS_OPTION_MEMORY("Running"),
    [OUTPUT] = NCS_ROW_TEXTS("output", 'o', "FILE", "standard output", "Output",
                             "write the smaller scenario, in YAML if FILE ends so"),
    [FORCE] = NCS_ROW_FLAG("force", 0, "Output", "replace FILE when it exists"),
    [QUIET] = NCS_ROW_FLAG("quiet", 'q', "Output", "print no progress and no summary"),
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

struct shrinker {
    const struct ncs_run_options *options;
    const struct ncs_reproduced *expected;
    bool yaml; /* trials have the notation of the file: the other may end otherwise */
    bool in_comments;
    struct ncs_shape hosts;             /* of the scenario; owns its lists */
    bool usual_devices;                 /* the scenario declares no devices: it ends so with the default, too */
    int *number;                        /* by rank of the smallest workload so far: its number at first; NULL = the same */
    struct ncs_str case_ran, case_last; /* of a matrix without a choice whose run passes */
    int64_t began, budget;
    bool shows, used_up;
    size_t trials;
    struct ncs_error *err;   /* why it cannot be shrunk */
    struct ncs_error failed; /* of a trial for which the machine had no room: it shows nothing, so the search ends */
};

/* ---- interrupts ---- */

static volatile sig_atomic_t shrink_interrupts;

/* The first one ends the trial in progress, and then the search. One more ends the program. */
static void on_shrink_signal(int number)
{
    (void)number;
    if (++shrink_interrupts > 1)
        _exit(ncs_verdict_exit(NCS_INTERRUPTED));
    ncs_run_interrupt();
}

static void catch_shrink_signals(void)
{
    struct sigaction action = { .sa_handler = on_shrink_signal, .sa_flags = SA_RESTART };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- the failing run ---- */

/* Declares the case of an operand FILE[CASE], as `run` prints it, for the scenario of FILE. False and err if there is none, or more
 * than one. `selection` has the script. */
static bool shrink_declare_case(const char *operand, struct ncs_script_settings settings, struct ncs_selection *selection,
                                struct ncs_scenario *scenario, struct ncs_error *err)
{
    *selection = (struct ncs_selection){ .settings = settings, .repeats = 1, .seed = (uint64_t)settings.seed };
    if (!ncs_selection_add(selection, operand, err))
        return false;
    const struct ncs_selection_file *file = &selection->file[0];
    if (!file->script) {
        *err = file->err;
        return false;
    }
    if (selection->runs != 1) {
        struct ncs_str first = { 0 };
        ncs_selection_add_full_name(selection, 0, &first);
        ncs_fail(err, NCS_BAD_INPUT, "%zu cases have this name, and shrink takes one", selection->runs);
        ncs_fail_at(err, operand, 0, 0);
        ncs_fail_hint(err, "`run --list` shows their whole names; the first is `%s`", first.text);
        ncs_str_free(&first);
        return false;
    }
    const struct ncs_case *c = ncs_selection_case(selection, 0);
    settings.value = c->value;
    settings.values = c->values;
    settings.ranks = c->ranks > 0 ? c->ranks : settings.ranks;
    return ncs_script_declare(file->script, &settings, scenario, err);
}

/* The case of a matrix that runs if the command line chooses none, "ranks=2,k=a", and the name of the last one. Nothing if there is
 * only one. */
static void shrink_name_case(const char *file, struct ncs_script_settings settings, const struct ncs_scenario *scenario,
                             struct ncs_str *ran, struct ncs_str *last)
{
    struct ncs_selection selection = { .settings = settings, .repeats = 1, .seed = (uint64_t)settings.seed };
    struct ncs_error ignored = { 0 };
    if (ncs_selection_add(&selection, file, &ignored) && selection.runs > 1 && selection.file[0].script) {
        const struct ncs_case *c = ncs_selection_case(&selection, 0);
        for (size_t i = 0; i < c->values; i++) { /* axes that are no parameters are ranks and seed */
            const struct ncs_param *param = ncs_scenario_param(scenario, c->value[i].name);
            bool is_ranks = strcmp(c->value[i].name, "ranks") == 0;
            ncs_str_addf(ran, "%s%s=", ran->bytes ? "," : "", c->value[i].name);
            if (param)
                ncs_param_text(param, ran);
            else
                ncs_str_addf(ran, "%" PRId64, is_ranks ? scenario->ranks : settings.seed);
        }
        ncs_selection_add_full_name(&selection, selection.runs - 1, last);
    }
    ncs_selection_free(&selection);
}

static bool shrink_run(struct shrinker *s, const char *operand, const struct ncs_option_value *v, struct ncs_run_options *o,
                       struct ncs_workload *workload, struct ncs_reproduced *expected, struct ncs_error *err)
{
    struct ncs_scenario scenario = { 0 };
    struct ncs_selection selection = { 0 };
    struct ncs_script_settings settings = { .set = v[SET].text,
                                            .sets = v[SET].texts,
                                            .ranks = (int)v[RANKS].number,
                                            .seeded = v[SEED].given,
                                            .seed = v[SEED].number,
                                            .policy = v[POLICY].given ? (int)v[POLICY].number : -1,
                                            .driver = "sim" };
    struct ncs_str path = { 0 }, name = { 0 };
    bool ok = false, is_case = ncs_selection_split(operand, &path, &name);
    const char *file = is_case ? path.text : operand;
    struct ncs_script *script = NULL;
    ncs_scenario_init(&scenario, file);
    if (!is_case)
        script = ncs_script_load(file, &settings, &scenario, err);
    else if (shrink_declare_case(operand, settings, &selection, &scenario, err))
        script = selection.file[0].script;
    if (script) {
        *o = ncs_scenario_options(&scenario);
        o->driver = "sim";
        o->policy = v[POLICY].given ? (enum ncs_policy)v[POLICY].number : o->policy;
        o->seed = is_case ? selection.run[0].seed : (uint64_t)v[SEED].number;
        o->seeded = o->seed != 0;
        struct ncs_program program = ncs_script_program(script, &scenario);
        struct ncs_run *run = ncs_run_new(o, &program, NULL, NULL);
        const struct ncs_result *result = ncs_run_execute(run);
        bool was_short = ncs_reproducer_was_short(result, err);
        ok = !was_short && result->journal && ncs_reproducer_read(result, file, workload, expected);
        if (shrink_interrupts)
            ok = false;
        else if (!ok && !was_short)
            ncs_fail(err, NCS_BAD_INPUT, "the run has no call of NCCL that shrink could keep");
        if (ok && !is_case && expected->verdict == NCS_PASS)
            shrink_name_case(file, settings, &scenario, &s->case_ran, &s->case_last);
        ncs_run_free(run);
        o->env = NULL; /* they are the scenario's */
        o->envs = 0;
        o->owns = (struct ncs_owns){ 0 };
        s->hosts = scenario.hosts; /* they are kept */
        scenario.hosts = (struct ncs_shape){ 0 };
    }
    ncs_scenario_free(&scenario);
    if (!is_case)
        ncs_script_free(script);
    ncs_selection_free(&selection);
    ncs_str_free(&path);
    ncs_str_free(&name);
    return ok;
}

/* ---- trials ---- */

/* outcome: what the scenario declares; NULL = nothing, because the numbers of ranks change. */
static void shrink_text(const struct shrinker *s, const struct ncs_workload *workload, const struct ncs_reproduced *outcome,
                        char *const *comment, size_t comments, struct ncs_str *out)
{
    struct ncs_workload_text text = {
        .yaml = s->yaml, .comment = comment, .comments = comments, .places_in_comments = s->in_comments
    };
    struct ncs_str about = { 0 };
    ncs_reproduced_add(outcome ? outcome : s->expected, &about);
    text.about = about.text;
    ncs_reproducer_settings(s->options, workload->ranks, outcome ? outcome : s->expected, &text);
    text.verdict = outcome ? text.verdict : NULL;
    text.hosts = s->usual_devices ? (struct ncs_shape){ 0 } : text.hosts;
    ncs_workload_emit(workload, &text, out);
    ncs_str_free(&about);
}

/* Runs the workload and gives its ranks the numbers that they had at first. */
static bool shrink_try(struct shrinker *s, const struct ncs_workload *workload, const int *rank, struct ncs_reproduced *now)
{
    struct ncs_error err = { 0 };
    struct ncs_str text = { 0 };
    shrink_text(s, workload, NULL, NULL, 0, &text);
    bool ran = ncs_reproducer_try(text.text, s->yaml, s->options->seed, now, &err);
    ncs_str_free(&text);
    if (!ran && err.status == NCS_NO_MEMORY)
        s->failed = err;
    for (size_t i = 0; ran && rank && i < now->ranks; i++)
        now->rank[i] = now->rank[i] < workload->ranks ? rank[now->rank[i]] : -1;
    return ran;
}

/* The run ends as it should, and the culprits are those of the first run that are left. One is left at least. */
static bool shrink_keeps(void *arg, const struct ncs_workload *workload, const int *rank)
{
    struct shrinker *s = arg;
    struct ncs_reproduced now, left = *s->expected;
    left.rank = ncs_new((left.ranks + 1) * sizeof *left.rank);
    left.ranks = 0;
    for (size_t i = 0; i < s->expected->ranks; i++)
        for (int r = 0; r < workload->ranks; r++)
            if (rank[r] == s->expected->rank[i])
                left.rank[left.ranks++] = rank[r];
    bool keeps = (left.ranks > 0 || s->expected->ranks == 0) && shrink_try(s, workload, rank, &now);
    if (keeps) {
        keeps = ncs_reproduced_equal(&now, &left);
        ncs_reproduced_free(&now);
    }
    ncs_free(left.rank);
    if (keeps) { /* it is the smallest now */
        ncs_free(s->number);
        s->number = ncs_new((size_t)workload->ranks * sizeof *s->number);
        memcpy(s->number, rank, (size_t)workload->ranks * sizeof *s->number);
    }
    return keeps;
}

static bool shrink_goes_on(void *arg, const struct ncs_workload *smallest, size_t trials)
{
    struct shrinker *s = arg;
    s->trials = trials;
    if (s->shows)
        fprintf(stderr, "\r\033[K%zu trials: %d rank%s, %zu call%s", trials, smallest->ranks, smallest->ranks == 1 ? "" : "s",
                ncs_workload_statements(smallest), ncs_workload_statements(smallest) == 1 ? "" : "s");
    s->used_up = ncs_clock() - s->began > s->budget;
    return !s->used_up && !shrink_interrupts && s->failed.status == NCS_OK;
}

/* ---- the result ---- */

static void add_size(struct ncs_str *out, const struct ncs_workload *workload)
{
    size_t calls = ncs_workload_statements(workload);
    ncs_str_addf(out, "%d rank%s, %zu call%s", workload->ranks, workload->ranks == 1 ? "" : "s", calls, calls == 1 ? "" : "s");
}

#define SHRINK_NUMBERS_SHOWN 8 /* ranks */

/* Appends "Rank 1 was rank 8, rank 2 was rank 9.": the ranks that have another number. Nothing if none or many have. */
static void add_numbers(struct ncs_str *out, const struct shrinker *s, const struct ncs_workload *workload)
{
    int moved = 0;
    for (int r = 0; s->number && r < workload->ranks; r++)
        moved += s->number[r] != r;
    if (moved == 0 || moved > SHRINK_NUMBERS_SHOWN)
        return;
    for (int r = 0; r < workload->ranks; r++)
        if (s->number[r] != r)
            ncs_str_addf(out, "%s %d was rank %d", out->bytes ? ", rank" : "Rank", r, s->number[r]);
    ncs_str_add(out, ".");
}

/* Runs the text that will be written. False, with err, if it does not end as it declares. */
static bool shrink_holds(const struct shrinker *s, const char *text, const struct ncs_reproduced *declared, struct ncs_error *err)
{
    struct ncs_reproduced again;
    struct ncs_error why = { 0 };
    if (!ncs_reproducer_try(text, s->yaml, s->options->seed, &again, &why))
        return ncs_fail(err, why.status, "ncclscript cannot read the scenario that it wrote, so nothing was written: %s",
                        why.text);
    bool same = ncs_reproduced_equal(&again, declared);
    ncs_reproduced_free(&again);
    return same || ncs_fail(err, NCS_BAD_INPUT, "the smaller scenario does not end as it declares, so nothing was written");
}

/* Leaves out the devices if the workload ends as `now` without them. */
static void shrink_devices(struct shrinker *s, const struct ncs_workload *workload, const struct ncs_reproduced *now)
{
    struct ncs_reproduced usual;
    s->usual_devices = true;
    bool ran = shrink_try(s, workload, NULL, &usual);
    s->usual_devices = ran && ncs_reproduced_equal(&usual, now);
    if (ran)
        ncs_reproduced_free(&usual);
}

/* How the smaller scenario ends, with its own ranks' numbers. */
static bool shrink_write(struct shrinker *s, const struct ncs_option_value *v, const char *file, const char *before,
                         const struct ncs_workload *workload, struct ncs_error *err)
{
    const char *given = ncs_option_last(&v[OUTPUT]), *output = given && strcmp(given, "-") != 0 ? given : NULL;
    struct ncs_reproduced now = { 0 };
    struct ncs_str line = { 0 }, numbers = { 0 }, seed = { 0 }, text = { 0 };
    bool fits = shrink_try(s, workload, NULL, &now);
    if (fits) {
        char *comment[3];
        size_t comments = 0;
        shrink_devices(s, workload, &now);
        ncs_str_addf(&line, "Shrunk by ncclscript from %s: ", file);
        ncs_str_addf(&line, "%s, to ", before);
        add_size(&line, workload);
        ncs_str_add(&line, ".");
        comment[comments++] = line.text;
        add_numbers(&numbers, s, workload);
        if (numbers.bytes)
            comment[comments++] = numbers.text;
        if (s->options->seed) {
            ncs_str_addf(&seed, "Run it with --seed %" PRIu64 ".", s->options->seed);
            comment[comments++] = seed.text;
        }
        shrink_text(s, workload, &now, comment, comments, &text);
        fits = shrink_holds(s, text.text, &now, err);
    }
    if (!fits && !err->text[0])
        ncs_fail(err, NCS_BAD_INPUT, "the smaller scenario cannot be run, so nothing was written");
    if (fits && !output) {
        ncs_out(text.text);
    } else if (fits && !ncs_file_write(output, text.text, text.bytes, v[FORCE].given, err)) {
        ncs_reproducer_hint_force(output, v[FORCE].given, err);
        fits = false;
    }
    ncs_reproduced_free(&now);
    ncs_str_free(&line);
    ncs_str_free(&numbers);
    ncs_str_free(&seed);
    ncs_str_free(&text);
    return fits;
}

/* The workload ends as the scenario does, with its places as labels or in comments. *end gets how it ends. */
static bool shrink_ends_so(struct shrinker *s, const struct ncs_workload *workload, struct ncs_str *end, bool *ran)
{
    struct ncs_reproduced now;
    bool same = false;
    for (int way = 0; way < 2 && !same; way++) {
        s->in_comments = way == 1;
        *ran = shrink_try(s, workload, NULL, &now) && !shrink_interrupts;
        if (!*ran)
            return false;
        same = ncs_reproduced_equal(&now, s->expected);
        ncs_str_clear(end);
        ncs_reproduced_add(&now, end);
        ncs_reproduced_free(&now);
    }
    return same;
}

/* Leaves out what hosts do besides calls, if the workload ends as the scenario does only then. */
static bool shrink_fits(struct shrinker *s, struct ncs_workload *workload, struct ncs_str *ends, bool *ran)
{
    struct ncs_str fewer_ends = { 0 };
    struct ncs_workload fewer;
    bool ran_fewer, same = shrink_ends_so(s, workload, ends, ran);
    if (!same && *ran && !shrink_interrupts && ncs_workload_without(workload, NCS_WITHOUT_HOSTS, &fewer)) {
        same = shrink_ends_so(s, &fewer, &fewer_ends, &ran_fewer);
        if (same) {
            fewer.other = workload->other;
            workload->other = NULL;
        }
        ncs_workload_free(same ? workload : &fewer);
        if (same)
            *workload = fewer;
    }
    ncs_str_free(&fewer_ends);
    return same;
}

/* The refusal of a workload whose run ends otherwise, as `ends`. */
static void shrink_refuse(struct shrinker *s, struct ncs_workload *workload, struct ncs_str *ends, struct ncs_error *err)
{
    struct ncs_str in_lua = { 0 };
    bool ran;
    if (s->yaml) {
        s->yaml = false;
        if (shrink_fits(s, workload, &in_lua, &ran)) {
            ncs_fail(err, NCS_BAD_INPUT, "cannot be shrunk to YAML: there the run ends otherwise (%s)", ends->text);
            ncs_fail_hint(err, "Lua keeps several calls on one line: write a FILE that ends in .lua");
        }
    }
    if (!err->text[0] && !shrink_interrupts) {
        ncs_fail(err, NCS_BAD_INPUT, "cannot be shrunk: with its calls alone the run ends otherwise (%s)", ends->text);
        ncs_str_clear(ends);
        ncs_workload_add_losses(workload, s->expected->verdict == NCS_WRONG && !s->expected->why, ends);
        ncs_fail_hint(err, "shrink does not keep: %s", ends->text);
    }
    ncs_str_free(&in_lua);
}

/* Takes the order of the calls in which the workload ends as the scenario does. False without err after an interrupt. */
static bool shrink_reproduces(void *arg, struct ncs_workload *workload)
{
    struct shrinker *s = arg;
    struct ncs_error *err = s->err;
    struct ncs_str ends = { 0 }, other_ends = { 0 };
    bool ran = false, ran_other, same = shrink_fits(s, workload, &ends, &ran);
    if (!same && ran && workload->other && !shrink_interrupts) {
        same = shrink_fits(s, workload->other, &other_ends, &ran_other);
        if (same) {
            struct ncs_workload *other = workload->other;
            workload->other = NULL;
            ncs_workload_free(workload);
            *workload = *other;
            ncs_free(other);
        }
    }
    if (!same && !ran && !shrink_interrupts)
        ncs_fail(err, NCS_BAD_INPUT, "cannot be shrunk: its calls do not fit into a scenario");
    if (!same && ran && !shrink_interrupts)
        shrink_refuse(s, workload, &ends, err);
    ncs_str_free(&ends);
    ncs_str_free(&other_ends);
    return same;
}

static int shrink_file(struct shrinker *s, const struct ncs_parsed *parsed, struct ncs_workload *workload, struct ncs_error *err)
{
    const struct ncs_option_value *v = parsed->value;
    struct ncs_str before = { 0 }, after = { 0 };
    if (s->expected->verdict == NCS_PASS) {
        if (s->case_last.bytes)
            fprintf(stderr,
                    "ncclscript shrink: %s passes with %s: there is nothing to shrink\n"
                    "  hint: choose another case, as `shrink '%s'`; `ncclscript run --list %s` lists the cases\n",
                    parsed->operand[0], s->case_ran.text, s->case_last.text, parsed->operand[0]);
        else
            fprintf(stderr, "ncclscript shrink: %s passes: there is nothing to shrink\n", parsed->operand[0]);
        return 1;
    }
    if (!s->expected->why) {
        struct ncs_str ends = { 0 };
        ncs_reproduced_add(s->expected, &ends);
        ncs_fail(err, NCS_BAD_INPUT, "cannot be shrunk: the run ends without a finding (%s)", ends.text);
        ncs_fail_hint(err, "shrink keeps the class of a cause, such as skipped-call");
        ncs_str_free(&ends);
        return 2;
    }
    add_size(&before, workload);
    s->err = err;
    bool stands = ncs_workload_shrink(
        workload,
        &(struct ncs_shrink){ .stands = shrink_reproduces, .keeps = shrink_keeps, .goes_on = shrink_goes_on, .arg = s });
    if (s->shows)
        fprintf(stderr, "\r\033[K");
    if (!stands) {
        ncs_str_free(&before);
        return 2;
    }
    bool interrupted = shrink_interrupts > 0;
    if (interrupted)
        ncs_run_rearm();
    bool written = s->failed.status == NCS_OK && shrink_write(s, v, parsed->operand[0], before.text, workload, err);
    add_size(&after, workload);
    if (written && !v[QUIET].given)
        fprintf(stderr, "ncclscript shrink: %s became %s in %zu trial%s%s\n", before.text, after.text, s->trials,
                s->trials == 1 ? "" : "s",
                interrupted  ? "; it was interrupted: this is the smallest so far"
                : s->used_up ? "; the time of --budget is used up"
                             : "");
    ncs_str_free(&before);
    ncs_str_free(&after);
    return !written ? 2 : interrupted ? ncs_verdict_exit(NCS_INTERRUPTED) : 0;
}

/* True if the output is the file of the operand, whatever they are called. */
static bool shrink_onto_itself(const char *operand, const char *output)
{
    struct ncs_str path = { 0 }, name = { 0 };
    struct stat from, to;
    bool is_case = ncs_selection_split(operand, &path, &name);
    bool same = output && stat(is_case ? path.text : operand, &from) == 0 && stat(output, &to) == 0 && from.st_dev == to.st_dev &&
                from.st_ino == to.st_ino && S_ISREG(to.st_mode);
    ncs_str_free(&path);
    ncs_str_free(&name);
    return same;
}

static int shrink_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct ncs_error err = { 0 };
    struct ncs_workload workload = { 0 };
    struct ncs_reproduced expected = { 0 };
    struct ncs_run_options run_options;
    int status = 2;
    if (shrink_onto_itself(parsed->operand[0], ncs_option_last(&v[OUTPUT]))) {
        ncs_usage_error("shrink", NULL, "-o %s would replace the scenario", ncs_option_last(&v[OUTPUT]));
        return 2;
    }
    ncs_memory_limit("shrink", &v[MEMORY], 1);
    catch_shrink_signals();
    struct shrinker s = { .options = &run_options,
                          .expected = &expected,
                          .began = ncs_clock(),
                          .budget = v[BUDGET].given ? v[BUDGET].number : BUDGET_NS,
                          .shows = !v[QUIET].given && isatty(STDERR_FILENO) };
    const char *output = ncs_option_last(&v[OUTPUT]);
    s.yaml = output && ncs_reproducer_is_yaml(output);
    if (shrink_run(&s, parsed->operand[0], v, &run_options, &workload, &expected, &err))
        status = shrink_file(&s, parsed, &workload, &err);
    if (status == 2 && shrink_interrupts && !err.text[0]) {
        fprintf(stderr, "ncclscript shrink: interrupted before anything was found: nothing was written\n");
        status = ncs_verdict_exit(NCS_INTERRUPTED);
    } else if (status == 2 && (err.text[0] || s.failed.text[0])) {
        err = s.failed.status != NCS_OK ? s.failed : err;
        if (!err.file[0])
            ncs_fail_at(&err, parsed->operand[0], err.line, err.column);
        status = ncs_print_error(&err);
    }
    ncs_free(s.number);
    ncs_free(s.hosts.first);
    ncs_free(s.hosts.capability);
    ncs_str_free(&s.case_ran);
    ncs_str_free(&s.case_last);
    ncs_workload_free(&workload);
    ncs_reproduced_free(&expected);
    return status;
}

const struct ncs_command ncs_cmd_shrink = {
    .name = "shrink",
    .operands = "FILE",
    .summary = "make a failing scenario smaller",
    .about = "shrink runs the scenario once and records its calls of NCCL and its waits. Then it leaves out ranks and\n"
             "calls, and reduces the counts. It runs each smaller scenario, and keeps it only if the run has the same\n"
             "verdict and the same class of cause, and if at least one of the culprits is left. The result is a\n"
             "scenario that declares how it ends. The same scenario gives the same result.\n"
             "\n"
             "The result contains calls of NCCL, waits, events, barriers and keys of the store. It does not contain\n"
             "the contents of buffers, and one thread makes all calls of a rank. If the run ends in another way\n"
             "without them, shrink refuses the scenario.\n"
             "\n"
             "FILE[CASE] names a case of a matrix, as `run --list` prints it. An interrupt ends the search: shrink\n"
             "writes the smallest scenario that it has found, and returns 130.\n"
             "\n"
             "Exit status: 0 a scenario was written, 1 the scenario passes, 2 the scenario cannot be shrunk or FILE\n"
             "cannot be written, 7 no memory, 130 interrupted.\n",
    .option = options,
    .missing = "no file was given: a scenario that fails",
    .several = "shrink takes one file",
    .main = shrink_main,
};
