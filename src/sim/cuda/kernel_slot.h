/* Kernel slots: how many launches a GPU runs at a time. A launch that finds no free slot waits for
 * one, even if all its dependencies are done. */
#ifndef NCS_SIM_KERNEL_SLOT_H
#define NCS_SIM_KERNEL_SLOT_H

#include <stdbool.h>

#include "sim/kernel/above.h"

struct op;

/* True if an enabled launch must wait; it is queued again when it gets a kernel slot. */
bool sim_kernel_slot_wanted(struct op *op);
/* A launch has ended: frees its kernel slot, or its place in the queue for one. */
void sim_kernel_slot_release(struct op *op);

#endif
