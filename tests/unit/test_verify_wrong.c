/* Verification finds what is wrong in a result, where, and the pattern of it. */
#include "verify_lab.h"

START_TEST(test_missing_and_twice)
{
    static const int dtypes[] = { ncclInt8,    ncclUint64,   ncclFloat16,    ncclFloat32,
                                  ncclFloat64, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2 };
    static const int ops[] = { ncclSum, ncclAvg, HANDLE };
    const size_t count = 1300;

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int k = 0; k < 3 * 2; k++) {
            struct world w;
            good_all_reduce(&w, 6, dtypes[d], ops[k / 2], count, true);
            struct reference f = ascending(&w, dtypes[d], ops[k / 2]);
            if (k % 2) {
                for (int i = 2; i < 5; i++)
                    f.order[i] = i + 1;
                f.terms = 5;
            } else {
                for (int i = 6; i > 4; i--)
                    f.order[i] = i - 1;
                f.terms = 7;
            }
            reduce(&w, &f, 0, count, w.recv[0]);
            all_write(&w, w.recv[0], count * ncs_dtype_bytes(dtypes[d]));
            after(&w);
            if (k % 2)
                names(&w, 6, NCS_PATTERN_MISSING, 2, "rank 2's contribution is missing");
            else
                names(&w, 6, NCS_PATTERN_TWICE, 4, "rank 4's contribution counts twice");
            world_close(&w);
        }
    }
}
END_TEST

START_TEST(test_missing_within_bounds)
{
    for (int op = ncclSum; op <= ncclAvg; op += ncclAvg) {
        struct world w;
        good_all_reduce(&w, 4, ncclFloat32, op, 400, false);
        struct reference f = ascending(&w, ncclFloat32, op);
        f.terms = 3;
        f.order[0] = 2; /* another order as well */
        f.order[2] = 0;
        reduce(&w, &f, 0, 400, w.recv[1]);
        after(&w);
        const struct ncs_wrong *list = wrong(&w, 1);
        names(&w, 1, NCS_PATTERN_MISSING, 3, "rank 3's contribution is missing");
        ck_assert_int_eq(list->comm_rank, 1);
        ck_assert_int_eq(list->rank, 101);
        ck_assert_uint_eq(list->number, 1);
        ck_assert_uint_eq(list->total, 400);
        world_close(&w);
    }
}
END_TEST

START_TEST(test_rounding)
{
    static const int dtypes[] = { ncclFloat16, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2 };
    static const int ops[] = { ncclSum, ncclAvg, ncclProd };

    for (int n = 2; n <= 8; n *= 2) {
        for (int k = 0; k < 12; k++) {
            struct world w;
            good_all_reduce(&w, n, dtypes[k % 4], ops[k / 4], 500, true);
            struct reference f = ascending(&w, dtypes[k % 4], ops[k / 4]);
            f.toward_zero = true;
            reduce(&w, &f, 0, 500, w.recv[0]);
            all_write(&w, w.recv[0], 500 * ncs_dtype_bytes(dtypes[k % 4]));
            after(&w);
            names(&w, (uint64_t)n, NCS_PATTERN_ROUNDING, -1,
                  "off by rounding: by no more than other roundings or another order could give");
            world_close(&w);
        }
    }
}
END_TEST

START_TEST(test_shift)
{
    static const int shifts[] = { 1, -1, 3, -8 };
    for (int k = 0; k < 8; k++) {
        int shift = shifts[k % 4];
        struct world w;
        good_all_reduce(&w, 4, ncclFloat32, ncclSum, 2000, k < 4);
        unsigned char right[8000], *out = w.recv[3];
        memcpy(right, out, sizeof right);
        memset(out, 0x7f, sizeof right);
        if (shift > 0)
            memcpy(out + 4 * shift, right, sizeof right - 4 * (size_t)shift);
        else
            memcpy(out, right - 4 * shift, sizeof right - 4 * (size_t)-shift);
        after(&w);
        const struct ncs_wrong *list = wrong(&w, 1);
        ck_assert_int_eq(list->pattern, NCS_PATTERN_SHIFT);
        ck_assert_int_eq(list->which, shift);
        if (shift == 1)
            ck_assert_str_eq(list->text, "the right values, 1 element late");
        if (shift == -8)
            ck_assert_str_eq(list->text, "the right values, 8 elements early");
        world_close(&w);
    }
}
END_TEST

