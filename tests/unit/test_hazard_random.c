/* Programs made at random, held against the plain model of hazard_model.h: the first hazard is found at
 * the call at which it comes about, and nothing is found that is none. */
#include "base/hash.h"
#include "hazard_lab.h"
#include "hazard_model.h"

enum { PROGRAMS = 1500, STEPS = 60, RANKS = 2, THREADS = 2, DEVICES = 2, QUEUE = 8, PLACES = 9 };
enum { SX, SY, SZ, PINNED, BUFFERS, BYTES = 64 };

static char pinned[BYTES];
static char *const buffer[BUFFERS] = { x, y, z, pinned };
static const void *const handle_of[] = { S, T, B, NULL, cudaStreamPerThread };
enum { IS_S, IS_T, IS_B, IS_LEGACY, IS_OWN, HANDLES };

struct queued {                         /* in an open group */
    int call, comm, handle, lane, turn; /* turn: 1 = moves together with its like */
    bool waited;                        /* in vain */
    struct {
        int buffer, from, bytes;
        bool writes;
    } part[3];
    int parts;
};

struct pending { /* being launched */
    bool on;
    node end;
    int lane[QUEUE], lanes;
    uint64_t group;
};

static struct state { /* of a rank */
    struct model m;
    int stream[PLACES]; /* lanes: S, T, B, the legacy stream of each device, each thread's own of each */
    int device[THREADS], depth[THREADS];
    struct queued queue[THREADS][QUEUE];
    int queued[THREADS];
    struct pending pending[LINES];
} states[RANKS], *st;

static struct ncs_random dice;
static uint64_t groups;

static int draw(int n)
{
    return (int)ncs_random_below(&dice, (uint64_t)n);
}

static int lane_of(int handle, int device)
{
    if (handle == IS_LEGACY)
        return st->stream[3 + device];
    if (handle == IS_OWN)
        return st->stream[5 + thread * DEVICES + device];
    return st->stream[handle];
}

static int lane_here(int handle)
{
    return lane_of(handle, st->device[thread]);
}

static void use(node at, int which, int from, int bytes, bool writes)
{
    model_use(&st->m, at, line, which * BYTES + from, bytes, writes);
}

/* Uses, in an open group, of memory that its calls will use: by the host behind a wait in it, which
 * covers nothing; on a stream of theirs, where it comes before them. */
static void use_in_group(int lane, bool by_host, int which, int from, int bytes, bool writes)
{
    for (int i = 0; i < st->queued[thread]; i++) {
        const struct queued *q = &st->queue[thread][i];
        bool counts = q->waited ? by_host : q->lane == lane;
        for (int k = 0; k < q->parts && counts; k++)
            if (q->part[k].buffer == which && q->part[k].from < from + bytes && from < q->part[k].from + q->part[k].bytes &&
                (writes || q->part[k].writes) && st->m.founds < FOUND) {
                st->m.found[st->m.founds].earlier = q->call;
                st->m.found[st->m.founds++].later = line;
            }
    }
}

static void wait_in_vain(int lane)
{
    for (int i = 0; i < st->queued[thread]; i++)
        if (lane < 0 || st->queue[thread][i].lane == lane)
            st->queue[thread][i].waited = true;
}

/* ---- copies and fills ---- */

static struct ncs_call *copy_call(bool waits, int handle, const void *to, const void *from, int bytes)
{
    struct ncs_call *call = make(waits ? NCS_FN_cudaMemcpy : NCS_FN_cudaMemcpyAsync);
    call->arg[0].p = to;
    call->arg[1].p = from;
    call->arg[2].u = (uint64_t)bytes;
    call->arg[3].i = cudaMemcpyDefault;
    call->arg[4].p = waits ? NULL : handle_of[handle];
    return call;
}

