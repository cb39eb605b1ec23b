#include "sim/data/spans.h"

#include <string.h>

#include "base/mem.h"
#include "sim/data/unwritten.h"

size_t sim_spans_beyond(const struct spans *s, size_t at)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->span[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What replaces the spans that are touched: at most a rest on the left, the new span, a rest on the right. */
struct pieces {
    struct span span[3];
    size_t count;
};

static void pieces_add(struct pieces *p, size_t from, size_t to, struct origin *origin)
{
    struct span *last = p->count > 0 ? &p->span[p->count - 1] : NULL;
    if (!origin || from >= to)
        return;
    if (last && last->origin == origin && last->to == from)
        last->to = to;
    else
        p->span[p->count++] = (struct span){ from, to, origin };
}

static void pieces_drop_smallest(struct pieces *p)
{
    size_t small = 0;
    for (size_t i = 1; i < p->count; i++)
        if (p->span[i].to - p->span[i].from < p->span[small].to - p->span[small].from)
            small = i;
    p->count--;
    memmove(p->span + small, p->span + small + 1, (p->count - small) * sizeof *p->span);
}

/* Puts the pieces in the place of spans first .. last - 1. */
static void spans_replace(struct spans *s, size_t first, size_t last, struct pieces *p)
{
    while (s->count - (last - first) + p->count > SPANS_MOST)
        pieces_drop_smallest(p);
    for (size_t i = 0; i < p->count; i++)
        sim_origin_ref(p->span[i].origin);
    for (size_t i = first; i < last; i++)
        sim_origin_unref(s->span[i].origin);
    size_t count = s->count - (last - first) + p->count;
    if (count > s->room) {
        s->room = count > 2 * s->room ? count : 2 * s->room;
        s->span = ncs_resize(s->span, s->room * sizeof *s->span);
    }
    if (s->count > last)
        memmove(s->span + first + p->count, s->span + last, (s->count - last) * sizeof *s->span);
    if (p->count > 0)
        memcpy(s->span + first, p->span, p->count * sizeof *p->span);
    s->count = count;
    if (count == 0)
        sim_spans_free(s);
}

void sim_spans_put(struct spans *s, size_t from, size_t to, struct origin *origin)
{
    if (from >= to || (!origin && s->count == 0))
        return;
    size_t first = sim_spans_beyond(s, from), last = first;
    while (last < s->count && s->span[last].from < to)
        last++;
    /* Neighbours that the new span may join. */
    if (origin && first > 0 && s->span[first - 1].to == from && s->span[first - 1].origin == origin)
        first--;
    if (origin && last < s->count && s->span[last].from == to && s->span[last].origin == origin)
        last++;
    struct pieces p = { .count = 0 };
    if (first < last && s->span[first].from < from)
        pieces_add(&p, s->span[first].from, from, s->span[first].origin);
    pieces_add(&p, from, to, origin);
    if (first < last && s->span[last - 1].to > to)
        pieces_add(&p, to, s->span[last - 1].to, s->span[last - 1].origin);
    if (first < last || p.count > 0)
        spans_replace(s, first, last, &p);
}

void sim_spans_cut(const struct spans *s, size_t from, size_t to, size_t at, struct spans *out)
{
    for (size_t i = sim_spans_beyond(s, from); i < s->count && s->span[i].from < to; i++) {
        size_t begin = s->span[i].from > from ? s->span[i].from : from;
        size_t end = s->span[i].to < to ? s->span[i].to : to;
        sim_spans_put(out, at + (begin - from), at + (end - from), s->span[i].origin);
    }
}

void sim_spans_free(struct spans *s)
{
    for (size_t i = 0; i < s->count; i++)
        sim_origin_unref(s->span[i].origin);
    ncs_free(s->span);
    *s = (struct spans){ 0 };
}
