/* `failed WHICH`: programs in which calls fail, and what they make of it. */
#include "client.h"

#define NO_DEVICE 99

static float *x;

/* No code is looked at, as in a first program: more GPUs are wanted than are there. */
static int ignored(void)
{
    ncclComm_t comm[4] = { 0 };
    ncclCommInitAll(comm, 4, NULL); /* line: init */
    ncclGroupStart();
    for (int i = 0; i < 4; i++) {
        cudaSetDevice(i); /* line: device */
        cudaMalloc((void **)&x, 64);
        ncclAllReduce(x, x, 16, ncclFloat32, ncclSum, comm[i], NULL); /* line: reduce */
    }
    ncclGroupEnd();
    cudaDeviceSynchronize();
    return 0;
}

/* The program says so itself, frees what it has, and ends. */
static int checked(void)
{
    ncclComm_t comm = NULL;
    int status = 0;
    x = floats_of(1, 8);
    if (ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, NULL) != ncclSuccess)
        status = 1;
    CHECK(cudaSetDevice(0));
    CHECK(cudaFree(x));
    return status;
}

/* The calls of a group are not checked, its end is. */
static int checked_group(void)
{
    ncclComm_t comm[2];
    CHECK(ncclCommInitAll(comm, 2, NULL));
    CHECK(cudaSetDevice(1));
    x = floats_of(1, 8);
    ncclGroupStart();
    ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, NULL, NULL);
    ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm[1], NULL);
    return ncclGroupEnd() == ncclSuccess ? 0 : 1;
}

/* It ends because of the second failure; the first one is the cause. */
static int noticed_late(void)
{
    x = floats_of(1, 8);
    cudaSetDevice(NO_DEVICE); /* line: late */
    CHECK(cudaMemset(x, 0, 8));
    return cudaMemset(NULL, 0, 8) == cudaSuccess ? 0 : 1;
}

/* The end of a program that ends well is no answer to a failure. */
static int unnoticed_last(void)
{
    return cudaFree(&x) == cudaSuccess; /* line: last */
}

/* Failures that are answers, and failures that the program asks about. */
static int probes(void)
{
    int n;
    cudaEvent_t event;
    x = floats_of(1, 8);
    EXPECT(cudaMalloc((void **)&x, (size_t)1 << 60), cudaErrorMemoryAllocation);
    EXPECT(cudaGetLastError(), cudaErrorMemoryAllocation);
    CHECK(cudaGetDeviceCount(&n));
    int rc = cudaSetDevice(NO_DEVICE);
    printf("%s\n", cudaGetErrorString((cudaError_t)rc));
    rc = ncclCommInitAll(NULL, NO_DEVICE, NULL);
    printf("%s, %s\n", ncclGetErrorString((ncclResult_t)rc), ncclGetLastError(NULL));
    for (int i = 0; i < 2 && n > 1; i++)
        EXPECT(cudaDeviceEnablePeerAccess(1, 0), i ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess);
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventDestroy(event));
    return 0;
}

static int repeated(void)
{
    x = floats_of(1, 8);
    for (int i = 0; i < 200000; i++)
        cudaSetDevice(NO_DEVICE); /* line: repeated */
    CHECK(cudaFree(x));
    return 0;
}

/* 100 places: more than a line has room for. */
static int places(void)
{
#define FAIL4                 \
    cudaSetDevice(NO_DEVICE); \
    cudaFree(&x);             \
    cudaMemset(NULL, 0, 8);   \
    cudaStreamSynchronize((cudaStream_t)&x);
#define FAIL20 FAIL4 FAIL4 FAIL4 FAIL4 FAIL4
    FAIL20
    FAIL20
    FAIL20
    FAIL20
    FAIL20
    return 0;
}

/* Rank 1 leaves after a failure. */
static void hang_main(struct rank *self)
{
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    float *y = floats_of(1, 8);
    if (ncclBroadcast(y, y, 8, ncclFloat32, self->rank ? 7 : 0, comm, NULL) == ncclSuccess)
        CHECK(cudaStreamSynchronize(NULL));
}

static int hang(void)
{
    run_ranks(2, hang_main, NULL);
    return 0;
}

static void rank_main(struct rank *self)
{
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    float *y = floats_of(1, 8);
    if (self->rank != 2)
        ncclBroadcast(y, y, 8, ncclFloat32, self->ranks, comm, NULL); /* line: root */
    CHECK(ncclAllReduce(y, y, 8, ncclFloat32, ncclSum, comm, NULL));
    CHECK(cudaStreamSynchronize(NULL));
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaFree(y));
}

static int threads(void)
{
    run_ranks(4, rank_main, NULL);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*main)(void);
    } which[] = { { "ignored", ignored },
                  { "checked", checked },
                  { "checked_group", checked_group },
                  { "noticed_late", noticed_late },
                  { "unnoticed_last", unnoticed_last },
                  { "probes", probes },
                  { "repeated", repeated },
                  { "threads", threads },
                  { "places", places },
                  { "hang", hang } };
    for (size_t i = 0; argc > 1 && i < sizeof which / sizeof *which; i++)
        if (strcmp(argv[1], which[i].name) == 0)
            return which[i].main();
    fprintf(stderr, "failed: which one?\n");
    return 2;
}
