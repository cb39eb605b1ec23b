/* Records calls, waits, operations and faults, each with its time. */
#include "run/timeline/timeline.h"

#include <string.h>

#include "base/mem.h"
#include "run/timeline/private.h"

struct ncs_timeline *ncs_timeline_open(int64_t (*now)(void))
{
    struct ncs_timeline *t = ncs_new(sizeof *t);
    t->own = ncs_new(sizeof *t->own);
    t->own->now = now;
    return t;
}

void ncs_timeline_close(struct ncs_timeline *t)
{
    if (t->closed)
        return;
    t->closed = true;
    t->now = t->own->now();
    for (size_t i = 0; i < t->hosts; i++)
        t->host[i].never = t->host[i].call && t->host[i].end < 0 && t->host[i].call->returned;
}

void ncs_timeline_free(struct ncs_timeline *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->hosts; i++) {
        ncs_call_unpin(t->host[i].call);
        ncs_free(t->host[i].key);
    }
    for (size_t i = 0; i < t->devices; i++) {
        ncs_free(t->device[i].call);
        ncs_free(t->device[i].stream);
    }
    ncs_free(t->host);
    ncs_free(t->device);
    ncs_free(t->match);
    NCS_FREE_EACH(t->mark, t->marks, text);
    timeline_free_meetings(t);
    ncs_map_free(&t->own->by_call);
    ncs_map_free(&t->own->by_serial);
    ncs_map_free(&t->own->on_device);
    ncs_free(t->own);
    ncs_free(t);
}

static void put_index(struct ncs_map *map, uint64_t key, size_t index)
{
    ncs_map_put(map, key, (void *)(uintptr_t)(index + 1));
}

static bool get_index(const struct ncs_map *map, uint64_t key, size_t *index)
{
    uintptr_t found = (uintptr_t)ncs_map_get(map, key);
    *index = found - 1;
    return found != 0;
}

bool timeline_span_of(const struct ncs_timeline *t, const struct ncs_call *call, size_t *span)
{
    return get_index(&t->own->on_device, call->id, span);
}

/* ---- host threads ---- */

void ncs_timeline_entered(struct ncs_timeline *t, struct ncs_call *call)
{
    struct ncs_host_span span = {
        .call = call, .rank = call->rank, .thread = call->thread, .place = call->place, .begin = t->own->now(), .end = -1
    };
    if (t->closed)
        return;
    ncs_call_pin(call);
    put_index(&t->own->by_call, call->id, t->hosts);
    NCS_PUSH(t->host, t->hosts, t->own->hosts_room, span);
}

void ncs_timeline_returned(struct ncs_timeline *t, const struct ncs_call *call)
{
    size_t at;
    if (!t->closed && get_index(&t->own->by_call, call->id, &at))
        t->host[at].end = t->own->now();
}

static struct ncs_place here(const struct ncs_local *local)
{
    return local->where ? local->where(local->where_arg) : (struct ncs_place){ NULL, 0 };
}

size_t ncs_timeline_wait(struct ncs_timeline *t, const char *what, const char *key)
{
    const struct ncs_local *local = ncs_local;
    if (t->closed || !local)
        return SIZE_MAX;
    struct ncs_host_span span = { .what = what,
                                  .key = ncs_copy_text(key),
                                  .rank = local->rank,
                                  .thread = local->thread,
                                  .place = here(local),
                                  .begin = t->own->now(),
                                  .end = -1 };
    NCS_PUSH(t->host, t->hosts, t->own->hosts_room, span);
    return t->hosts - 1;
}

void ncs_timeline_waited(struct ncs_timeline *t, size_t wait)
{
    if (!t->closed && wait < t->hosts)
        t->host[wait].end = t->own->now();
}

void ncs_timeline_mark(struct ncs_timeline *t, int rank, int thread, struct ncs_place place, const char *text)
{
    struct ncs_mark mark = { .rank = rank, .thread = thread, .time = t->own->now(), .place = place };
    if (t->closed)
        return;
    mark.text = ncs_copy_text(text);
    NCS_PUSH(t->mark, t->marks, t->own->marks_room, mark);
}

/* ---- devices ---- */

static void *copied(const void *items, size_t bytes)
{
    void *copy = ncs_new(bytes);
    if (bytes > 0)
        memcpy(copy, items, bytes);
    return copy;
}

static void queue(struct ncs_timeline *t, const struct ncs_work *work)
{
    struct ncs_device_span span = {
        .kind = work->kind,
        .rank = work->rank,
        .device = work->device,
        .calls = work->calls,
        .streams = work->streams,
        .queued = t->own->now(),
        .begin = -1,
        .end = -1,
        .call = copied(work->call, work->calls * sizeof *work->call),
        .stream = copied(work->stream, work->streams * sizeof *work->stream),
    };
    put_index(&t->own->by_serial, work->serial, t->devices);
    for (size_t i = 0; i < work->calls; i++) /* their host spans hold them */
        put_index(&t->own->on_device, work->call[i]->id, t->devices);
    NCS_PUSH(t->device, t->devices, t->own->devices_room, span);
}

void ncs_timeline_work(struct ncs_timeline *t, const struct ncs_work *work, enum ncs_work_state state)
{
    size_t at;
    if (t->closed)
        return;
    if (state == NCS_WORK_QUEUED) {
        queue(t, work);
        return;
    }
    if (!get_index(&t->own->by_serial, work->serial, &at))
        return;
    struct ncs_device_span *span = &t->device[at];
    if (state == NCS_WORK_BEGUN) {
        span->begin = t->own->now();
        return;
    }
    span->end = t->own->now();
    span->status = work->status;
    if (span->begin < 0) /* it failed in the queue */
        span->begin = span->end;
}
