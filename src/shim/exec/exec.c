/* Reports to a program on the drop-in libraries why it hangs, and at its end which of its calls NCCL does
 * not promise to allow and which objects it has not freed. Built into libncclscript-exec.so, which the
 * drop-in libraries open. */
#define _GNU_SOURCE /* program_invocation_name */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/version.h"
#include "base/error.h"
#include "base/interpreter.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "driver/journal.h"
#include "shim/absent.h"
#include "shim/exec/exec.h"
#include "shim/exec/places.h"
#include "shim/exec/site.h"
#include "shim/kernel/kernel.h"
#include "shim/many/serve.h"
#include "shim/many/server.h"
#include "sim/kernel/foreign.h"

#define EXIT_OUTPUT 74                   /* a file that was asked for is missing; as in cli/output.h */
#define JOURNAL_BYTES ((size_t)40 << 20) /* some 260 000 calls */
#define RECORD_BYTES ((size_t)1 << 30)   /* for --record: all calls of most programs */

static struct ncs_shim_settings settings;
static const struct ncs_machine *machine;
static struct ncs_journal *journal;
static int end_status; /* of the program that ends */
static bool untold;    /* exec lacks a message, so this process's own exit status has to be the verdict's */

/* ---- messages to the program that started this one (base/channel.h) ---- */

static void exec_tell(enum ncs_channel_kind kind, const char *format, ...)
{
    struct ncs_channel_message message;
    va_list args;
    errno = 0;
    int channel = ncs_channel_open(getenv(NCS_CHANNEL));
    va_start(args, format);
    size_t bytes = ncs_channel_fill(&message, kind, format, args);
    va_end(args);
    bool lost = channel < 0 ? ncs_status_of(errno) == NCS_NO_MEMORY : !ncs_shim_write(channel, (const char *)&message, bytes);
    if (lost && !untold)
        ncs_shim_warn("the report to ncclscript exec has gaps: %s", strerror(errno));
    untold |= lost;
    if (channel >= 0)
        close(channel);
}

static void exec_tell_cause(const struct ncs_report_run *run)
{
    struct ncs_str cause = { 0 };
    ncs_report_message(run, &cause);
    ncs_report_name_lines(&cause, false, &ncs_places);
    exec_tell(NCS_CHANNEL_CAUSE, "%s", cause.text ? cause.text : "");
    ncs_str_free(&cause);
}

/* ---- calls ---- */

static void on_return(const struct ncs_journal *j, struct ncs_call *call)
{
    static bool cuda;
    if (!cuda && ncs_fn_info[call->fn].lib != NCS_LIB_NCCL) {
        cuda = true;
        exec_tell(NCS_CHANNEL_CUDA, "");
    }
    ncs_failed_look(j, call, ncs_misuse_look(j, call));
    ncs_checks_call(call);
    if (settings.sites >= 0)
        ncs_call_list_add(j, call, settings.sites);
}

static const struct ncs_api *open_above(const struct ncs_shim_settings *given, const struct ncs_driver *driver)
{
    settings = *given;
    ncs_decisions_kept = settings.debug;
    if (!ncs_report_format_of(settings.format)) {
        ncs_shim_warn("NCCLSCRIPT_FORMAT=%s is ignored: there is no such format", settings.format);
        settings.format = "text";
    }
    machine = driver->machine;
    journal = ncs_journal_open(settings.scenario ? RECORD_BYTES : JOURNAL_BYTES, false);
    ncs_checks_open(&settings, driver, journal);
    ncs_exec_faults_open(settings.faults, machine, journal);
    journal->returned = on_return;
    journal->asked = ncs_failed_asked;
    exec_tell(NCS_CHANNEL_USED, "");
    return ncs_journal_wrap(journal, driver->api);
}

/* ---- the report ---- */

/* The name of the process: the script that it runs, or the program as its caller wrote it, which may be empty; then the file's
 * name. A program can replace its command line, as setproctitle does. */
