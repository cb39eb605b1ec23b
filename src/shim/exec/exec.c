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
#include "base/channel.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "diagnose/finding.h"
#include "driver/journal.h"
#include "report/report.h"
#include "run/notices.h"
#include "shim/absent.h"
#include "shim/exec/left.h"
#include "shim/exec/misuse.h"
#include "shim/exec/places.h"
#include "shim/exec/site.h"
#include "shim/kernel/kernel.h"
#include "shim/shim.h"
#include "sim/kernel/foreign.h"

#define JOURNAL_BYTES ((size_t)64 << 20)

static struct ncs_shim_settings settings;
static const struct ncs_machine *machine;
static struct ncs_journal *journal;
static struct ncs_notices notices;

/* Writes a line to the program that started this one: the event, and an exit status. */
static void tell(const char *what, int status)
{
    char line[64];
    int n = snprintf(line, sizeof line, "%s %d\n", what, status);
    int channel = ncs_channel_open(getenv(NCS_CHANNEL));
    if (channel < 0)
        return;
    ncs_shim_write(channel, line, (size_t)n);
    close(channel);
}

/* ---- messages of the journal and the machine ---- */

static void on_return(const struct ncs_journal *j, struct ncs_call *call)
{
    static bool cuda;
    if (!cuda && ncs_fn_info[call->fn].lib != NCS_LIB_NCCL) {
        cuda = true;
        tell("cuda", 0);
    }
    ncs_misuse_look(j, call);
}

static const struct ncs_api *open_above(const struct ncs_shim_settings *given,
                                        const struct ncs_driver *driver)
{
    settings = *given;
    machine = driver->machine;
    journal = ncs_journal_open(JOURNAL_BYTES, false);
    machine->observe(&(struct ncs_observer){ .self = &notices, .mismatch = ncs_notices_mismatch,
                                             .crash = ncs_notices_crash, .fault = ncs_notices_fault });
    journal->returned = on_return;
    tell("used", 0);
    return ncs_journal_wrap(journal, driver->api);
}

/* ---- the report ---- */

/* The name of the process: the program as its caller wrote it, which may be empty; then the file's name. */
static char *program_name(void)
{
    char file[4096];
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

/* True if the thread is neither in a call that waits nor in a loop of polls: it runs the program's own code. */
static bool is_outside(const struct ncs_snapshot *s, const struct ncs_snap_context *c)
{
    bool asks = s->stop == NCS_STOP_STALLED || s->stop == NCS_STOP_INTERRUPTED;
    return c->state == NCS_CONTEXT_READY || (c->state == NCS_CONTEXT_POLLING && !asks);
}

static void end_context(struct ncs_snap_context *c)
{
    c->state = NCS_CONTEXT_ENDED;
    c->ending = NCS_END_RETURNED;
}

static bool is_known(const struct ncs_snapshot *s, int rank)
{
    for (size_t i = 0; i < s->contexts; i++)
        if (s->context[i].rank == rank && s->context[i].thread == 0)
            return true;
    return false;
}

static void add_gate(struct ncs_snapshot *s, struct ncs_snap_context *c)
{
    s->gate = ncs_resize(s->gate, (s->gates + 1) * sizeof *s->gate);
    s->wait = ncs_resize(s->wait, (s->waits + 1) * sizeof *s->wait);
    s->gate[s->gates] = (struct ncs_snap_gate){ .what = "lock or join in its own code", .owner = -1 };
    s->wait[s->waits] = (struct ncs_snap_wait){ NCS_WAIT_GATE, (int)s->gates++ };
    c->state = NCS_CONTEXT_PARKED;
    c->wait = s->waits++;
    c->waits = 1;
}

/* At the end of the process no thread is inside a call any more. In a hang, a rank that is in no call
 * waits in the program's own code. A thread that stands for no rank, such as one that joins the
 * others, is left out. */
static void settle_contexts(struct ncs_snapshot *s)
{
    bool hangs = s->stop == NCS_STOP_QUIET || s->stop == NCS_STOP_STALLED;
    for (size_t i = 0; i < s->contexts; i++) {
        struct ncs_snap_context *c = &s->context[i];
        if (!is_outside(s, c))
            continue;
        if (s->stop == NCS_STOP_DONE || (c->thread != 0 && is_known(s, c->rank)))
            end_context(c);
        else if (hangs)
            add_gate(s, c);
    }
}

/* Says "its own code" for "script": programs here have no script. */
static void name_waits(struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->waits; i++)
        if (d->wait[i].in && strcmp(d->wait[i].in, "script") == 0) {
            ncs_free(d->wait[i].in);
            d->wait[i].in = ncs_copy_text("its own code");
        }
}

/* Notes the threads that could still end a likely hang: "cudaEventQuery at watch+0xae (rank 0, another thread)". */
static void add_pollers(const struct ncs_snapshot *s, struct ncs_str *note)
{
    struct ncs_str who = { 0 };
    char time[32];
    for (size_t i = 0; i < s->contexts; i++) {
        const struct ncs_snap_context *c = &s->context[i];
        if (c->state != NCS_CONTEXT_POLLING || !c->call)
            continue;
        ncs_str_addf(&who, "%s%s", who.bytes ? ", " : "", ncs_fn_info[c->call->fn].name);
        ncs_places_add(&who, c->call->place.line);
        ncs_str_addf(&who, " (rank %d%s)", c->rank, c->thread ? ", another thread" : "");
    }
    ncs_str_addf(note, "all threads wait, except %s%s; nothing has changed for %s (--patience)",
                 who.bytes ? "those that poll in vain, in " : "threads of a framework that watch others",
                 who.bytes ? who.text : "", ncs_format_duration(settings.patience, time, sizeof time));
    ncs_str_free(&who);
}

