/* Known data for the calls that are verified. */
#ifndef NCS_BENCH_DATA_H
#define NCS_BENCH_DATA_H

#include <stddef.h>
#include <stdint.h>

/* Writes a small whole number as an element of the type. value: 0 to 7, which every type represents. */
void ncs_bench_element(int type, unsigned value, void *to);

/* Whoever needs more elements than this repeats them: the number is prime, so that a block in the place of
 * another is noticed. */
enum { NCS_BENCH_PERIOD = 8191 };

/* Fills `count` elements with small numbers, which depend on their index and on `seed`. */
void ncs_bench_pattern(int type, uint64_t seed, void *to, size_t count);

#endif
