/* NCCL's texts for result codes, and the last error. */
#include "sim/comm/comm.h"
#include "sim/kernel/gen/functions.h"
#include "sim/kernel/world.h"
#include "sim/settings/version.h"

const char *sim_ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[] = {
        [ncclSuccess] = "no error",
        [ncclUnhandledCudaError] = "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
        [ncclSystemError] = "unhandled system error (run with NCCL_DEBUG=INFO for details)",
        [ncclInternalError] = "internal error - please report this issue to the NCCL developers",
        [ncclInvalidArgument] = "invalid argument (run with NCCL_DEBUG=WARN for details)",
        [ncclInvalidUsage] = "invalid usage (run with NCCL_DEBUG=WARN for details)",
        [ncclRemoteError] = "remote process exited or there was a network error",
        [ncclInProgress] = "NCCL operation in progress",
        [ncclTimeout] = "timeout",
    };
    bool known = (unsigned)result < ncclNumResults && (result != ncclTimeout || sim_version_does(DOES_TIMEOUT_TEXT));
    return known ? texts[result] : "unknown result code";
}

const char *sim_ncclGetLastError(ncclComm_t comm)
{
    struct context *c = sim_context_self();
    (void)comm; /* ignored, as by NCCL */
    return c && c->process ? c->process->last_error : "";
}
