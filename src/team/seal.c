#include "team/seal.h"

#include <string.h>
#include <sys/random.h>

bool team_draw(void *bytes, size_t count)
{
    return getrandom(bytes, count, 0) == (ssize_t)count;
}

/* ---- proofs ---- */

bool team_prove(const uint8_t token[TEAM_TOKEN], enum team_purpose purpose, const struct team_talk *talk, const void *more,
                size_t bytes, uint8_t code[TEAM_MAC])
{
    uint32_t number = purpose;
    const struct iovec parts[] = { { &number, sizeof number },
                                   { (void *)&talk->hello, sizeof talk->hello },
                                   { (void *)&talk->challenge, sizeof talk->challenge },
                                   { (void *)more, bytes } };
    return team_hmac_once(token, TEAM_TOKEN, parts, 4, code);
}

bool team_is_proof(const uint8_t token[TEAM_TOKEN], enum team_purpose purpose, const struct team_talk *talk, const void *more,
                   size_t bytes, const uint8_t code[TEAM_MAC])
{
    uint8_t right[TEAM_MAC];
    return team_prove(token, purpose, talk, more, bytes, right) && team_codes_equal(right, code, sizeof right);
}

/* ---- messages ---- */

static bool seal_key(struct team_seal *seal, const uint8_t token[TEAM_TOKEN], enum team_purpose purpose,
                     const struct team_talk *talk)
{
    uint8_t key[TEAM_MAC];
    seal->key = team_prove(token, purpose, talk, NULL, 0, key) ? team_hmac_new(key, sizeof key) : NULL;
    seal->count = 0;
    return seal->key;
}

bool team_seal_begin(struct team_seal *out, struct team_seal *in, const uint8_t token[TEAM_TOKEN], const struct team_talk *talk,
                     bool leader)
{
    return seal_key(leader ? out : in, token, TEAM_FOR_DOWN, talk) && seal_key(leader ? in : out, token, TEAM_FOR_UP, talk);
}

void team_seal_end(struct team_seal *seal)
{
    team_hmac_free(seal->key);
    seal->key = NULL;
}

bool team_seal_of(const struct team_seal *seal, uint64_t count, const struct iovec *parts, int parts_count,
                  uint8_t code[TEAM_SEAL])
{
    struct iovec all[TEAM_SEAL_PARTS + 1] = { { &count, sizeof count } };
    uint8_t whole[TEAM_MAC];
    memcpy(all + 1, parts, (size_t)parts_count * sizeof *parts);
    if (!team_hmac_of(seal->key, all, parts_count + 1, whole))
        return false;
    memcpy(code, whole, TEAM_SEAL);
    return true;
}

bool team_seal_fits(struct team_seal *seal, const struct ncs_message *message)
{
    const char *head = (const char *)message->body - sizeof(struct ncs_frame_head);
    const struct iovec part = { (void *)head, (size_t)((const char *)message->trailer - head) };
    bool last = message->kind == TEAM_OWN && message->line == TEAM_END;
    uint8_t code[TEAM_SEAL];
    return team_seal_of(seal, last ? TEAM_SEAL_LAST : seal->count++, &part, 1, code) &&
           team_codes_equal(code, message->trailer, sizeof code);
}
