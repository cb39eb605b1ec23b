/* The codes of every function of the CUDA runtime, bad arguments included: none of them crashes. */
#include "../kernel/kernel.h"

#include <limits.h>
#include <stdint.h>

#include "api/invoke.h"
#include "base/hash.h"
#include "harness.h"

/* One row: the call gives this code, and the last error is that code, unless it is none or 600. */
#define ROW(code, call)                                                                \
    do {                                                                               \
        int rc_ = (int)(call);                                                         \
        ck_assert_msg(rc_ == (code), "%s: %d, not %d", #call, rc_, (code));            \
        int last_ = rc_ == cudaErrorNotReady ? cudaSuccess : rc_;                      \
        ck_assert_msg((int)api->cudaPeekAtLastError() == last_, "%s: last error", #call); \
        ck_assert_int_eq((int)api->cudaGetLastError(), last_);                         \
        ck_assert_int_eq((int)api->cudaGetLastError(), 0);                             \
    } while (0)

static void (*body)(void);
static bool finished;
static int process; /* of the only context */

static void context_main(void *arg)
{
    (void)arg;
    body();
    finished = true;
}

/* Runs f as the only context of a machine. */
static void run(const struct ncs_machine_options *options, void (*f)(void))
{
    kernel_open(options);
    static struct ncs_local local;
    local = (struct ncs_local){ .rank = process };
    struct ncs_context_options context = { .process = process, .local = &local,
                                           .main = context_main };
    struct ncs_error err;
    body = f;
    finished = false;
    ck_assert(machine->spawn(&context, &err));
    ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
    ck_assert(finished);
    machine->close();
    uint64_t objects, bytes, trace;
    machine->stats(&objects, &bytes, &trace);
    ck_assert_uint_eq(objects, 0);
    ck_assert_uint_eq(bytes, 0);
}

#define GARBAGE(type) ((type)(uintptr_t)0x12345678)

static void devices(void)
{
    int n = 77, v;
    ROW(1, api->cudaGetDeviceCount(NULL));
    ROW(0, api->cudaGetDeviceCount(&n));
    ck_assert_int_eq(n, 4);
    ROW(101, api->cudaSetDevice(-1));
    ROW(101, api->cudaSetDevice(4));
    ROW(101, api->cudaSetDevice(INT_MIN));
    ROW(0, api->cudaSetDevice(3));
    ROW(1, api->cudaGetDevice(NULL));
    ROW(0, api->cudaGetDevice(&n));
    ck_assert_int_eq(n, 3);
    ROW(0, api->cudaSetDevice(0));
    ROW(1, api->cudaRuntimeGetVersion(NULL));
    ROW(1, api->cudaDriverGetVersion(NULL));
    ROW(0, api->cudaRuntimeGetVersion(&v));
    ROW(0, api->cudaDriverGetVersion(&n));
    ck_assert_int_eq(v, 13000);
    ck_assert_int_eq(n, 13000);
    ROW(0, api->cudaDeviceSynchronize());
    ROW(0, api->cudaProfilerStart());
    ROW(0, api->cudaProfilerStop());
}

static void flags_and_limits(void)
{
    unsigned flags = 77;
    size_t value;
    ROW(1, api->cudaGetDeviceFlags(NULL));
    ROW(1, api->cudaSetDeviceFlags(0x100));
    ROW(1, api->cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
    ROW(0, api->cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceMapHost));
    ROW(0, api->cudaGetDeviceFlags(&flags));
    ck_assert_uint_eq(flags, cudaDeviceScheduleSpin | cudaDeviceMapHost);
    ROW(1, api->cudaDeviceGetLimit(NULL, cudaLimitStackSize));
    ROW(215, api->cudaDeviceGetLimit(&value, (enum cudaLimit)7));
    ROW(215, api->cudaDeviceGetLimit(&value, (enum cudaLimit)-1));
    ROW(215, api->cudaDeviceSetLimit((enum cudaLimit)99, 1));
    ROW(0, api->cudaDeviceGetLimit(&value, cudaLimitStackSize));
    ck_assert_uint_eq(value, 1024);
    ROW(0, api->cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    ROW(0, api->cudaDeviceGetLimit(&value, cudaLimitStackSize));
    ck_assert_uint_eq(value, 4096);
    ROW(0, api->cudaSetDevice(1));
    ROW(0, api->cudaDeviceGetLimit(&value, cudaLimitStackSize));
    ck_assert_uint_eq(value, 1024); /* limits are the device's own */
}

static void properties(void)
{
    struct cudaDeviceProp p;
    int v;
    char id[32];
    ROW(1, api->cudaGetDeviceProperties(NULL, 0));
    ROW(101, api->cudaGetDeviceProperties(&p, -1));
    ROW(101, api->cudaGetDeviceProperties(&p, 4));
    ROW(0, api->cudaGetDeviceProperties(&p, 1));
    ck_assert_int_eq(p.major, 8);
    ck_assert_int_eq(p.minor, 6);
    ck_assert_uint_eq(p.totalGlobalMem, (size_t)1 << 20);
    ck_assert_int_eq(p.warpSize, 32);
    ck_assert(p.unifiedAddressing && p.canMapHostMemory && strlen(p.name) > 0);
    ROW(1, api->cudaDeviceGetAttribute(NULL, cudaDevAttrWarpSize, 0));
    ROW(1, api->cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)0, 0));
    ROW(1, api->cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)44, 0));
    ROW(1, api->cudaDeviceGetAttribute(&v, (enum cudaDeviceAttr)INT_MAX, 0));
    ROW(101, api->cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 9));
    ROW(0, api->cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, 0));
    ck_assert_int_eq(v, 8);
#define KNOWN(what, number) ROW(0, api->cudaDeviceGetAttribute(&v, cudaDevAttr##what, 0));
    NCS_CUDA_ATTRIBUTES(KNOWN)
