/* The simulator's data movement, bit for bit, against plain loops over single elements that share
 * nothing with it but the encoding of numbers that fit exactly. The whole memory of every rank is
 * compared, so that what must stay untouched is held as well. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/sanitizer.h"
#include "element.h"
#include "harness.h"
#include "ncclscript/nccl_abi.h"
#include "sim/data/data.h"
#include "sim/data/data_plan.h"

enum { RANKS = 8, GUARD = 64, PREMUL = ncclNumOps, OPS };

/* Only large results have threads: of the small ones ThreadSanitizer sees some. */
enum { FEWEST = NCS_TSAN ? RANKS : 1 };

/* ---- a case: a task, the memory of its ranks, and what must become of it ---- */

struct trial {
    struct data_task task;
    struct data_part part[RANKS];
    size_t bytes; /* of `count` elements */
    size_t room;  /* bytes of a rank's memory */
    size_t send_at[RANKS], recv_at[RANKS];
    unsigned char *was[RANKS], *now[RANKS], *want[RANKS];
    int left_out;
};

static uint64_t random_element(struct ncs_random *r, int dtype)
{
    uint64_t x = ncs_random_next(r);

    if (!is_float(dtype) || x % 4 == 0)
        return trim(ncs_random_next(r), ncs_dtype_bytes(dtype));
    return encode(dtype, ((double)(x >> 8 & 0xff) - 128) / (double)(1 << (x >> 16 & 7)));
}

static void fill(struct trial *t, uint64_t seed)
{
    struct ncs_random random = { seed };

    for (int r = 0; r < t->task.nranks; r++) {
        size_t element = ncs_dtype_bytes(t->part[r].dtype);
        t->was[r] = malloc(t->room);
        t->now[r] = malloc(t->room);
        t->want[r] = malloc(t->room);
        ck_assert(t->was[r] && t->now[r] && t->want[r]);
        memset(t->was[r], 0xa5, t->room);
        for (size_t i = t->send_at[r]; i + element <= t->room - GUARD; i += element) {
            uint64_t x = random_element(&random, t->part[r].dtype);
            memcpy(t->was[r] + i, &x, element);
        }
        memcpy(t->now[r], t->was[r], t->room);
        memcpy(t->want[r], t->was[r], t->room);
        t->part[r].send = t->now[r] + t->send_at[r];
        t->part[r].recv = t->now[r] + t->recv_at[r];
    }
}

/* Lays out the memory: guard, input, guard, output, guard, or one region in place. The caller has
 * set up the parts but for their pointers. */
static void lay_out(struct trial *t, bool in_place, size_t skew, uint64_t seed)
{
    size_t n = (size_t)t->task.nranks;
    size_t b = t->bytes = t->task.count * ncs_dtype_bytes(t->part[0].dtype);
    size_t in = t->task.fn == NCS_FN_ncclReduceScatter ? n * b : b;
    size_t out = t->task.fn == NCS_FN_ncclAllGather ? n * b : b;

    t->task.part = t->part;
    t->left_out = -1;
    t->room = in_place ? 2 * GUARD + (in > out ? in : out) + skew : 3 * GUARD + in + out + skew;
    for (size_t r = 0; r < n; r++) {
        t->send_at[r] = GUARD + skew;
        t->recv_at[r] = in_place ? t->send_at[r] : 2 * GUARD + skew + in;
        if (in_place && t->task.fn == NCS_FN_ncclAllGather)
            t->send_at[r] += r * b;
        if (in_place && t->task.fn == NCS_FN_ncclReduceScatter)
            t->recv_at[r] += r * b;
    }
    fill(t, seed);
}

static void clear(struct trial *t)
{
    for (int r = 0; r < t->task.nranks; r++) {
        free(t->was[r]);
        free(t->now[r]);
        free(t->want[r]);
    }
}

