/* A kernel of its own and an all-reduce, on each GPU: y = a x + y, then the sum of y over all GPUs.
 *
 *   nvcc -cudart shared -o saxpy examples/saxpy.cu -lnccl
 *   ncclscript exec -n 4 -- ./saxpy
 *   ncclscript exec -n 4 --kernels skip -- ./saxpy
 *
 * The simulator does not execute the kernel. Its launch fails, and the program says so and ends. With --kernels skip the
 * launch does nothing: y is what it was before, and so the sum differs from that of a GPU. */
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>
#include <nccl.h>

static void check(int result, const char *call)
{
    if (result == 0)
        return;
    fprintf(stderr, "saxpy: %s returned %d\n", call, result);
    exit(1);
}
#define CHECK(call) check((int)(call), #call)

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main()
{
    const int n = 1 << 16;
    int gpus;
    CHECK(cudaGetDeviceCount(&gpus));
    std::vector<ncclComm_t> comms(gpus);
    std::vector<cudaStream_t> streams(gpus);
    std::vector<float *> x(gpus), y(gpus);
    std::vector<float> ones(n, 1.0f), sum(n);
    CHECK(ncclCommInitAll(comms.data(), gpus, nullptr));
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamCreate(&streams[g]));
        CHECK(cudaMalloc((void **)&x[g], n * sizeof(float)));
        CHECK(cudaMalloc((void **)&y[g], n * sizeof(float)));
        CHECK(cudaMemcpyAsync(x[g], ones.data(), n * sizeof(float), cudaMemcpyHostToDevice, streams[g]));
        CHECK(cudaMemcpyAsync(y[g], ones.data(), n * sizeof(float), cudaMemcpyHostToDevice, streams[g]));
        saxpy<<<(n + 255) / 256, 256, 0, streams[g]>>>(n, 2.0f, x[g], y[g]);
        CHECK(cudaGetLastError());
    }
    CHECK(ncclGroupStart());
    for (int g = 0; g < gpus; g++)
        CHECK(ncclAllReduce(y[g], y[g], n, ncclFloat32, ncclSum, comms[g], streams[g]));
    CHECK(ncclGroupEnd());
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaStreamSynchronize(streams[g]));
    }
    CHECK(cudaMemcpy(sum.data(), y[0], n * sizeof(float), cudaMemcpyDeviceToHost));
    printf("sum %g, expected on GPUs %g\n", sum[0], 3.0 * gpus);
    for (int g = 0; g < gpus; g++) {
        CHECK(cudaSetDevice(g));
        CHECK(cudaFree(x[g]));
        CHECK(cudaFree(y[g]));
        CHECK(cudaStreamDestroy(streams[g]));
        CHECK(ncclCommDestroy(comms[g]));
    }
    return 0;
}
