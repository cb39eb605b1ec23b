/* The loops of reductions with a deliberate fault, NCS_PLANT_ROUND: results of 16 and 8 bits are
 * rounded toward zero instead of to the nearest. */
#include "sim/data/data_loops.h"

#include "sim/data/dtype.h"

/* Rounds a float toward zero to a number of the format. A sum that float itself rounded is cut as it is. */
static inline float cut(float x, struct sim_format f)
{
    float near = sim_round(x, f);
    uint32_t magnitude = sim_f32_bits(x) & 0x7fffffffu;
    uint32_t sign = sim_f32_bits(x) ^ magnitude;
    uint32_t kept = magnitude & ~((1u << (23 - f.mantissa)) - 1);
    float unit = sim_f32_of(f.normal - ((uint32_t)f.mantissa << 23)); /* of the subnormals */

    if (x != x || (sim_f32_bits(near) & 0x7fffffffu) <= magnitude)
        return near;
    if (magnitude < f.normal)
        return near - (x < 0 ? -unit : unit);
    return sim_f32_of(sign | (kept < f.max ? kept : f.max));
}

#define ROUNDED_ONLY
#define TABLE sim_data_loops_cut
#define ROUND(round, format, x) cut(x, format)
#include "sim/data/every_type.inc"
