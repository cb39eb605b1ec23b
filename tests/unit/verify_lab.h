/* Calls laid out by hand for the tests of room verify, and the results that they must have, computed
 * slowly and without anything of what is tested. */
#ifndef NCS_TESTS_UNIT_VERIFY_LAB_H
#define NCS_TESTS_UNIT_VERIFY_LAB_H

#include "harness.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "verify/verify.h"

enum { RANKS = 16, CALLS = 512, BUDGET = 64 << 20 };

/* ---- a journal by hand ---- */

struct world {
    struct ncs_journal journal;
    struct ncs_comm_info comm, *comms[1];
    struct ncs_member member[RANKS];
    uint32_t sent[RANKS][RANKS], received[RANKS][RANKS]; /* by rank and peer */
    struct ncs_call *all[CALLS];
    size_t calls;
    struct ncs_redop redop[RANKS];
    struct ncs_verify *v;
    int n;
    unsigned char *send[RANKS], *recv[RANKS];
    struct ncs_call *set[RANKS]; /* the calls of the present collective */
};

static inline void world_open(struct world *w, int n, bool ascending)
{
    memset(w, 0, sizeof *w);
    w->n = n;
    w->comm = (struct ncs_comm_info){ .nranks = n, .members = n, .member = w->member };
    w->comms[0] = &w->comm;
    w->journal.comm = w->comms;
    w->journal.comms = 1;
    w->v = ncs_verify_open(&w->journal, BUDGET);
    ncs_verify_ascending(w->v, ascending);
}

static inline void world_close(struct world *w)
{
    ncs_verify_close(w->v);
    for (size_t i = 0; i < w->calls; i++) {
        ck_assert_uint_eq(w->all[i]->pins, 0);
        ncs_free(w->all[i]);
    }
    for (int r = 0; r < RANKS; r++) {
        free(w->send[r]);
        free(w->recv[r]);
    }
}

/* Buffers of exactly so many bytes, so that a sanitizer sees every step beyond. */
static inline void buffers(struct world *w, size_t send, size_t recv)
{
    for (int r = 0; r < w->n; r++) {
        free(w->send[r]);
        free(w->recv[r]);
        w->send[r] = calloc(1, send ? send : 1);
        w->recv[r] = malloc(recv ? recv : 1);
        ck_assert(w->send[r] && w->recv[r]);
        memset(w->recv[r], 0xa5 ^ r, recv ? recv : 1);
    }
}

static inline struct ncs_call *call_of(struct world *w, enum ncs_fn fn, int rank, const void *send, void *recv, size_t count,
                                       int dtype, int op, int other)
{
    struct ncs_call *call = ncs_new(sizeof *call);
    struct ncs_member *m = &w->member[rank];

    ck_assert_uint_lt(w->calls, CALLS);
    w->all[w->calls++] = call;
    call->id = w->calls;
    call->fn = fn;
    call->rank = 100 + rank;
    call->comm_rank = rank;
    call->number = ++m->calls;
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++) {
        switch (ncs_fn_info[fn].arg[i].kind) {
        case NCS_ARG_IN: call->arg[i].p = send; break;
        case NCS_ARG_INOUT:
        case NCS_ARG_OUT: call->arg[i].p = recv; break;
        case NCS_ARG_COUNT: call->arg[i].u = count; break;
        case NCS_ARG_DTYPE: call->arg[i].i = dtype; break;
        case NCS_ARG_REDOP: call->arg[i].i = op; break;
        case NCS_ARG_ROOT:
        case NCS_ARG_PEER: call->arg[i].i = other; break;
        default: break;
        }
    }
    bool pair = fn == NCS_FN_ncclSend || fn == NCS_FN_ncclRecv;
    if (pair && other >= 0 && other < RANKS)
        call->ordinal = ++(fn == NCS_FN_ncclSend ? w->sent : w->received)[rank][other];
    else
        call->ordinal = count > 0 ? ++m->collectives : 0;
    call->older = w->journal.newest;
    if (call->older)
        call->older->newer = call;
    w->journal.newest = call;
    if (m->last)
        m->last->next_counted = call;
    else
        m->first = call;
    m->last = call;
    return call;
}

