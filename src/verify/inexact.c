/* Finds correct results that lost information (a fraction, an overflow), and keeps the first element of
 * the earliest call at each place. */
#include "verify/inexact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "verify/element.h"

enum { SHOWN = 6 }; /* inputs that are listed one by one */

/* ---- filters for a stretch of elements ---- */

/* Every number beyond this one may stand for overflow: infinities and NaN, and the largest number of a
 * type that saturates. */
static double inexact_beyond(const struct ncs_float_format *f)
{
    return f->saturates ? nextafter(f->most, 0) : f->most;
}

/* The element of that width in every element of a word. */
static uint64_t in_each(uint64_t element, size_t bytes)
{
    for (size_t bits = 8 * bytes; bits < 64; bits *= 2)
        element |= element << bits;
    return element;
}

/* Adding to each element's magnitude the distance from `beyond` to the sign bit sets the sign bit exactly
 * if the magnitude is at least `beyond`: a test of a whole word at once. */
bool ncs_inexact_overflow(int dtype, const unsigned char *got, size_t bytes)
{
    size_t at = 0, element = ncs_dtype_bytes(dtype);
    uint64_t sign = (uint64_t)1 << (8 * element - 1), over = 0, word = 0;
    uint64_t signs = in_each(sign, element), add = in_each(sign - ncs_float_format(dtype)->beyond, element);

    for (; at + sizeof word <= bytes; at += sizeof word) {
        memcpy(&word, got + at, sizeof word);
        over |= (word & ~signs) + add;
    }
    word = 0;
    memcpy(&word, got + at, bytes - at);
    over |= (word & ~signs) + add;
    return (over & signs) != 0;
}

/* ---- one element ---- */

struct element {
    long double sum, exact; /* exact: divided, of an average */
    bool cut, over;
};

static const unsigned char *inexact_input_at(const struct ncs_terms *t, int rank, size_t at)
{
    return t->op->share[rank].input + (t->offset + at) * ncs_dtype_bytes(t->op->dtype);
}

/* An element of memory that nobody has written means nothing, so its sum loses nothing. The machine is asked about the
 * call's own buffer: until the hooks are over it knows the state from before the data moved. */
static bool inexact_is_unwritten(const struct ncs_inexacts *all, const struct ncs_terms *t, int rank, size_t at)
{
    size_t bytes = ncs_dtype_bytes(t->op->dtype);
    const unsigned char *from = all->written ? ncs_call_sendbuff(t->op->share[rank].call) : NULL;
    return from && !all->written(from + (t->offset + at) * bytes, bytes);
}

static bool look_at_word(const struct ncs_inexacts *all, const struct ncs_terms *t, size_t at, struct element *found)
{
    int64_t sum = 0;
    int dtype = t->op->dtype, shares = t->op->shares;
    bool wide = dtype == ncclInt64 || dtype == ncclUint64;
    int64_t most = INT64_MAX / shares, least = dtype == ncclUint64 ? 0 : -most;

    for (int rank = 0; rank < shares; rank++) {
        uint64_t word;
        const unsigned char *input = inexact_input_at(t, rank, at);
        if (inexact_is_unwritten(all, t, rank, at))
            return false;
        ncs_element_words(dtype, input, 1, &word);
        /* Sums of 64-bit integers are tested only if all terms are small enough not to overflow here. */
        if (wide && ((int64_t)word > most || (int64_t)word < least))
            return false;
        sum += (int64_t)word;
    }
    found->over = ncs_element_wrap(dtype, (uint64_t)sum) != (uint64_t)sum;
    found->cut = t->op->op == ncclAvg && sum % shares != 0;
    found->sum = sum;
    return found->over || found->cut;
}

static bool look_at_value(const struct ncs_inexacts *all, const struct ncs_terms *t, size_t at, double got, struct element *found)
{
    const struct ncs_float_format *f = ncs_float_format(t->op->dtype);

    if (fabs(got) <= inexact_beyond(f))
        return false;
    found->sum = 0;
    for (int rank = 0; rank < t->op->shares; rank++) {
        double term, scale = 1;
        ncs_element_values(t->op->dtype, inexact_input_at(t, rank, at), 1, &term);
        if (t->op->scaled)
            ncs_element_values(t->op->dtype, t->op->share[rank].scalar, 1, &scale);
        found->sum += (long double)term * scale;
        if (!isfinite(term) || !isfinite(scale) || inexact_is_unwritten(all, t, rank, at))
            return false;
    }
    /* A sum that merely rounds down to the largest number has not overflowed. */
    int exponent;
    frexp(f->most, &exponent);
    found->over = isfinite(found->sum) && !(f->saturates && fabsl(found->sum) <= f->most + ldexp(f->unit, exponent - 1));
    return found->over;
}

/* ---- kept results ---- */

