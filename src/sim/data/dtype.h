/* The small floating-point types: half, bfloat16, fp8 e4m3 and e5m2, as bits and as floats.
 *
 * Every conversion from float rounds to nearest even, once, as a GPU's does: half and bfloat16
 * overflow to infinity, both fp8 types saturate at their largest finite number (infinity too), and
 * every NaN becomes the canonical one. Inline and free of branches, so that loops over them
 * vectorise. They need the default rounding mode and subnormal floats. */
#ifndef NCS_SIM_DTYPE_H
#define NCS_SIM_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIM_F32_NAN 0x7fffffffu
#define SIM_F64_NAN 0x7fffffffffffffffu

static inline uint32_t sim_f32_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float sim_f32_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* a if the condition holds, else b. It uses masks: for a conditional, compilers branch around the
 * arithmetic of a or b, and then do not vectorise. */
static inline uint32_t sim_pick(bool condition, uint32_t a, uint32_t b)
{
    uint32_t mask = -(uint32_t)condition;

    return (a & mask) | (b & ~mask);
}

/* The position of a format within float: stored mantissa bits; float's bits of the smallest normal
 * and of the largest finite number; the result of an overflow. */
struct sim_format {
    int mantissa;
    uint32_t normal, max, over;
};

#define SIM_F16 ((struct sim_format){ 10, 0x38800000u, 0x477fe000u, 0x7f800000u })
#define SIM_BF16 ((struct sim_format){ 7, 0x00800000u, 0x7f7f0000u, 0x7f800000u })
#define SIM_E4M3 ((struct sim_format){ 3, 0x3c800000u, 0x43e00000u, 0x43e00000u })
#define SIM_E5M2 ((struct sim_format){ 2, 0x38800000u, 0x47600000u, 0x47600000u })

/* A float of which one unit in the last place is the format's smallest subnormal: adding it to a
 * smaller number rounds that number to the format's subnormals. */
static inline uint32_t sim_subnormal_unit(struct sim_format f)
{
    return f.normal + ((uint32_t)(23 - f.mantissa) << 23);
}

/* Float's bits of a magnitude, rounded to so many mantissa bits. A carry into the exponent gives
 * the right result. */
static inline uint32_t sim_round_bits(uint32_t magnitude, int mantissa)
{
    int drop = 23 - mantissa;
    uint32_t unit = 1u << drop;

    return (magnitude + (unit / 2 - 1) + ((magnitude >> drop) & 1)) & ~(unit - 1);
}

/* The number of the format nearest to x, as a float. */
static inline float sim_round(float x, struct sim_format f)
{
    uint32_t u = sim_f32_bits(x), magnitude = u & 0x7fffffffu;
    float unit = sim_f32_of(sim_subnormal_unit(f));
    uint32_t small = sim_f32_bits((sim_f32_of(magnitude) + unit) - unit);
    uint32_t r = sim_round_bits(magnitude, f.mantissa);

    r = sim_pick(r > f.max, f.over, r);
    r = sim_pick(magnitude < f.normal, small, r) | (u & 0x80000000u);
    return sim_f32_of(sim_pick(magnitude > 0x7f800000u, SIM_F32_NAN, r));
}

static inline float sim_round_f16(float x)
{
    return sim_round(x, SIM_F16);
}

static inline float sim_round_e4m3(float x)
{
    return sim_round(x, SIM_E4M3);
}

static inline float sim_round_e5m2(float x)
{
    return sim_round(x, SIM_E5M2);
}

/* The magnitude of a float that is neither infinite nor NaN, as the bits of the format. */
static inline uint32_t sim_encode(uint32_t magnitude, struct sim_format f)
{
    uint32_t unit = sim_subnormal_unit(f);
    uint32_t small = sim_f32_bits(sim_f32_of(magnitude) + sim_f32_of(unit)) - unit;
    uint32_t r = sim_round_bits(magnitude, f.mantissa);

    r = sim_pick(r > f.max, f.max, r);
    r = (r - (f.normal - (1u << 23))) >> (23 - f.mantissa);
    return sim_pick(magnitude < f.normal, small, r);
}

static inline float sim_f16_to_f32(uint16_t h)
{
    uint32_t magnitude = h & 0x7fffu, u = (magnitude << 13) + (112u << 23);
    uint32_t small = sim_f32_bits(sim_f32_of((magnitude << 13) + (113u << 23)) - 0x1p-14f);

    u = sim_pick(magnitude < 0x400u, small, u);
    u = sim_pick(magnitude >= 0x7c00u, u + (112u << 23), u);
    return sim_f32_of(u | (uint32_t)(h & 0x8000u) << 16);
}

static inline uint16_t sim_f32_to_f16(float x)
{
    uint32_t u = sim_f32_bits(x), magnitude = u & 0x7fffffffu;
    uint32_t h = sim_encode(magnitude, SIM_F16);

    /* 65520, the tie between the largest half and the next power of two. */
    h = sim_pick(magnitude >= 0x477ff000u, 0x7c00u, h) | (u >> 16 & 0x8000u);
    return (uint16_t)sim_pick(magnitude > 0x7f800000u, 0x7fffu, h);
}

static inline float sim_bf16_to_f32(uint16_t b)
{
    return sim_f32_of((uint32_t)b << 16);
}

/* bfloat16 has float's exponents, so subnormals, overflow and infinity need no special case. */
static inline float sim_round_bf16(float x)
{
    uint32_t u = sim_f32_bits(x), magnitude = u & 0x7fffffffu;
    uint32_t r = sim_round_bits(magnitude, 7) | (u & 0x80000000u);

    return sim_f32_of(sim_pick(magnitude > 0x7f800000u, SIM_F32_NAN, r));
}

static inline uint16_t sim_f32_to_bf16(float x)
{
    return (uint16_t)(sim_f32_bits(sim_round_bf16(x)) >> 16);
}

static inline float sim_e4m3_to_f32(uint8_t b)
{
    uint32_t magnitude = b & 0x7fu, u = (magnitude << 20) + (120u << 23);

    u = sim_pick(magnitude < 8, sim_f32_bits((float)(int32_t)magnitude * 0x1p-9f), u);
    u = sim_pick(magnitude == 0x7fu, SIM_F32_NAN, u);
    return sim_f32_of(u | (uint32_t)(b & 0x80u) << 24);
}

static inline uint8_t sim_f32_to_e4m3(float x)
{
    uint32_t u = sim_f32_bits(x), magnitude = u & 0x7fffffffu;
    uint32_t b = sim_encode(magnitude, SIM_E4M3) | (u >> 24 & 0x80u);

    return (uint8_t)sim_pick(magnitude > 0x7f800000u, 0x7fu, b);
}

static inline float sim_e5m2_to_f32(uint8_t b)
{
    return sim_f16_to_f32((uint16_t)(b << 8));
}

static inline uint8_t sim_f32_to_e5m2(float x)
{
    uint32_t u = sim_f32_bits(x), magnitude = u & 0x7fffffffu;
    uint32_t b = sim_encode(magnitude, SIM_E5M2) | (u >> 24 & 0x80u);

    return (uint8_t)sim_pick(magnitude > 0x7f800000u, 0x7fu, b);
}

bool sim_dtype_is_float(int dtype);

/* The factor of each input in an average: 1/n as float (float64: as double), rounded to the type,
 * which must be floating-point. Writes ncs_dtype_bytes(dtype) bytes. */
void sim_dtype_inverse(int dtype, int n, void *scalar);

#endif
