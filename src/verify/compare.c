/* Compares outputs with the expected ones, bits first, since nearly all results are right. A stretch that
 * equals the type's own arithmetic (verify/native.h) bit for bit is right. A stretch that does not, or
 * that may have lost information, is computed again by ncs_expect, which decides. */
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "verify/element.h"
#include "verify/native.h"
#include "verify/pattern.h"
#include "verify/private.h"

enum {
    STRETCH = NCS_CHUNK, /* elements of a reduction that are compared at a time */
    PIECE = 8192,        /* of moved data: few enough to stay in the cache for all outputs */
    GRAIN = 512 * 1024,  /* bytes read by a core at a time, at least */
};

static size_t compare_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void compare_note(struct tally *t, size_t differ, size_t first)
{
    if (differ > 0 && t->differ == 0)
        t->first = first;
    t->differ += differ;
}

/* ---- bits first ---- */

struct sieve {
    const struct ncs_native *native;
    const unsigned char *foreseen; /* the expected outputs, if they were kept; else they are computed */
    unsigned char *keeps;          /* receives the computed outputs; NULL: they are compared instead */
    const struct tally *tallies;   /* from `from` to end - 1 */
    int from, end, dtype;
    size_t count, bytes; /* of an element */
    bool asks;           /* treat stretches that may have lost information as doubtful */
    bool *doubtful;      /* for each stretch */
};

static bool sieve_differs(const struct sieve *s, const unsigned char *want, size_t first, size_t count)
{
    for (int i = s->from; i < s->end; i++)
        if (s->tallies[i].out && memcmp(s->tallies[i].out + first * s->bytes, want, count * s->bytes) != 0)
            return true;
    return false;
}

static void sieve_stretches(size_t begin, size_t end, void *arg)
{
    const struct sieve *s = arg;
    _Alignas(64) unsigned char room[STRETCH * 8];

    for (size_t k = begin; k < end; k++) {
        size_t first = k * STRETCH, count = compare_smaller(STRETCH, s->count - first);
        const unsigned char *want = s->foreseen ? s->foreseen + first * s->bytes : room;
        if (s->native) {
            unsigned char *to = s->keeps ? s->keeps + first * s->bytes : room;
            want = to;
            bool lost = ncs_native_run(s->native, first, count, to);
            lost |= s->asks && ncs_float_format(s->dtype) && ncs_inexact_overflow(s->dtype, to, count * s->bytes);
            s->doubtful[k] = lost && s->asks;
        }
        if (!s->keeps)
            s->doubtful[k] |= sieve_differs(s, want, first, count);
    }
}

/* Tells for each stretch whether it is doubtful. The caller frees the array with ncs_free. */
static bool *sieve(struct sieve *s, int shares)
{
    size_t stretches = (s->count + STRETCH - 1) / STRETCH;
    size_t read = STRETCH * s->bytes * (size_t)(shares + s->end - s->from);

    s->doubtful = ncs_new(stretches * sizeof *s->doubtful);
    ncs_parallel(stretches, GRAIN / read + 1, sieve_stretches, s);
    return s->doubtful;
}

/* The first of the shares from .. end - 1 whose result is verified; -1 = none. */
static int compare_first(const struct ncs_operation *op, int from, int end)
{
    for (int i = from; i < end; i++)
        if (!op->share[i].call->unverified && ncs_output_count(op->share[i].call, op->shares) > 0)
            return i;
    return -1;
}

static bool compare_asks(const struct ncs_verify *v, const struct ncs_operation *op, int first)
{
    return first >= 0 && ncs_inexact_asks(&v->inexacts, op, op->share[first].call);
}

/* ---- reductions ---- */

/* Once one of the outputs is found right, the others need only be equal to it. */
static void compare_stretch(struct ncs_verify *v, const struct ncs_terms *terms, struct tally *tallies, int from, int end,
                            size_t begin)
{
    const struct ncs_operation *op = terms->op;
    size_t bytes = ncs_dtype_bytes(op->dtype), where = 0, count = compare_smaller(STRETCH, op->count - begin);
    const unsigned char *right = NULL;
    bool computed = false;

    for (int i = from; i < end; i++) {
        if (!tallies[i].out)
            continue;
        const unsigned char *got = tallies[i].out + begin * bytes;
        if (right && memcmp(got, right, count * bytes) == 0)
            continue;
        if (!computed)
            ncs_expect(terms, v->arithmetic, begin, count, &v->scratch);
        computed = true;
        size_t differ = ncs_differ(&v->scratch, got, &where);
        compare_note(&tallies[i], differ, begin + where);
        if (differ > 0 || right)
            continue;
        right = got;
        if (!op->foreseen)
            ncs_inexact_look(&v->inexacts, terms, begin, i, &v->scratch, got);
    }
}

