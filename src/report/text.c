/* The report for people. Every run begins with one line; a passed run has only that. The others
 * continue with each rank's calls, the reason, and the repair. */
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "base/budget.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/quantity.h"
#include "base/safe.h"
#include "report/format.h"
#include "report/rows.h"
#include "report/waits.h"

enum {
    FEW = 8,     /* findings that are printed one by one */
    SCREEN = 24, /* lines after which no further finding is begun */
};

static const struct {
    const char *word, *color;
} look[NCS_VERDICTS] = {
    [NCS_PASS]           = { "PASS", NCS_GREEN },
    [NCS_WRONG]          = { "WRONG", NCS_RED },
    [NCS_INVALID]        = { "INVALID", NCS_RED },
    [NCS_HANG]           = { "HANG", NCS_RED },
    [NCS_ERROR]          = { "ERROR", NCS_RED },
    [NCS_EMPTY]          = { "EMPTY", NCS_YELLOW },
    [NCS_LOST]           = { "LOST", NCS_RED },
    [NCS_MEMORY]         = { "MEMORY", NCS_RED },
    [NCS_INTERNAL_FAULT] = { "INTERNAL", NCS_RED },
    [NCS_SKIPPED]        = { "SKIPPED", NCS_YELLOW },
    [NCS_TIMEOUT]        = { "TIMEOUT", NCS_RED },
    [NCS_INTERRUPTED]    = { "INTERRUPTED", NCS_YELLOW },
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
    ncs_str_addf(t->out, "%*s", (int)(6 - strlen(key)), "");
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
        ncs_str_addf(t->out, "  %d rank%s, %s%s, seed %" PRIu64, r->ranks,
                     ncs_text_plural((uint64_t)r->ranks), r->driver ? r->driver : "sim",
                     r->policy == NCS_POLICY_TYPICAL ? ", typical" : "", r->seed);
}

static bool text_is_culprit(const struct ncs_finding *f, int rank)
{
    for (size_t i = 0; i < f->culprits; i++)
        if (f->culprit[i].rank == rank)
            return true;
    return false;
}

void ncs_text_title(const struct ncs_text *t, const char *title)
{
    ncs_str_add(t->out, "  ");
    ncs_safe_line(t->out, title);
    ncs_str_add(t->out, "\n");
}

/* How the run depends on luck: the outcome under the other policy, and the bytes
 * that were buffered. */
static void add_other_policy(const struct ncs_text *t)
{
    const struct ncs_other_policy *other_policy = &t->result->other_policy;
    struct ncs_str text = { 0 };
    char most[32], limit[32];
    if (!other_policy->differs)
        ncs_str_add(&text, "it works here by luck; NCCL does not promise it");
    else
        ncs_str_addf(&text, "%s: the sends fit into NCCL's buffers (%s of %s per pair)",
                     other_policy->verdict == NCS_PASS ? "under the typical policy it passes"
                                                       : "it works by luck here",
                     ncs_format_size(other_policy->buffered, most, sizeof most),
                     ncs_format_size(other_policy->limit, limit, sizeof limit));
    ncs_text_keyed(t, NCS_BOLD, "luck", text.text);
    ncs_str_free(&text);
}

static bool text_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_shape(const char *a, const char *b)
{
    return a == b || (a && b && ncs_compare_shapes(a, b) == 0);
}

/* True if the findings differ only in numbers, such as ranks: then one stands for all. */
static bool same_shapes(const struct ncs_finding *a, const struct ncs_finding *b)
{
    if (a->culprits != b->culprits || a->rows != b->rows)
        return false;
    for (size_t i = 0; i < a->culprits; i++)
        if (a->culprit[i].line != b->culprit[i].line)
            return false;
    return same_shape(a->title, b->title) && same_shape(a->why, b->why) && same_shape(a->fix, b->fix);
}

/* True for ranks that made one mistake at one place. */
static bool text_is_alike(const struct ncs_diagnosis *d, size_t first, size_t other)
{
    const struct ncs_finding *a = &d->finding[first], *b = &d->finding[other];
    if (a->rule != b->rule || a->level != b->level || a->certainty != b->certainty)
        return false;
    if (d->findings > FEW && same_shapes(a, b))
        return true;
    return a->culprits == 1 && b->culprits == 1 && a->culprit->line == b->culprit->line &&
           a->call == b->call && text_same_text(a->comm, b->comm) && text_same_text(a->fix, b->fix);
}

