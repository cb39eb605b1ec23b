/* ncclscript diagnose: finds why a job hung that was recorded elsewhere. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowed.h"
#include "base/mem.h"
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/option.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "cli/reproducer.h"
#include "report/places.h"
#include "report/report.h"
#include "run/run.h"
#include "run/timeline/timeline.h"
#include "trace/trace.h"

enum { MEMORY, SCENARIO, FORCE, SOURCES, FORMAT, REPORT, HTML, TRACE, COLOR, VERBOSE, QUIET, DEBUG, HELP };

static const char *const colors[] = {
    [NCS_COLOR_AUTO] = "auto",
    [NCS_COLOR_ALWAYS] = "always",
    [NCS_COLOR_NEVER] = "never",
    NULL,
};

static const struct ncs_option options[] = {
    [MEMORY] = NCS_OPTION_MEMORY("Reading"),
    [SCENARIO] = NCS_ROW_TEXTS("scenario", 0, "FILE", NULL, "Output",
                               "write the job as a scenario that you can run, in YAML if FILE ends so"),
    [FORCE] = NCS_ROW_FLAG("force", 0, "Output", "replace the FILE of --scenario when it exists"),
    [SOURCES] = NCS_ROW_TEXTS("sources", 0, "FOLDER", NULL, "Reading",
                              "read sources and programs below FOLDER, too, not only below the working directory"),
    [FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "one JSON object; tree and dot show who waits for whom",
                             ncs_report_format_names),
    [REPORT] = NCS_OPTION_REPORT(ncs_report_format_names),
    [HTML] = NCS_ROW_TEXTS("html", 0, "FILE", NULL, "Output", "write the calls and the finding as one page"),
    [TRACE] = NCS_ROW_TEXTS("trace", 0, "FILE", NULL, "Output", "write a timeline for Perfetto and chrome://tracing"),
    [COLOR] = NCS_ROW_WORDS("color", 0, "auto", "Output", "colours in the text", colors),
    [VERBOSE] = NCS_ROW_FLAG("verbose", 'v', "Output", "all findings and rows, and who waits for whom"),
    [QUIET] = NCS_ROW_FLAG("quiet", 'q', "Output", "print nothing if nothing is wrong"),
    [DEBUG] = NCS_OPTION_DEBUG,
    [HELP] = NCS_OPTION_HELP,
    { 0 },
};

static const char *diagnose_name_of_line(void *trace, long line)
{
    return ncs_trace_place(trace, line);
}

static bool diagnose_source_of_line(void *trace, long line, struct ncs_report_source *source)
{
    const struct ncs_trace_source *at = ncs_trace_source(trace, line);
    if (!at)
        return false;
    *source = (struct ncs_report_source){ .name = at->shown, .line = at->line, .path = at->path };
    return true;
}

static bool diagnose_line_shows(void *trace, long line)
{
    return ncs_trace_shows(trace, line);
}

static const struct ncs_trace_doubt *diagnose_doubt_of(const struct ncs_trace *t, const struct ncs_finding *f, int rank,
                                                       uint32_t calls)
{
    const struct ncs_trace_doubt *doubt = rank >= 0 && (size_t)rank < t->doubts ? &t->doubt_of[rank] : NULL;
    return doubt && doubt->text && (doubt->anywhere || !f->call || calls < f->call) ? doubt : NULL;
}

static bool diagnose_is_missing(const struct ncs_trace *t, int rank)
{
    return rank >= 0 && (size_t)rank < t->snapshot.contexts && t->snapshot.context[rank].ending == NCS_END_MISSING;
}

/* Why the record may lack the call that the finding is about: of a culprit, otherwise of another rank with a file. */
static const struct ncs_trace_doubt *diagnose_find_doubt(const struct ncs_trace *t, const struct ncs_finding *f)
{
    const struct ncs_trace_doubt *found = NULL;
    const struct ncs_journal *j = t->journal;
    bool is_member = false; /* a culprit is, of the finding's communicator */
    for (size_t c = 0; f->comm && c < j->comms; c++)
        for (int k = 0; k < j->comm[c]->members && strcmp(j->comm[c]->name, f->comm) == 0; k++) {
            const struct ncs_member *m = &j->comm[c]->member[k];
            const struct ncs_trace_doubt *doubt = diagnose_doubt_of(t, f, m->rank, m->calls);
            bool blamed = ncs_finding_blames(f, m->rank);
            if (doubt && blamed)
                return doubt;
            is_member |= blamed;
            found = found || diagnose_is_missing(t, m->rank) ? found : doubt;
        }
    for (size_t i = 0; i < f->culprits && !found && !is_member; i++)
        found = diagnose_doubt_of(t, f, f->culprit[i].rank, 0);
    return found;
}

