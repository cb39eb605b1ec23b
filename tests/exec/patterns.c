/* Two threads with half of the GPUs each, whose communicators are made in one group; then every
 * collective, and the patterns that are made of sends and receives. Each element is looked at. */
#include "client.h"

#define COUNT 100 /* elements from one rank to another */

struct team {
    struct rank *self;
    int first, devices, ranks; /* ranks first, first + 1 ... are this thread's */
    ncclComm_t *comm;
    cudaStream_t *stream;
    float **send, **recv; /* `ranks` blocks of COUNT each */
};

/* The value that rank `from` sends to rank `to`. */
static float value(int from, int to, int i)
{
    return (float)(1000 * from + 10 * to + i % 10);
}

static void fill(struct team *t, int d)
{
    int rank = t->first + d;
    size_t bytes = (size_t)t->ranks * COUNT * sizeof(float);
    float *host = malloc(bytes);
    for (int to = 0; to < t->ranks; to++)
        for (int i = 0; i < COUNT; i++)
            host[to * COUNT + i] = value(rank, to, i);
    CHECK(cudaMalloc((void **)&t->send[d], bytes));
    CHECK(cudaMalloc((void **)&t->recv[d], bytes));
    CHECK(cudaMemcpy(t->send[d], host, bytes, cudaMemcpyHostToDevice));
    free(host);
}

static void begin(struct team *t)
{
    CHECK(ncclGroupStart());
    for (int d = 0; d < t->devices; d++) {
        CHECK(cudaSetDevice(t->first + d));
        CHECK(ncclCommInitRank(&t->comm[d], t->ranks, t->self->id, t->first + d));
    }
    CHECK(ncclGroupEnd());
    for (int d = 0; d < t->devices; d++) {
        CHECK(cudaSetDevice(t->first + d));
        CHECK(cudaStreamCreateWithFlags(&t->stream[d], cudaStreamNonBlocking));
        fill(t, d);
    }
}

/* The calls of one rank; in a group with those of the thread's others. */
typedef void calls_of(struct team *t, int d, int rank);
/* The right value of element i of block b of rank's receive buffer; below 0: no rank writes there. */
typedef float wanted_at(const struct team *t, int rank, int b, int i);

static void try_pattern(struct team *t, const char *name, calls_of *calls, wanted_at *wanted)
{
    size_t bytes = (size_t)t->ranks * COUNT * sizeof(float);
    float *host = malloc(bytes);
    for (int d = 0; d < t->devices; d++) {
        CHECK(cudaSetDevice(t->first + d));
        CHECK(cudaMemsetAsync(t->recv[d], 0, bytes, t->stream[d]));
    }
    CHECK(ncclGroupStart());
    for (int d = 0; d < t->devices; d++)
        calls(t, d, t->first + d);
    CHECK(ncclGroupEnd());
    for (int d = 0; d < t->devices; d++) {
        CHECK(cudaSetDevice(t->first + d));
        CHECK(cudaMemcpyAsync(host, t->recv[d], bytes, cudaMemcpyDeviceToHost, t->stream[d]));
        CHECK(cudaStreamSynchronize(t->stream[d]));
        for (int b = 0; b < t->ranks; b++)
            for (int i = 0; i < COUNT; i++)
                if (host[b * COUNT + i] != wanted(t, t->first + d, b, i)) {
                    fprintf(stderr, "%s: rank %d, block %d, element %d is %g, not %g\n", name, t->first + d, b, i,
                            host[b * COUNT + i], wanted(t, t->first + d, b, i));
                    exit(8);
                }
    }
    free(host);
}

static void broadcast(struct team *t, int d, int rank)
{
    (void)rank;
    CHECK(ncclBroadcast(t->send[d], t->recv[d], COUNT, ncclFloat32, t->ranks - 1, t->comm[d], t->stream[d]));
}

static float of_last(const struct team *t, int rank, int b, int i)
{
    (void)rank;
    return b == 0 ? value(t->ranks - 1, 0, i) : 0;
}

static void reduce(struct team *t, int d, int rank)
{
    (void)rank;
    CHECK(ncclReduce(t->send[d], t->recv[d], COUNT, ncclFloat32, ncclMax, 0, t->comm[d], t->stream[d]));
}

static float greatest(const struct team *t, int rank, int b, int i)
{
    return rank == 0 && b == 0 ? value(t->ranks - 1, 0, i) : 0;
}

static void all_gather(struct team *t, int d, int rank)
{
    (void)rank;
    CHECK(ncclAllGather(t->send[d], t->recv[d], COUNT, ncclFloat32, t->comm[d], t->stream[d]));
}

static float first_blocks(const struct team *t, int rank, int b, int i)
{
    (void)t, (void)rank;
    return value(b, 0, i);
}

