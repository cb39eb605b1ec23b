/* The loops compiled for processors with AVX2. FMA stays off: it rounds once where the types round twice. */
#include "verify/native_loops.h"

#if defined(__x86_64__)

#include <stdint.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define TABLE ncs_natives_avx2
#include "verify/native_types.inc"

#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