static char *program_name(void)
{
    char file[4096], script[4096];
    script[0] = '\0';
    if (!server_is_open()) /* else a process of the program has said its name */
        ncs_interpreter_own_script(script, sizeof script);
    if (script[0])
        return ncs_copy_text(script);
    if (program_invocation_name[0])
        return ncs_copy_text(program_invocation_name);
    ssize_t bytes = readlink("/proc/self/exe", file, sizeof file - 1);
    file[bytes > 0 ? bytes : 0] = '\0';
    return ncs_copy_text(bytes > 0 ? file : "program");
}

static int count_ranks(void)
{
    int most = 0;
    for (size_t i = 0; i < journal->comms; i++)
        if (journal->comm[i]->nranks > most)
            most = journal->comm[i]->nranks;
    return most;
}

/* Programs have no script: says "its own code" instead, and what the rank does there. Whom it waits for there is not known. They
 * have no declared outcome, either. */
static void word_for_programs(struct ncs_diagnosis *d, bool lost)
{
    for (size_t i = 0; lost && i < d->findings; i++) {
        ncs_sentence_free(d->finding[i].fix);
        d->finding[i].fix = NULL;
    }
    for (size_t i = 0; i < d->waits; i++) {
        struct ncs_wait_line *w = &d->wait[i];
        bool script = w->in && strcmp(w->in, "script") == 0;
        if (!script && !(w->in && strchr(w->in, ' '))) /* a gate of the program's own code: settle.c */
            continue;
        struct ncs_str in = { 0 };
        ncs_str_addf(&in, "its own code, and %s", script ? ncs_settle_doing(w->rank, w->thread) : w->in);
        ncs_free(w->in);
        ncs_free(w->peer);
        w->in = ncs_str_take(&in);
        w->peer = NULL;
        w->peers = 0;
    }
}

static const struct ncs_finding *first_error(const struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings; i++)
        if (d->finding[i].level == NCS_LEVEL_ERROR)
            return &d->finding[i];
    return NULL;
}

static bool waits_in_a_call(const struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->contexts; i++)
        if (s->context[i].state == NCS_CONTEXT_PARKED && s->context[i].call)
            return true;
    return false;
}

/* True if threads that a fault stopped are all that the program waits for: the others have come to their end. */
static bool only_faults_remain(enum ncs_stop how, const struct ncs_snapshot *s)
{
    return how == NCS_STOP_QUIET && ncs_exec_faults_stopped() && !waits_in_a_call(s);
}

/* A line needs a rank: threads for which none is known are listed in a note. */
static void add_unknown_pollers(const struct ncs_snapshot *s, struct ncs_str *note)
{
    struct ncs_str who = { 0 };
    ncs_settle_list_pollers(journal, s, true, &who);
    if (who.bytes)
        ncs_str_addf(note, "other threads poll: %s", who.text);
    ncs_str_free(&who);
}

/* doubt: gets why the verdict is not certain, or another note, or nothing. deaths: gets the processes that were ended, of which the
 * result says more. */
