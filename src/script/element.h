/* Converts numbers to elements of NCCL's data types and back. The simulator and the verification
 * have conversions of their own, so that an error in one does not hide an error in another. */
#ifndef NCS_SCRIPT_ELEMENT_H
#define NCS_SCRIPT_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ncs_number {
    bool whole; /* i holds it; otherwise d */
    int64_t i;
    double d;
};

static inline double ncs_number_double(struct ncs_number v)
{
    return v.whole ? (double)v.i : v.d;
}

/* Writes v as an element of dtype. Floating types round to nearest, ties to even; types of
 * 16 bits overflow to infinity, types of 8 bits saturate. False = an integer type that
 * cannot hold v exactly. */
bool ncs_element_write(int dtype, struct ncs_number v, void *element);

/* Integer types give whole numbers, except uint64 values beyond INT64_MAX. */
struct ncs_number ncs_element_read(int dtype, const void *element);

bool ncs_element_is_float(int dtype);
/* Bits of the significand, including the leading one: 24 for float32; 0 for integer types. */
int ncs_element_digits(int dtype);
/* The smallest positive value of a floating type. */
double ncs_element_smallest(int dtype);

#endif
