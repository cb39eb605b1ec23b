/* The state of a real run's contexts at its verdict. */
#include "api/journal.h"
#include "base/mem.h"
#include "base/thread.h"
#include "driver/far/far.h"
#include "driver/world.h"

static struct ncs_place place_of(const struct real_context *c)
{
    const struct ncs_local *local = c->options.local;
    if (c->at >= STOPPED)
        return c->end_place.line ? c->end_place : local->last;
    if (local->call)
        return local->call->place;
    return local->where ? local->where(local->where_arg) : (struct ncs_place){ NULL, 0 };
}

static void add_context(struct ncs_snapshot *s, const struct real_context *c)
{
    static const enum ncs_context_state states[] = {
        [AT_WORK] = NCS_CONTEXT_READY,   [AT_CALL] = NCS_CONTEXT_PARKED, [AT_GATE] = NCS_CONTEXT_PARKED,
        [ASLEEP] = NCS_CONTEXT_SLEEPING, [STOPPED] = NCS_CONTEXT_ENDED,  [GONE] = NCS_CONTEXT_ENDED,
    };
    const struct ncs_local *local = c->options.local;
    struct ncs_snap_context *out = &s->context[s->contexts++];
    *out = (struct ncs_snap_context){
        .rank = local->rank,
        .thread = local->thread,
        .state = states[c->at],
        .ending = c->ending,
        .place = place_of(c),
        .message = ncs_copy_text(c->message),
        .call = c->at >= STOPPED ? NULL : local->call,
        .group_depth = local->group_depth,
        .has_deadline = c->at == AT_GATE && c->timed,
        .process = far_process(local->rank) + 1,
        .host = far_host(local->rank) + 1,
        .wait = s->waits,
    };
    ncs_call_pin((struct ncs_call *)out->call);
    if (out->call) /* in a call, also between two polls of its wait */
        out->state = ncs_real_is_look(out->call->fn) ? NCS_CONTEXT_POLLING : NCS_CONTEXT_PARKED;
    else if ((c->at == AT_WORK || c->at == AT_CALL) && c->polls > 0)
        out->state = NCS_CONTEXT_POLLING;
    if (c->at != AT_GATE)
        return;
    s->gate[s->gates] = (struct ncs_snap_gate){ c->what, ncs_copy_text(c->key), c->owner, c->owner_thread };
    s->wait[s->waits++] = (struct ncs_snap_wait){ NCS_WAIT_GATE, (int)s->gates++ };
    out->waits = 1;
}

static void add_task(void *snapshot, const struct ncs_call *call, int device, const struct real_context *visitor)
{
    struct ncs_snapshot *s = snapshot;
    size_t at = 0;
    for (const struct real_context *c = ncs_real.first; c; c = c->next)
        at++;
    for (const struct real_context *v = ncs_real.visitors; v && v != visitor; v = v->next)
        at++;
    s->op = ncs_resize(s->op, (s->ops + 1) * sizeof *s->op);
    ncs_call_pin((struct ncs_call *)call);
    s->op[s->ops++] = (struct ncs_snap_op){
        .kind = "callback", .call = call, .device = device, .rank = call->rank, .context = visitor ? (int)at : -1
    };
}

void ncs_real_snapshot(struct ncs_snapshot *out)
{
    size_t count = 0;
    for (const struct real_context *c = ncs_real.first; c; c = c->next)
        count++;
    for (const struct real_context *c = ncs_real.visitors; c; c = c->next)
        count++;
    *out = (struct ncs_snapshot){ .stop = ncs_real.stop, .now = ncs_clock() - ncs_real.start };
    out->context = ncs_new(count * sizeof *out->context);
    out->gate = ncs_new(count * sizeof *out->gate);
    out->wait = ncs_new(count * sizeof *out->wait);
    for (const struct real_context *c = ncs_real.first; c; c = c->next)
        add_context(out, c);
    for (const struct real_context *c = ncs_real.visitors; c; c = c->next)
        add_context(out, c);
    ncs_real_tasks(add_task, out);
}
