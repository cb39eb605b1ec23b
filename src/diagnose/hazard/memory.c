/* The last uses of the bytes of each allocation, and checks of new uses against them. Every access in a span has its call
 * pinned. */
#include "diagnose/hazard/private.h"

#define MOST_SPANS 256 /* of an allocation; with more, its uses are forgotten, and hazards with them missed */

enum { WRITES = NCS_TOUCH_WRITE | NCS_TOUCH_FREE };

/* ---- accesses ---- */

static void put_access(struct access *a, const struct access *from)
{
    ncs_call_pin(from->call);
    ncs_call_unpin(a->call);
    *a = *from;
}

static void clear_reads(struct span *s)
{
    while (s->reads)
        ncs_call_unpin(s->read[--s->reads].call);
}

static void clear_span(struct span *s)
{
    ncs_call_unpin(s->write.call);
    clear_reads(s);
    ncs_free(s->read);
}

/* The newest read of a lane stands for the earlier ones of that lane: a write behind it is behind them, too. */
static void add_reader(struct rank *r, struct span *s, const struct access *a)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->reads; i++) {
        struct access *old = &s->read[i];
        bool gone = old->call == a->call || hazard_covers(&r->host, old->lane, old->tick) ||
                    (old->lane == a->lane && old->tick < a->tick);
        if (gone)
            ncs_call_unpin(old->call);
        else
            s->read[kept++] = *old;
    }
    s->reads = kept;
    ncs_call_pin(a->call);
    NCS_PUSH(s->read, s->reads, s->read_room, *a);
}

static bool is_nccl(const struct ncs_call *call)
{
    return ncs_fn_info[call->fn].counted;
}

/* ---- allocations ---- */

struct block *hazard_block(struct rank *r, uintptr_t at)
{
    struct block **found = &r->found[at / 512 % FOUND], *b = *found; /* a call asks several times for its buffers */
    if (b && at >= b->base && at < b->end)
        return b;
    b = ncs_sorted_at(&r->blocks, at);
    return b && at < b->end ? *found = b : NULL;
}

struct block *hazard_next_block(const struct rank *r, uintptr_t at)
{
    return ncs_sorted_beyond(&r->blocks, at);
}

static void memory_forget(struct block *b)
{
    for (size_t i = 0; i < b->spans; i++)
        clear_span(&b->span[i]);
    b->spans = 0;
}

void hazard_drop_block(struct rank *r, struct block *b)
{
    ncs_sorted_remove(&r->blocks, b->base);
    memset(r->found, 0, sizeof r->found);
    memory_forget(b);
    hazard_drop_hollows(b);
    ncs_free(b->span);
    ncs_free(b);
}

void hazard_add_block(struct rank *r, const void *base, size_t bytes, int device, bool on_device)
{
    uintptr_t from = (uintptr_t)base;
    if (!base || bytes == 0 || bytes > UINTPTR_MAX - from)
        return;
    for (struct block *old; (old = ncs_sorted_at(&r->blocks, from + bytes - 1)) && old->end > from;)
        hazard_drop_block(r, old);
    struct block *b = ncs_new(sizeof *b);
    *b = (struct block){ .base = from, .end = from + bytes, .device = device, .on_device = on_device };
    ncs_sorted_put(&r->blocks, from, b);
}

void hazard_share(struct rank *r, const void *base)
{
    struct block *b = hazard_block(r, (uintptr_t)base);
    if (!b)
        return;
    memory_forget(b);
    hazard_drop_hollows(b);
    b->shared = true;
}

void hazard_free_memory(struct rank *r)
{
    for (struct block *b; (b = hazard_next_block(r, 0));)
        hazard_drop_block(r, b);
    ncs_sorted_free(&r->blocks);
}

/* ---- spans ---- */