/* The same call on every rank; a pre-mul-sum when op is a handle. */
static inline void collective(struct world *w, enum ncs_fn fn, size_t count, int dtype, int op, int root)
{
    for (int r = 0; r < w->n; r++) {
        w->set[r] = call_of(w, fn, r, w->send[r], w->recv[r], count, dtype, op, root);
        if (op >= ncclNumOps)
            w->set[r]->redop = &w->redop[r];
    }
}

static inline void before(struct world *w)
{
    ncs_verify_before(w->v, w->set, (size_t)w->n);
}
static inline void after(struct world *w)
{
    ncs_verify_after(w->v, w->set, (size_t)w->n);
}

static inline const struct ncs_wrong *wrong(struct world *w, uint64_t expected)
{
    size_t kept;
    uint64_t count;
    const struct ncs_wrong *list = ncs_verify_wrong(w->v, &kept, &count);

    if (count != expected && count)
        fprintf(stderr, "number %u rank %d: got %s, want %s, %ju of %ju; %s\n", list->number, list->comm_rank, list->got,
                list->want, (uintmax_t)list->differ, (uintmax_t)list->total, list->text);
    ck_assert_uint_eq(count, expected);
    return list;
}

/* ---- slow arithmetic ---- */

static inline bool is_float(int dtype)
{
    return dtype >= ncclFloat16;
}

struct small {
    int exponent, mantissa, top; /* bits; codes of finite numbers are below top */
    bool saturates;
};

static inline struct small small_of(int dtype)
{
    switch (dtype) {
    case ncclFloat16: return (struct small){ 5, 10, 0x7c00, false };
    case ncclBfloat16: return (struct small){ 8, 7, 0x7f80, false };
    case ncclFloat8e4m3: return (struct small){ 4, 3, 0x7f, true };
    default: return (struct small){ 5, 2, 0x7c, true };
    }
}

static inline double small_value(struct small s, unsigned code)
{
    unsigned sign = code >> (s.exponent + s.mantissa) & 1;
    int bias = (1 << (s.exponent - 1)) - 1;
    unsigned body = code & ((1u << (s.exponent + s.mantissa)) - 1);
    unsigned e = body >> s.mantissa, m = body & ((1u << s.mantissa) - 1);
    double x;

    if (body >= (unsigned)s.top)
        x = body == (unsigned)s.top && s.exponent != 4 ? INFINITY : NAN;
    else if (e == 0)
        x = ldexp(m, 1 - bias - s.mantissa);
    else
        x = ldexp(m + (1 << s.mantissa), (int)e - bias - s.mantissa);
    return sign ? -x : x;
}

static inline unsigned small_code(struct small s, long double x, bool toward_zero)
{
    unsigned sign = (unsigned)(signbit(x) != 0) << (s.exponent + s.mantissa);
    unsigned top = (unsigned)s.top, low = 0, high = top - 1;
    long double size = fabsl(x), step;

    if (isnan(x))
        return s.exponent == 4 ? 0x7f : top + 1;
    while (low < high) { /* the largest number that is not above */
        unsigned middle = (low + high + 1) / 2;
        if (small_value(s, middle) <= size)
            low = middle;
        else
            high = middle - 1;
    }
    step = low ? small_value(s, low) - small_value(s, low - 1) : small_value(s, 1);
    if (low && low + 1 < top)
        step = small_value(s, low + 1) - small_value(s, low);
    if (!toward_zero) {
        long double over = size - small_value(s, low);
        if (over > step / 2 || (over == step / 2 && low % 2))
            low++;
    }
    if (low >= top || (isinf(x) && s.saturates))
        low = s.saturates ? top - 1 : top;
    if (isinf(x) && !s.saturates)
        low = top;
    return sign | low;
}

