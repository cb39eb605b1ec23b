/* Room verify: right results pass, in whatever order they were reduced; every kind of mistake is
 * caught and named; what cannot be checked is counted. The right results come from slow arithmetic
 * of this file's own: the nearest number of a small type is searched for among all of them. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/journal.h"
#include "api/types.h"
#include "base/hash.h"
#include "base/mem.h"
#include "harness.h"
#include "verify/verify.h"

enum { RANKS = 16, CALLS = 512, BUDGET = 64 << 20 };

/* ---- a journal by hand ---- */

struct world {
    struct ncs_journal journal;
    struct ncs_comm_info comm, *comms[1];
    struct ncs_member member[RANKS];
    struct ncs_call *all[CALLS];
    size_t calls;
    struct ncs_redop redop[RANKS];
    struct ncs_verify *v;
    int n;
    unsigned char *send[RANKS], *recv[RANKS];
    struct ncs_call *set[RANKS]; /* the calls of the present collective */
};

static void world_open(struct world *w, int n, bool ascending)
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

static void world_close(struct world *w)
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
static void buffers(struct world *w, size_t send, size_t recv)
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

static struct ncs_call *call_of(struct world *w, enum ncs_fn fn, int rank, const void *send,
                                void *recv, size_t count, int dtype, int op, int other)
{
    struct ncs_call *call = ncs_new(sizeof *call);
    struct ncs_member *m = &w->member[rank];

    ck_assert_uint_lt(w->calls, CALLS);
    w->all[w->calls++] = call;
    call->id = w->calls;
    call->fn = fn;
    call->rank = 100 + rank;
    call->comm_rank = rank;
    call->number = call->ordinal = ++m->calls;
    for (int i = 0; i < ncs_fn_info[fn].nargs; i++) {
        switch (ncs_fn_info[fn].arg[i].kind) {
        case NCS_ARG_IN: call->arg[i].p = send; break;
        case NCS_ARG_INOUT: case NCS_ARG_OUT: call->arg[i].p = recv; break;
        case NCS_ARG_COUNT: call->arg[i].u = count; break;
        case NCS_ARG_DTYPE: call->arg[i].i = dtype; break;
        case NCS_ARG_REDOP: call->arg[i].i = op; break;
        case NCS_ARG_ROOT: case NCS_ARG_PEER: call->arg[i].i = other; break;
        default: break;
        }
    }
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
static void collective(struct world *w, enum ncs_fn fn, size_t count, int dtype, int op, int root)
{
    for (int r = 0; r < w->n; r++) {
        w->set[r] = call_of(w, fn, r, w->send[r], w->recv[r], count, dtype, op, root);
        if (op >= ncclNumOps)
            w->set[r]->redop = &w->redop[r];
    }
}

static void before(struct world *w) { ncs_verify_before(w->v, w->set, (size_t)w->n); }
static void after(struct world *w) { ncs_verify_after(w->v, w->set, (size_t)w->n); }

static const struct ncs_wrong *wrong(struct world *w, uint64_t expected)
{
    size_t kept;
    uint64_t count;
    const struct ncs_wrong *list = ncs_verify_wrong(w->v, &kept, &count);

    if (count != expected && count)
        fprintf(stderr, "number %u rank %d: got %s, want %s, %ju of %ju; %s\n", list->number,
                list->comm_rank, list->got, list->want, (uintmax_t)list->differ,
                (uintmax_t)list->total, list->text);
    ck_assert_uint_eq(count, expected);
    return list;
}

/* ---- slow arithmetic ---- */

static bool is_float(int dtype)
{
    return dtype >= ncclFloat16;
}

struct small {
    int exponent, mantissa, top; /* bits; codes of finite numbers are below top */
    bool saturates;
};

static struct small small_of(int dtype)
{
    switch (dtype) {
    case ncclFloat16: return (struct small){ 5, 10, 0x7c00, false };
    case ncclBfloat16: return (struct small){ 8, 7, 0x7f80, false };
    case ncclFloat8e4m3: return (struct small){ 4, 3, 0x7f, true };
    default: return (struct small){ 5, 2, 0x7c, true };
    }
}

static double small_value(struct small s, unsigned code)
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

static unsigned small_code(struct small s, long double x, bool toward_zero)
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

static long double get(int dtype, const unsigned char *at)
{
    uint16_t half;
    float f;
    double d;

    switch (dtype) {
    case ncclFloat32: memcpy(&f, at, 4); return f;
    case ncclFloat64: memcpy(&d, at, 8); return d;
    case ncclFloat16: case ncclBfloat16:
        memcpy(&half, at, 2);
        return small_value(small_of(dtype), half);
    default: return small_value(small_of(dtype), *at);
    }
}

static void put_rounded(int dtype, unsigned char *at, long double x, bool toward_zero)
{
    float f = (float)x;
    double d = (double)x;
    uint16_t half;

    switch (dtype) {
    case ncclFloat32: memcpy(at, &f, 4); break;
    case ncclFloat64: memcpy(at, &d, 8); break;
    case ncclFloat16: case ncclBfloat16:
        half = (uint16_t)small_code(small_of(dtype), x, toward_zero);
        memcpy(at, &half, 2);
        break;
    default: /* fp8 goes by way of half */
        x = small_value(small_of(ncclFloat16), small_code(small_of(ncclFloat16), x, toward_zero));
        *at = (unsigned char)small_code(small_of(dtype), x, toward_zero);
    }
}

static void put(int dtype, unsigned char *at, long double x)
{
    put_rounded(dtype, at, x, false);
}

static __int128 get_int(int dtype, const unsigned char *at)
{
    int64_t x = 0;
    size_t bytes = ncs_dtype_bytes(dtype);
    bool is_signed = dtype == ncclInt8 || dtype == ncclInt32 || dtype == ncclInt64;

    if (is_signed && at[bytes - 1] & 0x80)
        x = -1;
    memcpy(&x, at, bytes);
    return is_signed ? (__int128)x : (__int128)(uint64_t)x;
}

static void put_int(int dtype, unsigned char *at, __int128 x)
{
    uint64_t low = (uint64_t)x;
    memcpy(at, &low, ncs_dtype_bytes(dtype));
}

/* One step: sum = op(sum, x), in place. float32 and float64 are added and multiplied as such. */
static void step(int dtype, int op, unsigned char *sum, const unsigned char *x, bool toward_zero)
{
    if (!is_float(dtype)) {
        __int128 a = get_int(dtype, sum), b = get_int(dtype, x);
        __int128 r = op == ncclProd ? (__int128)((unsigned __int128)a * (unsigned __int128)b)
                   : op == ncclMax ? (a > b ? a : b)
                   : op == ncclMin ? (a < b ? a : b) : a + b;
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

static struct reference ascending(const struct world *w, int dtype, int op)
{
    struct reference f = { .dtype = dtype, .op = op, .terms = w->n };
    for (int r = 0; r < w->n; r++)
        f.order[r] = r;
    return f;
}

/* What rank r puts into the reduction. */
static void term(const struct world *w, const struct reference *f, int r, size_t at,
                 unsigned char *x)
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

static void reduce_at(const struct world *w, const struct reference *f, size_t at,
                      unsigned char *out)
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

static void reduce(const struct world *w, const struct reference *f, size_t from, size_t count,
                   unsigned char *out)
{
    for (size_t i = 0; i < count; i++)
        reduce_at(w, f, from + i, out + i * ncs_dtype_bytes(f->dtype));
}

/* Fills the inputs: everyday numbers; `wild` adds special bit patterns of all sorts. */
static void fill(struct world *w, int dtype, size_t count, uint64_t seed, bool wild)
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

static void all_write(struct world *w, const void *bytes, size_t count)
{
    for (int r = 0; r < w->n; r++)
        memcpy(w->recv[r], bytes, count);
}

/* ---- right results ---- */

enum { HANDLE = 0x1234 };

static void scalars(struct world *w, int dtype)
{
    for (int r = 0; r < w->n; r++) {
        w->redop[r] = (struct ncs_redop){ .handle = HANDLE, .dtype = dtype };
        if (is_float(dtype))
            put(dtype, w->redop[r].scalar, 0.3 + 0.2 * r);
        else
            put_int(dtype, w->redop[r].scalar, 3 + r);
    }
}

static const int all_ops[6] = { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg, HANDLE };

START_TEST(test_right_ascending)
{
    const size_t count = 1500;
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        size_t bytes = ncs_dtype_bytes(dtype);
        for (int n = 1; n <= 5; n += 2) {
            struct world w;
            world_open(&w, n, true);
            buffers(&w, count * bytes, count * bytes);
            fill(&w, dtype, count, 7, true);
            scalars(&w, dtype);
            for (size_t k = 0; k < sizeof all_ops / sizeof *all_ops; k++) {
                struct reference f = ascending(&w, dtype, all_ops[k]);
                collective(&w, NCS_FN_ncclAllReduce, count, dtype, all_ops[k], 0);
                before(&w);
                for (int r = 0; r < n; r++)
                    reduce(&w, &f, 0, count, w.recv[r]);
                after(&w);
                wrong(&w, 0);
            }
            ck_assert_uint_eq(ncs_verify_checked(w.v), (uint64_t)n * 6);
            ck_assert_uint_eq(ncs_verify_unchecked(w.v), 0);
            world_close(&w);
        }
    }
}
END_TEST

static void shuffle(struct reference *f, uint64_t seed)
{
    struct ncs_random random = { seed };
    for (int i = f->terms - 1; i > 0; i--) {
        int k = (int)ncs_random_below(&random, (uint64_t)i + 1), t = f->order[i];
        f->order[i] = f->order[k];
        f->order[k] = t;
    }
}

START_TEST(test_right_in_any_order)
{
    const size_t count = 700;
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        size_t bytes = ncs_dtype_bytes(dtype);
        struct world w;
        world_open(&w, 7, false);
        buffers(&w, count * bytes, count * bytes);
        scalars(&w, dtype);
        for (size_t k = 0; k < sizeof all_ops / sizeof *all_ops; k++) {
            for (uint64_t seed = 0; seed < 6; seed++) {
                struct reference f = ascending(&w, dtype, all_ops[k]);
                fill(&w, dtype, count, 99 + seed, seed % 2);
                shuffle(&f, seed);
                collective(&w, NCS_FN_ncclAllReduce, count, dtype, all_ops[k], 0);
                before(&w);
                reduce(&w, &f, 0, count, w.recv[0]);
                all_write(&w, w.recv[0], count * bytes);
                after(&w);
                wrong(&w, 0);
            }
        }
        world_close(&w);
    }
}
END_TEST

START_TEST(test_other_kinds)
{
    const size_t count = 300;
    struct world w;
    world_open(&w, 4, true);
    buffers(&w, 4 * count * 4, 4 * count * 4);
    fill(&w, ncclFloat32, 4 * count, 3, false);
    struct reference f = ascending(&w, ncclFloat32, ncclSum);

    collective(&w, NCS_FN_ncclReduceScatter, count, ncclFloat32, ncclSum, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        reduce(&w, &f, (size_t)r * count, count, w.recv[r]);
    after(&w);
    collective(&w, NCS_FN_ncclReduce, count, ncclFloat32, ncclSum, 2);
    before(&w);
    reduce(&w, &f, 0, count, w.recv[2]);
    after(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 5);
    collective(&w, NCS_FN_ncclAllGather, count, ncclFloat32, -1, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++)
            memcpy(w.recv[r] + (size_t)k * count * 4, w.send[k], count * 4);
    after(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 9);
    collective(&w, NCS_FN_ncclBroadcast, count, ncclFloat32, -1, 3);
    for (int r = 0; r < 3; r++) /* ignored off the root: must not be read */
        w.set[r]->arg[0].p = NULL;
    before(&w);
    all_write(&w, w.send[3], count * 4);
    after(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 13);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 0);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

START_TEST(test_in_place)
{
    const size_t count = 100;
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, 3 * count * 4, 3 * count * 4);
    fill(&w, ncclInt32, 3 * count, 5, false);
    struct reference f = ascending(&w, ncclInt32, ncclSum);
    unsigned char result[400];

    for (int r = 0; r < 3; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclAllReduce, r, w.send[r], w.send[r], count, ncclInt32,
                           ncclSum, 0);
    reduce(&w, &f, 0, count, result);
    before(&w);
    for (int r = 0; r < 3; r++)
        memcpy(w.send[r], result, sizeof result);
    after(&w);
    wrong(&w, 0);
    for (int r = 0; r < 3; r++) /* Bcast mixes with Broadcast: it is one operation */
        w.set[r] = call_of(&w, r ? NCS_FN_ncclBcast : NCS_FN_ncclBroadcast, r,
                           w.send[r], w.send[r], 3 * count, ncclInt32, -1, 1);
    before(&w);
    memcpy(w.send[0], w.send[1], 12 * count);
    memcpy(w.send[2], w.send[1], 12 * count);
    after(&w);
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 6);
    for (int r = 0; r < 3; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclAllGather, r, w.recv[r] + (size_t)r * 4 * count,
                           w.recv[r], count, ncclInt32, -1, 0);
    before(&w);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++)
            memcpy(w.recv[r] + (size_t)k * 4 * count, w.recv[k] + (size_t)k * 4 * count, 4 * count);
    after(&w);
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 9);
    world_close(&w);
}
END_TEST

