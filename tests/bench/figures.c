/* How long whole runs take, from the start of the process to its exit: the median of several, beside
 * the target. Usage: figures PATH-OF-NCCLSCRIPT, in the folder of this file. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { RUNS = 21, ARGS = 9 };

struct figure {
    const char *what;
    double target; /* ms */
    int status;    /* expected */
    const char *arg[ARGS];
};

static const struct figure figures[] = {
    { "8 ranks, one verified all-reduce", 5, 0, { "run", "eight.lua" } },
    { "8 ranks, explained hang", 5, 3, { "run", "hang.lua" } },
    { "8 ranks, explained hang, as JSON", 5, 3, { "run", "--format", "json", "hang.lua" } },
    { "1024 ranks, 10 verified all-reduces of 1 KiB", 1000, 0, { "run", "wide.lua" } },
    { "the same with OS threads", 0, 0, { "run", "--ranks-as", "thread", "wide.lua" } },
    { "8 ranks, 1000 verified all-reduces of 1 KiB", 0, 0, { "run", "many.lua" } },
    { "8 ranks, one verified all-reduce of 64 MiB", 0, 0, { "run", "large.lua" } },
    { "the same, not verified", 0, 0, { "run", "--no-verify", "large.lua" } },
    { "a matrix of 100 000 cases, listed", 300, 0, { "run", "--list", "cases.lua" } },
};

/* The cost of watching for memory that nothing has written: two runs of unwritten.lua, by turns. */
#define WATCHED(ranks, times, how)                                                           \
    {                                                                                        \
        "run", "-n", ranks, "--set", "times=" times, "--set", "memory=" how, "unwritten.lua" \
    }
static const struct comparison {
    const char *what;
    double target; /* of the ratio */
    struct figure with, without;
} comparisons[] = {
#define WATCHING(what, ranks, times, how)                       \
    {                                                           \
        what, 1.05, { what, 0, 0, WATCHED(ranks, times, how) }, \
        {                                                       \
            what, 0, 0, WATCHED(ranks, times, "written")        \
        }                                                       \
    }
    WATCHING("1 rank, 1000 calls, other memory unwritten", "1", "1000", "apart"),
    WATCHING("8 ranks, 10 calls, other memory unwritten", "8", "10", "apart"),
    WATCHING("8 ranks, 1000 calls, other memory unwritten", "8", "1000", "apart"),
    WATCHING("8 ranks, 1000 calls on unwritten memory", "8", "1000", "carried"),
    WATCHING("1024 ranks, 10 calls, other memory unwritten", "1024", "10", "apart"),
    WATCHING("1024 ranks, 10 calls on unwritten memory", "1024", "10", "carried"),
};

extern char **environ;

static double run_once(const char *program, const struct figure *figure)
{
    const char *argv[ARGS + 2] = { program };
    memcpy(argv + 1, figure->arg, sizeof figure->arg);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t pid;
    int status = -1;
    if (posix_spawn(&pid, program, &actions, NULL, (char **)argv, environ) != 0 || waitpid(pid, &status, 0) != pid)
        status = -1;
    clock_gettime(CLOCK_MONOTONIC, &end);
    posix_spawn_file_actions_destroy(&actions);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != figure->status)
        return -1;
    return (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int measure(const char *program, const struct figure *figure)
{
    double took[RUNS];
    for (int i = 0; i < RUNS; i++) {
        took[i] = run_once(program, figure);
        if (took[i] < 0) {
            printf("%-46s  did not exit with %d\n", figure->what, figure->status);
            return 1;
        }
    }
    qsort(took, RUNS, sizeof *took, ascending);
    double median = took[RUNS / 2];
    printf("%-46s  %9.2f ms  (%.2f .. %.2f)", figure->what, median, took[0], took[RUNS - 1]);
    if (figure->target > 0)
        printf("  target %g ms, ratio %.2f", figure->target, median / figure->target);
    printf("\n");
    return 0;
}

static int compare(const char *program, const struct comparison *c)
{
    double with[RUNS], without[RUNS];
    for (int i = 0; i < RUNS; i++) {
        with[i] = run_once(program, &c->with);
        without[i] = run_once(program, &c->without);
        if (with[i] < 0 || without[i] < 0) {
            printf("%-46s  did not exit with 0\n", c->what);
            return 1;
        }
    }
    qsort(with, RUNS, sizeof *with, ascending);
    qsort(without, RUNS, sizeof *without, ascending);
    double a = with[RUNS / 2], b = without[RUNS / 2];
    printf("%-46s  %9.2f ms, else %.2f ms: ratio %.3f  target %.2f\n", c->what, a, b, a / b, c->target);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: figures PATH-OF-NCCLSCRIPT\n");
        return 2;
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        failed += measure(argv[1], &figures[i]);
    for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
        failed += compare(argv[1], &comparisons[i]);
    return failed > 0;
}
