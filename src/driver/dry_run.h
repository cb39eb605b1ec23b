/* Driver "dry-run": runs a scenario without carrying out its communication. Communicators, memory and streams
 * are the simulator's. The journal records communication, no rank waits for it, and the contents of its
 * outputs are unknown. */
#ifndef NCS_DRIVER_DRY_RUN_H
#define NCS_DRIVER_DRY_RUN_H

#include "api/driver.h"
#include "api/gen/api.h"

const struct ncs_driver *ncs_driver_dry_run(void);

/* About the run since the machine was opened. unknown: the call (ncs_call.id) read values that only a real
 * run can know. first: the first such call (0 = none) of the rank, or of any rank if this one listens to
 * others; later calls may depend on it. */
bool ncs_driver_dry_run_unknown(uint64_t call);
uint64_t ncs_driver_dry_run_first(int rank);
void ncs_driver_dry_run_listens(int rank); /* it receives data from other ranks' scripts */

#endif
