/* Compares the results of a reduction while the driver moves its data: each block is computed from the inputs before the
 * driver overwrites any, and compared with what it has written while that is in the caches. Blocks that differ, or may
 * have lost information, are judged afterwards (verify/compare.c); those whose inputs are gone by the block kept here. */
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "verify/element.h"
#include "verify/native.h"
#include "verify/private.h"

static size_t watch_smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t ncs_watch_stretch(size_t bytes)
{
    return watch_smaller(NCS_CHUNK, NCS_BLOCK / bytes);
}

static size_t stretches_of(const struct ncs_operation *op)
{
    size_t stretch = ncs_watch_stretch(ncs_dtype_bytes(op->dtype));
    return (op->count + stretch - 1) / stretch;
}

const bool *ncs_watched(const struct ncs_operation *op, size_t offset)
{
    return op->doubtful + offset / op->count * stretches_of(op);
}

static size_t watch_results(const struct ncs_operation *op)
{
    return op->movement->parts_in ? (size_t)op->shares : 1;
}

/* ---- blocks ---- */

/* A stretch of a block. */
struct stretch {
    struct ncs_terms terms;
    int from, end; /* the shares that have the result */
    size_t first, count, index;
};

/* The stretch that begins `at` bytes into every input, of at most so many bytes. */
static struct stretch stretch_at(const struct ncs_operation *op, size_t at, size_t most)
{
    size_t bytes = ncs_dtype_bytes(op->dtype), result = at / bytes / op->count, length = ncs_watch_stretch(bytes);
    struct stretch s = { .terms = ncs_terms_of(op, result * op->count), .end = op->shares };
    s.first = at / bytes - result * op->count;
    s.count = watch_smaller(length, most / bytes);
    s.index = result * stretches_of(op) + s.first / length;
    if (op->movement->parts_in) {
        s.from = (int)result;
        s.end = s.from + 1;
    }
    return s;
}

/* The inputs will be gone, so a loss of information is looked for now; that of the first stretch is reported. */
static void look_now(struct ncs_verify *v, const struct stretch *s, size_t at, const unsigned char *want)
{
    struct ncs_watching *w = &v->watching;
    struct ncs_inexacts found = { .written = v->inexacts.written };
    size_t where;

    pthread_mutex_lock(&w->lock);
    if (at < w->found_at) {
        ncs_expect(&s->terms, v->arithmetic, s->first, s->count, &v->scratch);
        ncs_differ(&v->scratch, want, &where); /* decodes the values */
        ncs_inexact_look(&found, &s->terms, s->first, ncs_first_verified(w->op, s->from, s->end), &v->scratch, want);
    }
    if (found.count > 0) {
        ncs_inexact_free(&w->found);
        w->found = found;
        w->found_at = at;
    }
    pthread_mutex_unlock(&w->lock);
}

static void watch_before(void *self, size_t at, size_t bytes, void *room)
{
    struct ncs_verify *v = self;
    struct ncs_operation *op = v->watching.op;
    size_t element = ncs_dtype_bytes(op->dtype);
    unsigned char *want = room;

    for (size_t done = 0, n; done < bytes; done += n) {
        struct stretch s = stretch_at(op, at + done, bytes - done);
        struct ncs_native native = ncs_native_of(&s.terms);
        n = s.count * element;
        bool lost = ncs_native_run(&native, s.first, s.count, want + done);
        bool asks = ncs_asks_exactness(v, op, ncs_first_verified(op, s.from, s.end));
        lost |= asks && ncs_float_format(op->dtype) && ncs_inexact_overflow(op->dtype, want + done, n);
        if (lost && asks && v->watching.gone)
            look_now(v, &s, at + done, want + done);
        else if (lost && asks)
            op->doubtful[s.index] = true;
    }
}

static bool watch_differs(const struct stretch *s, const unsigned char *want, size_t element)
{
    for (int i = s->from; i < s->end; i++) {
        const struct ncs_share *share = &s->terms.op->share[i];
        if (share->outputs > 0 && !share->call->unverified &&
            memcmp(share->output + s->first * element, want, s->count * element) != 0)
            return true;
    }
    return false;
}

/* The expected block is what a wrong one is reported with. */
static void keep_block(struct ncs_verify *v, const struct stretch *s, const unsigned char *want)
{
    struct ncs_operation *op = v->watching.op;
    size_t element = ncs_dtype_bytes(op->dtype), results = watch_results(op);

    pthread_mutex_lock(&v->watching.lock);
    if (op->copies || ncs_capture_reserve(&v->capture, op, op->count * element, results))
        memcpy(ncs_foreseen(op, s->terms.offset) + s->first * element, want, s->count * element);
    else
        op->unfit = NCS_UNVERIFIED_ROOM;
    pthread_mutex_unlock(&v->watching.lock);
}

static void watch_after(void *self, size_t at, size_t bytes, const void *room)
{
    struct ncs_verify *v = self;
    struct ncs_watching *w = &v->watching;
    size_t element = ncs_dtype_bytes(w->op->dtype);
    const unsigned char *want = room;

    for (size_t done = 0, n; done < bytes; done += n) {
        struct stretch s = stretch_at(w->op, at + done, bytes - done);
        n = s.count * element;
        bool differs = watch_differs(&s, want + done, element);
        if (differs && w->gone)
            keep_block(v, &s, want + done);
        w->op->doubtful[s.index] |= differs;
        w->seen[s.index] = true;
    }
}

/* ---- the operation ---- */

bool ncs_can_watch(const struct ncs_verify *v, const struct ncs_operation *op)
{
    return op->movement->reduces && op->shares > 1 && v->arithmetic == NCS_ASCENDING;
}

void ncs_watch_begin(struct ncs_verify *v, struct ncs_operation *op, bool gone)
{
    struct ncs_watching *w = &v->watching;

    w->watch = (struct ncs_watch){ v, watch_before, watch_after };
    w->op = op;
    w->gone = gone;
    w->stretches = stretches_of(op) * watch_results(op);
    w->found_at = SIZE_MAX;
    op->doubtful = ncs_new(2 * w->stretches);
    w->seen = op->doubtful + w->stretches;
}

const struct ncs_watch *ncs_verify_watch(struct ncs_verify *v)
{
    return v->watching.op ? &v->watching.watch : NULL;
}

/* A driver that has not shown all has shown nothing. */
void ncs_watch_end(struct ncs_verify *v, struct ncs_operation *op)
{
    struct ncs_watching *w = &v->watching;

    if (w->op != op)
        return;
    w->op = NULL;
    op->foreseen = w->gone;
    ncs_inexact_take(&v->inexacts, &w->found);
    if (!memchr(w->seen, false, w->stretches))
        return;
    if (w->gone)
        op->unfit = NCS_UNVERIFIED_ROOM;
    ncs_free(op->doubtful);
    op->doubtful = NULL;
}
