/* Notices that a machine and its runner take down during a run, for the diagnosis. */
#ifndef NCS_RUN_NOTICES_H
#define NCS_RUN_NOTICES_H

#include "api/machine.h"
#include "diagnose/finding.h"

struct ncs_notices {
    struct ncs_notice *notice;
    size_t count, room;
};

/* Pins the calls. Returns NULL when the list is full: the diagnosis uses the first disagreements of
 * a run. */
struct ncs_notice *ncs_notices_add(struct ncs_notices *list, enum ncs_notice_kind kind, struct ncs_call *const *calls,
                                   size_t count, const char *why);
void ncs_notices_drop(struct ncs_notices *list, size_t kept); /* all but the first so many; the list stays */

struct ncs_hazards; /* diagnose/hazard/hazard.h */
struct ncs_wrong;   /* verify/verify.h */
/* Adds the hazards that were found; those on which a wrong result depends are errors if the program is `done`: it came to
 * its end. */
void ncs_notices_hazards(struct ncs_notices *list, struct ncs_hazards *hazards, const struct ncs_wrong *wrong, size_t wrongs,
                         bool done);

struct ncs_ledger; /* diagnose/ledger/ledger.h */
/* Adds what was freed while something referred to it (ledger.c). */
void ncs_notices_stale(struct ncs_notices *list, const struct ncs_ledger *ledger);

/* Adds a variable whose values differ between processes; else nothing. Takes the list; the name is copied, the values are the
 * caller's. NULL = not set. */
void ncs_notices_setting(struct ncs_notices *list, const char *name, const char **value, int processes);

/* Callbacks of an observer (api/machine.h) whose `self` is such a list: mismatches,
 * crashes, faults and unwritten memory. */
void ncs_notices_mismatch(void *list, struct ncs_call *const *calls, size_t count);
void ncs_notices_crash(void *list, struct ncs_call *call, const char *why);
void ncs_notices_fault(void *list, struct ncs_call *call, const char *why);
/* Adds the call if it reduces a script's buffer in another type than the buffer's, where that changes the result. */
void ncs_notices_retyped(struct ncs_notices *list, struct ncs_call *call);
void ncs_notices_unwritten(void *list, const struct ncs_unwritten *what);

#endif
