/* Carries out a task of data movement: selects the blocks that are read, the order in which they
 * are combined, and the place where they are written. The loops do the arithmetic. */
#include "sim/data/data.h"

#include <stdint.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "sim/data/data_plan.h"
#include "sim/data/data_stream.h"
#include "sim/data/dtype.h"
#include "sim/data/pages.h"

enum { GRAIN = 256 * 1024 }; /* bytes written by a core at a time, at least */

/* Inputs and outputs of more bytes than this do not stay in the caches of today's processors. Outputs that are no
 * inputs are then written past them, which saves reading what is overwritten (measured: 1.5 times as fast). */
#define STREAMS_LEAST ((size_t)32 << 20)

const struct data_loops *sim_data_loops(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) /* every processor with AVX2 has F16C */
        return sim_data_loops_avx2;
#endif
    return sim_data_loops_portable;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- reductions ---- */

static struct data_recipe recipe_of(const struct data_part *part, int nranks, const struct data_loops *loops)
{
    struct data_recipe r = {
        .dtype = part->dtype,
        .op = part->premul ? ncclSum : part->op,
        .premul = part->premul,
        .element = ncs_dtype_bytes(part->dtype),
        .loops = loops[part->dtype].store ? &loops[part->dtype] : &sim_data_loops()[part->dtype],
    };

    r.step = r.op == ncclAvg ? DATA_SUM : (enum data_step)r.op;
    r.average = r.op == ncclAvg && sim_dtype_is_float(part->dtype);
    if (r.average)
        sim_dtype_inverse(part->dtype, nranks, r.inverse);
    return r;
}

static bool same_recipe(const struct data_recipe *r, const struct data_part *part)
{
    return r->dtype == part->dtype && r->premul == part->premul && (part->premul || r->op == part->op);
}

static void make_recipes(struct data_plan *plan)
{
    const struct data_task *task = plan->task;
    size_t room = 0;

    for (int rank = plan->from; rank < plan->to; rank++) {
        const struct data_part *part = &task->part[rank];
        int i = 0;
        while (i < plan->recipes && !same_recipe(&plan->recipe[i], part))
            i++;
        if (i == plan->recipes) {
            struct data_recipe made = recipe_of(part, task->nranks, plan->loops);
            size_t made_before = (size_t)plan->recipes;
            NCS_PUSH(plan->recipe, made_before, room, made);
            plan->recipes = (int)made_before;
        }
        if (i > 0 && !plan->which)
            plan->which = ncs_new((size_t)task->nranks * sizeof *plan->which);
        if (plan->which)
            plan->which[rank] = i;
    }
}

/* The factor for each input of the rank under this recipe; NULL = no scaling. */
static const void *part_scalar(const struct data_recipe *r, const struct data_part *part)
{
    if (r->average)
        return r->inverse;
    return r->premul && part->premul && part->dtype == r->dtype ? part->scalar : NULL;
}

/* Where a block is computed. What is held as it is stored is the result itself: a second block that is written beside it
 * makes large reductions slower by a quarter (measured). */
struct room {
    unsigned char held[DATA_HELD], stored[DATA_BLOCK];
};

/* Combines `bytes` bytes at `offset` of every input. Returns the result, in the room. */
static const unsigned char *reduce(const struct data_plan *plan, const struct data_recipe *r, size_t offset, size_t bytes,
                                   struct room *room)
{
    const struct data_task *task = plan->task;
    unsigned char *held = room->held;
    size_t n = bytes / r->element;
    bool first = true, divides = r->op == ncclAvg && !r->average;
    int last = task->nranks - 1 - (plan->left_out == task->nranks - 1);

    for (int rank = 0; rank < task->nranks; rank++) {
        if (rank == plan->left_out)
            continue;
        const struct data_part *part = &task->part[rank];
        const void *scalar = part_scalar(r, part);
        enum data_step step = first ? (scalar ? DATA_FIRST_SCALED : DATA_FIRST) : (scalar ? DATA_SUM_SCALED : r->step);
        if (rank == last && step == DATA_SUM && !divides && r->loops->step[DATA_LAST_SUM])
            step = DATA_LAST_SUM;
        r->loops->step[step](held, (const unsigned char *)part->send + offset, n, scalar);
        if (step == DATA_LAST_SUM)
            return held;
        first = false;
    }
    if (divides)
        r->loops->divide(held, n, task->nranks);
    r->loops->store(room->stored, held, n);
    return room->stored;
}

