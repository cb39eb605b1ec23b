/* One size on one rank: data, times, checks, figures. */

#include "api/machine.h"
#include "api/types.h"
#include "base/mem.h"
#include "base/thread.h"
#include "bench/data.h"
#include "bench/private.h"

/* ---- time ---- */

static int64_t bench_now(const struct ncs_bench_rank *r)
{
    return r->bench->options.clock == NCS_BENCH_VIRTUAL ? ncs_run_machine(r->run)->now() : ncs_clock();
}

static bool bench_meet(struct ncs_bench_rank *r)
{
    r->rounds++;
    return ncs_run_barrier(r->run, NULL, 0, -1);
}

/* Waits for all ranks. Ranks of the simulator go on one after the other, so their common time begins with the
 * first one; those of a real machine go on together, and each has a time of its own. */
static bool meet_and_begin(struct ncs_bench_rank *r, int64_t *begin)
{
    struct ncs_bench *b = r->bench;
    if (!bench_meet(r))
        return false;
    *begin = bench_now(r);
    if (b->real)
        return true;
    if (b->rounds != r->rounds) {
        b->rounds = r->rounds;
        b->opened = *begin;
    }
    *begin = b->opened;
    return true;
}

/* ---- calls ---- */

struct test {
    const struct ncs_bench_shape *shape;
    int type, op, root;
    bool in_place;
};

static char *send_of(const struct ncs_bench_rank *r, const struct test *t)
{
    size_t bytes = ncs_dtype_bytes(t->type), skip = r->bench->options.unalign;
    if (!t->in_place)
        return r->send + skip * bytes;
    return r->recv + (skip + t->shape->send_step * (size_t)r->rank) * bytes;
}

static char *recv_of(const struct ncs_bench_rank *r, const struct test *t)
{
    size_t skip = r->bench->options.unalign;
    if (t->in_place)
        skip += t->shape->recv_step * (size_t)r->rank;
    return r->recv + skip * ncs_dtype_bytes(t->type);
}

static bool make_call(struct ncs_bench_rank *r, const struct test *t, const struct ncs_api *api)
{
    const struct ncs_bench_collective *c = r->bench->collective;
    struct ncs_bench_call call = {
        .api = api,
        .send = send_of(r, t),
        .recv = recv_of(r, t),
        .count = t->shape->count,
        .type = (ncclDataType_t)t->type,
        .op = t->op == NCS_BENCH_MULSUM ? r->mulsum : (ncclRedOp_t)t->op,
        .root = t->root,
        .rank = r->rank,
        .nranks = r->bench->nranks,
        .comm = r->comm,
        .stream = r->stream,
    };
    return ncs_bench_is_fine(r, c->call(&call), c->name);
}

static bool finish_calls(struct ncs_bench_rank *r, const struct ncs_api *api)
{
    return CUDA(r, api, cudaStreamSynchronize, r->stream);
}

/* The calls of one iteration. */
static bool make_round(struct ncs_bench_rank *r, const struct test *t, const struct ncs_api *api)
{
    const struct ncs_bench_options *o = &r->bench->options;
    if (o->rounds > 1 && !NCCL(r, api, ncclGroupStart))
        return false;
    for (int i = 0; i < o->rounds; i++)
        if (!make_call(r, t, api))
            return false;
    if (o->rounds > 1 && !NCCL(r, api, ncclGroupEnd))
        return false;
    if (o->blocking == NCS_BENCH_FREE || o->blocking == NCS_BENCH_ROUNDS)
        return true;
    return finish_calls(r, api) && (o->blocking == NCS_BENCH_EACH_ALONE || bench_meet(r));
}

static bool make_calls(struct ncs_bench_rank *r, const struct test *t, int iters)
{
    const struct ncs_api *api = ncs_run_driver_api(r->run);
    const bool apart = r->bench->options.blocking == NCS_BENCH_ROUNDS;
    for (int i = 0; i < iters; i++) {
        int64_t before, after;
        if (!make_round(r, t, api))
            return false;
        if (!apart)
            continue;
        if (!finish_calls(r, api))
            return false;
        before = bench_now(r);
        if (!meet_and_begin(r, &after))
            return false;
        r->interval.apart += after > before ? after - before : 0;
    }
    return true;
}