START_TEST(test_scalar_on_device)
{
    const size_t count = 50;
    float scalar[3] = { 9, 9, 9 };
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, count * 4, count * 4);
    fill(&w, ncclFloat32, count, 11, false);
    for (int r = 0; r < 3; r++)
        w.redop[r] = (struct ncs_redop){ .handle = HANDLE, .dtype = ncclFloat32,
                                         .on_device = r != 1, .pointer = &scalar[r],
                                         .scalar = { 0, 0, 0, 0x3f } }; /* 0.5 */
    collective(&w, NCS_FN_ncclAllReduce, count, ncclFloat32, HANDLE, 0);
    scalar[0] = 0.25f; /* read when the operation executes */
    scalar[2] = -2.0f;
    before(&w);
    for (size_t i = 0; i < count; i++) {
        float *x[3], *y;
        for (int r = 0; r < 3; r++)
            x[r] = (float *)(void *)w.send[r];
        for (int r = 0; r < 3; r++) {
            y = (float *)(void *)w.recv[r];
            y[i] = x[0][i] * 0.25f + x[1][i] * 0.5f;
            y[i] += x[2][i] * -2.0f;
        }
    }
    scalar[0] = 7;
    after(&w);
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 3);
    world_close(&w);
}
END_TEST

/* Two numbers, and what may and may not be their sum. */
START_TEST(test_special_values)
{
    static const struct {
        int dtype;
        unsigned a, b, sum;
        bool right;
    } rows[] = {
        { ncclFloat8e4m3, 0x7e, 0x7e, 0x7e, true },  /* 448 + 448 = 448 */
        { ncclFloat8e4m3, 0xfe, 0xfe, 0xfe, true },
        { ncclFloat8e4m3, 0x7e, 0x7e, 0x7f, false }, /* not NaN */
        { ncclFloat8e4m3, 0x7f, 0x38, 0xff, true },  /* any NaN */
        { ncclFloat8e4m3, 0x7f, 0x38, 0x38, false },
        { ncclFloat8e5m2, 0x7b, 0x7b, 0x7b, true },
        { ncclFloat8e5m2, 0x7b, 0x7b, 0x7c, false }, /* not infinity */
        { ncclFloat16, 0x7bff, 0x7bff, 0x7c00, true },
        { ncclFloat16, 0x7c00, 0xfc00, 0x7e00, true },
        { ncclFloat16, 0x7c00, 0xfc00, 0x0000, false },
        { ncclFloat16, 0x7c00, 0x3c00, 0x7c00, true },
        { ncclFloat16, 0x7c00, 0x3c00, 0xfc00, false },
        { ncclFloat16, 0x0001, 0x0001, 0x0002, true },
        { ncclFloat16, 0x0001, 0x0001, 0x0003, false },
        { ncclFloat16, 0x3c00, 0x3c01, 0x4000, true }, /* the tie goes to even */
        { ncclFloat16, 0x3c00, 0x3c01, 0x4002, false }, /* two last places off, two ranks */
        { ncclBfloat16, 0x7f7f, 0x7f7f, 0x7f80, true },
        { ncclBfloat16, 0x7f80, 0x7f81, 0x7fc0, true },
        { ncclBfloat16, 0x3f80, 0x3f80, 0x4000, true },
        { ncclBfloat16, 0x3f80, 0x3f80, 0x4001, false },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int exact = 0; exact < 2; exact++) {
            struct world w;
            world_open(&w, 2, exact);
            buffers(&w, 2, 2);
            memcpy(w.send[0], &rows[i].a, 2);
            memcpy(w.send[1], &rows[i].b, 2);
            collective(&w, NCS_FN_ncclAllReduce, 1, rows[i].dtype, ncclSum, 0);
            before(&w);
            all_write(&w, &rows[i].sum, 2);
            after(&w);
            wrong(&w, rows[i].right ? 0 : 2);
            world_close(&w);
        }
    }
}
END_TEST

