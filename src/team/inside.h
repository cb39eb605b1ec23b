/* The team as its own files see it. */
#ifndef NCS_TEAM_INSIDE_H
#define NCS_TEAM_INSIDE_H

#include <pthread.h>
#include <stdatomic.h>

#include "team/team.h"

struct team_link { /* to one peer */
    int fd;        /* -1 = none; it stays open until the team ends */
    pthread_mutex_t sends;
    struct ncs_inbox inbox;
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

/* One message on a link, which waits for room until then (-1 = without a limit). False: the connection is at its end. */
bool team_post(struct team_link *link, uint32_t kind, uint32_t line, const void *first, size_t first_bytes, const void *rest,
               size_t rest_bytes, int64_t until);

#endif