/* Weakens findings that an incomplete record cannot prove. */
static void weaken(const struct ncs_trace *t, struct ncs_diagnosis *d)
{
    struct ncs_finding *f = ncs_first_cause(d->finding, d->findings);
    f = f ? f : ncs_first_error(d);
    const struct ncs_trace_doubt *doubt = f ? diagnose_find_doubt(t, f) : NULL;
    if (doubt)
        ncs_finding_doubt(f, doubt->text);
    if (f && t->doubt)
        ncs_finding_doubt(f, t->doubt);
}

static void diagnose_trace(struct ncs_trace *trace, struct ncs_result *r)
{
    struct ncs_notice *notice = ncs_new(trace->clashes * sizeof *notice);
    for (size_t i = 0; i < trace->clashes; i++)
        notice[i] =
            (struct ncs_notice){ .kind = NCS_NOTICE_MISMATCH, .call = trace->clash[i].call, .calls = trace->clash[i].calls };
    ncs_diagnose(trace->journal, &trace->snapshot, notice, trace->clashes, &r->diagnosis);
    ncs_free(notice);
    ncs_diagnosis_decide(&r->diagnosis, trace->journal);
    weaken(trace, &r->diagnosis);
    ncs_diagnosis_soften(&r->diagnosis); /* a record only shows where the ranks were when it was written */
    r->stop = trace->snapshot.stop;
    r->ranks = trace->ranks;
    r->driver = "recorded";
    r->calls = trace->calls;
    r->journal = trace->journal;
    r->certainty = NCS_LIKELY;
    snprintf(r->nccl, sizeof r->nccl, "%.15s", trace->nccl);
    /* Waiting is never a pass, whether or not its cause is known, and neither is a call whose end no file shows. */
    r->verdict = r->stop != NCS_STOP_DONE             ? NCS_HANG
                 : ncs_first_error(&r->diagnosis)     ? NCS_WRONG
                 : trace->calls == 0 || !trace->ended ? NCS_EMPTY
                                                      : NCS_PASS;
    if (trace->next && (r->verdict == NCS_HANG || r->verdict == NCS_EMPTY) && !ncs_first_error(&r->diagnosis))
        NCS_PUSH(trace->note, trace->notes, trace->note_room, ncs_copy_text(trace->next));
}

static char *diagnose_place(void *trace, const struct ncs_call *call)
{
    return ncs_copy_text(ncs_trace_place(trace, call->place.line));
}

