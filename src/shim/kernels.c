/* What compiled programs with kernels call, so that they load: their kernels are not there. */
#include <stdatomic.h>
#include <stddef.h>

#include "shim/shim.h"

struct dim3_abi {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct dim3_abi grid, struct dim3_abi block, size_t shared,
                                     void *stream);
cudaError_t __cudaPopCallConfiguration(struct dim3_abi *grid, struct dim3_abi *block,
                                       size_t *shared, void *stream);
cudaError_t __cudaGetKernel(void **kernel, const void *function);
cudaError_t cudaLaunchKernel(const void *function, struct dim3_abi grid, struct dim3_abi block,
                             void **args, size_t shared, cudaStream_t stream);
cudaError_t cudaLaunchKernelExC(const void *config, const void *function, void **args);
cudaError_t cudaFuncGetAttributes(void *attributes, const void *function);
cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value);

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

char __cudaInitModule(void **handle)
{
    (void)handle;
    return 0;
}

/* Nonzero: the launch that follows is left out. */
unsigned __cudaPushCallConfiguration(struct dim3_abi grid, struct dim3_abi block, size_t shared,
                                     void *stream)
{
    (void)grid, (void)block, (void)shared, (void)stream;
    return 0;
}

cudaError_t __cudaPopCallConfiguration(struct dim3_abi *grid, struct dim3_abi *block,
                                       size_t *shared, void *stream)
{
    *grid = *block = (struct dim3_abi){ 1, 1, 1 };
    *shared = 0;
    *(cudaStream_t *)stream = NULL;
    return cudaSuccess;
}

static cudaError_t no_kernel(const char *call)
{
    static atomic_bool said;
    if (!atomic_exchange(&said, true))
        ncs_shim_say("%s: kernels cannot be run on the simulator, host functions only", call);
    return cudaErrorInvalidDeviceFunction;
}

cudaError_t __cudaGetKernel(void **kernel, const void *function)
{
    (void)function;
    *kernel = NULL;
    return no_kernel("a launch");
}

cudaError_t cudaLaunchKernel(const void *function, struct dim3_abi grid, struct dim3_abi block,
                             void **args, size_t shared, cudaStream_t stream)
{
    (void)function, (void)grid, (void)block, (void)args, (void)shared, (void)stream;
    return no_kernel("cudaLaunchKernel");
}

cudaError_t cudaLaunchKernelExC(const void *config, const void *function, void **args)
{
    (void)config, (void)function, (void)args;
    return no_kernel("cudaLaunchKernelExC");
}

cudaError_t cudaFuncGetAttributes(void *attributes, const void *function)
{
    (void)attributes, (void)function;
    return no_kernel("cudaFuncGetAttributes");
}

cudaError_t cudaFuncSetAttribute(const void *function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return no_kernel("cudaFuncSetAttribute");
}