/* ---- wrong results ---- */

/* An all-reduce of n ranks with right outputs, ready to be spoilt before after(). */
static void good_all_reduce(struct world *w, int n, int dtype, int op, size_t count, bool exact)
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

static void names(struct world *w, uint64_t count, enum ncs_pattern pattern, int64_t which,
                  const char *text)
{
    const struct ncs_wrong *list = wrong(w, count);
    ck_assert_str_eq(list->text, text);
    ck_assert_int_eq(list->pattern, pattern);
    ck_assert_int_eq(list->which, which);
}

START_TEST(test_missing_and_twice)
{
    static const int dtypes[] = { ncclInt8, ncclUint64, ncclFloat16, ncclFloat32, ncclFloat64,
                                  ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2 };
    static const int ops[] = { ncclSum, ncclAvg, HANDLE };
    const size_t count = 1300;

    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int k = 0; k < 3 * 2; k++) {
            struct world w;
            good_all_reduce(&w, 6, dtypes[d], ops[k / 2], count, true);
            struct reference f = ascending(&w, dtypes[d], ops[k / 2]);
            if (k % 2) {
                for (int i = 2; i < 5; i++)
                    f.order[i] = i + 1;
                f.terms = 5;
            } else {
                for (int i = 6; i > 4; i--)
                    f.order[i] = i - 1;
                f.terms = 7;
            }
            reduce(&w, &f, 0, count, w.recv[0]);
            all_write(&w, w.recv[0], count * ncs_dtype_bytes(dtypes[d]));
            after(&w);
            if (k % 2)
                names(&w, 6, NCS_PATTERN_MISSING, 2, "rank 2's contribution is missing");
            else
                names(&w, 6, NCS_PATTERN_TWICE, 4, "rank 4's contribution counts twice");
            world_close(&w);
        }
    }
}
END_TEST

