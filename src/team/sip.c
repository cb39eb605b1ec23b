/* A keyed hash for tokens that are derived from a secret: from one half of such a token the other one cannot be computed. */
#include <string.h>

#include "team/address.h"

struct sip {
    uint64_t a, b, c, d;
};

static uint64_t sip_turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_rounds(struct sip *s, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        s->a += s->b;
        s->c += s->d;
        s->b = sip_turn(s->b, 13) ^ s->a;
        s->d = sip_turn(s->d, 16) ^ s->c;
        s->a = sip_turn(s->a, 32) + s->d;
        s->c += s->b;
        s->d = sip_turn(s->d, 21) ^ s->a;
        s->b = sip_turn(s->b, 17) ^ s->c;
        s->c = sip_turn(s->c, 32);
    }
}

/* The words of the definition are little-endian. */
static uint64_t sip_word(const uint8_t *bytes, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

uint64_t team_sip(const uint8_t key[16], const void *bytes, size_t count)
{
    const uint8_t *p = bytes;
    uint64_t k0 = sip_word(key, 8), k1 = sip_word(key + 8, 8);
    struct sip s = { k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u, k1 ^ 0x7465646279746573u };
    for (size_t i = 0; i <= count / 8; i++) {
        bool last = i == count / 8;
        uint64_t word = sip_word(p + 8 * i, last ? count % 8 : 8) | (last ? (uint64_t)count << 56 : 0);
        s.d ^= word;
        sip_rounds(&s, 2);
        s.a ^= word;
    }
    s.c ^= 0xff;
    sip_rounds(&s, 4);
    return s.a ^ s.b ^ s.c ^ s.d;
}