/* The timed calls, or launches of a graph of them; the time of making the graph does not count. */
static bool make_timed_calls(struct ncs_bench_rank *r, const struct test *t)
{
    const struct ncs_bench_options *o = &r->bench->options;
    const struct ncs_api *api = ncs_run_driver_api(r->run);
    if (o->launches == 0)
        return meet_and_begin(r, &r->interval.begin) && make_calls(r, t, o->iters);
    return ncs_bench_graph_begin(r, api) && make_calls(r, t, o->iters) && ncs_bench_graph_end(r, api) &&
           meet_and_begin(r, &r->interval.begin) && ncs_bench_graph_launch(r, api, o->launches);
}

static bool time_calls(struct ncs_bench_rank *r, const struct test *t)
{
    const struct ncs_api *api = ncs_run_driver_api(r->run);
    r->interval = (struct ncs_bench_interval){ 0 };
    if (!make_calls(r, t, r->bench->options.warmup) || !finish_calls(r, api))
        return false;
    r->interval.apart = 0;
    if (!make_timed_calls(r, t))
        return false;
    r->interval.enqueued = bench_now(r);
    if (!finish_calls(r, api))
        return false;
    r->interval.end = bench_now(r);
    return ncs_bench_graph_drop(r, api) && bench_meet(r);
}

/* Each call by itself, from the point where all ranks have come together until it is done. */
static bool time_each(struct ncs_bench_rank *r, const struct test *t)
{
    const struct ncs_api *api = ncs_run_driver_api(r->run);
    for (int i = 0; i < r->bench->options.iters; i++) {
        int64_t begin;
        if (!meet_and_begin(r, &begin) || !make_call(r, t, api) || !finish_calls(r, api))
            return false;
        r->each[i] = (double)(bench_now(r) - begin) / 1e3;
    }
    return bench_meet(r);
}

/* ---- data and checks ---- */

static bool fill_with_pattern(struct ncs_bench_rank *r, const struct test *t, char *to, size_t count, uint64_t seed)
{
    const struct ncs_api *api = ncs_run_driver_api(r->run);
    size_t bytes = ncs_dtype_bytes(t->type), piece = count < NCS_BENCH_PERIOD ? count : NCS_BENCH_PERIOD;
    ncs_bench_pattern(t->type, seed, r->host, piece);
    for (size_t i = 0; i < count; i += piece) {
        size_t left = count - i < piece ? count - i : piece;
        if (!CUDA(r, api, cudaMemcpy, to + i * bytes, r->host, left * bytes, cudaMemcpyHostToDevice))
            return false;
    }
    return true;
}

/* The input, and before it the output, which must not look right already. */
static bool fill_buffers(struct ncs_bench_rank *r, const struct test *t, int check)
{
    uint64_t seed = (uint64_t)r->rank * 1000 + (uint64_t)check;
    return fill_with_pattern(r, t, recv_of(r, t), t->shape->recv, ~seed) &&
           fill_with_pattern(r, t, send_of(r, t), t->shape->send, seed);
}

/* A call that is verified, as a graph if the timed ones are. On real hardware the copies that verification makes of a call's data
 * cannot be captured. */
static bool make_checked_call(struct ncs_bench_rank *r, const struct test *t)
{
    const struct ncs_api *api = ncs_run_api(r->run);
    if (r->bench->real)
        return make_call(r, t, api) && finish_calls(r, api);
    return ncs_bench_graph_begin(r, api) && make_call(r, t, api) && ncs_bench_graph_end(r, api) &&
           ncs_bench_graph_launch(r, api, 1) && finish_calls(r, api) && ncs_bench_graph_drop(r, api);
}

