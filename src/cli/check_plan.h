/* The plans of a checked scenario: one for each of its cases. */
#ifndef NCS_CLI_CHECK_PLAN_H
#define NCS_CLI_CHECK_PLAN_H

#include "report/plan.h"
#include "script/check.h"

/* Finds the calls that each rank would make, without carrying them out. Calls that cannot work are added
 * to the complaints, unless the case declares another end than a pass. `unsure`: calls that may fail
 * depending on a value only a run knows are added too, as warnings. `only`: the name of one case, as for
 * ncs_case_is; NULL = all. on_plan may be NULL; it may take over the plan's contents, leaving the plan
 * zeroed. False and err if a plan cannot be made. */
bool ncs_check_plans(struct ncs_checking *c, const struct ncs_script_settings *settings, const char *only, bool unsure,
                     void (*on_plan)(void *arg, struct ncs_call_plan *plan), void *arg, struct ncs_error *err);

#endif
