/* What a machine and its runner notice while a run goes on, kept for the diagnosis. */
#ifndef NCS_RUN_NOTICES_H
#define NCS_RUN_NOTICES_H

#include "api/machine.h"
#include "diagnose/finding.h"

struct ncs_notices {
    struct ncs_notice *notice;
    size_t count, room;
};

/* Pins the calls. NULL when there are too many: later disagreements of a run add nothing to its first ones. */
struct ncs_notice *ncs_notices_add(struct ncs_notices *list, enum ncs_notice_kind kind,
                                   struct ncs_call *const *calls, size_t count, const char *why);
void ncs_notices_drop(struct ncs_notices *list, size_t kept); /* all but the first so many; the list stays */

/* Of an observer (api/machine.h) whose `self` is such a list: takes down mismatches, crashes and faults. */
void ncs_notices_mismatch(void *list, struct ncs_call *const *calls, size_t count);
void ncs_notices_crash(void *list, struct ncs_call *call, const char *why);
void ncs_notices_fault(void *list, struct ncs_call *call, const char *why);

#endif
