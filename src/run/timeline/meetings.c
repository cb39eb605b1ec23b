/* Finds the operations that met, from the movement of data. */
#include "base/hash.h"
#include "base/mem.h"
#include "run/timeline/private.h"

/* The last step that a call has seen. */
struct step {
    const struct ncs_call *from, *to;
};

/* Sends or signals of one rank to another that are not matched yet, in order. */
struct ahead {
    const struct ncs_call **call;
    size_t first, count, room;
};

static void meet(struct ncs_timeline *t, enum ncs_match_kind kind, const struct ncs_call *from, const struct ncs_call *to)
{
    struct ncs_match match = { .kind = kind, .from_call = from, .to_call = to };
    if (timeline_span_of(t, from, &match.from) && timeline_span_of(t, to, &match.to) && match.from != match.to)
        NCS_PUSH(t->match, t->matches, t->own->matches_room, match);
}

/* ---- who came last ---- */

static void meet_all(struct ncs_timeline *t, struct ncs_call *const *calls, size_t count)
{
    size_t last = 0, span;
    int64_t latest = -1;
    for (size_t i = 0; i < count; i++)
        if (timeline_span_of(t, calls[i], &span) && t->device[span].begin > latest) {
            latest = t->device[span].begin;
            last = i;
        }
    for (size_t i = 0; i < count; i++)
        if (i != last)
            meet(t, NCS_MATCH_COLLECTIVE, calls[last], calls[i]);
}

/* ---- what goes ahead of who takes it ---- */

static struct ahead *line_of(struct ncs_timeline *t, int comm, int from, int to, bool signals)
{
    uint64_t key = ncs_hash(ncs_hash((uint64_t)comm, signals), (uint64_t)from << 32 | (uint32_t)to);
    struct ahead *line = ncs_map_get(&t->own->ahead, key);
    if (!line) {
        line = ncs_new(sizeof *line);
        ncs_map_put(&t->own->ahead, key, line);
    }
    return line;
}

static void push(struct ncs_timeline *t, const struct ncs_call *call, bool signals)
{
    struct ahead *line = line_of(t, call->comm, call->comm_rank, ncs_call_peer(call), signals);
    NCS_PUSH(line->call, line->count, line->room, call);
}

static void take(struct ncs_timeline *t, const struct ncs_call *call, int peer, bool signals)
{
    struct ahead *line = line_of(t, call->comm, peer, call->comm_rank, signals);
    if (line->first < line->count)
        meet(t, signals ? NCS_MATCH_SIGNAL : NCS_MATCH_PAIR, line->call[line->first++], call);
}

static void take_signals(struct ncs_timeline *t, const struct ncs_call *call)
{
    size_t count;
    const ncclWaitSignalDesc_t *wait = ncs_call_waits(call, &count);
    for (size_t i = 0; wait && i < count; i++)
        for (int k = 0; k < wait[i].opCnt; k++)
            take(t, call, wait[i].peer, true);
}

static void move_alone(struct ncs_timeline *t, const struct ncs_call *call)
{
    if (call->comm < 0)
        return;
    switch ((int)call->fn) {
    case NCS_FN_ncclSend: push(t, call, false); break;
    case NCS_FN_ncclRecv: take(t, call, ncs_call_peer(call), false); break;
    case NCS_FN_ncclPutSignal:
    case NCS_FN_ncclSignal: push(t, call, true); break;
    case NCS_FN_ncclWaitSignal: take_signals(t, call); break;
    }
}

static void note_step(struct ncs_timeline *t, const struct ncs_call *from, const struct ncs_call *to)
{
    struct step *step = ncs_map_get(&t->own->last_step, to->id);
    if (!step) {
        step = ncs_new(sizeof *step);
        ncs_map_put(&t->own->last_step, to->id, step);
    }
    *step = (struct step){ from, to };
}

void ncs_timeline_moved(struct ncs_timeline *t, struct ncs_call *const *calls, size_t count)
{
    if (t->closed)
        return;
    if (count == 1)
        move_alone(t, calls[0]);
    else if (count == 2 && (ncs_call_is_composed(calls[0]) || ncs_call_is_composed(calls[1])))
        note_step(t, calls[0], calls[1]);
    else if (count == 2 && calls[0]->fn == NCS_FN_ncclSend)
        meet(t, NCS_MATCH_PAIR, calls[0], calls[1]);
    else
        meet_all(t, calls, count);
}

void ncs_timeline_finished(struct ncs_timeline *t, const struct ncs_call *call)
{
    struct step *step = t->closed ? NULL : ncs_map_remove(&t->own->last_step, call->id);
    if (step)
        meet(t, NCS_MATCH_COLLECTIVE, step->from, step->to);
    ncs_free(step);
}

static void free_step(void *value, void *arg)
{
    (void)arg;
    ncs_free(value);
}

static void free_ahead(void *value, void *arg)
{
    struct ahead *line = value;
    (void)arg;
    ncs_free(line->call);
    ncs_free(line);
}

void timeline_free_meetings(struct ncs_timeline *t)
{
    ncs_map_each(&t->own->last_step, free_step, NULL);
    ncs_map_each(&t->own->ahead, free_ahead, NULL);
    ncs_map_free(&t->own->last_step);
    ncs_map_free(&t->own->ahead);
}