static bool inexact_same_place(const struct ncs_call *a, const struct ncs_call *b)
{
    const char *x = a->place.file ? a->place.file : "", *y = b->place.file ? b->place.file : "";
    return a->comm == b->comm && a->fn == b->fn && a->place.line == b->place.line && strcmp(x, y) == 0;
}

/* NCS_INEXACTS: the place is known from an earlier call, or from this one, or there are too many.
 * all->count: the place is new. */
static size_t inexact_place_of(const struct ncs_inexacts *all, const struct ncs_call *call)
{
    size_t i = 0;

    while (i < all->count && !inexact_same_place(all->place[i].call, call))
        i++;
    if (i == all->count)
        return i;
    const struct ncs_call *known = all->place[i].call;
    bool earlier = known->number < call->number || (known->number == call->number && known->comm_rank <= call->comm_rank);
    return earlier ? NCS_INEXACTS : i;
}

static struct ncs_inexact *inexact_add(struct ncs_inexacts *all, struct ncs_call *call)
{
    size_t place = inexact_place_of(all, call);
    struct ncs_inexact *p = &all->place[place];

    if (place == NCS_INEXACTS)
        return NULL;
    if (place < all->count)
        ncs_call_unpin(p->call);
    else
        all->count++;
    ncs_call_pin(call);
    *p = (struct ncs_inexact){ .call = call };
    return p;
}

static void write_inputs(const struct ncs_terms *t, size_t at, char *text, size_t room)
{
    int shares = t->op->shares;
    size_t used = 0;

    for (int rank = 0; rank < shares && rank < SHOWN; rank++) {
        char one[48];
        ncs_element_text(t->op->dtype, inexact_input_at(t, rank, at), one, sizeof one);
        int wrote = snprintf(text + used, room - used, "%s%s", rank ? ", " : "", one);
        used += wrote > 0 && (size_t)wrote < room - used ? (size_t)wrote : 0;
    }
    if (shares > SHOWN)
        snprintf(text + used, room - used, ", ...");
}

static void write_place(struct ncs_inexact *p, const struct ncs_terms *t, size_t at, const struct element *found,
                        const unsigned char *got)
{
    int dtype = t->op->dtype;
    const struct ncs_float_format *f = ncs_float_format(dtype);

    p->average = t->op->op == ncclAvg && !t->op->scaled;
    p->integer = !f;
    p->overflow = found->over;
    p->saturates = f && f->saturates;
    p->partial = f && fabsl(found->sum) <= f->most;
    p->element = at + 1;
    p->ranks = t->op->shares;
    write_inputs(t, at, p->in, sizeof p->in);
    ncs_element_text(dtype, got, p->got, sizeof p->got);
    ncs_element_value_text(f ? f->digits : 20, found->sum, p->sum, sizeof p->sum);
    ncs_element_value_text(f ? f->digits : 10, p->average ? found->sum / t->op->shares : found->sum, p->exact, sizeof p->exact);
}

bool ncs_inexact_asks(const struct ncs_inexacts *all, const struct ncs_operation *op, const struct ncs_call *call)
{
    bool sums = op->scaled || op->op == ncclSum || op->op == ncclAvg;

    return sums && op->shares > 1 && inexact_place_of(all, call) < NCS_INEXACTS;
}

void ncs_inexact_look(struct ncs_inexacts *all, const struct ncs_terms *terms, size_t first, int i, const struct ncs_expected *e,
                      const unsigned char *got)
{
    const struct ncs_operation *op = terms->op;

    if (!ncs_inexact_asks(all, op, op->share[i].call))
        return;
    if (e->words ? op->scaled || !(e->over || e->cut)
                 : !ncs_inexact_overflow(op->dtype, got, e->count * ncs_dtype_bytes(op->dtype)))
        return;
    for (size_t k = 0; k < e->count; k++) {
        struct element found = { 0 };
        if (!(e->words ? look_at_word(all, terms, first + k, &found) : look_at_value(all, terms, first + k, e->term[k], &found)))
            continue;
        if (e->words && e->over && !found.over)
            continue; /* an overflow says more than a cut fraction */
        struct ncs_inexact *p = inexact_add(all, op->share[i].call);
        if (p)
            write_place(p, terms, first + k, &found, got + k * ncs_dtype_bytes(op->dtype));
        return;
    }
}

void ncs_inexact_take(struct ncs_inexacts *all, struct ncs_inexacts *from)
{
    for (size_t i = 0; i < from->count; i++) {
        struct ncs_inexact *p = inexact_add(all, from->place[i].call);
        if (p)
            *p = from->place[i];
    }
    ncs_inexact_free(from);
}

void ncs_inexact_free(struct ncs_inexacts *all)
{
    for (size_t i = 0; i < all->count; i++)
        ncs_call_unpin(all->place[i].call);
    all->count = 0;
}