START_TEST(test_bit)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        size_t bytes = ncs_dtype_bytes(dtype);
        for (unsigned bit = 0; bit < 8 * bytes; bit += 3) {
            struct world w;
            good_all_reduce(&w, 3, dtype, ncclSum, 1100, true);
            w.recv[1][1050 * bytes + bit / 8] ^= (unsigned char)(1u << bit % 8);
            after(&w);
            const struct ncs_wrong *list = wrong(&w, 1);
            ck_assert_uint_eq(list->first, 1051);
            ck_assert_uint_eq(list->differ, 1);
            ck_assert_int_eq(list->pattern, NCS_PATTERN_BIT);
            ck_assert_int_eq(list->which, bit);
            world_close(&w);
        }
    }
    struct world w; /* without an exact expectation: the exponent's highest bit */
    good_all_reduce(&w, 3, ncclFloat32, ncclSum, 100, false);
    w.recv[2][4 * 9 + 3] ^= 0x40;
    after(&w);
    names(&w, 1, NCS_PATTERN_BIT, 30, "one bit differs: bit 30, counted from the lowest");
    world_close(&w);
}
END_TEST

START_TEST(test_stale)
{
    struct world w;
    good_all_reduce(&w, 4, ncclFloat16, ncclSum, 64, true);
    memset(w.recv[2], 0xa5 ^ 2, 128);
    after(&w);
    names(&w, 1, NCS_PATTERN_STALE, -1, "the output buffer was not written");
    world_close(&w);

    /* Two ranks in place: rank 1's contribution missing leaves rank 0 as it was. */
    world_open(&w, 2, true);
    buffers(&w, 40, 40);
    fill(&w, ncclInt32, 10, 1, false);
    for (int r = 0; r < 2; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclAllReduce, r, w.send[r], w.send[r], 10, ncclInt32, ncclSum, 0);
    before(&w);
    memcpy(w.send[1], w.send[0], 40);
    after(&w);
    names(&w, 2, NCS_PATTERN_MISSING, 1, "rank 1's contribution is missing");
    world_close(&w);
}
END_TEST

START_TEST(test_scalars_left_out)
{
    for (int exact = 0; exact < 2; exact++) {
        struct world w;
        good_all_reduce(&w, 4, ncclFloat32, HANDLE, 64, exact);
        struct reference f = ascending(&w, ncclFloat32, HANDLE);
        f.unscaled = true;
        reduce(&w, &f, 0, 64, w.recv[0]);
        all_write(&w, w.recv[0], 256);
        after(&w);
        names(&w, 4, NCS_PATTERN_SCALAR, -1, "as if the scalars of the pre-mul-sum were 1");
        world_close(&w);
    }
}
END_TEST

