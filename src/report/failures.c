/* The failures of a run, for people: errors with the fate of the other ranks, wrong results,
 * failed expectations. */
#include "report/text.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "report/rows.h"
#include "scenario/outcome.h"

static const char *failures_comm_name(const struct ncs_result *r, int comm)
{
    if (!r->journal || comm < 0 || (size_t)comm >= r->journal->comms)
        return "?";
    return r->journal->comm[comm]->name ? r->journal->comm[comm]->name : "?";
}

void ncs_text_wrong(const struct ncs_wrong *w, bool with_pattern, struct ncs_str *out)
{
    ncs_str_addf(out, "element %" PRIu64 ": got %s, want %s; %" PRIu64 " of %" PRIu64 " differ", w->first, w->got, w->want,
                 w->differ, w->total);
    if (with_pattern && w->text[0])
        ncs_str_addf(out, ": %s", w->text);
}

int ncs_text_wrong_rank(const struct ncs_result *r, const struct ncs_wrong *w)
{
    bool known = r->diagnosis.parties && r->journal && w->comm >= 0 && (size_t)w->comm < r->journal->comms && w->comm_rank >= 0 &&
                 w->comm_rank < r->journal->comm[w->comm]->members;
    return known ? ncs_number_of(&r->diagnosis, &r->journal->comm[w->comm]->member[w->comm_rank]) : w->rank;
}

static void add_wrong_row(const struct ncs_result *r, struct ncs_rows *rows, const struct ncs_wrong *w, bool with_pattern)
{
    struct ncs_str text = { 0 };
    ncs_text_wrong(w, with_pattern, &text);
    ncs_rows_add(rows, ncs_text_wrong_rank(r, w), text.text, w->call ? w->call->place.line : 0, false);
    ncs_str_free(&text);
}

void ncs_text_wrong_call(const struct ncs_result *r, const struct ncs_wrong *w, struct ncs_str *out)
{
    ncs_str_addf(out, "communicator %s, call %" PRIu32 ": ", failures_comm_name(r, w->comm), w->number);
    if (w->call)
        ncs_call_describe(w->call, out);
}

/* The wrong results of one call, wrong[0] to wrong[count - 1]. */
static void add_wrong_call(const struct ncs_text *t, const struct ncs_wrong *wrong, size_t count)
{
    struct ncs_str title = { 0 };
    ncs_text_wrong_call(t->result, wrong, &title);
    ncs_text_title(t, title.text);
    ncs_str_free(&title);

    bool same = true;
    for (size_t i = 1; i < count; i++)
        same = same && strcmp(wrong[0].text, wrong[i].text) == 0;
    struct ncs_rows rows = { 0 };
    for (size_t i = 0; i < count; i++)
        add_wrong_row(t->result, &rows, &wrong[i], !same);
    ncs_rows_print(&rows, NULL, t->style->verbose, t->out);
    if (same && wrong->text[0])
        ncs_text_keyed(t, NCS_BOLD, "why", wrong->text);
}

void ncs_text_wrongs(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    enum { CALLS = 4 }; /* of which each rank's result is shown */
    size_t calls = 0;
    for (size_t i = 0, n; i < r->wrongs; i += n) {
        const struct ncs_wrong *w = &r->wrong[i];
        for (n = 1; i + n < r->wrongs && w[n].comm == w->comm && w[n].number == w->number;)
            n++;
        if (++calls <= CALLS || t->style->verbose)
            add_wrong_call(t, w, n);
    }
    if (calls > CALLS && !t->style->verbose)
        ncs_str_addf(t->out, "  and wrong results of %zu more call%s; -v shows them\n", calls - CALLS,
                     ncs_text_plural(calls - CALLS));
    if (r->wrong_count > r->wrongs)
        ncs_str_addf(t->out, "  and %" PRIu64 " more wrong results\n", r->wrong_count - r->wrongs);
}

/* True if an error reports the expectation already: a fatal one that nothing catches ends its rank
 * with an error. */
static bool is_reported(const struct ncs_result *r, const struct ncs_run_expect *e)
{
    for (size_t i = 0; i < r->errors; i++) {
        const struct ncs_run_error *error = &r->error[i];
        if (error->kind == NCS_KIND_EXPECT && error->rank == e->rank && error->place.line == e->place.line && error->message &&
            e->message && strncmp(error->message, e->message, strlen(e->message)) == 0)
            return true;
    }
    return false;
}

bool ncs_text_expects_follow(const struct ncs_result *r)
{
    return r->verdict == NCS_HANG && ncs_first_error(&r->diagnosis);
}