static void result_put(const struct data_plan *plan, const struct data_part *part, size_t offset, const void *from, size_t bytes)
{
    unsigned char *to = part->recv;
    if (to && plan->streams)
        sim_data_stream(to + offset, from, bytes);
    else if (to)
        memcpy(to + offset, from, bytes);
}

/* A block under the eyes of the observer. */
struct watched {
    const struct ncs_watch *watch;
    size_t at, bytes;
    _Alignas(64) unsigned char room[NCS_BLOCK];
};

static void data_watch_before(struct watched *w, size_t at, size_t bytes)
{
    w->at = at;
    w->bytes = bytes;
    if (w->watch)
        w->watch->before(w->watch->self, at, bytes, w->room);
}

static void data_watch_after(struct watched *w)
{
    if (w->watch)
        w->watch->after(w->watch->self, w->at, w->bytes, w->room);
}

/* All results of a block are computed before any is written: in place, an output is also an input. */
static void reduce_blocks(size_t begin, size_t end, void *arg)
{
    const struct data_plan *plan = arg;
    const struct data_part *part = plan->task->part;
    size_t recipes = (size_t)plan->recipes;
    const unsigned char *one_result = NULL, **result = recipes == 1 ? &one_result : ncs_new(recipes * sizeof *result);
    _Alignas(64) struct room one_room;
    struct room *room = recipes == 1 ? &one_room : ncs_new(recipes * sizeof *room);
    struct watched watched;
    watched.watch = plan->task->watch;

    for (size_t block = begin; block < end; block++) {
        size_t offset = block * DATA_BLOCK, bytes = smaller(DATA_BLOCK, plan->bytes - offset);
        data_watch_before(&watched, offset, bytes);
        for (int i = 0; i < plan->recipes; i++)
            result[i] = reduce(plan, &plan->recipe[i], offset, bytes, &room[i]);
        for (int rank = plan->from; rank < plan->to; rank++) {
            size_t i = plan->which ? (size_t)plan->which[rank] : 0;
            result_put(plan, &part[rank], offset, result[i], bytes);
        }
        data_watch_after(&watched);
    }
    if (plan->streams)
        sim_data_stream_end();
    if (recipes != 1) {
        ncs_free(room);
        ncs_free(result);
    }
}

static void reduce_own_blocks(size_t begin, size_t end, void *arg)
{
    const struct data_plan *plan = arg;
    _Alignas(64) struct room room;
    struct watched watched;
    watched.watch = plan->task->watch;

    for (size_t block = begin; block < end; block++) {
        size_t rank = block / plan->blocks, offset = block % plan->blocks * DATA_BLOCK;
        size_t bytes = smaller(DATA_BLOCK, plan->bytes - offset);
        const struct data_recipe *r = &plan->recipe[plan->which ? plan->which[rank] : 0];
        data_watch_before(&watched, rank * plan->bytes + offset, bytes);
        const unsigned char *result = reduce(plan, r, rank * plan->bytes + offset, bytes, &room);
        result_put(plan, &plan->task->part[rank], offset, result, bytes);
        data_watch_after(&watched);
    }
    if (plan->streams)
        sim_data_stream_end();
}

/* ---- copies ---- */

/* memmove, because buffers may overlap: by the caller's mistake, or in an in-place call. */
static void copy_block(const struct data_part *part, size_t offset, const void *from, size_t bytes)
{
    unsigned char *to = part->recv;

    if (to && to + offset != from)
        memmove(to + offset, from, bytes);
}

static void broadcast_blocks(size_t begin, size_t end, void *arg)
{
    const struct data_plan *plan = arg;
    const struct data_task *task = plan->task;
    const unsigned char *from = task->part[task->root].send;

    for (size_t block = begin; block < end; block++) {
        size_t offset = block * DATA_BLOCK, bytes = smaller(DATA_BLOCK, plan->bytes - offset);
        for (int rank = 0; rank < task->nranks; rank++)
            copy_block(&task->part[rank], offset, from + offset, bytes);
    }
}

