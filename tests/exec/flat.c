/* Many calls from threads of their own, then as many from one thread for all devices: memory does
 * not grow with them. `flat PIECES`: that many times 2000 all-reduces each way, and the growth after
 * the first three quarters may be what a few more pages come to. */
#include <unistd.h>

#include "client.h"

#define PIECE 2000
#define GROWTH_MOST ((long)2 << 20)

static int pieces;
static long resident[2]; /* after three quarters, when the record of calls is full, and at the end */

static long resident_bytes(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %ld", &pages) != 1)
        exit(1);
    fclose(f);
    return pages * sysconf(_SC_PAGESIZE);
}

static void expect_flat(const char *what)
{
    if (resident[1] - resident[0] < GROWTH_MOST)
        return;
    fprintf(stderr, "%s: %ld KiB grew to %ld KiB\n", what, resident[0] / 1024, resident[1] / 1024);
    exit(8);
}

static void rank_main(struct rank *self)
{
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    float *x = floats_of(1, 2), *sum = floats_of(0, 2);
    for (int step = 0; step < pieces * PIECE; step++) {
        if (self->rank == 0 && step == pieces * 3 / 4 * PIECE)
            resident[0] = resident_bytes();
        CHECK(ncclAllReduce(x, sum, 2, ncclFloat32, ncclSum, comm, NULL));
        CHECK(cudaStreamSynchronize(NULL));
    }
    if (self->rank == 0)
        resident[1] = resident_bytes();
    EXPECT(first_of(sum), self->ranks);
    CHECK(cudaFree(x));
    CHECK(cudaFree(sum));
    CHECK(ncclCommDestroy(comm));
}

static void one_thread(int n)
{
    ncclComm_t *comm = calloc((size_t)n, sizeof *comm);
    float **x = calloc((size_t)n, sizeof *x);
    CHECK(ncclCommInitAll(comm, n, NULL));
    for (int i = 0; i < n; i++) {
        CHECK(cudaSetDevice(i));
        x[i] = floats_of(1, 2);
    }
    for (int step = 0; step < pieces * PIECE; step++) {
        if (step == pieces * 3 / 4 * PIECE)
            resident[0] = resident_bytes();
        CHECK(ncclGroupStart());
        for (int i = 0; i < n; i++)
            CHECK(ncclAllReduce(x[i], x[i], 2, ncclFloat32, ncclMax, comm[i], NULL));
        CHECK(ncclGroupEnd());
        CHECK(cudaStreamSynchronize(NULL));
    }
    resident[1] = resident_bytes();
    for (int i = 0; i < n; i++) {
        EXPECT(first_of(x[i]), 1);
        CHECK(cudaFree(x[i]));
        CHECK(ncclCommDestroy(comm[i]));
    }
    free(comm);
    free(x);
}

int main(int argc, char **argv)
{
    pieces = argc > 1 ? atoi(argv[1]) : 20;
    run_ranks(devices(), rank_main, NULL);
    expect_flat("a thread per device");
    one_thread(devices());
    expect_flat("one thread");
    printf("flat: ok, %ld MiB\n", resident[1] >> 20);
    return 0;
}
