/* Kernel slots: how many launches a GPU carries out at a time. A launch that finds none free waits for one,
 * though all that it depends on is done. */
#ifndef NCS_SIM_KERNEL_SLOT_H
#define NCS_SIM_KERNEL_SLOT_H

#include <stdbool.h>

#include "sim/kernel/above.h"

struct op;

/* Whether an enabled launch has to wait; it is queued again when it is given a kernel slot. */
bool sim_kernel_slot_wanted(struct op *op);
/* A launch has ended: nobody's kernel slot or place in the line is kept. */
void sim_kernel_slot_release(struct op *op);

#endif
