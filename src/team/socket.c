#define _GNU_SOURCE /* accept4 */
#include "team/socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"

#define SECOND ((int64_t)1000000000)
#define CONNECT_LIMIT (5 * SECOND) /* a host that does not answer at all */

/* ---- time ---- */

void team_pause(int64_t nanoseconds)
{
    nanosleep(&(struct timespec){ (time_t)(nanoseconds / SECOND), (long)(nanoseconds % SECOND) }, NULL);
}

int team_left(int64_t until)
{
    int64_t left = until - ncs_clock();
    if (left <= 0)
        return 0;
    left = left / 1000000 + 1;
    return left < INT_MAX ? (int)left : INT_MAX;
}

/* ---- connections ---- */

/* A host that has gone without a word is found within half a minute, whether data are under way to it (the last option) or not. A
 * process that is stopped is found only when its host has no room left for what it is sent. */
static void socket_prepare(int fd)
{
    const struct {
        int level, name, value;
    } options[] = {
        { IPPROTO_TCP, TCP_NODELAY, 1 },   { SOL_SOCKET, SO_KEEPALIVE, 1 }, { IPPROTO_TCP, TCP_KEEPIDLE, 10 },
        { IPPROTO_TCP, TCP_KEEPINTVL, 5 }, { IPPROTO_TCP, TCP_KEEPCNT, 3 }, { IPPROTO_TCP, TCP_USER_TIMEOUT, 30000 },
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof options[i].value);
}

static socklen_t socket_address(struct sockaddr_storage *at, enum team_reach reach, bool v6, int port)
{
    memset(at, 0, sizeof *at);
    if (v6) {
        struct sockaddr_in6 *in = (struct sockaddr_in6 *)at;
        in->sin6_family = AF_INET6;
        in->sin6_port = htons((uint16_t)port);
        in->sin6_addr = reach == TEAM_EVERYWHERE ? in6addr_any : in6addr_loopback;
        return sizeof *in;
    }
    struct sockaddr_in *in = (struct sockaddr_in *)at;
    in->sin_family = AF_INET;
    in->sin_port = htons((uint16_t)port);
    in->sin_addr.s_addr = htonl(reach == TEAM_EVERYWHERE ? INADDR_ANY : INADDR_LOOPBACK);
    return sizeof *in;
}

static int socket_listen(enum team_reach reach, bool v6, int *port)
{
    const int on = 1, off = 0;
    struct sockaddr_storage at;
    socklen_t bytes = socket_address(&at, reach, v6, *port);
    int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (*port) /* an earlier job's connections may linger at the port */
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, (struct sockaddr *)&at, bytes) != 0 || listen(fd, SOMAXCONN) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &bytes) != 0) {
        int failed = errno;
        close(fd);
        errno = failed;
        return -1;
    }
    *port = ntohs(v6 ? ((struct sockaddr_in6 *)&at)->sin6_port : ((struct sockaddr_in *)&at)->sin_port);
    return fd;
}

/* A socket of IPv6 takes connections of IPv4 as well; a host may be without IPv6. */
int team_listen_at(enum team_reach reach, int *port)
{
    int fd = -1;
    if (reach != TEAM_HERE)
        fd = socket_listen(reach, true, port);
    if (fd < 0 && reach != TEAM_HERE_V6 && (reach == TEAM_HERE || errno != EADDRINUSE))
        fd = socket_listen(reach, false, port);
    return fd;
}

int team_accept(int listener, char from[64])
{
    struct sockaddr_storage at = { 0 };
    socklen_t bytes = sizeof at;
    int fd = accept4(listener, (struct sockaddr *)&at, &bytes, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return -1;
    socket_prepare(fd);
    if (getnameinfo((struct sockaddr *)&at, bytes, from, 64, NULL, 0, NI_NUMERICHOST) != 0)
        snprintf(from, 64, "?");
    return fd;
}

/* True when the connection that was begun stands. */
static bool socket_connected(int fd, int64_t until)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };
    socklen_t bytes = sizeof errno;
    int n, failed = 0;
    do
        n = poll(&p, 1, team_left(until));
    while (n < 0 && errno == EINTR);
    if (n == 0)
        failed = ETIMEDOUT;
    else if (n < 0)
        failed = errno;
    else if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &bytes) != 0)
        failed = errno;
    errno = failed;
    return failed == 0;
}

/* A connection to a free port of this host may meet itself. */
static bool socket_is_itself(int fd)
{
    struct sockaddr_storage own = { 0 }, other = { 0 };
    socklen_t own_bytes = sizeof own, other_bytes = sizeof other;
    return getsockname(fd, (struct sockaddr *)&own, &own_bytes) == 0 &&
           getpeername(fd, (struct sockaddr *)&other, &other_bytes) == 0 && own_bytes == other_bytes &&
           memcmp(&own, &other, own_bytes) == 0;
}

static int socket_connect(const struct addrinfo *to, int64_t until)
{
    int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    bool stands = connect(fd, to->ai_addr, to->ai_addrlen) == 0 ||
                  ((errno == EINPROGRESS || errno == EINTR) && socket_connected(fd, until));
    int failed = errno;
    if (stands && socket_is_itself(fd)) {
        stands = false;
        failed = ECONNREFUSED;
    }
    if (stands) {
        socket_prepare(fd);
        return fd;
    }
    close(fd);
    errno = failed;
    return -1;
}

int team_connect(const char *host, int port, int64_t until, const char **why)
{
    struct addrinfo wanted = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV }, *found = NULL;
    char service[16];
    int fd = -1;
    snprintf(service, sizeof service, "%d", port);
    int rc = getaddrinfo(host, service, &wanted, &found);
    if (rc != 0) {
        *why = rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc);
        return -1;
    }
    for (const struct addrinfo *to = found; to && fd < 0; to = to->ai_next) {
        int64_t limit = ncs_clock() + CONNECT_LIMIT;
        fd = socket_connect(to, limit < until ? limit : until);
        if (fd < 0)
            *why = strerror(errno);
    }
    freeaddrinfo(found);
    return fd;
}

/* ---- sending ---- */

/* Takes what was sent off the parts. */
static void socket_advance(struct msghdr *message, size_t sent)
{
    while (message->msg_iovlen && sent >= message->msg_iov->iov_len) {
        sent -= message->msg_iov->iov_len;
        message->msg_iov++;
        message->msg_iovlen--;
    }
    if (message->msg_iovlen) {
        message->msg_iov->iov_base = (char *)message->msg_iov->iov_base + sent;
        message->msg_iov->iov_len -= sent;
    }
}

bool team_send_whole(int fd, struct iovec *parts, int count, int64_t until)
{
    struct msghdr message = { .msg_iov = parts, .msg_iovlen = (size_t)count };
    socket_advance(&message, 0);
    while (message.msg_iovlen) {
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        struct pollfd p = { .fd = fd, .events = POLLOUT };
        if (sent >= 0)
            socket_advance(&message, (size_t)sent);
        else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return false;
        else if (errno != EINTR && poll(&p, 1, until < 0 ? -1 : team_left(until)) == 0)
            return false;
    }
    return true;
}

ssize_t team_send_some(int fd, const void *bytes, size_t count)
{
    ssize_t sent;
    do
        sent = send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : sent;
}

void team_allow_descriptors(int count)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY || files.rlim_cur >= (rlim_t)count)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}
