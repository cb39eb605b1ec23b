/* `program START BUG RANKS [IDLE]`: some steps of a training, tensor parallel in two groups and data parallel across them, with one
 * mistake. START says who drives the ranks: `threads`, a thread each; `one`, one thread for all; `fork`, a process each; `launched`,
 * this process is one of a launcher's. BUG is a name of bugs.txt, or `none`. With IDLE a thread sleeps for ever beside the others, as
 * loggers have one: then no simulator can be sure of a hang, and the job stays until it is killed. program.lua makes the same calls. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <nccl.h>

enum { COUNT = 64, STEPS = 3, LAYERS = 2, MOST = 8 };

/* What the calls of one rank need. */
struct rank {
    int rank;
    bool gone, rests; /* makes no call any more; none in this step */
    ncclComm_t world, tp, dp;
    cudaStream_t stream;
    float *x, *y; /* COUNT elements for each rank */
};

/* The ranks that one thread drives. */
struct driver {
    struct rank rank[MOST];
    int count;
};

static const char *bug;
static int ranks, half, odd; /* ranks of a tensor parallel group; the rank that makes the mistake */
static ncclUniqueId id;

static void check(int result, const char *call, int line)
{
    if (result == 0)
        return;
    fprintf(stderr, "line %d: %s returned %d\n", line, call, result);
    exit(9);
}
#define CHECK(call) check((int)(call), #call, __LINE__)

static bool is(const char *name)
{
    return strcmp(bug, name) == 0;
}

/* This rank makes the mistake `name`. */
static bool errs(const struct rank *r, const char *name)
{
    return r->rank == odd && is(name);
}

/* Mistakes that are made once are made in the second step. */
static bool slips(const struct rank *r, int step, const char *name)
{
    return step == 1 && errs(r, name);
}

/* A rank that is gone makes no call any more. */
static bool here(const struct rank *r)
{
    if (!r->gone && !r->rests)
        CHECK(cudaSetDevice(r->rank));
    return !r->gone && !r->rests;
}
#define EACH(r, d)                                                    \
    for (struct rank *r = (d)->rank; r < (d)->rank + (d)->count; r++) \
        if (here(r))

/* One thread that drives several ranks makes their calls in a group. */
static void group(const struct driver *d)
{
    if (d->count > 1)
        CHECK(ncclGroupStart());
}

static void close_group(const struct driver *d)
{
    if (d->count > 1)
        CHECK(ncclGroupEnd());
}

static void synchronize(struct driver *d)
{
    EACH(r, d)
    CHECK(cudaStreamSynchronize(r->stream));
}

/* ---- begin ---- */

static void begin(struct driver *d)
{
    EACH(r, d)
    {
        CHECK(cudaStreamCreate(&r->stream));
        CHECK(cudaMalloc((void **)&r->x, COUNT * MOST * sizeof(float)));
        CHECK(cudaMalloc((void **)&r->y, COUNT * MOST * sizeof(float)));
        CHECK(cudaMemset(r->x, 0, COUNT * MOST * sizeof(float)));
        CHECK(cudaMemset(r->y, 0, COUNT * MOST * sizeof(float)));
    }
    group(d);
    EACH(r, d)
    CHECK(ncclCommInitRank(&r->world, ranks, id, r->rank));
    close_group(d);
    group(d);
    EACH(r, d)
    CHECK(ncclCommSplit(r->world, r->rank / half, r->rank, &r->tp, NULL));
    close_group(d);
    group(d);
    EACH(r, d)
    if (!errs(r, "split-fewer"))
        CHECK(ncclCommSplit(r->world, r->rank % half, r->rank, &r->dp, NULL));
    close_group(d);
}

static void share_weights(struct driver *d)
{
    group(d);
    EACH(r, d)
    CHECK(ncclBroadcast(r->x, r->x, COUNT, ncclFloat32, errs(r, "root") ? 1 : 0, r->world, r->stream));
    close_group(d);
    synchronize(d);
}

/* ---- a step ---- */

