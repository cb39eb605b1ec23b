// What nvcc makes of a launch, with host code as programs have it: it links, loads and goes on, and each
// launch is an error of the program's to see.
#include <cstdio>
#include <cuda_runtime.h>

__managed__ int ready;
__constant__ float scale[4];

__global__ void fill(float *x, float v)
{
    x[threadIdx.x] = v * scale[0];
}

int main()
{
    float *x, one = 1;
    ready = 7;
    printf("malloc %d\n", (int)cudaMalloc(&x, 64));
    printf("symbol %d\n", (int)cudaMemcpyToSymbol(scale, &one, sizeof one));
    cudaGetLastError();
    for (int i = 0; i < 2; i++) {
        fill<<<1, 16>>>(x, 1.0f);
        int first = (int)cudaGetLastError();
        printf("launch %d, then %d\n", first, (int)cudaGetLastError());
    }
    printf("synchronize %d\n", (int)cudaDeviceSynchronize());
    printf("free %d, ready %d\n", (int)cudaFree(x), ready);
    return 0;
}
