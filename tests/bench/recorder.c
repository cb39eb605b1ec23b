/* What the recorder adds to a call of NCCL, beside the target: the difference of two programs that make millions of calls to
 * libraries which do nothing.
 * Usage: recorder PATH-OF-NCCLSCRIPT PATH-OF-RECORD-JOB */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { CALLS = 10000000, RUNS = 5, TARGET = 100 };

extern char **environ;

/* Seconds of the processor; negative = it failed. */
static double run_once(char *const *argv)
{
    struct rusage used;
    pid_t pid;
    int status = -1;
    if (posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) != 0 || wait4(pid, &status, 0, &used) != pid)
        status = -1;
    return status ? -1 : (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6;
}

/* The least of several: others disturb, and never help. */
static double least(char *const *argv)
{
    double best = -1;
    for (int i = 0; i < RUNS; i++) {
        double s = run_once(argv);
        if (s < 0)
            return -1;
        best = best < 0 || s < best ? s : best;
    }
    return best;
}

int main(int argc, char **argv)
{
    char folder[] = "/dev/shm/ncclscript-bench-XXXXXX", calls[32], remove[128];
    if (argc != 3 || !mkdtemp(folder)) {
        fprintf(stderr, "usage: %s NCCLSCRIPT RECORD-JOB\n", argv[0]);
        return 2;
    }
    snprintf(calls, sizeof calls, "%d", CALLS);
    setenv("NCCLSCRIPT_QUIET", "1", 1);
    char *const plain[] = { argv[2], (char *)"join", (char *)"reduce", calls, NULL };
    char *const recorded[] = { argv[1], (char *)"record", (char *)"-o",     folder, (char *)"--",
                               argv[2], (char *)"join",   (char *)"reduce", calls,  NULL };
    double without = least(plain), with = least(recorded);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    int left = system(remove);
    if (without < 0 || with < 0 || left != 0) {
        fprintf(stderr, "the job failed\n");
        return 1;
    }
    printf("%-50s %8.1f ns  (target %d ns)\n", "a recorded call of NCCL, beyond the call itself", (with - without) / CALLS * 1e9,
           TARGET);
    return 0;
}
