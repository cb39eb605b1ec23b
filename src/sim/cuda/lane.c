#include "sim/cuda/lane.h"

#include <string.h>

#include "base/mem.h"
#include "sim/cuda/above.h"
#include "sim/cuda/op.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/world.h"

bool lane_wanted(struct op *op)
{
    struct world *w = &sim_world;
    if (w->options.lanes == 0 || op->lane == LANE_HELD || launch_is_over(op->launch))
        return false;
    if (op->lane == LANE_NONE) {
        op->lane = LANE_WANTED;
        NCS_PUSH(w->lane_line, w->lane_waits, w->lane_room, op);
    }
    return true;
}

static void leave_line(size_t at)
{
    struct world *w = &sim_world;
    memmove(&w->lane_line[at], &w->lane_line[at + 1],
            (--w->lane_waits - at) * sizeof *w->lane_line);
}

/* The pick-th of the launches of that GPU in the line, which begin at `first`. */
static size_t place_of(const struct gpu *gpu, size_t first, size_t pick)
{
    size_t at = first;
    for (; pick > 0; pick--)
        do
            at++;
        while (sim_world.lane_line[at]->gpu != gpu);
    return at;
}

static void grant(struct gpu *gpu, size_t first)
{
    struct world *w = &sim_world;
    size_t wait = 0;
    for (size_t i = first; i < w->lane_waits; i++)
        wait += w->lane_line[i]->gpu == gpu;
    size_t at = place_of(gpu, first, choose(CHOOSE_LANE, wait));
    struct op *op = w->lane_line[at];
    leave_line(at);
    op->lane = LANE_HELD;
    gpu->lanes_held++;
    op_queue(op);
}

bool lanes_grant(void)
{
    struct world *w = &sim_world;
    for (size_t i = 0; i < w->lane_waits; i++)
        if (w->lane_line[i]->gpu->lanes_held < w->options.lanes) {
            grant(w->lane_line[i]->gpu, i);
            return true;
        }
    return false;
}

void lane_release(struct op *op)
{
    struct world *w = &sim_world;
    if (op->lane == LANE_HELD)
        op->gpu->lanes_held--;
    for (size_t i = 0; op->lane == LANE_WANTED && i < w->lane_waits; i++)
        if (w->lane_line[i] == op) {
            leave_line(i);
            break;
        }
    op->lane = LANE_NONE;
}
