/* The report for people. Every run begins with one line; a passed run has only that. The others
 * continue with each rank's calls, the reason, and the repair. */
#include "report/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "api/model.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "base/safe.h"
#include "diagnose/ledger/ledger.h"
#include "report/format.h"
#include "report/rows.h"
#include "report/waits.h"

static const struct {
    const char *word, *color;
} look[NCS_VERDICTS] = {
    [NCS_PASS] = { "PASS", NCS_GREEN },
    [NCS_WRONG] = { "WRONG", NCS_RED },
    [NCS_INVALID] = { "INVALID", NCS_RED },
    [NCS_HANG] = { "HANG", NCS_RED },
    [NCS_ERROR] = { "ERROR", NCS_RED },
    [NCS_EMPTY] = { "EMPTY", NCS_YELLOW },
    [NCS_LOST] = { "LOST", NCS_RED },
    [NCS_MEMORY] = { "MEMORY", NCS_RED },
    [NCS_INTERNAL_FAULT] = { "INTERNAL", NCS_RED },
    [NCS_SKIPPED] = { "SKIPPED", NCS_YELLOW },
    [NCS_TIMEOUT] = { "TIMEOUT", NCS_RED },
    [NCS_INTERRUPTED] = { "INTERRUPTED", NCS_YELLOW },
};

static void add_colored(const struct ncs_text *t, const char *color, const char *word)
{
    if (t->style->color)
        ncs_str_addf(t->out, "\033[%sm%s\033[0m", color, word);
    else
        ncs_str_add(t->out, word);
}

const char *ncs_text_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void ncs_text_keyed(const struct ncs_text *t, const char *color, const char *key, const char *text)
{
    ncs_str_add(t->out, "  ");
    add_colored(t, color, key);
    ncs_str_addf(t->out, "%*s", strlen(key) <= 6 ? (int)(6 - strlen(key)) : 1, "");
    ncs_safe_line(t->out, text);
    ncs_str_add(t->out, "\n");
}

/* Adds "HANG  file  4 ranks, sim, seed 0", without the end of the line. */
static void add_header(const struct ncs_text *t, const char *word, const char *color)
{
    const struct ncs_result *r = t->result;
    add_colored(t, color, word);
    ncs_str_add(t->out, "  ");
    ncs_report_case(t->run, t->out);
    if (t->run->origin)
        ncs_str_addf(t->out, "  %d rank%s, %s", r->ranks, ncs_text_plural((uint64_t)r->ranks), t->run->origin);
    else if (r->ranks > 0)
        ncs_str_addf(t->out, "  %d rank%s, %s%s, seed %" PRIu64, r->ranks, ncs_text_plural((uint64_t)r->ranks),
                     r->driver ? r->driver : "sim", r->policy == NCS_POLICY_TYPICAL ? ", typical" : "", r->seed);
}

void ncs_text_title(const struct ncs_text *t, const char *title)
{
    ncs_str_add(t->out, "  ");
    ncs_safe_line(t->out, title);
    ncs_str_add(t->out, "\n");
}

/* ---- the whole ---- */

/* Where each rank waits, and for which ranks. */
static void text_add_waits(const struct ncs_text *t, const char *title, bool merge)
{
    const struct ncs_result *r = t->result;
    struct ncs_rows rows = { .merge = merge };
    for (size_t i = 0; i < r->diagnosis.waits; i++) {
        const struct ncs_wait_line *w = &r->diagnosis.wait[i];
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "in %s", w->in ? w->in : "a call");
        if (w->comm && w->call)
            ncs_str_addf(&text, ", %s call %" PRIu32, w->comm, w->call);
        if (w->op)
            ncs_str_addf(&text, " (%s)", w->op);
        if (w->peers) {
            ncs_str_add(&text, w->peers == 1 ? ", for rank " : ", for ranks ");
            ncs_str_add_many_ranks(&text, w->peer, w->peers);
        }
        ncs_rows_add(&rows, w->rank, text.text, w->place.line, false);
        ncs_str_free(&text);
    }
    if (rows.count)
        ncs_str_addf(t->out, "  %s\n", title);
    ncs_rows_print(&rows, NULL, !merge || t->style->verbose, t->out);
}

