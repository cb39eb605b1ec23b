/* Large memory whose contents are equal: it takes room once, and nobody sees another one's writes. */
#include <stdint.h>

#include "client.h"

#define MIB ((size_t)1 << 20)
#define BYTES (40 * MIB + 12 * 1024 + 8) /* not in whole pages */
#define COPIES 16

static unsigned char *pattern, *seen;

static char *device_memory(size_t bytes)
{
    char *p;
    CHECK(cudaMalloc((void **)&p, bytes));
    return p;
}

static void expect_bytes(const char *device, const unsigned char *want, size_t bytes, int line)
{
    CHECK(cudaMemcpy(seen, device, bytes, cudaMemcpyDeviceToHost));
    size_t at = 0;
    while (at < bytes && seen[at] == want[at])
        at++;
    if (at == bytes)
        return;
    fprintf(stderr, "line %d: byte %zu is %d, not %d\n", line, at, seen[at], want[at]);
    exit(8);
}
#define SAME(device, want) expect_bytes(device, want, BYTES, __LINE__)

/* Memory of the process; each page counts once, however often it is mapped. */
static long kib_in_use(void)
{
    char line[128];
    long kib = -1;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Pss: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

static void fill(void)
{
    uint64_t x = 1;
    for (size_t i = 0; i < BYTES; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        pattern[i] = (unsigned char)(x >> 56);
    }
}

/* A write to a shared page is seen by its writer only. */
static void writes(char *a, char *b, char *c)
{
    unsigned char *changed = malloc(BYTES);
    CHECK(cudaMemcpy(a, pattern, BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(b, a, BYTES, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(c, b, BYTES, cudaMemcpyDeviceToDevice));
    memcpy(changed, pattern, BYTES);
    memset(changed + 5 * MIB + 3, 1, 7);
    CHECK(cudaMemset(b + 5 * MIB + 3, 1, 7));
    SAME(a, pattern);
    SAME(b, changed);
    SAME(c, pattern);
    CHECK(cudaMemcpy(c, b, BYTES, cudaMemcpyDeviceToDevice));
    SAME(c, changed);
    pattern[9 * MIB]++; /* the caller's memory is his again */
    changed[9 * MIB]++;
    CHECK(cudaMemcpy(a, pattern, BYTES, cudaMemcpyHostToDevice));
    SAME(a, pattern);
    CHECK(cudaMemcpy(b, changed, BYTES, cudaMemcpyHostToDevice));
    SAME(b, changed);
    free(changed);
}

/* Places that do not lie alike. */
static void shifted(char *a, char *b)
{
    static const size_t places[] = { 0, 8, 4096, 2 * MIB, 3 * MIB + 40 };
    unsigned char *want = malloc(BYTES);
    for (size_t from = 0; from < 5; from++)
        for (size_t to = 0; to < 5; to++) {
            size_t bytes = BYTES - 4 * MIB;
            CHECK(cudaMemset(b, 3, BYTES));
            memset(want, 3, BYTES);
            CHECK(cudaMemcpy(b + places[to], a + places[from], bytes, cudaMemcpyDeviceToDevice));
            memcpy(want + places[to], pattern + places[from], bytes);
            SAME(b, want);
        }
    CHECK(cudaMemset(b, 0, BYTES));
    memset(want, 0, BYTES);
    SAME(b, want);
    free(want);
}

/* From the first to the second device, and then what nobody has ever written. */
static void sends(char *from, char *empty, char *to)
{
    ncclComm_t comm[2];
    unsigned char *zero = calloc(1, BYTES);
    CHECK(ncclCommInitAll(comm, 2, NULL));
    for (int round = 0; round < 2; round++) {
        CHECK(ncclGroupStart());
        CHECK(ncclSend(round ? empty : from, BYTES, ncclInt8, 1, comm[0], NULL));
        CHECK(ncclRecv(to, BYTES, ncclInt8, 0, comm[1], NULL));
        CHECK(ncclGroupEnd());
        SAME(to, round ? zero : pattern);
    }
    CHECK(ncclCommDestroy(comm[0]));
    CHECK(ncclCommDestroy(comm[1]));
    free(zero);
}

/* Sums of memory that is mapped: into other memory, which has contents, and in place. Other memory with these contents
 * keeps them. */
static void sums(char *a, char *same, char *to, char *there)
{
    ncclComm_t comm[2];
    char *out[2] = { to, there };
    unsigned char *twice = malloc(BYTES), *four = malloc(BYTES);
    for (size_t i = 0; i < BYTES; i++) {
        twice[i] = (unsigned char)(2 * pattern[i]);
        four[i] = (unsigned char)(4 * pattern[i]);
    }
    CHECK(ncclCommInitAll(comm, 2, NULL));
    CHECK(cudaMemcpy(a, pattern, BYTES, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(same, a, BYTES, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(to, 7, BYTES));
    CHECK(cudaMemset(there, 0, BYTES));
    for (int round = 0; round < 2; round++) {
        CHECK(ncclGroupStart());
        for (int r = 0; r < 2; r++)
            CHECK(ncclAllReduce(round ? out[r] : r ? same : a, out[r], BYTES, ncclUint8, ncclSum, comm[r], NULL));
        CHECK(ncclGroupEnd());
        SAME(to, round ? four : twice);
        SAME(there, round ? four : twice);
        SAME(a, pattern);
        SAME(same, pattern);
        CHECK(cudaMemcpy(to, twice, BYTES, cudaMemcpyHostToDevice)); /* mapped again */
        CHECK(cudaMemcpy(there, to, BYTES, cudaMemcpyDeviceToDevice));
    }
    SAME(there, twice);
    CHECK(ncclCommDestroy(comm[0]));
    CHECK(ncclCommDestroy(comm[1]));
    free(twice);
    free(four);
}

/* The same contents often, and much that is never touched, sent on. */
static void room(void)
{
    char *copy[COPIES];
    long before = kib_in_use();
    for (int i = 0; i < COPIES; i++) {
        copy[i] = device_memory(BYTES);
        if (i % 2 || i == 0)
            CHECK(cudaMemcpy(copy[i], pattern, BYTES, cudaMemcpyHostToDevice));
        else
            CHECK(cudaMemcpy(copy[i], copy[i - 1], BYTES, cudaMemcpyDeviceToDevice));
    }
    char *huge = device_memory((size_t)4 << 30), *there = device_memory((size_t)4 << 30);
    CHECK(cudaMemcpy(there, huge, (size_t)4 << 30, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(huge, 0, (size_t)4 << 30));
    CHECK(cudaMemset(there, 9, (size_t)4 << 30));
    CHECK(cudaDeviceSynchronize());
    if (before >= 0)
        EXPECT((size_t)(kib_in_use() - before) * 1024 < 3 * BYTES, 1);
    SAME(copy[COPIES - 1], pattern);
    CHECK(cudaFree(huge));
    CHECK(cudaFree(there));
    for (int i = 0; i < COPIES; i++) {
        SAME(copy[i], pattern);
        CHECK(cudaFree(copy[i]));
    }
}

int main(void)
{
    pattern = malloc(BYTES);
    seen = malloc(BYTES);
    fill();
    char *a = device_memory(BYTES), *b = device_memory(BYTES), *c = device_memory(BYTES);
    char *empty = device_memory(BYTES);
    writes(a, b, c);
    shifted(a, b);
    CHECK(cudaSetDevice(1));
    char *there = device_memory(BYTES), *same = device_memory(BYTES);
    sends(a, empty, there);
    CHECK(cudaSetDevice(0));
    sums(a, same, c, there);
    room();
    SAME(a, pattern);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
    CHECK(cudaFree(c));
    CHECK(cudaFree(empty));
    CHECK(cudaFree(there));
    CHECK(cudaFree(same));
    free(pattern);
    free(seen);
    printf("chunks: ok\n");
    return 0;
}