static void step_copy(void)
{
    bool waits = draw(2);
    int handle = waits ? IS_LEGACY : draw(HANDLES);
    int bytes = 16 << draw(2), to = draw(BUFFERS + 1), from = draw(BUFFERS + 1);
    int at = 16 * draw(2), of = 16 * draw(2);
    bool host_to = to == BUFFERS, host_from = from == BUFFERS;
    tell(copy_call(waits, handle, host_to ? host : buffer[to] + at, host_from ? host : buffer[from] + of, bytes));
    bool between = to < PINNED && from < PINNED;
    bool waited = host_to || (waits && !between);
    node n = model_in_lane(&st->m, lane_here(handle));
    if (!host_from)
        use(n, from, of, bytes, false);
    if (!host_to)
        use(n, to, at, bytes, true);
    if (!host_from)
        use_in_group(lane_here(handle), waited, from, of, bytes, false);
    if (!host_to)
        use_in_group(lane_here(handle), waited, to, at, bytes, true);
    if (waited)
        model_host_after(&st->m, n);
}

static void step_fill(void)
{
    bool waits = draw(4) == 0;
    int handle = waits ? IS_LEGACY : draw(HANDLES), which = draw(BUFFERS), from = 16 * draw(2);
    struct ncs_call *call = make(waits ? NCS_FN_cudaMemset : NCS_FN_cudaMemsetAsync);
    call->arg[0].p = buffer[which] + from;
    call->arg[2].u = 32;
    call->arg[3].p = waits ? NULL : handle_of[handle];
    tell(call);
    node n = model_in_lane(&st->m, lane_here(handle));
    use(n, which, from, 32, true);
    use_in_group(lane_here(handle), waits && which == PINNED, which, from, 32, true);
    if (waits && which == PINNED)
        model_host_after(&st->m, n);
}

/* ---- order ---- */

static void step_wait(void)
{
    int handle = draw(HANDLES), lane = lane_here(handle);
    bool asks = draw(3) == 0;
    call0(asks ? NCS_FN_cudaStreamQuery : NCS_FN_cudaStreamSynchronize, handle_of[handle]);
    wait_in_vain(lane);
    node n = st->m.lane[lane].tail;
    if (st->m.lane[lane].legacy) { /* as an operation in it would */
        n = model_node(&st->m);
        model_after_lane(&st->m, n, lane);
    }
    model_host_after(&st->m, n);
    if (asks)
        model_hear(&st->m);
}

static void wait_for_device(int device)
{
    node n = model_node(&st->m);
    for (int i = 0; i < st->m.lanes; i++)
        if (device < 0 || st->m.lane[i].device == device)
            model_after(&st->m, n, st->m.lane[i].tail);
    model_host_after(&st->m, n);
}

static void step_wait_for_device(void)
{
    call0(NCS_FN_cudaDeviceSynchronize, NULL);
    wait_in_vain(-1);
    wait_for_device(st->device[thread]);
}

static const void *event_of(int which)
{
    return &handles[5 + which];
}

static void step_record(void)
{
    int handle = draw(HANDLES), which = draw(EVENTS), lane = lane_here(handle);
    call2(NCS_FN_cudaEventRecord, event_of(which), handle_of[handle]);
    wait_in_vain(lane);
    st->m.event[which] = model_in_lane(&st->m, lane);
}

static void step_wait_for_event(void)
{
    int which = draw(EVENTS), handle = draw(HANDLES);
    if (draw(3) == 0) {
        call0(NCS_FN_cudaEventSynchronize, event_of(which));
        model_host_after(&st->m, st->m.event[which]);
        model_hear(&st->m);
        return;
    }
    call2(NCS_FN_cudaStreamWaitEvent, handle_of[handle], event_of(which));
    model_after(&st->m, model_in_lane(&st->m, lane_here(handle)), st->m.event[which]);
}

static void step_host_function(void)
{
    int handle = draw(HANDLES);
    if (draw(2)) {
        ncs_hazards_waited(h, rank);
        model_hear(&st->m);
        return;
    }
    call0(NCS_FN_cudaLaunchHostFunc, handle_of[handle]);
    st->m.told[st->m.tolds++] = model_in_lane(&st->m, lane_here(handle));
}

static void step_device(void)
{
    struct ncs_call *call = make(NCS_FN_cudaSetDevice);
    call->arg[0].i = st->device[thread] = draw(DEVICES);
    tell(call);
}

/* Work that is left goes on. */
static void step_new_stream(void)
{
    if (st->m.lanes == LANES || st->queued[0] || st->queued[1] || st->pending[0].on || st->pending[1].on)
        return;
    call0(NCS_FN_cudaStreamDestroy, T);
    line++;
    stream(T, cudaStreamNonBlocking);
    st->stream[IS_T] = model_add_lane(&st->m, st->device[thread], false, false);
}