/* "also  the same on ranks 1..63" */
static void add_likes(const struct ncs_text *t, size_t first)
{
    const struct ncs_diagnosis *d = &t->result->diagnosis;
    int *rank = NULL;
    size_t ranks = 0, room = 0, distinct = 0;
    for (size_t i = first + 1; i < d->findings && !t->style->verbose; i++)
        for (size_t k = 0; text_is_alike(d, first, i) && k < d->finding[i].culprits; k++)
            NCS_PUSH(rank, ranks, room, d->finding[i].culprit[k].rank);
    if (ranks) {
        struct ncs_str also = { 0 };
        qsort(rank, ranks, sizeof *rank, ncs_order_ints);
        for (size_t i = 0; i < ranks; i++)
            if (!distinct || rank[distinct - 1] != rank[i])
                rank[distinct++] = rank[i];
        ncs_str_addf(&also, "the same on rank%s ", ncs_text_plural(distinct));
        ncs_str_add_many_ranks(&also, rank, distinct);
        ncs_text_keyed(t, NCS_BOLD, "also", also.text);
        ncs_str_free(&also);
    }
    ncs_free(rank);
}

static void text_add_finding(struct ncs_text *t, size_t which)
{
    const struct ncs_finding *f = &t->result->diagnosis.finding[which];
    if (f->title)
        ncs_text_title(t, f->title);
    struct ncs_rows rows = { 0 }, behind = { .merge = true };
    for (size_t i = 0; i < f->rows; i++)
        ncs_rows_add(f->row[i].behind ? &behind : &rows, f->row[i].rank, f->row[i].text,
                     f->row[i].line, text_is_culprit(f, f->row[i].rank));
    ncs_rows_print(&rows, t->style->verbose, t->out);
    ncs_rows_print(&behind, t->style->verbose, t->out);
    ncs_text_quote(t, f);
    if (f->why)
        ncs_text_keyed(t, NCS_BOLD, f->level == NCS_LEVEL_NOTE ? "note" : "why", f->why);
    for (size_t i = 0; i < f->priors; i++)
        ncs_text_keyed(t, NCS_BOLD, "prior", f->prior[i].text);
    if (f->certainty == NCS_POLICY_DEPENDENT)
        add_other_policy(t);
    else if (f->certainty == NCS_UNDEFINED)
        ncs_text_keyed(t, NCS_BOLD, "luck", "what NCCL does here is undefined and differs by machine");
    add_likes(t, which);
    if (f->otherwise)
        ncs_text_keyed(t, NCS_BOLD, "or", f->otherwise);
    if (f->fix)
        ncs_text_keyed(t, NCS_BOLD, "fix", f->fix);
    if (f->tried)
        ncs_text_keyed(t, NCS_BOLD, "tried", f->tried);
    struct ncs_str more = { 0 };
    ncs_str_addf(&more, "ncclscript explain %s", f->rule);
    ncs_text_keyed(t, NCS_DIM, "more", more.text);
    ncs_str_free(&more);
}

/* The number of lines written since `start`. */
static size_t lines_since(const struct ncs_text *t, size_t start)
{
    size_t lines = 0;
    for (size_t i = start; i < t->out->bytes; i++)
        lines += t->out->text[i] == '\n';
    return lines;
}

void ncs_text_findings(const struct ncs_text *t)
{
    const struct ncs_diagnosis *d = &t->result->diagnosis;
    size_t start = t->out->bytes, left_out = 0, *first = ncs_new(d->findings * sizeof *first);
    size_t kinds = 0;
    struct ncs_text quoting = *t; /* its files are read once for all findings */
    for (size_t i = 0; i < d->findings; i++) {
        size_t k = 0;
        while (k < kinds && !text_is_alike(d, first[k], i))
            k++;
        if (k < kinds && !t->style->verbose)
            continue;
        first[kinds++] = i;
        if (kinds > 1 && !t->style->verbose && lines_since(t, start) >= SCREEN)
            left_out++;
        else
            text_add_finding(&quoting, i);
    }
    ncs_text_quotes_free(quoting.quotes);
    ncs_free(first);
    if (left_out)
        ncs_str_addf(t->out, "  and %zu more finding%s; -v shows them\n", left_out,
                     ncs_text_plural(left_out));
    const struct ncs_other_policy *other_policy = &t->result->other_policy;
    if (!other_policy->differs || t->result->certainty == NCS_POLICY_DEPENDENT)
        return;
    struct ncs_str other = { 0 };
    ncs_str_addf(&other, "under the %s policy it ends otherwise: %s%s%s",
                 other_policy->policy == NCS_POLICY_TYPICAL ? "typical" : "strict",
                 ncs_verdict_name(other_policy->verdict), other_policy->rule ? ", " : "",
                 other_policy->rule ? other_policy->rule : "");
    ncs_text_keyed(t, NCS_BOLD, "luck", other.text);
    ncs_str_free(&other);
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
    ncs_rows_print(&rows, !merge || t->style->verbose, t->out);
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
                 ncs_format_duration(r->virtual_time, time, sizeof time),
                 r->model ? " on " : "", r->model ? ncs_models[r->model].name : "", r->nccl,
                 r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict");
    if (r->schedule_lost)
        ncs_str_add(t->out, "  schedule too long to keep\n");
    else if (r->schedule.bytes)
        ncs_str_addf(t->out, "  schedule %s\n", r->schedule.text);
}

