/* The codes of the CUDA runtime's functions but those for memory, bad arguments included: none of them
 * crashes. */
#include "cuda_lab.h"

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
    ROW(215, api->cudaDeviceGetLimit(&value, (enum cudaLimit) - 1));
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
    ck_assert_int_eq(api->cudaSetDevice(1), 0); /* another device lives */
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

START_TEST(codes)
{
    static void (*const tests[])(void) = {
        devices, flags_and_limits, properties, peers, streams, events, refused, reset, after_a_fault, across_devices,
    };
    run_each(tests, sizeof tests / sizeof *tests);
}
END_TEST

START_TEST(without_peers)
{
    struct ncs_machine_options options = { .hosts.devices = 4, .device_memory = (uint64_t)1 << 20, .no_peer_access = true };
    run(&options, no_peers);
}
END_TEST

NCS_TEST_MAIN("cuda_codes", codes, without_peers)
