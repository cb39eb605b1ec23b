/* Driver "plan": what a scenario would do, found without doing it. Communicators, memory and streams
 * are the simulator's; communication is taken down by the journal and not carried out: nobody waits
 * for it, and what it would have written is not known. */
#ifndef NCS_DRIVER_PLAN_H
#define NCS_DRIVER_PLAN_H

#include "api/driver.h"
#include "api/gen/api.h"

const struct ncs_driver *ncs_driver_plan(void);

/* Of the run since the machine was opened: whether the call (ncs_call.id) read what only a run can
 * know, and the first call that did (0 = none) on the rank, or on any when it listens to the others:
 * what came after it may depend on it. */
bool ncs_driver_plan_unknown(uint64_t call);
uint64_t ncs_driver_plan_first(int rank);
void ncs_driver_plan_listens(int rank); /* it is told something by other ranks' scripts */

#endif