START_TEST(test_blocks)
{
    const size_t count = 40;
    struct world w;
    world_open(&w, 4, true);
    buffers(&w, 4 * count * 8, 4 * count * 8);
    fill(&w, ncclInt64, 4 * count, 2, false);
    collective(&w, NCS_FN_ncclAllGather, count, ncclInt64, -1, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++)
            memcpy(w.recv[r] + (size_t)(r == 1 && k % 2 ? 4 - k : k) * count * 8, w.send[k], count * 8);
    after(&w);
    names(&w, 1, NCS_PATTERN_BLOCKS, 1, "the blocks of ranks 1 and 3 are exchanged");
    ck_assert_uint_eq(wrong(&w, 1)->first, count + 1);

    struct reference f = ascending(&w, ncclInt64, ncclSum);
    collective(&w, NCS_FN_ncclReduceScatter, count, ncclInt64, ncclSum, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        reduce(&w, &f, (size_t)(r == 2 ? 0 : r) * count, count, w.recv[r]);
    after(&w);
    const struct ncs_wrong *list = wrong(&w, 2);
    ck_assert_int_eq(list[1].pattern, NCS_PATTERN_BLOCKS);
    ck_assert_str_eq(list[1].text, "this is the block of rank 0");

    collective(&w, NCS_FN_ncclAllGather, count, ncclInt64, -1, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++)
            memcpy(w.recv[r] + (size_t)k * count * 8, w.send[k], count * 8);
    memset(w.recv[0] + 2 * count * 8, 0x5a, count * 8);
    after(&w);
    list = wrong(&w, 3);
    ck_assert_str_eq(list[2].text, "rank 2's block is missing");
    world_close(&w);
}
END_TEST

START_TEST(test_wrong_root)
{
    struct world w;
    world_open(&w, 4, true);
    buffers(&w, 80, 80);
    fill(&w, ncclInt32, 20, 4, false);
    for (int r = 0; r < 4; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclBroadcast, r, w.send[r], w.send[r], 20, ncclInt32, -1, 1);
    before(&w);
    memcpy(w.send[0], w.send[2], 80);
    memcpy(w.send[1], w.send[2], 80);
    memcpy(w.send[3], w.send[2], 80);
    after(&w);
    /* Rank 2 kept its own data; that others have it shows that it is no stale buffer. */
    const struct ncs_wrong *list = wrong(&w, 4);
    names(&w, 4, NCS_PATTERN_ROOT, 2, "this is the data of rank 2, not of root 1");
    ck_assert_int_eq(list[2].pattern, NCS_PATTERN_ROOT);

    collective(&w, NCS_FN_ncclBroadcast, 20, ncclInt32, -1, 1);
    before(&w);
    all_write(&w, w.send[3], 80);
    memset(w.recv[0], 1, 4);
    all_write(&w, w.recv[0], 80);
    after(&w);
    list = wrong(&w, 8);
    ck_assert_int_eq(list[5].which, -1);
    ck_assert_str_eq(list[5].text, "every rank has the same data, not that of root 1");

    collective(&w, NCS_FN_ncclReduce, 20, ncclInt32, ncclMax, 0);
    fill(&w, ncclInt32, 20, 5, false);
    before(&w);
    memcpy(w.recv[0], w.send[3], 80);
    after(&w);
    list = wrong(&w, 9);
    ck_assert_int_eq(list[8].pattern, NCS_PATTERN_ROOT);
    ck_assert_int_eq(list[8].which, 3);
    world_close(&w);
}
END_TEST

START_TEST(test_texts)
{
    static const struct {
        int dtype;
        double got, want;
        const char *got_text, *want_text;
    } rows[] = {
        { ncclInt8, -128, 127, "-128", "127" },          { ncclUint32, 4294967295.0, 1, "4294967295", "1" },
        { ncclFloat32, 0.1, 0.5, "0.100000001", "0.5" }, { ncclFloat64, 0.1, INFINITY, "0.10000000000000001", "inf" },
        { ncclFloat16, NAN, 1.5, "nan", "1.5" },         { ncclBfloat16, -INFINITY, 3, "-inf", "3" },
        { ncclFloat8e4m3, 448, 0.125, "448", "0.125" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        unsigned char got[8];
        world_open(&w, 1, true);
        buffers(&w, 8, 8);
        if (is_float(rows[i].dtype)) {
            put(rows[i].dtype, got, rows[i].got);
            put(rows[i].dtype, w.send[0], rows[i].want);
        } else {
            put_int(rows[i].dtype, got, (__int128)rows[i].got);
            put_int(rows[i].dtype, w.send[0], (__int128)rows[i].want);
        }
        collective(&w, NCS_FN_ncclAllReduce, 1, rows[i].dtype, ncclSum, 0);
        before(&w);
        memcpy(w.recv[0], got, ncs_dtype_bytes(rows[i].dtype));
        after(&w);
        const struct ncs_wrong *list = wrong(&w, 1);
        ck_assert_str_eq(list->got, rows[i].got_text);
        ck_assert_str_eq(list->want, rows[i].want_text);
        ck_assert_uint_eq(list->first, 1);
        world_close(&w);
    }
}
END_TEST

NCS_TEST_MAIN("verify wrong", test_missing_and_twice, test_missing_within_bounds, test_rounding, test_shift, test_bit, test_stale,
              test_scalars_left_out, test_blocks, test_wrong_root, test_texts)
