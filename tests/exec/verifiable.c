/* Registers and launches kernels as a compiled program does, under the names of nccl-tests 2.19 and PyTorch 2.15: what
 * prepare writes is what verify expects after the collective, for each type and operator, and nothing else is. */
#include "client.h"

#include <stdint.h>

struct grid {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *binary);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int threads, void *tid, void *bid,
                            void *block, void *grid, int *warp);
cudaError_t cudaLaunchKernel(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared,
                             cudaStream_t stream);

#define ANONYMOUS "_ZN46_GLOBAL__N__beee818c_13_verifiable_cu_934c3dfb"
#define COUNT 4000
#define RANKS_MOST 300

static const struct type {
    const char *name, *bits; /* bits: the unsigned type of its size */
    ncclDataType_t type;
    size_t bytes;
} types[] = {
    { "a", "h", ncclInt8, 1 },
    { "h", "h", ncclUint8, 1 },
    { "i", "j", ncclInt32, 4 },
    { "j", "j", ncclUint32, 4 },
    { "l", "m", ncclInt64, 8 },
    { "m", "m", ncclUint64, 8 },
    { "6__half", "t", ncclFloat16, 2 },
    { "13__nv_bfloat16", "t", ncclBfloat16, 2 },
    { "f", "j", ncclFloat32, 4 },
    { "d", "m", ncclFloat64, 8 },
    { "13__nv_fp8_e4m3", "h", ncclFloat8e4m3, 1 },
    { "13__nv_fp8_e5m2", "h", ncclFloat8e5m2, 1 },
};

static const struct operator
{
    const char *name;
    ncclRedOp_t op;
    bool scales; /* odd ranks count twice */
}
operators[] = {
    { "9ReduceSum", ncclSum, false }, { "10ReduceProd", ncclProd, false }, { "9ReduceMin", ncclMin, false },
    { "9ReduceMax", ncclMax, false }, { "9ReduceAvg", ncclAvg, false },    { "15ReducePreMulSum", ncclSum, true },
};

static void **module;

/* A kernel is known by the address of its stub; its name lives as long as the program. */
static struct stub {
    struct stub *next;
    char name[256];
} * stubs;

static const void *registered(const char *name)
{
    struct stub *stub = calloc(1, sizeof *stub);
    stub->next = stubs;
    snprintf(stub->name, sizeof stub->name, "%s", name);
    stubs = stub;
    __cudaRegisterFunction(module, (const char *)stub, stub->name, stub->name, -1, NULL, NULL, NULL, NULL, NULL);
    return stub;
}

static int launch(const void *kernel, cudaStream_t stream, void **args)
{
    struct grid one = { 1, 1, 1 };
    return (int)cudaLaunchKernel(kernel, one, one, args, 0, stream);
}

/* ---- nccl-tests ---- */

struct set {
    const struct type *type;
    const struct operator* operator;
    int ranks;
    uint64_t seed;
    const void *input, *expected, *prepared, *in_line;
    int64_t *bad; /* pinned memory of the host */
    ncclComm_t *comm;
    cudaStream_t *stream;
    char *send[RANKS_MOST], *receive[RANKS_MOST], *want;
};

static const void *named(const char *begin, const char *type, const char *operator, const char * end)
{
    char name[256];
    snprintf(name, sizeof name, ANONYMOUS "%s%sNS_%s%s", begin, type, operator, end);
    return registered(name);
}

static void name_kernels(struct set *s)
{
    char types_of[64], name[256];
    const char *type = s->type->name, *operator= s->operator->name;
    s->input = named("13prepareInput2I", type, operator, "EEEvPT_lT0_iiml");
    s->expected = named("16prepareExpected2I", type, operator, "EEEvPT_lT0_iml");
    snprintf(types_of, sizeof types_of, "%s%s", type, s->type->bits);
    s->in_line = named("13verifyInline2I", types_of, operator, "EEEvPKT_lT1_imljPl");
    snprintf(name, sizeof name, ANONYMOUS "14verifyPreparedI%sEEvPKT_S3_ljPl", s->type->bits);
    s->prepared = registered(name);
}

static void prepare_input(struct set *s, int rank, uint64_t seed)
{
    int64_t count = COUNT, begin = 7;
    int op = s->ranks;
    CHECK(launch(s->input, s->stream[rank], (void *[]){ &s->send[rank], &count, &op, &s->ranks, &rank, &seed, &begin }));
}