START_TEST(test_missing_within_bounds)
{
    for (int op = ncclSum; op <= ncclAvg; op += ncclAvg) {
        struct world w;
        good_all_reduce(&w, 4, ncclFloat32, op, 400, false);
        struct reference f = ascending(&w, ncclFloat32, op);
        f.terms = 3;
        f.order[0] = 2; /* another order as well */
        f.order[2] = 0;
        reduce(&w, &f, 0, 400, w.recv[1]);
        after(&w);
        const struct ncs_wrong *list = wrong(&w, 1);
        names(&w, 1, NCS_PATTERN_MISSING, 3, "rank 3's contribution is missing");
        ck_assert_int_eq(list->comm_rank, 1);
        ck_assert_int_eq(list->rank, 101);
        ck_assert_uint_eq(list->number, 1);
        ck_assert_uint_eq(list->total, 400);
        world_close(&w);
    }
}
END_TEST

START_TEST(test_rounding)
{
    static const int dtypes[] = { ncclFloat16, ncclBfloat16, ncclFloat8e4m3, ncclFloat8e5m2 };
    static const int ops[] = { ncclSum, ncclAvg, ncclProd };

    for (int n = 2; n <= 8; n *= 2) {
        for (int k = 0; k < 12; k++) {
            struct world w;
            good_all_reduce(&w, n, dtypes[k % 4], ops[k / 4], 500, true);
            struct reference f = ascending(&w, dtypes[k % 4], ops[k / 4]);
            f.toward_zero = true;
            reduce(&w, &f, 0, 500, w.recv[0]);
            all_write(&w, w.recv[0], 500 * ncs_dtype_bytes(dtypes[k % 4]));
            after(&w);
            names(&w, (uint64_t)n, NCS_PATTERN_ROUNDING, -1,
                  "off by rounding: by no more than other roundings or another order could give");
            world_close(&w);
        }
    }
}
END_TEST