static enum ncs_exec_death exec_fill(struct ncs_result *r, enum ncs_stop how, struct ncs_str *doubt, struct ncs_str *deaths)
{
    struct ncs_snapshot snapshot;
    machine->snapshot(&snapshot);
    r->stop = only_faults_remain(how, &snapshot) ? NCS_STOP_DONE : how;
    snapshot.stop = r->stop;
    if (r->stop == NCS_STOP_INTERRUPTED && waits_in_a_call(&snapshot)) /* for the whole time limit: as in a hang */
        snapshot.stop = NCS_STOP_STALLED;
    snapshot.many = server_is_open();
    ncs_places_settle(journal, &snapshot);
    ncs_settle_polls(journal, &snapshot);
    ncs_settle_contexts(&snapshot);
    r->ranks = count_ranks();
    ncs_checks_fill(r);
    struct ncs_notices *notices = ncs_checks_notices();
    bool lost = r->stop == NCS_STOP_DONE && ncs_exec_faults_lost(notices);
    ncs_exec_unlike(notices);
    ncs_diagnose(journal, &snapshot, notices->notice, notices->count, &r->diagnosis);
    ncs_diagnosis_decide(&r->diagnosis, journal);
    word_for_programs(&r->diagnosis, lost);
    if (how == NCS_STOP_STALLED)
        ncs_settle_add_pollers(journal, &snapshot, settings.patience, doubt);
    else if (how == NCS_STOP_INTERRUPTED)
        add_unknown_pollers(&snapshot, doubt);
    ncs_settle_lines(journal, &snapshot, &r->diagnosis);
    ncs_failed_fill(r, how != NCS_STOP_DONE || end_status != 0);
    enum ncs_exec_death death = ncs_exec_deaths(journal, deaths);
    ncs_snapshot_free(&snapshot);
    r->verdict = lost ? NCS_LOST : r->wrong_count > 0 || first_error(&r->diagnosis) ? NCS_WRONG : NCS_PASS;
    const struct ncs_finding *cause = first_error(&r->diagnosis);
    r->certainty = cause ? cause->certainty : NCS_CERTAIN;
    r->driver = "sim";
    r->policy = settings.typical ? NCS_POLICY_TYPICAL : NCS_POLICY_STRICT;
    r->seed = settings.seed;
    r->virtual_time = machine->now();
    r->calls = journal->calls;
    r->journal = journal;
    ncs_nccl_version_text(settings.nccl_version, r->nccl, sizeof r->nccl);
    return death;
}

/* Notes the calls that failed because the simulator lacks their function. */
static void note_absent_calls(struct ncs_str *notes)
{
    struct ncs_str list = { 0 };
    ncs_shim_list_absent(&list);
    if (list.bytes)
        ncs_str_addf(notes, "ncclscript: not simulated, so these calls failed: %s\n", list.text);
    ncs_str_free(&list);
}

static void note_kernels(struct ncs_str *notes)
{
    struct ncs_str list = { 0 };
    ncs_shim_list_kernels(&list);
    if (list.bytes)
        ncs_str_addf(notes, "ncclscript: kernels that were not run: %s: %s\n", list.text,
                     settings.skips_kernels ? "results that depend on them are not verified" : "their launches failed");
    ncs_str_free(&list);
}

static void note_faults(struct ncs_str *notes, const struct ncs_result *r, enum ncs_stop how)
{
    if (how == NCS_STOP_QUIET && r->stop == NCS_STOP_DONE && r->verdict == NCS_PASS)
        ncs_str_add(notes, "ncclscript: all other threads have come to their end, and the program waits for the thread that "
                           "a fault stopped\n");
    ncs_exec_faults_unnamed(notes);
    if (r->stop == NCS_STOP_DONE)
        ncs_exec_faults_unused(journal, notes);
}

/* Findings of the kind that the settings name, in a run that passes otherwise. Returns true if there are any. */
static bool fails_by_findings(const struct ncs_result *r, const struct ncs_scenario *scenario, struct ncs_failing *failing)
{
    for (int level = 0; settings.fail_on && ncs_fail_on_names[level]; level++)
        if (r->verdict == NCS_PASS && strcmp(settings.fail_on, ncs_fail_on_names[level]) == 0)
            ncs_outcome_failing(&scenario->outcome, r, (enum ncs_fail_on)level, failing);
    return failing->rules > 0;
}

/* Appends the report in the settings' format, and writes the further ones; false if one of these was not written. */
static bool report_documents(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_report report;
    const struct ncs_report_style style = { .verbose = false };
    char *list = ncs_copy_text(settings.report ? settings.report : ""), *line = list, *file;
    ncs_report_begin(&report, ncs_report_format_of(settings.format), &style, out);
    while ((file = strsep(&line, "\n")) != NULL && *file) {
        const struct ncs_report_format *format = ncs_report_format_of(strsep(&file, " "));
        if (format && file && !(run->as_expected && access(file, F_OK) == 0)) /* another process has written it: it may fail */
            ncs_report_also(&report, format, file);
    }
    ncs_report_only(&report, run, out);
    bool whole = true;
    for (const struct ncs_report *also = report.further; also; also = also->further)
        whole &= ncs_exec_file_write(also->path, &also->document);
    ncs_report_free(&report);
    ncs_free(list);
    return whole;
}

