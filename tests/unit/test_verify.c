/* Verification finds nothing in right results: every type, operation and kind of call. */
#include "verify_lab.h"

static const int all_ops[6] = { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg, HANDLE };

START_TEST(test_right_ascending)
{
    const size_t count = 1500;
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        size_t bytes = ncs_dtype_bytes(dtype);
        for (int n = 1; n <= 5; n += 2) {
            struct world w;
            world_open(&w, n, true);
            buffers(&w, count * bytes, count * bytes);
            fill(&w, dtype, count, 7, true);
            scalars(&w, dtype);
            for (size_t k = 0; k < sizeof all_ops / sizeof *all_ops; k++) {
                struct reference f = ascending(&w, dtype, all_ops[k]);
                collective(&w, NCS_FN_ncclAllReduce, count, dtype, all_ops[k], 0);
                before(&w);
                for (int r = 0; r < n; r++)
                    reduce(&w, &f, 0, count, w.recv[r]);
                after(&w);
                wrong(&w, 0);
            }
            ck_assert_uint_eq(ncs_verify_checked(w.v), (uint64_t)n * 6);
            ck_assert_uint_eq(ncs_verify_unchecked(w.v), 0);
            world_close(&w);
        }
    }
}
END_TEST

static void shuffle(struct reference *f, uint64_t seed)
{
    struct ncs_random random = { seed };
    for (int i = f->terms - 1; i > 0; i--) {
        int k = (int)ncs_random_below(&random, (uint64_t)i + 1), t = f->order[i];
        f->order[i] = f->order[k];
        f->order[k] = t;
    }
}

START_TEST(test_right_in_any_order)
{
    const size_t count = 700;
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        size_t bytes = ncs_dtype_bytes(dtype);
        struct world w;
        world_open(&w, 7, false);
        buffers(&w, count * bytes, count * bytes);
        scalars(&w, dtype);
        for (size_t k = 0; k < sizeof all_ops / sizeof *all_ops; k++) {
            for (uint64_t seed = 0; seed < 6; seed++) {
                struct reference f = ascending(&w, dtype, all_ops[k]);
                fill(&w, dtype, count, 99 + seed, seed % 2);
                shuffle(&f, seed);
                collective(&w, NCS_FN_ncclAllReduce, count, dtype, all_ops[k], 0);
                before(&w);
                reduce(&w, &f, 0, count, w.recv[0]);
                all_write(&w, w.recv[0], count * bytes);
                after(&w);
                wrong(&w, 0);
            }
        }
        world_close(&w);
    }
}
END_TEST

START_TEST(test_other_kinds)
{
    const size_t count = 300;
    struct world w;
    world_open(&w, 4, true);
    buffers(&w, 4 * count * 4, 4 * count * 4);
    fill(&w, ncclFloat32, 4 * count, 3, false);
    struct reference f = ascending(&w, ncclFloat32, ncclSum);

    collective(&w, NCS_FN_ncclReduceScatter, count, ncclFloat32, ncclSum, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        reduce(&w, &f, (size_t)r * count, count, w.recv[r]);
    after(&w);
    collective(&w, NCS_FN_ncclReduce, count, ncclFloat32, ncclSum, 2);
    before(&w);
    reduce(&w, &f, 0, count, w.recv[2]);
    after(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 5);
    collective(&w, NCS_FN_ncclAllGather, count, ncclFloat32, -1, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++)
            memcpy(w.recv[r] + (size_t)k * count * 4, w.send[k], count * 4);
    after(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 9);
    collective(&w, NCS_FN_ncclBroadcast, count, ncclFloat32, -1, 3);
    for (int r = 0; r < 3; r++) /* ignored off the root: must not be read */
        w.set[r]->arg[0].p = NULL;
    before(&w);
    all_write(&w, w.send[3], count * 4);
    after(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 13);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 0);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

START_TEST(test_in_place)
{
    const size_t count = 100;
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, 3 * count * 4, 3 * count * 4);
    fill(&w, ncclInt32, 3 * count, 5, false);
    struct reference f = ascending(&w, ncclInt32, ncclSum);
    unsigned char result[400];

    for (int r = 0; r < 3; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclAllReduce, r, w.send[r], w.send[r], count, ncclInt32, ncclSum, 0);
    reduce(&w, &f, 0, count, result);
    before(&w);
    for (int r = 0; r < 3; r++)
        memcpy(w.send[r], result, sizeof result);
    after(&w);
    wrong(&w, 0);
    for (int r = 0; r < 3; r++) /* Bcast mixes with Broadcast: it is one operation */
        w.set[r] = call_of(&w, r ? NCS_FN_ncclBcast : NCS_FN_ncclBroadcast, r, w.send[r], w.send[r], 3 * count, ncclInt32, -1, 1);
    before(&w);
    memcpy(w.send[0], w.send[1], 12 * count);
    memcpy(w.send[2], w.send[1], 12 * count);
    after(&w);
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 6);
    for (int r = 0; r < 3; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclAllGather, r, w.recv[r] + (size_t)r * 4 * count, w.recv[r], count, ncclInt32, -1, 0);
    before(&w);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            memcpy(w.recv[r] + (size_t)k * 4 * count, w.recv[k] + (size_t)k * 4 * count, 4 * count);
    after(&w);
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 9);
    world_close(&w);
}
END_TEST

