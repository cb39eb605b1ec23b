/* Launches: under every name that they have, of nvcc 12 and 13, and with a default stream per thread (_ptsz). */
#include "base/mem.h"
#include "shim/kernel/kernel.h"
#include "shim/shim.h"
#include "sim/cuda/outside.h"

struct size_abi {
    unsigned x, y, z;
};

/* cudaLaunchConfig_t; attributes do not matter to a host. */
struct launch_abi {
    struct size_abi grid, block;
    size_t shared;
    cudaStream_t stream;
    void *attributes;
    unsigned attribute_count;
};

static struct kernel_job *make_job(const char *name, void **args)
{
    struct kernel_job *job = shim_kernel_make_verifiable(name, args);
    return job ? job : shim_kernel_make_fill(name, args);
}

static void run_kernel_job(void *arg)
{
    struct kernel_job *job = arg;
    job->run(job);
    ncs_free(job);
}

/* Of a captured kernel: each launch of the graph runs it again, so it stays. */
static void run_captured_job(void *arg)
{
    struct kernel_job *job = arg;
    job->run(job);
}

static bool is_captured(const struct ncs_api *api, cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    return ncs_shim_has_captured() && api->cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status == cudaStreamCaptureStatusActive;
}

/* With the token. A host function stands for the kernel: device memory is memory of the host here. */
static cudaError_t launch_named(const struct ncs_api *api, const char *name, void **args, cudaStream_t stream)
{
    struct kernel_job *job = args ? make_job(name, args) : NULL;
    if (job) {
        cudaHostFn_t run = is_captured(api, stream) ? run_captured_job : run_kernel_job;
        cudaError_t rc = api->cudaLaunchHostFunc(stream, run, job);
        if (rc != cudaSuccess)
            ncs_free(job);
        return rc;
    }
    ncs_shim_count_kernel(name);
    return ncs_shim_skips_kernels() ? cudaSuccess : ncs_shim_refuse_cuda(cudaErrorInvalidDeviceFunction);
}

static bool is_empty(struct size_abi size)
{
    return size.x == 0 || size.y == 0 || size.z == 0;
}

/* Inlined, so that the place of the call is the exported function's caller. */
static inline __attribute__((always_inline)) cudaError_t launch_kernel(const void *kernel, struct size_abi grid,
                                                                       struct size_abi block, void **args, cudaStream_t stream)
{
    const struct ncs_api *api = ncs_shim_enter(NCS_FN_cudaLaunchHostFunc);
    if (!api)
        return (cudaError_t)ncs_shim_refusal();
    const char *name = shim_kernel_name(kernel);
    cudaError_t rc = !name                               ? ncs_shim_refuse_cuda(cudaErrorInvalidDeviceFunction)
                     : is_empty(grid) || is_empty(block) ? ncs_shim_refuse_cuda(cudaErrorInvalidConfiguration)
                                                         : launch_named(api, name, args, stream);
    ncs_shim_leave();
    return rc;
}

#define LAUNCH(symbol, own)                                                                                            \
    NCS_SHIM_DEFINE(cudaError_t, symbol, const void *kernel, struct size_abi grid, struct size_abi block, void **args, \
                    size_t shared, cudaStream_t stream)                                                                \
    {                                                                                                                  \
        (void)shared;                                                                                                  \
        return launch_kernel(kernel, grid, block, args, stream ? stream : (own));                                      \
    }
LAUNCH(cudaLaunchKernel, NULL)
LAUNCH(cudaLaunchKernel_ptsz, cudaStreamPerThread)
LAUNCH(__cudaLaunchKernel, NULL)
LAUNCH(__cudaLaunchKernel_ptsz, cudaStreamPerThread)
LAUNCH(cudaLaunchCooperativeKernel, NULL)
LAUNCH(cudaLaunchCooperativeKernel_ptsz, cudaStreamPerThread)

#define LAUNCH_BY_CONFIGURATION(symbol, own)                                                            \
    NCS_SHIM_DEFINE(cudaError_t, symbol, const struct launch_abi *how, const void *kernel, void **args) \
    {                                                                                                   \
        static const struct launch_abi none;                                                            \
        how = how ? how : &none;                                                                        \
        return launch_kernel(kernel, how->grid, how->block, args, how->stream ? how->stream : (own));   \
    }
LAUNCH_BY_CONFIGURATION(cudaLaunchKernelExC, NULL)
LAUNCH_BY_CONFIGURATION(cudaLaunchKernelExC_ptsz, cudaStreamPerThread)
