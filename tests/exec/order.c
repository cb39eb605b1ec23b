/* Uses of memory that nothing orders, and twins that are ordered in ways of which some are in no call. */
#include <sched.h>
#include <stdatomic.h>

#include "client.h"

enum { COUNT = 64 };
static const size_t BYTES = COUNT * sizeof(float);

static pthread_barrier_t meeting;
static atomic_int flag;

/* A rank's two streams, which do not wait for each other, and its buffers. */
struct own {
    ncclComm_t comm;
    cudaStream_t one, other;
    float *x, *y;
    float host[COUNT];
};

static struct own *own[8];

static struct own *begin(const struct rank *self)
{
    struct own *o = calloc(1, sizeof *o);
    CHECK(ncclCommInitRank(&o->comm, self->ranks, self->id, self->rank));
    CHECK(cudaStreamCreateWithFlags(&o->one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&o->other, cudaStreamNonBlocking));
    o->x = floats_of(1, COUNT);
    o->y = floats_of(0, COUNT);
    own[self->rank] = o;
    return o;
}

static void end(struct own *o)
{
    CHECK(cudaStreamSynchronize(o->one));
    CHECK(cudaStreamSynchronize(o->other));
    CHECK(ncclCommDestroy(o->comm));
    CHECK(cudaStreamDestroy(o->one));
    CHECK(cudaStreamDestroy(o->other));
    CHECK(cudaFree(o->x));
    CHECK(cudaFree(o->y));
    free(o);
}

static void reduce(struct own *o)
{
    CHECK(ncclAllReduce(o->x, o->y, COUNT, ncclFloat32, ncclSum, o->comm, o->one));
}

/* ---- nothing orders them ---- */

/* No rank waits for a stream before both have made their calls: a wait in one thread may be what
 * the other one's next call relies on. */
static void end_together(struct own *o)
{
    pthread_barrier_wait(&meeting);
    end(o);
}

static void unordered(struct rank *self)
{
    struct own *o = begin(self);
    reduce(o);
    CHECK(cudaMemcpyAsync(o->x, o->y, BYTES, cudaMemcpyDeviceToDevice, o->other)); /* reads y */
    end_together(o);
}

static void read_early(struct rank *self)
{
    struct own *o = begin(self);
    reduce(o);
    CHECK(cudaMemcpyAsync(o->host, o->y, BYTES, cudaMemcpyDeviceToHost, o->other));
    end_together(o);
}

static void overwritten(struct rank *self)
{
    struct own *o = begin(self);
    reduce(o);
    CHECK(cudaMemsetAsync(o->x, 0, BYTES, o->other)); /* the all-reduce may still read it */
    end_together(o);
}

/* The first rank waits for its own stream, and touches what the second's stream may still use. */
static void of_another_rank(struct rank *self)
{
    struct own *o = begin(self);
    reduce(o);
    pthread_barrier_wait(&meeting);
    if (self->rank == 0) {
        CHECK(cudaStreamSynchronize(o->one));
        CHECK(cudaMemcpyAsync(o->host, own[1]->y, BYTES, cudaMemcpyDeviceToHost, o->other));
    }
    pthread_barrier_wait(&meeting);
    end(o);
}

/* ---- something does ---- */

static void by_event(struct rank *self)
{
    struct own *o = begin(self);
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    reduce(o);
    CHECK(cudaEventRecord(event, o->one));
    CHECK(cudaStreamWaitEvent(o->other, event, 0));
    CHECK(cudaMemcpyAsync(o->x, o->y, BYTES, cudaMemcpyDeviceToDevice, o->other));
    end(o);
    CHECK(cudaEventDestroy(event));
}

/* Another thread waits for the stream. */
static void by_thread(struct rank *self)
{
    struct own *o = begin(self);
    reduce(o);
    pthread_barrier_wait(&meeting);
    CHECK(cudaStreamSynchronize(own[1 - self->rank]->one));
    pthread_barrier_wait(&meeting);
    CHECK(cudaMemcpyAsync(o->x, o->y, BYTES, cudaMemcpyDeviceToDevice, o->other));
    end(o);
}

