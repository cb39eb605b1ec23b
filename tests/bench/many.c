/* Jobs of many processes under `exec`, beside the targets: how long a call takes, a large all-reduce, the start of 64 processes
 * and the report of a hang; and whether memory stays flat in a million calls. The machine keeps the newest calls for its reports, so
 * it grows at first.
 * Usage: many PATH-OF-NCCLSCRIPT PATH-OF-MANY-JOB */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void print(const char *what, double got, const char *unit, double target)
{
    printf("%-58s  %9.2f %s", what, got, unit);
    if (target > 0)
        printf("  target %g %s, ratio %.2f", target, unit, got / target);
    printf("\n");
    fflush(stdout);
}

/* ---- jobs ---- */

static const char *ncclscript, *job;

/* What a run of the job has shown. Times are in seconds, of the same clock as the job's. */
struct seen {
    double figure[3];
    double began, reported; /* reported: the first byte on standard error */
    int status;
};

static pid_t start(const char *what, const char *ranks, const int out[2], const int err[2])
{
    const char *argv[] = { ncclscript, "exec", "-n", ranks, "--timeout", "300s", "--", job, what, ranks, NULL };
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    bool started = posix_spawn(&pid, ncclscript, &actions, NULL, (char **)argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started ? pid : -1;
}

/* Reads all that the job prints. */
static void watch(struct seen *s, int out, int err)
{
    struct pollfd p[2] = { { .fd = out, .events = POLLIN }, { .fd = err, .events = POLLIN } };
    char text[4096], rest[4096];
    size_t bytes = 0;
    while (p[0].fd >= 0 || p[1].fd >= 0) {
        poll(p, 2, -1);
        ssize_t n = p[1].revents ? read(err, rest, sizeof rest) : 0;
        if (n > 0 && s->reported == 0)
            s->reported = now();
        if (p[1].revents && n <= 0)
            p[1].fd = -1;
        n = p[0].revents ? read(out, text + bytes, sizeof text - 1 - bytes) : 0;
        bytes += n > 0 ? (size_t)n : 0;
        if (p[0].revents && n <= 0)
            p[0].fd = -1;
    }
    text[bytes] = '\0';
    sscanf(text, "%lf %lf %lf", &s->figure[0], &s->figure[1], &s->figure[2]);
}

/* False after a line on standard error, if the job did not end with this status. */
static bool run(const char *what, int ranks, int status, struct seen *s)
{
    int out[2], err[2], how = -1;
    char number[16];
    *s = (struct seen){ .status = -1 };
    snprintf(number, sizeof number, "%d", ranks);
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        return false;
    s->began = now();
    pid_t pid = start(what, number, out, err);
    close(out[1]);
    close(err[1]);
    if (pid > 0)
        watch(s, out[0], err[0]);
    close(out[0]);
    close(err[0]);
    if (pid > 0 && waitpid(pid, &how, 0) == pid && WIFEXITED(how))
        s->status = WEXITSTATUS(how);
    if (s->status != status)
        fprintf(stderr, "%s, %d processes: exit status %d, not %d\n", what, ranks, s->status, status);
    return s->status == status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of several runs of the job, of what `figure` makes of each; negative = one of them failed. */
static double median(const char *what, int ranks, int status, double (*figure)(const struct seen *s))
{
    enum { RUNS = 7 };
    double got[RUNS];
    struct seen s;
    for (int i = 0; i < RUNS; i++) {
        if (!run(what, ranks, status, &s))
            return -1;
        got[i] = figure(&s);
    }
    qsort(got, RUNS, sizeof *got, ascending);
    return got[RUNS / 2];
}

static double until_first(const struct seen *s)
{
    return s->figure[0] - s->began;
}

static double until_report(const struct seen *s)
{
    return (s->reported - s->figure[0]) * 1e3;
}

/* ---- the limit of a large all-reduce: one pass of all cores that reads all buffers and writes all ---- */

enum { BUFFERS = 8, COUNT = 16 << 20, PIECE = 4096, CORES_MOST = 256, PASSES = 10 };
#define PAGE ((size_t)2 << 20)
#define SKEW ((size_t)4096 + 512) /* bytes: buffers whose addresses are too alike share lines of the caches */

static float *from[BUFFERS], *to[BUFFERS];
static pthread_barrier_t barrier;

struct part {
    int first, end; /* elements */
};

/* Past the caches where that is known how: else each line of `out` is read before it is written. */
static void store_piece(float *out, const float *sum)
{
#if defined(__SSE2__)
    for (int i = 0; i < PIECE; i += 4)
        _mm_stream_ps(out + i, _mm_load_ps(sum + i));
#else
    memcpy(out, sum, PIECE * sizeof *sum);
#endif
}

static void reduce_piece(int at)
{
    _Alignas(64) float sum[PIECE];
    for (int i = 0; i < PIECE; i++)
        sum[i] = from[0][at + i];
    for (int b = 1; b < BUFFERS; b++) {
        const float *x = from[b] + at;
        for (int i = 0; i < PIECE; i++)
            sum[i] += x[i];
    }
    for (int b = 0; b < BUFFERS; b++)
        store_piece(to[b] + at, sum);
}

static void *limit_main(void *arg)
{
    const struct part *p = arg;
    for (int pass = 0; pass <= PASSES; pass++) {
        pthread_barrier_wait(&barrier);
        for (int at = p->first; at < p->end; at += PIECE)
            reduce_piece(at);
        pthread_barrier_wait(&barrier);
    }
    return arg;
}

static int cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n < CORES_MOST ? n : CORES_MOST;
}

/* Seconds of the fastest pass. The first one touches the memory, and does not count. */
static double time_passes(void)
{
    double best = 0;
    for (int pass = 0; pass <= PASSES; pass++) {
        pthread_barrier_wait(&barrier);
        double begin = now();
        pthread_barrier_wait(&barrier);
        double took = now() - begin;
        best = pass <= 1 || took < best ? took : best;
    }
    return best;
}

/* Memory of large pages, if the system gives them, for all buffers. NULL: there is none. */
static char *new_buffers(size_t *bytes)
{
    size_t each = COUNT * sizeof(float) + SKEW;
    *bytes = 2 * BUFFERS * each + PAGE;
    char *memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    madvise(memory, *bytes, MADV_HUGEPAGE);
    char *first = memory + (PAGE - (uintptr_t)memory % PAGE) % PAGE;
    for (size_t b = 0; b < BUFFERS; b++) {
        from[b] = (float *)(first + b * each);
        to[b] = (float *)(first + (BUFFERS + b) * each);
        for (int i = 0; i < COUNT; i++)
            from[b][i] = (float)(i % 4093 + (int)b);
    }
    return memory;
}

/* Seconds; 0 = there is no memory for it. */
static double limit(void)
{
    int n = cores(), pieces = COUNT / PIECE;
    pthread_t thread[CORES_MOST];
    struct part part[CORES_MOST];
    size_t bytes;
    char *memory = new_buffers(&bytes);
    if (!memory)
        return 0;
    pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
    for (int i = 0; i < n; i++) {
        part[i] = (struct part){ pieces * i / n * PIECE, pieces * (i + 1) / n * PIECE };
        pthread_create(&thread[i], NULL, limit_main, &part[i]);
    }
    double best = time_passes();
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    munmap(memory, bytes);
    return best;
}

/* ---- figures ---- */

static bool measure_large(void)
{
    struct seen s;
    if (!run("large", BUFFERS, 0, &s))
        return false;
    double best = limit() * 1e3, took = s.figure[0] * 1e3;
    printf("%-58s  %9.2f ms  limit %.2f ms with %d cores, wanted ratio 1.5, ratio %.2f\n",
           "8 processes, an all-reduce of 64 MiB of float32", took, best, cores(), took / best);
    fflush(stdout);
    return true;
}

/* MB. Memory that was given back is no figure of its own. */
static double grown(double bytes)
{
    return bytes > 0 ? bytes / 1e6 : 0;
}

static bool measure_million(void)
{
    struct seen s;
    if (!run("million", 4, 0, &s))
        return false;
    print("4 processes, a million calls", s.figure[0], "s", 0);
    print("  how its machine grew after the first 100 000", grown(s.figure[1]), "MB", 1);
    print("  how its machine grew in the second half", grown(s.figure[2]), "MB", 1);
    return true;
}

static bool measure(const char *title, double got, const char *unit, double target)
{
    if (got >= 0)
        print(title, got, unit, target);
    return got >= 0;
}

int main(int argc, char **argv)
{
    struct seen s;
    bool fine = true;
    if (argc != 3) {
        fprintf(stderr, "usage: many PATH-OF-NCCLSCRIPT PATH-OF-MANY-JOB\n");
        return 2;
    }
    ncclscript = argv[1];
    job = argv[2];
    setenv("NCCLSCRIPT_QUIET", "1", 1);
    fine &= run("small", 4, 0, &s) &&
            measure("4 processes, an all-reduce of 8 bytes and the wait for it", s.figure[0] * 1e6, "us", 60);
    fine &= measure_large();
    fine &= measure("64 processes, from the start to the end of an all-reduce", median("first", 64, 0, until_first), "s", 1);
    fine &= measure("3 processes, from the last call of a hang to the report", median("hang", 3, 3, until_report), "ms", 50);
    fine &= measure_million();
    return !fine;
}
