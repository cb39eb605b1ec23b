/* Types of elements, as a compiler writes them in the name of a kernel. */
#ifndef NCS_SHIM_TYPES_H
#define NCS_SHIM_TYPES_H

#include <stdint.h>

enum value_kind { VALUE_SIGNED, VALUE_UNSIGNED, VALUE_FLOAT, VALUE_OTHER };

struct value_type {
    const char *name;
    int bytes;
    enum value_kind kind;
    int mantissa; /* stored bits of a float */
    int exponent; /* of the largest float */
};

/* The type whose name begins the text; NULL = none. */
const struct value_type *shim_value_type(const char *text);

/* A number as the bits of a float, rounded to nearest; the bits as a number; a number as the type has it. */
uint64_t shim_value_bits(const struct value_type *t, double x);
double shim_value_number(const struct value_type *t, uint64_t bits);
double shim_value_round(const struct value_type *t, double x);

#endif
