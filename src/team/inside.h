/* The team as its own files see it. */
#ifndef NCS_TEAM_INSIDE_H
#define NCS_TEAM_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "team/seal.h"
#include "team/team.h"

enum { TEAM_STATUSES = 256 };

struct team_last { /* the last message of a connection, with an exit status */
    struct ncs_frame_head head;
    int32_t status;
    uint8_t fill[NCS_FRAME_ALIGNED - sizeof(int32_t)];
    uint8_t seal[TEAM_SEAL];
};

struct team_link { /* to one peer */
    int fd;        /* -1 = none; it stays open until the team ends */
    pthread_mutex_t sends;
    struct ncs_inbox inbox;
    struct team_seal out, in;    /* out: with `sends` */
    uint8_t (*lasts)[TEAM_SEAL]; /* of the leader: seals of the last message by exit status; a signal handler cannot make one */
};

struct ncs_team {
    int self, processes;
    struct ncs_peer *peers;  /* by number */
    struct team_link *links; /* of the leader: by number; of a member: the one to the leader */
    pthread_t post;
    bool listens;
    int wake;   /* ends the post thread; -1 = there is none */
    int events; /* the post thread's epoll */
    ncs_team_heard *heard;
    ncs_team_lost *lost;
    void *arg;
    struct ncs_team *before; /* the one that ended before it and is kept too */
};

/* A team without connections. */
struct ncs_team *team_new(const struct ncs_team_options *options);
void team_free(struct ncs_team *team);

/* Fills this process's own peer. */
void team_describe(struct ncs_peer *peer, const struct ncs_team_options *options);

/* From now on messages are sealed, in both directions. False: no memory. */
bool team_link_seal(struct team_link *link, const uint8_t token[TEAM_TOKEN], const struct team_talk *talk, bool leader);
void team_link_unseal(struct team_link *link);

/* The next whole message, which is the peer's own. False: there is none, or link->inbox.broken says why no more can come. */
bool team_next(struct team_link *link, struct ncs_message *message);

/* The last message to a member. Async-signal-safe. */
struct team_last team_last_message(const struct team_link *link, int status);

/* One message on a link, which waits for room until then (-1 = without a limit). False: the connection is at its end. */
bool team_post(struct team_link *link, uint32_t kind, uint32_t line, const void *first, size_t first_bytes, const void *rest,
               size_t rest_bytes, int64_t until);

#endif
