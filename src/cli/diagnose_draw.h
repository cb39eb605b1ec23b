/* The drawings of a recorded run: --html and --trace of diagnose. */
#ifndef NCS_CLI_DIAGNOSE_DRAW_H
#define NCS_CLI_DIAGNOSE_DRAW_H

#include "report/report.h"
#include "run/run.h"
#include "trace/trace.h"

/* Writes the drawings; NULL = not asked for, "-" = standard output. A file that cannot be written gets a message, and the
 * program a status of its own. run->result gets a timeline for the time of the call. */
void ncs_diagnose_draw(const char *html, const char *trace, const struct ncs_trace *recorded, struct ncs_report_run *run,
                       struct ncs_result *result);
/* False, after a usage error, if both are the same. Leaves standard output to a drawing that wants it. */
bool ncs_diagnose_can_draw(const char *html, const char *trace);
/* False, after a usage error, if the file exists and is one that is read, or in a folder that is. NULL = it is not asked
 * for. */
bool ncs_diagnose_can_write(const char *option, const char *file, char *const *read, size_t count);

#endif
