#include "sim/cuda/kernel_slot.h"

#include <string.h>

#include "base/mem.h"
#include "sim/cuda/above.h"
#include "sim/cuda/op.h"
#include "sim/kernel/choose.h"
#include "sim/kernel/world.h"

bool sim_kernel_slot_wanted(struct op *op)
{
    struct world *w = &sim_world;
    if (w->options.kernel_slots == 0 || op->kernel_slot == KERNEL_SLOT_HELD || sim_launch_is_over(op->launch))
        return false;
    if (op->kernel_slot == KERNEL_SLOT_NONE) {
        op->kernel_slot = KERNEL_SLOT_WANTED;
        NCS_PUSH(w->kernel_slot_line, w->kernel_slot_waits, w->kernel_slot_room, op);
    }
    return true;
}

static void leave_line(size_t at)
{
    struct world *w = &sim_world;
    memmove(&w->kernel_slot_line[at], &w->kernel_slot_line[at + 1], (--w->kernel_slot_waits - at) * sizeof *w->kernel_slot_line);
}

/* The place of the GPU's pick-th launch in the line; `first` is the place of its first one. */
static size_t kernel_slot_place(const struct gpu *gpu, size_t first, size_t pick)
{
    size_t at = first;
    for (; pick > 0; pick--)
        do
            at++;
        while (sim_world.kernel_slot_line[at]->gpu != gpu);
    return at;
}

static void grant(struct gpu *gpu, size_t first)
{
    struct world *w = &sim_world;
    size_t wait = 0;
    for (size_t i = first; i < w->kernel_slot_waits; i++)
        wait += w->kernel_slot_line[i]->gpu == gpu;
    size_t at = kernel_slot_place(gpu, first, sim_choose(CHOOSE_KERNEL_SLOT, wait));
    struct op *op = w->kernel_slot_line[at];
    leave_line(at);
    op->kernel_slot = KERNEL_SLOT_HELD;
    gpu->kernel_slots_held++;
    sim_op_queue(op);
}

bool sim_kernel_slots_grant(void)
{
    struct world *w = &sim_world;
    for (size_t i = 0; i < w->kernel_slot_waits; i++)
        if (w->kernel_slot_line[i]->gpu->kernel_slots_held < w->options.kernel_slots) {
            grant(w->kernel_slot_line[i]->gpu, i);
            return true;
        }
    return false;
}

void sim_kernel_slot_release(struct op *op)
{
    struct world *w = &sim_world;
    if (op->kernel_slot == KERNEL_SLOT_HELD)
        op->gpu->kernel_slots_held--;
    for (size_t i = 0; op->kernel_slot == KERNEL_SLOT_WANTED && i < w->kernel_slot_waits; i++)
        if (w->kernel_slot_line[i] == op) {
            leave_line(i);
            break;
        }
    op->kernel_slot = KERNEL_SLOT_NONE;
}
