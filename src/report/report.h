/* What happened in a run, for people (text) and for machines (JSON), and which exit code says it.
 * Renders facts that others found; decides nothing. The same result gives the same bytes. */
#ifndef NCS_REPORT_REPORT_H
#define NCS_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "run/run.h"
#include "scenario/scenario.h"

struct ncs_report_run {
    const struct ncs_scenario *scenario;
    const struct ncs_result *result;
    bool as_expected;       /* the result is the declared outcome */
    const char *difference; /* what was declared and what came, one line; NULL or "" = nothing */
};

struct ncs_report_style {
    bool color;
    bool verbose; /* the full report of every run, its waits, trace hash and virtual time */
};

/* Appends the report, whole lines. */
void ncs_report_text(const struct ncs_report_run *run, const struct ncs_report_style *style,
                     struct ncs_str *out);

/* Appends one JSON object (schema ncclscript.report/1) and a newline. */
void ncs_report_json(const struct ncs_report_run *run, struct ncs_str *out);

/* Several runs together. */
struct ncs_tally {
    size_t runs, expected, skipped;
    size_t not_run;                  /* left out because the suite was stopped */
    size_t unexpected[NCS_VERDICTS]; /* by the verdict that came */
    enum ncs_verdict worst;          /* of the unexpected ones; NCS_PASS = there is none */
};

void ncs_tally_add(struct ncs_tally *tally, enum ncs_verdict verdict, bool as_expected);
/* 0: all as expected or skipped; a suite of which nothing ran is skipped (77) or empty (5). */
int ncs_tally_exit(const struct ncs_tally *tally);
/* Appends "7 scenarios: 6 as expected, 1 unexpected (1 hang)" and a newline. */
void ncs_tally_text(const struct ncs_tally *tally, struct ncs_str *out);

/* A topic of `explain`: a rule of the diagnosis in a few lines. */
struct ncs_topic {
    const char *id, *title, *text;
};
extern const struct ncs_topic ncs_topics[]; /* by id; an id of NULL at the end */
const struct ncs_topic *ncs_topic(const char *id); /* NULL = unknown */

#endif