START_TEST(test_shift)
{
    static const int shifts[] = { 1, -1, 3, -8 };
    for (int k = 0; k < 8; k++) {
        int shift = shifts[k % 4];
        struct world w;
        good_all_reduce(&w, 4, ncclFloat32, ncclSum, 2000, k < 4);
        unsigned char right[8000], *out = w.recv[3];
        memcpy(right, out, sizeof right);
        memset(out, 0x7f, sizeof right);
        if (shift > 0)
            memcpy(out + 4 * shift, right, sizeof right - 4 * (size_t)shift);
        else
            memcpy(out, right - 4 * shift, sizeof right - 4 * (size_t)-shift);
        after(&w);
        const struct ncs_wrong *list = wrong(&w, 1);
        ck_assert_int_eq(list->pattern, NCS_PATTERN_SHIFT);
        ck_assert_int_eq(list->which, shift);
        if (shift == 1)
            ck_assert_str_eq(list->text, "the right values, 1 element late");
        if (shift == -8)
            ck_assert_str_eq(list->text, "the right values, 8 elements early");
        world_close(&w);
    }
}
END_TEST

START_TEST(test_bit)
{
    for (int dtype = 0; dtype < ncclNumTypes; dtype++) {
        size_t bytes = ncs_dtype_bytes(dtype);
        for (unsigned bit = 0; bit < 8 * bytes; bit += 3) {
            struct world w;
            good_all_reduce(&w, 3, dtype, ncclSum, 1100, true);
            w.recv[1][1050 * bytes + bit / 8] ^= (unsigned char)(1u << bit % 8);
            after(&w);
            const struct ncs_wrong *list = wrong(&w, 1);
            ck_assert_uint_eq(list->first, 1051);
            ck_assert_uint_eq(list->differ, 1);
            ck_assert_int_eq(list->pattern, NCS_PATTERN_BIT);
            ck_assert_int_eq(list->which, bit);
            world_close(&w);
        }
    }
    struct world w; /* without an exact expectation: the exponent's highest bit */
    good_all_reduce(&w, 3, ncclFloat32, ncclSum, 100, false);
    w.recv[2][4 * 9 + 3] ^= 0x40;
    after(&w);
    names(&w, 1, NCS_PATTERN_BIT, 30, "one bit differs: bit 30, counted from the lowest");
    world_close(&w);
}
END_TEST

