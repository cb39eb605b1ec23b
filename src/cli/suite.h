/* Several runs, one after the other: what the files of `run` share. */
#ifndef NCS_CLI_SUITE_H
#define NCS_CLI_SUITE_H

#include "cli/files.h"
#include "cli/log.h"
#include "cli/option.h"
#include "report/report.h"

struct ncs_suite {
    const struct ncs_option_value *value; /* rows of ncs_run_option */
    bool json, quiet;
    const char *schedule; /* NULL = none */
    struct ncs_report_style style;
    struct ncs_log log;
    struct ncs_tally tally;
    const struct ncs_files *files;
    size_t next; /* the first that has not been begun */
};

/* ---- suite.c ---- */

/* Runs the files in their order; the exit status of them all. */
int ncs_suite_run(struct ncs_suite *suite, const struct ncs_files *files);
/* Writes what a run came to, and counts it. */
void ncs_suite_report(struct ncs_suite *suite, const struct ncs_report_run *run);
/* The line about all runs. */
void ncs_suite_summarize(struct ncs_suite *suite);
/* Appends "; not run: b.lua, c.lua". */
void ncs_suite_add_not_run(const struct ncs_suite *suite, struct ncs_str *out);

/* ---- suite_run.c ---- */

void ncs_suite_run_file(struct ncs_suite *suite, const char *file);

/* ---- suite_stop.c: interrupts, and runs that do not come back ---- */

void ncs_suite_catch_interrupts(void);
bool ncs_suite_interrupted(void);

/* Between these the run of a scenario is in progress. */
void ncs_suite_begin(struct ncs_suite *suite, const struct ncs_scenario *scenario,
                     const struct ncs_run_options *options);
void ncs_suite_end(void);

/* A rank is in a call of the real library that does not return, with memory that it may use: there
 * is no next run in this process, and no orderly end of it. */
void ncs_suite_end_here(struct ncs_suite *suite) __attribute__((noreturn));

#endif
