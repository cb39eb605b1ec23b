/* `pollers WORDS`: rank 1 leaves out the second all-reduce, or is late with it, while somebody asks again
 * and again: a watchdog that looks at errors and events, as frameworks have one, or the ranks themselves. */
#include <sched.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "client.h"

static struct {
    bool ranks;    /* the ranks ask for their streams, instead of waiting */
    bool watched;  /* a thread of no rank asks for errors and for an event */
    bool spins;    /* without a pause between two questions */
    bool measured; /* a thread of no rank looks at the memory */
    bool reads;    /* a thread that calls nothing waits for what comes from outside */
    bool computes; /* rank 1 is late: it computes, and asks now and then */
    bool sleeps;   /* rank 1's call is made by a thread that is asleep until then */
    bool longer;   /* for longer than the time limit */
    bool naps;     /* a thread that calls nothing sleeps, and looks again */
    bool works;    /* such a thread works, and sleeps now and then */
    bool helps;    /* such a thread with the name of a framework's */
    bool four;     /* there are four ranks, and all but rank 1 make the call */
    bool recovers; /* the watchdog has a time limit of its own */
} has;

static const struct {
    const char *word;
    bool *flag;
} words[] = {
    { "ranks", &has.ranks }, { "watched", &has.watched },   { "spins", &has.spins },   { "measured", &has.measured },
    { "reads", &has.reads }, { "computes", &has.computes }, { "sleeps", &has.sleeps }, { "recovers", &has.recovers },
    { "naps", &has.naps },   { "helps", &has.helps },       { "four", &has.four },     { "works", &has.works },
    { "long", &has.longer },
};

static ncclComm_t first_comm;
static cudaEvent_t first_event;
static atomic_bool launched, over;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void pause_between_polls(void)
{
    if (has.spins)
        sched_yield();
    else
        usleep(20000);
}

/* An aborted communicator cannot be asked for anything. */
static void *watch(void *arg)
{
    (void)arg;
    while (!atomic_load(&launched) && !atomic_load(&over))
        pause_between_polls();
    for (double began = seconds(CLOCK_MONOTONIC); !atomic_load(&over); pause_between_polls()) {
        ncclResult_t error;
        CHECK(ncclCommGetAsyncError(first_comm, &error));
        if (cudaEventQuery(first_event) != cudaSuccess)
            cudaGetLastError();
        if (has.recovers && seconds(CLOCK_MONOTONIC) - began > 0.7) {
            CHECK(ncclCommAbort(first_comm));
            break;
        }
    }
    return NULL;
}

static void *measure(void *arg)
{
    (void)arg;
    while (!atomic_load(&over)) {
        size_t available, total;
        CHECK(cudaMemGetInfo(&available, &total));
        pause_between_polls();
    }
    return NULL;
}

static void *read_input(void *arg)
{
    char byte;
    return read(*(int *)arg, &byte, 1) == 1 ? arg : NULL;
}

static void *nap(void *arg)
{
    if (has.helps)
        prctl(PR_SET_NAME, "pt_nccl_heartbt");
    while (!atomic_load(&over)) {
        for (double began = seconds(CLOCK_THREAD_CPUTIME_ID); has.works && seconds(CLOCK_THREAD_CPUTIME_ID) - began < 0.02;)
            continue;
        usleep(20000);
    }
    return arg;
}

/* 20 ms of work between two questions, 40 times; what it asks for is not to come before it goes on. */
static void compute(void)
{
    while (!atomic_load(&launched))
        sched_yield();
    for (int i = 0; i < 40; i++) {
        for (double began = seconds(CLOCK_THREAD_CPUTIME_ID); seconds(CLOCK_THREAD_CPUTIME_ID) - began < 0.02;)
            continue;
        cudaEventQuery(first_event);
    }
}

struct call {
    ncclComm_t comm;
    cudaStream_t stream;
    float *x;
};

static void all_reduce(const struct call *call)
{
    CHECK(ncclAllReduce(call->x, call->x, 8, ncclFloat32, ncclSum, call->comm, call->stream));
}

static void *call_late(void *arg)
{
    sleep(has.longer ? 1000 : 1);
    CHECK(cudaSetDevice(1));
    all_reduce(arg);
    return NULL;
}

static void call_again(struct rank *self, struct call *call)
{
    pthread_t sleeper;
    if (self->rank == 1 && has.sleeps) {
        pthread_create(&sleeper, NULL, call_late, call);
        pthread_join(sleeper, NULL);
    } else if (self->rank == 1 && has.computes) {
        compute();
        all_reduce(call);
    } else if (self->rank != 1) {
        all_reduce(call);
    }
}

static void rank_main(struct rank *self)
{
    struct call call;
    CHECK(ncclCommInitRank(&call.comm, self->ranks, self->id, self->rank));
    CHECK(cudaStreamCreate(&call.stream));
    call.x = floats_of(1, 8);
    if (self->rank == 0)
        CHECK(cudaEventCreate(&first_event));
    all_reduce(&call);
    call_again(self, &call);
    if (self->rank == 0) {
        CHECK(cudaEventRecord(first_event, call.stream));
        first_comm = call.comm;
        atomic_store(&launched, true);
    }
    if (has.ranks)
        while (cudaStreamQuery(call.stream) == cudaErrorNotReady)
            pause_between_polls();
    else
        cudaStreamSynchronize(call.stream);
}

int main(int argc, char **argv)
{
    pthread_t watchdog, meter, reader, napper;
    int pipes[2];
    for (size_t i = 0; argc > 1 && i < sizeof words / sizeof *words; i++)
        *words[i].flag = strstr(argv[1], words[i].word) != NULL;
    if (pipe(pipes) != 0)
        return 1;
    if (has.reads)
        pthread_create(&reader, NULL, read_input, &pipes[0]);
    if (has.naps || has.helps || has.works)
        pthread_create(&napper, NULL, nap, NULL);
    if (has.watched)
        pthread_create(&watchdog, NULL, watch, NULL);
    if (has.measured)
        pthread_create(&meter, NULL, measure, NULL);
    run_ranks(has.four ? 4 : 2, rank_main, NULL);
    atomic_store(&over, true);
    if (has.watched)
        pthread_join(watchdog, NULL);
    if (has.measured)
        pthread_join(meter, NULL);
    if (has.naps || has.helps || has.works)
        pthread_join(napper, NULL);
    printf("pollers: ok\n");
    return 0;
}
