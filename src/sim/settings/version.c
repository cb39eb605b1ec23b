#include "sim/settings/version.h"

#include "sim/kernel/world.h"

static const int since[DOES_COUNT] = {
#define SINCE(name, since) [DOES_##name] = since,
    NCS_NCCL_DIFFERENCES(SINCE)
#undef SINCE
};

bool sim_version_does(enum nccl_does what)
{
    return sim_world.options.nccl_version >= since[what];
}