/* doubt: gets why the verdict is not certain, or nothing. */
static void exec_fill(struct ncs_result *r, enum ncs_stop how, struct ncs_str *doubt)
{
    struct ncs_snapshot snapshot;
    machine->snapshot(&snapshot);
    snapshot.stop = how;
    ncs_places_settle(journal, &snapshot);
    settle_contexts(&snapshot);
    ncs_diagnose(journal, &snapshot, notices.notice, notices.count, &r->diagnosis);
    ncs_diagnosis_decide(&r->diagnosis, journal);
    name_waits(&r->diagnosis);
    if (how == NCS_STOP_STALLED)
        add_pollers(&snapshot, doubt);
    ncs_snapshot_free(&snapshot);
    r->stop = how;
    r->ranks = count_ranks();
    r->driver = "sim";
    r->policy = settings.typical ? NCS_POLICY_TYPICAL : NCS_POLICY_STRICT;
    r->virtual_time = machine->now();
    r->calls = journal->calls;
    r->journal = journal;
    ncs_nccl_version_text(settings.nccl_version, r->nccl, sizeof r->nccl);
}

static const struct ncs_finding *first_error(const struct ncs_diagnosis *d)
{
    for (size_t i = 0; i < d->findings; i++)
        if (d->finding[i].level == NCS_LEVEL_ERROR)
            return &d->finding[i];
    return NULL;
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

/* Prints the result, with further lines of notes behind it. */
static void print(const struct ncs_result *r, const struct ncs_str *doubt, const struct ncs_str *notes)
{
    struct ncs_scenario scenario;
    char *name = program_name();
    ncs_scenario_init(&scenario, name);
    struct ncs_report_run run = { .scenario = &scenario, .result = r,
                                  .as_expected = r->verdict == NCS_PASS, .places = &ncs_places,
                                  .note = (char *const *)&doubt->text, .notes = doubt->bytes > 0 };
    struct ncs_report_style style = { .verbose = false };
    struct ncs_str out = { 0 };
    if (settings.json)
        ncs_report_json(&run, &out);
    else if (r->verdict != NCS_PASS || r->diagnosis.findings > 0)
        ncs_report_text(&run, &style, &out);
    ncs_report_name_lines(&out, settings.json, &ncs_places);
    if (out.bytes > 0 && !settings.json)
        ncs_places_note(&out);
    if (notes->bytes > 0)
        ncs_str_add(&out, notes->text);
    if (out.text)
        ncs_shim_write(STDERR_FILENO, out.text, out.bytes);
    ncs_str_free(&out);
    ncs_scenario_free(&scenario);
    ncs_free(name);
}

static void verdict(enum ncs_stop how)
{
    struct ncs_result result = { 0 };
    struct ncs_str notes = { 0 }, doubt = { 0 };
    exec_fill(&result, how, &doubt);
    note_absent_calls(&notes);
    note_kernels(&notes);
    result.verdict = how == NCS_STOP_INTERRUPTED ? NCS_TIMEOUT : NCS_HANG;
    if (how == NCS_STOP_INTERRUPTED)
        result.skip_reason = ncs_copy_text("no call made progress");
    const struct ncs_finding *finding = first_error(&result.diagnosis);
    if (how == NCS_STOP_STALLED)
        result.certainty = NCS_LIKELY; /* a polling thread may still end the hang */
    else if (finding)
        result.certainty = finding->certainty;
    print(&result, &doubt, &notes);
    int status = ncs_verdict_exit(result.verdict);
    tell("verdict", status);
    _exit(status);
}

/* A mistake without consequences here still sets the exit status if the program returns 0. */
static void ended(void)
{
    struct ncs_result result = { 0 };
    struct ncs_str notes = { 0 }, left = { 0 }, doubt = { 0 };
    exec_fill(&result, NCS_STOP_DONE, &doubt);
    bool misused = ncs_misuse_report(&notes);
    result.verdict = misused || first_error(&result.diagnosis) ? NCS_WRONG : NCS_PASS;
    ncs_exec_left(journal, &left);
    note_absent_calls(&notes);
    note_kernels(&notes);
    if (left.bytes)
        ncs_str_addf(&notes, "ncclscript: left at the end: %s\n", left.text);
    print(&result, &doubt, &notes);
    ncs_diagnosis_free(&result.diagnosis);
    ncs_str_free(&notes);
    ncs_str_free(&left);
    tell("ended", ncs_verdict_exit(result.verdict));
}

extern const struct ncs_shim_above ncs_exec_above;
const struct ncs_shim_above ncs_exec_above = { .open = open_above, .site = ncs_site_find, .named = ncs_site_named,
                                               .place = ncs_site_place,
                                               .verdict = verdict, .ended = ended };
