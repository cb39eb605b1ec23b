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
    const struct tally *tallies; /* from `from` to end - 1 */
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
        bool lost = ncs_native_run(s->native, first, count, room);
        lost |= s->asks && ncs_float_format(s->dtype) && ncs_inexact_overflow(s->dtype, room, count * s->bytes);
        s->doubtful[k] = (lost && s->asks) || sieve_differs(s, room, first, count);
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
int ncs_first_verified(const struct ncs_operation *op, int from, int end)
{
    for (int i = from; i < end; i++)
        if (!op->share[i].call->unverified && ncs_output_count(op->share[i].call, op->shares) > 0)
            return i;
    return -1;
}

bool ncs_asks_exactness(const struct ncs_verify *v, const struct ncs_operation *op, int first)
{
    return first >= 0 && ncs_inexact_asks(&v->inexacts, op, op->share[first].call);
}

/* ---- reductions ---- */

/* Once one of the outputs is found right, the others need only be equal to it. */
static void compare_stretch(struct ncs_verify *v, const struct ncs_terms *terms, struct tally *tallies, int from, int end,
                            size_t begin, size_t count)
{
    const struct ncs_operation *op = terms->op;
    size_t bytes = ncs_dtype_bytes(op->dtype), where = 0;
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
        .native = &native,
        .tallies = tallies,
        .from = from,
        .end = end,
        .dtype = op->dtype,
        .count = op->count,
        .bytes = ncs_dtype_bytes(op->dtype),
        .asks = ncs_asks_exactness(v, op, ncs_first_verified(op, from, end)),
    };
    size_t stretch = op->doubtful ? ncs_watch_stretch(s.bytes) : STRETCH;
    bool *sieved = !op->doubtful && v->arithmetic == NCS_ASCENDING ? sieve(&s, op->shares) : NULL;
    const bool *doubtful = op->doubtful ? ncs_watched(op, offset) : sieved;

    for (size_t begin = 0; begin < op->count; begin += stretch)
        if (!doubtful || doubtful[begin / stretch])
            compare_stretch(v, &terms, tallies, from, end, begin, compare_smaller(stretch, op->count - begin));
    ncs_free(sieved);
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