static bool check_calls(struct ncs_bench_rank *r, const struct test *t, struct ncs_bench_figure *figure)
{
    struct ncs_bench *b = r->bench;
    for (int i = 0; i < b->options.checks; i++) {
        if (!fill_buffers(r, t, i + 1) || !bench_meet(r))
            return false;
        if (r->rank == 0)
            b->wrong = ncs_run_wrong_elements(r->run);
        if (!bench_meet(r) || !make_checked_call(r, t) || !bench_meet(r))
            return false;
        if (r->rank == 0)
            figure->wrong += ncs_run_wrong_elements(r->run) - b->wrong;
    }
    figure->checked = b->options.checks > 0;
    return true;
}

/* ---- figures ---- */

static double time_of(const struct ncs_bench *b, const struct ncs_bench_interval *i)
{
    int64_t end = b->options.enqueueing ? i->enqueued : i->end;
    int launches = b->options.launches > 0 ? b->options.launches : 1;
    return (double)(end - i->begin - i->apart) / 1e3 / b->options.iters / b->options.rounds / launches;
}

/* The one time that stands for those of all ranks, in microseconds. */
static double time_of_all(const struct ncs_bench *b)
{
    double sum = 0, least = 0, most = 0;
    for (int i = 0; i < b->nranks; i++) {
        double time = time_of(b, &b->rank[i]->interval);
        sum += time;
        least = i == 0 || time < least ? time : least;
        most = i == 0 || time > most ? time : most;
    }
    switch (b->options.average) {
    case NCS_BENCH_RANK0: return time_of(b, &b->rank[0]->interval);
    case NCS_BENCH_LEAST: return least;
    case NCS_BENCH_MOST: return most;
    default: return sum / b->nranks;
    }
}

static void take_figure(const struct ncs_bench *b, const struct test *t, struct ncs_bench_figure *figure)
{
    size_t bytes = t->shape->count * ncs_dtype_bytes(t->type);
    figure->time = time_of_all(b);
    if (figure->time > 0)
        figure->algbw = (double)bytes * b->collective->volume(b->nranks) / 1e3 / figure->time;
    figure->busbw = figure->algbw * b->collective->factor(b->nranks);
}

/* The slowest rank's time of each call. */
static void take_each(const struct ncs_bench *b, struct ncs_bench_each *each)
{
    size_t times = (size_t)b->options.iters;
    each->time = ncs_new(times * sizeof *each->time);
    each->times = times;
    for (size_t i = 0; i < times; i++)
        for (int r = 0; r < b->nranks; r++)
            if (b->rank[r]->each[i] > each->time[i])
                each->time[i] = b->rank[r]->each[i];
    ncs_bench_summarize(each, (size_t)b->options.skip);
}

static bool measure_place(struct ncs_bench_rank *r, const struct test *t, struct ncs_bench_figure *figure)
{
    struct ncs_bench *b = r->bench;
    if (!fill_buffers(r, t, 0) || !time_calls(r, t))
        return false;
    if (r->rank == 0)
        take_figure(b, t, figure);
    if (b->options.each && !time_each(r, t))
        return false;
    if (r->rank == 0 && b->options.each)
        take_each(b, &figure->each);
    return (t->in_place && b->collective->fixed_place) || check_calls(r, t, figure);
}

bool ncs_bench_measure(struct ncs_bench_rank *r, size_t size, int type, int op, int root)
{
    struct ncs_bench *b = r->bench;
    size_t bytes = ncs_dtype_bytes(type);
    struct ncs_bench_shape shape = b->collective->shape(size / bytes, bytes, b->nranks);
    struct test t = { &shape, type, op, root < 0 ? 0 : root, false };
    struct ncs_bench_row row = {
        .collective = b->collective,
        .count = shape.count,
        .type = type,
        .op = op,
        .root = root,
        .size = (shape.send > shape.recv ? shape.send : shape.recv) * bytes,
    };
    bool ok = measure_place(r, &t, &row.out);
    t.in_place = true;
    ok = ok && measure_place(r, &t, &row.in);
    if (ok && r->rank == 0)
        b->on_row(b->arg, &row);
    ncs_free(row.out.each.time);
    ncs_free(row.in.each.time);
    return ok;
}
