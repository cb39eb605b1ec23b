/* Processes that something else than their own end has ended, in a job of many processes. */
#ifndef NCS_EXEC_DEATHS_H
#define NCS_EXEC_DEATHS_H

#include "api/journal.h"
#include "base/str.h"

enum ncs_exec_death {
    NCS_DEATH_NONE,
    NCS_DEATH_SOME,    /* others came to their end */
    NCS_DEATH_OWN,     /* all died, some while they waited in a call, and one for a reason of its own: a crash, a status */
    NCS_DEATH_CUT_OFF, /* all died, some while they waited in a call, by signals that launchers and users send */
};

/* Appends a line for each of them. A launcher that loses a process ends the others, which are left out then. */
enum ncs_exec_death ncs_exec_deaths(const struct ncs_journal *journal, struct ncs_str *notes);

#endif
