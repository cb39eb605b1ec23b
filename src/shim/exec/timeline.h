/* The timeline of a program, for --html and --trace. It is kept only if one of them is asked for. */
#ifndef NCS_EXEC_TIMELINE_H
#define NCS_EXEC_TIMELINE_H

#include "report/report.h"
#include "run/timeline/timeline.h"
#include "shim/shim.h"

/* Watches the calls of the journal, if the settings want a drawing. NULL = they do not. */
struct ncs_timeline *ncs_exec_timeline_open(const struct ncs_shim_settings *settings, const struct ncs_machine *machine,
                                            struct ncs_journal *journal);
/* Ends the timeline, and gives it to the result. */
void ncs_exec_timeline_fill(struct ncs_result *result);
/* Replaces the file. False, after a warning, if it cannot be written. */
bool ncs_exec_file_write(const char *file, const struct ncs_str *text);
/* Writes the drawings. False, after a warning, if one of them could not be written. */
bool ncs_exec_timeline_write(const struct ncs_report_run *run);

#endif
