#include "cli/diagnose_draw.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/option.h"
#include "cli/output.h"
#include "run/timeline/timeline.h"

/* ---- what may be written ---- */

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

bool ncs_diagnose_can_write(const char *option, const char *file, char *const *read, size_t count)
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
    if (!file)
        return;
    render(run, &text);
    ncs_out_to(file, &text);
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
