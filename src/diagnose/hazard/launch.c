/* NCCL's operations: queued in groups, launched by communicator, and in progress until polled if the communicator is
 * non-blocking. Pins of queued calls and of their waits are released when the queue is dropped. */
#include "api/types.h"
#include "diagnose/hazard/private.h"

static struct line *hazard_line(struct rank *r, int comm, int comm_rank)
{
    struct line **at = &r->lines;
    while (*at && ((*at)->comm != comm || (*at)->comm_rank != comm_rank))
        at = &(*at)->next;
    struct line *l = *at;
    if (l)
        *at = l->next;
    else
        l = ncs_new(sizeof *l);
    l->comm = comm;
    l->comm_rank = comm_rank;
    l->next = r->lines; /* moved to the front: the next call is mostly on the same communicator */
    r->lines = l;
    return l;
}

static void free_line(struct line *l)
{
    hazard_free_past(l);
    ncs_free(l->clock.at);
    ncs_free(l->coming.at);
    ncs_free(l->on);
    ncs_free(l);
}

/* All-to-all, gather and scatter are made of sends and receives, and all of these in a launch move at once. */
static bool moves_at_once(const struct ncs_call *call)
{
    return ncs_call_is_pair(call) || ncs_call_is_composed(call);
}

/* All arguments in one pass, because this runs for every call of NCCL: one look-up each would take six. */
static struct arguments arguments_of(const struct ncs_call *call)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    struct arguments a = { 0 };
    for (int i = 0; i < info->nargs; i++) {
        const union ncs_arg *arg = &call->arg[i];
        switch ((int)info->arg[i].kind) {
        case NCS_ARG_IN: a.in = arg->p; break;
        case NCS_ARG_OUT: a.out = arg->p; break;
        case NCS_ARG_INOUT: a.in = a.out = arg->p; break;
        case NCS_ARG_STREAM: a.stream = arg->p; break;
        case NCS_ARG_COUNT: a.count = (size_t)arg->u, a.counts = true; break;
        case NCS_ARG_DTYPE: a.bytes = ncs_dtype_bytes((int)arg->i); break;
        }
    }
    return a;
}

/* Fills in the pieces of memory that the call touches; returns their number. */
static size_t pieces_of(const struct ncs_hazards *h, const struct queued *q, struct piece piece[PIECES])
{
    const struct ncs_call *call = q->call;
    const struct arguments *a = &q->arguments;
    int nranks = h->journal->comm[call->comm]->nranks;
    size_t block = a->count * a->bytes, count = 0;
    size_t reads = ncs_call_reads(call, nranks), writes = ncs_call_writes(call, nranks);
    if (block == 0)
        return 0;
    bool same = a->in == a->out && reads == writes;
    if (reads && !same)
        piece[count++] = (struct piece){ (uintptr_t)a->in, reads * block, NCS_TOUCH_READ };
    if (writes)
        piece[count++] = (struct piece){ (uintptr_t)a->out, writes * block, NCS_TOUCH_WRITE | (same ? NCS_TOUCH_READ : 0) };
    if (call->redop && call->redop->on_device)
        piece[count++] = (struct piece){ (uintptr_t)call->redop->pointer, ncs_dtype_bytes(call->redop->dtype),
                                         NCS_TOUCH_READ | NCS_TOUCH_SCALAR };
    return count;
}

/* Takes over the pin. */
static void add_vain(struct rank *r, struct vain vain)
{
    struct vain *v = &r->vain[r->vains++ % VAINS];
    ncs_call_unpin(v->sync);
    *v = vain;
}

/* A call whose result only the root gets, on another rank. */
static void launch_off_root(struct rank *r, const struct queued *q)
{
    const struct arguments *a = &q->arguments;
    int nranks = r->all->journal->comm[q->call->comm]->nranks;
    enum ncs_blocks writes = ncs_fn_info[q->call->fn].writes;
    size_t block = a->count * a->bytes;
    if (!ncs_blocks_are_roots(writes) || ncs_call_writes(q->call, nranks) || !block || !a->out)
        return;
    hazard_off_root(r, q->call, (struct piece){ (uintptr_t)a->out, ncs_block_count(writes, true, nranks) * block, 0 },
                    (struct piece){ (uintptr_t)a->in, ncs_call_reads(q->call, nranks) * block, 0 });
}

static void launch_place(struct rank *r, struct queued *q, const struct step *s)
{
    struct piece piece[PIECES];
    struct step own = *s;
    own.call = q->call;
    size_t count = pieces_of(r->all, q, piece);
    for (size_t i = 0; i < count; i++)
        hazard_look(r, &own, &piece[i]);
    for (size_t i = 0; i < count; i++)
        hazard_note(r, &own, &piece[i]);
    launch_off_root(r, q);
    if (q->sync)
        add_vain(r, (struct vain){ s->lane, s->tick, s->tick, q->sync, true });
    q->sync = NULL;
    q->launched = true;
}

