#include "sim/comm/round.h"

#include <strings.h>

#include "sim/comm/comm.h"
#include "sim/kernel/context.h"
#include "sim/kernel/world.h"
#include "sim/settings/environment.h"
#include "sim/settings/log.h"

bool sim_round_mode_is_group(void)
{
    const char *mode = sim_env_text(ENV_LAUNCH_MODE);
    return mode && strcasecmp(mode, "GROUP") == 0;
}

bool sim_round_begin(struct comm_rank *cr, const struct context *by)
{
    const struct context *before = cr->family->launcher;
    cr->family->launcher = by;
    cr->rounds++;
    if (cr->rounds_meet && cr->comm->siblings)
        sim_waitable_fire(&cr->comm->met);
    return before && before != by && before->state != CONTEXT_ENDED;
}

int sim_round_missing(const struct comm_rank *cr, int from)
{
    const struct comm *comm = cr->comm;
    if (!cr->rounds_meet || !comm->siblings || cr->family->cut)
        return -1;
    for (int r = from; r < comm->nranks; r++)
        if (comm->member[r]->process == cr->process && comm->member[r]->rounds < cr->rounds)
            return r;
    return -1;
}

int sim_round_end(const struct comm_rank *cr, const struct context *by)
{
    if (cr->family->launcher == by || cr->config.value[CONFIG_GRAPH_USAGE_MODE] != 2 || sim_env_is(ENV_LAUNCH_RACE_FATAL, 0))
        return ncclSuccess;
    sim_warn_on(cr->gpu, "Fatal: host threads racing to launch NCCL on same device.");
    return ncclInvalidUsage;
}
