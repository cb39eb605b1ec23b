#include "sim/data/unwritten.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/journal.h"
#include "base/mem.h"
#include "sim/data/memory.h"

/* ---- origins ---- */

static size_t origin_bytes(size_t room)
{
    return sizeof(struct origin) + room * sizeof(struct origin *);
}

static struct origin *origin_new(struct ncs_call *call, size_t room)
{
    struct origin *o = sim_new(origin_bytes(room));
    o->references = 1;
    o->call = call;
    o->room = room;
    ncs_call_pin(call);
    return o;
}

/* For bytes that were carried before, their first allocation counts. */
static void origin_add(struct origin *to, struct origin *from)
{
    struct origin *base = from->bases > 0 ? from->base[0] : from;
    if (to->bases > 0 && to->base[to->bases - 1] == base)
        return;
    to->base[to->bases++] = base;
    sim_origin_ref(base);
}

void sim_origin_ref(struct origin *o)
{
    o->references++;
}

void sim_origin_unref(struct origin *o)
{
    if (--o->references > 0)
        return;
    for (size_t i = 0; i < o->bases; i++)
        sim_origin_unref(o->base[i]);
    ncs_call_unpin(o->call);
    sim_free(o, origin_bytes(o->room));
}

static struct origin *origin_carried(struct origin *o, struct ncs_call *call)
{
    struct origin *carried = origin_new(call, 1);
    origin_add(carried, o);
    return carried;
}

/* ---- allocations ---- */

static void set_spans(struct allocation *a, size_t from, size_t to, struct origin *origin)
{
    bool before = a->unwritten.count > 0;
    sim_spans_put(&a->unwritten, from, to, origin);
    sim_world.unwritten += (a->unwritten.count > 0) - before;
}

void sim_unwritten_begin(struct allocation *a)
{
    struct ncs_call *call = ncs_local ? ncs_local->call : NULL;
    if (a->kind != MEMORY_DEVICE || !sim_world.observer.unwritten || !call)
        return;
    struct origin *o = origin_new(call, 0);
    set_spans(a, 0, a->bytes, o);
    sim_origin_unref(o);
}

void sim_unwritten_end(struct allocation *a)
{
    set_spans(a, 0, a->bytes, NULL);
}

/* The allocation that has [p, p + bytes), if some of its bytes are unwritten or, with `any`, may become so. */
static struct allocation *watched(const void *p, size_t bytes, bool any, size_t *at)
{
    struct allocation *a = p && bytes > 0 ? sim_memory_find(p) : NULL;
    if (!a || a->kind != MEMORY_DEVICE || (!any && a->unwritten.count == 0))
        return NULL;
    *at = (uintptr_t)p - (uintptr_t)a->base;
    return bytes <= a->bytes - *at ? a : NULL;
}

void sim_unwritten_write(const void *p, size_t bytes)
{
    size_t at;
    struct allocation *a = watched(p, bytes, false, &at);
    if (a)
        set_spans(a, at, at + bytes, NULL);
}

void sim_unwritten_reach(const struct process *process)
{
    struct allocation *a = NULL;
    while (sim_world.unwritten > 0 && (a = sim_memory_next(a ? a->base : NULL)))
        if (a->unwritten.count > 0 && sim_memory_is_of(process, a))
            sim_unwritten_end(a);
}

void sim_unwritten_find(const void *p, size_t bytes, size_t at, struct spans *out)
{
    size_t from;
    const struct allocation *a = watched(p, bytes, false, &from);
    if (a)
        sim_spans_cut(&a->unwritten, from, from + bytes, at, out);
}

bool sim_memory_written(const void *p, size_t bytes)
{
    size_t at;
    const struct allocation *a = sim_unwritten_any() ? watched(p, bytes, false, &at) : NULL;
    if (!a)
        return true;
    size_t i = sim_spans_beyond(&a->unwritten, at);
    return i == a->unwritten.count || a->unwritten.span[i].from >= at + bytes;
}

void sim_unwritten_put(void *p, size_t bytes, const struct spans *is, size_t from)
{
    size_t at;
    struct allocation *a = watched(p, bytes, is->count > 0, &at);
    if (!a)
        return;
    set_spans(a, at, at + bytes, NULL);
    for (size_t i = sim_spans_beyond(is, from); i < is->count && is->span[i].from < from + bytes; i++) {
        const struct span *s = &is->span[i];
        size_t begin = s->from > from ? s->from : from, end = s->to < from + bytes ? s->to : from + bytes;
        set_spans(a, at + (begin - from), at + (end - from), s->origin);
    }
}