#undef KNOWN
    ROW(1, api->cudaChooseDevice(NULL, &p));
    ROW(1, api->cudaChooseDevice(&v, NULL));
    ROW(0, api->cudaChooseDevice(&v, &p));
    ROW(1, api->cudaDeviceGetPCIBusId(NULL, 32, 0));
    ROW(1, api->cudaDeviceGetPCIBusId(id, 12, 0));
    ROW(1, api->cudaDeviceGetPCIBusId(id, -1, 0));
    ROW(101, api->cudaDeviceGetPCIBusId(id, 32, 4));
    for (int d = 0; d < 4; d++) {
        ROW(0, api->cudaDeviceGetPCIBusId(id, 13, d));
        ROW(0, api->cudaDeviceGetByPCIBusId(&v, id));
        ck_assert_int_eq(v, d);
        ROW(0, api->cudaDeviceGetByPCIBusId(&v, id + 5)); /* without the domain */
        ck_assert_int_eq(v, d);
    }
    ROW(1, api->cudaDeviceGetByPCIBusId(NULL, id));
    ROW(1, api->cudaDeviceGetByPCIBusId(&v, NULL));
    ROW(1, api->cudaDeviceGetByPCIBusId(&v, ""));
    ROW(1, api->cudaDeviceGetByPCIBusId(&v, "0000:10:00.0 "));
    ROW(101, api->cudaDeviceGetByPCIBusId(&v, "0000:00:00.0"));
}

static void peers(void)
{
    int v;
    ROW(1, api->cudaDeviceCanAccessPeer(NULL, 0, 1));
    ROW(101, api->cudaDeviceCanAccessPeer(&v, -1, 1));
    ROW(101, api->cudaDeviceCanAccessPeer(&v, 0, 4));
    ROW(0, api->cudaDeviceCanAccessPeer(&v, 2, 2));
    ck_assert_int_eq(v, 0);
    ROW(0, api->cudaDeviceCanAccessPeer(&v, 0, 1));
    ck_assert_int_eq(v, 1);
    ROW(1, api->cudaDeviceEnablePeerAccess(1, 1));
    ROW(101, api->cudaDeviceEnablePeerAccess(4, 0));
    ROW(101, api->cudaDeviceEnablePeerAccess(0, 0));
    ROW(705, api->cudaDeviceDisablePeerAccess(1));
    ROW(0, api->cudaDeviceEnablePeerAccess(1, 0));
    ROW(704, api->cudaDeviceEnablePeerAccess(1, 0));
    ROW(0, api->cudaDeviceDisablePeerAccess(1));
    ROW(705, api->cudaDeviceDisablePeerAccess(1));
    ROW(101, api->cudaDeviceDisablePeerAccess(-1));
}

static void no_peers(void)
{
    int v = 77;
    ROW(0, api->cudaDeviceCanAccessPeer(&v, 0, 1));
    ck_assert_int_eq(v, 0);
    ROW(217, api->cudaDeviceEnablePeerAccess(1, 0));
    ROW(705, api->cudaDeviceDisablePeerAccess(1));
}

static void allocation(void)
{
    void *p = GARBAGE(void *), *q;
    char host[8];
    size_t free_, total, pitch;
    ROW(1, api->cudaMalloc(NULL, 1));
    ROW(0, api->cudaMalloc(&p, 0));
    ck_assert_ptr_null(p);
    ROW(0, api->cudaMalloc(&p, 1));
    ck_assert_uint_eq((uintptr_t)p % 256, 0);
    ROW(2, api->cudaMalloc(&q, SIZE_MAX));
    ROW(2, api->cudaMalloc(&q, (size_t)1 << 20));
    ROW(1, api->cudaMemGetInfo(NULL, &total));
    ROW(1, api->cudaMemGetInfo(&free_, NULL));
    ROW(0, api->cudaMemGetInfo(&free_, &total));
    ck_assert_uint_eq(total, (size_t)1 << 20);
    ck_assert_uint_eq(free_, total - 1);
    ROW(1, api->cudaFree((char *)p + 1));
    ROW(1, api->cudaFreeHost(p));
    ROW(1, api->cudaFree(host));
    ROW(1, api->cudaFree(GARBAGE(void *)));
    ROW(0, api->cudaFree(NULL));
    ROW(0, api->cudaFree(p));
    ROW(1, api->cudaFree(p));
    ROW(1, api->cudaMallocManaged(&p, 0, 1));
    ROW(1, api->cudaMallocManaged(NULL, 1, 1));
    ROW(1, api->cudaMallocManaged(&p, 1, 3));
    ROW(2, api->cudaMallocManaged(&p, SIZE_MAX, 1));
    ROW(0, api->cudaMallocManaged(&p, 4, 2));
    ROW(0, api->cudaFree(p));
    ROW(1, api->cudaMallocPitch(NULL, &pitch, 1, 1));
    ROW(1, api->cudaMallocPitch(&p, NULL, 1, 1));
    ROW(2, api->cudaMallocPitch(&p, &pitch, SIZE_MAX, 2));
    ROW(2, api->cudaMallocPitch(&p, &pitch, 1 << 20, SIZE_MAX));
    ROW(0, api->cudaMallocPitch(&p, &pitch, 0, 5));
    ck_assert_ptr_null(p);
    ROW(0, api->cudaMallocPitch(&p, &pitch, 100, 3));
    ck_assert(pitch >= 100 && pitch % 256 == 0);
    ROW(0, api->cudaFree(p));
    ROW(0, api->cudaMemGetInfo(&free_, &total));
    ck_assert_uint_eq(free_, total);
}

