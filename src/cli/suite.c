/* The order of runs, and what is said of all of them. */
#include "cli/suite.h"

#include <stdio.h>

#include "cli/output.h"
#include "base/safe.h"

void ncs_suite_report(struct ncs_suite *suite, const struct ncs_report_run *run)
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

void ncs_suite_add_not_run(const struct ncs_suite *suite, struct ncs_str *out)
{
    const struct ncs_files *files = suite->files;
    for (size_t i = suite->next; i < files->count; i++) {
        ncs_str_add(out, i == suite->next ? "; not run: " : ", ");
        ncs_safe_line(out, files->path[i]);
    }
}

void ncs_suite_summarize(struct ncs_suite *suite)
{
    suite->tally.not_run = suite->files->count - suite->next;
    if (suite->files->count < 2 || suite->json)
        return;
    struct ncs_str out = { 0 };
    ncs_tally_text(&suite->tally, &out);
    ncs_out(out.text);
    ncs_str_free(&out);
}

int ncs_suite_run(struct ncs_suite *suite, const struct ncs_files *files)
{
    if (!files->count) {
        fprintf(stderr, "ncclscript run: nothing was executed: no scenarios (*.lua) there\n");
        return ncs_verdict_exit(NCS_EMPTY);
    }
    ncs_suite_catch_interrupts();
    suite->files = files;
    while (suite->next < files->count && !ncs_suite_interrupted())
        ncs_suite_run_file(suite, files->path[suite->next++]);
    ncs_suite_summarize(suite);
    if (suite->next < files->count) /* a run that had its verdict keeps it */
        suite->tally.worst = ncs_verdict_worse(suite->tally.worst, NCS_INTERRUPTED);
    return ncs_tally_exit(&suite->tally);
}
