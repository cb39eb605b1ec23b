/* The bytes that a connection has brought, as whole messages. */
#ifndef NCS_TEAM_INBOX_H
#define NCS_TEAM_INBOX_H

#include "team/team.h"
#include "team/wire.h"

struct team_inbox {
    char *bytes;
    size_t room, from, count; /* [from, count) is not delivered */
    const char *broken;       /* why no more messages can be read; NULL = they can */
};

enum team_read { TEAM_READ, TEAM_NOTHING, TEAM_OVER };

/* Reads what is there, at most a large piece. OVER: the connection is at its end, and *why says how. */
enum team_read team_inbox_read(struct team_inbox *in, int fd, const char **why);

/* The next whole message, valid until the next read; its body is aligned to TEAM_ALIGNED bytes. False: there is none, or the stream
 * is broken. */
bool team_inbox_next(struct team_inbox *in, struct ncs_team_message *message);

void team_inbox_free(struct team_inbox *in);

#endif
