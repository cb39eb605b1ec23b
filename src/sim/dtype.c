/* What depends on a data type only once per operation; the conversions are inline in the header. */
#include "sim/dtype.h"

#include "ncclscript/nccl_abi.h"

bool sim_dtype_is_float(int dtype)
{
    return dtype >= ncclFloat16;
}

void sim_dtype_inverse(int dtype, int n, void *scalar)
{
    double wide = 1.0 / n;
    float narrow = (float)wide;
    uint16_t two;
    uint8_t one;

    switch (dtype) {
    case ncclFloat64:
        memcpy(scalar, &wide, sizeof wide);
        return;
    case ncclFloat32:
        memcpy(scalar, &narrow, sizeof narrow);
        return;
    case ncclFloat16:
    case ncclBfloat16:
        two = dtype == ncclFloat16 ? sim_f32_to_f16(narrow) : sim_f32_to_bf16(narrow);
        memcpy(scalar, &two, sizeof two);
        return;
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
        one = dtype == ncclFloat8e4m3 ? sim_f32_to_e4m3(narrow) : sim_f32_to_e5m2(narrow);
        memcpy(scalar, &one, sizeof one);
        return;
    }
}