START_TEST(test_stale)
{
    struct world w;
    good_all_reduce(&w, 4, ncclFloat16, ncclSum, 64, true);
    memset(w.recv[2], 0xa5 ^ 2, 128);
    after(&w);
    names(&w, 1, NCS_PATTERN_STALE, -1, "the output buffer was not written");
    world_close(&w);

    /* Two ranks in place: rank 1's contribution missing leaves rank 0 as it was. */
    world_open(&w, 2, true);
    buffers(&w, 40, 40);
    fill(&w, ncclInt32, 10, 1, false);
    for (int r = 0; r < 2; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclAllReduce, r, w.send[r], w.send[r], 10, ncclInt32,
                           ncclSum, 0);
    before(&w);
    memcpy(w.send[1], w.send[0], 40);
    after(&w);
    names(&w, 2, NCS_PATTERN_MISSING, 1, "rank 1's contribution is missing");
    world_close(&w);
}
END_TEST

START_TEST(test_scalars_left_out)
{
    for (int exact = 0; exact < 2; exact++) {
        struct world w;
        good_all_reduce(&w, 4, ncclFloat32, HANDLE, 64, exact);
        struct reference f = ascending(&w, ncclFloat32, HANDLE);
        f.unscaled = true;
        reduce(&w, &f, 0, 64, w.recv[0]);
        all_write(&w, w.recv[0], 256);
        after(&w);
        names(&w, 4, NCS_PATTERN_SCALAR, -1, "as if the scalars of the pre-mul-sum were 1");
        world_close(&w);
    }
}
END_TEST

