#include "report/draw_math.h"

#include <math.h>
#include <string.h>

#include "api/types.h"
#include "verify/element.h"

static bool is_float(const struct ncs_seen *seen)
{
    return ncs_float_format(seen->dtype) != NULL;
}

static union ncs_partial draw_math_load(const struct ncs_seen *seen, const void *at)
{
    union ncs_partial p = { .word = 0 };
    if (is_float(seen))
        ncs_element_values(seen->dtype, at, 1, &p.value);
    else
        ncs_element_words(seen->dtype, at, 1, &p.word);
    return p;
}

static union ncs_partial times(const struct ncs_seen *seen, union ncs_partial a, union ncs_partial b)
{
    if (is_float(seen)) {
        a.value *= b.value;
        ncs_element_round(seen->dtype, &a.value, 1);
    } else {
        a.word = ncs_element_wrap(seen->dtype, a.word * b.word);
    }
    return a;
}

union ncs_partial ncs_partial_of(const struct ncs_seen *seen, int rank, uint64_t element)
{
    const struct ncs_seen_rank *r = &seen->rank[rank];
    const void *at = ncs_sample_at(&r->before, ncs_dtype_bytes(seen->dtype), element);
    union ncs_partial p = draw_math_load(seen, at);
    if (seen->scaled)
        return times(seen, p, draw_math_load(seen, r->scalar));
    if (seen->op == ncclAvg && is_float(seen) && seen->nranks > 1) {
        union ncs_partial share = { .value = 1.0 / seen->nranks };
        ncs_element_round(seen->dtype, &share.value, 1);
        return times(seen, p, share);
    }
    return p;
}

static double join_values(int op, double a, double b)
{
    switch (op) {
    case ncclProd: return a * b;
    case ncclMax: return fmax(a, b);
    case ncclMin: return fmin(a, b);
    default: return a + b;
    }
}

static uint64_t join_words(int dtype, int op, uint64_t a, uint64_t b)
{
    bool less = ncs_element_signed(dtype) ? (int64_t)a < (int64_t)b : a < b;
    switch (op) {
    case ncclProd: return a * b;
    case ncclMax: return less ? b : a;
    case ncclMin: return less ? a : b;
    default: return a + b;
    }
}

union ncs_partial ncs_partial_join(const struct ncs_seen *seen, union ncs_partial a, union ncs_partial b)
{
    int op = seen->scaled ? ncclSum : seen->op;
    if (is_float(seen)) {
        a.value = join_values(op, a.value, b.value);
        ncs_element_round(seen->dtype, &a.value, 1);
    } else {
        a.word = ncs_element_wrap(seen->dtype, join_words(seen->dtype, op, a.word, b.word));
    }
    return a;
}

union ncs_partial ncs_partial_end(const struct ncs_seen *seen, union ncs_partial a)
{
    if (seen->scaled || seen->op != ncclAvg || is_float(seen))
        return a;
    if (ncs_element_signed(seen->dtype))
        a.word = (uint64_t)((int64_t)a.word / seen->nranks);
    else
        a.word /= (uint64_t)seen->nranks;
    return a;
}

bool ncs_partial_text(const struct ncs_seen *seen, union ncs_partial a, struct ncs_str *out)
{
    if (is_float(seen))
        return ncs_draw_float(seen->dtype, a.value, out);
    return ncs_draw_word(seen->dtype, a.word, out);
}

bool ncs_partial_known(const struct ncs_seen *seen, uint64_t element)
{
    size_t bytes = ncs_dtype_bytes(seen->dtype);
    for (int i = 0; i < seen->ranks; i++)
        if (!ncs_sample_at(&seen->rank[i].before, bytes, element))
            return false;
    return true;
}
