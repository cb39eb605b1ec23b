/* One thread and all GPUs: ncclCommInitAll, a grouped all-reduce, a ring, the end of each
 * communicator before the next is touched. */
#include "client.h"

#define COUNT 1024

int main(void)
{
    int n = devices(), rank, count, device;
    ncclComm_t *comm = calloc((size_t)n, sizeof *comm);
    cudaStream_t *stream = calloc((size_t)n, sizeof *stream);
    float **send = calloc((size_t)n, sizeof *send), **recv = calloc((size_t)n, sizeof *recv);
    CHECK(ncclCommInitAll(comm, n, NULL));
    for (int i = 0; i < n; i++) {
        struct cudaDeviceProp prop;
        CHECK(cudaGetDeviceProperties(&prop, i));
        EXPECT(prop.major > 0, 1);
        CHECK(cudaSetDevice(i));
        CHECK(cudaStreamCreate(&stream[i]));
        send[i] = floats_of((float)i, COUNT);
        recv[i] = floats_of(-1, COUNT);
        CHECK(ncclCommUserRank(comm[i], &rank));
        CHECK(ncclCommCount(comm[i], &count));
        CHECK(ncclCommCuDevice(comm[i], &device));
        EXPECT(rank, i);
        EXPECT(count, n);
        EXPECT(device, i);
    }
    CHECK(ncclGroupStart());
    for (int i = 0; i < n; i++)
        CHECK(ncclAllReduce(send[i], recv[i], COUNT, ncclFloat32, ncclSum, comm[i], stream[i]));
    CHECK(ncclGroupEnd());
    for (int i = 0; i < n; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaStreamSynchronize(stream[i]));
        EXPECT(first_of(recv[i]), n * (n - 1) / 2);
    }
    CHECK(ncclGroupStart());
    for (int i = 0; i < n; i++) {
        CHECK(ncclSend(send[i], COUNT, ncclFloat32, (i + 1) % n, comm[i], stream[i]));
        CHECK(ncclRecv(recv[i], COUNT, ncclFloat32, (i + n - 1) % n, comm[i], stream[i]));
    }
    CHECK(ncclGroupEnd());
    for (int i = 0; i < n; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaStreamSynchronize(stream[i]));
        EXPECT(first_of(recv[i] + COUNT - 1), (i + n - 1) % n);
    }
    for (int i = 0; i < n; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaFree(send[i]));
        CHECK(cudaFree(recv[i]));
        CHECK(ncclCommFinalize(comm[i]));
        CHECK(ncclCommDestroy(comm[i]));
        CHECK(cudaStreamDestroy(stream[i]));
    }
    free(comm);
    free(stream);
    free(send);
    free(recv);
    printf("one thread, %d devices: ok\n", n);
    return 0;
}