/* Elements of the rank's result that are not as expected, by both ways to verify. */
static int64_t count_bad(struct set *s, int rank)
{
    int64_t count = COUNT, begin = 7, bad;
    int op = s->ranks;
    unsigned tolerance = s->operator->op == ncclAvg && s->type->type >= ncclFloat16 ? 2 : 0;
    void **to = (void *[]){ &s->receive[rank], &s->want };
    *s->bad = 0;
    CHECK(
        launch(s->in_line, s->stream[rank], (void *[]){ to[0], &count, &op, &s->ranks, &s->seed, &begin, &tolerance, &s->bad }));
    CHECK(cudaStreamSynchronize(s->stream[rank]));
    bad = *s->bad;
    *s->bad = 0;
    CHECK(launch(s->expected, s->stream[rank], (void *[]){ to[1], &count, &op, &s->ranks, &s->seed, &begin }));
    CHECK(launch(s->prepared, s->stream[rank], (void *[]){ to[0], to[1], &count, &tolerance, &s->bad }));
    CHECK(cudaStreamSynchronize(s->stream[rank]));
    EXPECT(*s->bad, bad);
    return bad;
}

static ncclRedOp_t operator_of(const struct set *s, int rank)
{
    uint64_t one[] = { 1, 0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000, 0x38, 0x3c };
    uint64_t two[] = { 2, 0x4000, 0x4000, 0x40000000, 0x4000000000000000, 0x40, 0x40 };
    ncclRedOp_t op = s->operator->op;
    int at = s->type->type == ncclFloat16      ? 1
             : s->type->type == ncclBfloat16   ? 2
             : s->type->type == ncclFloat32    ? 3
             : s->type->type == ncclFloat64    ? 4
             : s->type->type == ncclFloat8e4m3 ? 5
             : s->type->type == ncclFloat8e5m2 ? 6
                                               : 0;
    if (s->operator->scales)
        CHECK(
            ncclRedOpCreatePreMulSum(&op, rank % 2 ? &two[at] : &one[at], s->type->type, ncclScalarHostImmediate, s->comm[rank]));
    return op;
}

static void reduce(struct set *s)
{
    ncclRedOp_t op[RANKS_MOST];
    for (int r = 0; r < s->ranks; r++)
        op[r] = operator_of(s, r);
    CHECK(ncclGroupStart());
    for (int r = 0; r < s->ranks; r++)
        CHECK(ncclAllReduce(s->send[r], s->receive[r], COUNT, s->type->type, op[r], s->comm[r], s->stream[r]));
    CHECK(ncclGroupEnd());
    for (int r = 0; r < s->ranks; r++) {
        CHECK(cudaStreamSynchronize(s->stream[r]));
        if (s->operator->scales)
            CHECK(ncclRedOpDestroy(op[r], s->comm[r]));
    }
}

static void check_set(struct set *s)
{
    int last = s->ranks - 1;
    name_kernels(s);
    for (int r = 0; r < s->ranks; r++)
        prepare_input(s, r, s->seed);
    reduce(s);
    for (int r = 0; r < s->ranks; r += last)
        EXPECT(count_bad(s, r), 0);
    /* One element with another bit: in any type by more than the tolerance. */
    s->receive[last][s->type->bytes * 501 - 1] ^= 0x20;
    EXPECT(count_bad(s, last), 1);
    EXPECT(count_bad(s, 0), 0);
    /* The other data of one rank show in the result; but an average of bytes over more ranks than a byte has values is 0. */
    if (s->operator->op == ncclAvg && s->type->type <= ncclUint8 && s->ranks> 255)
        return;
    prepare_input(s, last, s->seed + 1);
    reduce(s);
    EXPECT(count_bad(s, 0) > 0, 1);
}

