/* Drives a fuzz target where libFuzzer is not there: the seeds as they are, then random changes of them.
 * The changes follow from one number, which is another each day and is printed: with
 * NCCLSCRIPT_FUZZ_SEED=NUMBER they are the same again. NCCLSCRIPT_FUZZ_ROUNDS is how many there are; with 0
 * a file is tried as it is. An input that the target fails at is printed and kept in PROGRAM.input. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/sanitizer.h"

/* What is looked for, only a sanitizer sees. */
#if defined(FUZZ_ROUNDS)
enum { ROUNDS = FUZZ_ROUNDS };
#elif NCS_ASAN
enum { ROUNDS = 5000 };
#else
enum { ROUNDS = 1000 };
#endif
enum { BYTES_MAX = 1 << 16, BYTES_SHOWN = 4096, SECONDS_MOST = 120 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

struct seed {
    const char *path;
    unsigned char *data;
    size_t bytes;
};

/* The input at hand, in memory that outlives the process which tries it. */
struct input {
    char name[256];
    size_t bytes;
    unsigned char data[BYTES_MAX];
};

static bool read_seed(struct seed *seed, const char *path)
{
    *seed = (struct seed){ .path = path, .data = ncs_new(BYTES_MAX) };
    FILE *f = fopen(path, "rb");
    if (f) {
        seed->bytes = fread(seed->data, 1, BYTES_MAX / 2, f);
        fclose(f);
    }
    if (!seed->bytes)
        fprintf(stderr, "%s: no seed\n", path);
    return seed->bytes > 0;
}

/* Replaces, removes or repeats a run of bytes, or brings one over from another seed. */
static size_t change(struct ncs_random *random, unsigned char *data, size_t bytes, const struct seed *other)
{
    size_t at = ncs_random_below(random, bytes + 1);
    size_t run = 1 + ncs_random_below(random, 12);
    if (at + run > bytes)
        run = bytes - at;
    switch (ncs_random_below(random, 4)) {
    case 0:
        for (size_t i = at; i < at + run; i++)
            data[i] = (unsigned char)ncs_random_next(random);
        return bytes;
    case 1: memmove(data + at, data + at + run, bytes - at - run); return bytes - run;
    case 2:
        if (bytes + run > BYTES_MAX)
            return bytes;
        memmove(data + at + run, data + at, bytes - at);
        return bytes + run;
    default:
        if (other->bytes < run)
            return bytes;
        memcpy(data + at, other->data + ncs_random_below(random, other->bytes - run + 1), run);
        return bytes;
    }
}

/* An input that computes without an end ends the process with SIGXCPU. */
static void try_input(const struct input *input)
{
    struct rusage used;
    struct rlimit most;
    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_CPU, &most);
    most.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + SECONDS_MOST);
    setrlimit(RLIMIT_CPU, &most);
    LLVMFuzzerTestOneInput(input->data, input->bytes);
}

static void try_all(struct input *now, const struct seed *seed, size_t count, uint64_t number, uint64_t rounds)
{
    for (size_t i = 0; i < count; i++) {
        snprintf(now->name, sizeof now->name, "%s", seed[i].path);
        now->bytes = seed[i].bytes;
        memcpy(now->data, seed[i].data, now->bytes);
        try_input(now);
    }
    struct ncs_random random = { number };
    for (uint64_t round = 0; round < rounds; round++) {
        const struct seed *from = &seed[ncs_random_below(&random, count)];
        snprintf(now->name, sizeof now->name, "change %" PRIu64 ", of %s", round, from->path);
        now->bytes = from->bytes;
        memcpy(now->data, from->data, now->bytes);
        for (uint64_t n = 1 + ncs_random_below(&random, 4); n > 0; n--)
            now->bytes = change(&random, now->data, now->bytes, &seed[ncs_random_below(&random, count)]);
        try_input(now);
    }
}

/* As a word of bash that stands for the same bytes. */
static void print_input(const struct input *input)
{
    printf("$'");
    for (size_t i = 0; i < input->bytes && i < BYTES_SHOWN; i++) {
        unsigned char c = input->data[i];
        if (c >= ' ' && c < 127 && c != '\'' && c != '\\')
            putchar(c);
        else
            printf("\\%03o", c);
    }
    printf("'%s\n", input->bytes > BYTES_SHOWN ? " and so on" : "");
}

static void print_failure(const char *program, const struct input *input, int status)
{
    char path[4096];
    snprintf(path, sizeof path, "%s.input", program);
    if (WIFSIGNALED(status))
        printf("failed at %s: signal %d (%s)\n", input->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        printf("failed at %s, or at the end: status %d\n", input->name, WEXITSTATUS(status));
    print_input(input);
    FILE *f = fopen(path, "wb");
    bool kept = f && fwrite(input->data, 1, input->bytes, f) == input->bytes;
    if (f && fclose(f) == 0 && kept)
        printf("again: NCCLSCRIPT_FUZZ_ROUNDS=0 %s %s\n", program, path);
    else
        printf("%s: not written: %s\n", path, strerror(errno));
}

/* A number from the environment; false: what is there is none. */
static bool take_number(const char *name, uint64_t *number)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return true;
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno)
        return true;
    fprintf(stderr, "%s: `%s` is no whole number from 0 to 2^64 - 1\n", name, text);
    return false;
}

static uint64_t today(void)
{
    time_t now = time(NULL);
    struct tm date;
    gmtime_r(&now, &date);
    return (uint64_t)(date.tm_year + 1900) * 10000 + (uint64_t)(date.tm_mon + 1) * 100 + (uint64_t)date.tm_mday;
}

/* In a process of its own: whatever ends it, the input that did is known. */
static bool try_apart(const char *program, const struct seed *seed, size_t count, uint64_t number, uint64_t rounds)
{
    int status = 0;
    struct input *now = mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t child = now == MAP_FAILED ? -1 : fork();
    if (child == 0) {
        try_all(now, seed, count, number, rounds);
        return true;
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror(program);
        return false;
    }
    if (status != 0)
        print_failure(program, now, status);
    return status == 0;
}

int main(int argc, char **argv)
{
    size_t count = (size_t)argc - 1;
    uint64_t number = today(), rounds = ROUNDS;
    if (count == 0)
        fprintf(stderr, "usage: %s SEED...\n", argv[0]);
    if (count == 0 || !take_number("NCCLSCRIPT_FUZZ_SEED", &number) || !take_number("NCCLSCRIPT_FUZZ_ROUNDS", &rounds))
        return 2;
    struct seed *seed = ncs_new(count * sizeof *seed);
    bool ok = true;
    for (size_t i = 0; i < count; i++)
        ok = read_seed(&seed[i], argv[i + 1]) && ok;
    printf("%zu seeds, %" PRIu64 " changes of them; again: NCCLSCRIPT_FUZZ_SEED=%" PRIu64 "\n", count, rounds, number);
    fflush(stdout); /* before the fork */
    ok = ok && try_apart(argv[0], seed, count, number, rounds);
    for (size_t i = 0; i < count; i++)
        ncs_free(seed[i].data);
    ncs_free(seed);
    return ok ? 0 : 1;
}
