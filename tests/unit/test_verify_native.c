/* The loops compute what ncs_expect accepts, for every type, operator and set of instructions. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "verify/element.h"
#include "verify/native_loops.h"

enum { MOST = 9, COUNT = 3000, OFFSET = 3, ODD = 1 /* buffers need not be aligned */ };

static struct ncs_expected expected;
static uint64_t seed;

static uint64_t draw(void)
{
    return ncs_mix(seed++);
}

/* Any bits, small whole numbers, and the neighbourhood of the smallest and of the largest numbers. */
static void fill(int dtype, unsigned char *to, size_t count)
{
    size_t bytes = ncs_dtype_bytes(dtype);
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = draw(), how = draw() % 6, sign = (uint64_t)1 << (8 * bytes - 1);
        const struct ncs_float_format *f = ncs_float_format(dtype);
        if (how == 0)
            bits = bits % 64 | (bits & sign);
        else if (how == 1 && f)
            bits = (f->beyond + 2 - bits % 40) | (bits >> 8 & sign);
        else if (how < 4 && dtype == ncclBfloat16) /* products around the smallest normal number */
            bits = (bits % 0x800 + 0x1c00) | (bits >> 8 & sign);
        else if (how >= 2 && f && f->precision > 8) /* near 1, so that not every sum is the larger term */
            bits = (bits % ((uint64_t)1 << (f->precision + 2))) + (f->beyond >> 1 & ~(((uint64_t)1 << (f->precision - 1)) - 1));
        memcpy(to + i * bytes, &bits, bytes);
    }
}

static struct ncs_operation *operation(int dtype, int op, bool scaled, int shares)
{
    struct ncs_operation *o = ncs_new(sizeof *o + (size_t)shares * sizeof *o->share);
    size_t bytes = ncs_dtype_bytes(dtype);
    *o = (struct ncs_operation){ .dtype = dtype,
                                 .op = op,
                                 .scaled = scaled,
                                 .count = COUNT,
                                 .shares = shares,
                                 .movement = ncs_movement_of(NCS_FN_ncclAllReduce) };
    for (int i = 0; i < shares; i++) {
        unsigned char *input = ncs_new((COUNT + OFFSET) * bytes + ODD);
        fill(dtype, input + ODD, COUNT + OFFSET);
        fill(dtype, o->share[i].scalar, 1);
        o->share[i].input = input + ODD;
    }
    return o;
}

static void operation_free(struct ncs_operation *o)
{
    for (int i = 0; i < o->shares; i++)
        ncs_free((void *)(o->share[i].input - ODD));
    ncs_free(o);
}

static void compare(const struct ncs_native *k, int dtype, const char *what)
{
    unsigned char *out = ncs_new(COUNT * 8 + ODD);
    const struct ncs_operation *op = k->terms->op;
    size_t where = 0, bytes = ncs_dtype_bytes(dtype);
    bool lost = ncs_native_run(k, 1, COUNT - 1, out + ODD), sums = op->op == ncclSum || op->op == ncclAvg;
    bool known = false;

    for (size_t first = 1, n; first < COUNT; first += n) {
        n = COUNT - first < NCS_CHUNK ? COUNT - first : NCS_CHUNK;
        ncs_expect(k->terms, NCS_ASCENDING, first, n, &expected);
        size_t differ = ncs_differ(&expected, out + ODD + (first - 1) * bytes, &where);
        ck_assert_msg(differ == 0, "%s: dtype %d op %d%s, %d ranks: %zu differ, first %zu (seed %llu)", what, dtype, op->op,
                      op->scaled ? " scaled" : "", op->shares, differ, first + where, (unsigned long long)seed);
        known |= expected.words && sums && !op->scaled && (expected.over || expected.cut);
    }
    ck_assert_msg(!known || lost, "%s: dtype %d op %d: nothing lost", what, dtype, op->op);
    ncs_free(out);
}

static void try(int dtype, int op, bool scaled, int shares)
{
    struct ncs_operation *o = operation(dtype, op, scaled, shares);
    struct ncs_terms terms = ncs_terms_of(o, OFFSET - 1);
    struct ncs_native k = ncs_native_of(&terms);
    compare(&k, dtype, "here");
    int row = 0;
    while (k.loop != ncs_natives_portable[dtype][row] && row < NCS_NATIVES - 1)
        row++;
#if defined(__x86_64__)
    for (row = 0; row < NCS_NATIVES && k.loop != ncs_natives_avx2[dtype][row]; row++)
        continue;
    if (row < NCS_NATIVES) {
        k.loop = ncs_natives_portable[dtype][row];
        compare(&k, dtype, "portable");
    }
#endif
    operation_free(o);
}

START_TEST(test_all)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        for (int op = 0; op <= ncclNumOps; op++)
            for (int shares = 1; shares <= MOST; shares += shares < 3 ? 1 : 3)
                for (int again = 0; again < 4; again++)
                    try(dtype, op == ncclNumOps ? ncclSum : op, op == ncclNumOps, shares);
}
END_TEST

/* Two ranks, all pairs of values of the types of 8 bits. */
START_TEST(test_all_pairs)
{
    static const int narrow[] = { ncclInt8, ncclUint8, ncclFloat8e4m3, ncclFloat8e5m2 };
    for (size_t t = 0; t < 4; t++)
        for (int op = 0; op <= ncclNumOps; op++) {
            struct ncs_operation *o = operation(narrow[t], op == ncclNumOps ? ncclSum : op, op == ncclNumOps, 2);
            struct ncs_terms terms = ncs_terms_of(o, 0);
            struct ncs_native k = ncs_native_of(&terms);
            for (int a = 0; a < 256; a++) {
                for (int b = 0; b < COUNT; b++) {
                    ((unsigned char *)o->share[0].input)[b] = (unsigned char)a;
                    ((unsigned char *)o->share[1].input)[b] = (unsigned char)b;
                }
                compare(&k, narrow[t], "pairs");
            }
            operation_free(o);
        }
}
END_TEST

NCS_TEST_MAIN("verify_native", test_all, test_all_pairs)
