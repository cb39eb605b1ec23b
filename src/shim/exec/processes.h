/* The processes of a job of many, for its report. */
#ifndef NCS_SHIM_PROCESSES_H
#define NCS_SHIM_PROCESSES_H

#include <stddef.h>

#include "report/report.h"

/* Returns them by rank, those without a rank last; NULL = the program is no job of many. The caller frees the list. */
struct ncs_report_process *ncs_exec_processes(size_t *count);

#endif