void ncs_compare_reduction(struct ncs_verify *v, const struct ncs_operation *op, struct tally *tallies, int from, int end,
                           size_t offset)
{
    struct ncs_terms terms = ncs_terms_of(op, offset);
    struct ncs_native native = ncs_native_of(&terms);
    struct sieve s = {
        .native = op->foreseen ? NULL : &native,
        .foreseen = op->foreseen ? ncs_foreseen(op, offset) : NULL,
        .tallies = tallies,
        .from = from,
        .end = end,
        .dtype = op->dtype,
        .count = op->count,
        .bytes = ncs_dtype_bytes(op->dtype),
        .asks = compare_asks(v, op, compare_first(op, from, end)),
    };
    bool *doubtful = v->arithmetic == NCS_ASCENDING ? sieve(&s, op->shares) : NULL;

    for (size_t begin = 0; begin < op->count; begin += STRETCH)
        if (!doubtful || doubtful[begin / STRETCH])
            compare_stretch(v, &terms, tallies, from, end, begin);
    ncs_free(doubtful);
}

/* Writes the expected result of the shares from .. end - 1. */
static void foresee(struct ncs_verify *v, const struct ncs_operation *op, int from, int end, size_t offset)
{
    int first = compare_first(op, from, end);
    struct ncs_terms terms = ncs_terms_of(op, offset);
    struct ncs_native native = ncs_native_of(&terms);
    size_t bytes = ncs_dtype_bytes(op->dtype), where;
    struct sieve s = { .native = &native,
                       .keeps = ncs_foreseen(op, offset),
                       .dtype = op->dtype,
                       .count = op->count,
                       .bytes = bytes,
                       .asks = compare_asks(v, op, first) };
    bool *doubtful = sieve(&s, op->shares);

    for (size_t begin = 0; begin < op->count; begin += STRETCH) {
        if (!doubtful[begin / STRETCH])
            continue;
        const unsigned char *want = s.keeps + begin * bytes;
        ncs_expect(&terms, v->arithmetic, begin, compare_smaller(STRETCH, op->count - begin), &v->scratch);
        ncs_differ(&v->scratch, want, &where); /* decodes the values for ncs_inexact_look */
        ncs_inexact_look(&v->inexacts, &terms, begin, first, &v->scratch, want);
    }
    ncs_free(doubtful);
}

void ncs_foresee_all(struct ncs_verify *v, struct ncs_operation *op)
{
    if (!op->movement->parts_in)
        foresee(v, op, 0, op->shares, 0);
    for (int i = 0; op->movement->parts_in && i < op->shares; i++)
        foresee(v, op, i, i + 1, (size_t)i * op->count);
    op->foreseen = true;
}

/* ---- moved data ---- */

struct moved {
    const struct ncs_operation *op;
    const struct tally *tallies;
    int share, end; /* the outputs of share .. end - 1: of a call that moves in steps one, else all */
    size_t bytes, total;
    bool *doubtful; /* for each piece */
};

static bool moved_differs(const struct moved *m, size_t begin, size_t end)
{
    for (size_t run; begin < end; begin += run) {
        const unsigned char *want = ncs_moved_at(m->op, m->share, m->bytes, begin, &run);
        run = compare_smaller(run, end - begin);
        for (int i = m->share; i < m->end; i++) {
            const unsigned char *got = m->tallies[i].out;
            if (got && memcmp(got + begin * m->bytes, want, run * m->bytes) != 0)
                return true;
        }
    }
    return false;
}

static void moved_pieces(size_t begin, size_t end, void *arg)
{
    const struct moved *m = arg;

    for (size_t k = begin; k < end; k++)
        m->doubtful[k] = moved_differs(m, k * PIECE, compare_smaller((k + 1) * PIECE, m->total));
}

static void compare_element(const struct moved *m, struct tally *tallies, size_t at)
{
    size_t run;
    const unsigned char *want = ncs_moved_at(m->op, m->share, m->bytes, at, &run);

    for (int i = m->share; i < m->end; i++)
        if (tallies[i].out && memcmp(tallies[i].out + at * m->bytes, want, m->bytes) != 0)
            compare_note(&tallies[i], 1, at);
}

void ncs_compare_moved(const struct ncs_operation *op, struct tally *tallies, int share, size_t bytes, size_t total)
{
    size_t pieces = (total + PIECE - 1) / PIECE;
    int end = op->movement->steps ? share + 1 : op->shares;
    struct moved m = { op, tallies, share, end, bytes, total, ncs_new(pieces * sizeof *m.doubtful) };

    ncs_parallel(pieces, GRAIN / (PIECE * bytes * (size_t)(end - share)) + 1, moved_pieces, &m);
    for (size_t k = 0; k < pieces; k++)
        for (size_t at = k * PIECE; m.doubtful[k] && at < compare_smaller((k + 1) * PIECE, total); at++)
            compare_element(&m, tallies, at);
    ncs_free(m.doubtful);
}
