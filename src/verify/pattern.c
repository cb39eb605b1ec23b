/* Names the mistake behind a wrong output by trying mistakes. Each is a way to compute the output; the
 * first whose result equals every element of the output is reported. */
#include "verify/pattern.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "verify/element.h"

enum { FARTHEST_SHIFT = 8 };

bool ncs_is_reduction(const struct ncs_operation *op)
{
    return op->movement->reduces;
}

const unsigned char *ncs_moved_at(const struct ncs_operation *op, int share, size_t bytes, size_t i, size_t *run)
{
    size_t within = op->count ? i % op->count : 0;
    size_t mine = (size_t)share * op->count; /* where this rank's block of an input begins */

    if (op->movement->parts_out) {
        *run = op->count - within;
        return op->share[i / op->count].input + ((op->movement->parts_in ? mine : 0) + within) * bytes;
    }
    *run = SIZE_MAX;
    if (op->movement->from_root)
        return op->share[op->root].input + ((op->movement->parts_in ? mine : 0) + i) * bytes;
    return op->share[0].input + i * bytes;
}

static bool __attribute__((format(printf, 4, 5)))
found(struct ncs_wrong *w, enum ncs_pattern pattern, int64_t which, const char *fmt, ...)
{
    va_list args;

    w->pattern = pattern;
    w->which = which;
    va_start(args, fmt);
    vsnprintf(w->text, sizeof w->text, fmt, args);
    va_end(args);
    return true;
}

/* ---- trying ---- */

static size_t pattern_bytes_of(const struct ncs_suspect *s)
{
    return ncs_dtype_bytes(s->dtype);
}

/* True if output elements from .. from + count - 1 equal the expected ones `shift` places before. */
static bool fits_stretch(const struct ncs_suspect *s, const struct ncs_terms *terms, enum ncs_arithmetic arithmetic, int shift,
                         size_t from, size_t count)
{
    size_t begin = from - (size_t)(ptrdiff_t)shift, run, where;

    if (terms) {
        ncs_expect(terms, arithmetic, begin, count, s->scratch);
        return ncs_differ(s->scratch, s->out + from * pattern_bytes_of(s), &where) == 0;
    }
    for (size_t i = 0; i < count; i += run) {
        const unsigned char *want = ncs_moved_at(s->op, s->share, pattern_bytes_of(s), begin + i, &run);
        run = run < count - i ? run : count - i;
        if (memcmp(s->out + (from + i) * pattern_bytes_of(s), want, run * pattern_bytes_of(s)) != 0)
            return false;
    }
    return true;
}

/* Compares the element that was found to differ first: it refutes nearly every wrong guess. */
static bool pattern_fits(const struct ncs_suspect *s, const struct ncs_terms *terms, enum ncs_arithmetic arithmetic, int shift)
{
    size_t from = shift > 0 ? (size_t)shift : 0;
    size_t end = s->total - (shift < 0 ? (size_t)-shift : 0);

    if (s->first >= from && s->first < end && !fits_stretch(s, terms, arithmetic, shift, s->first, 1))
        return false;
    for (; from < end; from += NCS_CHUNK) {
        size_t count = end - from < NCS_CHUNK ? end - from : NCS_CHUNK;
        if (!fits_stretch(s, terms, arithmetic, shift, from, count))
            return false;
    }
    return true;
}

static size_t differ_between(const struct ncs_suspect *s, const struct ncs_terms *terms, size_t from, size_t end)
{
    size_t differ = 0;

    for (; from < end; from++)
        differ += !fits_stretch(s, terms, s->arithmetic, 0, from, 1);
    return differ;
}

/* Accepts a shift only if it explains a difference, not merely the elements at the end, which it leaves open. */
static bool try_shift(const struct ncs_suspect *s, const struct ncs_terms *terms, enum ncs_arithmetic arithmetic,
                      struct ncs_wrong *w)
{
    for (int i = 2; i < 2 * FARTHEST_SHIFT + 2; i++) {
        int shift = i % 2 ? -(i / 2) : i / 2;
        size_t size = (size_t)(i / 2);
        if (s->total < size + 2 || !pattern_fits(s, terms, arithmetic, shift))
            continue;
        size_t from = shift > 0 ? 0 : s->total - size;
        if (differ_between(s, terms, from, from + size) == s->differ)
            continue;
        return found(w, NCS_PATTERN_SHIFT, shift, "the right values, %zu element%s %s", size, size == 1 ? "" : "s",
                     shift > 0 ? "late" : "early");
    }
    return false;
}

