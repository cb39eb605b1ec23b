/* The order of operations: clocks, streams, the threads' devices. */
#include "diagnose/hazard/private.h"

/* ---- clocks ---- */

static void order_widen(struct clock *c, uint32_t lanes)
{
    if (lanes <= c->lanes)
        return;
    c->at = ncs_resize(c->at, lanes * sizeof *c->at);
    memset(c->at + c->lanes, 0, (lanes - c->lanes) * sizeof *c->at);
    c->lanes = lanes;
}

void hazard_join(struct clock *into, const struct clock *from)
{
    into->changes++;
    order_widen(into, from->lanes);
    for (uint32_t i = 0; i < from->lanes; i++)
        if (into->at[i] < from->at[i])
            into->at[i] = from->at[i];
}

void hazard_copy(struct clock *into, const struct clock *from)
{
    into->changes++;
    if (into->lanes > from->lanes)
        memset(into->at, 0, into->lanes * sizeof *into->at);
    order_widen(into, from->lanes);
    if (from->lanes)
        memcpy(into->at, from->at, from->lanes * sizeof *into->at);
}

void hazard_set(struct clock *c, unsigned lane, uint32_t tick)
{
    c->changes++;
    order_widen(c, lane + 1);
    c->at[lane] = tick;
}

static void free_clock(struct clock *c)
{
    ncs_free(c->at);
    *c = (struct clock){ 0 };
}

/* ---- ranks, threads, lanes ---- */

struct rank *hazard_rank(struct ncs_hazards *h, int rank)
{
    size_t at = (size_t)rank;
    if (at >= h->ranks) {
        size_t room = at < 2 * h->ranks ? 2 * h->ranks : at + 1;
        h->rank = ncs_resize(h->rank, room * sizeof *h->rank);
        memset(h->rank + h->ranks, 0, (room - h->ranks) * sizeof *h->rank);
        h->ranks = room;
    }
    if (!h->rank[at]) {
        struct rank *r = h->rank[at] = ncs_new(sizeof *r);
        r->rank = rank;
        r->all = h;
    }
    return h->rank[at];
}

struct thread *hazard_thread(struct rank *r, const struct ncs_call *call)
{
    struct thread *t = r->threads;
    while (t && (t->thread != call->thread || t->rank != call->rank))
        t = t->next;
    if (t)
        return t;
    t = ncs_new(sizeof *t);
    t->rank = call->rank;
    t->thread = call->thread;
    t->device = -1;
    t->next = r->threads;
    r->threads = t;
    return t;
}

/* A program from outside also chooses devices by calls that are not in the journal: its device is asked for each time. */
int hazard_device(struct rank *r, const struct ncs_call *call)
{
    const struct ncs_hazards_options *o = &r->all->options;
    struct thread *t = hazard_thread(r, call);
    if (t->device < 0 || o->one_process)
        t->device = o->device ? o->device(o->device_arg) : 0;
    return t->device;
}

unsigned hazard_lane(struct rank *r)
{
    if (r->spares)
        return r->spare[--r->spares]; /* its ticks continue: older clocks still have some of them */
    if (r->lanes == 0)
        r->lanes = 1; /* lane 0 means no lane */
    r->tick = ncs_grown(r->tick, &r->tick_room, r->lanes + 1, sizeof *r->tick);
    r->tick[r->lanes] = 0;
    return r->lanes++;
}

/* The host must know that all operations of the lane have ended. */
void hazard_spare_lane(struct rank *r, unsigned lane)
{
    if (lane)
        NCS_PUSH(r->spare, r->spares, r->spare_room, lane);
}

/* ---- streams ---- */

static bool is_queued(const struct rank *r)
{
    for (const struct thread *t = r->threads; t; t = t->next)
        if (t->queues)
            return true;
    for (const struct line *l = r->lines; l; l = l->next)
        if (l->in_progress)
            return true;
    return false;
}

bool hazard_is_within(const struct clock *c, const struct clock *of)
{
    for (uint32_t i = 0; i < c->lanes; i++)
        if (!hazard_covers(of, i, c->at[i]))
            return false;
    return true;
}