static void keep_stream(struct line *l, struct stream *s)
{
    for (size_t i = 0; i < l->ons; i++)
        if (l->on[i] == s)
            return;
    NCS_PUSH(l->on, l->ons, l->room, s);
}

static void launch_settle(struct line *l)
{
    hazard_join(&l->clock, &l->coming);
    for (size_t i = 0; i < l->ons; i++)
        hazard_join(&l->on[i]->clock, &l->coming);
    l->in_progress = false;
    l->ons = 0;
}

/* Launches all calls that the queue has for one communicator. The launch comes behind the present work of its streams
 * and behind the communicator's last launch, and before all later work of these streams. Collectives of the launch run
 * one after the other, sends and receives at once behind them. `coming`: the launch is on its streams only when it is
 * settled, so that later work of these streams is not behind it yet. */
static void launch(struct rank *r, struct queued *queue, size_t count, struct line *l, bool coming)
{
    struct clock *after = &r->scratch;
    unsigned lane = 0;
    bool pairs = false;
    if (l->in_progress) /* several threads use the communicator, a misuse: its launches are still in order */
        launch_settle(l);
    hazard_copy(after, &l->clock);
    l->ons = 0;
    for (size_t i = 0; i < count; i++) {
        if (queue[i].line != l)
            continue;
        keep_stream(l, queue[i].stream);
        pairs |= moves_at_once(queue[i].call);
        lane = lane ? lane : queue[i].stream->lane;
    }
    for (size_t i = 0; i < l->ons; i++)
        hazard_before(r, l->on[i], after);
    if (coming)
        lane = l->lane = l->lane ? l->lane : hazard_lane(r);
    struct step s = { .after = after, .lane = lane };
    l->first = r->tick[lane] + 1;
    struct past *past = hazard_new_past(r, l, after);
    for (size_t i = 0; i < count; i++) {
        if (queue[i].line != l || moves_at_once(queue[i].call))
            continue;
        s.tick = ++r->tick[lane];
        launch_place(r, &queue[i], &s);
        hazard_set(after, lane, s.tick);
    }
    if (pairs)
        s.tick = ++r->tick[lane];
    s.in_launch = true;
    for (size_t i = 0; i < count; i++)
        if (queue[i].line == l && !queue[i].launched)
            launch_place(r, &queue[i], &s);
    hazard_set(after, lane, r->tick[lane]);
    if (past)
        hazard_end_past(r, past, l, queue, count, lane);
    if (coming) {
        hazard_copy(&l->coming, after);
        l->in_progress = true;
        return;
    }
    hazard_copy(&l->clock, after);
    for (size_t i = 0; i < l->ons; i++)
        hazard_copy(&l->on[i]->clock, after);
}

/* Launches of one group on several communicators have no order among each other, even on one stream: NCCL chooses it.
 * Each comes behind the work that was on its streams before the group. So all are coming until the last is launched. */
static void flush(struct rank *r, struct queued *queue, size_t count, uint64_t group, bool pending)
{
    bool several = false;
    for (size_t i = 1; i < count; i++)
        several |= queue[i].line != queue[0].line;
    for (size_t i = 0; i < count; i++) {
        struct line *l = queue[i].line;
        if (queue[i].launched)
            continue;
        launch(r, queue, count, l, pending || several);
        l->group = group;
    }
    for (size_t i = 0; i < count && several && !pending; i++)
        if (queue[i].line->in_progress)
            launch_settle(queue[i].line);
}

/* If one communicator of a group is polled to success, all launches of the group are on their streams: blocking
 * communicators of the group cannot be polled themselves. */
static void settle_with(struct rank *r, const struct line *ready)
{
    uint64_t group = ready->group;
    for (struct line *l = r->lines; l; l = l->next)
        if (l == ready || (l->in_progress && group && l->group == group))
            launch_settle(l);
}

void hazard_communicate(struct rank *r, struct ncs_call *call)
{
    struct arguments a = arguments_of(call);
    if (call->comm < 0 || call->comm_rank < 0 || (a.counts && a.count == 0 && ncs_call_peer(call) < 0))
        return;
    struct thread *t = hazard_thread(r, call);
    const void *handle = a.stream;
    const struct ncs_comm_info *info = r->all->journal->comm[call->comm];
    int device = info->member[call->comm_rank].device;
    bool relative = !handle || handle == (const void *)cudaStreamLegacy || handle == (const void *)cudaStreamPerThread;
    if (relative && device < 0)
        device = hazard_device(r, call);
    struct queued q = { .call = call,
                        .arguments = a,
                        .stream = hazard_stream(r, handle, device, call),
                        .line = hazard_line(r, call->comm, call->comm_rank) };
    if (q.line->in_progress) /* NCCL has taken this call, so the launch before it is on its streams */
        settle_with(r, q.line);
    if (t->depth == 0 || ncs_call_is_immediate(call, info->nranks)) {
        flush(r, &q, 1, call->group, call->rc == ncclInProgress);
        return;
    }
    ncs_call_pin(call);
    NCS_PUSH(t->queue, t->queues, t->room, q);
}

