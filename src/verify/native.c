#include "verify/native.h"

#include "verify/element.h"
#include "verify/native_loops.h"

static const ncs_native_row *natives_here(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return ncs_natives_avx2;
#endif
    return ncs_natives_portable;
}

/* An average over one rank is a copy. */
static int native_row(const struct ncs_operation *op)
{
    if (op->scaled)
        return NCS_NATIVE_SCALED;
    return op->op == ncclAvg && op->shares == 1 ? ncclSum : op->op;
}

struct ncs_native ncs_native_of(const struct ncs_terms *terms)
{
    const struct ncs_operation *op = terms->op;
    struct ncs_native k = { .terms = terms, .scalars = op->scaled };

    k.loop = natives_here()[op->dtype][native_row(op)];
    if (!op->scaled && ncs_float_format(op->dtype))
        ncs_terms_scale(terms, 0, &k.scale);
    return k;
}

bool ncs_native_run(const struct ncs_native *k, size_t first, size_t count, void *out)
{
    return k->loop(k, first, count, out);
}
