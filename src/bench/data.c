#include "bench/data.h"

#include <string.h>

#include "api/types.h"

/* The bits of 1 to 7 in a binary floating-point type with at least two bits of fraction. */
static uint64_t float_bits(const struct ncs_dtype_info *info, unsigned value)
{
    int exponent = value >= 4 ? 2 : value >= 2 ? 1 : 0;
    uint64_t rest = value - (1u << exponent);
    return ((uint64_t)(exponent + info->bias) << info->fraction) | rest << (info->fraction - exponent);
}

void ncs_bench_element(int type, unsigned value, void *to)
{
    const struct ncs_dtype_info *info = &ncs_dtype_info[type];
    uint64_t bits = ncs_dtype_is_float(type) && value > 0 ? float_bits(info, value) : value;
    memcpy(to, &bits, info->bytes); /* little-endian, as every host of NCCL */
}

/* A step of SplitMix64 (public domain, Vigna). */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void ncs_bench_pattern(int type, uint64_t seed, void *to, size_t count)
{
    size_t bytes = ncs_dtype_bytes(type);
    unsigned char number[8][8] = { { 0 } };
    for (unsigned value = 0; value < 8; value++)
        ncs_bench_element(type, value, number[value]);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)to + i * bytes, number[mix(seed * NCS_BENCH_PERIOD + i) & 7], bytes);
}
