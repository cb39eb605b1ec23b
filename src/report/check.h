/* The result of `check` for one file, as JSON. */
#ifndef NCS_REPORT_CHECK_H
#define NCS_REPORT_CHECK_H

#include "base/complaint.h"
#include "base/str.h"
#include "report/plan.h"

/* Appends one JSON object and a newline. A non-empty err says that the file could not be read.
 * plans may be NULL. */
void ncs_report_check(const char *file, const struct ncs_complaints *c, const struct ncs_error *err,
                      const struct ncs_call_plan *plans, size_t count, struct ncs_str *out);

#endif