static void step_free(void)
{
    int which = draw(PINNED), handle = draw(HANDLES);
    for (int t = 0; t < THREADS; t++)
        if (st->queued[t])
            return; /* what is queued and whose memory is gone is another mistake */
    node n;
    if (draw(2)) {
        call2(NCS_FN_cudaFreeAsync, buffer[which], handle_of[handle]);
        n = model_in_lane(&st->m, lane_here(handle));
    } else {
        call0(NCS_FN_cudaFree, buffer[which]);
        wait_for_device(-1);
        n = st->m.host;
    }
    use(n, which, 0, BYTES, true);
    model_forget(&st->m, which * BYTES, BYTES);
    line++;
    allocate(NCS_FN_cudaMalloc, buffer[which]);
}

/* ---- NCCL ---- */

static void settle(int which)
{
    struct pending *p = &st->pending[which];
    for (int i = 0; i < p->lanes; i++) {
        node n = model_node(&st->m);
        model_after(&st->m, n, p->end);
        model_after(&st->m, n, st->m.lane[p->lane[i]].tail);
        st->m.lane[p->lane[i]].tail = n;
    }
    st->m.line[which] = p->end;
    p->on = false;
}

static void settle_with(int which)
{
    uint64_t group = st->pending[which].group;
    if (!st->pending[which].on)
        return;
    for (int i = 0; i < LINES; i++)
        if (st->pending[i].on && (i == which || (group && st->pending[i].group == group)))
            settle(i);
}

static node place(const struct queued *q, node after)
{
    node n = model_node(&st->m);
    int told = line;
    model_after(&st->m, n, after);
    line = q->call;
    for (int i = 0; i < q->parts; i++)
        use(n, q->part[i].buffer, q->part[i].from, q->part[i].bytes, q->part[i].writes);
    line = told;
    return n;
}

static void launch(const struct queued *q, int count, int which, uint64_t group)
{
    struct pending p = { .on = true, .group = group };
    if (st->pending[which].on)
        settle(which); /* by another thread's group, opened before */
    node start = model_node(&st->m);
    model_after(&st->m, start, st->m.line[which]);
    for (int i = 0; i < count; i++)
        if (q[i].comm == which) {
            model_after_lane(&st->m, start, q[i].lane);
            p.lane[p.lanes++] = q[i].lane;
        }
    if (p.lanes == 0)
        return;
    for (int i = 0; i < count; i++)
        if (q[i].comm == which && q[i].turn == 0)
            start = place(&q[i], start);
    p.end = model_node(&st->m);
    model_after(&st->m, p.end, start);
    for (int i = 0; i < count; i++)
        if (q[i].comm == which && q[i].turn == 1)
            model_after(&st->m, p.end, place(&q[i], start));
    st->pending[which] = p;
}

static void flush(const struct queued *q, int count, bool pends, uint64_t group)
{
    bool done[LINES] = { false };
    for (int i = 0; i < count; i++) {
        if (!done[q[i].comm])
            launch(q, count, q[i].comm, group);
        done[q[i].comm] = true;
    }
    for (int i = 0; i < LINES && !pends; i++)
        if (done[i])
            settle(i);
}

static void add_part(struct queued *q, int which, int from, int bytes, bool writes)
{
    if (bytes == 0)
        return;
    q->part[q->parts].buffer = which;
    q->part[q->parts].from = from;
    q->part[q->parts].bytes = bytes;
    q->part[q->parts++].writes = writes;
}

static const struct {
    enum ncs_fn fn;
    int in, out, dtype, stream, turn, reads, writes;
} kinds[] = {
    { NCS_FN_ncclAllReduce, 0, 1, 3, 6, 0, 1, 1 },     { NCS_FN_ncclAllGather, 0, 1, 3, 5, 0, 1, 2 },
    { NCS_FN_ncclReduceScatter, 0, 1, 3, 6, 0, 2, 1 }, { NCS_FN_ncclAlltoAll, 0, 1, 3, 5, 1, 2, 2 },
    { NCS_FN_ncclSend, 0, -1, 2, 5, 1, 1, 0 },         { NCS_FN_ncclRecv, -1, 0, 2, 5, 1, 0, 1 },
};

