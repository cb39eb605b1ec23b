/* The formats (formats.def has their names) and the functions that they share. */
#ifndef NCS_REPORT_FORMAT_H
#define NCS_REPORT_FORMAT_H

#include "report/report.h"

#define NCS_FORMAT(name, of) extern const struct ncs_report_format ncs_format_##name;
#include "report/formats.def"
#undef NCS_FORMAT

/* Of formats that print each run at once, without a beginning. */
void ncs_format_nothing(struct ncs_report *r, struct ncs_str *out);
void ncs_format_add_text(struct ncs_report *r, const struct ncs_report_entry *entry, struct ncs_str *out);

/* Text of any origin as JSON; NULL and nothing are null. */
struct json_t *ncs_json_of(const char *s);
/* The values of a case as an object, each value in its JSON type. */
struct json_t *ncs_json_values(const struct ncs_param *list, size_t count);
/* The edits of calls and the outcome of their trials; null if none were tried (json_repair.c). */
struct json_t *ncs_json_edits(const struct ncs_edit *edits, size_t count);
struct json_t *ncs_json_trials(const struct ncs_trial *trial, size_t trials);
struct json_t *ncs_json_repair(const struct ncs_repair *repair);

/* ---- what they share (message.c) ---- */

/* Appends "scenarios/a.lua[ranks=4]", fit to be shown. */
void ncs_report_case(const struct ncs_report_run *run, struct ncs_str *out);
/* Appends "scenarios/a.lua[ranks=4]: hang: rank 2 made 2 calls on world; ...", safe to print. */
void ncs_report_titled(const struct ncs_report_run *run, struct ncs_str *out);
/* Appends the lines about a run that is not as expected: the report for people, or the complaints
 * about a file that did not load. */
void ncs_report_body(const struct ncs_report_run *run, struct ncs_str *out);
/* Passes the properties of a run to `add`, the same in every format: seed, driver, values of its
 * case ... */
void ncs_report_properties(const struct ncs_report_run *run,
                           void (*add)(const char *name, const char *value, struct ncs_str *out), struct ncs_str *out);
/* A mistake at a place, or something unusual there. */
struct ncs_report_problem {
    const char *level; /* "error", "warning" or "note" */
    const char *rule;  /* of the diagnosis, or the verdict */
    const char *text;  /* lines: what is wrong, what to change */
    const char *file;
    int line, column; /* 0 = unknown */
};
/* Passes the problems of a run to `add`; notes only if they are wanted (problems.c). */
void ncs_report_problems(const struct ncs_report_run *run, bool notes,
                         void (*add)(const struct ncs_report_problem *p, struct ncs_str *out), struct ncs_str *out);
/* The line of the scenario that the report is about; 0 = unknown. */
int ncs_report_line(const struct ncs_report_run *run);

#endif
