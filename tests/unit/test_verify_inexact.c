/* Right results that lost something: which are told, and once for each place. */
#include "verify_lab.h"

struct row {
    int dtype, op;
    uint64_t a, b, result;
    const char *got, *exact; /* NULL: nothing is told */
    bool overflow;
};

static const struct row rows[] = {
    { ncclInt32, ncclAvg, 1, 2, 1, "1", "1.5", false },
    { ncclInt32, ncclAvg, 0xfffffff9, 4, 0xffffffff, "-1", "-1.5", false },
    { ncclInt32, ncclAvg, 1, 3, 2, NULL, NULL, false },
    { ncclUint32, ncclAvg, 1, 2, 1, "1", "1.5", false },
    { ncclInt8, ncclAvg, 100, 100, 0xe4, "-28", "100", true },
    { ncclUint8, ncclAvg, 200, 100, 22, "22", "150", true },
    { ncclInt64, ncclAvg, (uint64_t)-7, 4, (uint64_t)-1, "-1", "-1.5", false },
    { ncclUint64, ncclAvg, 1, 2, 1, "1", "1.5", false },
    { ncclUint64, ncclAvg, UINT64_MAX, 2, 0, NULL, NULL, false }, /* too large to tell */
    { ncclUint64, ncclAvg, UINT64_MAX, 0, UINT64_MAX / 2, NULL, NULL, false },
    { ncclInt8, ncclSum, 100, 100, 200, "-56", "200", true },
    { ncclInt8, ncclSum, 100, 27, 127, NULL, NULL, false },
    { ncclUint8, ncclSum, 200, 55, 255, NULL, NULL, false },
    { ncclUint8, ncclSum, 200, 56, 0, "0", "256", true },
    { ncclInt32, ncclSum, 0x7fffffff, 1, 0x80000000, "-2147483648", "2147483648", true },
    { ncclInt8, ncclMax, 100, 100, 100, NULL, NULL, false },
    { ncclInt8, ncclProd, 100, 2, 200, NULL, NULL, false },
    { ncclFloat16, ncclSum, 0x7800, 0x7800, 0x7c00, "inf", "65536", true },
    { ncclFloat16, ncclSum, 0xf800, 0xf800, 0xfc00, "-inf", "-65536", true },
    { ncclFloat16, ncclSum, 0x7bff, 0x3c00, 0x7bff, NULL, NULL, false },
    { ncclFloat16, ncclSum, 0x7c00, 0x3c00, 0x7c00, NULL, NULL, false },
    { ncclFloat16, ncclAvg, 0x7800, 0x7800, 0x7800, NULL, NULL, false },
    { ncclFloat8e4m3, ncclSum, 0x7e, 0x7e, 0x7e, "448", "896", true },
    { ncclFloat8e4m3, ncclSum, 0x76, 0x76, 0x7e, NULL, NULL, false }, /* 224 + 224 */
    { ncclFloat8e4m3, ncclSum, 0x7e, 0x38, 0x7e, NULL, NULL, false }, /* 448 + 1 */
    { ncclFloat32, ncclSum, 0x7f000000, 0x7f000000, 0x7f800000, "inf", "3.40282367e+38", true },
};

static void one_call(struct world *w, const struct row *row)
{
    size_t bytes = ncs_dtype_bytes(row->dtype);
    unsigned char result[16] = { 0 };

    buffers(w, 2 * bytes, 2 * bytes);
    memcpy(w->send[0] + bytes, &row->a, bytes);
    memcpy(w->send[1] + bytes, &row->b, bytes);
    memcpy(result + bytes, &row->result, bytes);
    collective(w, NCS_FN_ncclAllReduce, 2, row->dtype, row->op, 0);
    before(w);
    all_write(w, result, 2 * bytes);
    after(w);
    wrong(w, 0);
}

/* The second element of two, in the order of the ranks and in any. */
START_TEST(test_what_is_told)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int ascending = 0; ascending < 2; ascending++) {
            struct world w;
            size_t count;
            world_open(&w, 2, ascending);
            one_call(&w, &rows[i]);
            const struct ncs_inexact *p = ncs_verify_inexact(w.v, &count);
            ck_assert_msg(count == (rows[i].got ? 1 : 0), "row %zu", i);
            if (rows[i].got) {
                ck_assert_str_eq(p->got, rows[i].got);
                ck_assert_str_eq(p->exact, rows[i].exact);
                ck_assert_uint_eq(p->element, 2);
                ck_assert_int_eq(p->overflow, rows[i].overflow);
                ck_assert_int_eq(p->call->comm_rank, 0);
            }
            world_close(&w);
        }
    }
}
END_TEST

START_TEST(test_once_for_each_place)
{
    struct world w;
    size_t count;
    world_open(&w, 2, true);
    one_call(&w, &rows[2]);
    one_call(&w, &rows[0]);
    one_call(&w, &rows[1]);
    const struct ncs_inexact *p = ncs_verify_inexact(w.v, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(p->call->number, 2);
    ck_assert_str_eq(p->in, "1, 2");
    ck_assert_str_eq(p->sum, "3");
    world_close(&w);
}
END_TEST

/* A wrong result is not reported as inexact, too. */
START_TEST(test_not_of_what_is_wrong)
{
    static const unsigned char result = 0;
    struct world w;
    size_t count;
    world_open(&w, 2, true);
    buffers(&w, 1, 1);
    w.send[0][0] = w.send[1][0] = 100;
    collective(&w, NCS_FN_ncclAllReduce, 1, ncclInt8, ncclSum, 0);
    before(&w);
    all_write(&w, &result, 1);
    after(&w);
    wrong(&w, 2);
    ncs_verify_inexact(w.v, &count);
    ck_assert_uint_eq(count, 0);
    world_close(&w);
}
END_TEST

NCS_TEST_MAIN("verify_inexact", test_what_is_told, test_once_for_each_place, test_not_of_what_is_wrong)
