/* Reads one recording into calls in order of time. Every number in the file may be wrong: the process may have died while
 * it wrote, or the file may be none of ours. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "trace/recording.h"

static bool fail_recording(const struct trace_file *from, struct ncs_error *err)
{
    return ncs_fail_at(err, from->path, 0, 0);
}

/* ---- the head ---- */

static const size_t entry_bytes[NCS_RECORDING_AREAS] = {
    [NCS_RECORDING_FUNCTIONS] = sizeof(struct ncs_recording_function),
    [NCS_RECORDING_THREADS] = sizeof(struct ncs_recording_thread),
    [NCS_RECORDING_COMMS] = sizeof(struct ncs_recording_comm),
    [NCS_RECORDING_PAIRS] = sizeof(struct ncs_recording_pair),
    [NCS_RECORDING_SITES] = sizeof(struct ncs_recording_site),
    [NCS_RECORDING_LASTING] = sizeof(struct ncs_recording_call),
    [NCS_RECORDING_RING] = sizeof(struct ncs_recording_call),
};

static bool areas_fit(const struct ncs_recording_head *h, size_t bytes, struct ncs_error *err)
{
    if (h->bytes > bytes)
        return ncs_fail(err, NCS_BAD_INPUT, "the recording is cut off: %zu of %" PRIu64 " bytes", bytes, h->bytes);
    for (int i = 0; i < NCS_RECORDING_AREAS; i++) {
        uint64_t all = (uint64_t)h->area[i].entries * h->area[i].bytes;
        bool ring = i >= NCS_RECORDING_LASTING;
        if (h->area[i].bytes != entry_bytes[i] || h->area[i].at > bytes || all > bytes - h->area[i].at ||
            h->area[i].entries > 65536u * 256u || (!ring && h->area[i].entries > 65535) ||
            (ring && (h->area[i].entries == 0 || h->area[i].entries & (h->area[i].entries - 1))))
            return ncs_fail(err, NCS_BAD_INPUT, "area %d of the recording is damaged: %u entries of %u bytes at %" PRIu64, i,
                            h->area[i].entries, h->area[i].bytes, h->area[i].at);
    }
    return true;
}

static void end_text(char *text, size_t room)
{
    text[room - 1] = '\0';
}

/* How many ns a tick takes. */
static double tick_of(const struct ncs_recording_head *h)
{
    const struct ncs_recording_pulse *latest = &h->latest[h->pulses % 2];
    double ticks = (double)(int64_t)(latest->ticks - h->opened.ticks),
           ns = (double)(int64_t)((uint64_t)latest->real - (uint64_t)h->opened.real);
    return ticks >= 1 && ns >= 1 && ns < ticks * 1e3 && ticks < ns * 1e3 ? ns / ticks : 1;
}

static bool read_recording_head(struct recorded_file *f, const struct trace_file *from, struct ncs_error *err)
{
    struct ncs_recording_head *h = &f->head;
    if (from->text.bytes < sizeof *h)
        return ncs_fail(err, NCS_BAD_INPUT, "the recording is cut off: %zu of at least %zu bytes", from->text.bytes, sizeof *h);
    memcpy(h, from->text.text, sizeof *h);
    end_text(h->host, sizeof h->host);
    end_text(h->program, sizeof h->program);
    end_text(h->rank_by, sizeof h->rank_by);
    if (h->order != NCS_RECORDING_ORDER)
        return ncs_fail(err, NCS_BAD_INPUT, "the recording is damaged, or of a machine with another byte order");
    if (h->version != NCS_RECORDING_VERSION)
        return ncs_fail(err, NCS_BAD_INPUT, "a recording of version %u: version %d is expected", h->version,
                        NCS_RECORDING_VERSION);
    f->tick = tick_of(h);
    return areas_fit(h, from->text.bytes, err);
}

static const char *area_of(const struct recorded_file *f, const struct trace_file *from, enum ncs_recording_area area)
{
    return from->text.text + f->head.area[area].at;
}

/* ---- functions ---- */

/* By index in the file: the function's number here + 1; 0 = unknown, or of other arguments. */
static int *map_functions(const struct recorded_file *f, const struct trace_file *from)
{
    const char *at = area_of(f, from, NCS_RECORDING_FUNCTIONS);
    size_t count = f->head.area[NCS_RECORDING_FUNCTIONS].entries;
    int *known = ncs_new((count + 1) * sizeof *known);
    for (size_t i = 0; i < count; i++) {
        struct ncs_recording_function fn;
        memcpy(&fn, at + i * sizeof fn, sizeof fn);
        end_text(fn.name, sizeof fn.name);
        int number = ncs_fn_from_name(fn.name);
        if (number >= 0 && (uint32_t)ncs_fn_info[number].nargs == fn.nargs)
            known[i] = number + 1;
    }
    return known;
}

