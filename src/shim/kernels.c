/* Functions that compiled programs with kernels call when they are loaded and before a launch (kernel/launch.c). */
#include <stddef.h>

#include "base/mem.h"
#include "shim/kernel/kernel.h"
#include "shim/shim.h"

struct dim3_abi {
    unsigned x, y, z;
};

/* ---- registration when the program is loaded ---- */

/* Each program and library gets a handle of its own, because its kernels leave with it. */
NCS_SHIM_DEFINE(void **, __cudaRegisterFatBinary, void *binary)
{
    void **handle = ncs_new(sizeof *handle);
    *handle = binary;
    return handle;
}

NCS_SHIM_DEFINE(void, __cudaRegisterFatBinaryEnd, void **handle)
{
    (void)handle;
}

NCS_SHIM_DEFINE(void, __cudaUnregisterFatBinary, void **handle)
{
    shim_kernel_forget(handle);
    ncs_free(handle);
}

NCS_SHIM_DEFINE(void, __cudaRegisterFunction, void **handle, const char *host, char *device, const char *name, int threads,
                void *tid, void *bid, void *block, void *grid, int *warp)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    shim_kernel_register(handle, host, name);
}

NCS_SHIM_DEFINE(void, __cudaRegisterVar, void **handle, char *host, char *device, const char *name, int external, size_t size,
                int constant, int global)
{
    (void)handle, (void)host, (void)device, (void)name;
    (void)external, (void)size, (void)constant, (void)global;
}

/* The host accesses such a variable directly, so it gets memory that lives as long as the program. */
NCS_SHIM_DEFINE(void, __cudaRegisterManagedVar, void **handle, void **host, char *device, const char *name, int external,
                size_t size, int constant, int global)
{
    (void)handle, (void)device, (void)name, (void)external, (void)constant, (void)global;
    *host = ncs_new(size ? size : 1);
}

NCS_SHIM_DEFINE(void, __cudaRegisterHostVar, void **handle, const char *name, char *host, size_t size)
{
    (void)handle, (void)name, (void)host, (void)size;
}

NCS_SHIM_DEFINE(void, __cudaRegisterUnifiedTable, void **handle, void *table)
{
    (void)handle, (void)table;
}

NCS_SHIM_DEFINE(char, __cudaInitModule, void **handle)
{
    (void)handle;
    return 0;
}

/* ---- a launch: its configuration is pushed, and popped by the kernel's stub, which launches ---- */

static _Thread_local struct {
    struct dim3_abi grid, block;
    size_t shared;
    void *stream;
} pushed;

/* Always returns 0: for any other value the compiled program skips the launch, and would see no error. */
NCS_SHIM_DEFINE(unsigned, __cudaPushCallConfiguration, struct dim3_abi grid, struct dim3_abi block, size_t shared, void *stream)
{
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}

NCS_SHIM_DEFINE(cudaError_t, __cudaPopCallConfiguration, struct dim3_abi *grid, struct dim3_abi *block, size_t *shared,
                void *stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *(void **)stream = pushed.stream;
    return cudaSuccess;
}

/* Called once for each kernel, before its first launch, which gets the answer in place of the function. */
NCS_SHIM_DEFINE(cudaError_t, __cudaGetKernel, const void **kernel, const void *function)
{
    *kernel = function;
    return cudaSuccess;
}

NCS_SHIM_DEFINE(cudaError_t, cudaGetKernel, const void **kernel, const void *function)
{
    return __cudaGetKernel(kernel, function);
}
