/* Copies that bypass the caches. */
#ifndef NCS_SIM_DATA_STREAM_H
#define NCS_SIM_DATA_STREAM_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* `to` of any alignment; only where it is aligned to 16 bytes are the caches bypassed. */
static inline void sim_data_stream(void *to, const void *from, size_t bytes)
{
    size_t done = 0;
#if defined(__SSE2__)
    if ((uintptr_t)to % 16 == 0)
        for (; done + 64 <= bytes; done += 64) {
            const __m128i *in = (const __m128i *)((const char *)from + done);
            __m128i *out = (__m128i *)((char *)to + done);
            _mm_stream_si128(out, _mm_loadu_si128(in));
            _mm_stream_si128(out + 1, _mm_loadu_si128(in + 1));
            _mm_stream_si128(out + 2, _mm_loadu_si128(in + 2));
            _mm_stream_si128(out + 3, _mm_loadu_si128(in + 3));
        }
#endif
    memcpy((char *)to + done, (const char *)from + done, bytes - done);
}

/* Call when all is written, on the thread that wrote it: orders the copies before what follows. */
static inline void sim_data_stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
