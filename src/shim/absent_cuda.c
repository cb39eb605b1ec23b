/* The functions of absent.def. */
#include "shim/absent.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"

static cudaError_t absent_refuse(struct ncs_absent *function, int error)
{
    if (!ncs_shim_enter(NCS_FN_cudaPeekAtLastError))
        return (cudaError_t)ncs_shim_refusal();
    cudaError_t rc = ncs_shim_refuse_cuda(error);
    ncs_shim_leave();
    ncs_shim_count_absent(function);
    return rc;
}

enum {
    ERROR_KERNEL = cudaErrorInvalidDeviceFunction,
    ERROR_SYMBOL = cudaErrorInvalidSymbol,
    ERROR_GRAPH = cudaErrorNotSupported,
    ERROR_ARRAY = cudaErrorNotSupported,
    ERROR_GRAPHICS = cudaErrorNotSupported,
    ERROR_OUTSIDE = cudaErrorNotSupported,
    ERROR_CONTEXT = cudaErrorNotSupported,
    ERROR_BATCH = cudaErrorNotSupported,
    ERROR_LOGS = cudaErrorNotSupported,
    ERROR_OTHER = cudaErrorNotSupported,
};
#define WHY_KERNEL "the simulator has no code of kernels"
#define WHY_SYMBOL "the simulator has no variables of kernels"
#define WHY_GRAPH "graphs that no capture makes, changes of graphs, and code loaded at run time are not simulated"
#define WHY_ARRAY "arrays, textures and copies in three dimensions are not simulated"
#define WHY_GRAPHICS "graphics are not simulated"
#define WHY_OUTSIDE "memory and semaphores of other processes and interfaces are not simulated"
#define WHY_CONTEXT "green contexts are not simulated"
#define WHY_BATCH "batches of copies are not simulated"
#define WHY_LOGS "logs of errors are not simulated"
#define WHY_OTHER "the simulator lacks this function"

#if NCS_RUNTIME_VERSION >= 13000
#define IN_V12(...)
#define IN_V13(...) __VA_ARGS__
#else
#define IN_V12(...) __VA_ARGS__
#define IN_V13(...)
#endif
#define IN_ANY(...) __VA_ARGS__

/* A refused function touches none of its arguments, so none are declared. */
#define REFUSED(group, function)                                                     \
    NCS_SHIM_DEFINE(cudaError_t, function, void)                                     \
    {                                                                                \
        static struct ncs_absent absent = { .name = #function, .why = WHY_##group }; \
        return absent_refuse(&absent, ERROR_##group);                                \
    }
#define ABSENT(group, version, function) IN_##version(REFUSED(group, function))
#define ABSENT_PTSZ(group, version, function) IN_##version(REFUSED(group, function) REFUSED(group, function##_ptsz))
#define ABSENT_PTDS(group, version, function) IN_##version(REFUSED(group, function) REFUSED(group, function##_ptds))
#include "shim/absent.def"
