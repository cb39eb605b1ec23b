/* Expected results of reductions: in the arithmetic of the type with ascending ranks, or in wider
 * arithmetic with a bound; and their comparison with the outputs.
 *
 * The bound. With u the relative error of one rounding, n terms summed in any order are off by at
 * most (n - 1) u times the sum of the terms' sizes: additions have no error where they underflow,
 * and for rounding to nearest there is no higher-order term (Jeannerod and Rump, 2013). A product
 * of a term with its scalar adds u of its size and half the smallest subnormal. n factors
 * multiplied in any order are off by at most (1 + u)^(n - 1) - 1 of the product, and by half the
 * smallest subnormal times the other factors wherever a partial product may underflow. */
#include "verify/reduce.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "api/types.h"
#include "verify/element.h"

struct ncs_terms ncs_terms_of(const struct ncs_operation *op, size_t offset)
{
    return (struct ncs_terms){ op, offset, -1, -1, -1, false };
}

static int weight(const struct ncs_terms *t, int rank)
{
    if (t->only >= 0)
        return rank == t->only;
    return rank == t->without ? 0 : rank == t->twice ? 2 : 1;
}

static const unsigned char *reduce_input_at(const struct ncs_terms *t, int rank, size_t first)
{
    return t->op->share[rank].input + (t->offset + first) * ncs_dtype_bytes(t->op->dtype);
}

static bool is_average(const struct ncs_terms *t)
{
    return t->op->op == ncclAvg && !t->op->scaled && t->only < 0 && t->op->shares > 1;
}

static bool is_premultiplied(const struct ncs_terms *t)
{
    return t->op->scaled && !t->unscaled && t->only < 0;
}

/* ---- in the arithmetic of the type, ascending ---- */

static void combine_words(int op, bool is_signed, uint64_t *sum, const uint64_t *x, size_t count)
{
    const uint64_t top = is_signed ? UINT64_C(1) << 63 : 0; /* maps signed order to unsigned */

    switch (op) {
    case ncclProd:
        for (size_t i = 0; i < count; i++)
            sum[i] *= x[i];
        break;
    case ncclMax:
        for (size_t i = 0; i < count; i++)
            sum[i] = (x[i] ^ top) > (sum[i] ^ top) ? x[i] : sum[i];
        break;
    case ncclMin:
        for (size_t i = 0; i < count; i++)
            sum[i] = (x[i] ^ top) < (sum[i] ^ top) ? x[i] : sum[i];
        break;
    default: /* sum, avg, pre-mul-sum */
        for (size_t i = 0; i < count; i++)
            sum[i] += x[i];
    }
}

/* Divides towards zero; true if any division left a remainder. */
static bool divide_words(bool is_signed, int by, uint64_t *words, size_t count)
{
    uint64_t rest = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t sum = words[i];
        words[i] = is_signed ? (uint64_t)((int64_t)sum / by) : sum / (uint64_t)by;
        rest |= sum - words[i] * (uint64_t)by;
    }
    return rest != 0;
}

static void expect_words(const struct ncs_terms *t, size_t first, struct ncs_expected *e)
{
    int dtype = t->op->dtype;
    bool begun = false, is_signed = ncs_element_signed(dtype);

    for (int rank = 0; rank < t->op->shares; rank++) {
        int times = weight(t, rank);
        if (times == 0)
            continue;
        ncs_element_words(dtype, reduce_input_at(t, rank, first), e->count, e->word_term);
        if (is_premultiplied(t)) {
            uint64_t scalar;
            ncs_element_words(dtype, t->op->share[rank].scalar, 1, &scalar);
            for (size_t i = 0; i < e->count; i++)
                e->word_term[i] *= scalar;
        }
        if (!begun) {
            memcpy(e->word, e->word_term, e->count * sizeof *e->word);
            begun = true;
            times--;
        }
        while (times-- > 0)
            combine_words(t->op->op, is_signed, e->word, e->word_term, e->count);
    }
    e->over = ncs_element_wrap_all(dtype, e->word, e->count);
    e->cut = is_average(t) && divide_words(is_signed, t->op->shares, e->word, e->count);
}

bool ncs_terms_scale(const struct ncs_terms *t, int rank, double *scale)
{
    if (is_average(t)) {
        *scale = 1.0 / t->op->shares;
        if (t->op->dtype != ncclFloat64)
            *scale = (float)*scale;
        ncs_element_round(t->op->dtype, scale, 1);
        return true;
    }
    if (is_premultiplied(t)) {
        ncs_element_values(t->op->dtype, t->op->share[rank].scalar, 1, scale);
        return true;
    }
    return false;
}

static void combine_values(int op, double *sum, const double *x, size_t count)
{
    switch (op) {
    case ncclProd:
        for (size_t i = 0; i < count; i++)
            sum[i] *= x[i];
        break;
    case ncclMax: /* a NaN loses against every number */
        for (size_t i = 0; i < count; i++)
            sum[i] = x[i] > sum[i] || isnan(sum[i]) ? x[i] : sum[i];
        break;
    case ncclMin:
        for (size_t i = 0; i < count; i++)
            sum[i] = x[i] < sum[i] || isnan(sum[i]) ? x[i] : sum[i];
        break;
    default:
        for (size_t i = 0; i < count; i++)
            sum[i] += x[i];
    }
}

