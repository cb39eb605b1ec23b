/* Conversions of NCCL's element types, rounding, and their texts. */
#include "verify/element.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ncclscript/nccl_abi.h"

static const struct ncs_float_format formats[ncclNumTypes] = {
    /*                    p   unit      least      normal     most      saturates digits beyond */
    [ncclFloat16] = { 11, 0x1p-11, 0x1p-24, 0x1p-14, 65504.0, false, 5, 0x7c00 },
    [ncclFloat32] = { 24, 0x1p-24, 0x1p-149, 0x1p-126, FLT_MAX, false, 9, 0x7f800000 },
    [ncclFloat64] = { 53, 0x1p-53, 0x1p-1074, 0x1p-1022, DBL_MAX, false, 17, 0x7ff0000000000000 },
    [ncclBfloat16] = { 8, 0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127, false, 4, 0x7f80 },
    [ncclFloat8e4m3] = { 4, 0x1p-4, 0x1p-9, 0x1p-6, 448.0, true, 3, 0x7e },
    [ncclFloat8e5m2] = { 3, 0x1p-3, 0x1p-16, 0x1p-14, 57344.0, true, 3, 0x7b },
};

const struct ncs_float_format *ncs_float_format(int dtype)
{
    if (dtype < 0 || dtype >= ncclNumTypes || formats[dtype].precision == 0)
        return NULL;
    return &formats[dtype];
}

bool ncs_element_signed(int dtype)
{
    return dtype == ncclInt8 || dtype == ncclInt32 || dtype == ncclInt64;
}

#define LOAD_WORDS(type)                            \
    for (size_t i = 0; i < count; i++) {            \
        type x;                                     \
        memcpy(&x, bytes + i * sizeof x, sizeof x); \
        to[i] = (uint64_t)x;                        \
    }                                               \
    break

