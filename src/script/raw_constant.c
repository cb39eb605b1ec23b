/* C's constants by name. Data types and result codes are in room api. */
#include "script/raw.h"

#include <string.h>

#include "api/types.h"
#include "base/near.h"

struct constant {
    const char *name;
    lua_Integer value;
};

#define C(constant)                                \
    {                                              \
        .name = #constant, (lua_Integer)(constant) \
    }
#define ATTRIBUTE(what, number) { "cudaDevAttr" #what, number },
/* clang-format off */
static const struct constant constants[] = {
    C(ncclNumResults), C(ncclNumTypes), C(ncclSum), C(ncclProd), C(ncclMax), C(ncclMin),
    C(ncclAvg), C(ncclNumOps), C(ncclMaxRedOp), C(ncclScalarDevice), C(ncclScalarHostImmediate),
    C(NCCL_SPLIT_NOCOLOR), C(NCCL_CONFIG_UNDEF_INT), C(NCCL_UNIQUE_ID_BYTES),
    C(NCCL_WIN_DEFAULT), C(NCCL_WIN_COLL_SYMMETRIC), C(NCCL_WIN_STRICT_ORDERING),
    C(NCCL_WIN_REQUIRED_ALIGNMENT), C(NCCL_CTA_POLICY_DEFAULT), C(NCCL_CTA_POLICY_EFFICIENCY),
    C(NCCL_CTA_POLICY_ZERO), C(NCCL_SHRINK_DEFAULT), C(NCCL_SHRINK_ABORT), C(NCCL_REVOKE_DEFAULT),
    C(NCCL_SUSPEND_MEM), C(ncclStatGpuMemSuspend), C(ncclStatGpuMemSuspended),
    C(ncclStatGpuMemPersist), C(ncclStatGpuMemTotal), C(NCCL_GIN_TYPE_NONE),
    C(NCCL_GIN_TYPE_PROXY), C(NCCL_GIN_TYPE_GDAKI), C(NCCL_GIN_TYPE_GPI),
    C(NCCL_API_MAGIC), C(NCCL_CONFIG_MAGIC), C(NCCL_SIM_INFO_MAGIC),
    { "NCCL_VERSION_CODE", NCCLSCRIPT_NCCL_VERSION }, { "NCCL_MAJOR", 2 }, { "NCCL_MINOR", 32 },
    { "NCCL_PATCH", 3 },

    C(cudaMemcpyHostToHost), C(cudaMemcpyHostToDevice), C(cudaMemcpyDeviceToHost),
    C(cudaMemcpyDeviceToDevice), C(cudaMemcpyDefault), C(cudaStreamDefault),
    C(cudaStreamNonBlocking), C(cudaEventDefault), C(cudaEventBlockingSync),
    C(cudaEventDisableTiming), C(cudaEventInterprocess), C(cudaEventRecordDefault),
    C(cudaEventWaitDefault), { "cudaStreamLegacy", 1 }, { "cudaStreamPerThread", 2 },
    C(cudaHostAllocDefault), C(cudaHostAllocPortable), C(cudaHostAllocMapped),
    C(cudaHostAllocWriteCombined), C(cudaHostRegisterDefault), C(cudaHostRegisterPortable),
    C(cudaHostRegisterMapped), C(cudaHostRegisterIoMemory), C(cudaHostRegisterReadOnly),
    C(cudaMemAttachGlobal), C(cudaMemAttachHost), C(cudaMemAttachSingle),
    C(cudaMemoryTypeUnregistered), C(cudaMemoryTypeHost), C(cudaMemoryTypeDevice),
    C(cudaMemoryTypeManaged), C(cudaCpuDeviceId), C(cudaInvalidDeviceId),
    C(cudaDeviceScheduleAuto), C(cudaDeviceScheduleSpin), C(cudaDeviceScheduleYield),
    C(cudaDeviceScheduleBlockingSync), C(cudaDeviceScheduleMask), C(cudaDeviceMapHost),
    C(cudaDeviceLmemResizeToMax), C(cudaDeviceSyncMemops), C(cudaDeviceMask),
    C(cudaLimitStackSize), C(cudaLimitPrintfFifoSize), C(cudaLimitMallocHeapSize),
    C(cudaLimitDevRuntimeSyncDepth), C(cudaLimitDevRuntimePendingLaunchCount),
    C(cudaLimitMaxL2FetchGranularity), C(cudaLimitPersistingL2CacheSize),
    C(cudaMemAdviseSetReadMostly), C(cudaMemAdviseUnsetReadMostly),
    C(cudaMemAdviseSetPreferredLocation), C(cudaMemAdviseUnsetPreferredLocation),
    C(cudaMemAdviseSetAccessedBy), C(cudaMemAdviseUnsetAccessedBy),
    C(cudaMemLocationTypeInvalid), C(cudaMemLocationTypeDevice), C(cudaMemLocationTypeHost),
    C(cudaMemLocationTypeHostNuma), C(cudaMemLocationTypeHostNumaCurrent),
    C(cudaMemAllocationTypeInvalid), C(cudaMemAllocationTypePinned),
    C(cudaMemAllocationTypeManaged), C(cudaMemHandleTypeNone),
    C(cudaMemHandleTypePosixFileDescriptor), C(cudaMemHandleTypeFabric),
    C(cudaMemPoolReuseFollowEventDependencies), C(cudaMemPoolReuseAllowOpportunistic),
    C(cudaMemPoolReuseAllowInternalDependencies), C(cudaMemPoolAttrReleaseThreshold),
    C(cudaMemPoolAttrReservedMemCurrent), C(cudaMemPoolAttrReservedMemHigh),
    C(cudaMemPoolAttrUsedMemCurrent), C(cudaMemPoolAttrUsedMemHigh),
    C(cudaStreamCaptureModeGlobal), C(cudaStreamCaptureModeThreadLocal),
    C(cudaStreamCaptureModeRelaxed), C(cudaStreamCaptureStatusNone), C(cudaStreamCaptureStatusActive),
    C(cudaStreamCaptureStatusInvalidated), C(cudaDriverEntryPointSuccess),
    C(cudaDriverEntryPointSymbolNotFound), C(cudaDriverEntryPointVersionNotSufficent),
    C(cudaIpcMemLazyEnablePeerAccess), C(CUDA_IPC_HANDLE_SIZE),
    NCS_CUDA_ATTRIBUTES(ATTRIBUTE)
};
/* clang-format on */
#undef C
#undef ATTRIBUTE