/* Prints the result, with further lines of notes behind it. `stopped`: ncclscript ends the program.
 * Returns the exit status. */
static int print(const struct ncs_result *r, const struct ncs_str *doubt, const struct ncs_str *notes, bool stopped)
{
    struct ncs_scenario scenario;
    char *name = program_name();
    ncs_scenario_init(&scenario, name);
    struct ncs_str ignored = { 0 };
    char *note[2];
    struct ncs_report_run run = {
        .scenario = &scenario, .result = r, .as_expected = r->verdict == NCS_PASS, .places = &ncs_places, .note = note
    };
    if (doubt->bytes > 0)
        note[run.notes++] = doubt->text;
    ncs_report_ignored(r, &ignored);
    if (ignored.bytes > 0)
        note[run.notes++] = ignored.text;
    struct ncs_report_process *processes = ncs_exec_processes(&run.processes);
    run.process = processes;
    struct ncs_report_style style = { .verbose = false };
    struct ncs_str out = { 0 };
    bool fails = fails_by_findings(r, &scenario, &run.failing);
    run.as_expected &= !fails;
    bool text = strcmp(settings.format, "text") == 0;
    bool written = (text && !settings.report) || report_documents(&run, &out);
    if (text)
        ncs_str_clear(&out);
    if (text && (r->verdict != NCS_PASS || r->diagnosis.findings > 0 || fails)) {
        ncs_report_text(&run, &style, &out);
    } else if (text) {
        if (settings.verify)
            ncs_report_counts(&run, &out);
        if (ignored.bytes > 0)
            ncs_str_addf(&out, "ncclscript: %s\n", ignored.text);
    }
    if (text)
        ncs_report_name_lines(&out, false, &ncs_places);
    if (text && r->verdict == NCS_HANG)
        ncs_exec_told_shorten(&out);
    if (out.bytes > 0 && text)
        ncs_places_note(&out);
    if (notes->bytes > 0)
        ncs_str_add(&out, notes->text);
    bool whole = !out.text || ncs_shim_write(STDERR_FILENO, out.text, out.bytes);
    whole &= ncs_exec_timeline_write(&run) && written;
    if (settings.scenario)
        whole &= ncs_exec_reproduce(r, settings.scenario, name, exec_tell);
    if (settings.html || settings.trace || settings.scenario || settings.report)
        exec_tell(NCS_CHANNEL_FILES, "");
    if (r->verdict != NCS_PASS || fails)
        exec_tell_cause(&run);
    else if (stopped)
        exec_tell(NCS_CHANNEL_CAUSE, "the other ranks come to their end");
    ncs_failing_free(&run.failing);
    ncs_str_free(&ignored);
    ncs_free(processes);
    ncs_str_free(&out);
    ncs_scenario_free(&scenario);
    ncs_free(name);
    if (!whole)
        return EXIT_OUTPUT;
    return fails ? ncs_verdict_exit(NCS_WRONG) : ncs_verdict_exit(r->verdict);
}

/* A thread may still act. */
static void exec_soften(struct ncs_result *r)
{
    ncs_diagnosis_soften(&r->diagnosis);
    r->certainty = NCS_LIKELY;
}

/* In a copy of the process: the report settles what the program still changes. */
static void exec_stalled(const char *why)
{
    struct ncs_result result = { 0 };
    struct ncs_str doubt = { 0 }, deaths = { 0 }, out = { 0 };
    struct ncs_report_style style = { .verbose = false };
    struct ncs_scenario scenario;
    exec_fill(&result, NCS_STOP_STALLED, &doubt, &deaths);
    ncs_str_clear(&doubt);
    ncs_str_add(&doubt, why);
    result.verdict = NCS_HANG;
    exec_soften(&result);
    ncs_scenario_init(&scenario, program_name());
    struct ncs_report_run run = {
        .scenario = &scenario, .result = &result, .places = &ncs_places, .goes_on = true, .note = &doubt.text, .notes = 1
    };
    run.process = ncs_exec_processes(&run.processes);
    ncs_report_text(&run, &style, &out);
    ncs_report_name_lines(&out, false, &ncs_places);
    ncs_exec_told_keep(&out);
    ncs_str_addf(&out, "%s", deaths.text ? deaths.text : "");
    ncs_shim_write(STDERR_FILENO, out.text, out.bytes);
    _exit(0);
}

