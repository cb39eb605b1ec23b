/* The inner loops of reductions: for every element type one loop per step, over a block that fits
 * in the first-level cache. Between steps a block is held in the form in which it is computed: the
 * type itself, but float for the types of 16 and 8 bits. */
#ifndef NCS_SIM_DATA_LOOPS_H
#define NCS_SIM_DATA_LOOPS_H

#include <stddef.h>

#include "api/machine.h"
#include "ncclscript/nccl_abi.h"

enum {
    DATA_BLOCK = NCS_BLOCK,     /* bytes of an input or output in one block; larger ones are slower from 4 MiB on */
    DATA_HELD = 4 * DATA_BLOCK, /* bytes of a block that is held as float */
};

/* The operation on the next rank's block. The first four values are those of ncclRedOp_t. */
enum data_step {
    DATA_SUM,
    DATA_PROD,
    DATA_MAX,
    DATA_MIN,
    DATA_FIRST,        /* the held block becomes the rank's block */
    DATA_FIRST_SCALED, /* ... times the scalar */
    DATA_SUM_SCALED,
    DATA_LAST_SUM, /* a sum after which the held block is what `store` would write */
    DATA_STEPS,
};

_Static_assert((int)DATA_SUM == ncclSum && (int)DATA_PROD == ncclProd && (int)DATA_MAX == ncclMax && (int)DATA_MIN == ncclMin,
               "a built-in operator is its own step");

struct data_loops {
    /* in: n elements, unaligned; scalar: one element, for the scaled steps. DATA_LAST_SUM is NULL for types that are
     * held as another one. */
    void (*step[DATA_STEPS])(void *held, const void *in, size_t n, const void *scalar);
    void (*divide)(void *held, size_t n, int by); /* integers only, truncates; else NULL */
    void (*store)(void *out, const void *held, size_t n);
};

/* By ncclDataType_t. */
extern const struct data_loops sim_data_loops_portable[ncclNumTypes];
extern const struct data_loops sim_data_loops_cut[ncclNumTypes]; /* NCS_PLANT_ROUND: toward zero; of 16 and 8 bits only */
#if defined(__x86_64__)
extern const struct data_loops sim_data_loops_avx2[ncclNumTypes];
#endif

#endif