static void add_expect_count(const struct ncs_text *t, size_t count)
{
    struct ncs_str note = { 0 };
    if (count == 1)
        ncs_str_add(&note, "an expectation failed, too: -v shows it");
    else if (count)
        ncs_str_addf(&note, "%zu expectations failed, too: -v shows them", count);
    if (count)
        ncs_text_keyed(t, NCS_BOLD, "note", note.text);
    ncs_str_free(&note);
}

void ncs_text_expects(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    struct ncs_rows rows = { .merge = true };
    bool counts = ncs_text_expects_follow(r) && !t->style->verbose;
    size_t hidden = 0;
    for (size_t i = 0; i < r->expects; i++) {
        const struct ncs_run_expect *e = &r->expect[i];
        struct ncs_str text = { 0 };
        if (is_reported(r, e))
            continue;
        if (counts) {
            hidden++;
            continue;
        }
        if (e->label)
            ncs_str_addf(&text, "%s: ", e->label);
        ncs_str_add(&text, e->message ? e->message : "");
        ncs_rows_add(&rows, e->rank, text.text, e->place.line, false);
        ncs_str_free(&text);
    }
    add_expect_count(t, hidden);
    if (rows.count)
        ncs_text_title(t, rows.count == 1 ? "expectation that failed" : "expectations that failed");
    ncs_rows_print(&rows, NULL, t->style->verbose, t->out);
}

/* ---- errors ---- */

void ncs_text_error(const struct ncs_run_error *e, struct ncs_str *out)
{
    bool api = e->kind == NCS_KIND_NCCL || e->kind == NCS_KIND_CUDA;
    const char *message = e->message ? e->message : "";
    if (e->thread)
        ncs_str_addf(out, "thread %d: ", e->thread);
    /* A message that names the result code already says all of this. */
    if (api && e->name && !strstr(message, e->name))
        ncs_str_addf(out, "%s returned %s: ", e->call ? e->call : "a call", e->name);
    ncs_str_add(out, message);
    if (e->label && !strstr(message, e->label))
        ncs_str_addf(out, " (label \"%s\")", e->label);
}

static void add_error_row(const struct ncs_result *r, struct ncs_rows *rows, const struct ncs_run_error *e)
{
    struct ncs_str text = { 0 };
    ncs_text_error(e, &text);
    ncs_rows_add(rows, ncs_number_of_thread(&r->diagnosis, e->rank, e->thread), text.text, e->place.line, false);
    ncs_str_free(&text);
}

/* True if NCCL's last error says more than the message does. A Lua traceback is
 * shown only with -v. */
static bool adds_more(const struct ncs_text *t, const struct ncs_run_error *e)
{
    if (!e->detail || (e->message && strstr(e->message, e->detail)))
        return false;
    return t->style->verbose || strncmp(e->detail, "stack traceback:", 16) != 0;
}

static void add_detail(const struct ncs_text *t, const char *detail)
{
    while (*detail) {
        size_t bytes = strcspn(detail, "\n");
        struct ncs_str line = { 0 };
        ncs_str_add_bytes(&line, detail, bytes);
        ncs_str_add(t->out, "            ");
        ncs_safe_line(t->out, line.text);
        ncs_str_add(t->out, "\n");
        ncs_str_free(&line);
        detail += bytes + (detail[bytes] == '\n');
    }
}

/* Adds " because rank 2 failed": the failed ranks among those it waits for. If it waits through
 * others, the first failed rank is named. */
static void add_because(const struct ncs_text *t, const struct ncs_wait_line *wait)
{
    const struct ncs_result *r = t->result;
    int *rank = ncs_new((wait->peers + 1) * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < wait->peers; i++)
        if (ncs_has_failed(r, wait->peer[i]))
            rank[ranks++] = wait->peer[i];
    if (!ranks)
        rank[ranks++] = ncs_number_of_thread(&r->diagnosis, r->error[0].rank, r->error[0].thread);
    ncs_str_addf(t->out, " because rank%s ", ncs_text_plural(ranks));
    ncs_str_add_many_ranks(t->out, rank, ranks);
    ncs_str_add(t->out, " failed");
    ncs_free(rank);
}

/* Adds "  ranks 0, 1, 3 wait in cudaStreamSynchronize at line 9 because rank 2 failed" for the
 * other ranks, one line for each place. */
