/* Mixing of 64-bit words: rolling hashes of traces and signatures, seeds, and random numbers that are
 * equal on every machine. Not for secrets. */
#ifndef NCS_BASE_HASH_H
#define NCS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The finalizer of splitmix64: a bijection that spreads every bit. */
static inline uint64_t ncs_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Folds a word into a rolling hash; order matters. */
static inline uint64_t ncs_hash(uint64_t hash, uint64_t word)
{
    return ncs_mix(hash * 0x9e3779b97f4a7c15u + word + 1);
}

uint64_t ncs_hash_bytes(uint64_t hash, const void *bytes, size_t count);

/* A stream of random numbers from one word of state. */
struct ncs_random {
    uint64_t state;
};

static inline uint64_t ncs_random_next(struct ncs_random *r)
{
    return ncs_mix(r->state += 0x9e3779b97f4a7c15u);
}

/* Uniform in [0, n); n > 0. */
static inline uint64_t ncs_random_below(struct ncs_random *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)ncs_random_next(r) * n) >> 64);
}

#endif
