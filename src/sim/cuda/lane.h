/* Lanes: how many launches a GPU carries out at a time. A launch that finds none free waits for one,
 * though all that it depends on is done. */
#ifndef NCS_SIM_LANE_H
#define NCS_SIM_LANE_H

#include <stdbool.h>

#include "sim/kernel/above.h"

struct op;

/* Whether an enabled launch has to wait; it is queued again when it is given a lane. */
bool lane_wanted(struct op *op);
/* A launch has ended: nobody's lane or place in the line is kept. */
void lane_release(struct op *op);

#endif
