/* Shared by the client programs: the functions of NCCL and CUDA as a program sees them, and what
 * they make of a result. */
#ifndef CLIENT_H
#define CLIENT_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OFFICIAL_HEADERS
#include <cuda_runtime_api.h>
#include <nccl.h>
#define CONFIG_INITIALIZER NCCL_CONFIG_INITIALIZER
#define HAS_ONE_SIDED (NCCL_VERSION_CODE >= 22900)
#else
#include "ncclscript/cuda_abi.h"
#include "ncclscript/nccl_abi.h"
#include "sim/kernel/gen/functions.h"

#define DECLARE(name) extern __typeof__(*((struct ncs_api *)0)->name) name;
SIM_FUNCTIONS(DECLARE)
#undef DECLARE

#define UNSET NCCL_CONFIG_UNDEF_INT
#define CONFIG_INITIALIZER                                                                                                 \
    {                                                                                                                      \
        .size = sizeof(ncclConfig_t), .magic = NCCL_CONFIG_MAGIC, .version = NCCL_VERSION(2, 32, 3), .blocking = UNSET,    \
        .cgaClusterSize = UNSET, .minCTAs = UNSET, .maxCTAs = UNSET, .splitShare = UNSET, .trafficClass = UNSET,           \
        .collnetEnable = UNSET, .CTAPolicy = UNSET, .shrinkShare = UNSET, .nvlsCTAs = UNSET, .nChannelsPerNetPeer = UNSET, \
        .nvlinkCentricSched = UNSET, .graphUsageMode = UNSET, .numRmaCtx = UNSET, .maxP2pPeers = UNSET,                    \
        .graphStreamOrdering = UNSET, .launchOrderImplicit = UNSET, .numRmaSig = UNSET, .rmaEagerInit = UNSET,             \
        .hostCftMode = UNSET, .nvlsHostMode = UNSET,                                                                       \
    }
#define HAS_ONE_SIDED 1
#endif

#define CHECK(call) check((int)(call), #call, __LINE__)

static inline void check(int rc, const char *call, int line)
{
    if (rc == 0)
        return;
    fprintf(stderr, "line %d: %s returned %d: %s\n", line, call, rc,
            strncmp(call, "cuda", 4) ? ncclGetLastError(NULL) : cudaGetErrorString((cudaError_t)rc));
    exit(9);
}

#define EXPECT(got, want) expect((double)(got), (double)(want), #got, __LINE__)

static inline void expect(double got, double want, const char *what, int line)
{
    if (got == want)
        return;
    fprintf(stderr, "line %d: %s is %g, not %g\n", line, what, got, want);
    exit(8);
}

static inline float *floats_of(float value, size_t count)
{
    float *host = malloc(count * sizeof *host), *device;
    if (!host) {
        fprintf(stderr, "no memory\n");
        exit(7);
    }
    for (size_t i = 0; i < count; i++)
        host[i] = value;
    CHECK(cudaMalloc((void **)&device, count * sizeof *host));
    CHECK(cudaMemcpy(device, host, count * sizeof *host, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static inline float first_of(const float *device)
{
    float value;
    CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

/* A thread per rank, with one id. */
struct rank {
    int rank, ranks;
    ncclUniqueId id;
    void (*main)(struct rank *self);
    void *shared;
};

static inline void *enter_rank(void *arg)
{
    struct rank *self = arg;
    CHECK(cudaSetDevice(self->rank));
    self->main(self);
    return NULL;
}

static inline void run_ranks(int ranks, void (*main)(struct rank *self), void *shared)
{
    struct rank *rank = calloc((size_t)ranks, sizeof *rank);
    pthread_t *thread = calloc((size_t)ranks, sizeof *thread);
    ncclUniqueId id;
    if (!rank || !thread) {
        fprintf(stderr, "no memory\n");
        exit(7);
    }
    CHECK(ncclGetUniqueId(&id));
    for (int i = 0; i < ranks; i++) {
        rank[i] = (struct rank){ .rank = i, .ranks = ranks, .id = id, .main = main, .shared = shared };
        if (pthread_create(&thread[i], NULL, enter_rank, &rank[i]) != 0) {
            fprintf(stderr, "no thread\n");
            exit(7);
        }
    }
    for (int i = 0; i < ranks; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    free(rank);
}

static inline int devices(void)
{
    int n;
    CHECK(cudaGetDeviceCount(&n));
    return n;
}

#endif
