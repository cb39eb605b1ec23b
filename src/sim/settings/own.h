/* Settings that belong to one process: its own variables and its own version of NCCL, and what its log shows. */
#ifndef NCS_SIM_OWN_H
#define NCS_SIM_OWN_H

#include "sim/kernel/world.h"
#include "sim/settings/environment.h"

struct settings {
    int nccl_version;
    const char *text[ENV_COUNT]; /* NULL = as for all */
    struct log_state log;
};

/* The process whose settings count now: of the job that steps, else of the running context. NULL = none. */
static inline const struct process *sim_own_process(void)
{
    const struct context *c = sim_world.acting ? NULL : sim_context_self();
    return c ? c->process : sim_world.acting;
}

static inline const struct settings *sim_own_settings(void)
{
    const struct process *p = sim_world.own_settings ? sim_own_process() : NULL;
    return p ? p->settings : NULL;
}

/* Lets the settings of a process count for calls on its behalf. Returns whose did before. */
static inline const struct process *sim_own_act(const struct process *p)
{
    const struct process *before = sim_world.acting;
    sim_world.acting = p;
    return before;
}

#endif