static inline long double get(int dtype, const unsigned char *at)
{
    uint16_t half;
    float f;
    double d;

    switch (dtype) {
    case ncclFloat32: memcpy(&f, at, 4); return f;
    case ncclFloat64: memcpy(&d, at, 8); return d;
    case ncclFloat16:
    case ncclBfloat16: memcpy(&half, at, 2); return small_value(small_of(dtype), half);
    default: return small_value(small_of(dtype), *at);
    }
}

static inline void put_rounded(int dtype, unsigned char *at, long double x, bool toward_zero)
{
    float f = (float)x;
    double d = (double)x;
    uint16_t half;

    switch (dtype) {
    case ncclFloat32: memcpy(at, &f, 4); break;
    case ncclFloat64: memcpy(at, &d, 8); break;
    case ncclFloat16:
    case ncclBfloat16:
        half = (uint16_t)small_code(small_of(dtype), x, toward_zero);
        memcpy(at, &half, 2);
        break;
    default: /* fp8 goes by way of half */
        x = small_value(small_of(ncclFloat16), small_code(small_of(ncclFloat16), x, toward_zero));
        *at = (unsigned char)small_code(small_of(dtype), x, toward_zero);
    }
}

static inline void put(int dtype, unsigned char *at, long double x)
{
    put_rounded(dtype, at, x, false);
}

static inline __int128 get_int(int dtype, const unsigned char *at)
{
    int64_t x = 0;
    size_t bytes = ncs_dtype_bytes(dtype);
    bool is_signed = dtype == ncclInt8 || dtype == ncclInt32 || dtype == ncclInt64;

    if (is_signed && at[bytes - 1] & 0x80)
        x = -1;
    memcpy(&x, at, bytes);
    return is_signed ? (__int128)x : (__int128)(uint64_t)x;
}

static inline void put_int(int dtype, unsigned char *at, __int128 x)
{
    uint64_t low = (uint64_t)x;
    memcpy(at, &low, ncs_dtype_bytes(dtype));
}

/* One step: sum = op(sum, x), in place. float32 and float64 are added and multiplied as such. */
static inline void step(int dtype, int op, unsigned char *sum, const unsigned char *x, bool toward_zero)
{
    if (!is_float(dtype)) {
        __int128 a = get_int(dtype, sum), b = get_int(dtype, x);
        __int128 r = op == ncclProd  ? (__int128)((unsigned __int128)a * (unsigned __int128)b)
                     : op == ncclMax ? (a > b ? a : b)
                     : op == ncclMin ? (a < b ? a : b)
                                     : a + b;
        put_int(dtype, sum, r);
        return;
    }
    long double a = get(dtype, sum), b = get(dtype, x), r;
    if (dtype == ncclFloat64)
        r = op == ncclProd ? (double)a * (double)b : (double)a + (double)b;
    else if (dtype == ncclFloat32)
        r = op == ncclProd ? (float)a * (float)b : (float)a + (float)b;
    else
        r = op == ncclProd ? a * b : a + b;
    if (op == ncclMax || op == ncclMin)
        r = op == ncclMax ? fmaxl(a, b) : fminl(a, b);
    put_rounded(dtype, sum, r, toward_zero);
}

struct reference {
    int dtype, op; /* a handle: pre-mul-sum */
    int order[2 * RANKS], terms;
    bool toward_zero, unscaled;
};

static inline struct reference ascending(const struct world *w, int dtype, int op)
{
    struct reference f = { .dtype = dtype, .op = op, .terms = w->n };
    for (int r = 0; r < w->n; r++)
        f.order[r] = r;
    return f;
}

