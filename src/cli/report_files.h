/* --report FORMAT FILE: the report in further formats, each in a file. */
#ifndef NCS_CLI_REPORT_FILES_H
#define NCS_CLI_REPORT_FILES_H

#include <stdbool.h>

#include "cli/option.h"
#include "report/report.h"

#define NCS_OPTION_REPORT(formats)                                                                                         \
    {                                                                                                                      \
        "report", 0, NCS_OPTION_PAIR, "FILE", NULL, "Output", "also write the report in a format into FILE", formats, 0, 0 \
    }

/* "Other" is the group of --help, too: neither is for daily use. */
#define NCS_OPTION_DEBUG                                                                                              \
    {                                                                                                                 \
        "debug", 0, NCS_OPTION_CHOICE, "diagnosis", NULL, "Other", "end the report with why each finding was chosen", \
            ncs_debug_names, 0, 0                                                                                     \
    }
extern const char *const ncs_debug_names[];
/* Switches on what --debug asks for. False after a usage error: the format is not for people. */
bool ncs_debug_begin(const char *command, const struct ncs_option_value *debug, const struct ncs_option_value *format);

/* False after a usage error: FILE is a scenario, or standard output, which --format is for. */
bool ncs_report_files_fit(const char *command, const struct ncs_option_value *v);
/* Adds the further reports to one that has begun. */
void ncs_report_files_add(const struct ncs_option_value *v, struct ncs_report *report);
/* Writes them after the end; complains on standard error, and ncs_out_finish fails then. */
void ncs_report_files_write(const struct ncs_report *report);

#endif