/* The element at byte `at` of rank r's input. */
static uint64_t input(const struct trial *t, int r, size_t at, size_t element)
{
    uint64_t x = 0;

    memcpy(&x, t->was[r] + t->send_at[r] + at, element);
    return x;
}

/* Rank r's contribution to an output of the given type and operator. */
static uint64_t contribution(const struct trial *t, const struct data_part *own, int r, uint64_t x)
{
    const struct data_part *part = &t->part[r];
    uint64_t scalar = 0;

    if (own->premul && part->premul && part->dtype == own->dtype) {
        memcpy(&scalar, part->scalar, ncs_dtype_bytes(own->dtype));
        return combine(own->dtype, ncclProd, x, scalar);
    }
    if (!own->premul && own->op == ncclAvg && is_float(own->dtype)) {
        double inverse = 1.0 / t->task.nranks;
        if (small_format(own->dtype))
            inverse = format_round(small_format(own->dtype), (float)inverse, false);
        else if (own->dtype == ncclFloat32)
            inverse = (float)inverse;
        return combine(own->dtype, ncclProd, x, encode(own->dtype, inverse));
    }
    return x;
}

static uint64_t reduced(const struct trial *t, int owner, size_t at)
{
    const struct data_part *own = &t->part[owner];
    size_t element = ncs_dtype_bytes(own->dtype);
    int op = own->premul || own->op == ncclAvg ? ncclSum : own->op;
    uint64_t sum = 0;
    bool first = true;

    for (int r = 0; r < t->task.nranks; r++) {
        if (r == t->left_out)
            continue;
        uint64_t x = contribution(t, own, r, input(t, r, at, element));
        sum = first ? x : combine(own->dtype, op, sum, x);
        first = false;
    }
    return own->op == ncclAvg && !own->premul && !is_float(own->dtype) ? divide(own->dtype, sum, t->task.nranks) : sum;
}

static void expect_reduction(struct trial *t, int owner, size_t from)
{
    size_t element = ncs_dtype_bytes(t->part[owner].dtype);

    for (size_t at = 0; at < t->bytes; at += element) {
        uint64_t x = reduced(t, owner, from + at);
        memcpy(t->want[owner] + t->recv_at[owner] + at, &x, element);
    }
}

static void expect(struct trial *t)
{
    int n = t->task.nranks, root = t->task.root;

    if (t->task.fn == NCS_FN_ncclReduce)
        expect_reduction(t, root, 0);
    for (int r = 0; r < n; r++) {
        unsigned char *out = t->want[r] + t->recv_at[r];
        switch (t->task.fn) {
        case NCS_FN_ncclReduce: break;
        case NCS_FN_ncclAllReduce: expect_reduction(t, r, 0); break;
        case NCS_FN_ncclReduceScatter: expect_reduction(t, r, (size_t)r * t->bytes); break;
        case NCS_FN_ncclBroadcast: memcpy(out, t->was[root] + t->send_at[root], t->bytes); break;
        case NCS_FN_ncclAllGather:
            for (int s = 0; s < n; s++)
                memcpy(out + (size_t)s * t->bytes, t->was[s] + t->send_at[s], t->bytes);
            break;
        default: ck_abort_msg("no collective that is not composed: %d", (int)t->task.fn);
        }
    }
}

static void compare(const struct trial *t)
{
    for (int r = 0; r < t->task.nranks; r++)
        for (size_t i = 0; i < t->room; i++)
            if (t->now[r][i] != t->want[r][i])
                ck_abort_msg("kind %d, %d ranks, root %d, %s, op %d%s, count %zu: rank %d, byte "
                             "%td of the output: got %02x, want %02x",
                             (int)t->task.fn, t->task.nranks, t->task.root, ncs_dtype_name(t->part[r].dtype), t->part[r].op,
                             t->part[r].premul ? " premul" : "", t->task.count, r, (ptrdiff_t)i - (ptrdiff_t)t->recv_at[r],
                             t->now[r][i], t->want[r][i]);
}

