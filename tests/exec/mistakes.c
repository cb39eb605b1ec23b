/* `mistakes WHICH`: programs that do not end well, each in its own way. */
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static ncclComm_t *all(int n)
{
    ncclComm_t *comm = calloc((size_t)n, sizeof *comm);
    CHECK(ncclCommInitAll(comm, n, NULL));
    return comm;
}

/* Communicators, an operator, a registration, memory and a stream are never given back. */
static int leak(void)
{
    ncclComm_t *comm = all(2);
    void *handle, *memory = floats_of(1, 1024);
    float scalar = 2;
    ncclRedOp_t op;
    cudaStream_t stream;
    CHECK(ncclRedOpCreatePreMulSum(&op, &scalar, ncclFloat32, ncclScalarHostImmediate, comm[0]));
    CHECK(ncclCommRegister(comm[0], memory, 4096, &handle));
    CHECK(cudaStreamCreate(&stream));
    free(comm);
    return 0;
}

/* A name without a letter or a digit is none; another one is the communicator's. */
static int named(void)
{
    static const char *names[] = { ":", "", "0:data" };
    for (int i = 0; i < 3; i++) {
        ncclConfig_t config = CONFIG_INITIALIZER;
        ncclUniqueId id;
        ncclComm_t comm;
        config.commName = names[i];
        CHECK(ncclGetUniqueId(&id));
        CHECK(ncclCommInitRankConfig(&comm, 1, id, 0, &config));
    }
    return 0;
}

/* As frameworks keep streams in store: 128 of them, of which one is used. */
static int stored(void)
{
    float *x = floats_of(1, 8);
    cudaStream_t stream = NULL;
    for (int i = 0; i < 128; i++)
        CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemsetAsync(x, 0, 32, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFree(x));
    return 0;
}

static int after_destroy(void)
{
    ncclComm_t *comm = all(2);
    float *x = floats_of(1, 8);
    CHECK(ncclCommDestroy(comm[0]));
    CHECK(ncclCommDestroy(comm[1]));
    printf("code %d\n", ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm[0], NULL));
    CHECK(cudaFree(x));
    free(comm);
    return 0;
}

/* Rank 1, on device 1, is given a stream of device 0. */
static int device(void)
{
    ncclComm_t *comm = all(2);
    float *x = floats_of(1, 8);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(ncclGroupStart());
    for (int i = 0; i < 2; i++)
        ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm[i], stream);
    printf("code %d\n", ncclGroupEnd());
    printf("%s\n", ncclGetLastError(NULL));
    free(comm);
    return 0;
}

/* Each line of it is a mistake that is told of at the end: memory and handles after their end. */
static int twice(void)
{
    ncclComm_t *comm = all(2);
    cudaStream_t stream;
    cudaEvent_t event;
    float scalar = 2, *x = floats_of(1, 8);
    ncclRedOp_t op;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamDestroy(stream));
    printf("stream %d\n", cudaStreamSynchronize(stream));
    CHECK(ncclRedOpCreatePreMulSum(&op, &scalar, ncclFloat32, ncclScalarHostImmediate, comm[0]));
    CHECK(ncclRedOpDestroy(op, comm[0]));
    printf("operator %d\n", ncclAllReduce(x, x, 8, ncclFloat32, op, comm[0], NULL));
    void *handle;
    CHECK(ncclCommRegister(comm[0], x, 32, &handle));
    CHECK(ncclCommDeregister(comm[0], handle));
    printf("registration %d\n", ncclCommDeregister(comm[0], handle));
    CHECK(cudaFree(x));
    printf("memory %d\n", cudaFree(x));
    printf("memory %d\n", cudaFree(x));
    CHECK(cudaSetDevice(1));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaSetDevice(0));
    printf("event %d\n", cudaEventRecord(event, NULL));
    CHECK(cudaStreamCreate(&stream));
    printf("event %d\n", cudaEventRecord(event, stream));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    CHECK(ncclCommDestroy(comm[0]));
    CHECK(ncclCommDestroy(comm[1]));
    free(comm);
    return 0;
}

/* A new allocation at an old address is not the old one. */
static int again(void)
{
    for (int i = 0; i < 1000; i++) {
        cudaStream_t stream;
        cudaEvent_t event;
        float *x = floats_of(1, 8);
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&event));
        CHECK(cudaEventRecord(event, stream));
        EXPECT(cudaMemcpyAsync(x, x, 1 << 20, cudaMemcpyDeviceToDevice, stream), cudaErrorInvalidValue);
        CHECK(cudaStreamDestroy(stream));
        CHECK(cudaEventDestroy(event));
        CHECK(cudaFree(x));
    }
    return 0;
}

/* Two ranks from one device. */
static void taken_main(struct rank *self)
{
    ncclComm_t comm;
    CHECK(cudaSetDevice(0));
    ncclResult_t rc = ncclCommInitRank(&comm, self->ranks, self->id, self->rank);
    EXPECT(rc, ncclInvalidUsage);
}