/* ---- one bit ---- */

/* How far the output would be from the expected value if its first differing element were `element`;
 * negative: it would not be acceptable. */
static long double pattern_distance(const struct ncs_suspect *s, const struct ncs_terms *terms, const unsigned char *element)
{
    size_t where;
    double value;

    if (!terms)
        return memcmp(element, ncs_moved_at(s->op, s->share, pattern_bytes_of(s), s->first, &where), pattern_bytes_of(s)) == 0
                   ? 0
                   : -1;
    ncs_expect(terms, s->arithmetic, s->first, 1, s->scratch);
    if (ncs_differ(s->scratch, element, &where) != 0)
        return -1;
    if (!s->scratch->wide)
        return 0;
    ncs_element_values(s->dtype, element, 1, &value);
    return fabsl(value - s->scratch->bound[0].value);
}

static bool could_be_rounding(const struct ncs_suspect *s, const struct ncs_terms *terms)
{
    return terms && s->arithmetic == NCS_ASCENDING && fits_stretch(s, terms, NCS_ANY_ROUNDING, 0, s->first, 1);
}

static bool try_bit(const struct ncs_suspect *s, const struct ncs_terms *terms, struct ncs_wrong *w)
{
    unsigned char element[8];
    int best = -1;
    long double nearest = INFINITY;

    if (s->differ != 1)
        return false;
    memcpy(element, s->out + s->first * pattern_bytes_of(s), pattern_bytes_of(s));
    for (int bit = 0; bit < 8 * (int)pattern_bytes_of(s); bit++) {
        element[bit / 8] ^= (unsigned char)(1 << bit % 8);
        long double far = pattern_distance(s, terms, element);
        element[bit / 8] ^= (unsigned char)(1 << bit % 8);
        if (far >= 0 && far < nearest) {
            nearest = far;
            best = bit;
        }
    }
    /* If only the lowest bit differs, it may be a rounding, unless a rank with the same data has it right. */
    if (best < 0 || (best == 0 && !s->others_right && could_be_rounding(s, terms)))
        return false;
    return found(w, NCS_PATTERN_BIT, best, "one bit differs: bit %d, counted from the lowest", best);
}

/* ---- reductions ---- */

/* Tries a mistake that involves a rank, with every rank; `rank` is the member of terms that states it.
 * With bounds instead of exact values, a guess counts only if no second one fits. */
static bool try_ranks(const struct ncs_suspect *s, struct ncs_terms *terms, int *rank, enum ncs_arithmetic arithmetic,
                      enum ncs_pattern pattern, const char *what, struct ncs_wrong *w)
{
    int fitting = 0, which = -1;

    for (int k = 0; k < s->op->shares && fitting < 2; k++) {
        *rank = k;
        if (!pattern_fits(s, terms, arithmetic, 0))
            continue;
        if (fitting++ == 0)
            which = k;
    }
    *rank = -1;
    if (fitting == 1)
        return found(w, pattern, which, "rank %d's contribution %s", which, what);
    if (fitting > 1 && arithmetic == NCS_ASCENDING)
        return found(w, pattern, -1, "one rank's contribution %s; several ranks would explain it", what);
    return false;
}

static bool try_other_block(const struct ncs_suspect *s, enum ncs_arithmetic arithmetic, struct ncs_wrong *w)
{
    for (int k = 0; k < s->op->shares; k++) {
        struct ncs_terms terms = ncs_terms_of(s->op, (size_t)k * s->op->count);
        if (k != s->share && pattern_fits(s, &terms, arithmetic, 0))
            return found(w, NCS_PATTERN_BLOCKS, s->share, "this is the block of rank %d", k);
    }
    return false;
}