static const enum ncs_fn kinds[] = { NCS_FN_ncclAllReduce, NCS_FN_ncclBroadcast, NCS_FN_ncclReduce, NCS_FN_ncclAllGather,
                                     NCS_FN_ncclReduceScatter };

static bool is_reduction(enum ncs_fn kind)
{
    return kind != NCS_FN_ncclBroadcast && kind != NCS_FN_ncclAllGather;
}

static bool is_rooted(enum ncs_fn kind)
{
    return kind == NCS_FN_ncclBroadcast || kind == NCS_FN_ncclReduce;
}

static void set_op(struct data_part *part, int dtype, int op, int rank)
{
    uint64_t scalar = is_float(dtype) ? encode(dtype, 0.75 * rank - 1) : (uint64_t)(3 * rank + 2);

    part->dtype = dtype;
    part->premul = op == PREMUL;
    part->op = op == PREMUL ? ncclSum : op;
    memcpy(part->scalar, &scalar, sizeof part->scalar);
}

static struct trial trial_of(enum ncs_fn kind, int n, int root, size_t count, int dtype, int op)
{
    struct trial t = { .task = { .fn = kind, .nranks = n, .root = root, .count = count } };

    for (int r = 0; r < n; r++)
        set_op(&t.part[r], dtype, op, r);
    return t;
}

static void run(struct trial *t, bool in_place, size_t skew)
{
    static uint64_t seed;

    lay_out(t, in_place, skew, ++seed);
    for (int r = 0; r < t->task.nranks; r++)
        if (t->task.fn == NCS_FN_ncclBroadcast && r != t->task.root)
            t->part[r].send = NULL;
    expect(t);
    sim_data_move(&t->task);
    compare(t);
    /* The loops that a processor without vector extensions would run. */
    for (int r = 0; r < t->task.nranks; r++)
        memcpy(t->now[r], t->was[r], t->room);
    sim_data_move_with(&t->task, sim_data_loops_portable, -1);
    compare(t);
    clear(t);
}

/* ---- the tests ---- */

static void all_roots(enum ncs_fn kind, int n, size_t count, int dtype, int op)
{
    for (int root = 0; root < (is_rooted(kind) ? n : 1); root++)
        for (int in_place = 0; in_place < 2; in_place++) {
            struct trial t = trial_of(kind, n, root, count, dtype, op);
            run(&t, in_place, (size_t)(root + n + in_place) % 2);
        }
}

static void all_of(enum ncs_fn kind)
{
    static const size_t counts[] = { 0, 1, 3, 257 };

    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        for (int op = 0; op < (is_reduction(kind) ? (int)OPS : 1); op++)
            for (int n = FEWEST; n <= RANKS; n++)
                for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                    if (counts[c] < 257 || n < 4 || n == RANKS)
                        all_roots(kind, n, counts[c], dtype, op);
}

START_TEST(test_all_reduce)
{
    all_of(NCS_FN_ncclAllReduce);
}
END_TEST
START_TEST(test_reduce)
{
    all_of(NCS_FN_ncclReduce);
}
END_TEST
START_TEST(test_reduce_scatter)
{
    all_of(NCS_FN_ncclReduceScatter);
}
END_TEST
START_TEST(test_broadcast)
{
    all_of(NCS_FN_ncclBroadcast);
}
END_TEST
START_TEST(test_all_gather)
{
    all_of(NCS_FN_ncclAllGather);
}
END_TEST

/* Many blocks, an odd rest, more than one core. */
START_TEST(test_large)
{
    static const int types[] = { ncclFloat32, ncclFloat16, ncclInt8 };

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; i < 3; i++)
            for (int in_place = 0; in_place < 2; in_place++) {
                struct trial t = trial_of(kinds[k], 3, 1, 300001, types[i], ncclSum);
                run(&t, in_place, 0);
            }
}
END_TEST

