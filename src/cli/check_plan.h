/* The plans of a scenario that has been checked: one for each case that it stands for. */
#ifndef NCS_CLI_CHECK_PLAN_H
#define NCS_CLI_CHECK_PLAN_H

#include "report/plan.h"
#include "script/check.h"

/* Finds what each rank would call, without a driver that would do it; what cannot work is added to
 * the complaints, unless the case is declared to end in something else than a pass. `unsure`: what may
 * be so only because of a value that a run knows is added too, as a warning. `only`: the case that is
 * wanted, by its name as ncs_case_is takes it; NULL = all. on_plan may be NULL; it
 * may take the plan's contents over, leaving it zeroed. False and err when a plan cannot be made. */
bool ncs_check_plans(struct ncs_checking *c, const struct ncs_script_settings *settings,
                     const char *only, bool unsure,
                     void (*on_plan)(void *arg, struct ncs_call_plan *plan), void *arg,
                     struct ncs_error *err);

#endif
