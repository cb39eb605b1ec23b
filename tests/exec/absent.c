/* Calls functions that the simulator lacks, and those that are outside of its table. Their names are looked
 * up, because the headers here do not declare them. */
#include <dlfcn.h>
#include <stdio.h>

#include "client.h"

static void *find(const char *name)
{
    void *f = dlsym(RTLD_DEFAULT, name);
    if (!f)
        printf("%s is missing\n", name);
    return f;
}

struct team {
    int ranks, rank, stride;
};

int main(void)
{
    int status = -1, mode = 2, can = 0;
    cudaError_t (*launch)(void *, void *) = find("cudaGraphAddEmptyNode");
    cudaError_t (*info)(cudaStream_t, int *, void *, void *, void *, void *, void *) = find("cudaStreamGetCaptureInfo");
    cudaError_t (*exchange)(int *) = find("cudaThreadExchangeStreamCaptureMode");
    cudaError_t (*p2p)(int *, int, int, int) = find("cudaDeviceGetP2PAttribute");
    cudaError_t (*init)(int, unsigned, unsigned) = find("cudaInitDevice");
    ncclResult_t (*make)(ncclComm_t, void *, void *) = find("ncclDevCommCreate");
    struct team (*world)(ncclComm_t) = find("ncclTeamWorld");
    int (*to_world)(ncclComm_t, struct team, int) = find("pncclTeamRankToWorld");
    ncclResult_t (*newer)(const void *, void *, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t,
                          const void *) = find("ncclAllReduceConfig");
    struct team (*alone)(ncclComm_t, int) = find("pncclTeamCft");

    for (int i = 0; i < 3; i++)
        printf("launch %d\n", launch(NULL, NULL));
    cudaError_t rc = cudaGetLastError();
    printf("last %d, then %d\n", rc, cudaGetLastError());
    rc = info(NULL, &status, NULL, NULL, NULL, NULL, NULL);
    printf("capture %d %d\n", rc, status);
    rc = exchange(&mode);
    printf("mode %d %d", rc, mode);
    rc = exchange(&mode);
    printf(" %d\n", mode);
    rc = p2p(&can, 2, 0, 1);
    printf("p2p %d %d", rc, can);
    printf(" %d\n", p2p(&can, 2, 0, 99));
    printf("init %d", init(0, 0, 0));
    printf(" %d\n", init(99, 0, 0));
    cudaGetLastError();

    ncclComm_t comm[4];
    if (ncclCommInitAll(comm, 4, NULL) != ncclSuccess)
        return 1;
    struct team all = world(comm[2]);
    printf("team %d %d %d, %d\n", all.ranks, all.rank, all.stride, to_world(comm[2], all, 3));
    printf("device API %d\n", make(comm[0], NULL, NULL));
    printf("newer %d", newer(NULL, NULL, 1, ncclFloat, ncclSum, comm[0], NULL, NULL));
    all = alone(comm[3], 0);
    printf(", alone %d %d %d\n", all.ranks, all.rank, all.stride);
    for (int i = 0; i < 4; i++)
        ncclCommDestroy(comm[i]);
    return 0;
}
