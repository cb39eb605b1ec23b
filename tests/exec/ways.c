/* ways WAY MISTAKE: one job of four ranks, started in several ways. It has communicators of a split, of a split of a split, of a
 * shrink, and a second one of all ranks in another order. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "client.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 4, BAD = 2, SIZE = 8 };

struct way {
    int rank;
    ncclComm_t world, half, single, turned, rest;
    cudaStream_t stream;
    float *x;
};

static const char *mistake = "";
static ncclUniqueId id[2];

/* The rank that makes the mistake. */
static int errs(const struct way *w, const char *how)
{
    return w->rank == BAD && strcmp(mistake, how) == 0;
}

static void reduce(const struct way *w, ncclComm_t comm)
{
    CHECK(ncclAllReduce(w->x, w->x, SIZE, ncclFloat32, ncclSum, comm, w->stream));
}

static void open_rank(struct way *w)
{
    CHECK(cudaSetDevice(w->rank));
    if (w->stream)
        CHECK(cudaStreamCreate(&w->stream));
    w->x = floats_of(1, SIZE);
}

static void join(struct way *w)
{
    CHECK(ncclCommInitRank(&w->world, RANKS, id[0], w->rank));
}
static void join_turned(struct way *w)
{
    CHECK(ncclCommInitRank(&w->turned, RANKS, id[1], (w->rank + 3) % RANKS));
}
static void split(struct way *w)
{
    if (!errs(w, "split"))
        CHECK(ncclCommSplit(w->world, w->rank / 2, w->rank, &w->half, NULL));
}
static void split_again(struct way *w)
{
    CHECK(ncclCommSplit(w->half, w->rank, 0, &w->single, NULL));
}
static void shrink(struct way *w)
{
    int without = 0;
    if (w->rank != without)
        CHECK(ncclCommShrink(w->world, &without, 1, &w->rest, NULL, NCCL_SHRINK_DEFAULT));
}
static void reduce_world(struct way *w)
{
    reduce(w, w->world);
}
static void reduce_turned(struct way *w)
{
    reduce(w, w->turned);
}
static void reduce_single(struct way *w)
{
    reduce(w, w->single);
}
static void reduce_half(struct way *w)
{
    if (!errs(w, "skip"))
        reduce(w, w->half);
}
static void reduce_rest(struct way *w)
{
    if (w->rank && !errs(w, "rest"))
        reduce(w, w->rest);
}
static void reduce_last(struct way *w)
{
    if (!errs(w, "last"))
        reduce(w, w->world);
}
static void end_early(struct way *w)
{
    if (errs(w, "early"))
        CHECK(ncclCommDestroy(w->half));
}
static void reduce_half_again(struct way *w)
{
    if (!errs(w, "early"))
        reduce(w, w->half);
}
static void wait_all(struct way *w)
{
    CHECK(cudaSetDevice(w->rank));
    CHECK(cudaStreamSynchronize(w->stream));
}
static void end_single(struct way *w)
{
    CHECK(ncclCommDestroy(w->single));
}
/* In the program's own code. */
static void wait_for_ever(void)
{
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&held);
    pthread_mutex_lock(&held);
}
static void end_half(struct way *w)
{
    if (errs(w, "stays"))
        wait_all(w), wait_for_ever();
    if (!errs(w, "early"))
        CHECK(ncclCommDestroy(w->half));
}
static void end_rest(struct way *w)
{
    if (w->rank)
        CHECK(ncclCommDestroy(w->rest));
}
static void end_turned(struct way *w)
{
    CHECK(ncclCommDestroy(w->turned));
}
static void end_world(struct way *w)
{
    CHECK(ncclCommDestroy(w->world));
}

static void (*const steps[])(struct way *) = {
    join,        split,      split_again, join_turned, shrink,     reduce_world,      reduce_turned, reduce_single,
    reduce_half, wait_all,   reduce_rest, wait_all,    end_early,  reduce_half_again, wait_all,      reduce_last,
    wait_all,    end_single, end_half,    end_rest,    end_turned, end_world,
};
enum { STEPS = sizeof steps / sizeof *steps };

static void *all_steps(void *arg)
{
    struct way *w = arg;
    if (errs(w, "join"))
        return NULL;
    open_rank(w);
    for (int i = w->world != NULL; i < STEPS; i++)
        steps[i](w);
    return NULL;
}

/* One thread makes each step for all ranks: calls of NCCL in a group, waits one after the other. */
static void as_one(struct way *w)
{
    for (int r = 0; r < RANKS; r++)
        open_rank(&w[r]);
    for (int i = 0; i < STEPS; i++) {
        if (steps[i] != wait_all)
            CHECK(ncclGroupStart());
        for (int r = 0; r < RANKS; r++) {
            CHECK(cudaSetDevice(r));
            steps[i](&w[r]);
        }
        if (steps[i] != wait_all)
            CHECK(ncclGroupEnd());
    }
}

static void as_processes(struct way *w)
{
    struct {
        volatile int ready;
        ncclUniqueId id[2];
    } *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int r = 0; r < RANKS; r++) {
        if (fork())
            continue;
        if (r == 0) {
            CHECK(ncclGetUniqueId(&shared->id[0]));
            CHECK(ncclGetUniqueId(&shared->id[1]));
            __sync_synchronize();
            shared->ready = 1;
        }
        while (!shared->ready)
            usleep(1000);
        memcpy(id, shared->id, sizeof id);
        all_steps(&w[r]);
        exit(0);
    }
    while (wait(NULL) > 0)
        ;
}

int main(int argc, char **argv)
{
    static struct way w[RANKS];
    const char *way = argc > 1 ? argv[1] : "";
    mistake = argc > 2 ? argv[2] : "";
    for (int r = 0; r < RANKS; r++)
        w[r] = (struct way){ .rank = r, .stream = strcmp(way, "null") ? (cudaStream_t)&w[r] : NULL };
    if (strcmp(way, "fork") == 0) {
        as_processes(w);
        return 0;
    }
    CHECK(ncclGetUniqueId(&id[0]));
    CHECK(ncclGetUniqueId(&id[1]));
    if (strcmp(way, "one") == 0 || strcmp(way, "null") == 0) {
        as_one(w);
        return 0;
    }
    if (strcmp(way, "all") == 0) {
        ncclComm_t comm[RANKS];
        CHECK(ncclCommInitAll(comm, RANKS, NULL));
        for (int r = 0; r < RANKS; r++)
            w[r].world = comm[r];
    } else if (strcmp(way, "group") == 0) {
        CHECK(ncclGroupStart());
        for (int r = 0; r < RANKS; r++) {
            CHECK(cudaSetDevice(r));
            join(&w[r]);
        }
        CHECK(ncclGroupEnd());
    }
    pthread_t thread[RANKS];
    for (int r = 0; r < RANKS; r++)
        pthread_create(&thread[r], NULL, all_steps, &w[r]);
    for (int r = 0; r < RANKS; r++)
        pthread_join(thread[r], NULL);
    return 0;
}
