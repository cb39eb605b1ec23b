/* Keeps copies of the inputs that the movement of the data overwrites, unless the results are compared while it moves
 * them (verify/watch.c). */
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "verify/private.h"

enum { GRAIN = 512 * 1024 }; /* bytes copied by a core at a time, at least */

struct span {
    uintptr_t begin, end;
};

/* The outputs of an operation, by address. */
struct outputs {
    struct span *span;
    size_t count;
    bool overlap; /* one with another */
};

static struct span keep_span(const void *at, size_t bytes)
{
    return (struct span){ (uintptr_t)at, (uintptr_t)at + bytes };
}

static int by_address(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void outputs_find(const struct ncs_operation *op, struct outputs *o)
{
    o->span = ncs_new((size_t)op->shares * sizeof *o->span);
    for (int i = 0; i < op->shares; i++) {
        const struct ncs_share *s = &op->share[i];
        if (s->outputs > 0)
            o->span[o->count++] = keep_span(s->output, s->outputs * s->element);
    }
    bool sorted = true; /* as they mostly are: ranks allocate in turn */
    for (size_t i = 1; i < o->count; i++)
        sorted &= o->span[i - 1].begin <= o->span[i].begin;
    if (!sorted)
        qsort(o->span, o->count, sizeof *o->span, by_address);
    for (size_t i = 1; i < o->count; i++)
        o->overlap |= o->span[i].begin < o->span[i - 1].end;
}

/* The number of outputs that share bytes with `s`; outputs do not overlap each other. */
static size_t outputs_on(const struct outputs *o, struct span s)
{
    size_t low = 0, high = o->count, on = 0;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (o->span[middle].end <= s.begin)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + on < o->count && o->span[low + on].begin < s.end)
        on++;
    return on;
}

/* True if the output is the call's own input buffer, or its own block of an input with a block for each rank. */
static bool keep_in_place(const struct ncs_operation *op, int share)
{
    const struct ncs_share *s = &op->share[share];
    size_t block = op->movement->parts_in ? (size_t)share * op->count : 0;

    return !op->movement->parts_out && s->output == s->input + block * ncs_dtype_bytes(op->dtype);
}

/* Inputs that will be overwritten. */
struct losses {
    size_t count, bytes; /* of each */
    bool *lost;          /* by share */
    bool in_place;       /* each by its own output alone */
};

static void losses_find(const struct ncs_operation *op, struct losses *l)
{
    struct outputs outputs = { 0 };
    size_t inputs;

    outputs_find(op, &outputs);
    *l = (struct losses){ .lost = ncs_new((size_t)op->shares * sizeof *l->lost), .in_place = !outputs.overlap };
    for (int i = 0; i < op->shares; i++) {
        const struct ncs_share *s = &op->share[i];
        if (!s->input)
            continue;
        l->bytes = ncs_input_count(op, s->call, &inputs) * s->element;
        struct span input = keep_span(s->input, l->bytes);
        size_t on = outputs.overlap ? 1 : outputs_on(&outputs, input);
        l->lost[i] = on > 0;
        l->count += on > 0;
        l->in_place &= on == 0 || (on == 1 && keep_in_place(op, i));
    }
    ncs_free(outputs.span);
}

static bool keep_is_whole(const struct ncs_operation *op)
{
    for (int i = 0; i < op->shares; i++)
        if (!op->share[i].call)
            return false;
    return !op->unfit;
}

struct copying {
    unsigned char *to;
    const unsigned char *from;
};

static void copy_bytes(size_t begin, size_t end, void *arg)
{
    const struct copying *c = arg;
    memcpy(c->to + begin, c->from + begin, end - begin);
}

static void keep_copies(struct ncs_operation *op, const struct losses *l)
{
    unsigned char *to = op->copies;

    for (int i = 0; i < op->shares; i++) {
        if (!l->lost[i])
            continue;
        ncs_parallel(l->bytes, GRAIN, copy_bytes, &(struct copying){ to, op->share[i].input });
        op->share[i].input = to;
        to += l->bytes;
    }
}

void ncs_keep_inputs(struct ncs_verify *v, struct ncs_operation *op)
{
    struct losses l;

    if (!op->borrows || !keep_is_whole(op))
        return;
    losses_find(op, &l);
    size_t results = op->movement->parts_in ? (size_t)op->shares : 1, each = op->count * ncs_dtype_bytes(op->dtype);
    bool gone = l.in_place && l.count * l.bytes > results * each;
    if (ncs_can_watch(v, op) && (l.count == 0 || gone))
        ncs_watch_begin(v, op, gone);
    else if (l.count == 0)
        ;
    else if (!ncs_capture_reserve(&v->capture, op, l.bytes, l.count))
        op->unfit = NCS_UNVERIFIED_ROOM;
    else
        keep_copies(op, &l);
    ncs_free(l.lost);
}