static size_t span_at(const struct block *b, uintptr_t at)
{
    size_t low = 0, high = b->spans;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->span[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct span *memory_insert(struct block *b, size_t at)
{
    b->span = ncs_grown(b->span, &b->room, b->spans + 1, sizeof *b->span);
    memmove(&b->span[at + 1], &b->span[at], (b->spans++ - at) * sizeof *b->span);
    return &b->span[at];
}

/* Splits the span that contains `cut` there; both halves have its uses. */
static void split(struct block *b, uintptr_t cut)
{
    size_t i = span_at(b, cut);
    if (i == b->spans || b->span[i].from >= cut)
        return;
    struct span *left = memory_insert(b, i), *right = left + 1;
    *left = (struct span){ .from = right->from, .to = cut };
    put_access(&left->write, &right->write);
    for (size_t k = 0; k < right->reads; k++) {
        ncs_call_pin(right->read[k].call);
        NCS_PUSH(left->read, left->reads, left->read_room, right->read[k]);
    }
    right->from = cut;
}

static void remove_spans(struct block *b, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        clear_span(&b->span[i]);
    if (to < b->spans) /* a block without spans has no array either */
        memmove(&b->span[from], &b->span[to], (b->spans - to) * sizeof *b->span);
    b->spans -= to - from;
}

static bool clip(struct rank *r, const struct piece *p, struct block **b, uintptr_t *to)
{
    *b = p->bytes ? hazard_block(r, p->from) : NULL;
    if (!*b || (*b)->shared)
        return false;
    *to = p->bytes < (*b)->end - p->from ? p->from + p->bytes : (*b)->end;
    return true;
}

static void note_write(struct block *b, uintptr_t from, uintptr_t to, const struct access *a)
{
    size_t i = span_at(b, from);
    if (i < b->spans && b->span[i].from == from && b->span[i].to == to) {
        struct span *s = &b->span[i];
        put_access(&s->write, a);
        clear_reads(s);
        return;
    }
    split(b, from);
    split(b, to);
    i = span_at(b, from);
    size_t end = i;
    while (end < b->spans && b->span[end].from < to)
        end++;
    remove_spans(b, i, end);
    struct span *s = memory_insert(b, i);
    *s = (struct span){ .from = from, .to = to };
    put_access(&s->write, a);
}

static void memory_note_read(struct rank *r, struct block *b, uintptr_t from, uintptr_t to, const struct access *a)
{
    split(b, from);
    split(b, to);
    size_t i = span_at(b, from);
    for (uintptr_t at = from; at < to; i++) {
        if (i == b->spans || b->span[i].from > at) {
            uintptr_t end = i < b->spans && b->span[i].from < to ? b->span[i].from : to;
            struct span *s = memory_insert(b, i);
            *s = (struct span){ .from = at, .to = end };
        }
        add_reader(r, &b->span[i], a);
        at = b->span[i].to;
    }
}

/* Removes spans whose uses the host knows to have ended: every later use is ordered behind them. If most spans remain,
 * all are forgotten, or each new use would trim again. */
static void trim(const struct rank *r, struct block *b)
{
    size_t kept = 0;
    for (size_t i = 0; i < b->spans; i++) {
        struct span *s = &b->span[i];
        bool live = s->write.call && !hazard_covers(&r->host, s->write.lane, s->write.tick);
        for (size_t k = 0; k < s->reads && !live; k++)
            live = !hazard_covers(&r->host, s->read[k].lane, s->read[k].tick);
        if (live)
            b->span[kept++] = *s;
        else
            clear_span(s);
    }
    b->spans = kept;
    if (kept > MOST_SPANS / 2)
        memory_forget(b);
}

/* The host can look at memory without a call, and learn from what it finds there that the operation has ended. */
static void may_be_heard(struct rank *r, const struct step *s)
{
    hazard_join(&r->callbacks, s->after);
    hazard_set(&r->callbacks, s->lane, s->tick);
}

void hazard_note(struct rank *r, const struct step *s, const struct piece *p)
{
    struct block *b;
    uintptr_t to;
    if (!clip(r, p, &b, &to))
        return;
    struct access a = { .call = s->call, .tick = s->tick, .lane = s->lane, .does = p->does & 255 };
    if (r->all->options.one_process && (p->does & WRITES) && !b->on_device && s->tick)
        may_be_heard(r, s);
    if (b->spans >= MOST_SPANS)
        trim(r, b);
    if (b->hollows && (p->does & WRITES))
        hazard_fill_hollow(b, p->from, to);
    if ((p->does & WRITES) && s->call && is_nccl(s->call))
        hazard_result(b, p->from, to);
    if (p->does & WRITES)
        note_write(b, p->from, to, &a);
    else
        memory_note_read(r, b, p->from, to, &a);
}

/* ---- uses without order ---- */

static enum ncs_hazard_kind memory_kind_of(const struct access *earlier, const struct step *later, unsigned does)
{
    bool both = is_nccl(earlier->call) && is_nccl(later->call);
    if ((earlier->does | does) & NCS_TOUCH_SCALAR)
        return NCS_HAZARD_SCALAR;
    if (hazard_same_launch(earlier, later))
        return NCS_HAZARD_OVERLAP;
    if (does & NCS_TOUCH_FREE)
        return NCS_HAZARD_REUSED;
    if (!(earlier->does & NCS_TOUCH_WRITE))
        return both ? NCS_HAZARD_OVERLAP : NCS_HAZARD_REUSED;
    if (does & NCS_TOUCH_READ) {
        bool result = later->tick == 0 || (is_nccl(earlier->call) && !is_nccl(later->call));
        return result ? NCS_HAZARD_READ_EARLY : NCS_HAZARD_INPUT;
    }
    return both ? NCS_HAZARD_OVERLAP : NCS_HAZARD_REUSED;
}

/* Records a hazard if the later use does not wait for the earlier one. A wait in vain between the two is the better
 * explanation. */
static int memory_meet(struct rank *r, const struct access *earlier, const struct step *later, unsigned does)
{
    if (!earlier->call || earlier->call == later->call || hazard_covers(later->after, earlier->lane, earlier->tick) ||
        hazard_ends_through_peers(r, later->after, earlier))
        return -1;
    enum ncs_hazard_kind kind = memory_kind_of(earlier, later, does);
    struct ncs_call *sync = NULL;
    for (unsigned i = 0; i < VAINS && !hazard_same_launch(earlier, later); i++) {
        const struct vain *v = &r->vain[i];
        if (!v->sync || v->lane != earlier->lane || earlier->tick < v->first || earlier->tick > v->last)
            continue;
        sync = v->sync;
        kind = v->in_group ? NCS_HAZARD_GROUP_SYNC : NCS_HAZARD_PROGRESS_SYNC;
    }
    return hazard_found(r, kind, earlier, later, does, sync);
}

void hazard_look(struct rank *r, const struct step *s, const struct piece *p)
{
    struct block *b;
    uintptr_t to;
    int found = -1;
    if (!clip(r, p, &b, &to))
        return;
    for (size_t i = span_at(b, p->from); i < b->spans && b->span[i].from < to && found < 0; i++) {
        const struct span *span = &b->span[i];
        found = memory_meet(r, &span->write, s, p->does);
        for (size_t k = 0; k < span->reads && found < 0 && (p->does & WRITES); k++)
            found = memory_meet(r, &span->read[k], s, p->does);
    }
    if (found < 0 && b->hollows && (p->does & NCS_TOUCH_READ))
        found = hazard_read_hollow(r, b, s, p->from, to);
    if (s->tick != 0 || !(p->does & NCS_TOUCH_READ))
        return;
    hazard_host_read(r, p->from, to - p->from, found);
    struct recent *seen = &r->recent[(r->recents - 1) % RECENT];
    seen->kept = found < 0 && s->call ? hazard_kept_by(b, p->from, to) : NULL;
    seen->read = seen->kept ? s->call : NULL;
    ncs_call_pin(seen->kept);
    ncs_call_pin(seen->read);
}

static void forget_read(struct recent *seen)
{
    ncs_call_unpin(seen->kept);
    ncs_call_unpin(seen->read);
    *seen = (struct recent){ .found = -1 };
}

void hazard_forget_reads(struct rank *r)
{
    for (unsigned i = 0; i < RECENT; i++)
        forget_read(&r->recent[i]);
    r->recents = 0;
}

void hazard_host_read(struct rank *r, uintptr_t from, size_t bytes, int found)
{
    struct recent *seen = &r->recent[r->recents++ % RECENT];
    forget_read(seen);
    *seen = (struct recent){ .from = from, .to = from + bytes, .found = found };
}

void hazard_each_writer(struct rank *r, uintptr_t from, uintptr_t to,
                        void (*visit)(struct ncs_hazards *h, const struct ncs_call *call), struct ncs_hazards *h)
{
    const struct block *b = hazard_block(r, from);
    if (!b)
        return;
    for (size_t i = span_at(b, from); i < b->spans && b->span[i].from < to; i++)
        if (b->span[i].write.call)
            visit(h, b->span[i].write.call);
}
