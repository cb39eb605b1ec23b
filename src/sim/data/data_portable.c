/* The loops of reductions as any machine runs them. */
#include "sim/data/data_loops.h"

#define TABLE sim_data_loops_portable
#define ROUND(round, format, x) round(x)
#include "sim/data/every_type.inc"