/* The status of a scenario that could not be written; else `status`. */
static int write_scenario(const struct ncs_parsed *parsed, const struct ncs_trace *trace, const struct ncs_result *result,
                          int status)
{
    struct ncs_workload job;
    struct ncs_reproduced expected;
    struct ncs_str origin = { 0 };
    ncs_reproduced_of(result, &expected);
    if (expected.verdict == NCS_EMPTY) /* nothing is wrong in the calls */
        expected.verdict = NCS_PASS;
    char **last = ncs_reproduced_last(result, &expected);
    bool has_calls = ncs_workload_read(&job, &(struct ncs_workload_source){ .journal = trace->journal,
                                                                            .ranks = trace->ranks,
                                                                            .place = diagnose_place,
                                                                            .arg = (void *)trace,
                                                                            .snapshot = &trace->snapshot,
                                                                            .late = trace->late,
                                                                            .diagnosis = &result->diagnosis,
                                                                            .last = (const char *const *)last,
                                                                            .one_process = trace->one_process });
    ncs_reproduced_free_last(last, result);
    ncs_str_addf(&origin, "%s (%s)", parsed->operand[0], trace->kind);
    if (!has_calls) {
        fprintf(stderr, "ncclscript diagnose: no scenario was written: the record has no call that a scenario can make\n");
        status = result->verdict == NCS_EMPTY ? status : 2;
    } else {
        int written = ncs_reproducer_write(ncs_option_last(&parsed->value[SCENARIO]), parsed->value[FORCE].given, &job,
                                           origin.text, &expected, NULL);
        status = written == 2 || written == NCS_MEM_EXIT ? written : status;
    }
    ncs_reproduced_free(&expected);
    ncs_str_free(&origin);
    ncs_workload_free(&job);
    return status;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* False, after a usage error, if the file exists and is one that is read, or in a folder that is. NULL = it is not asked
 * for. */
static bool diagnose_can_write(const char *option, const char *file, char *const *read, size_t count)
{
    const char *slash = file ? strrchr(file, '/') : NULL, *dot = file ? strrchr(file, '.') : NULL;
    bool is_result = dot && (strcmp(dot, ".lua") == 0 || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 ||
                             strcmp(dot, ".html") == 0);
    struct ncs_str folder = { 0 };
    bool is_read = false;
    struct stat st;
    ncs_str_add_bytes(&folder, slash ? file : ".", slash ? (size_t)(slash - file) + 1 : 1);
    for (size_t i = 0; file && i < count && stat(file, &st) == 0 && S_ISREG(st.st_mode); i++)
        is_read |= is_same_file(read[i], file) || (!is_result && is_same_file(read[i], folder.text));
    ncs_str_free(&folder);
    if (is_read)
        ncs_usage_error("diagnose", NULL, "--%s %s: this is a file that diagnose reads, and is not replaced", option, file);
    return !is_read;
}

/* False, after a usage error, if both are the same. Leaves standard output to a drawing that wants it. */
static bool diagnose_can_draw(const char *html, const char *trace)
{
    if (html && trace && strcmp(html, trace) == 0) {
        ncs_usage_error("diagnose", NULL, "--html and --trace cannot both be written to %s", html);
        return false;
    }
    if ((html && strcmp(html, "-") == 0) || (trace && strcmp(trace, "-") == 0))
        ncs_out_divert();
    return true;
}

static void diagnose_draw(const struct ncs_report_run *run, const char *file,
                          void (*render)(const struct ncs_report_run *run, struct ncs_str *out))
{
    struct ncs_str text = { 0 };
    if (!file)
        return;
    render(run, &text);
    ncs_out_to(file, &text);
    ncs_str_free(&text);
}

/* Writes the drawings; NULL = not asked for, "-" = standard output. A file that cannot be written gets a message, and the
 * program a status of its own. run->result gets a timeline for the time of the call. */
static void diagnose_draw_both(const char *html, const char *trace, const struct ncs_trace *recorded, struct ncs_report_run *run,
                               struct ncs_result *result)
{
    if (!html && !trace)
        return;
    struct ncs_timeline *timeline = ncs_timeline_of_record(recorded->journal, &recorded->snapshot);
    result->timeline = timeline;
    diagnose_draw(run, html, ncs_report_html);
    diagnose_draw(run, trace, ncs_report_trace);
    result->timeline = NULL;
    ncs_timeline_free(timeline);
}

static int report_trace(const struct ncs_parsed *parsed, struct ncs_trace *trace)
{
    const struct ncs_option_value *v = parsed->value;
    const char *name = ncs_report_format_names[v[FORMAT].number];
    struct ncs_result result = { 0 };
    struct ncs_scenario scenario;
    struct ncs_report report;
    struct ncs_str out = { 0 };
    struct ncs_report_style style = { .color = strcmp(name, "text") == 0 &&
                                               ncs_wants_color((enum ncs_color)v[COLOR].number, stdout),
                                      .verbose = v[VERBOSE].given,
                                      .quiet = v[QUIET].given };
    diagnose_trace(trace, &result);
    ncs_scenario_init(&scenario, parsed->operand[0]);
    struct ncs_report_places places = {
        .name = diagnose_name_of_line, .source = diagnose_source_of_line, .shows = diagnose_line_shows, .arg = (void *)trace
    };
    struct ncs_report_run run = { .scenario = &scenario,
                                  .result = &result,
                                  .as_expected = result.verdict == NCS_PASS,
                                  .origin = trace->kind,
                                  .note = trace->note,
                                  .notes = trace->notes,
                                  .places = &places };
    ncs_report_begin(&report, ncs_report_format_of(name), &style, &out);
    ncs_report_files_add(&v[REPORT], &report);
    ncs_report_only(&report, &run, &out);
    ncs_report_files_write(&report);
    ncs_report_free(&report);
    if (out.text)
        ncs_out(out.text);
    diagnose_draw_both(ncs_option_last(&v[HTML]), ncs_option_last(&v[TRACE]), trace, &run, &result);
    ncs_str_free(&out);
    ncs_scenario_free(&scenario);
    int status = ncs_verdict_exit(result.verdict);
    if (v[SCENARIO].given)
        status = write_scenario(parsed, trace, &result, status);
    ncs_diagnosis_free(&result.diagnosis);
    return status;
}

/* Ten times what the largest jobs take: no file holds a processor for good. */
enum { DIAGNOSE_SECONDS = 600 };

static void diagnose_give_up(int number)
{
    static const char text[] = "ncclscript diagnose: given up after 10 minutes of processor time\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)number;
    (void)written;
    _exit(ncs_verdict_exit(NCS_TIMEOUT));
}

/* A shorter limit of the user's own stays as it is. */
static void diagnose_limit_time(void)
{
    struct rlimit processor;
    if (getrlimit(RLIMIT_CPU, &processor) != 0 || processor.rlim_cur <= DIAGNOSE_SECONDS)
        return;
    signal(SIGXCPU, diagnose_give_up);
    processor.rlim_cur = DIAGNOSE_SECONDS;
    setrlimit(RLIMIT_CPU, &processor);
}

static int diagnose_main(const struct ncs_parsed *parsed)
{
    struct ncs_trace trace = { 0 };
    struct ncs_error err = { 0 };
    int status = 2;
    const char *scenario = ncs_option_last(&parsed->value[SCENARIO]);
    ncs_memory_limit("diagnose", &parsed->value[MEMORY], 1);
    diagnose_limit_time();
    if (scenario && strcmp(scenario, "-") == 0) {
        ncs_usage_error("diagnose", NULL, "--scenario: expected the name of a file");
        return status;
    }
    static const int written[] = { SCENARIO, HTML, TRACE };
    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (!diagnose_can_write(options[written[i]].name, ncs_option_last(&parsed->value[written[i]]),
                                (char *const *)parsed->operand, (size_t)parsed->operands))
            return status;
    for (size_t i = 1; i < parsed->value[REPORT].texts; i += 2)
        if (!diagnose_can_write("report", parsed->value[REPORT].text[i], (char *const *)parsed->operand,
                                (size_t)parsed->operands))
            return status;
    if (!ncs_debug_begin("diagnose", &parsed->value[DEBUG], &parsed->value[FORMAT]) ||
        !ncs_report_files_fit("diagnose", &parsed->value[REPORT]) ||
        !diagnose_can_draw(ncs_option_last(&parsed->value[HTML]), ncs_option_last(&parsed->value[TRACE])))
        return status;
    for (size_t i = 0; i < parsed->value[SOURCES].texts; i++)
        ncs_allow_folder(parsed->value[SOURCES].text[i]);
    if (ncs_trace_read(&trace, (const char *const *)parsed->operand, parsed->operands, &err))
        status = report_trace(parsed, &trace);
    else
        status = ncs_print_error(&err);
    ncs_trace_free(&trace);
    return status;
}

const struct ncs_command ncs_cmd_diagnose = {
    .name = "diagnose",
    .operands = "FILE|DIR...",
    .summary = "explain why a job hung, from recordings, dumps, logs, stacks and pasted lines",
    .about = "diagnose recognizes files by their contents. Name all files of one job together, for example\n"
             "its folder. Files of several kinds are joined by rank. Files may be packed by gzip.\n"
             "\n"
             "  Recordings of `ncclscript record`, one for each process.\n"
             "\n"
             "  PyTorch's Flight Recorder dumps, one for each rank, as pickles or as JSON. A job writes\n"
             "  them at a timeout with TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1.\n"
             "  Each file name contains the rank: nccl_trace_rank_3, rank3_node7.\n"
             "\n"
             "  NCCL's log of all ranks, in one file or one file each, best from the start of the job on:\n"
             "  NCCL_DEBUG=TRACE NCCL_DEBUG_SUBSYS=INIT,DESTROY,CALL, or NCCL_DEBUG=INFO\n"
             "  NCCL_DEBUG_SUBSYS=INIT,DESTROY,COLL, which does not show groups. diagnose skips other lines.\n"
             "\n"
             "  Lines of PyTorch's watchdog and reports of a desync, of all ranks.\n"
             "\n"
             "  The text or JSON of ncclras; Horovod's stall lines; stacks by py-spy or gdb, with the rank\n"
             "  in the name of the file or in a line before; clogs of torchcomms; records of RCCL\n"
             "  (RCCL_REPLAY_FILE=NAME.json).\n"
             "\n"
             "A dump shows which calls have completed. It contains no operators and no roots. A log does not\n"
             "show which calls have completed, so diagnose assumes that the ranks wait for the rank that is\n"
             "behind. Notes say what the other kinds do not contain. Findings from files are likely, never\n"
             "certain. If a rank left no file, diagnose uses the files of the other ranks.\n"
             "\n"
             "--html and --trace draw the calls. Their times are the order of the calls: the files have no clock\n"
             "that all ranks share.\n"
             "\n"
             "Exit status: 0 every call has ended, and nothing wrong was found, 1 calls disagree but no rank waits,\n"
             "2 a file cannot be read, or a folder contains no such file, 3 a hang, 5 the files contain no call, or\n"
             "do not show that every call has ended, 124 given up after 10 minutes of processor time.\n",
    .option = options,
    .missing = "no file was given: recordings, dumps, logs, stacks, or a folder of them",
    .main = diagnose_main,
};
