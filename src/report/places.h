/* Places that are no lines of a scenario. They have numbers that no line has, which the journal and the
 * diagnosis take for one; in a report that is written their names are put in the numbers' place: "line
 * 1000000003" becomes "train_step+0x1a2". */
#ifndef NCS_REPORT_PLACES_H
#define NCS_REPORT_PLACES_H

#include <stdbool.h>

#include "base/str.h"

/* In a report for people, or in one of JSON, where a field "line" is null then and "at" has the name.
 * name: of a line, fit for both; NULL = it is a line. */
void ncs_report_name_lines(struct ncs_str *report, bool json,
                           const char *(*name)(void *arg, long line), void *arg);

#endif
