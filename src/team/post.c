/* Messages between the processes of a team that has come together. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/thread.h"
#include "team/address.h"
#include "team/inside.h"
#include "team/socket.h"

#define POST_END_LIMIT ((int64_t)2 * 1000000000) /* for the members to close */
enum { POST_EVENTS = 64 };

/* ---- seals ---- */

struct team_last team_last_message(const struct team_link *link, int status)
{
    struct team_last last = { .head = { NCS_FRAME_MAGIC, TEAM_OWN, TEAM_END, sizeof last.status }, .status = status & 255 };
    memcpy(last.seal, link->lasts[last.status], sizeof last.seal);
    return last;
}

static bool post_seal_lasts(struct team_link *link)
{
    link->lasts = ncs_new(TEAM_STATUSES * sizeof *link->lasts);
    for (int status = 0; status < TEAM_STATUSES; status++) {
        struct team_last last = team_last_message(link, status);
        const struct iovec part = { &last, offsetof(struct team_last, seal) };
        if (!team_seal_of(&link->out, TEAM_SEAL_LAST, &part, 1, link->lasts[status]))
            return false;
    }
    return true;
}

bool team_link_seal(struct team_link *link, const uint8_t token[TEAM_TOKEN], const struct team_talk *talk, bool leader)
{
    link->inbox.trailer = TEAM_SEAL;
    return team_seal_begin(&link->out, &link->in, token, talk, leader) && (!leader || post_seal_lasts(link));
}

void team_link_unseal(struct team_link *link)
{
    team_seal_end(&link->out);
    team_seal_end(&link->in);
    ncs_free(link->lasts);
    link->lasts = NULL;
    link->inbox.trailer = 0;
}

bool team_next(struct team_link *link, struct ncs_message *message)
{
    if (!ncs_inbox_next(&link->inbox, NCS_TEAM_MOST, message))
        return false;
    if (!link->in.key || team_seal_fits(&link->in, message))
        return true;
    link->inbox.broken = "it sent a message without the right seal";
    return false;
}

/* ---- sending ---- */

/* Another thread may be in the middle of a long message. */
static bool post_lock(struct team_link *link, int64_t until)
{
    struct timespec t;
    if (until < 0)
        return pthread_mutex_lock(&link->sends) == 0;
    int left = team_left(until); /* ms; the lock knows the other clock only */
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += left / 1000;
    t.tv_nsec += left % 1000 * 1000000L;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return pthread_mutex_timedlock(&link->sends, &t) == 0;
}

bool team_post(struct team_link *link, uint32_t kind, uint32_t line, const void *first, size_t first_bytes, const void *rest,
               size_t rest_bytes, int64_t until)
{
    static const char fill[NCS_FRAME_ALIGNED];
    size_t bytes = first_bytes + rest_bytes;
    struct ncs_frame_head head = { NCS_FRAME_MAGIC, kind, line, (uint32_t)bytes };
    uint8_t seal[TEAM_SEAL];
    struct iovec parts[TEAM_SEAL_PARTS + 1] = {
        { &head, sizeof head },       { (void *)first, first_bytes },
        { (void *)rest, rest_bytes }, { (void *)fill, (NCS_FRAME_ALIGNED - bytes % NCS_FRAME_ALIGNED) % NCS_FRAME_ALIGNED },
        { seal, sizeof seal },
    };
    if (bytes > NCS_TEAM_MOST || !post_lock(link, until))
        return false;
    bool sent = link->fd >= 0 && team_seal_of(&link->out, link->out.count++, parts, TEAM_SEAL_PARTS, seal) &&
                team_send_whole(link->fd, parts, TEAM_SEAL_PARTS + 1, until);
    if (!sent && link->fd >= 0) /* half a message may be on its way: nothing may follow it */
        shutdown(link->fd, SHUT_RDWR);
    pthread_mutex_unlock(&link->sends);
    return sent;
}

bool ncs_team_send(struct ncs_team *team, int to, uint32_t kind, uint32_t line, const void *first, size_t first_bytes,
                   const void *rest, size_t rest_bytes)
{
    struct team_link *link = &team->links[team->self == 0 ? to : 0];
    if (kind == TEAM_OWN || team->peers[to].gone)
        return false;
    return team_post(link, kind, line, first, first_bytes, rest, rest_bytes, -1);
}

bool ncs_team_send_until(struct ncs_team *team, int to, uint32_t kind, uint32_t line, const void *body, size_t bytes,
                         int64_t until)
{
    if (kind == TEAM_OWN || team->peers[to].gone)
        return false;
    return team_post(&team->links[team->self == 0 ? to : 0], kind, line, body, bytes, NULL, 0, until);
}

/* ---- the leader's thread ---- */

/* A sender that waits for room comes back from the shutdown. */
static void post_lose(struct ncs_team *team, int number, const char *why)
{
    struct team_link *link = &team->links[number];
    epoll_ctl(team->events, EPOLL_CTL_DEL, link->fd, NULL);
    team->peers[number].gone = true;
    shutdown(link->fd, SHUT_RDWR);
    ncs_inbox_free(&link->inbox);
    team->lost(team->arg, number, why);
}

static void post_read(struct ncs_team *team, int number)
{
    struct team_link *link = &team->links[number];
    struct ncs_message message;
    const char *why = NULL;
    enum ncs_inbox_got read = ncs_inbox_read(&link->inbox, link->fd, &why);
    while (!why && team_next(link, &message)) {
        if (message.kind == TEAM_OWN)
            link->inbox.broken = "it sent what only process 0 may send";
        else
            team->heard(team->arg, number, &message);
    }
    if (!why)
        why = link->inbox.broken;
    if (read == NCS_INBOX_OVER || why)
        post_lose(team, number, why);
}