/* Values from the definition of the operators, not from the loops above. */
START_TEST(test_known_values)
{
    int8_t a[2] = { 100, -7 }, b[2] = { 100, 4 }, out[2][2];
    float x[3] = { 1, 0x1p-24f, 0x1p-24f }, sum[3];
    uint16_t third[3] = { 0x3c00, 0x3c00, 0x3c00 }, half[3];
    uint8_t big[2] = { 0x7e, 0x7e }, fp8[2];
    struct data_part p[3] = { { .send = a, .recv = out[0], .dtype = ncclInt8, .op = ncclAvg },
                              { .send = b, .recv = out[1], .dtype = ncclInt8, .op = ncclAvg } };
    struct data_task task = { .fn = NCS_FN_ncclAllReduce, .nranks = 2, .count = 2, .part = p };

    sim_data_move(&task);
    ck_assert_int_eq(out[0][0], -28); /* 200 wraps to -56 */
    ck_assert_int_eq(out[1][1], -1);  /* -3 / 2, toward zero */

    task.nranks = 3;
    task.count = 1;
    for (int r = 0; r < 3; r++)
        p[r] = (struct data_part){ .send = &x[r], .recv = &sum[r], .dtype = ncclFloat32 };
    sim_data_move(&task);
    ck_assert(sum[0] == 1 && sum[2] == 1); /* in order of ranks each small one is lost */

    for (int r = 0; r < 3; r++)
        p[r] = (struct data_part){ .send = &third[r], .recv = &half[r], .dtype = ncclFloat16, .op = ncclAvg };
    sim_data_move(&task);
    ck_assert_uint_eq(half[1], 0x3c00); /* 3 * 0x3555 = 0.99976, and ties to 1 */

    task.nranks = 2;
    for (int r = 0; r < 2; r++)
        p[r] = (struct data_part){ .send = &big[r], .recv = &fp8[r], .dtype = ncclFloat8e4m3 };
    sim_data_move(&task);
    ck_assert_uint_eq(fp8[0], 0x7e); /* 448 + 448 saturates */
}
END_TEST

/* Every pair of bytes, in the types in which that is every pair of numbers. */
START_TEST(test_every_pair)
{
    static const int types[] = { ncclInt8, ncclUint8, ncclFloat8e4m3, ncclFloat8e5m2 };
    unsigned char *a = malloc(65536), *b = malloc(65536), *out = malloc(65536);

    ck_assert(a && b && out);
    for (int i = 0; i < 65536; i++) {
        a[i] = (unsigned char)i;
        b[i] = (unsigned char)(i >> 8);
    }
    for (int i = 0; i < 4; i++)
        for (int op = ncclSum; op <= ncclMin; op++) {
            struct data_part p[2] = { { .send = a, .recv = out, .dtype = types[i], .op = op },
                                      { .send = b, .dtype = types[i], .op = op } };
            struct data_task task = { NCS_FN_ncclReduce, 2, 0, 65536, p, NULL, { 0 } };
            sim_data_move(&task);
            for (int k = 0; k < 65536; k++)
                ck_assert_uint_eq(out[k], combine(types[i], op, a[k], b[k]));
        }
    free(a);
    free(b);
    free(out);
}
END_TEST