static int taken(void)
{
    run_ranks(2, taken_main, NULL);
    return 0;
}

/* One thread makes the calls of all ranks, and no group around them. */
static int no_group(void)
{
    ncclComm_t *comm = all(2);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        float *x = floats_of(1, 8);
        CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm[i], NULL));
    }
    free(comm);
    return 0;
}

/* One thread joins as ranks 0 and 2 of 3. */
static int absent_rank(void)
{
    ncclComm_t comm[2];
    ncclUniqueId id;
    CHECK(ncclGetUniqueId(&id));
    CHECK(ncclGroupStart());
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(ncclCommInitRank(&comm[i], 3, id, 2 * i));
    }
    CHECK(ncclGroupEnd());
    return 0;
}

/* A rank waits for a call that the other one would make after it has a lock of the first's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void locked_main(struct rank *self)
{
    ncclComm_t comm;
    float *x = floats_of(1, 8);
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    pthread_mutex_lock(&lock);
    CHECK(ncclAllReduce(x, x, 8, ncclFloat32, ncclSum, comm, NULL));
    CHECK(cudaStreamSynchronize(NULL));
    pthread_mutex_unlock(&lock);
}

static int locked(void)
{
    run_ranks(2, locked_main, NULL);
    return 0;
}

/* The program ends in an open group. */
static int left_group(void)
{
    ncclComm_t *comm = all(2);
    float *x = floats_of(1, 8);
    CHECK(ncclGroupStart());
    CHECK(ncclSend(x, 8, ncclFloat32, 1, comm[0], NULL));
    return 0;
}

/* Rank 0 is in an open group while rank 1 ends the program. */
static int in_group;

static void cut_off_main(struct rank *self)
{
    ncclComm_t comm;
    float *x = floats_of(1, 8);
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    if (self->rank == 1) {
        while (!__atomic_load_n(&in_group, __ATOMIC_ACQUIRE))
            usleep(1000);
        exit(2);
    }
    CHECK(ncclGroupStart());
    CHECK(ncclSend(x, 8, ncclFloat32, 1, comm, NULL));
    __atomic_store_n(&in_group, 1, __ATOMIC_RELEASE);
    for (;;)
        usleep(1000);
}

static int cut_off(void)
{
    run_ranks(2, cut_off_main, NULL);
    return 0;
}

static int forked(void)
{
    ncclUniqueId id;
    int status;
    CHECK(ncclGetUniqueId(&id));
    fflush(stdout);
    if (fork() == 0) {
        ncclComm_t comm;
        _exit(ncclCommInitRank(&comm, 2, id, 1));
    }
    wait(&status);
    printf("code %d\n", WEXITSTATUS(status));
    return 0;
}

/* An id that another process has made, as a store or a broadcast brings it. */
static int foreign_id(void)
{
    ncclUniqueId id;
    int pipes[2], n;
    if (pipe(pipes) != 0)
        return 1;
    if (fork() == 0) {
        CHECK(ncclGetUniqueId(&id));
        _exit(write(pipes[1], &id, sizeof id) != sizeof id);
    }
    wait(&n);
    if (read(pipes[0], &id, sizeof id) != sizeof id)
        return 1;
    ncclComm_t comm;
    printf("code %d\n", ncclCommInitRank(&comm, 2, id, 1));
    return 0;
}

static int launched(void)
{
    ncclUniqueId id;
    printf("code %d\n", ncclGetUniqueId(&id));
    return 0;
}

static void *sleeper(void *arg)
{
    sleep(1000);
    return arg;
}

/* A rank waits for another one that is asleep: nobody can say that it will not come. */
static int asleep(void)
{
    ncclComm_t comm;
    ncclUniqueId id;
    CHECK(ncclGetUniqueId(&id));
    pthread_t thread;
    pthread_create(&thread, NULL, sleeper, NULL);
    CHECK(ncclCommInitRank(&comm, 2, id, 0));
    return 0;
}

/* Functions that 2.28.9 lacks. */
static int newer(void)
{
    ncclUniqueId id;
    printf("code %d\n", ncclCommGetUniqueId(NULL, &id));
    return 0;
}

static int fails(void)
{
    CHECK(cudaSetDevice(0));
    return 7;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*main)(void);
    } which[] = { { "leak", leak },         { "after_destroy", after_destroy },
                  { "device", device },     { "twice", twice },
                  { "again", again },       { "taken", taken },
                  { "forked", forked },     { "foreign_id", foreign_id },
                  { "launched", launched }, { "asleep", asleep },
                  { "newer", newer },       { "fails", fails },
                  { "no_group", no_group }, { "absent_rank", absent_rank },
                  { "locked", locked },     { "left_group", left_group },
                  { "cut_off", cut_off },   { "stored", stored },
                  { "named", named } };
    for (size_t i = 0; argc > 1 && i < sizeof which / sizeof *which; i++)
        if (strcmp(argv[1], which[i].name) == 0)
            return which[i].main();
    fprintf(stderr, "mistakes: which one?\n");
    return 2;
}
