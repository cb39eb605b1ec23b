#include "sim/settings/version.h"

#include "ncclscript/nccl_abi.h"
#include "sim/kernel/world.h"

static const int since[DOES_COUNT] = {
    [DOES_TIMEOUT_TEXT] = NCCL_VERSION(2, 30, 3),
    [DOES_SHARE_GPU] = NCCL_VERSION(2, 30, 3),
    [DOES_CHECK_ALL_GPUS] = NCCL_VERSION(2, 30, 7),
    [DOES_CTA_POLICY_BOTH] = NCCL_VERSION(2, 29, 2),
    [DOES_CHECK_WINDOW] = NCCL_VERSION(2, 29, 2),
    [DOES_CHECK_MODE] = NCCL_VERSION(2, 29, 7),
    [DOES_CLEAR_CUDA_ERROR] = NCCL_VERSION(2, 29, 7),
    [DOES_REFUSE_HOST_REGISTER] = NCCL_VERSION(2, 30, 3),
    [DOES_LOG_DESTROY] = NCCL_VERSION(2, 30, 3),
};

bool sim_version_does(enum nccl_does what)
{
    return sim_world.options.nccl_version >= since[what];
}
