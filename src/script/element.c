#include "script/element.h"

#include <math.h>
#include <string.h>

#include "api/types.h"
#include "ncclscript/nccl_abi.h"

/* Formats narrower than float32; their bits fit into a uint32_t. */
static uint32_t sign_of(const struct ncs_dtype_info *f)
{
    return 1u << (8 * f->bytes - 1);
}

static double decode_finite(const struct ncs_dtype_info *f, uint32_t bits)
{
    uint32_t fraction = bits & ((1u << f->fraction) - 1);
    int exponent = (int)((bits & (sign_of(f) - 1)) >> f->fraction);
    if (exponent == 0)
        return ldexp((double)fraction, 1 - f->bias - f->fraction);
    return ldexp((double)(fraction + (1u << f->fraction)), exponent - f->bias - f->fraction);
}

static double element_decode(const struct ncs_dtype_info *f, uint32_t bits)
{
    uint32_t magnitude = bits & (sign_of(f) - 1);
    double v;
    if (magnitude <= f->top)
        v = decode_finite(f, magnitude);
    else if (!f->infinite)
        v = NAN;
    else
        v = magnitude & ((1u << f->fraction) - 1) ? NAN : INFINITY;
    return bits & sign_of(f) ? -v : v;
}

static uint32_t element_encode(const struct ncs_dtype_info *f, double v)
{
    uint32_t sign = signbit(v) ? sign_of(f) : 0;
    if (isnan(v))
        return f->nan;
    double a = fabs(v);
    uint32_t overflow = f->saturates ? f->top : f->top + 1;
    if (isinf(a))
        return sign | overflow;
    if (a == 0)
        return sign;

    int exponent; /* a = m * 2^exponent, m in [0.5, 1) */
    frexp(a, &exponent);
    int lowest = 1 - f->bias;
    int step = (exponent - 1 > lowest ? exponent - 1 : lowest) - f->fraction;
    double quanta = nearbyint(ldexp(a, -step)); /* exact except for the intended rounding */
    double rounded = ldexp(quanta, step);
    if (rounded > decode_finite(f, f->top))
        return sign | overflow;
    /* Consecutive values have consecutive bit patterns, so the quanta are counted from the bottom
     * of the binade. */
    uint32_t binade = (uint32_t)(step + f->fraction - lowest) << f->fraction;
    return sign | (binade + (uint32_t)quanta);
}

static bool write_integer(int dtype, int64_t i, void *p)
{
    static const struct {
        int64_t low, high;
    } range[] = {
        [ncclInt8] = { INT8_MIN, INT8_MAX }, [ncclUint8] = { 0, UINT8_MAX },         [ncclInt32] = { INT32_MIN, INT32_MAX },
        [ncclUint32] = { 0, UINT32_MAX },    [ncclInt64] = { INT64_MIN, INT64_MAX }, [ncclUint64] = { 0, INT64_MAX },
    };
    if (i < range[dtype].low || i > range[dtype].high)
        return false;
    memcpy(p, &i, ncs_dtype_info[dtype].bytes); /* little endian: the low bytes come first */
    return true;
}

static bool write_whole_double(int dtype, double d, void *p)
{
    if (!(d == floor(d)))
        return false;
    if (d >= -0x1p63 && d < 0x1p63)
        return write_integer(dtype, (int64_t)d, p);
    if (dtype != ncclUint64 || d < 0 || d >= 0x1p64)
        return false;
    uint64_t u = (uint64_t)d;
    memcpy(p, &u, sizeof u);
    return true;
}

/* A double at any address. memcpy is avoided here, because a stack protector would then guard the
 * frame, and this runs for each element that is filled. */
typedef double any_f64 __attribute__((aligned(1), may_alias));
typedef float any_f32 __attribute__((aligned(1), may_alias));
typedef uint16_t any_u16 __attribute__((aligned(1), may_alias));

bool ncs_element_write(int dtype, struct ncs_number v, void *element)
{
    if (!ncs_element_is_float(dtype))
        return v.whole ? write_integer(dtype, v.i, element) : write_whole_double(dtype, v.d, element);
    double d = ncs_number_double(v);
    if (dtype == ncclFloat64)
        *(any_f64 *)element = d;
    else if (dtype == ncclFloat32)
        *(any_f32 *)element = v.whole ? (float)v.i : (float)v.d;
    else if (ncs_dtype_info[dtype].bytes == 1)
        *(uint8_t *)element = (uint8_t)element_encode(&ncs_dtype_info[dtype], d);
    else
        *(any_u16 *)element = (uint16_t)element_encode(&ncs_dtype_info[dtype], d);
    return true;
}

static struct ncs_number whole_number(int64_t i)
{
    return (struct ncs_number){ .whole = true, .i = i };
}

static struct ncs_number fractional(double d)
{
    return (struct ncs_number){ .whole = false, .d = d };
}

struct ncs_number ncs_element_read(int dtype, const void *element)
{
    union {
        int8_t i8;
        uint8_t u8;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        int64_t i64;
        uint64_t u64;
        float f32;
        double f64;
    } v;
    size_t bytes = ncs_dtype_info[dtype].bytes;
    memcpy(&v, element, bytes);
    switch (dtype) {
    case ncclInt8: return whole_number(v.i8);
    case ncclUint8: return whole_number(v.u8);
    case ncclInt32: return whole_number(v.i32);
    case ncclUint32: return whole_number(v.u32);
    case ncclInt64: return whole_number(v.i64);
    case ncclUint64: return v.u64 <= INT64_MAX ? whole_number((int64_t)v.u64) : fractional((double)v.u64);
    case ncclFloat32: return fractional((double)v.f32);
    case ncclFloat64: return fractional(v.f64);
    default: return fractional(element_decode(&ncs_dtype_info[dtype], bytes == 1 ? v.u8 : v.u16));
    }
}

bool ncs_element_is_float(int dtype)
{
    return ncs_dtype_is_float(dtype);
}

int ncs_element_digits(int dtype)
{
    return ncs_element_is_float(dtype) ? ncs_dtype_info[dtype].fraction + 1 : 0;
}

double ncs_element_smallest(int dtype)
{
    return ldexp(1, 1 - ncs_dtype_info[dtype].bias - ncs_dtype_info[dtype].fraction);
}