static void gather_blocks(size_t begin, size_t end, void *arg)
{
    const struct data_plan *plan = arg;
    const struct data_task *task = plan->task;

    for (size_t block = begin; block < end; block++) {
        size_t source = block / plan->blocks, offset = block % plan->blocks * DATA_BLOCK;
        size_t bytes = smaller(DATA_BLOCK, plan->bytes - offset);
        const unsigned char *from = (const unsigned char *)task->part[source].send + offset;
        for (int rank = 0; rank < task->nranks; rank++)
            copy_block(&task->part[rank], source * plan->bytes + offset, from, bytes);
    }
}

/* ---- the whole ---- */

static const struct ncs_fn_info *info_of(const struct data_task *task)
{
    return &ncs_fn_info[task->fn];
}

/* The output or the input has a block for each rank. */
static bool gathers(const struct data_task *task)
{
    return info_of(task)->writes == NCS_BLOCKS_ALL;
}

static bool scatters(const struct data_task *task)
{
    return info_of(task)->reads == NCS_BLOCKS_ALL;
}

static void (*mover_of(const struct data_task *task))(size_t begin, size_t end, void *arg)
{
    if (info_of(task)->reduces)
        return scatters(task) ? reduce_own_blocks : reduce_blocks;
    return gathers(task) ? gather_blocks : broadcast_blocks;
}

static bool overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

    return a && b && x < y + b_bytes && y < x + a_bytes;
}

/* True if some output overlaps another output or another rank's input. Then the result depends on
 * the order of the blocks, so one core moves them in order. */
static bool is_tangled(const struct data_plan *plan)
{
    const struct data_task *task = plan->task;
    size_t n = (size_t)task->nranks, part_bytes = plan->bytes;
    bool to_each = scatters(task), from_each = gathers(task);
    size_t in_bytes = to_each ? n * part_bytes : part_bytes;
    size_t out_bytes = from_each ? n * part_bytes : part_bytes;
    bool one_input = info_of(task)->reads == NCS_BLOCKS_ROOT_ONE;

    for (int w = plan->from; w < plan->to; w++) {
        const unsigned char *out = task->part[w].recv;
        size_t at = (size_t)w * part_bytes;
        for (int r = 0; r < task->nranks; r++) {
            const unsigned char *in = task->part[r].send;
            bool in_place = r == w && (to_each ? out == in + at : from_each ? in == out + at : out == in);
            bool is_read = !one_input || r == task->root;
            if (is_read && !in_place && overlap(out, out_bytes, in, in_bytes))
                return true;
            if (r < w && r >= plan->from && overlap(out, out_bytes, task->part[r].recv, out_bytes))
                return true;
        }
    }
    return false;
}

/* A communicator of one rank copies, so that even NaNs keep their bits, unless its operator scales. */
static bool is_copy(const struct data_plan *plan)
{
    const struct data_part *part = plan->task->part;

    return plan->task->nranks == 1 && !(plan->recipes > 0 && part_scalar(&plan->recipe[0], &part[0]));
}

static bool wants_streams(const struct data_plan *plan)
{
    const struct data_task *task = plan->task;
    size_t buffers = (size_t)task->nranks + (size_t)(plan->to - plan->from);
    if (plan->recipes == 0 || task->watch || plan->bytes < STREAMS_LEAST / buffers)
        return false;
    for (int r = 0; r < task->nranks; r++)
        if (task->part[r].recv == task->part[r].send)
            return false;
    return true;
}

/* Outputs are written as a whole, except for what a copy in place finds there already. A reduction reads first what it
 * overwrites in place. */
static void take_pages(const struct data_plan *plan)
{
    const struct data_task *task = plan->task;
    size_t n = (size_t)task->nranks, in_bytes = plan->bytes * (scatters(task) ? n : 1);
    size_t out_bytes = plan->bytes * (gathers(task) ? n : 1);
    for (int rank = plan->from; rank < plan->to; rank++) {
        const struct data_part *part = &task->part[rank];
        bool in_place = overlap(part->recv, out_bytes, part->send, in_bytes);
        if (part->recv && (!in_place || info_of(task)->reduces))
            sim_pages_take(part->recv, out_bytes, in_place);
    }
}

