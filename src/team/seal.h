/* How two processes prove that they know the job's token, and how their messages are sealed after that. */
#ifndef NCS_TEAM_SEAL_H
#define NCS_TEAM_SEAL_H

#include "base/inbox.h"
#include "team/hmac.h"
#include "team/wire.h"

/* What both sides have said before they prove anything. Proofs and keys are made of all of it: none fits another connection. */
struct team_talk {
    struct team_hello hello;
    struct team_challenge challenge;
};

/* Each code is for one purpose: the proof of one side is none of the other side. */
enum team_purpose {
    TEAM_FOR_TOKEN = 1, /* the token, of the user's secret */
    TEAM_FOR_PORTS,
    TEAM_FOR_OWN,    /* what the member says of itself */
    TEAM_FOR_MEMBER, /* the member's proof */
    TEAM_FOR_LEADER, /* the leader's proof */
    TEAM_FOR_NO,     /* a refusal */
    TEAM_FOR_UP,     /* the key of messages to the leader */
    TEAM_FOR_DOWN,   /* the key of messages to the member */
};

/* The code for a purpose, by the token, of what has been said and of `more`. False: no memory. */
bool team_prove(const uint8_t token[TEAM_TOKEN], enum team_purpose purpose, const struct team_talk *talk, const void *more,
                size_t bytes, uint8_t code[TEAM_MAC]);
/* True if the code is right. */
bool team_is_proof(const uint8_t token[TEAM_TOKEN], enum team_purpose purpose, const struct team_talk *talk, const void *more,
                   size_t bytes, const uint8_t code[TEAM_MAC]);

/* Random bytes. */
bool team_draw(void *bytes, size_t count);

struct team_seal { /* one direction of a connection */
    struct team_hmac *key;
    uint64_t count; /* of the messages so far */
};

/* The count of the last message of a connection, which may follow any other: a signal handler sends it. */
#define TEAM_SEAL_LAST UINT64_MAX

/* Both directions; which one is `out` depends on who asks. */
bool team_seal_begin(struct team_seal *out, struct team_seal *in, const uint8_t token[TEAM_TOKEN], const struct team_talk *talk,
                     bool leader);
void team_seal_end(struct team_seal *seal);

/* The seal of a message with this count. */
bool team_seal_of(const struct team_seal *seal, uint64_t count, const struct iovec *parts, int parts_count,
                  uint8_t code[TEAM_SEAL]);
/* True if a message that has come is the next one. */
bool team_seal_fits(struct team_seal *seal, const struct ncs_message *message);

#endif