static bool stopped(const struct ncs_result *r)
{
    return r->verdict == NCS_TIMEOUT || r->verdict == NCS_INTERRUPTED || r->verdict == NCS_MEMORY;
}

static void add_verbose(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    if (!stopped(r))
        text_add_waits(t, "waits", false);
    if (!stopped(r) && r->diagnosis.waits) {
        ncs_str_add(t->out, "  who waits for whom\n");
        ncs_waits_tree(&r->diagnosis, true, t->out);
    }
    if (!r->ranks || r->verdict == NCS_SKIPPED || t->run->origin)
        return;
    char time[32];
    ncs_str_addf(t->out,
                 "  %" PRIu64 " calls, %" PRIu64 " results verified, %" PRIu64 " not, %" PRIu64
                 " expectations\n  trace %016" PRIx64 ", virtual time %s%s%s, NCCL %s, %s policy\n",
                 r->calls, r->checked, r->unchecked, r->expected, r->trace,
                 ncs_format_duration(r->virtual_time, time, sizeof time), r->model ? " on " : "",
                 r->model ? ncs_models[r->model].name : "", r->nccl, r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict");
    if (r->schedule_lost)
        ncs_str_add(t->out, "  schedule too long to keep\n");
    else if (r->schedule.bytes)
        ncs_str_addf(t->out, "  schedule %s\n", r->schedule.text);
}

static void add_counts(const struct ncs_result *r, struct ncs_str *out)
{
    if (r->left_out || r->checked) /* else nothing was to be verified */
        ncs_str_addf(out, "%" PRIu64 " result%s verified, ", r->checked, ncs_text_plural(r->checked));
    if (r->unchecked)
        ncs_str_addf(out, "%" PRIu64 " not verified, ", r->unchecked);
    ncs_str_addf(out, "%" PRIu64 " call%s", r->calls, ncs_text_plural(r->calls));
}

/* ": 12 results verified, 34 calls" */
static void text_add_counts(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    if (t->run->origin) {
        ncs_str_addf(t->out, ": nothing wrong found in %" PRIu64 " call%s", r->calls, ncs_text_plural(r->calls));
        return;
    }
    ncs_str_add(t->out, ": ");
    add_counts(r, t->out);
}

/* ": hang as declared: skipped-call, rank 2" */
static void add_declared(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    struct ncs_str what = { 0 };
    ncs_str_addf(&what, ": %s as declared", ncs_verdict_name(r->verdict));
    const struct ncs_finding *f = ncs_first_error(&r->diagnosis);
    if ((r->verdict == NCS_HANG || r->verdict == NCS_LOST) && f) {
        ncs_str_addf(&what, ": %s", f->rule);
        if (f->culprits) {
            int *rank = ncs_new(f->culprits * sizeof *rank);
            for (size_t i = 0; i < f->culprits; i++)
                rank[i] = f->culprit[i].rank;
            ncs_str_add(&what, f->culprits == 1 ? ", rank " : ", ranks ");
            ncs_str_add_many_ranks(&what, rank, f->culprits);
            ncs_free(rank);
        }
    } else if (r->verdict == NCS_WRONG && r->wrongs) {
        ncs_str_addf(&what, ": rank %d, element %" PRIu64, ncs_text_wrong_rank(r, &r->wrong[0]), r->wrong[0].first);
    } else if (r->verdict == NCS_WRONG && r->expects) {
        ncs_str_addf(&what, ": rank %d, line %d", r->expect[0].rank, r->expect[0].place.line);
    } else if (r->errors) {
        ncs_str_addf(&what, ": %s, rank %d", r->error[0].name ? r->error[0].name : "error",
                     ncs_number_of_thread(&r->diagnosis, r->error[0].rank, r->error[0].thread));
    }
    ncs_safe_line(t->out, what.text);
    ncs_str_free(&what);
}

static void add_about(const struct ncs_text *t)
{
    const struct ncs_scenario *s = t->run->scenario;
    if (s->about && s->about[0])
        ncs_text_keyed(t, NCS_DIM, "about", s->about);
}

/* Adds "2 results not verified: verify = false at the call (1), no room for copies of
 * the buffers (1)". */
static void add_unverified(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    struct ncs_str note = { 0 };
    if (!r->unchecked || !r->left_out)
        return;
    ncs_str_addf(&note, "%" PRIu64 " result%s not verified", r->unchecked, ncs_text_plural(r->unchecked));
    const char *between = ": ";
    for (int why = 0; why < NCS_UNVERIFIED_REASONS; why++) {
        uint64_t count = r->left_out[why].count;
        if (!count)
            continue;
        ncs_str_addf(&note, "%s%s", between, ncs_unverified_text(why));
        if (count < r->unchecked)
            ncs_str_addf(&note, " (%" PRIu64 ")", count);
        between = ", ";
    }
    ncs_text_keyed(t, NCS_BOLD, "note", note.text);
    ncs_text_keyed(t, NCS_DIM, "more", "ncclscript explain unverified");
    ncs_str_free(&note);
}

/* The memory that the host refused, and how to allow more. */
static void text_add_memory(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    char size[32];
    struct ncs_str note = { 0 };
    if (r->refused) {
        ncs_str_addf(&note, "the host, not the simulated GPU, had no memory for %" PRIu64 " allocation%s", r->refused,
                     ncs_text_plural(r->refused));
        if (r->refused_at.line > 0)
            ncs_str_addf(&note, ", the first at line %d", r->refused_at.line);
        ncs_text_keyed(t, NCS_BOLD, "note", note.text);
    }
    ncs_str_clear(&note);
    if ((r->refused || r->verdict == NCS_MEMORY) && r->memory != NCS_BUDGET_NONE && r->memory) {
        ncs_str_addf(&note, "--memory SIZE gives the run more than %s, if the host has it",
                     ncs_format_size(r->memory, size, sizeof size));
        ncs_text_keyed(t, NCS_BOLD, "fix", note.text);
    }
    ncs_str_free(&note);
}

/* A hang without a finding, for example when a GPU makes no progress with its work. */
static bool is_unexplained(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    return r->verdict == NCS_HANG && (t->run->origin ? !ncs_first_error(&r->diagnosis)
                                                     : r->diagnosis.waits > 0 && r->diagnosis.findings == 0 && r->errors == 0);
}

static void add_body(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    ncs_text_errors(t);
    ncs_text_quote_errors(t);
    ncs_text_wrongs(t);
    if (!ncs_text_expects_follow(r))
        ncs_text_expects(t);
    ncs_text_findings(t);
    if (ncs_text_expects_follow(r))
        ncs_text_expects(t);
    add_unverified(t);
    if (stopped(r))
        text_add_waits(t, "where the ranks were then", true);
    if (r->verdict == NCS_INTERNAL_FAULT)
        ncs_text_keyed(t, NCS_BOLD, "note", "a fault of ncclscript: please report it with the scenario");
    if (is_unexplained(t)) {
        text_add_waits(t, "where the ranks are", true);
        ncs_text_keyed(t, NCS_BOLD, "why",
                       t->run->origin ? "calls wait; these files do not show why"
                                      : "every call that was made has its partners: the GPUs do not finish what "
                                        "was launched, or something outside of NCCL's calls holds the ranks");
    }
    text_add_memory(t);
}

static void add_output_lost(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    char kept[32], lost[32];
    struct ncs_str note = { 0 };
    ncs_str_addf(&note, "what the ranks printed is cut after %s: %s more are left out",
                 ncs_format_size(r->output.bytes, kept, sizeof kept), ncs_format_size(r->output_lost, lost, sizeof lost));
    ncs_text_keyed(t, NCS_BOLD, "note", note.text);
    ncs_str_free(&note);
}

static void add_left(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    struct ncs_str s = { 0 };
    for (size_t i = 0; i < r->lefts; i++) {
        ncs_str_clear(&s);
        ncs_str_add(&s, r->left[i].ranks == 1 ? "rank " : "ranks ");
        ncs_str_add_many_ranks(&s, r->left[i].rank, r->left[i].ranks);
        ncs_str_add(&s, ": ");
        ncs_left_format(&s, &r->left[i]);
        ncs_text_keyed(t, NCS_BOLD, "left", s.text);
    }
    if (r->lefts == 0)
        ncs_text_keyed(t, NCS_BOLD, "left", "nothing: the ranks freed all that they made");
    ncs_str_free(&s);
}

/* Completes the first line of a verdict that has no further details. */
static void add_reason(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    if (r->verdict == NCS_SKIPPED) {
        ncs_str_add(t->out, ": ");
        ncs_safe_line(t->out, r->skip_reason ? r->skip_reason : "it cannot be run here");
    } else if (r->verdict == NCS_EMPTY) {
        ncs_str_add(t->out, !t->run->origin ? ": nothing was executed"
                            : r->calls      ? ": nothing wrong found, but the files do not show that every call has ended"
                                            : ": no call in it");
    } else if (r->verdict == NCS_MEMORY && r->skip_reason) {
        ncs_str_addf(t->out, ": %s", r->skip_reason);
    } else if (r->verdict == NCS_TIMEOUT) {
        ncs_str_add(t->out, r->endless ? "" : ": no verdict within the time limit");
        if (r->skip_reason)
            ncs_str_addf(t->out, "%s %s", r->endless ? ":" : ",", r->skip_reason);
    }
}

void ncs_text_failing(const struct ncs_failing *failing, struct ncs_str *out)
{
    for (size_t i = 0; i < failing->rules; i++)
        ncs_str_addf(out, "%s%s", i > 0 ? ", " : "", failing->rule[i]);
    if (failing->rules)
        ncs_str_addf(out, " (--fail-on %s)", ncs_fail_on_names[failing->level]);
}

static void add_failing(const struct ncs_text *t)
{
    struct ncs_str text = { 0 };
    ncs_text_failing(&t->run->failing, &text);
    ncs_text_keyed(t, NCS_BOLD, "fails", text.text);
    ncs_str_free(&text);
}

/* Completes the first line if the facts do not prove the verdict, or only its cause: a hang is not proven while something may still
 * act. */
static void text_add_doubt(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    bool open = r->verdict != NCS_TIMEOUT && !t->run->goes_on && (t->run->origin || r->stop == NCS_STOP_STALLED);
    if (r->certainty == NCS_LIKELY && r->verdict != NCS_PASS && r->verdict != NCS_EMPTY)
        ncs_str_add(t->out, open ? ": likely, not certain" : ": its cause is likely, not certain");
}

void ncs_report_text(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    struct ncs_text text = { .run = run, .result = r, .style = style, .out = out };
    const struct ncs_text *t = &text;
    bool passed = r->verdict == NCS_PASS;

    assert(ncs_diagnosis_fits(&r->diagnosis, r->ranks));
    bool fine = run->as_expected && r->verdict != NCS_SKIPPED;
    if (run->goes_on)
        add_header(t, "STALLED", NCS_YELLOW);
    else if (passed || fine)
        add_header(t, fine ? "PASS" : "FAIL", fine ? NCS_GREEN : NCS_RED);
    else
        add_header(t, look[r->verdict].word, look[r->verdict].color);
    if (passed)
        text_add_counts(t);
    else if (fine)
        add_declared(t);
    else
        add_reason(t);
    if (!fine)
        text_add_doubt(t);
    ncs_str_add(out, "\n");
    if (style->verbose)
        add_about(t);
    if (passed || !run->as_expected || style->verbose)
        add_body(t);
    if (run->goes_on || r->verdict == NCS_HANG || r->verdict == NCS_TIMEOUT || r->verdict == NCS_LOST)
        ncs_text_processes(t);
    for (size_t i = 0; i < run->notes; i++)
        ncs_text_keyed(t, NCS_BOLD, "note", run->note[i]);
    if (r->leaks)
        add_left(t);
    ncs_text_proof(t);
    ncs_text_repair(t);
    if (r->output_lost)
        add_output_lost(t);
    if (!run->as_expected && run->difference && run->difference[0]) {
        ncs_str_add(out, "  not as declared: ");
        ncs_safe_line(out, run->difference);
        ncs_str_add(out, "\n");
    }
    if (run->failing.rules)
        add_failing(t);
    if (!run->as_expected && r->verdict != NCS_SKIPPED && run->command)
        ncs_text_keyed(t, NCS_DIM, "alone", run->command);
    if (style->verbose)
        add_verbose(t);
    ncs_text_debug(t);
}

void ncs_report_counts(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_report_style style = { .verbose = false };
    struct ncs_text t = { .run = run, .result = run->result, .style = &style, .out = out };
    ncs_str_add(out, "ncclscript: ");
    add_counts(run->result, out);
    ncs_str_add(out, "\n");
    add_unverified(&t);
}
