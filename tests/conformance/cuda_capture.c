/* Capture of streams and graphs: the codes of the functions, and each of CUDA's errors 900 to 908 that one thread can
 * cause. Errors that need two threads are in tests/kernel/captures.c. */
#include "cuda_lab.h"

static cudaStream_t s, other, blocking;
static cudaEvent_t event, outside;
static cudaGraph_t graph;
static cudaGraphExec_t exec;
static int *device, *pinned;

static void make(void)
{
    OK(api->cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(api->cudaStreamCreate(&blocking));
    OK(api->cudaEventCreate(&event));
    OK(api->cudaEventCreate(&outside));
    OK(api->cudaMalloc((void **)&device, 64));
    OK(api->cudaMallocHost((void **)&pinned, 64));
}

static void begin(cudaStream_t stream)
{
    ROW(0, api->cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
}

static int status(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus is = cudaStreamCaptureStatusNone;
    ROW(0, api->cudaStreamIsCapturing(stream, &is));
    return (int)is;
}

/* The capture is broken, and ends so. */
static void end_broken(cudaStream_t stream)
{
    ck_assert_int_eq(status(stream), cudaStreamCaptureStatusInvalidated);
    ROW(901, api->cudaMemsetAsync(device, 1, 64, stream));
    graph = (cudaGraph_t)device;
    ROW(901, api->cudaStreamEndCapture(stream, &graph));
    ck_assert_ptr_null(graph);
    ck_assert_int_eq(status(stream), cudaStreamCaptureStatusNone);
    ROW(0, api->cudaMemsetAsync(device, 1, 64, stream));
    ROW(0, api->cudaStreamSynchronize(stream));
}

static void begin_and_end(void)
{
    unsigned long long id = 0, second = 0;
    size_t count = 77;
    enum cudaStreamCaptureStatus is;
    make();
    ROW(1, api->cudaStreamBeginCapture(s, (enum cudaStreamCaptureMode)3));
    ROW(400, api->cudaStreamBeginCapture(GARBAGE(cudaStream_t), cudaStreamCaptureModeGlobal));
    ROW(900, api->cudaStreamBeginCapture(NULL, cudaStreamCaptureModeGlobal));
    ROW(900, api->cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeRelaxed));
    ROW(401, api->cudaStreamEndCapture(s, &graph));
    ck_assert_int_eq(status(s), cudaStreamCaptureStatusNone);
    begin(s);
    ROW(401, api->cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    ck_assert_int_eq(status(s), cudaStreamCaptureStatusActive);
    ROW(0, api->cudaStreamGetCaptureInfo(s, &is, &id, NULL, NULL, NULL, NULL));
    ck_assert_uint_ne(id, 0);
    ROW(1, api->cudaStreamIsCapturing(s, NULL));
    ROW(1, api->cudaStreamEndCapture(s, NULL));
    ROW(0, api->cudaStreamEndCapture(s, &graph));
    ck_assert_ptr_nonnull(graph);
    begin(cudaStreamPerThread);
    ROW(0, api->cudaStreamGetCaptureInfo(cudaStreamPerThread, &is, &second, &graph, NULL, NULL, &count));
    ck_assert_uint_ne(id, second);
    ck_assert_ptr_null(graph);
    ck_assert_uint_eq(count, 0);
    ROW(0, api->cudaStreamEndCapture(cudaStreamPerThread, &graph));
    ROW(0, api->cudaGraphDestroy(graph));
    ROW(1, api->cudaGraphDestroy(graph));
}

static void unsupported(void)
{
    make();
    begin(s);
    ROW(900, api->cudaStreamSynchronize(s));
    end_broken(s);
    begin(s);
    ROW(900, api->cudaStreamQuery(s));
    end_broken(s);
    begin(s);
    ROW(900, api->cudaDeviceSynchronize());
    end_broken(s);
    begin(s);
    ROW(900, api->cudaStreamAddCallback(s, nothing_of_stream, NULL, 0));
    end_broken(s);
    int pageable[4] = { 0 };
    begin(s);
    ROW(900, api->cudaMemcpyAsync(device, pageable, sizeof pageable, cudaMemcpyHostToDevice, s));
    end_broken(s);
    void *p;
    begin(s);
    ROW(801, api->cudaMallocAsync(&p, 64, s));
    end_broken(s);
    begin(s);
    ROW(801, api->cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
    end_broken(s);
}

/* Calls that may wait, in each mode. */
static void unsafe(void)
{
    static const enum cudaStreamCaptureMode mode[] = { cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                                       cudaStreamCaptureModeRelaxed };
    void *p;
    make();
    ROW(0, api->cudaEventRecord(outside, other));
    for (int m = 0; m < 3; m++) {
        int code = m < 2 ? 900 : 0;
        ROW(0, api->cudaStreamBeginCapture(s, mode[m]));
        ROW(code, api->cudaMalloc(&p, 64));
        ROW(code, api->cudaStreamSynchronize(other));
        ROW(code, api->cudaEventSynchronize(outside));
        ROW(code, api->cudaEventQuery(outside));
        ROW(code, api->cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice));
        ROW(code, api->cudaFree(NULL));
        ROW(m < 2 ? 901 : 0, api->cudaStreamEndCapture(s, &graph));
    }
    enum cudaStreamCaptureMode relaxed = cudaStreamCaptureModeRelaxed, wrong = (enum cudaStreamCaptureMode)7;
    ROW(1, api->cudaThreadExchangeStreamCaptureMode(NULL));
    ROW(1, api->cudaThreadExchangeStreamCaptureMode(&wrong));
    ROW(0, api->cudaThreadExchangeStreamCaptureMode(&relaxed));
    ck_assert_int_eq(relaxed, cudaStreamCaptureModeGlobal);
    begin(s);
    ROW(0, api->cudaMalloc(&p, 64));
    ROW(900, api->cudaStreamSynchronize(s));
    end_broken(s);
}

static void fork_and_join(void)
{
    make();
    begin(s);
    ROW(0, api->cudaEventRecord(event, s));
    ROW(0, api->cudaStreamWaitEvent(other, event, 0));
    ck_assert_int_eq(status(other), cudaStreamCaptureStatusActive);
    ROW(0, api->cudaMemsetAsync(device, 1, 64, other));
    ROW(904, api->cudaStreamEndCapture(s, &graph)); /* nothing joins it */
    ck_assert_int_eq(status(other), cudaStreamCaptureStatusNone);
    begin(s);
    ROW(0, api->cudaEventRecord(event, s));
    ROW(0, api->cudaStreamWaitEvent(other, event, 0));
    ROW(903, api->cudaStreamEndCapture(other, &graph));
    end_broken(s);
    begin(s);
    ROW(0, api->cudaMemsetAsync(device, 1, 64, s));
    ROW(0, api->cudaEventRecord(event, s));
    ROW(0, api->cudaStreamWaitEvent(other, event, 0));
    ROW(0, api->cudaMemsetAsync(device, 2, 64, other));
    ROW(0, api->cudaEventRecord(event, other));
    ROW(0, api->cudaStreamWaitEvent(s, event, 0));
    ROW(0, api->cudaMemcpyAsync(pinned, device, 64, cudaMemcpyDeviceToHost, s));
    ROW(0, api->cudaStreamEndCapture(s, &graph));
    ROW(0, api->cudaGraphInstantiate(&exec, graph, 0));
    ROW(0, api->cudaGraphLaunch(exec, blocking));
    ROW(0, api->cudaStreamSynchronize(blocking));
    ck_assert_int_eq(pinned[3], 0x02020202);
}

static void events_of_captures(void)
{
    float ms;
    make();
    ROW(0, api->cudaEventRecord(outside, other));
    begin(s);
    ROW(905, api->cudaStreamWaitEvent(s, outside, 0));
    end_broken(s);
    begin(s);
    ROW(0, api->cudaEventRecord(event, s));
    ROW(907, api->cudaEventQuery(event));
    end_broken(s);
    begin(s);
    ROW(0, api->cudaEventRecord(event, s));
    ROW(907, api->cudaEventSynchronize(event));
    end_broken(s);
    ROW(907, api->cudaEventElapsedTime(&ms, event, event));
    ROW(907, api->cudaStreamWaitEvent(other, event, 0)); /* its capture has ended */
    ROW(0, api->cudaEventRecord(event, other));
    ROW(0, api->cudaEventSynchronize(event));
    begin(s);
    begin(other);
    ROW(0, api->cudaEventRecord(event, s));
    ROW(902, api->cudaStreamWaitEvent(other, event, 0));
    ck_assert_int_eq(status(other), cudaStreamCaptureStatusInvalidated);
    ROW(901, api->cudaStreamEndCapture(other, &graph));
    end_broken(s);
}

static void legacy_stream(void)
{
    enum cudaStreamCaptureStatus is;
    make();
    begin(blocking);
    ROW(906, api->cudaStreamIsCapturing(NULL, &is));
    ck_assert_int_eq(status(blocking), cudaStreamCaptureStatusActive); /* asking breaks nothing */
    ROW(906, api->cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice));
    end_broken(blocking);
    begin(blocking);
    ROW(906, api->ncsDelay(NULL, 0.001));
    end_broken(blocking);
    begin(blocking);
    ROW(0, api->cudaEventRecord(event, blocking));
    ROW(906, api->cudaStreamWaitEvent(NULL, event, 0));
    end_broken(blocking);
    begin(s); /* a stream that does not synchronise with the legacy one */
    ROW(0, api->cudaMemsetAsync(device, 0, 64, NULL));
    ROW(0, api->cudaStreamEndCapture(s, &graph));
}

static int calls;

static void count(void *data)
{
    calls += *(int *)data;
}

static void launches(void)
{
    int one = 1;
    size_t nodes = 77;
    cudaGraphNode_t node[8];
    make();
    ROW(0, api->cudaMemset(device, 0, 64));
    calls = 0;
    begin(s);
    ROW(0, api->ncsDelay(s, 1));
    ROW(0, api->ncsAdd(device, device, 16, ncclInt32, s));
    ROW(0, api->cudaMemcpyAsync(pinned, device, 64, cudaMemcpyDeviceToHost, s));
    ROW(0, api->cudaLaunchHostFunc(s, count, &one));
    ROW(0, api->cudaStreamEndCapture(s, &graph));
    ROW(0, api->cudaStreamSynchronize(s));
    ck_assert_int_eq(calls, 0); /* nothing ran */
    ROW(1, api->cudaGraphGetNodes(graph, NULL, NULL));
    ROW(1, api->cudaGraphGetNodes(GARBAGE(cudaGraph_t), NULL, &nodes));
    ROW(0, api->cudaGraphGetNodes(graph, NULL, &nodes));
    ck_assert_uint_eq(nodes, 4);
    nodes = 8;
    ROW(0, api->cudaGraphGetNodes(graph, node, &nodes));
    ck_assert_uint_eq(nodes, 4);
    ck_assert_ptr_null(node[4]);
    ROW(1, api->cudaGraphInstantiate(NULL, graph, 0));
    ROW(1, api->cudaGraphInstantiate(&exec, GARBAGE(cudaGraph_t), 0));
    ROW(1, api->cudaGraphInstantiateWithFlags(&exec, graph, 16));
    ROW(0, api->cudaGraphInstantiateWithFlags(&exec, graph, 1));
    ROW(0, api->cudaGraphDestroy(graph)); /* the executable stays */
    ROW(0, api->cudaGraphUpload(exec, s));
    ROW(1, api->cudaGraphLaunch(GARBAGE(cudaGraphExec_t), s));
    ROW(400, api->cudaGraphLaunch(exec, GARBAGE(cudaStream_t)));
    int64_t start = machine->now();
    for (int i = 0; i < 3; i++)
        ROW(0, api->cudaGraphLaunch(exec, i & 1 ? other : s)); /* on two streams: it does not overlap with itself */
    ROW(0, api->cudaGraphExecDestroy(exec));                   /* and ends all the same */
    ROW(1, api->cudaGraphExecDestroy(exec));
    ROW(0, api->cudaDeviceSynchronize());
    ck_assert_int_eq(calls, 3);
    ck_assert_int_ge(machine->now() - start, 3000000000);
    begin(s);
    ROW(0, api->cudaStreamEndCapture(s, &graph)); /* an empty graph */
    ROW(0, api->cudaGraphInstantiate(&exec, graph, 0));
    ROW(0, api->cudaGraphLaunch(exec, NULL));
    begin(s);
    ROW(801, api->cudaGraphLaunch(exec, s)); /* a graph in a graph */
    end_broken(s);
    ROW(1, api->cudaGraphCreate(NULL, 0));
    ROW(1, api->cudaGraphCreate(&graph, 1));
    ROW(0, api->cudaGraphCreate(&graph, 0));
    ROW(0, api->cudaGraphGetNodes(graph, NULL, &nodes));
    ck_assert_uint_eq(nodes, 0);
}

/* Memory that is gone when the graph is launched. */
static void freed_memory(void)
{
    make();
    begin(s);
    ROW(0, api->cudaMemsetAsync(device, 0, 64, s));
    ROW(0, api->cudaStreamEndCapture(s, &graph));
    ROW(0, api->cudaGraphInstantiate(&exec, graph, 0));
    ROW(0, api->cudaFree(device));
    ROW(0, api->cudaGraphLaunch(exec, s));
    ck_assert_int_eq(api->cudaStreamSynchronize(s), 700);
}

static void destroyed_stream(void)
{
    make();
    begin(s);
    ROW(0, api->cudaEventRecord(event, s));
    ROW(0, api->cudaStreamWaitEvent(other, event, 0));
    ROW(0, api->cudaStreamDestroy(other));
    end_broken(s);
    begin(s); /* and a capture that never ends */
}

START_TEST(captures)
{
    static void (*const tests[])(void) = {
        begin_and_end, unsupported, unsafe,       fork_and_join,    events_of_captures,
        legacy_stream, launches,    freed_memory, destroyed_stream,
    };
    run_each(tests, sizeof tests / sizeof *tests);
}
END_TEST

NCS_TEST_MAIN("cuda_capture", captures)
