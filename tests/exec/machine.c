/* `machine`: the devices that the program finds, by their places on the bus and their UUIDs; what the error
 * is where there is none; and that NCCL takes them all. */
#include "client.h"

static void print_device(int device)
{
    struct cudaDeviceProp properties;
    char place[32];
    int found;
    CHECK(cudaDeviceGetPCIBusId(place, sizeof place, device));
    CHECK(cudaDeviceGetByPCIBusId(&found, place));
    EXPECT(found, device);
    CHECK(cudaGetDeviceProperties(&properties, device));
    printf("%.7s GPU-", place);
    for (size_t i = 0; i < sizeof properties.uuid; i++)
        printf("%s%02x", i >= 4 && i <= 10 && i % 2 == 0 ? "-" : "", ((const unsigned char *)&properties.uuid)[i]);
    printf("\n");
}

int main(void)
{
    int count = -1;
    cudaError_t rc = cudaGetDeviceCount(&count);
    printf("%d devices, error %d\n", count, rc);
    if (rc != cudaSuccess) {
        EXPECT(cudaGetLastError(), rc);
        EXPECT(cudaSetDevice(0), rc);
        return 0;
    }
    for (int i = 0; i < count; i++)
        print_device(i);
    EXPECT(cudaSetDevice(count), cudaErrorInvalidDevice);
    ncclComm_t *comm = calloc((size_t)count, sizeof *comm);
    CHECK(ncclCommInitAll(comm, count, NULL));
    for (int i = 0; i < count; i++)
        CHECK(ncclCommDestroy(comm[i]));
    free(comm);
    return 0;
}
