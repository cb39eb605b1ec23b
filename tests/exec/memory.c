/* A thread per GPU, with memory of ncclMemAlloc: registered, in a symmetric window, and one-sided. */
#include "client.h"

#define COUNT 256

static void all_reduce(struct rank *self, ncclComm_t comm, cudaStream_t stream, float *send, float *recv)
{
    float mine[COUNT], sum;
    for (int i = 0; i < COUNT; i++)
        mine[i] = (float)self->rank;
    CHECK(cudaMemcpy(send, mine, sizeof mine, cudaMemcpyHostToDevice));
    CHECK(ncclAllReduce(send, recv, COUNT, ncclFloat32, ncclSum, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(&sum, recv + COUNT - 1, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum, self->ranks * (self->ranks - 1) / 2);
}

#if HAS_ONE_SIDED
static void one_sided(struct rank *self, ncclComm_t comm, cudaStream_t stream, float *send, float *recv, ncclWindow_t window)
{
    int right = (self->rank + 1) % self->ranks, left = (self->rank + self->ranks - 1) % self->ranks;
    float value = (float)self->rank;
    CHECK(cudaMemcpy(send, &value, sizeof value, cudaMemcpyHostToDevice));
    CHECK(ncclPutSignal(send, 1, ncclFloat32, right, window, 0, 0, 0, 0, comm, stream));
    ncclWaitSignalDesc_t wait = { .opCnt = 1, .peer = left };
    CHECK(ncclWaitSignal(1, &wait, comm, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(first_of(recv), left);
}
#endif

static void rank_main(struct rank *self)
{
    ncclComm_t comm;
    cudaStream_t stream;
    void *send, *recv, *handle;
    ncclWindow_t window, source;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    CHECK(cudaStreamCreate(&stream));
    CHECK(ncclMemAlloc(&send, COUNT * sizeof(float)));
    CHECK(ncclMemAlloc(&recv, COUNT * sizeof(float)));
    CHECK(ncclCommRegister(comm, send, COUNT * sizeof(float), &handle));
    all_reduce(self, comm, stream, send, recv);
    CHECK(ncclCommDeregister(comm, handle));
    CHECK(ncclCommWindowRegister(comm, recv, COUNT * sizeof(float), &window, NCCL_WIN_COLL_SYMMETRIC));
    CHECK(ncclCommWindowRegister(comm, send, COUNT * sizeof(float), &source, NCCL_WIN_COLL_SYMMETRIC));
    all_reduce(self, comm, stream, send, recv);
#if HAS_ONE_SIDED
    one_sided(self, comm, stream, send, recv, window);
#endif
    CHECK(ncclCommWindowDeregister(comm, source));
    CHECK(ncclCommWindowDeregister(comm, window));
    CHECK(ncclMemFree(send));
    CHECK(ncclMemFree(recv));
    CHECK(ncclCommFinalize(comm));
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    run_ranks(devices(), rank_main, NULL);
    printf("memory: ok\n");
    return 0;
}