static void pinned(void)
{
    static char own[4096];
    void *p, *at;
    unsigned flags;
    ROW(1, api->cudaMallocHost(NULL, 1));
    ROW(1, api->cudaHostAlloc(NULL, 1, 0));
    ROW(1, api->cudaHostAlloc(&p, 1, 8));
    ROW(0, api->cudaHostAlloc(&p, 0, 0));
    ck_assert_ptr_null(p);
    ROW(2, api->cudaHostAlloc(&p, SIZE_MAX, 0));
    ROW(0, api->cudaHostAlloc(&p, 64, cudaHostAllocPortable | cudaHostAllocWriteCombined));
    ROW(0, api->cudaHostGetFlags(&flags, (char *)p + 63));
    ck_assert_uint_eq(flags, 5);
    ROW(1, api->cudaHostGetFlags(NULL, p));
    ROW(1, api->cudaHostGetFlags(&flags, own));
    ROW(1, api->cudaHostGetDevicePointer(NULL, p, 0));
    ROW(1, api->cudaHostGetDevicePointer(&at, p, 1));
    ROW(1, api->cudaHostGetDevicePointer(&at, own, 0));
    ROW(0, api->cudaHostGetDevicePointer(&at, (char *)p + 8, 0));
    ck_assert_ptr_eq(at, (char *)p + 8);
    ROW(1, api->cudaFree(p));
    ROW(1, api->cudaFreeHost((char *)p + 1));
    ROW(1, api->cudaFreeHost(own));
    ROW(713, api->cudaHostUnregister(p));
    ROW(712, api->cudaHostRegister(p, 8, 0));
    ROW(0, api->cudaFreeHost(NULL));
    ROW(0, api->cudaFreeHost(p));
    ROW(1, api->cudaFreeHost(p));

    ROW(1, api->cudaHostRegister(NULL, 8, 0));
    ROW(1, api->cudaHostRegister(own, 0, 0));
    ROW(1, api->cudaHostRegister(own, SIZE_MAX, 0));
    ROW(1, api->cudaHostRegister(own, 8, 16));
    ROW(801, api->cudaHostRegister(own, 8, cudaHostRegisterIoMemory));
    ROW(0, api->cudaHostRegister(own + 1024, 1024, cudaHostRegisterMapped));
    ROW(712, api->cudaHostRegister(own + 1024, 1024, 0));
    ROW(712, api->cudaHostRegister(own, 1025, 0));
    ROW(712, api->cudaHostRegister(own + 2047, 1, 0));
    ROW(0, api->cudaHostRegister(own, 1024, 0));
    ROW(0, api->cudaHostRegister(own + 2048, 8, 0));
    ROW(1, api->cudaFreeHost(own));
    ROW(1, api->cudaHostUnregister(NULL));
    ROW(713, api->cudaHostUnregister(own + 1));
    ROW(0, api->cudaHostUnregister(own));
    ROW(713, api->cudaHostUnregister(own));
    ROW(0, api->cudaHostUnregister(own + 1024));
    ROW(0, api->cudaHostUnregister(own + 2048));
    ROW(0, api->cudaMalloc(&p, 64));
    ROW(1, api->cudaHostRegister(p, 8, 0));
}

static void addresses(void)
{
    static char own[8];
    struct cudaPointerAttributes a;
    void *p;
    ROW(1, api->cudaPointerGetAttributes(NULL, own));
    ROW(0, api->cudaPointerGetAttributes(&a, own));
    ck_assert_int_eq(a.type, cudaMemoryTypeUnregistered);
    ck_assert_int_eq(a.device, cudaInvalidDeviceId);
    ck_assert_ptr_null(a.devicePointer);
    ROW(0, api->cudaPointerGetAttributes(&a, NULL));
    ck_assert_int_eq(a.type, cudaMemoryTypeUnregistered);
    ROW(0, api->cudaSetDevice(2));
    ROW(0, api->cudaMalloc(&p, 64));
    ROW(0, api->cudaSetDevice(0));
    ROW(0, api->cudaPointerGetAttributes(&a, (char *)p + 63));
    ck_assert_int_eq(a.type, cudaMemoryTypeDevice);
    ck_assert_int_eq(a.device, 2);
    ck_assert_ptr_eq(a.devicePointer, (char *)p + 63);
    ck_assert_ptr_null(a.hostPointer);
    ROW(0, api->cudaPointerGetAttributes(&a, (char *)p + 64));
    ck_assert_int_eq(a.type, cudaMemoryTypeUnregistered);
    ROW(0, api->cudaFree(p));
    ROW(0, api->cudaPointerGetAttributes(&a, p));
    ck_assert_int_eq(a.type, cudaMemoryTypeUnregistered);
    ROW(0, api->cudaMallocHost(&p, 64));
    ROW(0, api->cudaPointerGetAttributes(&a, p));
    ck_assert_int_eq(a.type, cudaMemoryTypeHost);
    ck_assert_ptr_eq(a.hostPointer, p);
    ck_assert_ptr_eq(a.devicePointer, p);
    ROW(0, api->cudaHostRegister(own, 8, 0));
    ROW(0, api->cudaPointerGetAttributes(&a, own + 7));
    ck_assert_int_eq(a.type, cudaMemoryTypeHost);
    ROW(0, api->cudaHostUnregister(own));
    ROW(0, api->cudaMallocManaged(&p, 64, 1));
    ROW(0, api->cudaPointerGetAttributes(&a, p));
    ck_assert_int_eq(a.type, cudaMemoryTypeManaged);

    struct cudaMemLocation here = { cudaMemLocationTypeDevice, 0 };
    struct cudaMemLocation nowhere = { cudaMemLocationTypeDevice, 9 };
    struct cudaMemLocation host = { cudaMemLocationTypeHost, 0 };
    ROW(0, api->cudaMemPrefetchAsync(p, 64, here, 0, NULL));
    ROW(0, api->cudaMemPrefetchAsync(p, 64, host, 0, NULL));
    ROW(101, api->cudaMemPrefetchAsync(p, 64, nowhere, 0, NULL));
    ROW(1, api->cudaMemPrefetchAsync(p, 65, here, 0, NULL));
    ROW(1, api->cudaMemPrefetchAsync(p, 0, here, 0, NULL));
    ROW(1, api->cudaMemPrefetchAsync(own, 8, here, 0, NULL));
    ROW(1, api->cudaMemPrefetchAsync(NULL, 8, here, 0, NULL));
    ROW(1, api->cudaMemPrefetchAsync(p, 64, here, 1, NULL));
    ROW(400, api->cudaMemPrefetchAsync(p, 64, here, 0, GARBAGE(cudaStream_t)));
    ROW(0, api->cudaMemAdvise(p, 64, cudaMemAdviseSetReadMostly, nowhere));
    ROW(0, api->cudaMemAdvise(p, 64, cudaMemAdviseSetAccessedBy, here));
    ROW(101, api->cudaMemAdvise(p, 64, cudaMemAdviseSetAccessedBy, nowhere));
    ROW(1, api->cudaMemAdvise(p, 64, (enum cudaMemoryAdvise)0, here));
    ROW(1, api->cudaMemAdvise(p, 64, (enum cudaMemoryAdvise)7, here));
    ROW(1, api->cudaMemAdvise(own, 8, cudaMemAdviseSetReadMostly, here));
}