/* Tries: the output is another rank's input instead of a reduction. */
static bool try_root(const struct ncs_suspect *s, struct ncs_terms terms, struct ncs_wrong *w)
{
    for (terms.only = 0; terms.only < s->op->shares; terms.only++) {
        if (terms.only != s->op->root && pattern_fits(s, &terms, NCS_ASCENDING, 0))
            return found(w, NCS_PATTERN_ROOT, terms.only, "this is the data of rank %d alone", terms.only);
    }
    return false;
}

static bool try_reduction(const struct ncs_suspect *s, enum ncs_arithmetic arithmetic, struct ncs_wrong *w)
{
    struct ncs_terms terms = ncs_terms_of(s->op, s->offset);

    if (s->op->scaled) {
        terms.unscaled = true;
        if (pattern_fits(s, &terms, arithmetic, 0))
            return found(w, NCS_PATTERN_SCALAR, -1, "as if the scalars of the pre-mul-sum were 1");
        terms.unscaled = false;
    }
    if (s->op->shares > 1 && (try_ranks(s, &terms, &terms.without, arithmetic, NCS_PATTERN_MISSING, "is missing", w) ||
                              try_ranks(s, &terms, &terms.twice, arithmetic, NCS_PATTERN_TWICE, "counts twice", w)))
        return true;
    if (s->op->movement->parts_in && try_other_block(s, arithmetic, w))
        return true;
    if (s->op->movement->to_root && s->op->shares > 2 && try_root(s, terms, w))
        return true;
    return try_shift(s, &terms, arithmetic, w);
}

/* ---- moved data ---- */

static const unsigned char *output_of(const struct ncs_operation *op, int share)
{
    return op->share[share].call ? op->share[share].output : NULL;
}

/* Tries: the data of another rank than the root, known by a hash of its output buffer's former content. */
static bool try_other_root(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    uint64_t hash = ncs_content_hash(s->out, s->total * pattern_bytes_of(s));

    for (int k = 0; k < s->op->shares; k++) {
        if (k != s->op->root && s->op->share[k].before == hash)
            return found(w, NCS_PATTERN_ROOT, k, "this is the data of rank %d, not of root %d", k, s->op->root);
    }
    return false;
}

/* Rank k's input, which belongs into block k of a gathered output. */
static const unsigned char *input_block(const struct ncs_suspect *s, int k)
{
    size_t run;

    return ncs_moved_at(s->op, s->share, pattern_bytes_of(s), (size_t)k * s->op->count, &run);
}

/* The rank whose input is in the output's block `block`; `block` itself if it is right, -1 = none. */
static int owner_of(const struct ncs_suspect *s, int block)
{
    size_t bytes = s->op->count * pattern_bytes_of(s);
    const unsigned char *at = s->out + (size_t)block * bytes;

    if (memcmp(at, input_block(s, block), bytes) == 0)
        return block;
    for (int k = 0; k < s->op->shares; k++) {
        if (memcmp(at, input_block(s, k), bytes) == 0)
            return k;
    }
    return -1;
}

static bool try_blocks(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    int moved = 0, block = -1, owner = -1;

    for (int b = 0; b < s->op->shares; b++) {
        int k = owner_of(s, b);
        if (k < 0)
            return false;
        if (k != b && moved++ == 0) {
            block = b;
            owner = k;
        }
    }
    if (moved == 2 && owner_of(s, owner) == block)
        return found(w, NCS_PATTERN_BLOCKS, block, "the blocks of ranks %d and %d are exchanged", block, owner);
    return found(w, NCS_PATTERN_BLOCKS, block, "rank %d's block is replaced by rank %d's%s", block, owner,
                 moved > 1 ? ", and so on" : "");
}

/* Tries: exactly one rank's whole block differs. */
static bool try_missing_block(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    size_t count = s->op->count, block = s->first / count;

    if (s->differ != count || count < 2 || differ_between(s, NULL, block * count, (block + 1) * count) != count)
        return false;
    return found(w, NCS_PATTERN_MISSING, (int64_t)block, "rank %zu's block is missing", block);
}

