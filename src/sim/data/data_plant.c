/* The deliberate faults of ncs_plant, which prove that verification detects errors: the effect of
 * each on one task. */
#include "sim/data/data.h"

#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "sim/data/data_plan.h"

/* Bytes that the rank's output has; 0 when it has none. */
static size_t output_bytes(const struct data_task *task, int rank)
{
    size_t bytes = task->count * ncs_dtype_bytes(task->part[0].dtype);

    if (rank < 0 || rank >= task->nranks || !task->part[rank].recv ||
        (ncs_fn_info[task->fn].writes == NCS_BLOCKS_ROOT_ONE && rank != task->root))
        return 0;
    return ncs_fn_info[task->fn].writes == NCS_BLOCKS_ALL ? bytes * (size_t)task->nranks : bytes;
}

/* Flips the second highest bit of the middle element: in a floating-point number a bit of the exponent,
 * so the error is far larger than rounding. */
static void flip_bit(const struct data_task *task, int rank)
{
    size_t element = ncs_dtype_bytes(task->part[rank].dtype);
    size_t middle = output_bytes(task, rank) / element / 2;
    unsigned char *recv = task->part[rank].recv;

    recv[(middle + 1) * element - 1] ^= 0x40;
}

/* All results move up by one: the first element keeps its old value, the last result is lost. */
static void move_late(const struct data_task *task, int rank)
{
    size_t element = ncs_dtype_bytes(task->part[rank].dtype);
    unsigned char *recv = task->part[rank].recv, before[8];

    memcpy(before, recv, element);
    sim_data_move_with(task, sim_data_loops(), -1);
    memmove(recv + element, recv, output_bytes(task, rank) - element);
    memcpy(recv, before, element);
}

static void move_without_writing(const struct data_task *task, int rank)
{
    struct data_task spoilt = *task;
    size_t bytes = (size_t)task->nranks * sizeof *task->part;

    spoilt.part = ncs_new(bytes);
    memcpy(spoilt.part, task->part, bytes);
    spoilt.part[rank].recv = NULL;
    sim_data_move_with(&spoilt, sim_data_loops(), -1);
    ncs_free(spoilt.part);
}

/* On ranks other than the root a broadcast may have no input; then the output's bytes are used. */
static void move_from_next(const struct data_task *task)
{
    const struct data_part *next = &task->part[(task->root + 1) % task->nranks];
    const void *from = next->send ? next->send : next->recv;
    size_t bytes = task->count * ncs_dtype_bytes(task->part[0].dtype);

    for (int rank = 0; rank < task->nranks; rank++)
        if (output_bytes(task, rank) > 0)
            sim_data_copy(task->part[rank].recv, from, bytes);
}

void sim_data_move_planted(const struct data_task *task)
{
    struct ncs_plant plant = task->plant;
    bool rooted = ncs_fn_info[task->fn].rooted;
    bool writes = output_bytes(task, plant.rank) > 0;

    if (plant.kind == NCS_PLANT_MISSING) {
        sim_data_move_with(task, sim_data_loops(), plant.rank);
    } else if (plant.kind == NCS_PLANT_ROUND) {
        sim_data_move_with(task, sim_data_loops_cut, -1);
    } else if (plant.kind == NCS_PLANT_ROOT && rooted && task->nranks > 1) {
        move_from_next(task);
    } else if (plant.kind == NCS_PLANT_SHIFT && writes) {
        move_late(task, plant.rank);
    } else if (plant.kind == NCS_PLANT_STALE && writes) {
        move_without_writing(task, plant.rank);
    } else {
        sim_data_move_with(task, sim_data_loops(), -1);
        if (plant.kind == NCS_PLANT_BIT && writes)
            flip_bit(task, plant.rank);
    }
}