/* Ranks that disagree on the operator, on the type, or on both. */
START_TEST(test_disagreement)
{
    static const struct {
        int dtype[3], op[3];
    } cases[] = {
        { { ncclFloat32, ncclFloat32, ncclFloat32 }, { ncclSum, ncclMax, ncclSum } },
        { { ncclInt32, ncclFloat32, ncclUint32 }, { ncclSum, ncclSum, ncclAvg } },
        { { ncclFloat16, ncclBfloat16, ncclFloat16 }, { PREMUL, PREMUL, ncclAvg } },
        { { ncclInt8, ncclFloat8e4m3, ncclFloat8e5m2 }, { ncclProd, PREMUL, ncclMin } },
        { { ncclInt64, ncclFloat64, ncclFloat64 }, { PREMUL, ncclAvg, PREMUL } },
        { { ncclFloat32, ncclFloat64, ncclInt8 }, { ncclSum, ncclSum, ncclMax } },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (int k = 0; k < 5; k++)
            for (int in_place = 0; in_place < 2; in_place++)
                for (int root = 0; root < 3; root++) {
                    struct trial t = { .task = { kinds[k], 3, root, 2062, NULL, NULL, { 0 } } };
                    for (int r = 0; r < 3; r++)
                        set_op(&t.part[r], cases[c].dtype[r], cases[c].op[r], r);
                    run(&t, in_place, 1);
                }
}
END_TEST

/* Each rank's output is the other's input, 64 elements on: what the blocks make of it in their
 * order, at every run and on any number of cores. */
START_TEST(test_overlap_is_repeatable)
{
    enum { SHIFT = 64, BLOCK = DATA_BLOCK / sizeof(float), COUNT = 2048 * BLOCK };
    float *got = malloc((COUNT + SHIFT) * sizeof *got);
    float *want = malloc((COUNT + SHIFT) * sizeof *want);
    float sum[BLOCK];

    ck_assert(got && want);
    for (int i = 0; i < COUNT + SHIFT; i++)
        got[i] = (float)(i % 1000);
    sim_data_copy(want, got, (COUNT + SHIFT) * sizeof *got); /* and starts the other cores' threads */
    struct data_part p[2] = { { .send = got, .recv = got + SHIFT, .dtype = ncclFloat32 },
                              { .send = got + SHIFT, .recv = got, .dtype = ncclFloat32 } };
    struct data_task task = { NCS_FN_ncclAllReduce, 2, 0, COUNT, p, NULL, { 0 } };
    sim_data_move(&task);
    for (size_t at = 0; at < COUNT; at += BLOCK) {
        for (size_t i = 0; i < BLOCK; i++)
            sum[i] = want[at + i] + want[at + i + SHIFT];
        memcpy(want + at + SHIFT, sum, sizeof sum);
        memcpy(want + at, sum, sizeof sum);
    }
    ck_assert(memcmp(got, want, (COUNT + SHIFT) * sizeof *got) == 0);
    free(got);
    free(want);
}
END_TEST

START_TEST(test_copy_and_add)
{
    enum { COUNT = 1 << 20 };
    uint32_t *a = malloc(COUNT * sizeof *a), *b = malloc(COUNT * sizeof *b);

    ck_assert(a && b);
    for (uint32_t i = 0; i < COUNT; i++)
        a[i] = i * 2654435761u;
    sim_data_copy(b, a, COUNT * sizeof *a);
    ck_assert(memcmp(a, b, COUNT * sizeof *a) == 0);
    sim_data_add(b, a, COUNT, ncclUint32);
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(b[i], 2 * a[i]);
    sim_data_copy(a + 1, a, (COUNT - 1) * sizeof *a);
    for (uint32_t i = 1; i < COUNT; i++)
        ck_assert_uint_eq(a[i], (i - 1) * 2654435761u);
    sim_data_copy(NULL, NULL, 0);
    uint16_t x[3] = { 0x3c00, 0x7bff, 0 }, y[3] = { 0x3c00, 0x7bff, 0x8000 };
    sim_data_add(x, y, 3, ncclFloat16);
    ck_assert_uint_eq(x[0], 0x4000);
    ck_assert_uint_eq(x[1], 0x7c00);
    ck_assert_uint_eq(x[2], 0);
    free(a);
    free(b);
}
END_TEST

/* ---- plants: what each must change, and nothing else ---- */

static size_t output_bytes(const struct trial *t)
{
    return t->task.fn == NCS_FN_ncclAllGather ? t->bytes * (size_t)t->task.nranks : t->bytes;
}

static bool has_output(const struct trial *t, int rank)
{
    return t->task.fn != NCS_FN_ncclReduce || rank == t->task.root;
}

/* Turns what is right into what the plant must make of it. */
static void spoil(struct trial *t)
{
    struct ncs_plant plant = t->task.plant;
    size_t bytes = output_bytes(t), element = ncs_dtype_bytes(t->part[0].dtype);
    int next = (t->task.root + 1) % t->task.nranks;
    unsigned char *want = t->want[plant.rank] + t->recv_at[plant.rank];
    unsigned char *was = t->was[plant.rank] + t->recv_at[plant.rank];

    if (plant.kind == NCS_PLANT_ROOT && is_rooted(t->task.fn)) {
        for (int r = 0; r < t->task.nranks; r++)
            if (has_output(t, r))
                memcpy(t->want[r] + t->recv_at[r], t->was[next] + t->send_at[next], t->bytes);
    } else if (has_output(t, plant.rank)) {
        if (plant.kind == NCS_PLANT_BIT)
            want[(bytes / element / 2 + 1) * element - 1] ^= 0x40;
        if (plant.kind == NCS_PLANT_SHIFT) {
            memmove(want + element, want, bytes - element);
            memcpy(want, was, element);
        }
        if (plant.kind == NCS_PLANT_STALE)
            memcpy(want, was, bytes);
    }
}

static bool changes(const struct trial *t)
{
    switch (t->task.plant.kind) {
    case NCS_PLANT_NONE: return false;
    case NCS_PLANT_MISSING: return is_reduction(t->task.fn);
    case NCS_PLANT_ROUND: return is_reduction(t->task.fn) && small_format(t->part[0].dtype);
    case NCS_PLANT_ROOT: return is_rooted(t->task.fn);
    default: return has_output(t, t->task.plant.rank);
    }
}

static void run_planted(struct trial *t, bool in_place)
{
    unsigned char *right[RANKS];
    bool differs = false;

    lay_out(t, in_place, 0, 77);
    expect(t);
    for (int r = 0; r < t->task.nranks; r++) {
        right[r] = malloc(t->room);
        ck_assert(right[r] != NULL);
        memcpy(right[r], t->want[r], t->room);
        memcpy(t->want[r], t->was[r], t->room);
    }
    cut_results = t->task.plant.kind == NCS_PLANT_ROUND;
    t->left_out = t->task.plant.kind == NCS_PLANT_MISSING ? t->task.plant.rank : -1;
    expect(t);
    cut_results = false;
    spoil(t);
    sim_data_move(&t->task);
    compare(t);
    for (int r = 0; r < t->task.nranks; r++) {
        differs |= memcmp(right[r], t->now[r], t->room) != 0;
        free(right[r]);
    }
    ck_assert_msg(differs == changes(t), "plant %d on kind %d changes %s", (int)t->task.plant.kind, (int)t->task.fn,
                  differs ? "something" : "nothing");
    clear(t);
}

START_TEST(test_plants)
{
    static const int types[] = { ncclInt32, ncclFloat32, ncclFloat16, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2 };

    for (int plant = NCS_PLANT_NONE; plant <= NCS_PLANT_STALE; plant++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            for (int type = 0; type < 6; type++)
                for (int rank = 0; rank < 4; rank++)
                    for (int in_place = 0; in_place < 2; in_place++) {
                        struct trial t = trial_of(kinds[k], 4, 3, 100, types[type], ncclSum);
                        t.task.plant.kind = (enum ncs_plant_kind)plant;
                        t.task.plant.rank = rank;
                        if (in_place && plant == NCS_PLANT_STALE)
                            continue; /* in all-gather's own block nothing would differ */
                        run_planted(&t, in_place);
                    }
}
END_TEST

NCS_TEST_MAIN("data", test_all_reduce, test_reduce, test_reduce_scatter, test_broadcast, test_all_gather, test_large,
              test_known_values, test_every_pair, test_disagreement, test_overlap_is_repeatable, test_copy_and_add, test_plants)