static void add_fate(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    const struct ncs_wait_line *wait = r->diagnosis.wait;
    size_t waits = r->diagnosis.waits;
    bool *told = ncs_new(waits * sizeof *told);
    int *rank = ncs_new(waits * sizeof *rank);
    for (size_t i = 0; i < waits; i++) {
        if (told[i] || ncs_has_failed(r, wait[i].rank))
            continue;
        size_t ranks = 0;
        for (size_t k = i; k < waits; k++) {
            bool here = !ncs_has_failed(r, wait[k].rank) && wait[k].place.line == wait[i].place.line &&
                        strcmp(wait[k].in ? wait[k].in : "", wait[i].in ? wait[i].in : "") == 0;
            if (!here)
                continue;
            told[k] = true;
            if (!ranks || rank[ranks - 1] != wait[k].rank)
                rank[ranks++] = wait[k].rank;
        }
        ncs_str_addf(t->out, "  rank%s ", ncs_text_plural(ranks));
        ncs_str_add_many_ranks(t->out, rank, ranks);
        ncs_str_addf(t->out, " wait%s in ", ranks == 1 ? "s" : "");
        ncs_safe_line(t->out, wait[i].in ? wait[i].in : "a call");
        if (wait[i].place.line > 0)
            ncs_str_addf(t->out, " at line %d", wait[i].place.line);
        add_because(t, &wait[i]);
        ncs_str_add(t->out, "\n");
    }
    ncs_free(rank);
    ncs_free(told);
}

void ncs_text_errors(const struct ncs_text *t)
{
    const struct ncs_result *r = t->result;
    /* Each detail belongs under its own row. Many errors tend to be equal, so then only the first
     * detail is printed. */
    bool one_by_one = r->errors <= 4 || t->style->verbose;
    struct ncs_rows rows = { .merge = true };
    for (size_t i = 0; i < r->errors; i++) {
        add_error_row(r, &rows, &r->error[i]);
        if (!adds_more(t, &r->error[i]) || (i > 0 && !one_by_one))
            continue;
        ncs_rows_print(&rows, NULL, t->style->verbose, t->out);
        add_detail(t, r->error[i].detail);
    }
    ncs_rows_print(&rows, NULL, t->style->verbose, t->out);
    if (r->internal.status != NCS_OK) {
        if (!r->skip_reason || strcmp(r->skip_reason, r->internal.text) != 0)
            ncs_text_keyed(t, NCS_BOLD, "why", r->internal.text);
        if (r->internal.hint[0])
            ncs_text_keyed(t, NCS_BOLD, "fix", r->internal.hint);
    }
    if (r->errors)
        add_fate(t);
}

/* ---- failures that a program did not notice ---- */

static bool is_same_failure(const struct ncs_run_error *a, const struct ncs_run_error *b)
{
    return a->code == b->code && a->place.line == b->place.line && strcmp(a->call, b->call) == 0;
}

/* Adds "cudaSetDevice cudaErrorInvalidDevice (4 times at line 9 on ranks 0, 1)": all that are equal to e. Returns the calls. */
static uint64_t add_ignored(const struct ncs_result *r, const struct ncs_run_error *e, struct ncs_str *out)
{
    int *rank = ncs_new(r->ignoreds * sizeof *rank);
    size_t ranks = 0;
    uint64_t calls = 0;
    struct ncs_str facts = { 0 };
    for (const struct ncs_run_error *k = e; k < r->ignored + r->ignoreds; k++)
        if (is_same_failure(k, e)) {
            calls += k->count;
            rank[ranks] = k->rank;
            ranks += k->rank >= 0 && r->ranks > 1;
        }
    struct ncs_rank_set set = ncs_rank_set_of(rank, ranks);
    ncs_str_addf(out, "%s %s", e->call, e->name ? e->name : "an unknown code");
    if (calls > 1)
        ncs_str_addf(&facts, "%" PRIu64 " times", calls);
    if (e->place.line)
        ncs_str_addf(&facts, "%sline %d", facts.bytes ? " at " : "", e->place.line);
    if (set.count) {
        ncs_str_addf(&facts, "%son rank%s ", facts.bytes ? " " : "", ncs_text_plural(set.count));
        ncs_str_add_many_ranks(&facts, set.rank, set.count);
    }
    if (facts.bytes)
        ncs_str_addf(out, " (%s)", facts.text);
    ncs_str_free(&facts);
    ncs_free(set.rank);
    ncs_free(rank);
    return calls;
}

void ncs_report_ignored(const struct ncs_result *r, struct ncs_str *out)
{
    enum { SHOWN = 6 };
    uint64_t more = 0;
    size_t kinds = 0;
    for (size_t i = 0; i < r->ignoreds; i++)
        more += r->ignored[i].count;
    if (more)
        ncs_str_addf(out, "%" PRIu64 " call%s failed and the program went on", more, ncs_text_plural(more));
    for (size_t i = 0, first; i < r->ignoreds && kinds < SHOWN; i++) {
        for (first = 0; !is_same_failure(&r->ignored[first], &r->ignored[i]);)
            first++;
        if (first < i)
            continue;
        ncs_str_add(out, kinds++ ? ", " : ": ");
        more -= add_ignored(r, &r->ignored[i], out);
    }
    if (more)
        ncs_str_addf(out, ", and %" PRIu64 " more", more);
}
