/* Drives a fuzz target where libFuzzer is not there: the seeds as they are, then random changes of
 * them, the same in every run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

/* What is looked for, only a sanitizer sees. */
#if defined(FUZZ_ROUNDS)
enum { ROUNDS = FUZZ_ROUNDS };
#elif defined(__SANITIZE_ADDRESS__)
enum { ROUNDS = 5000 };
#else
enum { ROUNDS = 1000 };
#endif
enum { BYTES_MAX = 1 << 16 };

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t bytes);

struct seed {
    unsigned char *data;
    size_t bytes;
};

static struct seed read_seed(const char *path)
{
    struct seed seed = { ncs_new(BYTES_MAX), 0 };
    FILE *f = fopen(path, "rb");
    if (f) {
        seed.bytes = fread(seed.data, 1, BYTES_MAX / 2, f);
        fclose(f);
    }
    return seed;
}

/* Replaces, removes or repeats a run of bytes, or brings one over from another seed. */
static size_t change(struct ncs_random *random, unsigned char *data, size_t bytes,
                     const struct seed *other)
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
    case 1:
        memmove(data + at, data + at + run, bytes - at - run);
        return bytes - run;
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

int main(int argc, char **argv)
{
    size_t count = (size_t)argc - 1;
    if (count == 0) {
        fprintf(stderr, "usage: %s SEED...\n", argv[0]);
        return 2;
    }
    struct seed *seed = ncs_new(count * sizeof *seed);
    for (size_t i = 0; i < count; i++) {
        seed[i] = read_seed(argv[i + 1]);
        if (seed[i].bytes == 0) {
            fprintf(stderr, "%s: no seed\n", argv[i + 1]);
            return 1;
        }
        LLVMFuzzerTestOneInput(seed[i].data, seed[i].bytes);
    }
    struct ncs_random random = { 1 };
    unsigned char *data = ncs_new(BYTES_MAX);
    for (int round = 0; round < ROUNDS; round++) {
        const struct seed *from = &seed[ncs_random_below(&random, count)];
        size_t bytes = from->bytes;
        memcpy(data, from->data, bytes);
        for (uint64_t n = 1 + ncs_random_below(&random, 4); n > 0; n--)
            bytes = change(&random, data, bytes, &seed[ncs_random_below(&random, count)]);
        LLVMFuzzerTestOneInput(data, bytes);
    }
    printf("%zu seeds, %d changes of them\n", count, ROUNDS);
    for (size_t i = 0; i < count; i++)
        ncs_free(seed[i].data);
    ncs_free(seed);
    ncs_free(data);
    return 0;
}
