/* Processes that something else than their own end has ended, in a job of many processes. */
#ifndef NCS_EXEC_DEATHS_H
#define NCS_EXEC_DEATHS_H

#include <stdbool.h>

#include "api/journal.h"
#include "base/str.h"

/* Appends a line for each of them. A launcher that loses a process ends the others, which are left out then. Returns whether
 * there are any. */
bool ncs_exec_deaths(const struct ncs_journal *journal, struct ncs_str *notes);

#endif
