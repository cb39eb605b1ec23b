/* Checks while a program runs: are its results right, does anything order its uses of memory, do the ranks agree. All
 * functions are called with the token, which is their lock. */
#ifndef NCS_SHIM_CHECKS_H
#define NCS_SHIM_CHECKS_H

#include "api/driver.h"
#include "run/run.h"
#include "shim/settings.h"

/* Begins to observe the machine. Borrows the journal. */
void ncs_checks_open(const struct ncs_shim_settings *settings, const struct ncs_driver *driver, struct ncs_journal *journal);
/* A call has returned. */
void ncs_checks_call(struct ncs_call *call);
/* From now on results may be wrong, because a fault spoils them. */
void ncs_checks_distrust(void);
/* All that was noticed so far, for the diagnosis. Add further notices to it before. */
struct ncs_notices *ncs_checks_notices(void);
/* What the program has made and not freed (diagnose/ledger/ledger.h). */
struct ncs_ledger *ncs_checks_ledger(void);
/* Fills in the counts and the wrong results; they stay the checks'. */
void ncs_checks_fill(struct ncs_result *r);

#endif
