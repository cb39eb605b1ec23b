/* Conversions of the small floating-point types, against a slow oracle that scales and rounds in
 * double, and against the compiler's own half where it has one. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "formats.h"
#include "harness.h"
#include "ncclscript/nccl_abi.h"
#include "sim/data/dtype.h"

struct kind {
    const struct format *is;
    float (*decode)(uint32_t bits);
    uint32_t (*encode)(float x);
    float (*round)(float x);
};

/* clang-format off */
static float f16_decode(uint32_t b) { return sim_f16_to_f32((uint16_t)b); }
static float bf16_decode(uint32_t b) { return sim_bf16_to_f32((uint16_t)b); }
static float e4m3_decode(uint32_t b) { return sim_e4m3_to_f32((uint8_t)b); }
static float e5m2_decode(uint32_t b) { return sim_e5m2_to_f32((uint8_t)b); }
static uint32_t f16_encode(float x) { return sim_f32_to_f16(x); }
static uint32_t bf16_encode(float x) { return sim_f32_to_bf16(x); }
static uint32_t e4m3_encode(float x) { return sim_f32_to_e4m3(x); }
static uint32_t e5m2_encode(float x) { return sim_f32_to_e5m2(x); }
static float f16_round(float x) { return sim_round(x, SIM_F16); }
static float e4m3_round(float x) { return sim_round(x, SIM_E4M3); }
static float e5m2_round(float x) { return sim_round(x, SIM_E5M2); }
/* clang-format on */

static const struct kind kinds[] = {
    { &format_f16, f16_decode, f16_encode, f16_round },
    { &format_bf16, bf16_decode, bf16_encode, sim_round_bf16 },
    { &format_e4m3, e4m3_decode, e4m3_encode, e4m3_round },
    { &format_e5m2, e5m2_decode, e5m2_encode, e5m2_round },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static uint32_t canonical_nan(const struct kind *k)
{
    return k->is->bits == 16 ? 0x7fff : 0x7f;
}

static uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static void same(const struct kind *k, double got, double want, double about)
{
    if (isnan(want) ? !isnan(got) : bits_of(got) != bits_of(want))
        ck_abort_msg("%s of %a: got %a, want %a", k->is->name, about, got, want);
}

static void check_encode(const struct kind *k, float x)
{
    double want = format_round(k->is, x, false);
    uint32_t b = k->encode(x);

    same(k, format_meaning(k->is, b), want, x);
    same(k, k->round(x), want, x);
    if (isnan(want)) {
        ck_assert_uint_eq(b, canonical_nan(k));
        ck_assert_uint_eq(sim_f32_bits(k->round(x)), SIM_F32_NAN);
    }
}

START_TEST(test_decode)
{
    for (int i = 0; i < KINDS; i++)
        for (uint32_t b = 0; b < 1u << kinds[i].is->bits; b++)
            same(&kinds[i], kinds[i].decode(b), format_meaning(kinds[i].is, b), b);
}
END_TEST

START_TEST(test_round_trip)
{
    for (int i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        for (uint32_t b = 0; b < 1u << k->is->bits; b++) {
            double x = format_meaning(k->is, b);
            uint32_t want = isnan(x) ? canonical_nan(k) : b;
            if (isinf(x) && !k->is->infinite)
                want = b - 1; /* e5m2's largest finite number lies before its infinity */
            ck_assert_uint_eq(k->encode(k->decode(b)), want);
        }
    }
}
END_TEST

/* Every tie between neighbours, and the floats on both sides of it. */
START_TEST(test_ties)
{
    for (int i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        for (uint32_t b = 0; b < 1u << (k->is->bits - 1); b++) {
            double low = format_meaning(k->is, b), high = format_meaning(k->is, b + 1);
            if (!isfinite(low))
                continue;
            if (!isfinite(high)) /* beyond the largest: what would come next */
                high = 2 * low - format_meaning(k->is, b - 1);
            double tie = (low + high) / 2;
            if (tie != (double)(float)tie)
                continue;
            float t = (float)tie;
            check_encode(k, t);
            check_encode(k, -t);
            check_encode(k, nextafterf(t, INFINITY));
            check_encode(k, nextafterf(t, 0));
            check_encode(k, -nextafterf(t, INFINITY));
            check_encode(k, -nextafterf(t, 0));
        }
    }
}
END_TEST

/* Floats of every exponent, both signs, infinities and NaNs among them. */
START_TEST(test_all_exponents)
{
    for (int i = 0; i < KINDS; i++)
        for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 40503)
            check_encode(&kinds[i], sim_f32_of((uint32_t)u));
}
END_TEST

