/* The same loops, compiled for processors with AVX2 and F16C. FMA stays off: a fused multiply-add rounds
 * once where the types round twice. */
#include "sim/data/data_loops.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,f16c")
#endif

static void f16_sum_f16c(void *held, const void *in, size_t n, const void *scalar);

#define F16_SUM f16_sum_f16c
#define TABLE sim_data_loops_avx2
#define ROUND(round, format, x) round(x)
#include "sim/data/every_type.inc"

/* The processor converts halves. Its NaNs may have other bits until they are stored. */
static void f16_sum_f16c(void *held, const void *in, size_t n, const void *scalar)
{
    enum { WIDTH = 8 };
    float *sum = held;
    const unsigned char *half = in;

    for (; n >= WIDTH; n -= WIDTH, sum += WIDTH, half += 2 * WIDTH) {
        __m256 x = _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)half));
        x = _mm256_add_ps(_mm256_loadu_ps(sum), x);
        __m128i rounded = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_ps(sum, _mm256_cvtph_ps(rounded));
    }
    f16_sum(sum, half, n, scalar);
}

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
