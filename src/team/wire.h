/* Messages over a connection of the team. A member sends its hello; the leader's answers and all that follows are messages
 * (base/frame.h). Numbers are the machine's own: the hello says its order. */
#ifndef NCS_TEAM_WIRE_H
#define NCS_TEAM_WIRE_H

#include <stdint.h>

#define TEAM_MAGIC "ncsteam\n"
enum { TEAM_PROTOCOL = 2, TEAM_TOKEN = 16 };
#define TEAM_ORDER 0x01020304u

/* Comes first in all versions, so that one of another version can be told from a stranger. */
struct team_greeting {
    char magic[8];
    uint32_t order;
    uint16_t protocol;
    uint8_t of_long, of_pointer; /* bytes */
    char version[64];            /* of ncclscript */
};

/* The member shows the first half of the token, and the leader answers with the second: a process that has taken the leader's
 * address, and hears the first, is not obeyed. */
struct team_hello {
    struct team_greeting greeting;
    uint8_t shown[TEAM_TOKEN / 2];
    int32_t number, processes;
    int32_t local, locals; /* -1 = the launcher does not say */
    int64_t pid;
    char host[256];
    uint32_t bytes; /* of the user's hello, which follows */
    uint32_t unused;
};

/* Of the team itself; the user's kinds begin at 1. */
#define TEAM_OWN 0u
enum team_own {                /* the line of a message of that kind */
                TEAM_NO = 1,   /* body: struct team_no */
                TEAM_YES,      /* body: the second half of the token */
                TEAM_COMPLETE, /* body: struct team_peers */
                TEAM_FAILED,   /* body: why not all have joined, a text */
                TEAM_END,      /* body: the exit status, an int32_t */
};

struct team_no {
    uint32_t again; /* the next attempt may do better, here or elsewhere */
    char why[252];
};

/* What the leader tells each member when all have joined; the leader's hello follows. */
struct team_peers {
    int32_t local, locals; /* the member's, as the leader counts */
    int32_t leader_local, leader_locals;
    int64_t leader_pid;
    char leader_host[256];
};

#endif
