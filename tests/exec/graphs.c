/* What a benchmark does that times graphs: one thread with several devices captures all of its iterations, makes them
 * into executables, launches these some times, waits, and compares. Then a graph with a fork, and a kernel of the
 * host in it; and with an argument a rank launches its graph once less. */
#include "client.h"

#define RANKS 4
#define ITERATIONS 5
#define LAUNCHES 2
#define COUNT 1024

static ncclComm_t comm[RANKS];
static cudaStream_t stream[RANKS];
static float *send[RANKS], *recv[RANKS];
static cudaGraph_t graph[RANKS];
static cudaGraphExec_t exec[RANKS];

static void setup(void)
{
    CHECK(ncclCommInitAll(comm, RANKS, NULL));
    for (int i = 0; i < RANKS; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        send[i] = floats_of((float)(i + 1), COUNT);
        recv[i] = floats_of(0, COUNT);
    }
}

static void iterate(void)
{
    CHECK(ncclGroupStart());
    for (int i = 0; i < RANKS; i++)
        CHECK(ncclAllReduce(send[i], recv[i], COUNT, ncclFloat32, ncclSum, comm[i], stream[i]));
    CHECK(ncclGroupEnd());
}

static void capture(void)
{
    for (int i = 0; i < RANKS; i++)
        CHECK(cudaStreamBeginCapture(stream[i], cudaStreamCaptureModeThreadLocal));
    for (int n = 0; n < ITERATIONS; n++)
        iterate();
    for (int i = 0; i < RANKS; i++) {
        enum cudaStreamCaptureStatus status;
        CHECK(cudaStreamIsCapturing(stream[i], &status));
        EXPECT(status, cudaStreamCaptureStatusActive);
        CHECK(cudaStreamEndCapture(stream[i], &graph[i]));
        CHECK(cudaGraphInstantiate(&exec[i], graph[i], 0));
    }
}

static void wait_all(void)
{
    for (int i = 0; i < RANKS; i++) {
        int busy = 1;
        while (busy) { /* as the benchmark does: it polls */
            cudaError_t rc = cudaStreamQuery(stream[i]);
            busy = rc == cudaErrorNotReady;
            if (!busy)
                CHECK(rc);
        }
    }
}

static int calls;

static void count(void *data)
{
    calls += *(int *)data;
}

static void forked(void)
{
    cudaStream_t side;
    cudaEvent_t fork, join;
    cudaGraph_t g;
    cudaGraphExec_t x;
    int two = 2;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(stream[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, stream[0]));
    CHECK(cudaStreamWaitEvent(side, fork, 0));
    CHECK(cudaMemsetAsync(recv[0], 0, COUNT * sizeof(float), side));
    CHECK(cudaLaunchHostFunc(stream[0], count, &two));
    CHECK(cudaEventRecord(join, side));
    CHECK(cudaStreamWaitEvent(stream[0], join, 0));
    CHECK(cudaStreamEndCapture(stream[0], &g));
    CHECK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaGraphLaunch(x, stream[0]));
    CHECK(cudaStreamSynchronize(stream[0]));
    EXPECT(calls, 6);
    EXPECT(first_of(recv[0]), 0);
    CHECK(cudaGraphExecDestroy(x));
    CHECK(cudaGraphDestroy(g));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(side));
}

int main(int argc, char **argv)
{
    (void)argv;
    setup();
    capture();
    for (int n = 0; n < LAUNCHES; n++)
        for (int i = 0; i < RANKS; i++)
            if (argc < 2 || i != 2 || n == 0)
                CHECK(cudaGraphLaunch(exec[i], stream[i])); /* the launch */
    wait_all();
    for (int i = 0; i < RANKS; i++) {
        CHECK(cudaSetDevice(i));
        EXPECT(first_of(recv[i]), 10);
    }
    forked();
    for (int i = 0; i < RANKS; i++) {
        CHECK(cudaGraphExecDestroy(exec[i]));
        CHECK(cudaGraphDestroy(graph[i]));
    }
    for (int i = 0; i < RANKS; i++) {
        CHECK(ncclCommDestroy(comm[i]));
        CHECK(cudaStreamDestroy(stream[i]));
        CHECK(cudaFree(send[i]));
        CHECK(cudaFree(recv[i]));
    }
    printf("graphs: %d launches\n", LAUNCHES);
    return 0;
}