static void expect_values(const struct ncs_terms *t, size_t first, struct ncs_expected *e)
{
    int dtype = t->op->dtype;
    bool begun = false;

    for (int rank = 0; rank < t->op->shares; rank++) {
        int times = weight(t, rank);
        double scale;
        if (times == 0)
            continue;
        ncs_element_values(dtype, reduce_input_at(t, rank, first), e->count, e->term);
        if (ncs_terms_scale(t, rank, &scale)) {
            for (size_t i = 0; i < e->count; i++)
                e->term[i] *= scale;
            ncs_element_round(dtype, e->term, e->count);
        }
        if (!begun) {
            memcpy(e->value, e->term, e->count * sizeof *e->value);
            begun = true;
            times--;
        }
        while (times-- > 0) {
            combine_values(t->op->op, e->value, e->term, e->count);
            if (!e->by_value)
                ncs_element_round(dtype, e->value, e->count);
        }
    }
}

/* ---- in wider arithmetic, any order ---- */

/* Facts about all terms of one element. */
struct gathered {
    long double value; /* the sum or product */
    long double size;  /* sum: of the finite terms' sizes; product: of the factors above 1 */
    long double small; /* product: of the factors below 1, zeros left out */
    bool nan, infinite;
};

static void anything(struct ncs_bound *b)
{
    b->limit = LDBL_MAX;
    b->finite = b->nan = b->plus_infinity = b->minus_infinity = true;
}

/* The possible results with operands that are not finite, or with partial results that overflow. */
static void reduce_settle(const struct ncs_float_format *f, const struct gathered *g, bool overflow, struct ncs_bound *b)
{
    b->limit = -1;
    b->nan = b->plus_infinity = b->minus_infinity = false;
    b->finite = !g->nan && !g->infinite;
    if (g->nan || (isnan(g->value) && !f->saturates)) {
        b->finite = false;
        b->nan = true;
    } else if (f->saturates && (g->infinite || overflow)) {
        b->finite = true;
        b->limit = g->infinite ? LDBL_MAX : g->size + b->tolerance;
        b->nan = isnan(g->value);
    } else if (g->infinite) {
        b->plus_infinity = g->value > 0;
        b->minus_infinity = g->value < 0;
        b->nan = overflow;
    } else if (overflow) {
        b->nan = b->plus_infinity = b->minus_infinity = true;
    }
}

static void bound_sum(const struct ncs_terms *t, const struct gathered *g, int terms, long double u, struct ncs_bound *b)
{
    const struct ncs_float_format *f = ncs_float_format(t->op->dtype);
    long double steps = terms - 1;
    bool scaled = is_average(t) || is_premultiplied(t);

    b->value = g->value;
    if (terms == 2 && !scaled) /* two terms have only one order */
        b->tolerance = u * fabsl(g->infinite || g->nan ? 0 : g->value);
    else
        b->tolerance = steps * u * g->size;
    if (scaled) {
        long double least = terms * f->least * (u / f->unit / 2);
        b->tolerance = steps * u * ((1 + u) * g->size + least) + u * g->size + least;
    }
    if (is_average(t)) /* the rounding of 1/n */
        b->tolerance += u * g->size;
    b->tolerance += b->tolerance * 0x1p-10L + steps * g->size * (LDBL_EPSILON / 2);
    reduce_settle(f, g, g->size + b->tolerance > f->most, b);
}

static void bound_product(const struct ncs_terms *t, const struct gathered *g, int terms, long double u, long double grown,
                          struct ncs_bound *b)
{
    const struct ncs_float_format *f = ncs_float_format(t->op->dtype);
    long double least = f->least * (u / f->unit); /* a double is too short for its half */
    bool underflow = g->small * (1 - grown) < f->normal, overflow;

    b->value = g->value;
    b->tolerance = g->infinite || g->nan ? 0 : fabsl(g->value) * grown;
    if (underflow && terms == 2)
        b->tolerance += least / 2;
    else if (underflow)
        b->tolerance += (terms - 1) * least / 2 * g->size * (1 + grown);
    b->tolerance += b->tolerance * 0x1p-10L + (g->nan || g->infinite ? 0 : fabsl(g->value)) * terms * (LDBL_EPSILON / 2);
    overflow = g->size * (1 + grown) > f->most;
    if (terms > 1 && !g->nan && (!isfinite(g->size) || (underflow && (g->infinite || overflow) && terms > 2))) {
        anything(b);
        return;
    }
    reduce_settle(f, g, terms > 1 && overflow && (terms > 2 || fabsl(g->value) * (1 + grown) > f->most), b);
}

static void reduce_gather(struct gathered *g, bool product, long double x)
{
    if (isnan(x))
        g->nan = true;
    else if (isinf(x))
        g->infinite = true;
    if (!product) {
        g->value += x;
        if (isfinite(x))
            g->size += fabsl(x);
        return;
    }
    g->value *= x;
    if (!isfinite(x))
        return;
    if (fabsl(x) > 1)
        g->size *= fabsl(x);
    else if (x != 0)
        g->small *= fabsl(x);
}

