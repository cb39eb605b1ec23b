/* Reports the outcome of a run, for people (text) and for machines (JSON, JUnit, TAP), with its
 * exit code. Decides nothing itself: it renders the facts of the result. The same result gives the
 * same bytes. */
#ifndef NCS_REPORT_REPORT_H
#define NCS_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/complaint.h"
#include "base/str.h"
#include "report/draw.h"
#include "report/places.h"
#include "run/run.h"
#include "scenario/scenario.h"

/* A process of a job of many. */
struct ncs_report_process {
    int rank; /* of the run; -1 = it has none so far */
    int pid;
};

struct ncs_report_run {
    const struct ncs_scenario *scenario;
    const struct ncs_result *result;
    bool as_expected;           /* the result is the declared outcome */
    const char *difference;     /* declared and actual outcome, one line; NULL or "" = nothing */
    struct ncs_failing failing; /* of a run that only --fail-on makes unexpected */
    /* A case of a file that stands for several: the name and the values that distinguish it. */
    const char *name; /* "ranks=4,dtype=float32"; NULL = the file is one case */
    const struct ncs_param *value;
    size_t values;
    const struct ncs_complaints *complaints; /* about the file; replace result->internal */
    const char *command;                     /* runs this case alone; NULL = the plain command */
    const char *origin;                      /* the source of a run recorded elsewhere; or NULL */
    char *const *note;
    size_t notes; /* gaps of its record */
    const struct ncs_report_process *process;
    size_t processes;                       /* of a job of many, by rank */
    bool goes_on;                           /* a hang of a program that may still go on, and does */
    int64_t wall;                           /* ns on the wall's clock; 0 = unknown */
    const struct ncs_report_places *places; /* what line numbers stand for, to quote them; NULL = lines of files */
};

struct ncs_report_style {
    bool color;
    bool verbose;               /* full report of each run, with waits, trace hash, virtual time */
    bool quiet;                 /* text format: skips runs that are as expected or skipped */
    struct ncs_draw_style draw; /* of the format for people, before the report */
};

/* Appends the report, whole lines. */
void ncs_report_text(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out);

/* Appends "ncclscript: 12 results verified, 34 calls", and why others are not verified: for a program that has a status of
 * its own, and no mistake to report. */
void ncs_report_counts(const struct ncs_report_run *run, struct ncs_str *out);

/* Appends "9 calls failed and the program went on: ncclCommInitAll ncclInvalidArgument (line 6), ...": result->ignored; nothing if it is
 * empty. */
void ncs_report_ignored(const struct ncs_result *result, struct ncs_str *out);

/* Appends one JSON object (schema ncclscript.report/1) and a newline. */
void ncs_report_json(const struct ncs_report_run *run, struct ncs_str *out);

/* Appends a run that has a timeline, as JSON for Perfetto and chrome://tracing or
 * as an HTML page. */
void ncs_report_trace(const struct ncs_report_run *run, struct ncs_str *out);
void ncs_report_html(const struct ncs_report_run *run, struct ncs_str *out);

/* A run in the index of several. */
struct ncs_report_page {
    const char *name, *message; /* "hangs/a.lua[ranks=4]"; ncs_report_message */
    const char *file;           /* of its page, beside the index; NULL = it has none */
    enum ncs_verdict verdict;
    bool as_expected;
};

/* Appends an HTML page that lists the runs, those that are not as expected first. */
void ncs_report_index(const struct ncs_report_page *page, size_t pages, size_t not_run, struct ncs_str *out);

/* Appends the outcome in one line without its end: "hang: rank 2 made 2 calls on world; ...". */
void ncs_report_message(const struct ncs_report_run *run, struct ncs_str *out);

struct ncs_tally_reason {
    char *text;
    size_t count;
};

/* Several runs together. */
struct ncs_tally {
    size_t scenarios, cases; /* number of each; 0 = as many as runs */
    size_t runs, expected, skipped;
    size_t not_run;                  /* left out because the suite was stopped */
    size_t unexpected[NCS_VERDICTS]; /* by actual verdict */
    size_t by_findings;              /* passed, but unexpected because of --fail-on */
    enum ncs_verdict worst;          /* of the unexpected ones; NCS_PASS = there is none */
    struct ncs_tally_reason *reason;
    size_t reasons, reasons_room; /* of skipped runs, if known */
};