static void verdict(enum ncs_stop how)
{
    struct ncs_result result = { 0 };
    struct ncs_str notes = { 0 }, doubt = { 0 };
    struct ncs_str deaths = { 0 };
    exec_fill(&result, how, &doubt, &deaths);
    if (deaths.bytes && result.diagnosis.findings == 0)
        ncs_str_add(&notes, deaths.text);
    note_absent_calls(&notes);
    note_kernels(&notes);
    note_faults(&notes, &result, how);
    if (result.stop != NCS_STOP_DONE)
        result.verdict = how == NCS_STOP_INTERRUPTED ? NCS_TIMEOUT : NCS_HANG;
    if (how == NCS_STOP_INTERRUPTED)
        result.skip_reason = ncs_copy_text(journal->calls ? "no call made progress" : "no call of NCCL or CUDA was made");
    if (ncs_shim_helpers_wait() && how == NCS_STOP_QUIET) {
        result.stop = NCS_STOP_STALLED;
        ncs_str_add(&doubt, "threads that have made no call wait for messages from outside of the program: only they could still "
                            "end the hang");
    }
    if (result.stop == NCS_STOP_STALLED || (how == NCS_STOP_INTERRUPTED && first_error(&result.diagnosis)))
        exec_soften(&result);
    int status = print(&result, &doubt, &notes, true);
    ncs_call_list_write(exec_tell);
    exec_tell(NCS_CHANNEL_VERDICT, "%d", status);
    ncs_many_end_clients();
    _exit(status);
}

/* A mistake without consequences here still sets the exit status if the program returns 0. */
static void ended(int status)
{
    struct ncs_result result = { 0 };
    struct ncs_str notes = { 0 }, left = { 0 }, doubt = { 0 };
    end_status = status;
    enum ncs_exec_death death = exec_fill(&result, NCS_STOP_DONE, &doubt, &notes);
    bool any_died = death != NCS_DEATH_NONE;
    if (death >= NCS_DEATH_OWN && result.verdict == NCS_PASS) /* calls waited when the job ended: that is no pass */
        result.verdict = death == NCS_DEATH_OWN ? NCS_ERROR : NCS_INTERRUPTED;
    if (ncs_misuse_report(&notes) && result.verdict == NCS_PASS)
        result.verdict = NCS_WRONG;
    if (!any_died) /* nobody frees anything then */
        ncs_exec_left(journal, &result, &left);
    result.leaks = !any_died && strcmp(settings.format, "json") == 0; /* in text a note has it */
    note_absent_calls(&notes);
    note_kernels(&notes);
    note_faults(&notes, &result, NCS_STOP_DONE);
    if (left.bytes)
        ncs_str_addf(&notes, "ncclscript: left at the end: %s\n", left.text);
    status = print(&result, &doubt, &notes, false);
    ncs_call_list_write(exec_tell);
    ncs_free(result.ignored);
    ncs_diagnosis_free(&result.diagnosis);
    ncs_str_free(&notes);
    ncs_str_free(&left);
    exec_tell(NCS_CHANNEL_ENDED, "%d", status);
    if (server_is_open()) /* its threads still stand in for some that never return */
        _exit(untold ? status : 0);
}

extern const struct ncs_shim_above ncs_exec_above;
const struct ncs_shim_above ncs_exec_above = { .open = open_above,
                                               .site = ncs_site_find,
                                               .named = ncs_site_named,
                                               .describe = ncs_site_describe,
                                               .described = ncs_site_described,
                                               .place = ncs_site_place,
                                               .verdict = verdict,
                                               .stalled = exec_stalled,
                                               .ended = ended };
