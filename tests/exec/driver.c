/* A program that uses CUDA's driver API and NVML beside the runtime and NCCL, as bindings do: the library is opened by name, and
 * its functions are looked up by dlsym or by cuGetProcAddress. Prints what is wrong; nothing if all is well. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "client.h"

typedef struct context *CUcontext;
static void *library;
static int failures;

#define TRUE(condition)                                                          \
    do                                                                           \
        if (!(condition))                                                        \
            printf("line %d: not true: %s\n", __LINE__, #condition), failures++; \
    while (0)

static void *look(const char *name)
{
    void *f = dlsym(library, name);
    if (!f)
        printf("no %s\n", name), failures++;
    return f;
}
#define LOOK(result, name, ...) result (*name)(__VA_ARGS__) = look(#name)
#define ABI(result, name, symbol, ...) result (*name)(__VA_ARGS__) = look(symbol)

static void contexts(void)
{
    ABI(int, cuCtxCreate, "cuCtxCreate_v2", CUcontext *, unsigned, int);
    ABI(int, cuCtxDestroy, "cuCtxDestroy_v2", CUcontext);
    ABI(int, cuMemAlloc, "cuMemAlloc_v2", void **, size_t);
    ABI(int, cuMemFree, "cuMemFree_v2", void *);
    ABI(int, cuCtxPopCurrent, "cuCtxPopCurrent_v2", CUcontext *);
    ABI(int, cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", int);
    LOOK(int, cuCtxGetCurrent, CUcontext *);
    LOOK(int, cuCtxSetCurrent, CUcontext);
    LOOK(int, cuCtxGetDevice, int *);
    LOOK(int, cuDevicePrimaryCtxRetain, CUcontext *, int);
    LOOK(int, cuDevicePrimaryCtxGetState, int, unsigned *, int *);
    LOOK(int, cuCtxGetApiVersion, CUcontext, unsigned *);
    CUcontext own, primary, current;
    void *p;
    int device = -1, active = -1;
    unsigned flags, version;

    TRUE(cuMemAlloc(&p, 64) == 201); /* no context yet */
    TRUE(cuCtxGetCurrent(&current) == 0 && !current);
    TRUE(cuDevicePrimaryCtxGetState(1, &flags, &active) == 0 && active == 0);
    TRUE(cuCtxCreate(&own, 0, 99) == 101);
    TRUE(cuCtxCreate(&own, 0, 2) == 0);
    TRUE(cuCtxGetCurrent(&current) == 0 && current == own);
    TRUE(cuCtxGetDevice(&device) == 0 && device == 2);
    TRUE(cudaGetDevice(&device) == cudaSuccess && device == 2); /* the runtime follows */
    TRUE(cuMemAlloc(&p, 0) == 1);
    TRUE(cuMemAlloc(&p, 64) == 0 && cuMemFree(p) == 0);
    TRUE(cuDevicePrimaryCtxRetain(&primary, 1) == 0);
    TRUE(cuDevicePrimaryCtxGetState(1, &flags, &active) == 0 && active == 1);
    TRUE(cuCtxSetCurrent(primary) == 0 && cudaGetDevice(&device) == cudaSuccess && device == 1);
    TRUE(cudaSetDevice(3) == cudaSuccess); /* the runtime puts the device's primary context in its place */
    TRUE(cuCtxGetCurrent(&current) == 0 && current && current != primary && current != own);
    TRUE(cuCtxPopCurrent(&current) == 0);
    TRUE(cuCtxGetApiVersion(own, &version) == 0 && cuCtxGetApiVersion(NULL, &version) == 0);
    TRUE(cuCtxDestroy(own) == 0 && cuCtxDestroy(own) == 201 && cuCtxGetApiVersion(own, &version) == 201);
    TRUE(cuDevicePrimaryCtxRelease(1) == 0 && cuDevicePrimaryCtxRelease(1) == 201);
    TRUE(cuCtxSetCurrent(NULL) == 0);
    TRUE(cudaGetLastError() == cudaSuccess); /* none of these is the runtime's error */
}

