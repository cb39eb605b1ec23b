/* The processes of one job, which a launcher has started: the process of rank 0 leads, the others serve it. They talk over TCP.
 *
 * The leader gathers the others and sends them requests; a member answers them, and at the end each gets the job's exit status.
 * A message is a head and at most NCS_TEAM_MOST bytes. Byte order and sizes are those of the machine: others are refused by name.
 *
 * The leader is found by the first of these that there is: --rendezvous HOST:PORT; PMIx; on one host a file in the user's own folder;
 * PMI-1, which Hydra speaks; the host that the launcher names for process 0, with the launcher's port or ports that follow from the
 * job's name.
 *
 * Both sides of a connection prove that they know a token, and seal their messages by it. With PMIx, PMI-1 and the file it is a random
 * one. Otherwise it follows from the variable NCCLSCRIPT_TOKEN, which has the same value in all processes. */
#ifndef NCS_TEAM_TEAM_H
#define NCS_TEAM_TEAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/inbox.h"
#include "base/launcher.h"

#define NCS_TEAM_MOST ((size_t)64 << 20)        /* bytes of a message's body */
#define NCS_TEAM_HELLO_MOST ((size_t)256 << 10) /* bytes of what a process says of itself */

struct ncs_team;

struct ncs_team_options {
    const struct ncs_launcher *launcher;
    const char *rendezvous; /* "HOST:PORT" of --rendezvous; NULL = as the launcher says */
    int64_t patience;       /* ns to wait for the others */
    const void *hello;      /* what this process says of itself (a text for the leader's use); copied */
    size_t hello_bytes;
};

struct ncs_peer { /* by number, as the launcher counts; the leader is 0 */
    char host[256];
    pid_t pid;
    int local;  /* its number among the processes of its host, from 0 */
    int locals; /* how many these are */
    const void *hello;
    size_t hello_bytes;
    atomic_bool gone; /* its connection has ended before the job */
};

/* False and err if the text is not HOST:PORT; an address of IPv6 stands in brackets. */
bool ncs_team_check_rendezvous(const char *text, struct ncs_error *err);

/* The leader: waits until all processes of the job have joined. NULL and err otherwise: who has not come (by number, and by host
 * where known), what is wrong with the address. */
struct ncs_team *ncs_team_gather(const struct ncs_team_options *options, struct ncs_error *err);
/* Another process: connects, is taken in, and waits until all others are. What keeps the leader from going on is its err, too. */
struct ncs_team *ncs_team_join(const struct ncs_team_options *options, struct ncs_error *err);

int ncs_team_size(const struct ncs_team *team);
/* Of a member only its own and the leader's are known. */
const struct ncs_peer *ncs_team_peer(const struct ncs_team *team, int number);

/* Any thread. The body is `first` and then `rest` (either may be empty). A member sends to 0. False: the peer is gone. */
bool ncs_team_send(struct ncs_team *team, int to, uint32_t kind, uint32_t line, const void *first, size_t first_bytes,
                   const void *rest, size_t rest_bytes);

/* The same, but gives up at that time of the monotonic clock, in ns (< 0 = never). After that nothing can be sent to the peer. */
bool ncs_team_send_until(struct ncs_team *team, int to, uint32_t kind, uint32_t line, const void *body, size_t bytes,
                         int64_t until);

/* The leader: from now on a thread of the team's own calls `heard` for each message, and `lost` once for a peer whose connection
 * ends (why: "the connection ended", "Connection reset by peer"). `heard` must return soon. A peer that is slow, or that is stopped
 * in the middle of a message, holds up no other. */
typedef void ncs_team_heard(void *arg, int from, const struct ncs_message *message);
typedef void ncs_team_lost(void *arg, int peer, const char *why);
bool ncs_team_listen(struct ncs_team *team, ncs_team_heard *heard, ncs_team_lost *lost, void *arg, struct ncs_error *err);

/* A member: calls `heard` (from = 0) on this thread for each message until the leader ends the job. Returns its exit status; -1 and
 * err if the connection ends before. */
int ncs_team_serve(struct ncs_team *team, ncs_team_heard *heard, void *arg, struct ncs_error *err);

/* The leader: tells all members the job's exit status, waits shortly until they have closed, and frees the team, unless it
 * listens: then the process has to end. A member: frees it. */
void ncs_team_end(struct ncs_team *team, int status);
/* The leader is about to end without further ado: tells the members what they may still hear. Async-signal-safe. */
void ncs_team_drop(struct ncs_team *team, int status);

#endif
