/* A short fingerprint of a call's input, by which the diagnosis tells calls apart that look the same. It
 * hashes a sample, so that it costs the same for every size. */
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "verify/element.h"
#include "verify/operation.h"

enum { SAMPLES = 8 };

static double fingerprint_number_of(int dtype, const void *element)
{
    double value;
    uint64_t word;

    if (ncs_float_format(dtype)) {
        ncs_element_values(dtype, element, 1, &value);
        return value;
    }
    ncs_element_words(dtype, element, 1, &word);
    return ncs_element_signed(dtype) ? (double)(int64_t)word : (double)word;
}

void ncs_fingerprint(struct ncs_call *call, const void *input, size_t count)
{
    int dtype = ncs_call_dtype(call);
    size_t bytes = ncs_dtype_bytes(dtype), step = count / SAMPLES + 1;
    const unsigned char *p = input;
    uint64_t hash = 0, word = 0, first = 0;

    if (bytes == 0 || count == 0)
        return;
    memcpy(&first, p, bytes);
    call->uniform = true;
    for (size_t i = 0; i < count; i += step) {
        memcpy(&word, p + i * bytes, bytes);
        call->uniform &= word == first;
        hash = ncs_hash(hash, word);
    }
    memcpy(&word, p + (count - 1) * bytes, bytes);
    call->uniform &= word == first;
    call->input = ncs_hash(hash, word) | 1;
    call->value = fingerprint_number_of(dtype, p);
}