/* ---- moving ---- */

void sim_unwritten_carry(struct spans *s, struct ncs_call *call)
{
    struct origin *last = NULL, *carried = NULL; /* of the span before: most have one origin */
    for (size_t i = 0; i < s->count; i++) {
        struct origin *own = s->span[i].origin;
        if (own->bases > 0)
            continue;
        if (own != last || !carried) {
            if (carried)
                sim_origin_unref(carried);
            carried = origin_carried(own, call);
            last = own; /* lives on: `carried` refers to it */
        }
        sim_origin_ref(carried);
        s->span[i].origin = carried;
        sim_origin_unref(own);
    }
    if (carried)
        sim_origin_unref(carried);
}

void sim_unwritten_copy(void *dst, const void *src, size_t bytes, struct ncs_call *call)
{
    struct spans is = { 0 };
    sim_unwritten_find(src, bytes, 0, &is);
    sim_unwritten_carry(&is, call);
    sim_unwritten_put(dst, bytes, &is, 0);
    sim_spans_free(&is);
}

/* ---- use ---- */

static bool unwritten_is_zero(const char *p, size_t bytes)
{
    return bytes == 0 || (*p == 0 && memcmp(p, p + 1, bytes - 1) == 0);
}

void sim_unwritten_check(const void *p, size_t bytes)
{
    struct spans is = { 0 };
    if (!sim_world.options.foreign)
        return;
    sim_unwritten_find(p, bytes, 0, &is);
    for (size_t i = 0; i < is.count; i++) {
        const struct span *s = &is.span[i];
        if (!unwritten_is_zero((const char *)p + s->from, s->to - s->from))
            sim_unwritten_write((const char *)p + s->from, s->to - s->from);
    }
    sim_spans_free(&is);
}

static void tell_unwritten(enum ncs_unwritten_use use, struct span span, size_t element, struct ncs_call *reader)
{
    const struct ncs_observer *o = &sim_world.observer;
    if (!o->unwritten || !reader || reader->ending)
        return;
    struct origin *origin = span.origin, *own[1] = { origin }, **base = origin->bases > 0 ? origin->base : own;
    size_t froms = origin->bases > 0 ? origin->bases : 1;
    struct ncs_call **from = ncs_new(froms * sizeof *from);
    for (size_t i = 0; i < froms; i++)
        from[i] = base[i]->call;
    size_t first = span.from / element;
    o->unwritten(o->self, &(struct ncs_unwritten){ .use = use,
                                                   .reader = reader,
                                                   .first = first,
                                                   .count = (span.to + element - 1) / element - first,
                                                   .element = element,
                                                   .from = from,
                                                   .froms = froms,
                                                   .carrier = origin->bases > 0 ? origin->call : NULL });
    ncs_free(from);
}

void sim_unwritten_use(enum ncs_unwritten_use use, const void *p, size_t bytes, size_t element, struct ncs_call *call)
{
    struct spans is = { 0 };
    sim_unwritten_check(p, bytes);
    sim_unwritten_find(p, bytes, 0, &is);
    for (size_t i = 0; i < is.count; i++) { /* counted from the beginning of the memory: it may be read piece by piece */
        size_t at = (uintptr_t)p - (uintptr_t)sim_memory_find(p)->base;
        struct span own = { at + is.span[i].from, at + is.span[i].to, is.span[i].origin };
        tell_unwritten(use, own, element, call);
    }
    sim_spans_free(&is);
    sim_unwritten_write(p, bytes);
}

/* ---- arithmetic ---- */

/* An end of a span of some operand. */
struct edge {
    size_t at;
    bool begins;
    size_t operand;
    struct origin *origin;
};

struct combination {
    const struct operand *operand;
    size_t operands, bytes, element;
    struct spans *unwritten; /* by operand */
    struct edge *edge;
    size_t edges, room;
    struct origin **now;   /* by operand: of the span that the sweep is in; NULL = of none */
    size_t inside;         /* operands that are in a span, */
    size_t untold;         /* those of them that are not reported */
    bool *told;            /* by operand */
    struct origin *joined; /* of the span before; referenced; valid while no operand changes its span */
    struct spans *result;
};