static void reduce_layer(struct rank *r, int step)
{
    if (!r->tp || slips(r, step, "skip-tp"))
        return;
    if (slips(r, step, "wrong-comm"))
        CHECK(ncclAllReduce(r->x, r->x, COUNT, ncclFloat32, ncclSum, r->dp, r->stream));
    else if (slips(r, step, "kind"))
        CHECK(ncclAllGather(r->x, r->y, COUNT, ncclFloat32, r->tp, r->stream));
    else if (slips(r, step, "count"))
        CHECK(ncclAllReduce(r->x, r->x, COUNT - 1, ncclFloat32, ncclSum, r->tp, r->stream));
    else
        CHECK(ncclAllReduce(r->x, r->x, COUNT, ncclFloat32, ncclSum, r->tp, r->stream));
    if (slips(r, step, "extra"))
        CHECK(ncclAllReduce(r->x, r->x, COUNT, ncclFloat32, ncclSum, r->tp, r->stream));
}

static void exchange(struct rank *r, int step)
{
    int next = (r->rank + 1) % ranks, last = (r->rank + ranks - 1) % ranks;
    if (slips(r, step, "wrong-peer"))
        next = (r->rank + 2) % ranks;
    if (!slips(r, step, "no-send"))
        CHECK(ncclSend(r->x, COUNT, ncclFloat32, next, r->world, r->stream));
    if (!slips(r, step, "no-recv"))
        CHECK(ncclRecv(r->y, COUNT, ncclFloat32, last, r->world, r->stream));
}

/* Each rank gives its activations to the next one. */
static void pass_on(struct driver *d, int step)
{
    bool grouped = step != 1 || !is("p2p-cycle");
    if (grouped)
        CHECK(ncclGroupStart());
    EACH(r, d)
    exchange(r, step);
    if (grouped && !slips(d->rank, step, "no-group-end"))
        CHECK(ncclGroupEnd());
    synchronize(d);
}

static void scatter_gradients(struct driver *d, int step)
{
    group(d);
    EACH(r, d)
    if (!slips(r, step, "skip-dp"))
        CHECK(
            ncclReduceScatter(r->x, r->y, COUNT, slips(r, step, "dtype") ? ncclFloat16 : ncclFloat32, ncclSum, r->dp, r->stream));
    close_group(d);
}

static void reduce_metrics(struct rank *r)
{
    if (r->tp)
        CHECK(ncclAllReduce(r->y, r->y, 2, ncclFloat32, ncclMax, r->tp, r->stream));
}

static void gather_weights(struct rank *r)
{
    CHECK(ncclAllGather(r->y, r->x, COUNT, ncclFloat32, r->dp, r->stream));
}

/* With the mistake, half of the ranks, some of each group, make the two calls in the other order. */
static void update(struct driver *d, int step)
{
    for (int turn = 0; turn < 2; turn++) {
        group(d);
        EACH(r, d)
        {
            bool other = is("swap") && step == 1 && (r->rank / half + r->rank % half) % 2;
            (turn == 0) != other ? reduce_metrics(r) : gather_weights(r);
        }
        close_group(d);
    }
}

static void norm(struct driver *d, int step)
{
    group(d);
    EACH(r, d)
    if (!slips(r, step, "skip-world"))
        CHECK(ncclAllReduce(r->y, r->y, 1, ncclFloat32, slips(r, step, "op") ? ncclMax : ncclSum, r->world, r->stream));
    close_group(d);
    synchronize(d);
}

static void leave(struct rank *r, int step)
{
    if (slips(r, step, "early-destroy")) {
        CHECK(ncclCommDestroy(r->tp));
        r->tp = NULL;
    }
    if (slips(r, step, "abort")) {
        CHECK(ncclCommAbort(r->tp));
        CHECK(ncclCommAbort(r->dp));
        CHECK(ncclCommAbort(r->world));
        r->gone = true;
    }
    if (slips(r, step, "exit"))
        r->gone = true;
}

static void train(struct driver *d)
{
    for (int step = 0; step < STEPS; step++) {
        EACH(r, d)
        leave(r, step);
        if (d->count == 1 && d->rank->gone)
            return;
        for (struct rank *r = d->rank; r < d->rank + d->count; r++)
            r->rests = errs(r, "short") && step == STEPS - 1;
        if (d->count == 1 && d->rank->rests)
            break;
        for (int i = 0; i < LAYERS; i++) {
            group(d);
            EACH(r, d)
            reduce_layer(r, i == 1 ? step : -1);
            close_group(d);
        }
        pass_on(d, step);
        scatter_gradients(d, step);
        update(d, step);
        norm(d, step);
    }
    for (int i = 0; i < d->count; i++)
        d->rank[i].rests = false;
}

