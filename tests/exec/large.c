/* 15 GiB on each device, of which one page is touched: memory that is not used costs nothing. */
#include <unistd.h>

#include "client.h"

#define BYTES ((size_t)15 << 30)
#define RESIDENT_MOST ((long)1 << 30)

int main(void)
{
    int n = devices();
    char **memory = calloc((size_t)n, sizeof *memory);
    for (int i = 0; i < n; i++) {
        float value = (float)i;
        CHECK(cudaSetDevice(i));
        CHECK(cudaMalloc((void **)&memory[i], BYTES));
        CHECK(cudaMemcpy(memory[i] + BYTES / 2, &value, sizeof value, cudaMemcpyHostToDevice));
        EXPECT(first_of((float *)(memory[i] + BYTES / 2)), i);
        EXPECT(cudaMalloc((void **)&memory[i], BYTES), cudaErrorMemoryAllocation);
        CHECK(cudaGetLastError() == cudaErrorMemoryAllocation ? 0 : 1);
    }
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        return 1;
    fclose(f);
    EXPECT(pages * sysconf(_SC_PAGESIZE) < RESIDENT_MOST, 1);
    free(memory);
    printf("large: ok\n");
    return 0;
}
