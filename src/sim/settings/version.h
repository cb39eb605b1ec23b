/* Differences between the versions of NCCL that a caller can see, one row each; ask
 * sim_version_does(DOES_...). Functions that a version lacks are in api.lua (`since`), fields of the
 * configuration in config.c. */
#ifndef NCS_SIM_VERSION_H
#define NCS_SIM_VERSION_H

#include <stdbool.h>

enum nccl_does {
    DOES_TIMEOUT_TEXT,         /* ncclTimeout is a result code with a text */
    DOES_SHARE_GPU,            /* NCCL_MULTI_RANK_GPU_ENABLE=1 lets ranks share a GPU */
    DOES_CHECK_ALL_GPUS,       /* every rank refuses a communicator in which any two share a GPU */
    DOES_CTA_POLICY_BOTH,      /* CTAPolicy may be 3: both bits */
    DOES_CHECK_WINDOW,         /* window calls check comm, out-parameter, buffer and size first */
    DOES_CHECK_MODE,           /* NCCL_CHECK_MODE, and it beats NCCL_CHECK_POINTERS */
    DOES_CLEAR_CUDA_ERROR,     /* a call that fails with 1 leaves no last error of CUDA behind */
    DOES_REFUSE_HOST_REGISTER, /* ncclCommRegister of what is no memory of CUDA's: 1 */
    DOES_LOG_DESTROY,          /* the end of a communicator is logged in a subsystem of its own, not in INIT */
    DOES_COUNT
};

bool sim_version_does(enum nccl_does what);

#endif