/* ---- calls ---- */

struct reading {
    struct recorded_file *file;
    const struct trace_file *from;
    const int *known;
    int number;
    size_t unknown;
};

/* On the clock of the calendar, which all hosts share. */
static uint64_t on_one_clock(const struct recorded_file *f, uint64_t ticks)
{
    double since = (double)(int64_t)(ticks - f->head.opened.ticks) * f->tick;
    return (uint64_t)f->head.opened.real + (uint64_t)(int64_t)(since < 4e18 && since > -4e18 ? since : 0);
}

static bool is_sound(const struct reading *r, const struct ncs_recording_call *raw)
{
    return raw->fn < r->file->head.area[NCS_RECORDING_FUNCTIONS].entries && raw->thread < r->file->threads &&
           raw->kind <= NCS_RECORDING_MORE && (raw->kind != NCS_RECORDING_MORE || raw->ordinal <= NCS_RECORDING_ARGS) &&
           raw->ticks >= 0 && raw->ticks < 1e18f;
}

static void add_recorded_call(struct reading *r, const struct ncs_recording_call *raw, bool of_ring)
{
    struct recorded_file *f = r->file;
    if (!is_sound(r, raw))
        return;
    if (!r->known[raw->fn]) {
        r->unknown += raw->kind == NCS_RECORDING_CALL;
        return;
    }
    struct recorded_call call = {
        .raw = *raw, .fn = (enum ncs_fn)(r->known[raw->fn] - 1), .file = r->number, .of_ring = of_ring
    };
    call.begin = on_one_clock(f, raw->begin);
    double ns = raw->ticks * f->tick;
    call.end = raw->ticks > 0 ? call.begin + (ns < 1 ? 1 : ns > 1e18 ? (uint64_t)1e18 : (uint64_t)ns) : UINT64_MAX;
    NCS_PUSH(f->call, f->calls, f->room, call);
}

static void read_ring(struct reading *r, enum ncs_recording_area area, size_t keep)
{
    const char *at = area_of(r->file, r->from, area);
    uint64_t room = r->file->head.area[area].entries, next = r->file->head.next[area - NCS_RECORDING_LASTING];
    uint64_t first = next > keep ? next - keep : 0;
    r->file->cut |= next > room || first > 0;
    for (uint64_t i = 0; i < room; i++) {
        struct ncs_recording_call raw;
        memcpy(&raw, at + i * sizeof raw, sizeof raw);
        if (raw.seq > first && raw.seq <= next && next - raw.seq < room && ((raw.seq - 1) & (room - 1)) == i)
            add_recorded_call(r, &raw, area == NCS_RECORDING_RING);
    }
}

/* Orders by time; further words of a call follow it. */
static int compare_calls(const void *left, const void *right)
{
    const struct ncs_recording_call *a = &((const struct recorded_call *)left)->raw;
    const struct ncs_recording_call *b = &((const struct recorded_call *)right)->raw;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void take_words(struct recorded_call *call, const struct ncs_recording_call *more)
{
    if (call->raw.begin != more->begin || call->raw.thread != more->thread || more->number != call->words / NCS_RECORDING_ARGS ||
        more->list == 0 || more->list > NCS_RECORDING_ARGS)
        return;
    call->list = ncs_resize(call->list, (call->words + NCS_RECORDING_ARGS) * sizeof *call->list);
    memcpy(call->list + call->words, more->arg, more->ordinal * sizeof *more->arg);
    call->words += more->ordinal;
    call->raw.list = more->list;
}

/* Joins lists with their calls. Without a call, which was overwritten, they say nothing. A call that is there twice, as one
 * in flight, is kept once. */
static void join_lists(struct recorded_file *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->calls; i++) {
        struct recorded_call *last = kept ? &f->call[kept - 1] : NULL;
        const struct ncs_recording_call *raw = &f->call[i].raw;
        if (raw->kind == NCS_RECORDING_MORE) {
            if (last)
                take_words(last, raw);
            continue;
        }
        if (last && last->raw.begin == raw->begin && last->raw.thread == raw->thread)
            continue;
        f->call[kept++] = f->call[i];
    }
    f->calls = kept;
}

/* A thread's calls follow each other: durations are rounded. An earlier call without an end was overwritten while it was
 * written. */
static void order_ends(struct recorded_file *f)
{
    size_t *last = ncs_new(((size_t)f->threads + 1) * sizeof *last);
    for (size_t i = 0; i < f->calls; i++) {
        size_t *before = &last[f->call[i].raw.thread];
        struct recorded_call *earlier = *before ? &f->call[*before - 1] : NULL;
        if (earlier && earlier->end > f->call[i].begin)
            earlier->end = f->call[i].begin;
        *before = i + 1;
    }
    ncs_free(last);
}

