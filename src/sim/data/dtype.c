/* Facts about a data type that are needed once per operation; the conversions are
 * inline in the header. */
#include "sim/data/dtype.h"

#include "ncclscript/nccl_abi.h"
#include "sim/data/data_loops.h"

bool sim_dtype_is_float(int dtype)
{
    return dtype >= ncclFloat16;
}

void sim_dtype_inverse(int dtype, int n, void *scalar)
{
    _Alignas(64) unsigned char held[DATA_HELD] = { 0 };
    double wide = 1.0 / n;
    float narrow = (float)wide;

    if (dtype == ncclFloat64)
        memcpy(held, &wide, sizeof wide);
    else
        memcpy(held, &narrow, sizeof narrow);
    sim_data_loops_portable[dtype].store(scalar, held, 1);
}
