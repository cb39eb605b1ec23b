/* NCCL's arithmetic on single elements, slowly and by definition. Shares nothing with the simulator
 * but the encoding of numbers that fit exactly. */
#ifndef NCS_TESTS_CONFORMANCE_ELEMENT_H
#define NCS_TESTS_CONFORMANCE_ELEMENT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "api/types.h"
#include "formats.h"
#include "ncclscript/nccl_abi.h"
#include "sim/data/dtype.h"

static bool cut_results; /* NCS_PLANT_ROUND */

static inline bool is_float(int dtype)
{
    return dtype >= ncclFloat16;
}

static inline bool is_signed(int dtype)
{
    return dtype == ncclInt8 || dtype == ncclInt32 || dtype == ncclInt64;
}

static inline const struct format *small_format(int dtype)
{
    return dtype == ncclFloat16      ? &format_f16
           : dtype == ncclBfloat16   ? &format_bf16
           : dtype == ncclFloat8e4m3 ? &format_e4m3
           : dtype == ncclFloat8e5m2 ? &format_e5m2
                                     : NULL;
}

static inline double decode(int dtype, uint64_t bits)
{
    float f;
    double d;
    uint32_t half = (uint32_t)bits;

    if (small_format(dtype))
        return format_meaning(small_format(dtype), half);
    memcpy(&f, &half, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return dtype == ncclFloat32 ? (double)f : d;
}

static inline uint64_t encode(int dtype, double x)
{
    float f = (float)x;
    uint32_t half;
    uint64_t bits;

    memcpy(&half, &f, sizeof half);
    memcpy(&bits, &x, sizeof bits);
    switch (dtype) {
    case ncclFloat16: return sim_f32_to_f16(f);
    case ncclBfloat16: return sim_f32_to_bf16(f);
    case ncclFloat8e4m3: return sim_f32_to_e4m3(f);
    case ncclFloat8e5m2: return sim_f32_to_e5m2(f);
    case ncclFloat32: return isnan(x) ? 0x7fffffffu : half;
    default: return isnan(x) ? 0x7fffffffffffffffu : bits;
    }
}

/* The exact result of a step on two numbers of a small type, in the type. fp8 goes through half. */
static inline double settle(int dtype, double exact)
{
    if (cut_results)
        exact = (float)exact;
    if (dtype == ncclFloat8e4m3 || dtype == ncclFloat8e5m2)
        exact = format_round(&format_f16, exact, cut_results);
    return format_round(small_format(dtype), exact, cut_results);
}

static inline double pick(double a, double b, bool larger)
{
    if (isnan(a) || isnan(b))
        return isnan(a) ? b : a;
    if (a == b)
        return (signbit(a) != 0) == larger ? b : a;
    return (a < b) == larger ? b : a;
}

static inline double combine_floats(int dtype, int op, double a, double b)
{
    float fa = (float)a, fb = (float)b;

    if (op == ncclMin || op == ncclMax) {
        double r = pick(a, b, op == ncclMax);
        return small_format(dtype) ? format_round(small_format(dtype), r, false) : r;
    }
    if (dtype == ncclFloat32)
        return op == ncclProd ? fa * fb : fa + fb;
    if (dtype == ncclFloat64)
        return op == ncclProd ? a * b : a + b;
    return settle(dtype, op == ncclProd ? a * b : a + b);
}

static inline uint64_t trim(uint64_t bits, size_t bytes)
{
    return bytes == 8 ? bits : bits & ((UINT64_C(1) << (8 * bytes)) - 1);
}

static inline int64_t widen(int dtype, uint64_t bits)
{
    return dtype == ncclInt8 ? (int8_t)bits : dtype == ncclInt32 ? (int32_t)bits : (int64_t)bits;
}

static inline uint64_t combine(int dtype, int op, uint64_t a, uint64_t b)
{
    if (is_float(dtype))
        return encode(dtype, combine_floats(dtype, op, decode(dtype, a), decode(dtype, b)));
    bool a_less = is_signed(dtype) ? widen(dtype, a) < widen(dtype, b) : a < b;
    switch (op) {
    case ncclMin: return a_less ? a : b;
    case ncclMax: return a_less ? b : a;
    case ncclProd: return trim(a * b, ncs_dtype_bytes(dtype));
    default: return trim(a + b, ncs_dtype_bytes(dtype));
    }
}

static inline uint64_t divide(int dtype, uint64_t sum, int n)
{
    uint64_t r = is_signed(dtype) ? (uint64_t)(widen(dtype, sum) / n) : sum / (uint64_t)n;

    return trim(r, ncs_dtype_bytes(dtype));
}

#endif