/* Fills the call and what it does. Communicator 2 has one rank, and its calls go at once. */
static struct ncs_call *communication(struct queued *q, int which)
{
    size_t k = (size_t)draw(which == 2 ? 1 : 6);
    int from = draw(PINNED), to = draw(PINNED), of = 16 * draw(2), at = 16 * draw(2);
    int handle = draw(HANDLES), count = kinds[k].turn && kinds[k].reads != 2 ? 4 * draw(2) : 4;
    struct ncs_call *call = in_comm(make(kinds[k].fn), which);
    *q = (struct queued){ .call = line, .comm = which, .handle = handle, .lane = lane_of(handle, 0), .turn = kinds[k].turn };
    if (kinds[k].in >= 0)
        call->arg[kinds[k].in].p = buffer[from] + of;
    if (kinds[k].out >= 0)
        call->arg[kinds[k].out].p = buffer[to] + at;
    call->arg[kinds[k].dtype - 1].u = (uint64_t)count;
    call->arg[kinds[k].dtype].i = ncclFloat32;
    if (kinds[k].in < 0 || kinds[k].out < 0)
        call->arg[3].i = 1 - rank;
    call->arg[kinds[k].stream].p = handle_of[handle];
    if (kinds[k].reads)
        add_part(q, from, of, 4 * count * kinds[k].reads, false);
    if (kinds[k].writes)
        add_part(q, to, at, 4 * count * kinds[k].writes, true);
    return call;
}

static void step_communicate(void)
{
    static struct ncs_redop op = { .dtype = ncclFloat32, .on_device = true };
    struct queued q;
    int which = draw(LINES);
    if (st->queued[thread] == QUEUE)
        return;
    struct ncs_call *call = communication(&q, which);
    if (call->fn == NCS_FN_ncclAllReduce && draw(4) == 0) {
        op.pointer = z + 60;
        call->redop = &op;
        add_part(&q, SZ, 60, 4, false);
    }
    settle_with(which); /* or it would have been refused */
    bool at_once = which == 2 || st->depth[thread] == 0, pends = at_once && which == 1 && draw(2);
    call->rc = pends ? ncclInProgress : ncclSuccess;
    tell(call);
    if (at_once)
        flush(&q, 1, pends, 0);
    else
        st->queue[thread][st->queued[thread]++] = q;
}

static void step_group(void)
{
    if (st->depth[thread] == 0 || (st->depth[thread] == 1 && draw(6) == 0)) {
        st->depth[thread]++;
        call0(NCS_FN_ncclGroupStart, NULL);
        return;
    }
    bool pends = st->queued[thread] > 0, ends = --st->depth[thread] == 0;
    for (int i = 0; i < st->queued[thread]; i++)
        pends = pends && st->queue[thread][i].comm == 1;
    struct ncs_call *call = make(NCS_FN_ncclGroupEnd);
    call->group = ends ? ++groups : 0;
    call->rc = ends && pends ? ncclInProgress : ncclSuccess;
    tell(call);
    if (!ends)
        return;
    flush(st->queue[thread], st->queued[thread], pends, groups);
    st->queued[thread] = 0;
}

static void step_poll(void)
{
    poll(1, ncclSuccess);
    settle_with(1);
}

static void step_end_comm(void)
{
    int which = draw(LINES);
    for (int t = 0; t < THREADS; t++)
        for (int i = 0; i < st->queued[t]; i++)
            if (st->queue[t][i].comm == which)
                return;
    struct ncs_call *call = make(NCS_FN_ncclCommDestroy);
    call->comm = which;
    call->comm_rank = comm_rank_of(which);
    tell(call);
    if (st->pending[which].on)
        settle(which);
    model_host_after(&st->m, st->m.line[which]);
    st->m.line[which] = 0;
}

static const struct {
    int weight;
    void (*step)(void);
} steps[] = {
    { 5, step_copy },           { 3, step_fill },          { 5, step_wait },   { 1, step_wait_for_device }, { 5, step_record },
    { 6, step_wait_for_event }, { 2, step_host_function }, { 1, step_device }, { 1, step_new_stream },      { 1, step_free },
    { 8, step_communicate },    { 4, step_group },         { 3, step_poll },   { 1, step_end_comm },
};

