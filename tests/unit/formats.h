/* The small floating-point formats by their definitions, slowly, in double: what bits mean, and
 * which number of a format is nearest to a given one. Shares nothing with the code under test. */
#ifndef NCS_TESTS_UNIT_FORMATS_H
#define NCS_TESTS_UNIT_FORMATS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct format {
    const char *name;
    int bits, mantissa, bias;
    bool infinite; /* has infinities; else it saturates */
    double max;    /* largest finite */
};

static const struct format format_f16 = { "f16", 16, 10, 15, true, 65504 };
static const struct format format_bf16 = { "bf16", 16, 7, 127, true, 0x1.fep127 };
static const struct format format_e4m3 = { "e4m3", 8, 3, 7, false, 448 };
static const struct format format_e5m2 = { "e5m2", 8, 2, 15, false, 57344 };

/* What the bits mean, by the definition of the format. */
static inline double format_meaning(const struct format *k, uint32_t b)
{
    int exponent_bits = k->bits - 1 - k->mantissa;
    uint32_t top = (1u << exponent_bits) - 1;
    uint32_t fraction = b & ((1u << k->mantissa) - 1), exponent = b >> k->mantissa & top;
    double sign = b >> (k->bits - 1) ? -1 : 1;
    bool is_e4m3 = k->mantissa == 3;

    if (is_e4m3 ? (b & 0x7f) == 0x7f : exponent == top)
        return !is_e4m3 && fraction == 0 ? sign * INFINITY : NAN;
    if (exponent == 0)
        return sign * ldexp(fraction, 1 - k->bias - k->mantissa);
    return sign * ldexp((double)(fraction + (1u << k->mantissa)), (int)exponent - k->bias - k->mantissa);
}

/* The nearest number of the format, ties to even, overflow as the format has it; or the next one
 * toward zero. */
static inline double format_round(const struct format *k, double x, bool toward_zero)
{
    int exponent;

    if (isnan(x) || x == 0)
        return x;
    if (isinf(x))
        return k->infinite ? x : copysign(k->max, x);
    frexp(x, &exponent);
    int unit = exponent - 1 - k->mantissa;
    if (unit < 1 - k->bias - k->mantissa)
        unit = 1 - k->bias - k->mantissa;
    double scaled = ldexp(x, -unit);
    double r = copysign(ldexp(toward_zero ? trunc(scaled) : nearbyint(scaled), unit), x);
    if (fabs(r) > k->max)
        return copysign(k->infinite && !toward_zero ? INFINITY : k->max, x);
    return r;
}

#endif
