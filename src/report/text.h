/* Shared by the files of the report for people: its input, its output, and how
 * lines are printed. */
#ifndef NCS_REPORT_TEXT_H
#define NCS_REPORT_TEXT_H

#include "report/report.h"

#define NCS_BOLD "1"
#define NCS_DIM "2"
#define NCS_RED "1;31"
#define NCS_GREEN "1;32"
#define NCS_YELLOW "1;33"

struct ncs_text {
    const struct ncs_report_run *run;
    const struct ncs_result *result;
    const struct ncs_report_style *style;
    struct ncs_str *out;
    struct ncs_sources *quotes; /* files that were read; NULL = none yet */
};

const char *ncs_text_plural(uint64_t n); /* "" or "s" */
void ncs_text_title(const struct ncs_text *t, const char *title);
/* Adds "  why   text": a key and a text; further lines are aligned under the first. */
void ncs_text_keyed(const struct ncs_text *t, const char *color, const char *key, const char *text);

/* All findings, the cause first. */
void ncs_text_findings(const struct ncs_text *t);

/* Adds "buffer-reused, never-destroyed (--fail-on note)"; nothing if there are none. */
void ncs_text_failing(const struct ncs_failing *failing, struct ncs_str *out);

/* Quotes the lines of the scenario that the finding names (quote.c); nothing if its
 * file cannot be read. */
void ncs_text_quote(struct ncs_text *t, const struct ncs_finding *f);
/* Quotes the lines of errors that no finding covers. */
void ncs_text_quote_errors(const struct ncs_text *t);

/* ---- what failed (failures.c) ---- */

/* A wrong result in one line, without its rank. */
void ncs_text_wrong_call(const struct ncs_result *r, const struct ncs_wrong *w, struct ncs_str *out);
/* The rank of a wrong result, in the diagnosis's numbers. */
int ncs_text_wrong_rank(const struct ncs_result *r, const struct ncs_wrong *w);
void ncs_text_wrong(const struct ncs_wrong *w, bool with_pattern, struct ncs_str *out);
void ncs_text_error(const struct ncs_run_error *e, struct ncs_str *out);

void ncs_text_errors(const struct ncs_text *t);
void ncs_text_wrongs(const struct ncs_text *t);
void ncs_text_expects(const struct ncs_text *t);
/* True if failed expectations follow from a cause that has a finding: they come after it, without -v as a number. */
bool ncs_text_expects_follow(const struct ncs_result *r);

void ncs_text_processes(const struct ncs_text *t); /* processes.c; nothing if the run is no job of many */
void ncs_text_proof(const struct ncs_text *t);     /* repair.c */
void ncs_text_repair(const struct ncs_text *t);    /* repair.c */
void ncs_text_debug(const struct ncs_text *t);     /* debug.c; nothing without --debug */

#endif
