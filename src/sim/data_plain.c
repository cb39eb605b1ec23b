/* The loops of reductions as any machine runs them. */
#include "sim/data_loops.h"

#define TABLE data_loops_plain
#define ROUND_F16(x) sim_round(x, SIM_F16)
#define ROUND_BF16(x) sim_round_bf16(x)
#define ROUND_E4M3(x) sim_round(x, SIM_E4M3)
#define ROUND_E5M2(x) sim_round(x, SIM_E5M2)
#include "sim/data_types.inc"