#define CONSTANTS (sizeof constants / sizeof *constants)

bool ncs_raw_constant(const char *name, lua_Integer *value)
{
    *value = ncs_dtype_from_constant(name);
    if (*value >= 0)
        return true;
    for (size_t i = 0; i < CONSTANTS; i++)
        if (strcmp(constants[i].name, name) == 0) {
            *value = constants[i].value;
            return true;
        }
    *value = ncs_result_from_name(name);
    return *value >= 0;
}

static const char *near_type(const char *name)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        const struct ncs_dtype_info *info = &ncs_dtype_info[dtype];
        const char *constants_of[] = { info->constant, info->other[1] };
        const char *near = ncs_nearest(name, constants_of, info->other[1] ? 2 : 1);
        if (near)
            return near;
    }
    return NULL;
}

const char *ncs_raw_near_constant(const char *name)
{
    const char *type = near_type(name);
    if (type)
        return type;
    for (size_t i = 0; i < CONSTANTS; i++) {
        const char *near = ncs_nearest(name, &constants[i].name, 1);
        if (near)
            return near;
    }
    for (int i = 0; i <= cudaErrorUnknown; i++) {
        const char *results[] = { ncs_nccl_result_name(i), ncs_cuda_error_name(i) };
        for (int k = 0; k < 2; k++)
            if (ncs_result_from_name(results[k]) == i && ncs_nearest(name, &results[k], 1))
                return results[k];
    }
    return NULL;
}
