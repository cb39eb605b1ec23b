/* Places that are not lines of a scenario, such as return addresses. They get numbers above all
 * lines, which the journal and the diagnosis treat as lines. A finished report is rewritten: "line
 * 1000000003" becomes "train_step+0x1a2". */
#ifndef NCS_REPORT_PLACES_H
#define NCS_REPORT_PLACES_H

#include <stdbool.h>

#include "base/str.h"

/* Works on a report for people or on JSON, where "line" becomes null and "at" the name. name()
 * returns a text safe for both; NULL = the number is a real line. */
void ncs_report_name_lines(struct ncs_str *report, bool json,
                           const char *(*name)(void *arg, long line), void *arg);

struct ncs_report_run;
/* The name of a line that is a place of the run; NULL = it is a real line. */
const char *ncs_report_place(const struct ncs_report_run *run, int line);
/* As ncs_report_name_lines, on a text for people. */
void ncs_report_name_places(const struct ncs_report_run *run, struct ncs_str *text);

#endif