/* ---- the end ---- */

static void end(struct driver *d)
{
    group(d);
    EACH(r, d)
    if (!errs(r, "skip-last"))
        CHECK(ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, r->world, r->stream));
    close_group(d);
    synchronize(d);
    EACH(r, d)
    if (r->tp)
        CHECK(ncclCommDestroy(r->tp));
    EACH(r, d)
    if (!errs(r, "no-destroy"))
        CHECK(ncclCommDestroy(r->dp));
    EACH(r, d)
    CHECK(ncclCommDestroy(r->world));
    EACH(r, d)
    {
        CHECK(cudaFree(r->x));
        CHECK(cudaFree(r->y));
        CHECK(cudaStreamDestroy(r->stream));
    }
}

static void *drive(void *driver)
{
    struct driver *d = driver;
    for (int i = 0; i < d->count; i++)
        d->rank[i].gone = errs(&d->rank[i], "no-init");
    if (d->count == 1 && d->rank->gone)
        return NULL;
    begin(d);
    share_weights(d);
    train(d);
    if (d->count > 1 || !d->rank->gone)
        end(d);
    return NULL;
}

/* ---- starts ---- */

static void threads(void)
{
    static struct driver driver[MOST];
    pthread_t thread[MOST];
    CHECK(ncclGetUniqueId(&id));
    for (int i = 0; i < ranks; i++) {
        driver[i].count = 1;
        driver[i].rank->rank = i;
        pthread_create(&thread[i], NULL, drive, &driver[i]);
    }
    for (int i = 0; i < ranks; i++)
        pthread_join(thread[i], NULL);
}

static void one(void)
{
    static struct driver all;
    CHECK(ncclGetUniqueId(&id));
    all.count = ranks;
    for (int i = 0; i < ranks; i++)
        all.rank[i].rank = i;
    drive(&all);
}

static void single(int rank)
{
    static struct driver driver = { .count = 1 };
    driver.rank->rank = rank;
    drive(&driver);
}

static void nap(void)
{
    usleep(1000);
}

static int forked(void)
{
    struct {
        atomic_bool has_id;
        ncclUniqueId id;
    } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int failed = 0, status;
    for (int i = 0; i < ranks; i++)
        if (fork() == 0) {
            if (i == 0) {
                CHECK(ncclGetUniqueId(&shared->id));
                atomic_store(&shared->has_id, true);
            }
            while (!atomic_load(&shared->has_id))
                nap();
            id = shared->id;
            single(i);
            exit(0);
        }
    while (wait(&status) > 0)
        failed |= status != 0;
    return failed;
}

/* Process 0 puts the id into the file DOORS_ID. */
static void launched(void)
{
    const char *path = getenv("DOORS_ID"), *rank = getenv("RANK");
    char temporary[4096];
    FILE *f;
    if (!rank)
        rank = getenv("OMPI_COMM_WORLD_RANK");
    if (!path || !rank)
        exit(2);
    if (atoi(rank) == 0) {
        CHECK(ncclGetUniqueId(&id));
        snprintf(temporary, sizeof temporary, "%s.new", path);
        if (!(f = fopen(temporary, "w")) || fwrite(&id, sizeof id, 1, f) != 1 || fclose(f) || rename(temporary, path))
            exit(2);
    }
    while (!(f = fopen(path, "r")))
        nap();
    if (fread(&id, sizeof id, 1, f) != 1)
        exit(2);
    fclose(f);
    single(atoi(rank));
}

static void *sleep_on(void *none)
{
    for (;;)
        pause();
    return none;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    bug = argv[2];
    ranks = atoi(argv[3]);
    if (ranks < 4 || ranks > MOST || ranks % 2)
        return 2;
    half = ranks / 2;
    odd = ranks * 5 / 8;
    pthread_t sleeper;
    if (argc > 4)
        pthread_create(&sleeper, NULL, sleep_on, NULL);
    if (strcmp(argv[1], "threads") == 0)
        threads();
    else if (strcmp(argv[1], "one") == 0)
        one();
    else if (strcmp(argv[1], "fork") == 0)
        return forked();
    else
        launched();
    return 0;
}