static void check_all(int ranks)
{
    struct set s = { .ranks = ranks };
    s.comm = calloc((size_t)ranks, sizeof *s.comm);
    s.stream = calloc((size_t)ranks, sizeof(void *));
    CHECK(ncclCommInitAll(s.comm, ranks, NULL));
    CHECK(cudaMallocHost((void **)&s.bad, sizeof *s.bad));
    CHECK(cudaMalloc((void **)&s.want, COUNT * 8));
    for (int r = 0; r < ranks; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamCreate(&s.stream[r]));
        CHECK(cudaMalloc((void **)&s.send[r], COUNT * 8));
        CHECK(cudaMalloc((void **)&s.receive[r], COUNT * 8));
    }
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof operators / sizeof *operators; o++) {
            s.type = &types[t];
            s.operator= & operators[o];
            s.seed = 1000 * t + o;
            check_set(&s);
        }
    for (int r = 0; r < ranks; r++) {
        CHECK(ncclCommDestroy(s.comm[r]));
        CHECK(cudaStreamDestroy(s.stream[r]));
        CHECK(cudaFree(s.send[r]));
        CHECK(cudaFree(s.receive[r]));
    }
    CHECK(cudaFree(s.want));
    CHECK(cudaFreeHost(s.bad));
    free(s.comm);
    free(s.stream);
    printf("%zu types, %zu operators, %d ranks: ok\n", sizeof types / sizeof *types, sizeof operators / sizeof *operators, ranks);
}

/* A copy is prepared as a contribution of one rank: ranks differ by the seed. */
static void check_copies(void)
{
    struct operator nil = { "9ReduceNil", ncclSum, false };
    cudaStream_t own = NULL;
    struct set s = { .ranks = 1, .operator= & nil, .stream = &own };
    CHECK(cudaMallocHost((void **)&s.bad, sizeof *s.bad));
    CHECK(cudaMalloc((void **)&s.send[0], COUNT * 8));
    CHECK(cudaMalloc((void **)&s.want, COUNT * 8));
    s.receive[0] = s.send[0];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        s.type = &types[t];
        name_kernels(&s);
        prepare_input(&s, 0, 0);
        EXPECT(count_bad(&s, 0), 0);
        prepare_input(&s, 0, 1);
        EXPECT(count_bad(&s, 0) > COUNT / 2, 1);
    }
    CHECK(cudaFree(s.send[0]));
    CHECK(cudaFree(s.want));
    CHECK(cudaFreeHost(s.bad));
    printf("copies: ok\n");
}

/* ---- PyTorch ---- */

#define FILL(type, end) \
    "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorI" type "EESt5arrayIPcLm1EELb0EEEviT0_T1_" end

static void check_fill(void)
{
    float value = 2.5f, *x = floats_of(1, 100);
    int count = 99;
    uint16_t half = 0x4100;
    CHECK(launch(registered(FILL("f", "")), NULL, (void *[]){ &count, &value, &x }));
    CHECK(cudaDeviceSynchronize());
    EXPECT(first_of(x), 2.5);
    EXPECT(first_of(x + 98), 2.5);
    EXPECT(first_of(x + 99), 1);
    count = 2;
    CHECK(launch(registered(FILL("N3c104HalfE", "")), NULL, (void *[]){ &count, &half, &x }));
    CHECK(cudaDeviceSynchronize());
    EXPECT(((uint16_t *)x)[1], 0x4100);
    EXPECT(first_of(x + 1), 2.5);
    CHECK(cudaFree(x));
    printf("fill: ok\n");
}

/* ---- kernels that are not there ---- */

static void launch_unknown(void)
{
    float *x = floats_of(1, 1);
    int count = 1;
    void **args = (void *[]){ &count, &x, &x };
    const void *scale = registered("_ZN4userL5scaleILi4EEEvPfi");
    for (int i = 0; i < 3; i++)
        printf("unknown %d\n", launch(scale, NULL, args));
    printf("last %d\n", cudaGetLastError());
    printf("like a fill %d\n", launch(registered(FILL("f", "x")), NULL, args));
    printf("plain name %d\n", launch(registered("saxpy"), NULL, args));
    cudaGetLastError();
    printf("not registered %d\n", launch(&count, NULL, args));
    struct grid none = { 0, 1, 1 }, one = { 1, 1, 1 };
    printf("no blocks %d\n", cudaLaunchKernel(scale, none, one, args, 0, NULL));
    __cudaUnregisterFatBinary(module);
    printf("its module is closed %d\n", launch(scale, NULL, args));
    EXPECT(first_of(x), 1);
    CHECK(cudaFree(x));
}

int main(int argc, char **argv)
{
    module = __cudaRegisterFatBinary(NULL);
    if (argc > 1 && strcmp(argv[1], "unknown") == 0) {
        launch_unknown();
        return 0;
    }
    check_copies();
    check_fill();
    check_all(devices());
    __cudaUnregisterFatBinary(module);
    return 0;
}