static void copies(void)
{
    static char own[64];
    char *d;
    void *p;
    cudaStream_t gone = GARBAGE(cudaStream_t);
    ROW(0, api->cudaMalloc(&p, 64));
    d = p;
    ROW(21, api->cudaMemcpy(d, own, 8, (enum cudaMemcpyKind)5));
    ROW(21, api->cudaMemcpy(d, own, 8, (enum cudaMemcpyKind)-1));
    ROW(21, api->cudaMemcpy(NULL, NULL, 0, (enum cudaMemcpyKind)5));
    ROW(0, api->cudaMemcpy(NULL, NULL, 0, cudaMemcpyDefault));
    ROW(1, api->cudaMemcpy(NULL, own, 8, cudaMemcpyDefault));
    ROW(1, api->cudaMemcpy(d, NULL, 8, cudaMemcpyDefault));
    ROW(1, api->cudaMemcpy(d, own, 65, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy(d + 1, own, SIZE_MAX, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy(own, own + 8, 8, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy(d, d + 8, 8, cudaMemcpyDeviceToHost));
    ROW(1, api->cudaMemcpy(d, own, 8, cudaMemcpyHostToHost));
    for (int i = 0; i < 64; i++)
        own[i] = (char)i;
    ROW(0, api->cudaMemcpy(d, own, 64, cudaMemcpyHostToDevice));
    ROW(0, api->cudaMemcpy(own + 8, d, 8, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(own[9], 1);
    ROW(0, api->cudaMemcpy(own + 16, own, 8, cudaMemcpyHostToHost));
    ck_assert_int_eq(own[17], 1);
    ROW(400, api->cudaMemcpyAsync(d, own, 8, cudaMemcpyDefault, gone));
    ROW(0, api->cudaMemcpyAsync(d, own, 8, cudaMemcpyDefault, cudaStreamPerThread));
    ROW(0, api->cudaMemcpyAsync(d, own, 8, cudaMemcpyDefault, cudaStreamLegacy));
    ROW(1, api->cudaMemset(NULL, 0, 8));
    ROW(1, api->cudaMemset(own, 0, 8));
    ROW(1, api->cudaMemset(d, 0, 65));
    ROW(0, api->cudaMemset(NULL, 0, 0));
    ROW(0, api->cudaMemset(d, 300, 64));
    ROW(400, api->cudaMemsetAsync(d, 0, 8, gone));
    ROW(101, api->cudaMemcpyPeer(d, 4, d, 0, 8));
    ROW(101, api->cudaMemcpyPeer(d, 0, d, -1, 8));
    ROW(1, api->cudaMemcpyPeer(d, 0, NULL, 0, 8));
    ROW(0, api->cudaMemcpyPeer(d, 0, d + 8, 0, 8));
    ROW(400, api->cudaMemcpyPeerAsync(d, 0, d + 8, 0, 8, gone));
    ROW(0, api->cudaMemcpyPeerAsync(d, 0, d + 8, 0, 8, NULL));
    ROW(0, api->cudaDeviceSynchronize());
    ck_assert_int_eq(d[0], 300 & 0xff);
}

static void rows(void)
{
    static char own[64];
    void *p;
    ROW(0, api->cudaMalloc(&p, 64));
    for (int i = 0; i < 64; i++)
        own[i] = (char)i;
    ROW(21, api->cudaMemcpy2D(p, 8, own, 8, 4, 2, (enum cudaMemcpyKind)9));
    ROW(12, api->cudaMemcpy2D(p, 3, own, 8, 4, 2, cudaMemcpyHostToDevice));
    ROW(12, api->cudaMemcpy2D(p, 8, own, 3, 4, 2, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy2D(NULL, 8, own, 8, 4, 2, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy2D(p, 8, NULL, 8, 4, 2, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy2D(p, 8, own, 8, 4, 9, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy2D(p, SIZE_MAX, own, 8, 4, 3, cudaMemcpyHostToDevice));
    ROW(1, api->cudaMemcpy2D(p, 8, own, 8, 4, SIZE_MAX, cudaMemcpyHostToDevice));
    ROW(0, api->cudaMemcpy2D(p, 8, own, 8, 0, 2, cudaMemcpyHostToDevice));
    ROW(0, api->cudaMemcpy2D(p, 8, own, 8, 4, 0, cudaMemcpyHostToDevice));
    ROW(0, api->cudaMemset(p, 0, 64));
    ROW(0, api->cudaMemcpy2D(p, 8, own, 4, 4, 3, cudaMemcpyHostToDevice));
    ROW(0, api->cudaMemcpy2D(own + 32, 5, p, 8, 4, 3, cudaMemcpyDeviceToHost));
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 5; i++)
            ck_assert_int_eq(own[32 + row * 5 + i], i < 4 ? row * 4 + i : 32 + row * 5 + 4);
    ROW(400, api->cudaMemcpy2DAsync(p, 8, own, 8, 4, 2, cudaMemcpyDefault, GARBAGE(cudaStream_t)));
    ROW(0, api->cudaMemcpy2DAsync(p, 8, own, 8, 4, 2, cudaMemcpyDefault, NULL));
    ROW(12, api->cudaMemset2D(p, 3, 1, 4, 2));
    ROW(1, api->cudaMemset2D(NULL, 8, 1, 4, 2));
    ROW(1, api->cudaMemset2D(p, 8, 1, 4, 9));
    ROW(1, api->cudaMemset2D(p, SIZE_MAX, 1, 4, 3));
    ROW(0, api->cudaMemset2D(p, 8, 7, 4, 8));
    ROW(0, api->cudaMemset2DAsync(p, 8, 9, 2, 8, cudaStreamPerThread));
    ROW(400, api->cudaMemset2DAsync(p, 8, 9, 2, 8, GARBAGE(cudaStream_t)));
    ROW(0, api->cudaDeviceSynchronize());
    ck_assert_int_eq(((char *)p)[57], 9);
    ck_assert_int_eq(((char *)p)[59], 7);
}

static void pools(void)
{
    void *p, *q;
    cudaMemPool_t pool, own, same;
    uint64_t number = 5;
    int on = 0;
    size_t free_, total;
    struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned,
                                      .location = { cudaMemLocationTypeDevice, 1 } };
    ROW(1, api->cudaMallocAsync(NULL, 8, NULL));
    ROW(400, api->cudaMallocAsync(&p, 8, GARBAGE(cudaStream_t)));
    ROW(2, api->cudaMallocAsync(&p, SIZE_MAX, NULL));
    ROW(0, api->cudaMallocAsync(&p, 0, NULL));
    ck_assert_ptr_null(p);
    ROW(0, api->cudaMallocAsync(&p, (size_t)1 << 19, NULL));
    ROW(1, api->cudaFreeAsync((char *)p + 8, NULL));
    ROW(400, api->cudaFreeAsync(p, GARBAGE(cudaStream_t)));
    ROW(0, api->cudaFreeAsync(NULL, NULL));
    ROW(0, api->cudaFreeAsync(p, NULL));
    ROW(1, api->cudaFreeAsync(p, NULL));
    ROW(1, api->cudaFree(p));
    ROW(0, api->cudaMallocAsync(&q, (size_t)1 << 20, NULL)); /* what is left of p can be used */
    ROW(0, api->cudaDeviceSynchronize());
    ROW(0, api->cudaFree(q));
    ROW(0, api->cudaMalloc(&p, 8));
    ROW(0, api->cudaFreeAsync(p, NULL));
    ROW(0, api->cudaMallocHost(&p, 8));
    ROW(1, api->cudaFreeAsync(p, NULL));

    ROW(1, api->cudaDeviceGetDefaultMemPool(NULL, 0));
    ROW(101, api->cudaDeviceGetDefaultMemPool(&pool, 4));
    ROW(0, api->cudaDeviceGetDefaultMemPool(&pool, 1));
    ROW(0, api->cudaDeviceGetMemPool(&same, 1));
    ck_assert_ptr_eq(pool, same);
    ROW(1, api->cudaMemPoolCreate(NULL, &props));
    ROW(1, api->cudaMemPoolCreate(&own, NULL));
    ROW(1, api->cudaMemPoolCreate(&own, &(struct cudaMemPoolProps){ 0 }));
    props.location.id = 4;
    ROW(1, api->cudaMemPoolCreate(&own, &props));
    props.location.id = 1;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    ROW(801, api->cudaMemPoolCreate(&own, &props));
    props.handleTypes = cudaMemHandleTypeNone;
    ROW(0, api->cudaMemPoolCreate(&own, &props));
    ROW(1, api->cudaMemPoolDestroy(pool));
    ROW(1, api->cudaMemPoolDestroy(NULL));
    ROW(1, api->cudaMemPoolDestroy(GARBAGE(cudaMemPool_t)));
    ROW(1, api->cudaDeviceSetMemPool(0, own));
    ROW(101, api->cudaDeviceSetMemPool(4, own));
    ROW(1, api->cudaDeviceSetMemPool(1, NULL));
    ROW(0, api->cudaDeviceSetMemPool(1, own));
    ROW(0, api->cudaDeviceGetMemPool(&same, 1));
    ck_assert_ptr_eq(same, own);
    ROW(0, api->cudaDeviceGetDefaultMemPool(&same, 1));
    ck_assert_ptr_eq(same, pool);
    ROW(1, api->cudaMallocFromPoolAsync(NULL, 8, own, NULL));
    ROW(1, api->cudaMallocFromPoolAsync(&p, 8, NULL, NULL));
    ROW(400, api->cudaMallocFromPoolAsync(&p, 8, own, GARBAGE(cudaStream_t)));
    ROW(0, api->cudaMallocFromPoolAsync(&p, 8, own, NULL));
    ROW(1, api->cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, NULL));
    ROW(1, api->cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrUsedMemCurrent, &number));
    ROW(1, api->cudaMemPoolGetAttribute(own, (enum cudaMemPoolAttr)0, &number));
    ROW(1, api->cudaMemPoolGetAttribute(own, (enum cudaMemPoolAttr)9, &number));
    ROW(0, api->cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &number));
    ck_assert_uint_eq(number, 8);
    ROW(1, api->cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &number));
    ROW(1, api->cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &number));
    ROW(1, api->cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, NULL));
    ROW(0, api->cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &number));
    ROW(0, api->cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &number));
    ck_assert_uint_eq(number, 8);
    ROW(0, api->cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &on));
    on = 77;
    ROW(0, api->cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &on));
    ck_assert_int_eq(on, 0);
    ROW(1, api->cudaMemPoolTrimTo(NULL, 0));
    ROW(0, api->cudaMemPoolTrimTo(own, SIZE_MAX));
    ROW(0, api->cudaMemPoolDestroy(own));
    ROW(1, api->cudaMemPoolTrimTo(own, 0));
    ROW(0, api->cudaFreeAsync(p, NULL)); /* its memory outlives it */
    ROW(0, api->cudaDeviceSynchronize());
    ROW(0, api->cudaMemGetInfo(&free_, &total));
    ck_assert_uint_eq(free_, total);
}

