/* Memory that nothing has written, or no result, and what counts as writing it. */
#include "client.h"

struct grid {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid, void *bid,
                            void *block, void *grid, int *warp);
cudaError_t cudaLaunchKernel(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared,
                             cudaStream_t stream);

enum { COUNT = 64, HALF = COUNT / 2 };
static const size_t BYTES = COUNT * sizeof(float);

static float *fresh(void)
{
    void *p = NULL;
    CHECK(cudaMalloc(&p, BYTES));
    return p;
}

static void all_reduce(struct rank *self, float *x, size_t count)
{
    ncclComm_t comm;
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    CHECK(ncclAllReduce(x, x, count, ncclFloat32, ncclSum, comm, NULL));
    CHECK(cudaStreamSynchronize(NULL));
    CHECK(ncclCommDestroy(comm));
}

static void read_all(const float *x)
{
    float host[COUNT];
    CHECK(cudaMemcpy(host, x, BYTES, cudaMemcpyDeviceToHost));
}

/* The second half of rank 1's buffer is never written. */
static void tail(struct rank *self)
{
    float *x = fresh();
    CHECK(cudaMemset(x, 0, self->rank == 1 ? BYTES / 2 : BYTES));
    all_reduce(self, x, COUNT);
    read_all(x);
    CHECK(cudaFree(x));
}

static void read_fresh(struct rank *self)
{
    float *x = fresh(), *y = fresh();
    (void)self;
    CHECK(cudaMemcpy(y, x, BYTES, cudaMemcpyDeviceToDevice));
    read_all(y);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
}

/* Nobody reads the result. */
static void barrier(struct rank *self)
{
    float *x = fresh();
    all_reduce(self, x, 1);
    CHECK(cudaFree(x));
}

/* As a library does that takes device memory and that the simulator does not see. */
static void unseen(struct rank *self)
{
    float *x = fresh();
    CHECK(cudaMemset(x, 0, BYTES / 2));
    for (int i = self->rank == 1 ? HALF : 0; i < COUNT; i++)
        x[i] = 1;
    all_reduce(self, x, COUNT);
    read_all(x);
    CHECK(cudaFree(x));
}

/* Rank 1 is not the root, and reads where nothing comes. */
static void read_off_root(struct rank *self, bool launches)
{
    static char kernel[] = "fill";
    const struct grid one = { 1, 1, 1 };
    float *x = fresh(), *sum = fresh();
    ncclComm_t comm;
    CHECK(cudaMemset(x, 0, BYTES));
    CHECK(cudaMemset(sum, 0, BYTES));
    CHECK(ncclCommInitRank(&comm, self->ranks, self->id, self->rank));
    CHECK(ncclReduce(x, sum, COUNT, ncclFloat32, ncclSum, 0, comm, NULL));
    CHECK(cudaStreamSynchronize(NULL));
    if (launches) { /* which writes who knows what */
        __cudaRegisterFunction(__cudaRegisterFatBinary(NULL), kernel, kernel, kernel, -1, NULL, NULL, NULL, NULL, NULL);
        CHECK(cudaLaunchKernel(kernel, one, one, NULL, 0, NULL));
        CHECK(cudaStreamSynchronize(NULL));
    }
    read_all(sum);
    CHECK(ncclCommDestroy(comm));
    CHECK(cudaFree(x));
    CHECK(cudaFree(sum));
}

static void off_root(struct rank *self)
{
    read_off_root(self, false);
}

static void filled_off_root(struct rank *self)
{
    read_off_root(self, true);
}

static const struct {
    const char *name;
    void (*main)(struct rank *self);
} cases[] = { { "tail", tail },     { "read_fresh", read_fresh }, { "barrier", barrier },
              { "unseen", unseen }, { "off_root", off_root },     { "filled_off_root", filled_off_root } };

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "barrier";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0)
            run_ranks(2, cases[i].main, NULL);
    printf("unwritten: ok\n");
    return 0;
}
