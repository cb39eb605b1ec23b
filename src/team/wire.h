/* Messages over a connection of the team. A member sends its hello; the leader answers with a challenge; the member sends its proof
 * and what it says of itself; the leader answers with its own proof. From then on all is messages (base/frame.h), each with a seal
 * behind it. Numbers are the machine's own: the hello says its order. */
#ifndef NCS_TEAM_WIRE_H
#define NCS_TEAM_WIRE_H

#include <stdint.h>

#include "base/frame.h"

#define TEAM_MAGIC "ncsteam\n"
enum { TEAM_PROTOCOL = 3, TEAM_TOKEN = 16, TEAM_NONCE = 16, TEAM_SEAL = NCS_FRAME_ALIGNED, TEAM_SEAL_PARTS = 4 };
#define TEAM_ORDER 0x01020304u

/* Comes first in all versions, so that one of another version can be told from a stranger. */
struct team_greeting {
    char magic[8];
    uint32_t order;
    uint16_t protocol;
    uint8_t of_long, of_pointer; /* bytes */
    char version[64];            /* of ncclscript */
};

struct team_hello {
    struct team_greeting greeting;
    uint8_t nonce[TEAM_NONCE]; /* the member's; no two connections have the same */
    int32_t number, processes;
    int32_t local, locals; /* -1 = the launcher does not say */
    int64_t pid;
    char host[256];
    uint32_t bytes; /* of the user's hello, which follows the proof */
    uint32_t unused;
};

struct team_challenge {
    uint8_t nonce[TEAM_NONCE]; /* the leader's */
};

/* Codes of HMAC-SHA-256 under the token: they show that the sender knows it, and do not show the token itself. */
struct team_proof {
    uint8_t own[32]; /* of the user's hello */
    uint8_t member[32];
};

/* Of the team itself; the user's kinds begin at 1. */
#define TEAM_OWN 0u
enum team_own {                /* the line of a message of that kind */
                TEAM_NO = 1,   /* body: struct team_no */
                TEAM_ASK,      /* body: struct team_challenge */
                TEAM_YES,      /* body: the leader's proof */
                TEAM_COMPLETE, /* body: struct team_peers */
                TEAM_FAILED,   /* body: why not all have joined, a text */
                TEAM_END,      /* body: the exit status, an int32_t */
};

struct team_no {
    uint32_t again; /* the next attempt may do better, here or elsewhere */
    char why[252];
    uint8_t proof[32]; /* that the leader says it; zeros = the member has not proved anything itself */
};

/* What the leader tells each member when all have joined; the leader's hello follows. */
struct team_peers {
    int32_t local, locals; /* the member's, as the leader counts */
    int32_t leader_local, leader_locals;
    int64_t leader_pid;
    char leader_host[256];
};

#endif