static void nothing(void *data)
{
    (void)data;
}

static void nothing_of_stream(cudaStream_t stream, cudaError_t status, void *data)
{
    (void)stream, (void)status, (void)data;
}

static void streams(void)
{
    cudaStream_t s, t, gone = GARBAGE(cudaStream_t);
    unsigned flags;
    int v, w;
    unsigned long long a, b;
    enum cudaStreamCaptureStatus capture = cudaStreamCaptureStatusInvalidated;
    ROW(0, api->cudaDeviceGetStreamPriorityRange(NULL, NULL));
    ROW(0, api->cudaDeviceGetStreamPriorityRange(&v, &w));
    ck_assert_int_eq(v, 0);
    ck_assert_int_eq(w, -5);
    ROW(1, api->cudaStreamCreate(NULL));
    ROW(1, api->cudaStreamCreateWithFlags(NULL, 0));
    ROW(1, api->cudaStreamCreateWithFlags(&s, 2));
    ROW(1, api->cudaStreamCreateWithPriority(&s, 3, 0));
    ROW(0, api->cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    ROW(0, api->cudaStreamCreateWithPriority(&t, 0, -99));
    ROW(0, api->cudaStreamGetPriority(t, &v));
    ck_assert_int_eq(v, -5);
    ROW(0, api->cudaStreamGetPriority(s, &v));
    ck_assert_int_eq(v, 0);
    ROW(0, api->cudaStreamGetFlags(s, &flags));
    ck_assert_uint_eq(flags, cudaStreamNonBlocking);
    ROW(0, api->cudaStreamGetFlags(NULL, &flags));
    ck_assert_uint_eq(flags, 0);
    ROW(0, api->cudaStreamGetId(s, &a));
    ROW(0, api->cudaStreamGetId(t, &b));
    ck_assert(a != b);
    ROW(0, api->cudaStreamGetDevice(s, &v));
    ck_assert_int_eq(v, 0);
    ROW(0, api->cudaStreamIsCapturing(s, &capture));
    ck_assert_int_eq(capture, cudaStreamCaptureStatusNone);
    ROW(1, api->cudaStreamGetFlags(s, NULL));
    ROW(1, api->cudaStreamGetPriority(s, NULL));
    ROW(1, api->cudaStreamGetId(s, NULL));
    ROW(1, api->cudaStreamGetDevice(s, NULL));
    ROW(1, api->cudaStreamIsCapturing(s, NULL));
    ROW(400, api->cudaStreamGetFlags(gone, &flags));
    ROW(400, api->cudaStreamGetPriority(gone, &v));
    ROW(400, api->cudaStreamGetId(gone, &a));
    ROW(400, api->cudaStreamGetDevice(gone, &v));
    ROW(400, api->cudaStreamIsCapturing(gone, &capture));
    ROW(0, api->cudaStreamQuery(s));
    ROW(0, api->cudaStreamQuery(cudaStreamPerThread));
    ROW(400, api->cudaStreamQuery(gone));
    ROW(400, api->cudaStreamSynchronize(gone));
    ROW(400, api->cudaStreamDestroy(gone));
    ROW(400, api->cudaStreamDestroy(NULL));
    ROW(400, api->cudaStreamDestroy(cudaStreamLegacy));
    ROW(400, api->cudaStreamDestroy(cudaStreamPerThread));
    ROW(0, api->ncsDelay(s, 1));
    ROW(600, api->cudaStreamQuery(s));
    ROW(1, api->cudaLaunchHostFunc(s, NULL, NULL));
    ROW(400, api->cudaLaunchHostFunc(gone, nothing, NULL));
    ROW(0, api->cudaLaunchHostFunc(s, nothing, NULL));
    ROW(1, api->cudaStreamAddCallback(s, NULL, NULL, 0));
    ROW(1, api->cudaStreamAddCallback(s, nothing_of_stream, NULL, 1));
    ROW(400, api->cudaStreamAddCallback(gone, nothing_of_stream, NULL, 0));
    ROW(0, api->cudaStreamAddCallback(s, nothing_of_stream, NULL, 0));
    ROW(0, api->cudaStreamDestroy(s));
    ROW(400, api->cudaStreamQuery(s));
    ROW(400, api->cudaStreamDestroy(s));
    ROW(0, api->cudaDeviceSynchronize()); /* its work went on */
    ck_assert_int_ge(machine->now(), 1000000000);
}

static void events(void)
{
    cudaEvent_t e, untimed, gone = GARBAGE(cudaEvent_t);
    cudaStream_t s, other;
    float ms = -1;
    ROW(1, api->cudaEventCreate(NULL));
    ROW(1, api->cudaEventCreateWithFlags(&e, 8));
    ROW(1, api->cudaEventCreateWithFlags(&e, cudaEventInterprocess));
    ROW(0, api->cudaEventCreate(&e));
    ROW(0, api->cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming | cudaEventInterprocess));
    ROW(0, api->cudaStreamCreate(&s));
    ROW(0, api->cudaEventQuery(e));
    ROW(0, api->cudaEventSynchronize(e));
    ROW(0, api->cudaStreamWaitEvent(s, e, 0));
    ROW(1, api->cudaStreamWaitEvent(s, e, 2));
    ROW(400, api->cudaStreamWaitEvent(s, gone, 0));
    ROW(400, api->cudaStreamWaitEvent(GARBAGE(cudaStream_t), e, 0));
    ROW(400, api->cudaEventElapsedTime(&ms, e, e));
    ROW(400, api->cudaEventQuery(NULL));
    ROW(400, api->cudaEventQuery(gone));
    ROW(400, api->cudaEventSynchronize(gone));
    ROW(400, api->cudaEventRecord(gone, s));
    ROW(400, api->cudaEventRecord(e, GARBAGE(cudaStream_t)));
    ROW(1, api->cudaEventRecordWithFlags(e, s, 2));
    ROW(0, api->cudaSetDevice(1));
    ROW(0, api->cudaStreamCreate(&other));
    ROW(400, api->cudaEventRecord(e, other)); /* of another device */
    ROW(0, api->cudaStreamWaitEvent(other, e, 0));
    ROW(0, api->cudaSetDevice(0));
    ROW(0, api->ncsDelay(s, 1));
    ROW(0, api->cudaEventRecordWithFlags(e, s, 0));
    ROW(0, api->cudaEventRecord(untimed, s));
    ROW(600, api->cudaEventQuery(e));
    ROW(600, api->cudaEventElapsedTime(&ms, e, e));
    ROW(0, api->cudaEventSynchronize(e));
    ROW(0, api->cudaEventQuery(e));
    ROW(1, api->cudaEventElapsedTime(NULL, e, e));
    ROW(0, api->cudaEventElapsedTime(&ms, e, e));
    ck_assert(ms == 0);
    ROW(400, api->cudaEventElapsedTime(&ms, e, untimed));
    ROW(400, api->cudaEventElapsedTime(&ms, gone, e));
    ROW(0, api->cudaEventDestroy(e));
    ROW(400, api->cudaEventDestroy(e));
    ROW(400, api->cudaEventDestroy(NULL));
    ROW(400, api->cudaEventQuery(e));
}