/* Frees destroyed streams. One stays while the host does not know that its work has ended, or while a queued call or a
 * launch in progress may still point to it. */
static void purge(struct rank *r)
{
    if (r->destroyed == 0 || is_queued(r))
        return;
    for (struct stream **at = &r->streams; *at;) {
        struct stream *s = *at;
        if (!s->destroyed || !hazard_is_within(&s->clock, &r->host)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        r->destroyed--;
        hazard_spare_lane(r, s->lane);
        free_clock(&s->clock);
        ncs_free(s);
    }
}

static struct stream *order_add_stream(struct rank *r, int device, bool blocking)
{
    purge(r);
    struct stream *s = ncs_new(sizeof *s);
    *s = (struct stream){ .device = device, .blocking = blocking, .next = r->streams, .lane = hazard_lane(r) };
    r->streams = s;
    return s;
}

static struct stream *stream_of_handle(struct rank *r, const void *handle, int device, bool blocking)
{
    struct stream *s = order_add_stream(r, device, blocking);
    ncs_map_put(&r->handles, ncs_map_key(handle), s);
    return s;
}

void hazard_end_stream(struct rank *r, const void *handle)
{
    struct stream *s = ncs_map_remove(&r->handles, ncs_map_key(handle));
    if (s)
        s->destroyed = true;
    r->destroyed += s != NULL;
}

void hazard_new_stream(struct rank *r, const void *handle, int device, bool blocking)
{
    hazard_end_stream(r, handle); /* one whose end was not recorded */
    stream_of_handle(r, handle, device, blocking);
}

/* A stream whose creation was not recorded counts as blocking, which orders more and accuses less. */
struct stream *hazard_stream(struct rank *r, const void *handle, int device, const struct ncs_call *call)
{
    bool legacy = !handle || handle == (const void *)cudaStreamLegacy;
    const struct thread *thread = handle == (const void *)cudaStreamPerThread ? hazard_thread(r, call) : NULL;
    if (!legacy && !thread) {
        struct stream *known = ncs_map_get(&r->handles, ncs_map_key(handle));
        return known ? known : stream_of_handle(r, handle, device, true);
    }
    for (struct stream *s = r->streams; s; s = s->next)
        if (s->device == device && s->legacy == legacy && s->thread == thread)
            return s;
    struct stream *s = order_add_stream(r, device, !legacy);
    s->legacy = legacy;
    s->thread = thread;
    return s;
}

void hazard_before(const struct rank *r, const struct stream *s, struct clock *c)
{
    hazard_join(c, &r->host);
    hazard_join(c, &s->clock);
    if (!s->blocking && !s->legacy)
        return;
    for (const struct stream *o = r->streams; o; o = o->next)
        if (o->device == s->device && (s->legacy ? o->blocking : o->legacy))
            hazard_join(c, &o->clock);
}

void hazard_drain(struct rank *r, int device)
{
    for (struct stream *s = r->streams; s; s = s->next) {
        if (s->drained == s->clock.changes || (device >= 0 && s->device != device))
            continue;
        hazard_join(&r->host, &s->clock);
        s->drained = s->clock.changes;
    }
}

static void free_event(void *value, void *arg)
{
    struct event *e = value;
    (void)arg;
    free_clock(&e->clock);
    ncs_free(e);
}

void hazard_free_order(struct rank *r)
{
    for (struct stream *s = r->streams, *next; s; s = next) {
        next = s->next;
        free_clock(&s->clock);
        ncs_free(s);
    }
    for (struct thread *t = r->threads, *next; t; t = next) {
        next = t->next;
        ncs_free(t->queue);
        ncs_free(t);
    }
    ncs_map_each(&r->events, free_event, NULL);
    ncs_map_free(&r->events);
    ncs_map_free(&r->handles);
    free_clock(&r->host);
    free_clock(&r->scratch);
    free_clock(&r->callbacks);
    ncs_free(r->tick);
    ncs_free(r->spare);
}
