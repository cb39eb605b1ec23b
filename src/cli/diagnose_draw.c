#include "cli/diagnose_draw.h"

#include <string.h>

#include "base/file.h"
#include "cli/option.h"
#include "cli/output.h"
#include "run/timeline/timeline.h"

bool ncs_diagnose_can_draw(const char *html, const char *trace)
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
    struct ncs_error err = { 0 };
    if (!file)
        return;
    render(run, &text);
    if (strcmp(file, "-") == 0)
        ncs_out_document(text.text, text.bytes);
    else if (!ncs_file_write(file, text.text, text.bytes, true, &err)) {
        ncs_print_error(&err);
        ncs_out_file_failed();
    }
    ncs_str_free(&text);
}

void ncs_diagnose_draw(const char *html, const char *trace, const struct ncs_trace *recorded, struct ncs_report_run *run,
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
