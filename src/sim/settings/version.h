/* Differences between the versions of NCCL that a caller can see: DOES_<name> for each row of
 * api/versions.lua. Functions that a version lacks are in api.lua (`since`). */
#ifndef NCS_SIM_VERSION_H
#define NCS_SIM_VERSION_H

#include <stdbool.h>

#include "api/gen/versions.h"

enum nccl_does {
#define DOES(name, since) DOES_##name,
    NCS_NCCL_DIFFERENCES(DOES)
#undef DOES
        DOES_COUNT
};

/* The version of the process that calls: sim_version_now is its code. */
int sim_version_now(void);
bool sim_version_does(enum nccl_does what);

#endif
