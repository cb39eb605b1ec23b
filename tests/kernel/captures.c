/* Captures that need more than one thread, and calls of NCCL in graphs. */
#include "kernel.h"

#define SAME(want, call) ck_assert_int_eq((int)(call), (want))

/* ---- two threads of one process ---- */

static cudaStream_t shared;
static cudaGraph_t graph;
static int stage;
static struct ncs_gate *gate;

static void reach(int number)
{
    stage = number;
    machine->gate_wake(gate);
}

static void await(int number)
{
    while (stage < number)
        if (!machine->gate_wait(gate, -1, "stage", "stage", -1, -1))
            return;
}

static void first_thread(void *arg)
{
    (void)arg;
    OK(api->cudaStreamCreateWithFlags(&shared, cudaStreamNonBlocking));
    OK(api->cudaStreamBeginCapture(shared, cudaStreamCaptureModeGlobal));
    reach(1);
    await(2);
    SAME(901, api->cudaStreamEndCapture(shared, &graph)); /* the other thread broke it */
    OK(api->cudaStreamBeginCapture(shared, cudaStreamCaptureModeThreadLocal));
    reach(3);
    await(4);
    SAME(901, api->cudaStreamEndCapture(shared, &graph)); /* ended by the wrong thread */
    OK(api->cudaStreamBeginCapture(shared, cudaStreamCaptureModeRelaxed));
    reach(5);
    await(6);
}

static void second_thread(void *arg)
{
    void *p;
    enum cudaStreamCaptureMode own = cudaStreamCaptureModeThreadLocal;
    (void)arg;
    await(1);
    OK(api->cudaThreadExchangeStreamCaptureMode(&own));
    OK(api->cudaMalloc(&p, 64)); /* captures of other threads do not matter now */
    OK(api->cudaThreadExchangeStreamCaptureMode(&own));
    SAME(900, api->cudaMalloc(&p, 64));
    reach(2);
    await(3);
    OK(api->cudaMalloc(&p, 64)); /* thread-local: of the other thread only */
    SAME(908, api->cudaStreamEndCapture(shared, &graph));
    reach(4);
    await(5);
    OK(api->cudaMalloc(&p, 64));
    OK(api->cudaStreamEndCapture(shared, &graph)); /* relaxed: by any thread */
    ck_assert_ptr_nonnull(graph);
    reach(6);
}

START_TEST(threads)
{
    static struct ncs_local local[2];
    struct ncs_error err;
    for (int own_threads = 0; own_threads < 2; own_threads++) {
        kernel_open(&(struct ncs_machine_options){ .own_threads = own_threads });
        gate = machine->gate_new();
        stage = 0;
        for (int i = 0; i < 2; i++) {
            local[i] = (struct ncs_local){ .thread = i };
            struct ncs_context_options options = { .local = &local[i], .main = i ? second_thread : first_thread };
            ck_assert(machine->spawn(&options, &err));
        }
        ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
        machine->gate_free(gate);
        machine->close();
    }
}
END_TEST

/* ---- NCCL ---- */

static cudaGraphExec_t captured(struct kernel_rank *r, void (*body)(struct kernel_rank *r))
{
    cudaGraph_t g;
    cudaGraphExec_t x = NULL;
    OK(api->cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal));
    body(r);
    OK(api->cudaStreamEndCapture(r->stream, &g));
    OK(api->cudaGraphInstantiate(&x, g, 0));
    OK(api->cudaGraphDestroy(g));
    return x;
}

static void reduce(struct kernel_rank *r)
{
    OK(kernel_reduce(r));
}

static void ring(struct kernel_rank *r)
{
    int next = (r->rank + 1) % r->nranks, previous = (r->rank + r->nranks - 1) % r->nranks;
    OK(api->ncclGroupStart());
    OK(api->ncclSend(r->x, 8, ncclFloat32, next, r->world, r->stream));
    OK(api->ncclRecv(r->x + 8, 8, ncclFloat32, previous, r->world, r->stream));
    OK(api->ncclGroupEnd());
    OK(api->ncclAlltoAll(r->x, r->x, 1, ncclFloat32, r->world, r->stream));
}

