/* Stands in for kernels without launching one: data go through the host in the order of the stream. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/types.h"
#include "base/mem.h"
#include "driver/far/far.h"
#include "driver/token.h"
#include "driver/world.h"

/* ---- a delay ---- */

static void sleep_in_stream(void *seconds)
{
    double s = *(double *)seconds;
    struct timespec t = { (time_t)s, (long)((s - floor(s)) * 1e9) };
    ncs_free(seconds);
    while (nanosleep(&t, &t) != 0)
        continue;
}

static cudaError_t delay(cudaStream_t stream, double seconds)
{
    if (!(seconds >= 0) || seconds > 1e9)
        return cudaErrorInvalidValue;
    cudaError_t there;
    if (far_run_own(NCS_FN_ncsDelay, (union ncs_arg[]){ { .p = stream }, { .d = seconds } }, &there))
        return there;
    double *copy = ncs_new(sizeof *copy);
    *copy = seconds;
    bool held = ncs_token_leave();
    cudaError_t rc = ncs_real.plain->cudaLaunchHostFunc(stream, sleep_in_stream, copy);
    ncs_token_take(held, NCS_FN_ncsDelay, (int)rc);
    if (rc != cudaSuccess)
        ncs_free(copy);
    return rc;
}

/* ---- the small floating-point types ---- */

/* The sign bit of a type of at most 16 bits. */
static uint32_t sign_bit(const struct ncs_dtype_info *s)
{
    return 1u << (8 * s->bytes - 1);
}

static float decode(const struct ncs_dtype_info *s, uint32_t bits)
{
    uint32_t magnitude = bits & (sign_bit(s) - 1), f = magnitude & ((1u << s->fraction) - 1);
    int e = (int)(magnitude >> s->fraction);
    float x;
    if (magnitude > s->top)
        x = f || !s->infinite ? NAN : INFINITY;
    else if (e == 0)
        x = ldexpf((float)f, 1 - s->bias - s->fraction);
    else
        x = ldexpf((float)(f | 1u << s->fraction), e - s->bias - s->fraction);
    return bits & sign_bit(s) ? -x : x;
}

/* Rounds to nearest even, once; encodes NaN as a device does. */
static uint32_t encode(const struct ncs_dtype_info *s, float x)
{
    uint32_t sign = signbit(x) ? sign_bit(s) : 0, largest = s->saturates ? s->top : s->top + 1;
    int e;
    if (isnan(x))
        return sign_bit(s) - 1;
    x = fabsf(x);
    if (isinf(x))
        return sign | largest;
    frexpf(x, &e); /* x = m * 2^e, m in 1/2..1 */
    int scale = e - 1 > 1 - s->bias ? e - 1 : 1 - s->bias;
    if (x == 0)
        return sign;
    /* In units of the last place: a carry out of the fraction correctly increases the exponent. */
    uint32_t units = (uint32_t)nearbyintf(ldexpf(x, s->fraction - scale));
    uint32_t bits = units + ((uint32_t)(scale + s->bias - 1) << s->fraction);
    return sign | (bits > largest ? largest : bits);
}

/* ---- an addition ---- */

struct addition {
    unsigned char *dst, *src; /* pinned, one after the other */
    size_t bytes, room;
    int dtype;
    atomic_bool done;
    struct addition *next;
};

#define ADD_AS(type)                                       \
    for (size_t i = 0; i < a->bytes / sizeof(type); i++) { \
        type x, y;                                         \
        memcpy(&x, a->dst + i * sizeof x, sizeof x);       \
        memcpy(&y, a->src + i * sizeof y, sizeof y);       \
        x = (type)(x + y);                                 \
        memcpy(a->dst + i * sizeof x, &x, sizeof x);       \
    }                                                      \
    return

static void add_small(struct addition *a, const struct ncs_dtype_info *s)
{
    size_t width = s->bytes;
    for (size_t i = 0; i < a->bytes; i += width) {
        uint32_t x = 0, y = 0;
        memcpy(&x, a->dst + i, width);
        memcpy(&y, a->src + i, width);
        x = encode(s, decode(s, x) + decode(s, y));
        memcpy(a->dst + i, &x, width);
    }
}