START_TEST(test_blocks)
{
    const size_t count = 40;
    struct world w;
    world_open(&w, 4, true);
    buffers(&w, 4 * count * 8, 4 * count * 8);
    fill(&w, ncclInt64, 4 * count, 2, false);
    collective(&w, NCS_FN_ncclAllGather, count, ncclInt64, -1, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++)
            memcpy(w.recv[r] + (size_t)(r == 1 && k % 2 ? 4 - k : k) * count * 8, w.send[k],
                   count * 8);
    after(&w);
    names(&w, 1, NCS_PATTERN_BLOCKS, 1, "the blocks of ranks 1 and 3 are exchanged");
    ck_assert_uint_eq(wrong(&w, 1)->first, count + 1);

    struct reference f = ascending(&w, ncclInt64, ncclSum);
    collective(&w, NCS_FN_ncclReduceScatter, count, ncclInt64, ncclSum, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        reduce(&w, &f, (size_t)(r == 2 ? 0 : r) * count, count, w.recv[r]);
    after(&w);
    const struct ncs_wrong *list = wrong(&w, 2);
    ck_assert_int_eq(list[1].pattern, NCS_PATTERN_BLOCKS);
    ck_assert_str_eq(list[1].text, "this is the block of rank 0");

    collective(&w, NCS_FN_ncclAllGather, count, ncclInt64, -1, 0);
    before(&w);
    for (int r = 0; r < 4; r++)
        for (int k = 0; k < 4; k++)
            memcpy(w.recv[r] + (size_t)k * count * 8, w.send[k], count * 8);
    memset(w.recv[0] + 2 * count * 8, 0x5a, count * 8);
    after(&w);
    list = wrong(&w, 3);
    ck_assert_str_eq(list[2].text, "rank 2's block is missing");
    world_close(&w);
}
END_TEST

START_TEST(test_wrong_root)
{
    struct world w;
    world_open(&w, 4, true);
    buffers(&w, 80, 80);
    fill(&w, ncclInt32, 20, 4, false);
    for (int r = 0; r < 4; r++)
        w.set[r] = call_of(&w, NCS_FN_ncclBroadcast, r, w.send[r], w.send[r], 20, ncclInt32, -1, 1);
    before(&w);
    memcpy(w.send[0], w.send[2], 80);
    memcpy(w.send[1], w.send[2], 80);
    memcpy(w.send[3], w.send[2], 80);
    after(&w);
    /* Rank 2 kept its own data; that others have it shows that it is no stale buffer. */
    const struct ncs_wrong *list = wrong(&w, 4);
    names(&w, 4, NCS_PATTERN_ROOT, 2, "this is the data of rank 2, not of root 1");
    ck_assert_int_eq(list[2].pattern, NCS_PATTERN_ROOT);

    collective(&w, NCS_FN_ncclBroadcast, 20, ncclInt32, -1, 1);
    before(&w);
    all_write(&w, w.send[3], 80);
    memset(w.recv[0], 1, 4);
    all_write(&w, w.recv[0], 80);
    after(&w);
    list = wrong(&w, 8);
    ck_assert_int_eq(list[5].which, -1);
    ck_assert_str_eq(list[5].text, "every rank has the same data, not that of root 1");

    collective(&w, NCS_FN_ncclReduce, 20, ncclInt32, ncclMax, 0);
    fill(&w, ncclInt32, 20, 5, false);
    before(&w);
    memcpy(w.recv[0], w.send[3], 80);
    after(&w);
    list = wrong(&w, 9);
    ck_assert_int_eq(list[8].pattern, NCS_PATTERN_ROOT);
    ck_assert_int_eq(list[8].which, 3);
    world_close(&w);
}
END_TEST

START_TEST(test_texts)
{
    static const struct {
        int dtype;
        double got, want;
        const char *got_text, *want_text;
    } rows[] = {
        { ncclInt8, -128, 127, "-128", "127" },
        { ncclUint32, 4294967295.0, 1, "4294967295", "1" },
        { ncclFloat32, 0.1, 0.5, "0.100000001", "0.5" },
        { ncclFloat64, 0.1, INFINITY, "0.10000000000000001", "inf" },
        { ncclFloat16, NAN, 1.5, "nan", "1.5" },
        { ncclBfloat16, -INFINITY, 3, "-inf", "3" },
        { ncclFloat8e4m3, 448, 0.125, "448", "0.125" },
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        unsigned char got[8];
        world_open(&w, 1, true);
        buffers(&w, 8, 8);
        if (is_float(rows[i].dtype)) {
            put(rows[i].dtype, got, rows[i].got);
            put(rows[i].dtype, w.send[0], rows[i].want);
        } else {
            put_int(rows[i].dtype, got, (__int128)rows[i].got);
            put_int(rows[i].dtype, w.send[0], (__int128)rows[i].want);
        }
        collective(&w, NCS_FN_ncclAllReduce, 1, rows[i].dtype, ncclSum, 0);
        before(&w);
        memcpy(w.recv[0], got, ncs_dtype_bytes(rows[i].dtype));
        after(&w);
        const struct ncs_wrong *list = wrong(&w, 1);
        ck_assert_str_eq(list->got, rows[i].got_text);
        ck_assert_str_eq(list->want, rows[i].want_text);
        ck_assert_uint_eq(list->first, 1);
        world_close(&w);
    }
}
END_TEST

/* ---- what is not checked, and pairing ---- */

START_TEST(test_counts)
{
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, 40, 40);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0); /* zeros */
    w.set[1]->unverified = true;
    before(&w);
    memset(w.recv[0], 0, 40);
    memset(w.recv[2], 0, 40);
    after(&w); /* rank 1's output stays wrong */
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 1);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    w.set[2]->arg[3].i = ncclMax; /* the ranks disagree */
    before(&w);
    after(&w);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 4);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    ncs_verify_exclude(w.v, &w.set[1], 1);
    before(&w);
    after(&w);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 7);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    ncs_verify_before(w.v, w.set, 2); /* one rank is not there */
    ncs_verify_after(w.v, w.set, 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 9);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    after(&w); /* never captured */
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 12);

    collective(&w, NCS_FN_ncclAllReduce, 0, ncclFloat32, ncclSum, 0);
    before(&w);
    after(&w); /* no data */
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 12);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

START_TEST(test_budget)
{
    struct world w;
    world_open(&w, 4, true);
    ncs_verify_close(w.v);
    w.v = ncs_verify_open(&w.journal, 4 * 100);
    buffers(&w, 104, 104);
    for (size_t count = 24; count <= 26; count++) { /* the third needs 416 bytes */
        collective(&w, NCS_FN_ncclAllReduce, count, ncclInt32, ncclMax, 0);
        before(&w);
        for (int r = 0; r < 4; r++)
            memset(w.recv[r], 0, 104);
        after(&w);
    }
    ck_assert_uint_eq(ncs_verify_checked(w.v), 8);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 4);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

START_TEST(test_many_wrong)
{
    struct world w;
    world_open(&w, 16, true);
    buffers(&w, 4, 4);
    struct ncs_call *sets[6][RANKS];
    for (int i = 0; i < 6; i++) {
        collective(&w, NCS_FN_ncclAllReduce, 1, ncclInt32, ncclSum, 0);
        memcpy(sets[i], w.set, sizeof w.set);
    }
    for (int i = 5; i >= 0; i--) {
        ncs_verify_before(w.v, sets[i], 16);
        ncs_verify_after(w.v, sets[i], 16);
    }
    const struct ncs_wrong *list = wrong(&w, 96);
    for (uint64_t i = 0; i < 64; i++)
        ck_assert_uint_eq(list[i].call->id, i + 1);
    world_close(&w);
}
END_TEST