static void expect_bounds(const struct ncs_terms *t, size_t first, struct ncs_expected *e)
{
    bool product = t->op->op == ncclProd && !t->op->scaled;
    struct gathered g[64];
    long double u = ncs_float_format(t->op->dtype)->unit * (e->any_rounding ? 2 : 1);

    for (size_t begin = 0; begin < e->count; begin += 64) {
        size_t count = e->count - begin < 64 ? e->count - begin : 64;
        int terms = 0;
        for (size_t i = 0; i < count; i++)
            g[i] = (struct gathered){ product, product, 1, false, false };
        for (int rank = 0; rank < t->op->shares; rank++) {
            int times = weight(t, rank);
            double scale = 1;
            if (times == 0)
                continue;
            terms += times;
            ncs_element_values(t->op->dtype, reduce_input_at(t, rank, first + begin), count, e->term);
            ncs_terms_scale(t, rank, &scale);
            while (times-- > 0)
                for (size_t i = 0; i < count; i++)
                    reduce_gather(&g[i], product, (long double)e->term[i] * scale);
        }
        long double grown = expm1l((terms - 1) * log1pl(u));
        for (size_t i = 0; i < count; i++) {
            if (product)
                bound_product(t, &g[i], terms, u, grown, &e->bound[begin + i]);
            else
                bound_sum(t, &g[i], terms, u, &e->bound[begin + i]);
        }
    }
}

/* Reads the results that were computed before the inputs were overwritten. */
static void expect_foreseen(const struct ncs_terms *t, size_t first, struct ncs_expected *e)
{
    const unsigned char *at = ncs_foreseen(t->op, t->offset) + first * ncs_dtype_bytes(e->dtype);

    if (e->words)
        ncs_element_words(e->dtype, at, e->count, e->word);
    else
        ncs_element_values(e->dtype, at, e->count, e->value);
}

void ncs_expect(const struct ncs_terms *terms, enum ncs_arithmetic arithmetic, size_t first, size_t count, struct ncs_expected *e)
{
    int op = terms->op->op;

    e->dtype = terms->op->dtype;
    e->count = count;
    e->words = !ncs_float_format(e->dtype);
    e->by_value = !e->words && !terms->op->scaled && (op == ncclMax || op == ncclMin);
    e->wide = arithmetic != NCS_ASCENDING && !e->words && !e->by_value && terms->only < 0 &&
              (terms->op->shares > 1 || terms->op->scaled); /* a single rank's result is a copy */
    e->any_rounding = arithmetic == NCS_ANY_ROUNDING;
    e->over = e->cut = false;
    if (terms->op->foreseen)
        expect_foreseen(terms, first, e);
    else if (e->words)
        expect_words(terms, first, e);
    else if (e->wide)
        expect_bounds(terms, first, e);
    else
        expect_values(terms, first, e);
}

/* ---- comparison ---- */

static bool reduce_within(const struct ncs_bound *b, double got)
{
    if (isnan(got))
        return b->nan;
    if (isinf(got))
        return got > 0 ? b->plus_infinity : b->minus_infinity;
    return b->finite && (fabsl(got - b->value) <= b->tolerance || fabsl(got) <= b->limit);
}

static bool reduce_same_value(const struct ncs_expected *e, size_t i)
{
    double got = e->term[i], want = e->value[i];

    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want);
    if (!e->by_value)
        return got == want && !signbit(got) == !signbit(want);
    /* A saturating type may or may not keep an infinity among its inputs. */
    const struct ncs_float_format *f = ncs_float_format(e->dtype);
    return got == want || (f->saturates && fabs(got) >= f->most && fabs(want) >= f->most && !signbit(got) == !signbit(want));
}

static bool reduce_same(const struct ncs_expected *e, size_t i)
{
    if (e->words)
        return e->word[i] == e->word_term[i];
    return e->wide ? reduce_within(&e->bound[i], e->term[i]) : reduce_same_value(e, i);
}

size_t ncs_differ(struct ncs_expected *e, const void *got, size_t *where)
{
    size_t differ = 0;

    if (e->words) {
        ncs_element_words(e->dtype, got, e->count, e->word_term);
        if (memcmp(e->word, e->word_term, e->count * sizeof *e->word) == 0)
            return 0;
    } else {
        ncs_element_values(e->dtype, got, e->count, e->term);
        if (!e->wide && memcmp(e->value, e->term, e->count * sizeof *e->value) == 0)
            return 0;
    }
    for (size_t i = 0; i < e->count; i++) {
        if (reduce_same(e, i))
            continue;
        if (differ++ == 0)
            *where = i;
    }
    return differ;
}

void ncs_expected_text(const struct ncs_expected *e, size_t i, char *text, size_t room)
{
    if (e->words) {
        ncs_element_word_text(e->dtype, e->word[i], text, room);
        return;
    }
    ncs_element_value_text(ncs_float_format(e->dtype)->digits, e->wide ? e->bound[i].value : (long double)e->value[i], text,
                           room);
}
