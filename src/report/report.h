/* What happened in a run, for people (text) and for machines (JSON, JUnit, TAP), and which exit code
 * says it.
 * Renders facts that others found; decides nothing. The same result gives the same bytes. */
#ifndef NCS_REPORT_REPORT_H
#define NCS_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"
#include "report/draw.h"
#include "run/run.h"
#include "scenario/scenario.h"

struct ncs_report_run {
    const struct ncs_scenario *scenario;
    const struct ncs_result *result;
    bool as_expected;       /* the result is the declared outcome */
    const char *difference; /* what was declared and what came, one line; NULL or "" = nothing */
    struct ncs_failing failing; /* of a run that would be as expected, but for --fail-on */
    /* Of a case of several that one file stands for: what tells it from the others, and the values. */
    const char *name;       /* "ranks=4,dtype=float32"; NULL = the file is one case */
    const struct ncs_param *value; size_t values;
    const struct ncs_complaints *complaints; /* about the file; their errors stand for internal; or NULL */
    const char *command;    /* that runs it alone; NULL = that is plain */
    const char *origin;     /* of a run that was recorded elsewhere: what it was read from; or NULL */
    char *const *note; size_t notes; /* what its record does not say */
    int64_t wall;           /* ns on the wall's clock; 0 = unknown */
};

struct ncs_report_style {
    bool color;
    bool verbose; /* the full report of every run, its waits, trace hash and virtual time */
    bool quiet;   /* of the format for people: nothing of runs that are as expected or skipped */
    struct ncs_draw_style draw; /* of the format for people, before the report */
};

/* Appends the report, whole lines. */
void ncs_report_text(const struct ncs_report_run *run, const struct ncs_report_style *style,
                     struct ncs_str *out);

/* Appends one JSON object (schema ncclscript.report/1) and a newline. */
void ncs_report_json(const struct ncs_report_run *run, struct ncs_str *out);

/* Appends a run that has a timeline as JSON for Perfetto and chrome://tracing, or as a page of HTML. */
void ncs_report_trace(const struct ncs_report_run *run, struct ncs_str *out);
void ncs_report_html(const struct ncs_report_run *run, struct ncs_str *out);

/* Appends what happened in one line without its end: "hang: rank 2 made 2 calls on world ...". */
void ncs_report_message(const struct ncs_report_run *run, struct ncs_str *out);

struct ncs_tally_reason {
    char *text;
    size_t count;
};

/* Several runs together. */
struct ncs_tally {
    size_t scenarios, cases;         /* of which there are runs; 0 = as many as runs */
    size_t runs, expected, skipped;
    size_t not_run;                  /* left out because the suite was stopped */
    size_t unexpected[NCS_VERDICTS]; /* by the verdict that came */
    size_t by_findings;              /* of those that passed: but for --fail-on */
    enum ncs_verdict worst;          /* of the unexpected ones; NCS_PASS = there is none */
    struct ncs_tally_reason *reason; size_t reasons, reasons_room; /* of the skipped ones, if told */
};

void ncs_tally_add(struct ncs_tally *tally, enum ncs_verdict verdict, bool as_expected);
/* Why one that has been added was skipped. */
void ncs_tally_skip(struct ncs_tally *tally, const char *reason);
void ncs_tally_free(struct ncs_tally *tally); /* the contents */
/* 0: all as expected or skipped; a suite of which nothing ran is skipped (77) or empty (5). */
int ncs_tally_exit(const struct ncs_tally *tally);
/* Appends "7 scenarios: 6 as expected, 1 unexpected (1 hang)" and a newline; of several cases "12 cases
 * of 7 scenarios", of several seeds "200 runs of 7 scenarios". */
void ncs_tally_text(const struct ncs_tally *tally, struct ncs_str *out);

struct ncs_report_entry;

/* The runs of one case, one for each seed from `first` on. */
struct ncs_repeated {
    uint64_t first;
    struct ncs_tally tally;
    struct { uint64_t *seed; size_t count, room; } unexpected[NCS_VERDICTS];
};

void ncs_repeated_add(struct ncs_repeated *r, const struct ncs_report_entry *entry);
/* Appends a line about all of them, and one for each verdict that was not expected: its seeds. */
void ncs_repeated_text(const struct ncs_repeated *r, const char *name,
                       const struct ncs_report_style *style, struct ncs_str *out);
void ncs_repeated_free(struct ncs_repeated *r); /* the contents */

/* ---- a suite in one of the formats ---- */

/* One run, rendered. Plain data, so that another process may have made it. */
struct ncs_report_entry {
    const char *file;       /* of the scenario; borrowed */
    enum ncs_verdict verdict;
    bool as_expected, by_findings; /* the latter: not, but for --fail-on */
    int64_t wall;
    struct ncs_str reason;  /* of SKIPPED */
    struct ncs_str text;    /* in the format's own way; empty = nothing to say */
};

/* A format is a row: how a run is rendered, and what stands before, between and after the runs. */
struct ncs_report;
struct ncs_report_format {
    const char *name; /* of --format */
    bool people;      /* lines of the ranks and of NCCL's log may stand between those of the report */
    void (*entry)(const struct ncs_report_run *run, const struct ncs_report_style *style,
                  struct ncs_str *out);
    void (*begin)(struct ncs_report *r, struct ncs_str *out);
    void (*add)(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out);
    void (*end)(struct ncs_report *r, const char *cut, struct ncs_str *out);
};
/* By its place among the names; those of one report alone, as of a trace, are fewer. NULL ends them. */
extern const char *const ncs_report_format_names[], *const ncs_report_trace_format_names[];
const struct ncs_report_format *ncs_report_format_of(const char *name); /* one of the names */

/* The report of a suite. What the functions append to `out` is to be written out at once: at any
 * time ncs_report_end makes of it a whole that other tools can read. */
struct ncs_report {
    const struct ncs_report_format *format;
    struct ncs_report_style style;
    struct ncs_tally tally;
    char *file;             /* junit: of the runs that are held, and how they came out */
    struct ncs_str held;
    size_t tests, failures, errors, skipped;
    int64_t wall;
};

void ncs_report_begin(struct ncs_report *r, const struct ncs_report_format *format,
                      const struct ncs_report_style *style, struct ncs_str *out);
/* Fills in an entry; changes nothing else. Free it with ncs_report_entry_free. */
void ncs_report_entry(const struct ncs_report *r, const struct ncs_report_run *run,
                      struct ncs_report_entry *entry);
void ncs_report_entry_free(struct ncs_report_entry *entry);
/* Entries in the order in which they are to be read; those of one file one after the other. */
void ncs_report_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out);
/* `cut`: why not all was run ("interrupted"), NULL = all was. Set tally.not_run before. */
void ncs_report_end(struct ncs_report *r, const char *cut, struct ncs_str *out);
void ncs_report_free(struct ncs_report *r);

#endif
