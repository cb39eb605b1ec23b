#include "cli/report_files.h"

#include <string.h>

#include "cli/command.h"
#include "cli/output.h"

static bool report_is_scenario(const char *file)
{
    const char *dot = strrchr(file, '.');
    return dot && (strcmp(dot, ".lua") == 0 || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

const char *const ncs_debug_names[] = { "diagnosis", NULL };

bool ncs_debug_begin(const char *command, const struct ncs_option_value *debug, const struct ncs_option_value *format)
{
    ncs_decisions_kept = debug->given;
    if (debug->given && format->number > 0)
        ncs_usage_error(command, NULL, "--debug is for people: it does not go with --format %s",
                        ncs_report_format_names[format->number]);
    return !debug->given || format->number == 0;
}

bool ncs_report_files_fit(const char *command, const struct ncs_option_value *v)
{
    for (size_t i = 0; i + 1 < v->texts; i += 2) {
        const char *format = v->text[i], *file = v->text[i + 1];
        bool output = strcmp(file, "-") == 0;
        if (!output && !report_is_scenario(file))
            continue;
        ncs_usage_error(command, NULL,
                        output ? "--report %s %s: standard output has the report of --format"
                               : "--report %s %s: a scenario is not replaced",
                        format, file);
        return false;
    }
    return true;
}

void ncs_report_files_add(const struct ncs_option_value *v, struct ncs_report *report)
{
    for (size_t i = 0; i + 1 < v->texts; i += 2)
        ncs_report_also(report, ncs_report_format_of(v->text[i]), v->text[i + 1]);
}

void ncs_report_files_write(const struct ncs_report *report)
{
    for (report = report->further; report; report = report->further)
        ncs_out_to(report->path, &report->document);
}
