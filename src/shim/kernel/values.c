#include "shim/kernel/kernel.h"

#include <stdbool.h>

/* ---- what is drawn for an element ---- */

/* The finalizer of splitmix64. */
static uint64_t value_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct draw {
    uint64_t hash;
    int begin;   /* a rank: windows of ranks begin here */
    int partner; /* another one; the same if there is but one */
};

static struct draw draw_element(const struct value_source *s, uint64_t index)
{
    struct draw d = { .hash = value_mix(value_mix(s->seed + 0x9e3779b97f4a7c15u) ^ index) };
    unsigned ranks = (unsigned)s->ranks;
    d.begin = (int)((uint32_t)d.hash % ranks);
    d.partner = d.begin;
    if (ranks > 1)
        d.partner = (int)(((unsigned)d.begin + 1 + (uint32_t)(d.hash >> 32) % (ranks - 1)) % ranks);
    return d;
}

static uint64_t draw_rank(const struct draw *d, int rank)
{
    return value_mix(d->hash + ((uint64_t)rank + 1) * 0x9e3779b97f4a7c15u);
}

static uint64_t mask_of(const struct value_type *t)
{
    return UINT64_MAX >> (64 - 8 * t->bytes);
}

/* Any integer. Any float below 2, so neither an infinity nor a NaN, and without the zero whose order among zeros types do
 * not define. */
static uint64_t any_bits(const struct value_type *t, uint64_t hash)
{
    uint64_t bits = hash >> (64 - 8 * t->bytes), mask = mask_of(t);
    if (t->kind == VALUE_FLOAT)
        bits &= ~((uint64_t)1 << (8 * t->bytes - 2));
    return t->kind == VALUE_FLOAT && (bits << 1 & mask) == 0 ? 0 : bits;
}

/* ---- floats: small integers, in so few ranks that the result is exact ---- */

/* The rank's place behind the element's first one. */
static int place_in_window(const struct value_source *s, const struct draw *d, int rank)
{
    int place = rank - d->begin;
    return place < 0 ? place + s->ranks : place;
}

/* All integers up to this one are in the type. */
static uint64_t exact_most(const struct value_type *t)
{
    return (uint64_t)1 << (t->mantissa + 1);
}

static uint64_t summand(const struct value_source *s, const struct draw *d, int rank)
{
    uint64_t most = exact_most(s->type) / (s->op == VALUE_PREMULSUM ? 2 : 1);
    uint64_t window = (uint64_t)s->ranks < most ? (uint64_t)s->ranks : most;
    if ((uint64_t)place_in_window(s, d, rank) >= window)
        return 0;
    return draw_rank(d, rank) % (most / window + 1);
}

/* One rank gives all bits of the mantissa, some after it double it, the others give 1. */
static uint64_t factor(const struct value_source *s, const struct draw *d, int rank)
{
    int place = place_in_window(s, d, rank), doublings = s->type->exponent - 1 - s->type->mantissa;
    if (place == 0)
        return 1 + draw_rank(d, rank) % (exact_most(s->type) - 1);
    return place <= doublings ? 1 + draw_rank(d, rank) % 2 : 1;
}

/* Only two ranks contribute: then one addition rounds, and the order does not matter. */
static uint64_t part_of_average(const struct value_source *s, const struct draw *d, int rank)
{
    return rank == d->begin || rank == d->partner ? 1 + draw_rank(d, rank) % exact_most(s->type) : 0;
}

static uint64_t float_input(const struct value_source *s, const struct draw *d, int rank)
{
    switch (s->op) {
    case VALUE_SUM:
    case VALUE_PREMULSUM: return shim_value_bits(s->type, (double)summand(s, d, rank));
    case VALUE_PROD: return shim_value_bits(s->type, (double)factor(s, d, rank));
    case VALUE_AVG: return shim_value_bits(s->type, (double)part_of_average(s, d, rank));
    default: return any_bits(s->type, draw_rank(d, rank));
    }
}

/* NCCL multiplies each contribution by 1/n, rounded to the type, before it adds. */
static uint64_t float_average(const struct value_source *s, const struct draw *d)
{
    const struct value_type *t = s->type;
    double inverse = shim_value_round(t, t->bytes == 8 ? 1.0 / s->ranks : (double)(1.0f / (float)s->ranks));
    double sum = shim_value_round(t, (double)part_of_average(s, d, d->begin) * inverse);
    if (d->partner != d->begin)
        sum += shim_value_round(t, (double)part_of_average(s, d, d->partner) * inverse);
    return shim_value_bits(t, sum);
}

static uint64_t float_expected(const struct value_source *s, const struct draw *d)
{
    if (s->op == VALUE_AVG)
        return float_average(s, d);
    uint64_t best = float_input(s, d, 0);
    double result = shim_value_number(s->type, best);
    for (int rank = 1; rank < s->ranks && s->op != VALUE_NIL; rank++) {
        double x = shim_value_number(s->type, float_input(s, d, rank));
        switch (s->op) {
        case VALUE_PROD: result *= x; break;
        case VALUE_MIN: result = x < result ? x : result; break;
        case VALUE_MAX: result = x > result ? x : result; break;
        default: result += s->op == VALUE_PREMULSUM && rank % 2 ? 2 * x : x;
        }
    }
    return s->op == VALUE_NIL ? best : shim_value_bits(s->type, result);
}

/* ---- integers: any, because what overflows is the same in every order ---- */

/* Odd factors keep all bits of a product in use. */
static uint64_t integer_input(const struct value_source *s, const struct draw *d, int rank)
{
    return any_bits(s->type, draw_rank(d, rank)) | (s->op == VALUE_PROD);
}

/* The number as 64 bits with its sign. */
static int64_t with_sign(const struct value_type *t, uint64_t bits)
{
    uint64_t sign = (uint64_t)1 << (8 * t->bytes - 1);
    return (int64_t)(((bits & mask_of(t)) ^ sign) - sign);
}

static bool integer_less(const struct value_type *t, uint64_t a, uint64_t b)
{
    return t->kind == VALUE_SIGNED ? with_sign(t, a) < with_sign(t, b) : a < b;
}

static uint64_t integer_expected(const struct value_source *s, const struct draw *d)
{
    uint64_t result = integer_input(s, d, 0), mask = mask_of(s->type);
    for (int rank = 1; rank < s->ranks && s->op != VALUE_NIL; rank++) {
        uint64_t x = integer_input(s, d, rank);
        switch (s->op) {
        case VALUE_PROD: result *= x; break;
        case VALUE_MIN: result = integer_less(s->type, x, result) ? x : result; break;
        case VALUE_MAX: result = integer_less(s->type, result, x) ? x : result; break;
        default: result += s->op == VALUE_PREMULSUM && rank % 2 ? 2 * x : x;
        }
    }
    result &= mask;
    if (s->op == VALUE_AVG)
        result = s->type->kind == VALUE_SIGNED ? (uint64_t)(with_sign(s->type, result) / s->ranks) : result / (uint64_t)s->ranks;
    return result & mask;
}

/* ---- both ---- */

uint64_t shim_value_input(const struct value_source *s, uint64_t index, int rank)
{
    struct draw d = draw_element(s, index);
    return s->type->kind == VALUE_FLOAT ? float_input(s, &d, rank) : integer_input(s, &d, rank);
}

uint64_t shim_value_expected(const struct value_source *s, uint64_t index)
{
    struct draw d = draw_element(s, index);
    return s->type->kind == VALUE_FLOAT ? float_expected(s, &d) : integer_expected(s, &d);
}