START_TEST(test_edges)
{
    /* clang-format off */
    static const float edges[] = {
        0, INFINITY, NAN, 65504, 65519.996f, 65520, 65536, 0x1p-24f, 0x1p-25f, 0x1.000002p-25f,
        0x1.8p-25f, 0x1p-14f, 0x1.ffcp-15f, 0x1.ffep-15f, 447, 448, 449, 464, 464.00003f, 480, 1e9f,
        0x1p-9f, 0x1p-10f, 0x1.8p-10f, 57344, 61440, 65535, 0x1p-16f, 0x1p-17f, 0x1.8p-17f,
        0x1.fep127f, 0x1.fefffep127f, 0x1.ffp127f, 0x1.fffffep127f, 0x1p-126f, 0x1p-133f, 0x1p-134f,
        0x1p-149f, 1.0f / 3, 3.14159265f,
    };
    /* clang-format on */

    for (int i = 0; i < KINDS; i++)
        for (size_t e = 0; e < sizeof edges / sizeof *edges; e++) {
            check_encode(&kinds[i], edges[e]);
            check_encode(&kinds[i], -edges[e]);
        }
}
END_TEST

START_TEST(test_known_bits)
{
    ck_assert_uint_eq(sim_f32_to_f16(1), 0x3c00);
    ck_assert_uint_eq(sim_f32_to_f16(65520), 0x7c00);
    ck_assert_uint_eq(sim_f32_to_f16(-0.0f), 0x8000);
    ck_assert_uint_eq(sim_f32_to_bf16(1), 0x3f80);
    ck_assert_uint_eq(sim_f32_to_bf16(INFINITY), 0x7f80);
    ck_assert_uint_eq(sim_f32_to_e4m3(1), 0x38);
    ck_assert_uint_eq(sim_f32_to_e4m3(-1000), 0xfe);
    ck_assert_uint_eq(sim_f32_to_e4m3(-NAN), 0x7f);
    ck_assert_uint_eq(sim_f32_to_e5m2(1), 0x3c);
    ck_assert_uint_eq(sim_f32_to_e5m2(INFINITY), 0x7b);
    ck_assert(isnan(sim_e4m3_to_f32(0xff)));
    ck_assert(isinf(sim_e5m2_to_f32(0xfc)));
}
END_TEST

#if defined(__FLT16_MANT_DIG__)
/* The compiler's half says the same of every half and of many floats. */
START_TEST(test_compilers_half)
{
    for (uint32_t b = 0; b < 0x10000; b++) {
        uint16_t h = (uint16_t)b;
        _Float16 x;
        memcpy(&x, &h, sizeof x);
        same(&kinds[0], sim_f16_to_f32(h), (float)x, b);
    }
    for (uint64_t u = 0; u < UINT64_C(1) << 32; u += 65521) {
        float f = sim_f32_of((uint32_t)u);
        _Float16 x = (_Float16)f;
        uint16_t want;
        memcpy(&want, &x, sizeof want);
        if (!isnan(f))
            ck_assert_uint_eq(sim_f32_to_f16(f), want);
    }
}
END_TEST
#define COMPILERS_HALF , test_compilers_half
#else
#define COMPILERS_HALF
#endif

START_TEST(test_inverse)
{
    uint16_t two;
    uint8_t one;
    float f;
    double d;

    sim_dtype_inverse(ncclFloat16, 3, &two);
    ck_assert_uint_eq(two, 0x3555);
    sim_dtype_inverse(ncclBfloat16, 3, &two);
    ck_assert_uint_eq(two, 0x3eab);
    sim_dtype_inverse(ncclFloat32, 3, &f);
    ck_assert(f == 1.0f / 3);
    sim_dtype_inverse(ncclFloat64, 3, &d);
    ck_assert(d == 1.0 / 3);
    sim_dtype_inverse(ncclFloat8e4m3, 3, &one);
    ck_assert_uint_eq(one, 0x2b); /* 1.375 / 4 */
    sim_dtype_inverse(ncclFloat8e5m2, 3, &one);
    ck_assert_uint_eq(one, 0x35); /* 1.25 / 4 */
    ck_assert(sim_dtype_is_float(ncclFloat16) && sim_dtype_is_float(ncclFloat8e5m2));
    ck_assert(!sim_dtype_is_float(ncclUint64) && !sim_dtype_is_float(ncclInt8));
}
END_TEST

NCS_TEST_MAIN("dtype", test_decode, test_round_trip, test_ties, test_all_exponents, test_edges, test_known_bits,
              test_inverse COMPILERS_HALF)
