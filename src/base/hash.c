#include "base/hash.h"

/* Little-endian whatever the machine, so that hashes can be compared between machines. */
static uint64_t hash_load(const unsigned char *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t ncs_hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    size_t left = count;
    for (; left >= 8; at += 8, left -= 8)
        hash = ncs_hash(hash, hash_load(at, 8));
    if (left > 0)
        hash = ncs_hash(hash, hash_load(at, left));
    /* The count makes "a" and "a\0" different. */
    return ncs_hash(hash, count);
}
