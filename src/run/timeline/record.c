/* A timeline of a recorded run. Its record has no clock that all ranks share, so time is the order of the calls: each call
 * takes 1 us of its thread, and an operation ends 1 us after the last of those that it meets has begun. */
#include "api/meeting.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "run/timeline/timeline.h"

#define RECORD_TICK 1000 /* ns */

enum { RECORD_PASSES = 64 }; /* that order calls after those that they meet; enough for all but the oddest records */

/* A counted call's work on its device. */
struct recorded_op {
    struct ncs_call *call;
    int rank;
    uint64_t meeting, stream; /* keys */
    int64_t queued, begin, end;
    bool begun, over;
};

struct recorded {
    struct recorded_op *op;
    size_t ops, room;
    struct ncs_map thread;    /* rank and thread -> ticks so far */
    struct ncs_map waiting;   /* id of an unfinished call -> 1: has not begun, 2: has */
    struct ncs_map met, free; /* key -> 1 + time: when the last call of a meeting begins; when a stream is free again */
};

static int64_t record_clock;

static int64_t record_now(void)
{
    return record_clock;
}

/* A call that meets nobody is alone. */
static uint64_t record_meeting_key(const struct ncs_call *call)
{
    struct ncs_meeting_key key;
    return ncs_call_meets(call, &key) ? ncs_meeting_hash(&key) : ncs_hash(1, call->id);
}

static void record_note_waiting(struct recorded *r, const struct ncs_snapshot *s)
{
    for (size_t i = 0; i < s->parts; i++)
        if (s->part[i].call && s->part[i].state <= NCS_PART_MATCHED)
            ncs_map_put_number(&r->waiting, s->part[i].call->id, s->part[i].state == NCS_PART_WAITING ? 1 : 2);
}

/* Puts the call into its thread's row, and its operation into the list. */
static void record_add_call(struct recorded *r, struct ncs_timeline *t, struct ncs_call *call)
{
    uint64_t thread = ncs_hash((uint64_t)call->rank + 1, (uint64_t)call->thread);
    size_t tick = ncs_map_number(&r->thread, thread);
    record_clock = (int64_t)tick * RECORD_TICK;
    ncs_timeline_entered(t, call);
    ncs_map_put_number(&r->thread, thread, tick + 1);
    struct recorded_op op = { .call = call, .rank = call->rank, .queued = record_clock };
    record_clock += RECORD_TICK;
    if (call->returned)
        ncs_timeline_returned(t, call);
    if (!ncs_fn_info[call->fn].counted || call->comm < 0 || call->ordinal == 0)
        return;
    size_t waits = ncs_map_number(&r->waiting, call->id);
    op.meeting = record_meeting_key(call);
    op.stream = ncs_hash((uint64_t)call->rank + 1, (uint64_t)(uintptr_t)ncs_call_stream(call));
    op.begun = waits != 1;
    op.over = waits == 0;
    NCS_PUSH(r->op, r->ops, r->room, op);
}

static int64_t record_latest(struct ncs_map *times, uint64_t key, int64_t time)
{
    int64_t known = (int64_t)ncs_map_number(times, key) - 1;
    if (time > known)
        ncs_map_put_number(times, key, (uint64_t)time + 1);
    return time > known ? time : known;
}

/* Moves operations behind those that they wait for. False if all were there already. */
static bool record_pass(struct recorded *r)
{
    bool moved = false;
    ncs_map_free(&r->free);
    for (size_t i = 0; i < r->ops; i++) {
        struct recorded_op *op = &r->op[i];
        int64_t free = (int64_t)ncs_map_number(&r->free, op->stream) - 1;
        int64_t begin = free > op->queued ? free : op->queued;
        int64_t met = record_latest(&r->met, op->meeting, begin);
        moved |= begin != op->begin || op->end != met + RECORD_TICK;
        op->begin = begin;
        op->end = met + RECORD_TICK;
        record_latest(&r->free, op->stream, op->end);
    }
    return moved;
}

static void record_add_work(struct ncs_timeline *t, const struct recorded_op *op)
{
    const void *stream = ncs_call_stream(op->call);
    struct ncs_call *call = op->call;
    struct ncs_work work = {
        .serial = call->id, .kind = "launch", .rank = op->rank, .call = &call, .calls = 1, .stream = &stream, .streams = 1
    };
    record_clock = op->queued;
    ncs_timeline_work(t, &work, NCS_WORK_QUEUED);
    record_clock = op->begin;
    if (op->begun)
        ncs_timeline_work(t, &work, NCS_WORK_BEGUN);
    record_clock = op->end;
    if (op->over)
        ncs_timeline_work(t, &work, NCS_WORK_ENDED);
}

/* Joins the operations that met. */
static void record_add_meetings(struct ncs_timeline *t, const struct recorded *r)
{
    struct ncs_map at = { 0 }; /* key -> list + 1 */
    struct met {
        struct ncs_call **call;
        size_t calls, room;
    } *met = NULL;
    size_t mets = 0, room = 0;
    for (size_t i = 0; i < r->ops; i++) {
        size_t list = ncs_map_number(&at, r->op[i].meeting);
        if (!r->op[i].over)
            continue;
        if (!list) {
            NCS_PUSH(met, mets, room, (struct met){ 0 });
            ncs_map_put_number(&at, r->op[i].meeting, list = mets);
        }
        struct met *m = &met[list - 1];
        NCS_PUSH(m->call, m->calls, m->room, r->op[i].call);
        if (m->calls == 2 && m->call[0]->fn == NCS_FN_ncclRecv && m->call[1]->fn == NCS_FN_ncclSend) {
            m->call[1] = m->call[0];
            m->call[0] = r->op[i].call;
        }
    }
    for (size_t i = 0; i < mets; i++) {
        if (met[i].calls > 1)
            ncs_timeline_moved(t, met[i].call, met[i].calls);
        ncs_free(met[i].call);
    }
    ncs_free(met);
    ncs_map_free(&at);
}

struct ncs_timeline *ncs_timeline_of_record(const struct ncs_journal *j, const struct ncs_snapshot *s)
{
    struct recorded r = { 0 };
    struct ncs_timeline *t = ncs_timeline_open(record_now);
    int64_t last = 0;
    record_note_waiting(&r, s);
    for (struct ncs_call *c = j->oldest; c; c = c->newer)
        record_add_call(&r, t, c);
    for (int pass = 0; pass < RECORD_PASSES && record_pass(&r); pass++)
        continue;
    for (size_t i = 0; i < r.ops; i++) {
        record_add_work(t, &r.op[i]);
        last = r.op[i].end > last ? r.op[i].end : last;
    }
    record_add_meetings(t, &r);
    for (size_t i = 0; i < t->hosts; i++)
        last = t->host[i].end > last ? t->host[i].end : last;
    record_clock = last;
    ncs_timeline_close(t);
    ncs_free(r.op);
    ncs_map_free(&r.thread);
    ncs_map_free(&r.waiting);
    ncs_map_free(&r.met);
    ncs_map_free(&r.free);
    return t;
}
