/* Makes runs in order and reports them. */
#include "cli/suite.h"

#include "base/safe.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/report_files.h"

static void write_out(struct ncs_str *out)
{
    if (out->bytes)
        ncs_out(out->text);
    ncs_out_flush();
    ncs_str_free(out);
}

/* ---- the runs of one case ---- */

/* Reports the repetitions of a case after the last one. */
static void end_case(struct ncs_suite *suite, struct ncs_str *out)
{
    const struct ncs_selection *selection = suite->selection;
    const struct ncs_tally *t = &suite->repeated.tally;
    if (suite->folded && t->runs > 0 && (!suite->quiet || t->runs != t->expected + t->skipped)) {
        size_t first = suite->next - t->runs;
        const struct ncs_case *c = ncs_selection_case(selection, first);
        struct ncs_str name = { 0 };
        ncs_str_add(&name, selection->file[selection->run[first].file].path);
        if (c && c->name)
            ncs_str_addf(&name, "[%s]", c->name);
        ncs_repeated_text(&suite->repeated, name.text, &suite->report.style, out);
        ncs_str_free(&name);
    }
    ncs_repeated_free(&suite->repeated);
}

/* Reports only the first run in full if runs of a case have the same verdict. */
static void fold_equal_verdicts(struct ncs_suite *suite, struct ncs_report_entry *entry)
{
    struct ncs_repeated *r = &suite->repeated;
    if (r->unexpected[entry->verdict].count > 0)
        ncs_str_free(&entry->text);
    if (r->tally.runs == 0)
        r->first = suite->selection->run[suite->next].seed;
    ncs_repeated_add(r, entry);
}

/* ---- all ---- */

static size_t unexpected(const struct ncs_tally *t)
{
    return t->runs - t->expected - t->skipped;
}

void ncs_suite_report(struct ncs_suite *suite, struct ncs_report_entry *entry)
{
    const struct ncs_selection *selection = suite->selection;
    size_t run = suite->next;
    if (suite->link) {
        ncs_link_keep(suite->link, entry);
        return;
    }
    struct ncs_str out = { 0 };
    entry->file = selection->file[selection->run[run].file].path;
    if (suite->pages)
        ncs_pages_add(suite->pages, entry);
    if (entry->undrawn)
        ncs_out_file_failed();
    if (run > 0 && !ncs_selection_same_case(selection, run, run - 1))
        end_case(suite, &out);
    if (suite->folded)
        fold_equal_verdicts(suite, entry);
    ncs_report_add(&suite->report, entry, &out);
    ncs_report_entry_free(entry);
    suite->next++;
    if (suite->fail_fast && unexpected(&suite->report.tally) > 0)
        suite->cut = "--fail-fast";
    write_out(&out);
}

void ncs_suite_add_not_run(const struct ncs_suite *suite, struct ncs_str *out)
{
    enum { SHOWN = 8 };
    const struct ncs_selection *selection = suite->selection;
    for (size_t i = suite->next; i < selection->runs; i++) {
        if (i == suite->next + SHOWN) {
            ncs_str_addf(out, " and %zu more", selection->runs - i);
            return;
        }
        struct ncs_str name = { 0 };
        ncs_selection_add_full_name(selection, i, &name);
        ncs_str_add(out, i == suite->next ? "; not run: " : ", ");
        ncs_safe_line(out, name.text);
        ncs_str_free(&name);
    }
}

int ncs_suite_finish(struct ncs_suite *suite)
{
    struct ncs_report *report = &suite->report;
    struct ncs_str out = { 0 };
    report->tally.not_run = suite->selection->runs - suite->next;
    report->tally.cases = suite->selection->cases;
    report->tally.scenarios = suite->selection->scenarios;
    end_case(suite, &out);
    ncs_report_end(report, report->tally.not_run ? suite->cut : NULL, &out);
    write_out(&out);
    ncs_report_files_write(report);
    if (report->tally.not_run && ncs_suite_interrupts()) /* a run with a verdict keeps it */
        report->tally.worst = ncs_verdict_worse(report->tally.worst, NCS_INTERRUPTED);
    return ncs_tally_exit(&report->tally);
}

static void run_here(struct ncs_suite *suite)
{
    struct ncs_str name = { 0 };
    while (suite->next < suite->selection->runs && !suite->cut) {
        ncs_str_clear(&name);
        ncs_selection_add_full_name(suite->selection, suite->next, &name);
        ncs_progress_show(suite->next, suite->selection->runs, unexpected(&suite->report.tally), name.text);
        ncs_suite_make(suite, suite->next);
        if (ncs_suite_interrupts())
            suite->cut = "interrupted";
    }
    ncs_str_free(&name);
}

int ncs_suite_run(struct ncs_suite *suite, int jobs)
{
    if (suite->selection->runs > 1)
        ncs_progress_start();
    if (jobs > 1 && suite->selection->runs > 1) {
        ncs_suite_catch_interrupts(false);
        ncs_suite_run_jobs(suite, jobs);
    } else {
        ncs_suite_catch_interrupts(true);
        run_here(suite);
    }
    ncs_progress_stop();
    return ncs_suite_finish(suite);
}