void ncs_tally_add(struct ncs_tally *tally, enum ncs_verdict verdict, bool as_expected);
/* The reason why the run that was just added was skipped. */
void ncs_tally_skip(struct ncs_tally *tally, const char *reason);
void ncs_tally_free(struct ncs_tally *tally); /* the contents */
/* The exit code: 0 if all are as expected or skipped; if nothing ran, 77 (skipped) or 5 (empty). */
int ncs_tally_exit(const struct ncs_tally *tally);
/* Appends "7 scenarios: 6 as expected, 1 unexpected (1 hang)" and a newline; with several cases "12
 * cases of 7 scenarios", with several seeds "200 runs of 7 scenarios". */
void ncs_tally_text(const struct ncs_tally *tally, struct ncs_str *out);

struct ncs_report_entry;

/* The runs of one case, one for each seed from `first` on. */
struct ncs_repeated {
    uint64_t first;
    struct ncs_tally tally;
    struct {
        uint64_t *seed;
        size_t count, room;
    } unexpected[NCS_VERDICTS];
};

void ncs_repeated_add(struct ncs_repeated *r, const struct ncs_report_entry *entry);
/* Appends a line about all runs, and one line with the seeds for each unexpected verdict. */
void ncs_repeated_text(const struct ncs_repeated *r, const char *name, const struct ncs_report_style *style, struct ncs_str *out);
void ncs_repeated_free(struct ncs_repeated *r); /* the contents */

/* ---- a suite in one of the formats ---- */

/* One run, rendered. Plain data, so that a child process can make it. */
struct ncs_report_entry {
    const char *file; /* of the scenario; borrowed */
    enum ncs_verdict verdict;
    bool as_expected, by_findings; /* the latter: not, but for --fail-on */
    int64_t wall;
    struct ncs_str reason;  /* of SKIPPED */
    struct ncs_str text;    /* in the format's own way; empty = nothing to say */
    struct ncs_str message; /* of the index of pages; empty = there is no index */
    struct ncs_str further; /* in the formats of the further reports, each with a zero byte behind it */
    bool drawn, undrawn;    /* its page for the index was written, could not be */
};

/* A format: how it renders a run, and the texts before, between and after the runs. */
struct ncs_report;
struct ncs_report_format {
    const char *name; /* of --format */
    bool people;      /* lines of the ranks and of NCCL's log may stand in between */
    void (*entry)(const struct ncs_report_run *run, const struct ncs_report_style *style, struct ncs_str *out);
    void (*begin)(struct ncs_report *r, struct ncs_str *out);
    void (*add)(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out);
    void (*end)(struct ncs_report *r, const char *cut, struct ncs_str *out);
};
/* The names of the formats, NULL at the end. The second list is for `check`, which has a JSON of its own. */
extern const char *const ncs_report_format_names[], *const ncs_report_check_format_names[];
const struct ncs_report_format *ncs_report_format_of(const char *name); /* NULL = unknown */

/* The report of a suite. Write what the functions append to `out` at once: then ncs_report_end can
 * complete the output at any time. */
struct ncs_report {
    const struct ncs_report_format *format;
    struct ncs_report_style style;
    struct ncs_tally tally;
    char *file; /* junit: file and results of the held runs */
    struct ncs_str held;
    size_t tests, failures, errors, skipped;
    int64_t wall;
    struct ncs_report *further; /* the same runs in another format, for a file */
    const char *path;           /* of a further one: the file */
    struct ncs_str document;    /* and its contents, complete after the end: whoever began the report writes them */
};

void ncs_report_begin(struct ncs_report *r, const struct ncs_report_format *format, const struct ncs_report_style *style,
                      struct ncs_str *out);
/* Adds a further report of the same runs. Call before the first entry. */
void ncs_report_also(struct ncs_report *r, const struct ncs_report_format *format, const char *path);
/* Fills in an entry; changes nothing else. Free it with ncs_report_entry_free. */
void ncs_report_entry(const struct ncs_report *r, const struct ncs_report_run *run, struct ncs_report_entry *entry);
void ncs_report_entry_free(struct ncs_report_entry *entry);
/* Add entries in the order of the output, all entries of one file in a row. */
void ncs_report_add(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out);
/* `cut`: why some cases did not run ("interrupted"); NULL = all ran. Set tally.not_run before. */
void ncs_report_end(struct ncs_report *r, const char *cut, struct ncs_str *out);
/* Adds a run that is the only one, and ends. */
void ncs_report_only(struct ncs_report *r, const struct ncs_report_run *run, struct ncs_str *out);
void ncs_report_free(struct ncs_report *r);

#endif