static void drop_queue(struct thread *t)
{
    for (size_t i = 0; i < t->queues; i++) {
        ncs_call_unpin(t->queue[i].call);
        ncs_call_unpin(t->queue[i].sync);
    }
    t->queues = 0;
}

void hazard_group_end(struct rank *r, const struct ncs_call *call)
{
    struct thread *t = hazard_thread(r, call);
    if (t->depth == 0 || --t->depth > 0)
        return;
    bool simulated = call->fn == NCS_FN_ncclGroupSimulateEnd;
    if (call->rc == ncclInProgress || (call->rc == ncclSuccess && !simulated))
        flush(r, t->queue, t->queues, call->group, call->rc == ncclInProgress);
    drop_queue(t);
}

void hazard_settled(struct rank *r, const struct ncs_call *call)
{
    if (call->comm < 0)
        return;
    const struct line *polled = hazard_line(r, call->comm, call->comm_rank);
    if (polled->in_progress)
        settle_with(r, polled);
}

/* Finalize, destroy and abort wait for what the communicator has launched. */
void hazard_end_line(struct rank *r, const struct ncs_call *call, bool gone)
{
    if (call->comm < 0)
        return;
    struct line *l = hazard_line(r, call->comm, call->comm_rank);
    if (l->in_progress)
        launch_settle(l);
    hazard_join(&r->host, &l->clock);
    if (!gone)
        return;
    for (struct thread *t = r->threads; t; t = t->next)
        for (size_t i = 0; i < t->queues; i++)
            if (t->queue[i].line == l)
                return; /* freed with calls of it in an open group, a misuse: the queue still needs the line */
    r->lines = l->next;
    hazard_spare_lane(r, l->lane);
    free_line(l);
}

/* ---- waits that cover nothing ---- */

void hazard_in_vain(struct rank *r, struct ncs_call *sync, const struct stream *s)
{
    struct thread *t = hazard_thread(r, sync);
    for (size_t i = 0; i < t->queues; i++) {
        struct queued *q = &t->queue[i];
        if ((s && q->stream != s) || q->sync)
            continue;
        q->sync = sync;
        ncs_call_pin(sync);
    }
    for (const struct line *l = r->lines; l; l = l->next)
        for (size_t i = 0; i < l->ons && l->in_progress; i++) {
            if (s && l->on[i] != s)
                continue;
            ncs_call_pin(sync);
            add_vain(r, (struct vain){ l->lane, l->first, r->tick[l->lane], sync, false });
            break;
        }
}

static bool meets(const struct piece *a, const struct piece *b)
{
    return a->from < b->from + b->bytes && b->from < a->from + a->bytes;
}

/* How the queued call uses bytes of the piece, if one of the two writes (bits of ncs_touch); 0 = not at all. */
static unsigned clash(const struct rank *r, const struct queued *q, const struct piece *p)
{
    struct piece piece[PIECES];
    size_t count = pieces_of(r->all, q, piece);
    for (size_t k = 0; k < count; k++)
        if (meets(&piece[k], p) && ((piece[k].does | p->does) & NCS_TOUCH_WRITE))
            return piece[k].does & 255;
    return 0;
}

void hazard_look_in_group(struct rank *r, const struct step *s, const struct piece *p)
{
    const struct thread *t = hazard_thread(r, s->call);
    for (size_t i = 0; i < t->queues; i++) {
        const struct queued *q = &t->queue[i];
        struct access a = { .call = q->call, .does = q->sync ? clash(r, q, p) : 0 };
        if (!a.does)
            continue;
        int found = hazard_found(r, NCS_HAZARD_GROUP_SYNC, &a, s, p->does, q->sync);
        hazard_host_read(r, p->from, p->bytes, found);
        return;
    }
}

void hazard_look_ahead(struct rank *r, const struct step *s, const struct stream *stream, const struct piece *p)
{
    const struct thread *t = hazard_thread(r, s->call);
    for (size_t i = 0; i < t->queues; i++) {
        const struct queued *q = &t->queue[i];
        bool ahead = q->stream == stream && !q->sync && !q->launched;
        struct access a = { .call = q->call, .does = ahead ? clash(r, q, p) : 0 };
        if (!a.does)
            continue;
        int found = hazard_found(r, NCS_HAZARD_GROUP_EARLY, &a, s, p->does, NULL);
        if (s->tick == 0)
            hazard_host_read(r, p->from, p->bytes, found);
        return;
    }
}

void hazard_free_launches(struct rank *r)
{
    for (struct thread *t = r->threads; t; t = t->next)
        drop_queue(t);
    for (struct line *l = r->lines, *next; l; l = next) {
        next = l->next;
        free_line(l);
    }
    r->lines = NULL;
    for (unsigned i = 0; i < VAINS; i++)
        ncs_call_unpin(r->vain[i].sync);
}