static void *post_main(void *arg)
{
    struct ncs_team *team = arg;
    struct epoll_event events[POST_EVENTS];
    for (;;) {
        int count = epoll_wait(team->events, events, POST_EVENTS, -1);
        for (int i = 0; i < count; i++)
            if (events[i].data.u32 == 0)
                return NULL;
        for (int i = 0; i < count; i++)
            post_read(team, (int)events[i].data.u32);
        if (count < 0 && errno != EINTR)
            return NULL;
    }
}

static bool post_watch(struct ncs_team *team)
{
    struct epoll_event event = { .events = EPOLLIN };
    team->events = epoll_create1(EPOLL_CLOEXEC);
    team->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (team->events < 0 || team->wake < 0 || epoll_ctl(team->events, EPOLL_CTL_ADD, team->wake, &event) != 0)
        return false;
    for (int i = 1; i < team->processes; i++) {
        event.data.u64 = (uint64_t)i;
        if (epoll_ctl(team->events, EPOLL_CTL_ADD, team->links[i].fd, &event) != 0)
            return false;
    }
    return true;
}

bool ncs_team_listen(struct ncs_team *team, ncs_team_heard *heard, ncs_team_lost *lost, void *arg, struct ncs_error *err)
{
    team->heard = heard;
    team->lost = lost;
    team->arg = arg;
    if (!post_watch(team))
        return ncs_fail(err, NCS_INTERNAL, "the processes cannot be listened to: %s", strerror(errno));
    int rc = ncs_thread_start(&team->post, NULL, post_main, team);
    team->listens = rc == 0;
    return team->listens || ncs_fail(err, NCS_INTERNAL, "the thread for the processes' messages cannot begin: %s", strerror(rc));
}

/* ---- a member ---- */

int ncs_team_serve(struct ncs_team *team, ncs_team_heard *heard, void *arg, struct ncs_error *err)
{
    struct team_link *link = &team->links[0];
    struct pollfd p = { .fd = link->fd, .events = POLLIN };
    for (;;) {
        struct ncs_message message;
        const char *why = NULL;
        while (team_next(link, &message)) {
            int32_t status = -1;
            if (message.kind != TEAM_OWN) {
                heard(arg, 0, &message);
            } else if (message.line == TEAM_END && message.bytes == sizeof status) {
                memcpy(&status, message.body, sizeof status);
                return status;
            }
        }
        if (ncs_inbox_read(&link->inbox, link->fd, &why) == NCS_INBOX_NOTHING)
            poll(&p, 1, -1);
        if (why) {
            team->peers[0].gone = true;
            ncs_fail(err, NCS_INTERNAL, "process 0 (host %s) is gone before the job's end: %s", team->peers[0].host, why);
            return -1;
        }
    }
}

/* ---- the end ---- */

struct post_ending { /* of one member */
    size_t told;     /* bytes of the last message */
    bool closed;
};

/* True when nothing is left to do for the member. */
static bool post_end_step(struct team_link *link, struct post_ending *ending, int status)
{
    const struct team_last last = team_last_message(link, status);
    char rest[4096];
    ssize_t n = 0;
    if (ending->closed)
        return true;
    if (ending->told < sizeof last) {
        n = team_send_some(link->fd, (const char *)&last + ending->told, sizeof last - ending->told);
        ending->told += n > 0 ? (size_t)n : 0;
        if (ending->told == sizeof last)
            shutdown(link->fd, SHUT_WR);
    }
    /* Bytes that nobody has read would end the connection with an error, and the member might lose its status. */
    ssize_t got = n < 0 ? 0 : 1;
    while (got > 0)
        got = recv(link->fd, rest, sizeof rest, MSG_DONTWAIT);
    ending->closed = n < 0 || got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    return ending->closed;
}

static void post_end_members(struct ncs_team *team, int status)
{
    int64_t until = ncs_clock() + POST_END_LIMIT;
    size_t members = (size_t)team->processes;
    struct post_ending *endings = ncs_new(members * sizeof *endings);
    struct pollfd *polls = ncs_new(members * sizeof *polls);
    for (;;) {
        nfds_t count = 0;
        for (int i = 1; i < team->processes; i++) {
            struct team_link *link = &team->links[i];
            if (link->fd >= 0 && !team->peers[i].gone && !post_end_step(link, &endings[i], status))
                polls[count++] = (struct pollfd){ .fd = link->fd,
                                                  .events = POLLIN | (endings[i].told < sizeof(struct team_last) ? POLLOUT : 0) };
        }
        int left = team_left(until);
        if (!count || !left)
            break;
        poll(polls, count, left);
    }
    ncs_free(endings);
    ncs_free(polls);
}

void ncs_team_drop(struct ncs_team *team, int status)
{
    for (int i = 1; i < team->processes && team->self == 0; i++)
        if (!team->peers[i].gone) {
            const struct team_last last = team_last_message(&team->links[i], status);
            team_send_some(team->links[i].fd, &last, sizeof last);
        }
}

/* Its threads may still be inside of calls: it stays to the end of the process, without what has come. */
static void post_keep(struct ncs_team *team)
{
    static struct ncs_team *kept;
    for (int i = 1; i < team->processes; i++)
        ncs_inbox_free(&team->links[i].inbox);
    team->before = kept;
    kept = team;
}

void ncs_team_end(struct ncs_team *team, int status)
{
    if (!team)
        return;
    if (team->listens) {
        uint64_t one = 1;
        if (write(team->wake, &one, sizeof one) == sizeof one)
            pthread_join(team->post, NULL);
    }
    if (team->self == 0)
        post_end_members(team, status);
    if (team->listens)
        post_keep(team);
    else
        team_free(team);
    team_leave_launcher();
}
