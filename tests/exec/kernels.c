/* A program that launches kernels, as what nvcc makes of `kernel<<<...>>>()` does, under every name that
 * a launch has: of nvcc 12 and 13, and with a default stream per thread. */
#include "client.h"

struct grid {
    unsigned x, y, z;
};

/* As compiled code calls it. */
typedef cudaError_t launch_fn(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared,
                              cudaStream_t stream);

#define LAUNCHES(F)                \
    F(__cudaLaunchKernel)          \
    F(__cudaLaunchKernel_ptsz)     \
    F(cudaLaunchKernel)            \
    F(cudaLaunchKernel_ptsz)       \
    F(cudaLaunchCooperativeKernel) \
    F(cudaLaunchCooperativeKernel_ptsz)
#define DECLARE_LAUNCH(name) launch_fn name;
LAUNCHES(DECLARE_LAUNCH)

struct configuration {
    struct grid grid, block;
    size_t shared;
    cudaStream_t stream;
    void *attributes;
    unsigned attribute_count;
};
cudaError_t cudaLaunchKernelExC(const struct configuration *how, const void *kernel, void **args);
cudaError_t cudaLaunchKernelExC_ptsz(const struct configuration *how, const void *kernel, void **args);

static cudaError_t by_configuration(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    return cudaLaunchKernelExC(&(struct configuration){ grid, block, shared, stream, NULL, 0 }, kernel, args);
}

static cudaError_t by_configuration_ptsz(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared,
                                         cudaStream_t stream)
{
    return cudaLaunchKernelExC_ptsz(&(struct configuration){ grid, block, shared, stream, NULL, 0 }, kernel, args);
}

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid, void *bid,
                            void *block, void *grid, int *warp);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external, size_t size, int constant,
                              int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(struct grid grid, struct grid block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(struct grid *grid, struct grid *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(const void **kernel, const void *function);
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset, int kind);

static const char stub[1];

static void fails_once(launch_fn *launch, const char *name)
{
    struct grid grid, block;
    size_t shared;
    void *stream, *none[1] = { NULL };
    if (__cudaPushCallConfiguration((struct grid){ 3, 2, 1 }, (struct grid){ 32, 1, 1 }, 64, none) != 0)
        return; /* the launch would be left out */
    CHECK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    EXPECT(grid.x * 100 + block.x, 332);
    EXPECT(shared, 64);
    EXPECT(stream == none, 1);
    EXPECT(launch(stub, grid, block, none, shared, NULL), 98);
    EXPECT(cudaPeekAtLastError(), 98);
    EXPECT(cudaGetLastError(), 98);
    EXPECT(cudaGetLastError(), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    printf("%s: 98\n", name);
}

/* With --kernels skip: a kernel that is left out, then a result that may depend on it. */
static void reduce_after_kernel(void)
{
    const struct grid one = { 1, 1, 1 };
    ncclComm_t comm[2];
    float *x[2];
    void *none[1] = { NULL };
    CHECK(ncclCommInitAll(comm, 2, NULL));
    CHECK(cudaLaunchKernel(stub, one, one, none, 0, NULL));
    CHECK(ncclGroupStart());
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        x[i] = floats_of(1, 2);
        CHECK(ncclAllReduce(x[i], x[i], 2, ncclFloat32, ncclSum, comm[i], NULL));
    }
    CHECK(ncclGroupEnd());
    for (int i = 0; i < 2; i++) {
        EXPECT(first_of(x[i]), 2);
        CHECK(cudaFree(x[i]));
        CHECK(ncclCommDestroy(comm[i]));
    }
}

int main(int argc, char **argv)
{
    void **module = __cudaRegisterFatBinary(NULL);
    const void *kernel = NULL;
    static int *managed;
    char name[] = "stub";
    __cudaRegisterFunction(module, stub, name, name, -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterManagedVar(module, (void **)&managed, name, name, 0, sizeof *managed, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
    __cudaInitModule(module);
    EXPECT(*managed, 0);
    CHECK(__cudaGetKernel(&kernel, stub));
    EXPECT(cudaGetLastError(), 0);
    if (argc > 1 && strcmp(argv[1], "skip_reduce") == 0) {
        reduce_after_kernel();
        return 0;
    }
#define FAILS_ONCE(name) fails_once(name, #name);
    LAUNCHES(FAILS_ONCE)
    fails_once(by_configuration, "cudaLaunchKernelExC");
    fails_once(by_configuration_ptsz, "cudaLaunchKernelExC_ptsz");
    EXPECT(cudaMemcpyToSymbol(stub, stub, 1, 0, 1), 13);
    EXPECT(cudaGetLastError(), 13);
    EXPECT(cudaGetLastError(), 0);
    __cudaUnregisterFatBinary(module);
    printf("kernels: ok\n");
    return 0;
}