static void raise_flag(void *arg)
{
    (void)arg;
    atomic_fetch_add(&flag, 1);
}

/* The host sees in its own memory that the work is over. */
static void by_callback(struct rank *self)
{
    struct own *o = begin(self);
    reduce(o);
    CHECK(cudaLaunchHostFunc(o->one, raise_flag, NULL));
    while (atomic_load(&flag) < self->ranks)
        sched_yield();
    CHECK(cudaMemcpyAsync(o->x, o->y, BYTES, cudaMemcpyDeviceToDevice, o->other));
    end(o);
}

static void by_pinned_memory(struct rank *self)
{
    struct own *o = begin(self);
    _Atomic float *seen;
    CHECK(cudaMallocHost((void **)&seen, sizeof *seen));
    *seen = 0;
    reduce(o);
    CHECK(cudaMemcpyAsync((void *)seen, o->y, sizeof *seen, cudaMemcpyDeviceToHost, o->one));
    while (atomic_load(seen) != (float)self->ranks)
        sched_yield();
    CHECK(cudaMemcpyAsync(o->x, o->y, BYTES, cudaMemcpyDeviceToDevice, o->other));
    end(o);
    CHECK(cudaFreeHost((void *)seen));
}

/* When the all-reduce has ended on the first rank, the second has begun it: its earlier work is over. */
static void by_collective(struct rank *self)
{
    struct own *o = begin(self);
    float *z = floats_of(3, COUNT);
    if (self->rank == 1) {
        CHECK(cudaMemcpyAsync(own[1]->x, z, BYTES, cudaMemcpyDeviceToDevice, o->one));
        flag = 1;
    }
    reduce(o);
    pthread_barrier_wait(&meeting);
    if (self->rank == 0) {
        CHECK(cudaStreamSynchronize(o->one));
        CHECK(cudaMemcpyAsync(o->host, own[1]->x, BYTES, cudaMemcpyDeviceToHost, o->other));
    }
    pthread_barrier_wait(&meeting);
    end(o);
    CHECK(cudaFree(z));
}

/* One thread has both ranks and waits for each. */
static void one_thread(void)
{
    ncclComm_t comm[2];
    cudaStream_t stream[2];
    float *x[2];
    CHECK(ncclCommInitAll(comm, 2, NULL));
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaStreamCreate(&stream[i]));
        x[i] = floats_of(1, COUNT);
    }
    for (int step = 0; step < 40; step++) {
        CHECK(ncclGroupStart());
        for (int i = 0; i < 2; i++)
            CHECK(ncclAllReduce(x[i], x[i], COUNT, ncclFloat32, ncclMax, comm[i], stream[i]));
        CHECK(ncclGroupEnd());
        for (int i = 0; i < 2; i++) {
            CHECK(cudaSetDevice(i));
            CHECK(cudaStreamSynchronize(stream[i]));
            EXPECT(first_of(x[i]), 1);
        }
    }
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(ncclCommDestroy(comm[i]));
        CHECK(cudaStreamDestroy(stream[i]));
        CHECK(cudaFree(x[i]));
    }
}

static const struct {
    const char *name;
    void (*main)(struct rank *self);
} cases[] = {
    { "unordered", unordered },         { "read_early", read_early },
    { "overwritten", overwritten },     { "of_another_rank", of_another_rank },
    { "by_event", by_event },           { "by_thread", by_thread },
    { "by_callback", by_callback },     { "by_pinned_memory", by_pinned_memory },
    { "by_collective", by_collective },
};

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "one_thread";
    pthread_barrier_init(&meeting, NULL, 2);
    if (strcmp(name, "one_thread") == 0)
        one_thread();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0)
            run_ranks(2, cases[i].main, NULL);
    printf("order: ok\n");
    return 0;
}