static void move_blocks(struct data_plan *plan)
{
    const struct data_task *task = plan->task;
    plan->streams = wants_streams(plan);
    bool per_rank = scatters(task) || gathers(task);
    size_t blocks = per_rank ? plan->blocks * (size_t)task->nranks : plan->blocks;
    size_t writers = scatters(task) ? 1 : (size_t)(plan->to - plan->from);
    size_t grain = (GRAIN / DATA_BLOCK + writers - 1) / writers;

    if (blocks < 2 * grain || is_tangled(plan)) {
        mover_of(task)(0, blocks, plan);
        return;
    }
    take_pages(plan);
    ncs_parallel(blocks, grain, mover_of(task), plan);
}

void sim_data_move_with(const struct data_task *task, const struct data_loops *loops, int left_out)
{
    bool only_root = info_of(task)->writes == NCS_BLOCKS_ROOT_ONE;
    struct data_plan plan = {
        .task = task,
        .bytes = task->count * ncs_dtype_bytes(task->part[0].dtype),
        .from = only_root ? task->root : 0,
        .to = only_root ? task->root + 1 : task->nranks,
        .left_out = task->nranks > 1 ? left_out : -1,
        .loops = loops,
    };

    plan.blocks = (plan.bytes + DATA_BLOCK - 1) / DATA_BLOCK;
    if (info_of(task)->reduces)
        make_recipes(&plan);
    if (plan.blocks == 0)
        ; /* every rank agreed on nothing */
    else if (is_copy(&plan))
        sim_data_copy(task->part[0].recv, task->part[0].send, plan.bytes);
    else
        move_blocks(&plan);
    ncs_free(plan.recipe);
    ncs_free(plan.which);
}

void sim_data_move(const struct data_task *task)
{
    if (task->plant.kind != NCS_PLANT_NONE)
        sim_data_move_planted(task);
    else
        sim_data_move_with(task, sim_data_loops(), -1);
}

struct copy {
    unsigned char *dst;
    const unsigned char *src;
};

static void copy_bytes(size_t begin, size_t end, void *arg)
{
    const struct copy *copy = arg;

    memcpy(copy->dst + begin, copy->src + begin, end - begin);
}

void sim_data_copy(void *dst, const void *src, size_t bytes)
{
    struct copy copy = { dst, src };

    if (!dst || dst == src || bytes == 0 || sim_pages_copy(dst, src, bytes))
        return;
    if (bytes <= GRAIN || overlap(dst, bytes, src, bytes))
        memmove(dst, src, bytes);
    else
        ncs_parallel(bytes, GRAIN, copy_bytes, &copy);
}

struct addition {
    unsigned char *dst;
    const unsigned char *src;
    size_t bytes, element;
    const struct data_loops *loops;
};

static void add_blocks(size_t begin, size_t end, void *arg)
{
    const struct addition *a = arg;
    _Alignas(64) unsigned char held[DATA_HELD];

    for (size_t block = begin; block < end; block++) {
        size_t offset = block * DATA_BLOCK;
        size_t n = smaller(DATA_BLOCK, a->bytes - offset) / a->element;
        a->loops->step[DATA_FIRST](held, a->dst + offset, n, NULL);
        a->loops->step[DATA_SUM](held, a->src + offset, n, NULL);
        a->loops->store(a->dst + offset, held, n);
    }
}

void sim_data_add(void *dst, const void *src, size_t count, int dtype)
{
    size_t element = ncs_dtype_bytes(dtype);
    struct addition a = { dst, src, count * element, element, &sim_data_loops()[dtype] };
    size_t blocks = (a.bytes + DATA_BLOCK - 1) / DATA_BLOCK;

    if (overlap(dst, a.bytes, src, a.bytes))
        add_blocks(0, blocks, &a);
    else
        ncs_parallel(blocks, GRAIN / DATA_BLOCK, add_blocks, &a);
}