/* Rank r's input of the reduction. */
static inline void term(const struct world *w, const struct reference *f, int r, size_t at, unsigned char *x)
{
    size_t bytes = ncs_dtype_bytes(f->dtype);
    unsigned char scale[8];

    memcpy(x, w->send[r] + at * bytes, bytes);
    if (f->op >= ncclNumOps && !f->unscaled) {
        const struct ncs_redop *redop = &w->redop[r];
        memcpy(scale, redop->on_device ? redop->pointer : redop->scalar, bytes);
        step(f->dtype, ncclProd, x, scale, f->toward_zero);
    } else if (f->op == ncclAvg && is_float(f->dtype) && w->n > 1) {
        put(f->dtype, scale, f->dtype == ncclFloat64 ? 1.0 / w->n : (float)(1.0 / w->n));
        step(f->dtype, ncclProd, x, scale, f->toward_zero);
    }
}

static inline void reduce_at(const struct world *w, const struct reference *f, size_t at, unsigned char *out)
{
    unsigned char x[8];
    int op = f->op >= ncclAvg ? ncclSum : f->op;

    term(w, f, f->order[0], at, out);
    for (int i = 1; i < f->terms; i++) {
        term(w, f, f->order[i], at, x);
        step(f->dtype, op, out, x, f->toward_zero);
    }
    if (f->op == ncclAvg && !is_float(f->dtype))
        put_int(f->dtype, out, get_int(f->dtype, out) / w->n);
}

static inline void reduce(const struct world *w, const struct reference *f, size_t from, size_t count, unsigned char *out)
{
    for (size_t i = 0; i < count; i++)
        reduce_at(w, f, from + i, out + i * ncs_dtype_bytes(f->dtype));
}

/* Fills the inputs: everyday numbers; `wild` adds special bit patterns of all sorts. */
static inline void fill(struct world *w, int dtype, size_t count, uint64_t seed, bool wild)
{
    struct ncs_random random = { seed };
    size_t bytes = ncs_dtype_bytes(dtype);

    for (int r = 0; r < w->n; r++) {
        for (size_t i = 0; i < count; i++) {
            unsigned char *at = w->send[r] + i * bytes;
            uint64_t x = ncs_random_next(&random);
            if (!is_float(dtype) || (wild && i % 3 == 0))
                memcpy(at, &x, bytes);
            else
                put(dtype, at, (double)((int)(x % 4001) - 2000) / 1000.0);
        }
    }
}

static inline void all_write(struct world *w, const void *bytes, size_t count)
{
    for (int r = 0; r < w->n; r++)
        memcpy(w->recv[r], bytes, count);
}

enum { HANDLE = 0x1234 };

static inline void scalars(struct world *w, int dtype)
{
    for (int r = 0; r < w->n; r++) {
        w->redop[r] = (struct ncs_redop){ .handle = HANDLE, .dtype = dtype };
        if (is_float(dtype))
            put(dtype, w->redop[r].scalar, 0.3 + 0.2 * r);
        else
            put_int(dtype, w->redop[r].scalar, 3 + r);
    }
}

/* An all-reduce of n ranks with right outputs, ready to be spoilt before after(). */
static inline void good_all_reduce(struct world *w, int n, int dtype, int op, size_t count, bool exact)
{
    world_open(w, n, exact);
    buffers(w, count * ncs_dtype_bytes(dtype), count * ncs_dtype_bytes(dtype));
    fill(w, dtype, count, 21, false);
    scalars(w, dtype);
    collective(w, NCS_FN_ncclAllReduce, count, dtype, op, 0);
    before(w);
    struct reference f = ascending(w, dtype, op);
    reduce(w, &f, 0, count, w->recv[0]);
    all_write(w, w->recv[0], count * ncs_dtype_bytes(dtype));
}

static inline void names(struct world *w, uint64_t count, enum ncs_pattern pattern, int64_t which, const char *text)
{
    const struct ncs_wrong *list = wrong(w, count);
    ck_assert_str_eq(list->text, text);
    ck_assert_int_eq(list->pattern, pattern);
    ck_assert_int_eq(list->which, which);
}

#endif
