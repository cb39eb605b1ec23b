#include "sim/settings/version.h"

#include "sim/settings/own.h"

static const int since[DOES_COUNT] = {
#define SINCE(name, since) [DOES_##name] = since,
    NCS_NCCL_DIFFERENCES(SINCE)
#undef SINCE
};

int sim_version_now(void)
{
    const struct settings *own = sim_own_settings();
    return own ? own->nccl_version : sim_world.options.nccl_version;
}

bool sim_version_does(enum nccl_does what)
{
    return sim_version_now() >= since[what];
}
