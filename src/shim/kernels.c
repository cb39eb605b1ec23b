/* Functions that compiled programs with kernels call, so that they link and load. No kernel ever runs. */
#include <stdatomic.h>
#include <stddef.h>

#include "base/mem.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"

struct dim3_abi {
    unsigned x, y, z;
};

/* ---- registration when the program is loaded ---- */

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t size, int constant, int global);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
void __cudaRegisterUnifiedTable(void **handle, void *table);
char __cudaInitModule(void **handle);

static void *handle_of_all;

void **__cudaRegisterFatBinary(void *binary)
{
    (void)binary;
    return &handle_of_all;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp)
{
    (void)handle, (void)host, (void)device, (void)name, (void)threads;
    (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name;
    (void)external, (void)size, (void)constant, (void)global;
}

/* The host accesses such a variable directly, so it gets memory that lives as long as the program. */
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t size, int constant, int global)
{
    (void)handle, (void)device, (void)name, (void)external, (void)constant, (void)global;
    *host = ncs_new(size ? size : 1);
}

void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

void __cudaRegisterUnifiedTable(void **handle, void *table)
{
    (void)handle, (void)table;
}

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 0;
}

/* ---- a launch: its configuration is pushed, and popped by the kernel's stub, which launches ---- */

unsigned __cudaPushCallConfiguration(struct dim3_abi grid, struct dim3_abi block, size_t shared,
                                     void *stream);
cudaError_t __cudaPopCallConfiguration(struct dim3_abi *grid, struct dim3_abi *block,
                                       size_t *shared, void *stream);
cudaError_t __cudaGetKernel(const void **kernel, const void *function);
cudaError_t cudaGetKernel(const void **kernel, const void *function);

static _Thread_local struct {
    struct dim3_abi grid, block;
    size_t shared;
    void *stream;
} pushed;

/* Always returns 0: for any other value the compiled program skips the launch, and would see no error. */
unsigned __cudaPushCallConfiguration(struct dim3_abi grid, struct dim3_abi block, size_t shared,
                                     void *stream)
{
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3_abi *grid, struct dim3_abi *block,
                                       size_t *shared, void *stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *(void **)stream = pushed.stream;
    return cudaSuccess;
}

/* Called once for each kernel, before its first launch. It succeeds, because each launch is to fail. */
cudaError_t __cudaGetKernel(const void **kernel, const void *function)
{
    *kernel = function;
    return cudaSuccess;
}

cudaError_t cudaGetKernel(const void **kernel, const void *function)
{
    return __cudaGetKernel(kernel, function);
}

/* ---- functions that fail ---- */

static cudaError_t refuse(int error, const char *call, const char *why, atomic_bool *said)
{
    if (!ncs_shim_enter(NCS_FN_cudaPeekAtLastError))
        return (cudaError_t)ncs_shim_refusal();
    cudaError_t rc = sim_outside_refuse(error);
    ncs_shim_leave();
    if (!atomic_exchange(said, true))
        ncs_shim_warn("%s: %s", call, why);
    return rc;
}

/* A refused function touches none of its arguments, so none are declared. */
#define DEFINE(name, error, why)                \
    cudaError_t name(void);                     \
    cudaError_t name(void)                      \
    {                                           \
        static atomic_bool said;                \
        return refuse(error, #name, why, &said); \
    }

#define KERNEL(name) \
    DEFINE(name, cudaErrorInvalidDeviceFunction, \
           "the simulator runs no kernels, only host functions")
#define SYMBOL(name) \
    DEFINE(name, cudaErrorInvalidSymbol, "the simulator has no variables of kernels")
#define GRAPH(name) \
    DEFINE(name, cudaErrorNotSupported, "graphs and code loaded at run time are not simulated")

KERNEL(__cudaLaunchKernel)
KERNEL(__cudaLaunchKernel_ptsz)
KERNEL(cudaLaunchKernel)
KERNEL(cudaLaunchKernel_ptsz)
KERNEL(cudaLaunchKernelExC)
KERNEL(cudaLaunchKernelExC_ptsz)
KERNEL(cudaLaunchCooperativeKernel)
KERNEL(cudaLaunchCooperativeKernel_ptsz)
KERNEL(cudaLaunchCooperativeKernelMultiDevice)
KERNEL(cudaFuncGetAttributes)
KERNEL(cudaFuncGetName)
KERNEL(cudaFuncGetParamInfo)
KERNEL(cudaFuncSetAttribute)
KERNEL(cudaFuncSetCacheConfig)
KERNEL(cudaFuncSetSharedMemConfig)
KERNEL(cudaGetFuncBySymbol)
KERNEL(cudaKernelSetAttributeForDevice)
KERNEL(cudaOccupancyAvailableDynamicSMemPerBlock)
KERNEL(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
KERNEL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
KERNEL(cudaOccupancyMaxActiveClusters)
KERNEL(cudaOccupancyMaxPotentialClusterSize)

SYMBOL(cudaGetSymbolAddress)
SYMBOL(cudaGetSymbolSize)
SYMBOL(cudaMemcpyFromSymbol)
SYMBOL(cudaMemcpyFromSymbol_ptds)
SYMBOL(cudaMemcpyFromSymbolAsync)
SYMBOL(cudaMemcpyFromSymbolAsync_ptsz)
SYMBOL(cudaMemcpyToSymbol)
SYMBOL(cudaMemcpyToSymbol_ptds)
SYMBOL(cudaMemcpyToSymbolAsync)
SYMBOL(cudaMemcpyToSymbolAsync_ptsz)

GRAPH(cudaGraphCreate)
GRAPH(cudaGraphAddKernelNode)
GRAPH(cudaGraphAddNode)
GRAPH(cudaGraphDestroy)
GRAPH(cudaGraphExecDestroy)
GRAPH(cudaGraphGetNodes)
GRAPH(cudaGraphInstantiate)
GRAPH(cudaGraphInstantiateWithFlags)
GRAPH(cudaGraphLaunch)
GRAPH(cudaGraphLaunch_ptsz)
GRAPH(cudaGraphUpload)
GRAPH(cudaGraphUpload_ptsz)
GRAPH(cudaLibraryGetGlobal)
GRAPH(cudaLibraryGetKernel)
GRAPH(cudaLibraryGetManaged)
GRAPH(cudaLibraryGetUnifiedFunction)
GRAPH(cudaLibraryLoadData)
GRAPH(cudaLibraryLoadFromFile)
GRAPH(cudaLibraryUnload)
