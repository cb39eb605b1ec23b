/* TCP, with what all connections of the team have in common: close-on-exec, non-blocking, without delay, and kept alive. */
#ifndef NCS_TEAM_SOCKET_H
#define NCS_TEAM_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/error.h"

void team_pause(int64_t nanoseconds);
/* For poll: ms until then, rounded up; 0 if it is over. */
int team_left(int64_t until);

enum team_reach { TEAM_HERE, TEAM_HERE_V6, TEAM_EVERYWHERE }; /* who may connect: this host, by IPv4 or IPv6; any */

/* Listens; *port 0 is replaced by a free one. -1 and errno otherwise. */
int team_listen_at(enum team_reach reach, int *port);
/* A connection that has come in; -1 = none. */
int team_accept(int listener, char from[64]);
/* Connects to one of the host's addresses, for at most a few seconds and not beyond `until`. -1 and *why otherwise. */
int team_connect(const char *host, int port, int64_t until, const char **why);

/* Sends all of it, waiting while the connection is full, but not beyond `until` (-1 = no limit). Changes `parts`. */
bool team_send_whole(int fd, struct iovec *parts, int count, int64_t until);
/* Sends what can be sent at once; the number of bytes, -1 = the connection is at its end. */
ssize_t team_send_some(int fd, const void *bytes, size_t count);

/* Allows for this many descriptors, as far as the system lets it. */
void team_allow_descriptors(int count);

#endif
