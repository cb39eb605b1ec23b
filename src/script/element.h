/* Conversions between numbers and elements of NCCL's data types, the script's own: the simulator
 * and the verification have theirs, so that one can be wrong without the others following. */
#ifndef NCS_SCRIPT_ELEMENT_H
#define NCS_SCRIPT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ncs_number {
    bool whole;  /* i holds it; otherwise d */
    int64_t i;
    double d;
};

static inline double ncs_number_double(struct ncs_number v)
{
    return v.whole ? (double)v.i : v.d;
}

/* Writes v as an element of dtype. Floating types round to nearest, ties to even; those of
 * 16 bits overflow to infinity, those of 8 to their largest value. False: an integer type
 * that cannot hold v exactly. */
bool ncs_element_write(int dtype, struct ncs_number v, void *element);

/* Whole for the integer types, except for values of uint64 beyond INT64_MAX. */
struct ncs_number ncs_element_read(int dtype, const void *element);

bool ncs_element_is_float(int dtype);
/* Bits of the significand, the leading one included: 24 for float32; 0 for integer types. */
int ncs_element_digits(int dtype);
/* The smallest positive value of a floating type. */
double ncs_element_smallest(int dtype);

#endif
