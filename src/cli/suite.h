/* Several runs, in this process or in several: shared by the files of `run`. */
#ifndef NCS_CLI_SUITE_H
#define NCS_CLI_SUITE_H

#include "base/inbox.h"
#include "cli/log.h"
#include "cli/option.h"
#include "cli/selection.h"
#include "cli/suite_pages.h"
#include "report/dump/dump.h"
#include "report/report.h"

struct ncs_link; /* suite_link.c */

struct ncs_suite {
    const struct ncs_option_value *value; /* rows of ncs_run_option */
    const struct ncs_selection *selection;
    const char *schedule; /* NULL = none */
    struct ncs_report report;
    struct ncs_log log;
    bool quiet, verbose, times, fail_fast;
    bool folded;                  /* the runs of one case are reported together */
    size_t next;                  /* the first unreported run */
    const char *cut;              /* why the remaining runs are not made; NULL = they are */
    struct ncs_repeated repeated; /* the runs of the case that is being reported */
    bool drawn;                   /* --trace and --html: there was something to write */
    bool dumped;                  /* --dump: the same */
    struct ncs_dump_log dump_log;
    char **dump_env;
    size_t dump_envs, dump_env_room; /* variables of the run, if its log is to be dumped */
    struct ncs_pages *pages;         /* --html DIR; NULL = not asked for */
    bool page_written, page_failed;  /* of the run that is being reported */
    struct ncs_link *link;           /* to the process that reports; NULL = this process */
};

/* ---- suite.c: the order ---- */

/* Makes all runs of the selection; returns the exit status for all. */
int ncs_suite_run(struct ncs_suite *suite, int jobs);
/* Reports the result of run `suite->next`, once, and advances to the next one. Takes over the entry's contents. */
void ncs_suite_report(struct ncs_suite *suite, struct ncs_report_entry *entry);
/* Ends the report; returns the exit status. */
int ncs_suite_finish(struct ncs_suite *suite);
/* Appends "; not run: b.lua, c.lua". */
void ncs_suite_add_not_run(const struct ncs_suite *suite, struct ncs_str *out);

/* ---- suite_run.c: one run ---- */

/* Makes that run in this process and reports its result. */
void ncs_suite_make(struct ncs_suite *suite, size_t run);
/* Fills the entry of a run since `start` of which only this result is known, and perhaps
 * its declaration (or NULL). */
void ncs_suite_entry(struct ncs_suite *suite, size_t run, int64_t start, const struct ncs_scenario *scenario,
                     const struct ncs_result *result, struct ncs_report_entry *entry);

/* ---- suite_draw.c: --trace and --html ---- */

/* True if the drawings fit this selection; otherwise false and err. */
bool ncs_suite_can_draw(const struct ncs_option_value *v, const struct ncs_selection *selection, struct ncs_error *err);
/* Writes the requested drawings of run number `run`. */
void ncs_suite_draw(struct ncs_suite *suite, size_t run, const struct ncs_report_run *report);
/* Notes in the entry of a run what the index of pages needs; a no-op without an index. */
void ncs_suite_note(struct ncs_suite *suite, const struct ncs_report_run *report, struct ncs_report_entry *entry);
/* After the runs: writes the index of pages, and reports drawings that no run has filled. */
void ncs_suite_drawn(struct ncs_suite *suite);

/* ---- suite_dump.c: --dump ---- */

/* True if the dumps fit this selection, and their folders are there or can be made; otherwise false and err. */
bool ncs_suite_can_dump(const struct ncs_option_value *v, const struct ncs_selection *selection, struct ncs_error *err);
/* Lets the run write the log that the dumps need. */
void ncs_suite_prepare_dump(struct ncs_suite *suite, struct ncs_run_options *options);
/* Writes the requested dumps of a run. */
void ncs_suite_dump(struct ncs_suite *suite, const struct ncs_report_run *report);
/* After the runs: reports dumps that no run has filled, and frees what they needed. */
void ncs_suite_dumped(struct ncs_suite *suite);

/* ---- suite_stop.c: interrupts, and runs that do not end ---- */

/* SIGINT and SIGTERM interrupt the run in progress. `guard`: a thread ends a run that ignores that. */
void ncs_suite_catch_interrupts(bool guard);
int ncs_suite_interrupts(void); /* received so far */

/* Call these at the begin and the end of a run in this process. */
void ncs_suite_begin(struct ncs_suite *suite, const struct ncs_scenario *scenario, const struct ncs_run_options *options,
                     size_t run, int64_t start);
void ncs_suite_end(void);

/* Ends the process: a rank is inside a call of the real library that does not return, with memory that it
 * may still use, so that neither another run nor an orderly end is possible. */
void ncs_suite_end_here(struct ncs_suite *suite) __attribute__((noreturn));

/* ---- suite_jobs.c: several processes ---- */

/* Makes the runs from suite->next on. */
void ncs_suite_run_jobs(struct ncs_suite *suite, int jobs);

/* ---- suite_link.c: from a process that makes runs to the one that reports ---- */

/* The result of a run, sent to the process that reports. */
struct ncs_parcel {
    size_t run;
    bool last; /* the process ends */
    struct ncs_report_entry entry;
    struct ncs_str log; /* lines for files: "path\0line\0" ... */
};

struct ncs_link *ncs_link_new(int fd);
/* Keeps the entry of the run until it is sent, and takes over its contents. */
void ncs_link_keep(struct ncs_link *link, struct ncs_report_entry *entry);
/* Sends the kept entries; ends the process if the reader is gone. */
void ncs_link_send(struct ncs_link *link, size_t run, bool last);
struct ncs_str *ncs_link_log(struct ncs_link *link); /* for struct ncs_log */
/* Adds what has come to the parcel, which is empty at first; true if it is whole. The caller frees its contents with
 * ncs_parcel_free. */
bool ncs_parcel_take(struct ncs_inbox *in, struct ncs_parcel *parcel);
void ncs_parcel_free(struct ncs_parcel *parcel);

#endif
