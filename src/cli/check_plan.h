/* The plan of a scenario that has been checked. */
#ifndef NCS_CLI_CHECK_PLAN_H
#define NCS_CLI_CHECK_PLAN_H

#include "report/plan.h"
#include "script/check.h"

/* Finds what each rank would call, without a driver that would do it; what cannot work is added to
 * the complaints, unless the scenario is declared to end in something else than a pass. `unsure`: what
 * may be so only because of a value that a run knows is added too, as a warning. False and err when there is no plan to be had. */
bool ncs_check_plan(struct ncs_checking *c, const struct ncs_script_settings *settings, bool unsure,
                    struct ncs_call_plan *plan, struct ncs_error *err);

#endif
