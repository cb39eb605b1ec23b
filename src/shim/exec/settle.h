/* Threads of a program at the moment of a report: which wait, which have ended, which are in the program's own code. */
#ifndef NCS_SHIM_SETTLE_H
#define NCS_SHIM_SETTLE_H

#include "api/snapshot.h"
#include "base/str.h"

/* Decides for each thread that is in no call whether it has ended or waits in the program's own code. */
void ncs_settle_contexts(struct ncs_snapshot *s);
/* Appends why a hang is only likely: the threads that could still end it, and the time that nothing has changed. */
void ncs_settle_add_pollers(const struct ncs_snapshot *s, int64_t patience, struct ncs_str *note);

#endif