void ncs_element_words(int dtype, const void *from, size_t count, uint64_t *to)
{
    const unsigned char *bytes = from;

    switch (dtype) {
    case ncclInt8: LOAD_WORDS(int8_t);
    case ncclUint8: LOAD_WORDS(uint8_t);
    case ncclInt32: LOAD_WORDS(int32_t);
    case ncclUint32: LOAD_WORDS(uint32_t);
    default: LOAD_WORDS(uint64_t);
    }
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A half's bits, moved to a float's place, give a value too small by 2^(127 - 15), also for subnormals. */
static double from_half(uint32_t half)
{
    uint32_t magnitude = half & 0x7fff;
    float finite = float_of(magnitude << 13) * 0x1p112f;
    float special = float_of(0x7f800000u | (magnitude & 0x3ff) << 13);
    float x = magnitude >= 0x7c00 ? special : finite;

    return half & 0x8000 ? -x : x;
}

/* As from_half, for e4m3: its bias is 7, it has no infinity and one NaN. */
static double from_e4m3(uint32_t byte)
{
    uint32_t magnitude = byte & 0x7f;
    float x = magnitude == 0x7f ? NAN : float_of(magnitude << 20) * 0x1p120f;

    return byte & 0x80 ? -x : x;
}

void ncs_element_values(int dtype, const void *from, size_t count, double *to)
{
    const unsigned char *bytes = from;
    uint16_t half;
    float single;

    switch (dtype) {
    case ncclFloat16:
        for (size_t i = 0; i < count; i++) {
            memcpy(&half, bytes + 2 * i, sizeof half);
            to[i] = from_half(half);
        }
        break;
    case ncclBfloat16:
        for (size_t i = 0; i < count; i++) {
            memcpy(&half, bytes + 2 * i, sizeof half);
            to[i] = float_of((uint32_t)half << 16);
        }
        break;
    case ncclFloat32:
        for (size_t i = 0; i < count; i++) {
            memcpy(&single, bytes + 4 * i, sizeof single);
            to[i] = single;
        }
        break;
    case ncclFloat8e4m3:
        for (size_t i = 0; i < count; i++)
            to[i] = from_e4m3(bytes[i]);
        break;
    case ncclFloat8e5m2: /* the upper half of a half */
        for (size_t i = 0; i < count; i++)
            to[i] = from_half((uint32_t)bytes[i] << 8);
        break;
    default: memcpy(to, from, count * sizeof *to);
    }
}

uint64_t ncs_element_wrap(int dtype, uint64_t word)
{
    switch (dtype) {
    case ncclInt8: return (uint64_t)(int8_t)(uint8_t)word;
    case ncclUint8: return (uint8_t)word;
    case ncclInt32: return (uint64_t)(int32_t)(uint32_t)word;
    case ncclUint32: return (uint32_t)word;
    default: return word;
    }
}

#define WRAP_WORDS(type)                          \
    for (size_t i = 0; i < count; i++) {          \
        uint64_t word = (uint64_t)(type)words[i]; \
        changed |= word ^ words[i];               \
        words[i] = word;                          \
    }                                             \
    break

bool ncs_element_wrap_all(int dtype, uint64_t *words, size_t count)
{
    uint64_t changed = 0;

    switch (dtype) {
    case ncclInt8: WRAP_WORDS(int8_t);
    case ncclUint8: WRAP_WORDS(uint8_t);
    case ncclInt32: WRAP_WORDS(int32_t);
    case ncclUint32: WRAP_WORDS(uint32_t);
    default: break;
    }
    return changed != 0;
}

/* Adding and subtracting a number whose last binary place is the wanted one rounds to that place. The
 * power of two at or below |x| (at least the smallest normal number) determines the place. */
static void round_narrow(const struct ncs_float_format *f, double *values, size_t count)
{
    const uint64_t exponent_only = 0x7ff0000000000000u;
    double magic = 1.5 * ldexp(1.0, DBL_MANT_DIG - f->precision);
    double normal = f->normal, most = f->most, over = f->saturates ? most : INFINITY;

    for (size_t i = 0; i < count; i++) {
        double x = values[i], size = fabs(x);
        size = size > normal ? size : normal;
        size = size < 0x1p300 ? size : 0x1p300; /* infinity and beyond: no place is needed */
        uint64_t bits;
        memcpy(&bits, &size, sizeof bits);
        bits &= exponent_only;
        double power;
        memcpy(&power, &bits, sizeof power);
        double far = power * magic;
        double rounded = (x + far) - far;
        rounded = fabs(rounded) > most ? over : rounded;
        values[i] = copysign(rounded, x);
    }
}

void ncs_element_round(int dtype, double *values, size_t count)
{
    if (dtype == ncclFloat64)
        return;
    if (dtype == ncclFloat32) {
        for (size_t i = 0; i < count; i++)
            values[i] = (float)values[i];
        return;
    }
    round_narrow(&formats[dtype], values, count);
}

void ncs_element_value_text(int digits, long double value, char *text, size_t room)
{
    if (isnan(value))
        snprintf(text, room, "nan");
    else if (isinf(value))
        snprintf(text, room, value < 0 ? "-inf" : "inf");
    else
        snprintf(text, room, "%.*Lg", digits, value);
}

void ncs_element_word_text(int dtype, uint64_t word, char *text, size_t room)
{
    if (ncs_element_signed(dtype))
        snprintf(text, room, "%" PRId64, (int64_t)word);
    else
        snprintf(text, room, "%" PRIu64, word);
}

void ncs_element_text(int dtype, const void *element, char *text, size_t room)
{
    const struct ncs_float_format *f = ncs_float_format(dtype);

    if (f) {
        double value;
        ncs_element_values(dtype, element, 1, &value);
        ncs_element_value_text(f->digits, value, text, room);
    } else {
        uint64_t word;
        ncs_element_words(dtype, element, 1, &word);
        ncs_element_word_text(dtype, word, text, room);
    }
}
