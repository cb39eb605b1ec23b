#define _GNU_SOURCE /* sched_getaffinity */
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/thread.h"

enum {
    MOST_WORKERS = 63,
    PIECES_PER_THREAD = 4, /* several, so that other threads take over the pieces of a delayed one */
};

struct job {
    void (*body)(size_t begin, size_t end, void *arg);
    void *arg;
    size_t count, pieces;
    size_t next; /* the first piece that no thread has taken */
};

/* The holder of `turn` may start workers and set the job; `lock` guards the other fields. Workers are
 * counted in and out of a job, so that it can live on the caller's stack. */
static struct pool {
    pthread_mutex_t turn, lock;
    pthread_cond_t work, idle;
    struct job *job;
    bool started;
    int active;
    int workers; /* as long as the process */
} pool = {
    .turn = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .work = PTHREAD_COND_INITIALIZER,
    .idle = PTHREAD_COND_INITIALIZER,
};

/* The first element of piece k: the first count % pieces pieces are one element longer. */
static size_t piece_begin(const struct job *job, size_t k)
{
    size_t longer = job->count % job->pieces;
    return k * (job->count / job->pieces) + (k < longer ? k : longer);
}

static void take_pieces(struct job *job)
{
    for (;;) {
        size_t k = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        if (k >= job->pieces)
            return;
        job->body(piece_begin(job, k), piece_begin(job, k + 1), job->arg);
    }
}

static bool has_work(const struct job *job)
{
    return job && __atomic_load_n(&job->next, __ATOMIC_RELAXED) < job->pieces;
}

static void *worker_main(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (!has_work(pool.job))
            pthread_cond_wait(&pool.work, &pool.lock);
        struct job *job = pool.job;
        pool.active++;
        pthread_mutex_unlock(&pool.lock);
        take_pieces(job);
        pthread_mutex_lock(&pool.lock);
        if (--pool.active == 0)
            pthread_cond_signal(&pool.idle);
    }
    return NULL;
}

int ncs_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    /* more cores than a cpu_set_t holds */
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (int)cores : 1;
}

/* In a child process the pool's threads do not exist. */
static void forget_pool(void)
{
    pool = (struct pool){
        .turn = PTHREAD_MUTEX_INITIALIZER,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .work = PTHREAD_COND_INITIALIZER,
        .idle = PTHREAD_COND_INITIALIZER,
    };
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget_pool);
}

/* Starts as many workers as the machine allows. None is no failure: the caller then does the work. */
static void start_workers(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);

    int want = ncs_cores() - 1;
    if (want > MOST_WORKERS)
        want = MOST_WORKERS;
    while (pool.workers < want && ncs_thread_start(NULL, NULL, worker_main, NULL) == 0)
        pool.workers++;
    pool.started = true;
}

static void run_job(struct job *job)
{
    pthread_mutex_lock(&pool.lock);
    pool.job = job;
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);

    take_pieces(job);

    pthread_mutex_lock(&pool.lock);
    pool.job = NULL;
    while (pool.active > 0)
        pthread_cond_wait(&pool.idle, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

void ncs_parallel(size_t count, size_t grain, void (*body)(size_t begin, size_t end, void *arg), void *arg)
{
    if (count == 0)
        return;
    if (grain == 0)
        grain = 1;
    if (count / grain < 2 || pthread_mutex_trylock(&pool.turn) != 0) {
        body(0, count, arg);
        return;
    }
    if (!pool.started)
        start_workers();
    struct job job = { .body = body, .arg = arg, .count = count };
    size_t most = ((size_t)pool.workers + 1) * PIECES_PER_THREAD;
    job.pieces = count / grain < most ? count / grain : most;
    if (pool.workers == 0)
        body(0, count, arg);
    else
        run_job(&job);
    pthread_mutex_unlock(&pool.turn);
}