static void reduce_scatter(struct team *t, int d, int rank)
{
    (void)rank;
    CHECK(ncclReduceScatter(t->send[d], t->recv[d], COUNT, ncclFloat32, ncclSum, t->comm[d], t->stream[d]));
}

static float own_sum(const struct team *t, int rank, int b, int i)
{
    float sum = 0;
    for (int from = 0; b == 0 && from < t->ranks; from++)
        sum += value(from, rank, i);
    return sum;
}

static void all_to_all(struct team *t, int d, int rank)
{
    (void)rank;
    for (int peer = 0; peer < t->ranks; peer++) {
        CHECK(ncclSend(t->send[d] + peer * COUNT, COUNT, ncclFloat32, peer, t->comm[d], t->stream[d]));
        CHECK(ncclRecv(t->recv[d] + peer * COUNT, COUNT, ncclFloat32, peer, t->comm[d], t->stream[d]));
    }
}

static float own_blocks(const struct team *t, int rank, int b, int i)
{
    (void)t;
    return value(b, rank, i);
}

static void scatter(struct team *t, int d, int rank)
{
    for (int peer = 0; rank == 0 && peer < t->ranks; peer++)
        CHECK(ncclSend(t->send[d] + peer * COUNT, COUNT, ncclFloat32, peer, t->comm[d], t->stream[d]));
    CHECK(ncclRecv(t->recv[d], COUNT, ncclFloat32, 0, t->comm[d], t->stream[d]));
}

static float of_first(const struct team *t, int rank, int b, int i)
{
    (void)t;
    return b == 0 ? value(0, rank, i) : 0;
}

static void gather(struct team *t, int d, int rank)
{
    for (int peer = 0; rank == 0 && peer < t->ranks; peer++)
        CHECK(ncclRecv(t->recv[d] + peer * COUNT, COUNT, ncclFloat32, peer, t->comm[d], t->stream[d]));
    CHECK(ncclSend(t->send[d], COUNT, ncclFloat32, 0, t->comm[d], t->stream[d]));
}

static float gathered(const struct team *t, int rank, int b, int i)
{
    (void)t;
    return rank == 0 ? value(b, 0, i) : 0;
}

/* Both neighbours in a row without ends that meet. */
static void neighbours(struct team *t, int d, int rank)
{
    for (int step = -1; step <= 1; step += 2) {
        int peer = rank + step;
        if (peer < 0 || peer >= t->ranks)
            continue;
        CHECK(ncclSend(t->send[d] + peer * COUNT, COUNT, ncclFloat32, peer, t->comm[d], t->stream[d]));
        CHECK(ncclRecv(t->recv[d] + peer * COUNT, COUNT, ncclFloat32, peer, t->comm[d], t->stream[d]));
    }
}

static float of_neighbours(const struct team *t, int rank, int b, int i)
{
    (void)t;
    return b == rank - 1 || b == rank + 1 ? value(b, rank, i) : 0;
}

static void end(struct team *t)
{
    CHECK(ncclGroupStart());
    for (int d = 0; d < t->devices; d++)
        CHECK(ncclCommFinalize(t->comm[d]));
    CHECK(ncclGroupEnd());
    for (int d = 0; d < t->devices; d++) {
        CHECK(cudaSetDevice(t->first + d));
        CHECK(ncclCommDestroy(t->comm[d]));
        CHECK(cudaStreamDestroy(t->stream[d]));
        CHECK(cudaFree(t->send[d]));
        CHECK(cudaFree(t->recv[d]));
    }
    free(t->comm);
    free(t->stream);
    free(t->send);
    free(t->recv);
}

static void team_main(struct rank *self)
{
    int all = devices(), first = self->rank * (all / 2);
    int own = self->rank == 0 ? all / 2 : all - first;
    struct team t = { .self = self, .first = first, .devices = own, .ranks = all };
    t.comm = calloc((size_t)own, sizeof *t.comm);
    t.stream = calloc((size_t)own, sizeof *t.stream);
    t.send = calloc((size_t)own, sizeof *t.send);
    t.recv = calloc((size_t)own, sizeof *t.recv);
    begin(&t);
    try_pattern(&t, "broadcast", broadcast, of_last);
    try_pattern(&t, "reduce", reduce, greatest);
    try_pattern(&t, "all-gather", all_gather, first_blocks);
    try_pattern(&t, "reduce-scatter", reduce_scatter, own_sum);
    try_pattern(&t, "all-to-all", all_to_all, own_blocks);
    try_pattern(&t, "scatter", scatter, of_first);
    try_pattern(&t, "gather", gather, gathered);
    try_pattern(&t, "neighbours", neighbours, of_neighbours);
    end(&t);
}

int main(void)
{
    run_ranks(2, team_main, NULL);
    printf("patterns: ok\n");
    return 0;
}