static void refused(void)
{
    cudaIpcMemHandle_t memory = { { 0 } };
    cudaIpcEventHandle_t event = { { 0 } };
    void *p;
    cudaEvent_t e;
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    ROW(801, api->cudaIpcGetMemHandle(&memory, NULL));
    ROW(801, api->cudaIpcOpenMemHandle(&p, memory, 1));
    ROW(801, api->cudaIpcCloseMemHandle(NULL));
    ROW(801, api->cudaIpcGetEventHandle(&event, NULL));
    ROW(801, api->cudaIpcOpenEventHandle(&e, event));
    ROW(801, api->cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    ROW(801, api->cudaStreamEndCapture(NULL, NULL));
    ROW(1, api->cudaGetDriverEntryPoint(NULL, &p, 0, NULL));
    ROW(1, api->cudaGetDriverEntryPoint("cuInit", NULL, 0, NULL));
    ROW(0, api->cudaGetDriverEntryPoint("cuInit", &p, 0, NULL));
    ck_assert_ptr_null(p);
    ROW(0, api->cudaGetDriverEntryPointByVersion("cuInit", &p, 13000, 0, &result));
    ck_assert_int_eq(result, cudaDriverEntryPointSymbolNotFound);
}

static void reset(void)
{
    void *p, *host;
    cudaStream_t s;
    cudaEvent_t e;
    size_t free_, total;
    ROW(0, api->cudaMalloc(&p, 64));
    ROW(0, api->cudaMallocHost(&host, 64));
    ROW(0, api->cudaStreamCreate(&s));
    ROW(0, api->cudaEventCreate(&e));
    ROW(0, api->ncsDelay(s, 1e6));
    ROW(0, api->cudaMemsetAsync(p, 1, 64, s));
    ROW(0, api->cudaLaunchHostFunc(s, nothing, NULL));
    ROW(0, api->cudaEventRecord(e, s));
    ROW(0, api->cudaDeviceReset());
    ROW(0, api->cudaDeviceSynchronize());
    ck_assert_int_lt(machine->now(), 1000000000);
    ROW(1, api->cudaFree(p));
    ROW(1, api->cudaFreeHost(host));
    ROW(400, api->cudaStreamQuery(s));
    ROW(400, api->cudaEventQuery(e));
    ROW(0, api->cudaMemGetInfo(&free_, &total));
    ck_assert_uint_eq(free_, total);
    ROW(0, api->cudaMalloc(&p, 64)); /* and goes on */
    ROW(0, api->cudaMemset(p, 1, 64));
    ROW(0, api->cudaDeviceSynchronize());
}

static void after_a_fault(void)
{
    void *p, *q;
    cudaStream_t s;
    ROW(0, api->cudaStreamCreate(&s));
    ROW(0, api->cudaMalloc(&p, 64));
    ROW(0, api->cudaMalloc(&q, 64));
    ROW(0, api->cudaFreeAsync(p, s));
    ROW(0, api->cudaMemsetAsync(p, 0, 64, s)); /* the memory is gone when the stream comes to it */
    ck_assert_int_eq(api->cudaStreamSynchronize(s), 700);
    ck_assert_int_eq(api->cudaPeekAtLastError(), 700);
    ck_assert_int_eq(api->cudaGetLastError(), 700);
    ck_assert_int_eq(api->cudaGetLastError(), 700); /* sticky */
    ck_assert_int_eq(api->cudaFree(q), 700);
    ck_assert_int_eq(api->cudaStreamQuery(s), 700);
    ck_assert_int_eq(api->cudaMemcpy(q, q, 8, cudaMemcpyDefault), 700);
    ck_assert_int_eq(api->cudaMalloc(&p, 8), 700);
    ck_assert_int_eq(api->cudaDeviceSynchronize(), 700);
    ck_assert_int_eq(api->cudaDeviceReset(), 700); /* does not heal it */
    ck_assert_int_eq(api->cudaSetDevice(0), 700);
    ck_assert_int_eq(api->cudaSetDevice(1), 0);    /* another device lives */
    ck_assert_int_eq(api->cudaGetLastError(), 700);
    ROW(0, api->cudaMalloc(&p, 8));
    ROW(0, api->cudaMemset(p, 0, 8));
    ROW(0, api->cudaDeviceSynchronize());
}

static void across_devices(void)
{
    void *p, *q;
    ROW(0, api->cudaMalloc(&p, 64));
    ROW(0, api->cudaMemset(p, 0, 64));
    ROW(0, api->cudaDeviceSynchronize());
    ROW(0, api->cudaSetDevice(1));
    ROW(0, api->cudaMalloc(&q, 64));
    ROW(0, api->cudaMemset(q, 0, 64));
    ROW(0, api->cudaMemcpy(q, p, 64, cudaMemcpyDeviceToDevice)); /* a copy needs no peer access */
    ROW(0, api->cudaDeviceEnablePeerAccess(0, 0));
    ROW(0, api->ncsAdd(q, p, 16, ncclInt32, NULL));
    ROW(0, api->cudaDeviceSynchronize());
    ROW(0, api->cudaDeviceDisablePeerAccess(0));
    ROW(0, api->ncsAdd(q, p, 16, ncclInt32, NULL)); /* a kernel does */
    ck_assert_int_eq(api->cudaDeviceSynchronize(), 700);
}

/* ---- any argument at all ---- */

#define HANDLES 16

static union ncs_arg known[HANDLES]; /* what calls have given out, and some that they never did */
static char memory[4096];
static size_t given;

static void keep(const void *p)
{
    known[given++ % HANDLES].p = p;
}

static union ncs_arg any_number(struct ncs_random *r)
{
    static const int64_t odd[] = { 0, 1, 2, -1, 3, 4, 8, 64, INT_MIN, INT_MAX, INT64_MIN, INT64_MAX,
                                   4096, 0x12345678 };
    return (union ncs_arg){ .i = odd[ncs_random_below(r, sizeof odd / sizeof *odd)] };
}

static union ncs_arg any_pointer(struct ncs_random *r)
{
    union ncs_arg arg = known[ncs_random_below(r, HANDLES)];
    if (ncs_random_below(r, 4) == 0)
        arg = any_number(r);
    else if (ncs_random_below(r, 4) == 0)
        arg.u++;
    return arg;
}

static union ncs_arg any(struct ncs_random *r, enum ncs_kind kind)
{
    static const char *const texts[] = { NULL, "", "0000:10:00.0", "cuInit", ":::....", "10:0.0" };
    union ncs_arg arg = { .i = 0 };
    switch (kind) {
    case NCS_ARG_BYTES: /* what the host could give for real is slow under sanitizers */
        arg = any_number(r);
        return arg.i > 4096 && arg.i <= INT_MAX ? (union ncs_arg){ .i = 1 << 16 } : arg;
    case NCS_ARG_IN: case NCS_ARG_OUT: case NCS_ARG_INOUT: case NCS_ARG_MEMORY:
    case NCS_ARG_STREAM: case NCS_ARG_EVENT: case NCS_ARG_POOL: case NCS_ARG_ATTRIBUTE:
    case NCS_ARG_USERDATA:
        return any_pointer(r);
    case NCS_ARG_TEXT:
        arg.p = texts[ncs_random_below(r, 6)];
        return arg;
    case NCS_ARG_HOSTFN:
        arg.f = ncs_random_below(r, 4) ? (void (*)(void))nothing : NULL;
        return arg;
    case NCS_ARG_STREAMFN:
        arg.f = ncs_random_below(r, 4) ? (void (*)(void))nothing_of_stream : NULL;
        return arg;
    case NCS_ARG_SECONDS:
        arg.d = (double)any_number(r).i;
        return arg;
    case NCS_ARG_LOCATION: case NCS_ARG_IPCMEM: case NCS_ARG_IPCEVENT:
        for (size_t i = 0; i < 64; i += sizeof(int))
            memcpy(memory + i, &(int){ (int)ncs_random_below(r, 4) }, sizeof(int));
        arg.p = memory;
        return arg;
    case NCS_ARG_POOLPROPS: case NCS_ARG_PROPERTIES:
        arg.p = ncs_random_below(r, 4) ? memory : NULL;
        return arg;
    default:
        if (!ncs_kind_is_out(kind))
            return any_number(r);
        arg.p = ncs_random_below(r, 8) ? memory + 1024 : NULL;
        return arg;
    }
}

static uint64_t seed;
static size_t made, succeeded;

static void garbage(void)
{
    struct ncs_random r = { ncs_hash(0, seed) };
    struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned,
                                      .location = { cudaMemLocationTypeDevice, 0 } };
    given = 0;
    for (int i = 0; i < HANDLES; i++)
        known[i] = any_number(&r);
    for (int i = 0; i < 1000; i++) {
        enum ncs_fn fn = (enum ncs_fn)ncs_random_below(&r, NCS_FN_COUNT);
        const struct ncs_fn_info *info = &ncs_fn_info[fn];
        union ncs_arg arg[NCS_MAX_ARGS], result = { .i = 0 };
        if (info->lib == NCS_LIB_NCCL || !ncs_api_has(api, fn))
            continue;
        memcpy(memory, &props, sizeof props);
        for (int k = 0; k < info->nargs; k++)
            arg[k] = any(&r, info->arg[k].kind);
        ncs_local->guarded = true; /* none of it is memory of the caller's */
        ck_assert(ncs_invoke(api, fn, arg, &result));
        ncs_local->guarded = false;
        made++;
        if (info->result == NCS_RESULT_TEXT || result.i != 0)
            continue;
        succeeded++;
        for (int k = 0; k < info->nargs; k++)
            if (arg[k].p == memory + 1024 && ncs_random_below(&r, 2) == 0)
                keep(*(void **)(memory + 1024));
    }
}

START_TEST(any_argument)
{
    struct ncs_machine_options options = { .devices = 4, .device_memory = (uint64_t)1 << 20 };
    for (seed = 0; seed < 40; seed++) {
        options.own_threads = seed % 8 == 0;
        run(&options, garbage);
    }
    ck_assert_uint_gt(made, 15000);
    ck_assert_uint_gt(succeeded, made / 10); /* else it says little */
}
END_TEST

START_TEST(codes)
{
    static void (*const tests[])(void) = {
        devices, flags_and_limits, properties, peers, allocation, pinned, addresses, copies, rows,
        pools, streams, events, refused, reset, after_a_fault, across_devices,
    };
    struct ncs_machine_options options = { .devices = 4, .device_memory = (uint64_t)1 << 20,
                                           .capability = 86 };
    for (int threads = 0; threads < 2; threads++) {
        options.own_threads = threads;
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
            run(&options, tests[i]);
        options.no_peer_access = true;
        run(&options, no_peers);
        options.no_peer_access = false;
    }
}
END_TEST

NCS_TEST_MAIN("cuda_codes", codes, any_argument)