/* Leaves out calls of a group whose beginning was overwritten: which group they are in is not known. */
static void drop_torn_groups(struct recorded_file *f)
{
    enum { UNSEEN, TORN, WHOLE };
    unsigned char *state = ncs_new((size_t)f->threads + 1);
    for (size_t i = 0; i < f->calls && f->cut; i++) {
        struct recorded_call *c = &f->call[i];
        unsigned char *s = &state[c->raw.thread];
        if (*s == WHOLE || !c->of_ring)
            continue;
        *s = c->raw.depth ? TORN : WHOLE;
        c->left_out = *s == TORN;
        if (*s == TORN && ncs_fn_info[c->fn].closes_group && c->raw.depth == 1)
            *s = WHOLE;
    }
    ncs_free(state);
}

/* ---- threads ---- */

static void read_threads(struct reading *r)
{
    struct recorded_file *f = r->file;
    const char *at = area_of(f, r->from, NCS_RECORDING_THREADS);
    for (int i = 0; i < f->threads; i++) {
        struct ncs_recording_thread raw;
        struct recorded_thread *t = &f->thread[i];
        memcpy(&raw, at + (size_t)i * sizeof raw, sizeof raw);
        t->rank = -1;
        t->used = raw.state != 0;
        t->ended = raw.state == 2;
        if (!t->used || raw.now.seq == 0 || !is_sound(r, &raw.now) || !r->known[raw.now.fn] || raw.now.thread != i)
            continue;
        enum ncs_fn fn = (enum ncs_fn)(r->known[raw.now.fn] - 1);
        t->polls = ncs_fn_info[fn].looks && raw.now.ticks > 0 && raw.now.rc != 0;
        t->poll = (struct recorded_call){ .raw = raw.now, .fn = fn, .file = r->number, .begin = on_one_clock(f, raw.now.begin) };
        if (!ncs_fn_info[fn].looks && raw.now.ticks == 0)
            add_recorded_call(r, &raw.now, true); /* the ring may have lost it while it waits */
    }
}

static void *copy_area(const struct recorded_file *f, const struct trace_file *from, enum ncs_recording_area area, size_t entries)
{
    size_t bytes = entries * f->head.area[area].bytes;
    void *copy = ncs_new(bytes + 1);
    memcpy(copy, area_of(f, from, area), bytes);
    return copy;
}

static void read_tables(struct reading *r)
{
    struct recorded_file *f = r->file;
    uint32_t room = f->head.area[NCS_RECORDING_SITES].entries;
    f->sites = (int)(f->head.sites < room ? f->head.sites : room);
    f->site = copy_area(f, r->from, NCS_RECORDING_SITES, (size_t)f->sites);
    f->line = ncs_new(((size_t)f->sites + 1) * sizeof *f->line);
    for (int i = 0; i < f->sites; i++) {
        end_text(f->site[i].module, sizeof f->site[i].module);
        end_text(f->site[i].name, sizeof f->site[i].name);
    }
    f->comms = (int)f->head.area[NCS_RECORDING_COMMS].entries;
    f->comm = copy_area(f, r->from, NCS_RECORDING_COMMS, (size_t)f->comms);
    f->pairs = (int)f->head.area[NCS_RECORDING_PAIRS].entries;
    f->pair = copy_area(f, r->from, NCS_RECORDING_PAIRS, (size_t)f->pairs);
}

bool ncs_recorded_read(struct recorded_file *f, int number, const struct trace_file *from, size_t keep, size_t *unknown,
                       struct ncs_error *err)
{
    *f = (struct recorded_file){ .path = from->path, .rank = -1 };
    if (!read_recording_head(f, from, err))
        return fail_recording(from, err);
    struct reading r = { .file = f, .from = from, .number = number };
    int *known = map_functions(f, from);
    r.known = known;
    f->threads = (int)f->head.area[NCS_RECORDING_THREADS].entries;
    f->thread = ncs_new(((size_t)f->threads + 1) * sizeof *f->thread);
    read_ring(&r, NCS_RECORDING_LASTING, SIZE_MAX);
    read_ring(&r, NCS_RECORDING_RING, keep);
    read_threads(&r);
    read_tables(&r);
    if (f->calls)
        qsort(f->call, f->calls, sizeof *f->call, compare_calls);
    join_lists(f);
    order_ends(f);
    drop_torn_groups(f);
    *unknown += r.unknown;
    ncs_free(known);
    return true;
}

void ncs_recorded_free(struct recorded_file *f)
{
    NCS_FREE_EACH(f->call, f->calls, list);
    ncs_free(f->thread);
    ncs_free(f->site);
    ncs_free(f->comm);
    ncs_free(f->pair);
    ncs_free(f->line);
}