START_TEST(test_scalar_on_device)
{
    const size_t count = 50;
    float scalar[3] = { 9, 9, 9 };
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, count * 4, count * 4);
    fill(&w, ncclFloat32, count, 11, false);
    for (int r = 0; r < 3; r++)
        w.redop[r] = (struct ncs_redop){
            .handle = HANDLE, .dtype = ncclFloat32, .on_device = r != 1, .pointer = &scalar[r], .scalar = { 0, 0, 0, 0x3f }
        }; /* 0.5 */
    collective(&w, NCS_FN_ncclAllReduce, count, ncclFloat32, HANDLE, 0);
    scalar[0] = 0.25f; /* read when the operation executes */
    scalar[2] = -2.0f;
    before(&w);
    for (size_t i = 0; i < count; i++) {
        float *x[3], *y;
        for (int r = 0; r < 3; r++)
            x[r] = (float *)(void *)w.send[r];
        for (int r = 0; r < 3; r++) {
            y = (float *)(void *)w.recv[r];
            y[i] = x[0][i] * 0.25f + x[1][i] * 0.5f;
            y[i] += x[2][i] * -2.0f;
        }
    }
    scalar[0] = 7;
    after(&w);
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 3);
    world_close(&w);
}
END_TEST

/* Two numbers, and what may and may not be their sum. */
START_TEST(test_special_values)
{
    static const struct {
        int dtype;
        unsigned a, b, sum;
        bool right;
    } rows[] = {
        { ncclFloat8e4m3, 0x7e, 0x7e, 0x7e, true },                                                  /* 448 + 448 = 448 */
        { ncclFloat8e4m3, 0xfe, 0xfe, 0xfe, true },     { ncclFloat8e4m3, 0x7e, 0x7e, 0x7f, false }, /* not NaN */
        { ncclFloat8e4m3, 0x7f, 0x38, 0xff, true },                                                  /* any NaN */
        { ncclFloat8e4m3, 0x7f, 0x38, 0x38, false },    { ncclFloat8e5m2, 0x7b, 0x7b, 0x7b, true },
        { ncclFloat8e5m2, 0x7b, 0x7b, 0x7c, false }, /* not infinity */
        { ncclFloat16, 0x7bff, 0x7bff, 0x7c00, true },  { ncclFloat16, 0x7c00, 0xfc00, 0x7e00, true },
        { ncclFloat16, 0x7c00, 0xfc00, 0x0000, false }, { ncclFloat16, 0x7c00, 0x3c00, 0x7c00, true },
        { ncclFloat16, 0x7c00, 0x3c00, 0xfc00, false }, { ncclFloat16, 0x0001, 0x0001, 0x0002, true },
        { ncclFloat16, 0x0001, 0x0001, 0x0003, false }, { ncclFloat16, 0x3c00, 0x3c01, 0x4000, true }, /* the tie goes to even */
        { ncclFloat16, 0x3c00, 0x3c01, 0x4002, false }, /* two last places off, two ranks */
        { ncclBfloat16, 0x7f7f, 0x7f7f, 0x7f80, true }, { ncclBfloat16, 0x7f80, 0x7f81, 0x7fc0, true },
        { ncclBfloat16, 0x3f80, 0x3f80, 0x4000, true }, { ncclBfloat16, 0x3f80, 0x3f80, 0x4001, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int exact = 0; exact < 2; exact++) {
            struct world w;
            world_open(&w, 2, exact);
            buffers(&w, 2, 2);
            memcpy(w.send[0], &rows[i].a, 2);
            memcpy(w.send[1], &rows[i].b, 2);
            collective(&w, NCS_FN_ncclAllReduce, 1, rows[i].dtype, ncclSum, 0);
            before(&w);
            all_write(&w, &rows[i].sum, 2);
            after(&w);
            wrong(&w, rows[i].right ? 0 : 2);
            world_close(&w);
        }
    }
}
END_TEST

NCS_TEST_MAIN("verify", test_right_ascending, test_right_in_any_order, test_other_kinds, test_in_place, test_scalar_on_device,
              test_special_values)