static void add_in_stream(void *arg)
{
    struct addition *a = arg;
    switch (a->dtype) {
    case ncclInt8:
    case ncclUint8: ADD_AS(uint8_t);
    case ncclInt32:
    case ncclUint32: ADD_AS(uint32_t);
    case ncclInt64:
    case ncclUint64: ADD_AS(uint64_t);
    case ncclFloat32: ADD_AS(float);
    case ncclFloat64: ADD_AS(double);
    default: add_small(a, &ncs_dtype_info[a->dtype]);
    }
}

static void done_in_stream(void *arg)
{
    struct addition *a = arg;
    atomic_store(&a->done, true);
}

/* Pinned memory of a finished addition, or new memory. */
static struct addition *staging(size_t bytes)
{
    struct addition *a = ncs_real.additions;
    while (a && (!atomic_load(&a->done) || a->room < bytes))
        a = a->next;
    if (!a) {
        void *memory = NULL;
        bool held = ncs_token_leave();
        cudaError_t rc = ncs_real.plain->cudaMallocHost(&memory, 2 * bytes);
        ncs_token_take(held, NCS_FN_cudaMallocHost, (int)rc);
        if (rc != cudaSuccess)
            return NULL;
        a = ncs_new(sizeof *a);
        a->dst = memory;
        a->room = bytes;
        a->next = ncs_real.additions;
        ncs_real.additions = a;
    }
    atomic_store(&a->done, false);
    a->src = a->dst + a->room;
    a->bytes = bytes;
    return a;
}

static cudaError_t enqueue(struct addition *a, void *dst, const void *src, cudaStream_t stream)
{
    cudaError_t rc = ncs_real.plain->cudaMemcpyAsync(a->dst, dst, a->bytes, cudaMemcpyDefault, stream);
    if (rc == cudaSuccess)
        rc = ncs_real.plain->cudaMemcpyAsync(a->src, src, a->bytes, cudaMemcpyDefault, stream);
    if (rc == cudaSuccess)
        rc = ncs_real.plain->cudaLaunchHostFunc(stream, add_in_stream, a);
    if (rc == cudaSuccess)
        rc = ncs_real.plain->cudaMemcpyAsync(dst, a->dst, a->bytes, cudaMemcpyDefault, stream);
    if (rc == cudaSuccess)
        rc = ncs_real.plain->cudaLaunchHostFunc(stream, done_in_stream, a);
    return rc;
}

static cudaError_t add(void *dst, const void *src, size_t count, ncclDataType_t dtype, cudaStream_t stream)
{
    size_t width = ncs_dtype_bytes((int)dtype);
    if (width == 0 || count > SIZE_MAX / 4 / width)
        return cudaErrorInvalidValue;
    if (count == 0)
        return cudaSuccess;
    cudaError_t there;
    if (far_run_own(NCS_FN_ncsAdd,
                    (union ncs_arg[]){ { .p = dst }, { .p = src }, { .u = count }, { .i = dtype }, { .p = stream } }, &there))
        return there;
    struct addition *a = staging(count * width);
    if (!a)
        return cudaErrorMemoryAllocation;
    a->dtype = (int)dtype;
    bool held = ncs_token_leave();
    cudaError_t rc = enqueue(a, dst, src, stream);
    ncs_token_take(held, NCS_FN_ncsAdd, (int)rc);
    return rc; /* if it failed half-way, the memory stays allocated: its copies may be in flight */
}

void ncs_standins_forget(void)
{
    struct addition **at = &ncs_real.additions;
    while (*at) {
        struct addition *a = *at;
        if (!atomic_load(&a->done)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        ncs_real.plain->cudaFreeHost(a->dst);
        ncs_free(a);
    }
}

void ncs_standins_wrap(struct ncs_api *out)
{
    if (!ncs_real.plain->cudaLaunchHostFunc || !ncs_real.plain->cudaMemcpyAsync)
        return;
    out->ncsDelay = delay;
    if (ncs_real.plain->cudaMallocHost && ncs_real.plain->cudaFreeHost)
        out->ncsAdd = add;
}