/* Memory, streams and events of the two libraries are the same things. */
static void mixed(void)
{
    ABI(int, cuMemcpyHtoD, "cuMemcpyHtoD_v2", void *, const void *, size_t);
    ABI(int, cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", void *, const void *, size_t, cudaStream_t);
    ABI(int, cuMemsetD32, "cuMemsetD32_v2", void *, unsigned, size_t);
    ABI(int, cuMemsetD32Async, "cuMemsetD32Async", void *, unsigned, size_t, cudaStream_t);
    ABI(int, cuStreamDestroy, "cuStreamDestroy_v2", cudaStream_t);
    LOOK(int, cuStreamCreate, cudaStream_t *, unsigned);
    LOOK(int, cuStreamSynchronize, cudaStream_t);
    LOOK(int, cuStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned);
    LOOK(int, cuPointerGetAttribute, void *, int, const void *);
    float in[4] = { 1, 2, 3, 4 }, out[4] = { 0 };
    unsigned words[4];
    int device = -1, local;
    cudaStream_t stream;
    cudaEvent_t event;
    void *p = NULL;

    TRUE(cudaSetDevice(1) == cudaSuccess && cudaMalloc(&p, sizeof in) == cudaSuccess);
    TRUE(cuPointerGetAttribute(&device, 9, p) == 0 && device == 1);
    TRUE(cuPointerGetAttribute(&device, 9, &local) == 1);
    TRUE(cuStreamCreate(&stream, 1) == 0);
    TRUE(cudaEventCreate(&event) == cudaSuccess && cudaEventRecord(event, NULL) == cudaSuccess);
    TRUE(cuStreamWaitEvent(stream, event, 0) == 0);
    TRUE(cuMemcpyHtoD(p, in, sizeof in) == 0);
    TRUE(cuMemcpyDtoHAsync(out, p, sizeof out, stream) == 0 && cuStreamSynchronize(stream) == 0);
    TRUE(memcmp(in, out, sizeof in) == 0);
    TRUE(cuMemsetD32(p, 0x01020304, 4) == 0);
    TRUE(cudaMemcpy(words, p, sizeof words, cudaMemcpyDeviceToHost) == cudaSuccess && words[3] == 0x01020304);
    TRUE(cuMemsetD32Async(p, 0xa0b0c0d0, 4, stream) == 0 && cuStreamSynchronize(stream) == 0);
    TRUE(cudaMemcpy(words, p, sizeof words, cudaMemcpyDeviceToHost) == cudaSuccess && words[0] == 0xa0b0c0d0);
    TRUE(cuStreamDestroy(stream) == 0 && cudaEventDestroy(event) == cudaSuccess && cudaFree(p) == cudaSuccess);
}

static void by_name(void)
{
    LOOK(int, cuGetProcAddress_v2, const char *, void **, int, uint64_t, int *);
    LOOK(int, cuGetExportTable, const void **, const void *);
    LOOK(int, cuGetErrorName, int, const char **);
    LOOK(int, cuModuleLoad, void **, const char *);
    const char *text;
    const void *table = &text;
    void *f = &f;
    int status = -1;
    TRUE(cuGetProcAddress_v2("cuCtxCreate", &f, 13000, 0, &status) == 0 && f == dlsym(library, "cuCtxCreate_v4"));
    TRUE(cuGetProcAddress_v2("cuCtxCreate", &f, 12040, 0, &status) == 0 && f == dlsym(library, "cuCtxCreate_v3"));
    TRUE(cuGetProcAddress_v2("cuCtxCreate", &f, 11030, 0, &status) == 0 && f == dlsym(library, "cuCtxCreate_v2"));
    TRUE(cuGetProcAddress_v2("cuStreamSynchronize", &f, 12000, 2, &status) == 0 &&
         f == dlsym(library, "cuStreamSynchronize_ptsz"));
    TRUE(cuGetProcAddress_v2("cuNoSuchFunction", &f, 13000, 0, &status) == 0 && !f && status == 1);
    TRUE(cuGetProcAddress_v2("cuNoSuchFunction", &f, 13000, 0, NULL) == 500 && !f);
    TRUE(cuGetProcAddress_v2("cuEventElapsedTime", &f, 1000, 0, &status) == 0 && !f && status == 2);
    TRUE(cuGetExportTable(&table, "0123456789abcdef") == 500 && !table);
    TRUE(cuGetErrorName(201, &text) == 0 && strcmp(text, "CUDA_ERROR_INVALID_CONTEXT") == 0);
    TRUE(cuGetErrorName(12345, &text) == 1 && !text);
    TRUE(cuModuleLoad(&f, "kernel.cubin") == 801);
}

/* By the runtime, of which the program knows more than of libcuda. */
static void by_runtime(void)
{
    enum cudaDriverEntryPointQueryResult result;
    void *f = NULL;
    TRUE(cudaGetDriverEntryPointByVersion("cuCtxCreate", &f, 12040, 0, &result) == cudaSuccess && result == 0 &&
         f == dlsym(library, "cuCtxCreate_v3"));
    TRUE(cudaGetDriverEntryPointByVersion("cuCtxCreate", &f, 13000, 0, NULL) == cudaSuccess &&
         f == dlsym(library, "cuCtxCreate_v4"));
    TRUE(cudaGetDriverEntryPointByVersion("cuStreamSynchronize", &f, 12000, 2, &result) == cudaSuccess &&
         f == dlsym(library, "cuStreamSynchronize_ptsz"));
    TRUE(cudaGetDriverEntryPoint("cuStreamSynchronize", &f, 0, &result) == cudaSuccess &&
         f == dlsym(library, "cuStreamSynchronize"));
    TRUE(cudaGetDriverEntryPoint("cuNoSuchFunction", &f, 0, &result) == cudaSuccess && !f && result == 1);
    TRUE(cudaGetDriverEntryPointByVersion("cuEventElapsedTime", &f, 1000, 0, &result) == cudaSuccess && !f && result == 2);
    TRUE(cudaGetDriverEntryPoint("cuInit", &f, 3, &result) == cudaErrorInvalidValue);
    TRUE(cudaGetLastError() == cudaErrorInvalidValue);
}

/* A communicator whose ranks have their devices by contexts of the driver. */
static void communicate(void)
{
    ABI(int, cuMemAlloc, "cuMemAlloc_v2", void **, size_t);
    ABI(int, cuMemFree, "cuMemFree_v2", void *);
    ABI(int, cuMemcpyHtoD, "cuMemcpyHtoD_v2", void *, const void *, size_t);
    ABI(int, cuMemcpyDtoH, "cuMemcpyDtoH_v2", void *, const void *, size_t);
    LOOK(int, cuDevicePrimaryCtxRetain, CUcontext *, int);
    LOOK(int, cuCtxSetCurrent, CUcontext);
    LOOK(int, cuStreamCreate, cudaStream_t *, unsigned);
    LOOK(int, cuStreamSynchronize, cudaStream_t);
    LOOK(int, cuStreamDestroy_v2, cudaStream_t);
    enum { RANKS = 4 };
    ncclComm_t comm[RANKS];
    CUcontext context[RANKS];
    cudaStream_t stream[RANKS];
    void *p[RANKS];
    TRUE(ncclCommInitAll(comm, RANKS, NULL) == ncclSuccess);
    for (int i = 0; i < RANKS; i++) {
        float x = (float)(i + 1);
        TRUE(cuDevicePrimaryCtxRetain(&context[i], i) == 0 && cuCtxSetCurrent(context[i]) == 0);
        TRUE(cuMemAlloc(&p[i], sizeof x) == 0 && cuMemcpyHtoD(p[i], &x, sizeof x) == 0 && cuStreamCreate(&stream[i], 1) == 0);
    }
    TRUE(ncclGroupStart() == ncclSuccess);
    for (int i = 0; i < RANKS; i++)
        TRUE(ncclAllReduce(p[i], p[i], 1, ncclFloat, ncclSum, comm[i], stream[i]) == ncclSuccess);
    TRUE(ncclGroupEnd() == ncclSuccess);
    for (int i = 0; i < RANKS; i++) {
        float x = 0;
        TRUE(cuCtxSetCurrent(context[i]) == 0 && cuStreamSynchronize(stream[i]) == 0);
        TRUE(cuMemcpyDtoH(&x, p[i], sizeof x) == 0 && x == 10);
        TRUE(cuStreamDestroy_v2(stream[i]) == 0 && cuMemFree(p[i]) == 0 && ncclCommDestroy(comm[i]) == ncclSuccess);
    }
}

static void management(void)
{
    struct {
        unsigned version;
        unsigned long long total, reserved, free, used;
    } memory = { 0 };
    char text[96];
    void *device, *same, *p = NULL;
    unsigned count = 0;
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    TRUE(library);
    LOOK(int, nvmlInit_v2, void);
    LOOK(int, nvmlShutdown, void);
    LOOK(int, nvmlSystemGetDriverVersion, char *, unsigned);
    LOOK(int, nvmlDeviceGetCount_v2, unsigned *);
    LOOK(int, nvmlDeviceGetHandleByIndex_v2, unsigned, void **);
    LOOK(int, nvmlDeviceGetUUID, void *, char *, unsigned);
    LOOK(int, nvmlDeviceGetHandleByUUID, const char *, void **);
    LOOK(int, nvmlDeviceGetMemoryInfo_v2, void *, void *);
    TRUE(nvmlDeviceGetCount_v2(&count) == 1); /* not initialized */
    TRUE(nvmlInit_v2() == 0 && nvmlDeviceGetCount_v2(&count) == 0 && count == 4);
    TRUE(nvmlSystemGetDriverVersion(text, sizeof text) == 0 && nvmlSystemGetDriverVersion(text, 3) == 7);
    TRUE(nvmlDeviceGetHandleByIndex_v2(4, &device) == 2 && nvmlDeviceGetHandleByIndex_v2(2, &device) == 0);
    TRUE(nvmlDeviceGetUUID(device, text, sizeof text) == 0 && nvmlDeviceGetHandleByUUID(text, &same) == 0 && same == device);
    TRUE(nvmlDeviceGetHandleByUUID(text + strlen("GPU-"), &same) == 0 && same == device);
    TRUE(nvmlDeviceGetHandleByUUID(text + 1, &same) == 6 && nvmlDeviceGetHandleByUUID("", &same) == 6);
    TRUE(cudaSetDevice(2) == cudaSuccess && cudaMalloc(&p, 1 << 20) == cudaSuccess);
    TRUE(nvmlDeviceGetMemoryInfo_v2(device, &memory) == 0 && memory.used >= 1 << 20 && memory.free + memory.used == memory.total);
    TRUE(cudaFree(p) == cudaSuccess && nvmlDeviceGetMemoryInfo_v2(text, &memory) == 2);
    TRUE(nvmlShutdown() == 0 && nvmlShutdown() == 1);
}

int main(int argc, char **argv)
{
    char name[80];
    int devices = 0, version = 0, device = -1;
    library = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
    if (!library) {
        printf("%s\n", dlerror());
        return 1;
    }
    LOOK(int, cuInit, unsigned);
    LOOK(int, cuDeviceGetCount, int *);
    LOOK(int, cuDeviceGet, int *, int);
    LOOK(int, cuDeviceGetName, char *, int, int);
    LOOK(int, cuDriverGetVersion, int *);
    TRUE(cuInit(0) == 0 && cuInit(1) == 1);
    TRUE(cuDeviceGetCount(&devices) == 0 && devices == 4);
    TRUE(cuDeviceGet(&device, 3) == 0 && device == 3 && cuDeviceGet(&device, 4) == 101);
    TRUE(cuDeviceGetName(name, sizeof name, 0) == 0 && *name);
    TRUE(cuDriverGetVersion(&version) == 0 && version >= 13000);
    contexts();
    mixed();
    by_name();
    by_runtime();
    communicate();
    management();
    printf("driver: %d failures\n", failures);
    return failures > 0;
}
