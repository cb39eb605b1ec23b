/* What `check` says of a file, for programs. */
#ifndef NCS_REPORT_CHECK_H
#define NCS_REPORT_CHECK_H

#include "base/complaint.h"
#include "base/str.h"

/* Appends one JSON object and a newline. err, unless NULL or empty: the file could not be read. */
void ncs_report_check(const char *file, const struct ncs_complaints *c, const struct ncs_error *err,
                      struct ncs_str *out);

#endif