static void launches(struct kernel_rank *r)
{
    cudaGraphExec_t sum = captured(r, reduce);
    ck_assert(r->x[0] == (float)(r->rank + 1)); /* captured, not run */
    OK(kernel_reduce(r));                       /* eager and captured calls are one order */
    OK(api->cudaGraphLaunch(sum, r->stream));
    OK(api->cudaGraphLaunch(sum, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert(r->x[0] == 10 * 4 * 4);
    r->x[0] = (float)r->rank;
    cudaGraphExec_t around = captured(r, ring);
    OK(api->cudaGraphLaunch(around, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert(r->x[8] == (float)((r->rank + 3) % 4));
    OK(api->cudaGraphExecDestroy(around));
    OK(api->cudaGraphExecDestroy(sum));
    OK(api->ncclCommDestroy(r->world));
}

static void mixed_group(struct kernel_rank *r)
{
    cudaStream_t other;
    cudaGraph_t g;
    OK(api->cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(api->cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeGlobal));
    OK(api->ncclGroupStart());
    OK(kernel_reduce(r));
    OK(api->ncclAllReduce(r->x, r->x, 16, ncclFloat32, ncclSum, r->world, other));
    SAME(ncclInvalidUsage, api->ncclGroupEnd()); /* all streams of a communicator are captured, or none */
    OK(api->cudaStreamBeginCapture(other, cudaStreamCaptureModeGlobal));
    OK(api->ncclGroupStart());
    OK(kernel_reduce(r));
    OK(api->ncclAllReduce(r->x, r->x, 16, ncclFloat32, ncclSum, r->world, other));
    SAME(ncclInvalidUsage, api->ncclGroupEnd()); /* and by one graph */
    OK(api->cudaStreamEndCapture(other, &g));
    SAME(cudaErrorStreamCaptureUnsupported, api->cudaStreamSynchronize(r->stream));
    SAME(ncclUnhandledCudaError, kernel_reduce(r)); /* the capture is broken */
    SAME(cudaErrorStreamCaptureInvalidated, api->cudaStreamEndCapture(r->stream, &g));
    OK(kernel_reduce(r));
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert(r->x[0] == 10);
}

static void aborted(struct kernel_rank *r)
{
    cudaGraphExec_t sum = captured(r, reduce);
    OK(api->cudaGraphLaunch(sum, r->stream));
    OK(api->cudaStreamSynchronize(r->stream));
    OK(api->ncclCommAbort(r->world)); /* does not wait for graphs */
    SAME(cudaErrorIllegalAddress, api->cudaGraphLaunch(sum, r->stream));
    OK(api->cudaGraphExecDestroy(sum));
}

static void run_ranks(void (*body)(struct kernel_rank *r))
{
    for (int every = 0; every < 2; every++) {
        kernel_open(&(struct ncs_machine_options){ .host = every ? NCS_HOST_EVERY : NCS_HOST_CONTACT });
        ck_assert_int_eq(kernel_run(4, body), NCS_STOP_DONE);
        for (int i = 0; i < 4; i++)
            ck_assert(kernel_rank[i].finished);
        kernel_end();
        uint64_t objects, bytes, trace;
        machine->stats(&objects, &bytes, &trace);
        ck_assert_uint_eq(objects, 0);
        ck_assert_uint_eq(bytes, 0);
    }
}

START_TEST(nccl)
{
    run_ranks(launches);
    run_ranks(mixed_group);
    run_ranks(aborted);
}
END_TEST

static void held(struct kernel_rank *r)
{
    captured(r, reduce);
    OK(api->ncclCommDestroy(r->world)); /* waits for the graph, which nobody destroys */
    ck_abort_msg("destroyed");
}

START_TEST(destroy_waits)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, held), NCS_STOP_QUIET);
    kernel_end();
}
END_TEST

NCS_TEST_MAIN("captures", threads, nccl, destroy_waits)
