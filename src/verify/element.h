/* Elements as the verification computes with them: integers as 64-bit words that hold the value,
 * floating-point numbers as doubles, which represent every number of every type exactly. Deliberately
 * shares no code with the simulator's conversions: a mistake there must not be repeated here. */
#ifndef NCS_VERIFY_ELEMENT_H
#define NCS_VERIFY_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A binary floating-point type. */
struct ncs_float_format {
    int precision;   /* bits of the significand, the implied one included */
    double unit;     /* largest relative error of one rounding: 2^-precision */
    double least;    /* smallest subnormal */
    double normal;   /* smallest normal number */
    double most;     /* largest finite number */
    bool saturates;  /* larger values become `most`, infinity too */
    int digits;      /* decimal digits that distinguish any two numbers */
    uint64_t beyond; /* bits of the least number that may stand for overflow: infinity, or the largest number */
};

/* NULL for integers and for values that are no ncclDataType_t. */
const struct ncs_float_format *ncs_float_format(int dtype);

/* True if an integer type has a sign. */
bool ncs_element_signed(int dtype);

/* Decode count elements at any alignment: of an integer type, of a floating-point type. */
void ncs_element_words(int dtype, const void *from, size_t count, uint64_t *to);
void ncs_element_values(int dtype, const void *from, size_t count, double *to);

/* Reduces a word modulo 2^bits of an integer type, sign extended. */
uint64_t ncs_element_wrap(int dtype, uint64_t word);
/* Reduces many words; true if any has changed. */
bool ncs_element_wrap_all(int dtype, uint64_t *words, size_t count);

/* Rounds each value to the nearest number of the type, ties to even. Exact sums and products of two
 * numbers of the type, also if rounded once to double, round to the same number as in one step. */
void ncs_element_round(int dtype, double *values, size_t count);

/* Format elements for people: decimal integers; numbers with enough digits, "inf", "-inf", "nan". */
void ncs_element_text(int dtype, const void *element, char *text, size_t room);
void ncs_element_word_text(int dtype, uint64_t word, char *text, size_t room);
void ncs_element_value_text(int digits, long double value, char *text, size_t room);

#endif
