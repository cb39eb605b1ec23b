/* The codes of the CUDA runtime's functions for memory, bad arguments included: none of them crashes. */
#include "cuda_lab.h"

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
    ROW(21, api->cudaMemcpy(d, own, 8, (enum cudaMemcpyKind) - 1));
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
    struct cudaMemPoolProps props = { .allocType = cudaMemAllocationTypePinned, .location = { cudaMemLocationTypeDevice, 1 } };
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

START_TEST(codes)
{
    static void (*const tests[])(void) = { allocation, pinned, addresses, copies, rows, pools };
    run_each(tests, sizeof tests / sizeof *tests);
}
END_TEST

NCS_TEST_MAIN("cuda_memory_codes", codes)
