/* Writes the files of --trace and --html. */
#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "cli/run_options.h"
#include "cli/suite.h"

static const struct {
    enum ncs_run_row option;
    void (*render)(const struct ncs_report_run *run, struct ncs_str *out);
} drawings[] = {
    { NCS_RUN_TRACE, ncs_report_trace },
    { NCS_RUN_HTML, ncs_report_html },
};

enum { DRAWINGS = sizeof drawings / sizeof *drawings };

static bool is_output(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* True if two names are one regular file. Anything else is written to, not replaced. */
static bool is_same_drawing(const char *a, const char *b)
{
    struct stat x, y;
    if (strcmp(a, b) == 0)
        return true;
    return !is_output(a) && !is_output(b) && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISREG(x.st_mode) && x.st_dev == y.st_dev &&
           x.st_ino == y.st_ino;
}

static bool can_draw(const struct ncs_selection *selection, const char *option, const char *file, struct ncs_error *err)
{
    if (selection->runs > 1) {
        ncs_fail(err, NCS_BAD_INPUT, "--%s %s is for one run, not for %zu", option, file, selection->runs);
        if (strcmp(option, "html") == 0 && !is_output(file))
            return ncs_fail_hint(err, "--html DIR, a folder, takes a page for each run");
        return ncs_fail_hint(err, selection->repeats > 1 ? "leave --repeat out, and choose one by --seed"
                                                         : "--list shows the names of all, and FILE[name=value] or "
                                                           "-k chooses one");
    }
    for (size_t i = 0; i < selection->files; i++)
        if (!is_output(file) && is_same_drawing(selection->file[i].path, file))
            return ncs_fail(err, NCS_BAD_INPUT, "--%s %s would replace the scenario", option, file);
    return true;
}

bool ncs_suite_can_draw(const struct ncs_option_value *v, const struct ncs_selection *selection, struct ncs_error *err)
{
    const char *file[DRAWINGS];
    for (size_t i = 0; i < DRAWINGS; i++) {
        file[i] = ncs_option_last(&v[drawings[i].option]);
        if (!file[i])
            continue;
        if (drawings[i].option == NCS_RUN_HTML && ncs_pages_wanted(file[i], selection->runs))
            continue;
        if (!can_draw(selection, ncs_run_option[drawings[i].option].name, file[i], err))
            return false;
        if (is_output(file[i]))
            ncs_out_divert();
    }
    const char *record = ncs_option_last(&v[NCS_RUN_RECORD]);
    if (record && is_output(record))
        return ncs_fail(err, NCS_BAD_INPUT, "--record: expected the name of a file");
    if (record && !can_draw(selection, "record", record, err))
        return false;
    if (file[0] && file[1] && strcmp(file[0], file[1]) == 0)
        return ncs_fail(err, NCS_BAD_INPUT, "--trace and --html cannot both be written to %s", file[0]);
    return true;
}

void ncs_suite_draw(struct ncs_suite *suite, size_t run, const struct ncs_report_run *report)
{
    for (size_t i = 0; i < DRAWINGS && report->result->timeline; i++) {
        const char *file = ncs_option_last(&suite->value[drawings[i].option]);
        struct ncs_str text = { 0 };
        if (!file)
            continue;
        suite->drawn = true;
        if (drawings[i].option == NCS_RUN_HTML && suite->pages) {
            suite->page_written = ncs_pages_write(suite->pages, run, report);
            suite->page_failed = !suite->page_written;
            continue;
        }
        drawings[i].render(report, &text);
        ncs_out_to(file, &text);
        ncs_str_free(&text);
    }
}

void ncs_suite_note(struct ncs_suite *suite, const struct ncs_report_run *report, struct ncs_report_entry *entry)
{
    if (!suite->pages)
        return;
    entry->drawn = suite->page_written;
    entry->undrawn = suite->page_failed;
    suite->page_written = suite->page_failed = false;
    ncs_report_message(report, &entry->message);
}

void ncs_suite_drawn(struct ncs_suite *suite)
{
    if (suite->pages && !ncs_pages_finish(suite->pages))
        ncs_out_file_failed();
    for (size_t i = 0; i < DRAWINGS && !suite->drawn && !suite->pages; i++) {
        const char *file = ncs_option_last(&suite->value[drawings[i].option]);
        if (file)
            fprintf(stderr, "ncclscript run: nothing was run: %s was not written\n", is_output(file) ? "the document" : file);
    }
}