static void take_any_step(void)
{
    int all = 0;
    size_t i = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        all += steps[k].weight;
    for (int left = draw(all); left >= steps[i].weight; i++)
        left -= steps[i].weight;
    steps[i].step();
}

/* Tries it out on a copy of the model, with others who look on. */
static bool would_be_a_hazard(void)
{
    static struct state before;
    struct ncs_hazards *watching = h;
    uint64_t calls = made, ended = groups;
    int at = line;
    before = *st;
    h = ncs_hazards_open(&journal, &(struct ncs_hazards_options){ 0 });
    take_any_step();
    ncs_hazards_close(h);
    bool is_one = st->m.founds > 0;
    *st = before;
    h = watching;
    made = calls;
    groups = ended;
    line = at;
    return is_one;
}

/* Few steps that would be a hazard are taken, so that programs get long and have a past. */
static void take_step(void)
{
    for (int tries = 0; tries < 8; tries++) {
        struct ncs_random thrown = dice;
        if (would_be_a_hazard() && draw(8))
            continue;
        dice = thrown;
        break;
    }
    take_any_step();
}

/* ---- the comparison ---- */

static bool is_in_model(const struct ncs_hazard *f)
{
    const struct model *m = &states[f->at[0].rank].m;
    for (int i = 0; i < m->founds; i++)
        if (m->found[i].earlier == f->earlier->place.line && m->found[i].later == f->later->place.line)
            return true;
    return false;
}

static const char *name_at(int which)
{
    for (int i = 0; i < RECORDS; i++)
        if (records[i].id && records[i].place.line == which)
            return ncs_fn_info[records[i].fn].name;
    return "?";
}

static bool compare(int program)
{
    size_t count;
    const struct ncs_hazard *f = ncs_hazards_found(h, &count);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(is_in_model(&f[i]), "program %d: %s (%d) and %s (%d) are in order", program,
                      ncs_fn_info[f[i].earlier->fn].name, f[i].earlier->place.line, ncs_fn_info[f[i].later->fn].name,
                      f[i].later->place.line);
    bool wanted = false;
    for (int r = 0; r < RANKS && !wanted; r++) {
        const struct model *m = &states[r].m;
        wanted = m->founds > 0;
        ck_assert_msg(!wanted || count, "program %d: %s (%d) and %s (%d) of rank %d are not found", program,
                      name_at(m->found[0].earlier), m->found[0].earlier, name_at(m->found[0].later), m->found[0].later, r);
    }
    return wanted;
}

static void begin_rank(int which)
{
    st = &states[which];
    open_rank(which);
    allocate(NCS_FN_cudaMallocHost, pinned);
    memset(st, 0, sizeof *st);
    model_open(&st->m);
    for (int i = 0; i < PLACES; i++)
        st->stream[i] = model_add_lane(&st->m, i > 2 && (i - 3) % DEVICES, i == 3 || i == 4, i >= IS_B);
}

/* Returns whether it has a hazard; it goes on for a while behind that, when what is found is still to be
 * one. */
static bool run_program(int program)
{
    dice.state = (uint64_t)program;
    made = 0;
    line = 0;
    open_lab();
    for (int r = 0; r < RANKS; r++)
        begin_rank(r);
    bool found_one = false;
    line = 32;
    for (int i = 0, more = 10; i < STEPS && more > 0; i++, line++) {
        rank = draw(RANKS);
        thread = draw(4) == 0;
        st = &states[rank];
        take_step();
        found_one = compare(program);
        more -= found_one;
    }
    close_lab();
    rank = thread = 0;
    return found_one;
}

START_TEST(what_is_found_is_what_nothing_orders)
{
    int with = 0;
    for (int i = 0; i < PROGRAMS; i++)
        with += run_program(i);
    ck_assert_int_gt(with, PROGRAMS / 4); /* both kinds of programs are there */
    ck_assert_int_lt(with, PROGRAMS * 9 / 10);
}
END_TEST

NCS_TEST_MAIN("hazard_random", what_is_found_is_what_nothing_orders)