/* ": 12 results verified, 34 calls" */
static void text_add_counts(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    if (t->run->origin) {
        ncs_str_addf(t->out, ": nothing wrong found in %" PRIu64 " call%s", r->calls, ncs_text_plural(r->calls));
        return;
    }
    ncs_str_addf(t->out, ": %" PRIu64 " result%s verified", r->checked, ncs_text_plural(r->checked));
    if (r->unchecked)
        ncs_str_addf(t->out, ", %" PRIu64 " not verified", r->unchecked);
    ncs_str_addf(t->out, ", %" PRIu64 " call%s", r->calls, ncs_text_plural(r->calls));
}

const struct ncs_finding *ncs_text_cause(const struct ncs_result *r)
{
    for (size_t i = 0; i < r->diagnosis.findings; i++)
        if (r->diagnosis.finding[i].level == NCS_LEVEL_ERROR)
            return &r->diagnosis.finding[i];
    return NULL;
}

/* ": hang as declared: skipped-call, rank 2" */
static void add_declared(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    struct ncs_str what = { 0 };
    ncs_str_addf(&what, ": %s as declared", ncs_verdict_name(r->verdict));
    const struct ncs_finding *f = ncs_text_cause(r);
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
        ncs_str_addf(&what, ": rank %d, element %" PRIu64, ncs_text_wrong_rank(r, &r->wrong[0]),
                     r->wrong[0].first);
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
        ncs_str_addf(&note, "the host, not the simulated GPU, had no memory for %" PRIu64 " allocation%s",
                     r->refused, ncs_text_plural(r->refused));
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
static bool is_unexplained(const struct ncs_result *r)
{
    return r->verdict == NCS_HANG && r->diagnosis.waits > 0 && r->diagnosis.findings == 0 && r->errors == 0;
}

static void add_body(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    ncs_text_errors(t);
    ncs_text_quote_errors(t);
    ncs_text_wrongs(t);
    ncs_text_expects(t);
    ncs_text_findings(t);
    add_unverified(t);
    if (stopped(r))
        text_add_waits(t, "where the ranks were then", true);
    if (r->verdict == NCS_INTERNAL_FAULT)
        ncs_text_keyed(t, NCS_BOLD, "note",
                       "a fault of ncclscript: please report it with the scenario");
    if (is_unexplained(r)) {
        text_add_waits(t, "where the ranks are", true);
        ncs_text_keyed(t, NCS_BOLD, "why", "every call that was made has its partners: the GPUs do not finish what "
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
                 ncs_format_size(r->output.bytes, kept, sizeof kept),
                 ncs_format_size(r->output_lost, lost, sizeof lost));
    ncs_text_keyed(t, NCS_BOLD, "note", note.text);
    ncs_str_free(&note);
}

/* Completes the first line of a verdict that has no further details. */
static void add_reason(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    if (r->verdict == NCS_SKIPPED) {
        ncs_str_add(t->out, ": ");
        ncs_safe_line(t->out, r->skip_reason ? r->skip_reason : "it cannot be run here");
    } else if (r->verdict == NCS_EMPTY) {
        ncs_str_add(t->out, t->run->origin ? ": no call in it" : ": nothing was executed");
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

void ncs_report_text(const struct ncs_report_run *run, const struct ncs_report_style *style,
                     struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    struct ncs_text text = { .run = run, .result = r, .style = style, .out = out };
    const struct ncs_text *t = &text;
    bool passed = r->verdict == NCS_PASS;

    bool fine = run->as_expected && r->verdict != NCS_SKIPPED;
    if (passed || fine)
        add_header(t, fine ? "PASS" : "FAIL", fine ? NCS_GREEN : NCS_RED);
    else
        add_header(t, look[r->verdict].word, look[r->verdict].color);
    if (passed)
        text_add_counts(t);
    else if (fine)
        add_declared(t);
    else
        add_reason(t);
    ncs_str_add(out, "\n");
    if (style->verbose)
        add_about(t);
    if (passed || !run->as_expected || style->verbose)
        add_body(t);
    for (size_t i = 0; i < run->notes; i++)
        ncs_text_keyed(t, NCS_BOLD, "note", run->note[i]);
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
}