static int compare_edges(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (int)a->begins - (int)b->begins;
}

/* An element of which any byte is unwritten is unwritten. */
static void add_edges(struct combination *c, size_t operand)
{
    const struct spans *s = &c->unwritten[operand];
    size_t last = 0;
    for (size_t i = 0; i < s->count; i++) {
        size_t from = s->span[i].from / c->element * c->element;
        size_t to = (s->span[i].to + c->element - 1) / c->element * c->element;
        struct edge begin = { from > last ? from : last, true, operand, s->span[i].origin };
        struct edge end = { to, false, operand, s->span[i].origin };
        if (begin.at >= to)
            continue;
        NCS_PUSH(c->edge, c->edges, c->room, begin);
        NCS_PUSH(c->edge, c->edges, c->room, end);
        last = to;
    }
}

/* One origin for all operands: their own if it is the same one and was carried already. */
static void join_origins(struct combination *c)
{
    bool same = c->now[0]->bases > 0;
    for (size_t i = 1; i < c->operands && same; i++)
        same = c->now[i] == c->now[0];
    c->joined = same ? c->now[0] : origin_new(c->operand[0].call, c->operands);
    if (same)
        sim_origin_ref(c->joined);
    for (size_t i = 0; i < c->operands && !same; i++)
        origin_add(c->joined, c->now[i]);
}

static void forget_joined(struct combination *c)
{
    if (c->joined)
        sim_origin_unref(c->joined);
    c->joined = NULL;
}

/* Each operand is reported once, so all of this takes no more than operands * operands steps. */
static void tell_mixed(struct combination *c, size_t from, size_t to)
{
    for (size_t i = 0; i < c->operands && c->untold > 0; i++) {
        if (!c->now[i] || c->told[i])
            continue;
        tell_unwritten(NCS_UNWRITTEN_COMBINED, (struct span){ from, to, c->now[i] }, c->element, c->operand[i].call);
        c->told[i] = true;
        c->untold--;
    }
}

static void between_edges(struct combination *c, size_t from, size_t to)
{
    to = to < c->bytes ? to : c->bytes;
    if (from >= to || c->inside == 0)
        return;
    if (c->inside < c->operands) {
        tell_mixed(c, from, to);
        return;
    }
    if (!c->joined)
        join_origins(c);
    sim_spans_put(c->result, from, to, c->joined);
}

static void pass_edge(struct combination *c, const struct edge *e)
{
    forget_joined(c);
    c->now[e->operand] = e->begins ? e->origin : NULL;
    c->inside = e->begins ? c->inside + 1 : c->inside - 1;
    if (!c->told[e->operand])
        c->untold = e->begins ? c->untold + 1 : c->untold - 1;
}

static void combine_sweep(struct combination *c)
{
    size_t at = 0;
    if (c->edges > 0)
        qsort(c->edge, c->edges, sizeof *c->edge, compare_edges);
    for (size_t i = 0; i < c->edges; i++) {
        between_edges(c, at, c->edge[i].at);
        at = c->edge[i].at;
        pass_edge(c, &c->edge[i]);
    }
    forget_joined(c);
}

void sim_unwritten_combine(const struct operand *operand, size_t operands, size_t bytes, size_t element, struct spans *result)
{
    struct combination c = { .operand = operand,
                             .operands = operands,
                             .bytes = bytes,
                             .element = element,
                             .unwritten = ncs_new(operands * sizeof *c.unwritten),
                             .result = result };
    for (size_t i = 0; i < operands; i++) {
        sim_unwritten_find(operand[i].p, bytes, 0, &c.unwritten[i]);
        add_edges(&c, i);
    }
    if (c.edges > 0) {
        c.now = ncs_new(operands * sizeof *c.now);
        c.told = ncs_new(operands * sizeof *c.told);
        combine_sweep(&c);
    }
    for (size_t i = 0; i < operands; i++) {
        sim_spans_free(&c.unwritten[i]);
        if (c.told && c.told[i])
            sim_unwritten_write(operand[i].p, bytes);
    }
    ncs_free(c.unwritten);
    ncs_free(c.edge);
    ncs_free(c.now);
    ncs_free(c.told);
}
