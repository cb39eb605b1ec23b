#include "shim/kernel/kernel.h"

#include <string.h>

#include "sim/data/dtype.h"

static const struct value_type types[] = {
    /* of C */
    { "a", 1, VALUE_SIGNED, 0, 0 },
    { "h", 1, VALUE_UNSIGNED, 0, 0 },
    { "s", 2, VALUE_SIGNED, 0, 0 },
    { "t", 2, VALUE_UNSIGNED, 0, 0 },
    { "i", 4, VALUE_SIGNED, 0, 0 },
    { "j", 4, VALUE_UNSIGNED, 0, 0 },
    { "l", 8, VALUE_SIGNED, 0, 0 },
    { "m", 8, VALUE_UNSIGNED, 0, 0 },
    { "f", 4, VALUE_FLOAT, 23, 127 },
    { "d", 8, VALUE_FLOAT, 52, 1023 },
    { "b", 1, VALUE_OTHER, 0, 0 },
    /* of CUDA */
    { "6__half", 2, VALUE_FLOAT, 10, 15 },
    { "13__nv_bfloat16", 2, VALUE_FLOAT, 7, 127 },
    { "13__nv_fp8_e4m3", 1, VALUE_FLOAT, 3, 8 },
    { "13__nv_fp8_e5m2", 1, VALUE_FLOAT, 2, 15 },
    /* of PyTorch */
    { "N3c104HalfE", 2, VALUE_FLOAT, 10, 15 },
    { "N3c108BFloat16E", 2, VALUE_FLOAT, 7, 127 },
    { "N3c1013Float8_e4m3fnE", 1, VALUE_FLOAT, 3, 8 },
    { "N3c1011Float8_e5m2E", 1, VALUE_FLOAT, 2, 15 },
    { "N3c1014Float8_e8m0fnuE", 1, VALUE_OTHER, 0, 0 },
    { "N3c1015Float8_e4m3fnuzE", 1, VALUE_OTHER, 0, 0 },
    { "N3c1015Float8_e5m2fnuzE", 1, VALUE_OTHER, 0, 0 },
    { "N3c107complexINS3_4HalfEEE", 4, VALUE_OTHER, 0, 0 },
    { "N3c107complexINS3_8BFloat16EEE", 4, VALUE_OTHER, 0, 0 },
    { "N3c107complexIfEE", 8, VALUE_OTHER, 0, 0 },
    { "N3c107complexIdEE", 16, VALUE_OTHER, 0, 0 },
};

const struct value_type *shim_value_type(const char *text)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strncmp(text, types[i].name, strlen(types[i].name)) == 0)
            return &types[i];
    return NULL;
}

uint64_t shim_value_bits(const struct value_type *t, double x)
{
    uint64_t wide;
    switch (t->mantissa) {
    case 2: return sim_f32_to_e5m2((float)x);
    case 3: return sim_f32_to_e4m3((float)x);
    case 7: return sim_f32_to_bf16((float)x);
    case 10: return sim_f32_to_f16((float)x);
    case 23: return sim_f32_bits((float)x);
    default: memcpy(&wide, &x, sizeof wide); return wide;
    }
}

double shim_value_number(const struct value_type *t, uint64_t bits)
{
    double x;
    switch (t->mantissa) {
    case 2: return (double)sim_e5m2_to_f32((uint8_t)bits);
    case 3: return (double)sim_e4m3_to_f32((uint8_t)bits);
    case 7: return (double)sim_bf16_to_f32((uint16_t)bits);
    case 10: return (double)sim_f16_to_f32((uint16_t)bits);
    case 23: return (double)sim_f32_of((uint32_t)bits);
    default: memcpy(&x, &bits, sizeof x); return x;
    }
}

double shim_value_round(const struct value_type *t, double x)
{
    return shim_value_number(t, shim_value_bits(t, x));
}
