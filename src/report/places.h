/* Places that are not lines of a scenario, such as return addresses. They get numbers above all
 * lines, which the journal and the diagnosis treat as lines. A finished report is rewritten: "line
 * 1000000003" becomes "train_step+0x1a2" or "train.c:66", and "the call at line 1000000004" becomes "the call that
 * job.log:7 shows". */
#ifndef NCS_REPORT_PLACES_H
#define NCS_REPORT_PLACES_H

#include <stdbool.h>

#include "base/str.h"

/* The source line that a number stands for. Texts are safe for reports and for JSON. */
struct ncs_report_source {
    const char *name; /* of the file, as reports show it */
    int line;
    const char *path; /* to quote it from; NULL = it must not be quoted */
};

/* What the numbers stand for. */
struct ncs_report_places {
    const char *(*name)(void *arg, long number); /* NULL = the number is a real line */
    /* False = no source line is known. NULL = none ever is. */
    bool (*source)(void *arg, long number, struct ncs_report_source *source);
    /* True if the place is a line of a record, such as a log: it shows a call, and nobody can make or change the call there.
     * NULL = all places are in programs. */
    bool (*shows)(void *arg, long number);
    void *arg;
};

/* Works on a report for people or on JSON. There "at" holds the name; "line" and "file" hold the source line,
 * or "line" is null. */
void ncs_report_name_lines(struct ncs_str *report, bool json, const struct ncs_report_places *places);

struct ncs_report_run;
/* The name of a line that is a place of the run; NULL = it is a real line. */
const char *ncs_report_place(const struct ncs_report_run *run, int line);
/* As ncs_report_name_lines, on a text for people. */
void ncs_report_name_places(const struct ncs_report_run *run, struct ncs_str *text);

#endif