/* Tries: every rank has the same wrong data. They come from one rank, but which one is unknown. */
static bool try_foreign_data(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    if (!s->all_wrong || s->op->shares < 2)
        return false;
    for (int k = 0; k < s->op->shares; k++) {
        if (!s->op->share[k].done || memcmp(s->out, output_of(s->op, k), s->total * pattern_bytes_of(s)) != 0)
            return false;
    }
    return found(w, NCS_PATTERN_ROOT, -1, "every rank has the same data, not that of root %d", s->op->root);
}

/* Tries: another rank's block of the root's input. */
static bool try_scattered(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    size_t run;

    for (int k = 0; k < s->op->shares; k++) {
        const unsigned char *block = ncs_moved_at(s->op, k, pattern_bytes_of(s), 0, &run);
        if (k != s->share && memcmp(s->out, block, s->total * pattern_bytes_of(s)) == 0)
            return found(w, NCS_PATTERN_BLOCKS, s->share, "this is the block of rank %d", k);
    }
    return false;
}

static bool pattern_gathers(const struct ncs_suspect *s)
{
    return s->op->movement->parts_out;
}

static bool try_moved(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    const struct ncs_movement *m = s->op->movement;
    bool broadcasts = m->from_root && !m->parts_in;

    if (broadcasts && try_other_root(s, w))
        return true;
    if (pattern_gathers(s) && s->op->shares > 1 && try_blocks(s, w))
        return true;
    if (m->from_root && m->parts_in && try_scattered(s, w))
        return true;
    if (try_shift(s, NULL, NCS_ASCENDING, w))
        return true;
    if (broadcasts)
        return try_foreign_data(s, w);
    return pattern_gathers(s) && try_missing_block(s, w);
}

/* ---- */

/* True if another rank's output proves that this output was written: the other rank received the same
 * bytes over different ones, or, in an in-place reduce-scatter of two ranks, its output is new and wrong
 * too, so that the other's contribution is missing rather than the writing. */
static bool shows_writing(const struct ncs_suspect *s, int share, uint64_t hash, size_t bytes)
{
    const struct ncs_movement *m = s->op->movement;
    const struct ncs_share *other = &s->op->share[share];
    const unsigned char *out = output_of(s->op, share);

    if (share == s->share || !other->done || other->call->unverified)
        return false;
    if (m->kind == NCS_MOVE_COLLECTIVE && !m->parts_in && !m->parts_out && !m->to_root)
        /* the other rank received the same bytes over different ones */
        return other->before != hash && memcmp(s->out, out, bytes) == 0;
    return m->reduces && m->parts_in && s->op->shares == 2 && s->all_wrong && ncs_content_hash(out, bytes) != other->before;
}

static bool try_stale(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    size_t bytes = s->total * pattern_bytes_of(s);
    uint64_t hash = ncs_content_hash(s->out, bytes);

    if (hash != s->op->share[s->share].before)
        return false;
    for (int k = 0; k < s->op->shares; k++) {
        if (shows_writing(s, k, hash, bytes))
            return false;
    }
    return found(w, NCS_PATTERN_STALE, -1, "the output buffer was not written");
}

void ncs_name_pattern(const struct ncs_suspect *s, struct ncs_wrong *w)
{
    struct ncs_terms terms = ncs_terms_of(s->op, s->offset);
    bool reduction = ncs_is_reduction(s->op);
    const struct ncs_terms *expected = reduction ? &terms : NULL;

    found(w, NCS_PATTERN_NONE, -1, "%s", "");
    if ((s->total > 1 && try_bit(s, expected, w)) || try_stale(s, w))
        return;
    if (reduction) {
        /* Exact values first: bounds of narrow types are wide enough to hide one rank's contribution. */
        if (try_reduction(s, NCS_ASCENDING, w))
            return;
        if (s->arithmetic == NCS_ASCENDING && pattern_fits(s, &terms, NCS_ANY_ROUNDING, 0)) {
            found(w, NCS_PATTERN_ROUNDING, -1,
                  "off by rounding: by no more than other roundings "
                  "or another order could give");
            return;
        }
        if (ncs_float_format(s->dtype) && try_reduction(s, NCS_ANY_ORDER, w))
            return;
    } else if (try_moved(s, w)) {
        return;
    }
    if (s->total == 1)
        try_bit(s, expected, w);
}