static struct ncs_call *send_of(struct world *w, int from, int to, unsigned char *x)
{
    return call_of(w, NCS_FN_ncclSend, from, x, x, 4, ncclInt8, -1, to);
}

static struct ncs_call *recv_of(struct world *w, int at, int from, unsigned char *x)
{
    return call_of(w, NCS_FN_ncclRecv, at, x, x, 4, ncclInt8, -1, from);
}

START_TEST(test_pairs)
{
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, 64, 64);
    fill(&w, ncclInt8, 64, 8, false);
    unsigned char *s = w.send[0], *d = w.recv[1];

    /* A failed send, a send to another rank, and one in a group that failed do not count. */
    struct ncs_call *bad = send_of(&w, 0, 1, s);
    bad->returned = true;
    bad->rc = ncclInvalidArgument;
    struct ncs_call *dropped = send_of(&w, 0, 1, s);
    dropped->returned = true;
    dropped->group = 1;
    struct ncs_call *end = call_of(&w, NCS_FN_ncclGroupEnd, 0, NULL, NULL, 0, 0, 0, 0);
    end->returned = true;
    end->group = 1;
    end->rc = ncclInvalidArgument;
    struct ncs_call *other = send_of(&w, 0, 2, s + 40);
    struct ncs_call *first = send_of(&w, 0, 1, s + 4), *second = send_of(&w, 0, 1, s + 8);
    struct ncs_call *one = recv_of(&w, 1, 0, d), *two = recv_of(&w, 1, 0, d + 4);
    struct ncs_call *elsewhere = recv_of(&w, 2, 0, w.recv[2]);

    /* The driver exchanges them: its grouping is not believed. */
    struct ncs_call *crossed[] = { second, one }, *rest[] = { first, two };
    ncs_verify_before(w.v, crossed, 2);
    ncs_verify_before(w.v, rest, 2);
    memcpy(d, s + 8, 4);
    memcpy(d + 4, s + 4, 4);
    ncs_verify_after(w.v, crossed, 2);
    ncs_verify_after(w.v, rest, 2);
    wrong(&w, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);

    struct ncs_call *right[] = { other, elsewhere };
    ncs_verify_before(w.v, right, 2);
    memcpy(w.recv[2], s + 40, 4);
    ncs_verify_after(w.v, right, 2);
    wrong(&w, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 3);

    /* A send that runs ahead of its receive, and changes its buffer then. */
    struct ncs_call *eager = send_of(&w, 0, 1, s + 12), *late = recv_of(&w, 1, 0, d + 8);
    ncs_verify_before(w.v, &eager, 1);
    memcpy(d + 8, s + 12, 4);
    ncs_verify_after(w.v, &eager, 1);
    memset(s + 12, 0, 4);
    ncs_verify_before(w.v, &late, 1);
    ncs_verify_after(w.v, &late, 1);
    wrong(&w, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 4);

    /* Other bytes: not checked. Another type of the same bytes: checked. */
    struct ncs_call *longer = send_of(&w, 0, 1, s), *shorter = recv_of(&w, 1, 0, d);
    shorter->arg[1].u = 2;
    struct ncs_call *uneven[] = { longer, shorter };
    ncs_verify_before(w.v, uneven, 2);
    ncs_verify_after(w.v, uneven, 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 1);
    struct ncs_call *bytes = send_of(&w, 0, 1, s), *words = recv_of(&w, 1, 0, d);
    words->arg[1].u = 1;
    words->arg[2].i = ncclFloat32;
    struct ncs_call *even[] = { bytes, words };
    ncs_verify_before(w.v, even, 2);
    memcpy(d, s, 4);
    ncs_verify_after(w.v, even, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 5);

    /* To oneself. */
    struct ncs_call *self[] = { send_of(&w, 2, 2, w.send[2]), recv_of(&w, 2, 2, w.recv[2] + 8) };
    ncs_verify_before(w.v, self, 2);
    memcpy(w.recv[2] + 8, w.send[2], 4);
    ncs_verify_after(w.v, self, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 6);
    wrong(&w, 2);
    world_close(&w);
}
END_TEST

NCS_TEST_MAIN("verify", test_right_ascending, test_right_in_any_order, test_other_kinds,
              test_in_place, test_scalar_on_device, test_special_values, test_missing_and_twice,
              test_missing_within_bounds, test_rounding, test_shift, test_bit, test_stale,
              test_scalars_left_out, test_blocks, test_wrong_root, test_texts, test_counts,
              test_budget, test_many_wrong, test_pairs)
