/* The leader gathers its members, whatever else connects meanwhile. */
#define _GNU_SOURCE /* qsort_r, explicit_bzero, EPOLLRDHUP */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/thread.h"
#include "team/address.h"
#include "team/greeting.h"
#include "team/inside.h"
#include "team/socket.h"

#define SECOND ((int64_t)1000000000)
#define VISIT_LIMIT (10 * SECOND)   /* for a whole hello, and for going after a refusal */
#define LISTENER_REST (SECOND / 10) /* when the system has no descriptor for one more */
enum { STRANGERS = 64, EVENTS = 64, DESCRIPTORS = 128 };

/* A connection that came in. Those that are no members yet stand in a queue, the oldest first: all have the same time. */
struct visitor {
    int fd;
    int number; /* of the member that it has turned out to be; 0 = none so far */
    bool refused;
    int64_t until;
    struct {
        struct team_hello hello;
        struct team_proof proof;
    } said;
    struct team_challenge challenge; /* what it was asked */
    bool proven;                     /* its proof is right */
    char *own;                       /* the user's hello */
    size_t got;                      /* bytes of what it says */
    char from[64];
    struct visitor *before, *after;
};

struct gathering {
    struct ncs_team *team;
    const struct ncs_team_options *options;
    struct team_address address;
    struct visitor **members; /* by number */
    int joined;
    struct visitor *oldest, *newest;
    int waiting; /* how many stand in the queue */
    int listener, events;
    bool listens;
    int64_t until, rests_until;
    char note[400]; /* the last that was refused, and why */
    bool lost;      /* a member has gone again */
    bool crowded;   /* there is no descriptor for one more */
};

/* ---- the queue ---- */

static void visitor_queue(struct gathering *g, struct visitor *v)
{
    v->until = ncs_clock() + VISIT_LIMIT;
    v->before = g->newest;
    v->after = NULL;
    *(g->newest ? &g->newest->after : &g->oldest) = v;
    g->newest = v;
    g->waiting++;
}

static void visitor_unqueue(struct gathering *g, struct visitor *v)
{
    *(v->before ? &v->before->after : &g->oldest) = v->after;
    *(v->after ? &v->after->before : &g->newest) = v->before;
    g->waiting--;
}

static void visitor_close(struct gathering *g, struct visitor *v)
{
    visitor_unqueue(g, v);
    close(v->fd);
    ncs_free(v->own);
    ncs_free(v);
}

/* ---- hellos ---- */

static struct team_talk visitor_talk(const struct visitor *v)
{
    return (struct team_talk){ v->said.hello, v->challenge };
}

/* Says no. The bytes that it still sends are read until it closes: else the system would take the answer back. */
static void visitor_refuse(struct gathering *g, struct visitor *v, const char *why, bool again)
{
    struct {
        struct ncs_frame_head head;
        struct team_no no;
    } answer = { .head = { NCS_FRAME_MAGIC, TEAM_OWN, TEAM_NO, sizeof answer.no }, .no.again = again };
    struct team_talk talk = visitor_talk(v);
    snprintf(answer.no.why, sizeof answer.no.why, "%s", why);
    if (v->proven)
        team_prove(g->address.token, TEAM_FOR_NO, &talk, &answer.no, offsetof(struct team_no, proof), answer.no.proof);
    if (!again)
        snprintf(g->note, sizeof g->note, "; a process at %s was refused: %s", v->from, why);
    team_send_some(v->fd, &answer, sizeof answer);
    shutdown(v->fd, SHUT_WR);
    visitor_unqueue(g, v);
    v->refused = true;
    visitor_queue(g, v);
}

/* Asks for the proof: each connection is asked something else. */
static bool visitor_ask(struct visitor *v)
{
    struct {
        struct ncs_frame_head head;
        struct team_challenge challenge;
    } ask = { .head = { NCS_FRAME_MAGIC, TEAM_OWN, TEAM_ASK, sizeof ask.challenge } };
    if (!team_draw(&v->challenge, sizeof v->challenge))
        return false;
    ask.challenge = v->challenge;
    return team_send_some(v->fd, &ask, sizeof ask) == sizeof ask;
}

static bool visitor_take(struct gathering *g, struct visitor *v)
{
    struct {
        struct ncs_frame_head head;
        uint8_t proof[TEAM_MAC];
    } answer = { .head = { NCS_FRAME_MAGIC, TEAM_OWN, TEAM_YES, sizeof answer.proof } };
    const struct team_talk talk = visitor_talk(v);
    struct ncs_peer *peer = &g->team->peers[talk.hello.number];
    struct epoll_event event = { .events = EPOLLRDHUP, .data.ptr = v };
    struct team_link *link = &g->team->links[talk.hello.number];
    if (!team_prove(g->address.token, TEAM_FOR_LEADER, &talk, NULL, 0, answer.proof) ||
        !team_link_seal(link, g->address.token, &talk, true) || team_send_some(v->fd, &answer, sizeof answer) != sizeof answer) {
        team_link_unseal(link);
        return false;
    }
    visitor_unqueue(g, v);
    v->number = talk.hello.number;
    g->members[v->number] = v;
    link->fd = v->fd;
    team_name_host(peer->host, talk.hello.host);
    peer->pid = (pid_t)talk.hello.pid;
    peer->local = talk.hello.local;
    peer->locals = talk.hello.locals;
    peer->hello = v->own;
    peer->hello_bytes = talk.hello.bytes;
    v->own = NULL;
    g->joined++;
    epoll_ctl(g->events, EPOLL_CTL_MOD, v->fd, &event);
    return true;
}

/* How many bytes are to come before the next look. */
static size_t visitor_wants(const struct visitor *v)
{
    if (v->got < sizeof v->said.hello.greeting)
        return sizeof v->said.hello.greeting - v->got;
    if (v->got < sizeof v->said.hello)
        return sizeof v->said.hello - v->got;
    if (v->got < sizeof v->said)
        return sizeof v->said - v->got;
    return sizeof v->said + v->said.hello.bytes - v->got;
}

/* The whole proof has come. Only a process with the token may fill memory. */
static void visitor_check(struct gathering *g, struct visitor *v)
{
    const struct team_talk talk = visitor_talk(v);
    const struct team_proof *proof = &v->said.proof;
    char room[252];
    v->proven = team_is_proof(g->address.token, TEAM_FOR_MEMBER, &talk, proof->own, sizeof proof->own, proof->member);
    const char *why = v->proven ? team_check_hello(&talk.hello, g->team->processes, room) : "its secret is another job's";
    if (!why && g->members[talk.hello.number]) {
        snprintf(room, sizeof room, "another process has its number, %d", talk.hello.number);
        why = room;
    }
    if (why)
        visitor_refuse(g, v, why, !v->proven);
    else
        v->own = ncs_new(talk.hello.bytes);
}

/* All has come that it says. */
static bool visitor_finish(struct gathering *g, struct visitor *v)
{
    const struct team_talk talk = visitor_talk(v);
    if (!team_is_proof(g->address.token, TEAM_FOR_OWN, &talk, v->own, talk.hello.bytes, v->said.proof.own))
        return false;
    if (!g->members[talk.hello.number])
        return visitor_take(g, v);
    visitor_refuse(g, v, "another process has its number", false);
    return true;
}

/* Looks at what has come. False: the connection is of no use. */
static bool visitor_look(struct gathering *g, struct visitor *v)
{
    char room[252];
    if (v->got == sizeof v->said.hello.greeting) {
        const char *why = team_check_greeting(&v->said.hello.greeting, room);
        if (why)
            visitor_refuse(g, v, why, false);
        return true;
    }
    if (v->got == sizeof v->said.hello)
        return visitor_ask(v);
    if (v->got == sizeof v->said)
        visitor_check(g, v);
    return v->refused || visitor_wants(v) || visitor_finish(g, v);
}

/* Another program, as one that looks for open ports, is not waited for. */
static bool visitor_is_ours(const struct visitor *v)
{
    size_t come = v->got < sizeof v->said.hello.greeting.magic ? v->got : sizeof v->said.hello.greeting.magic;
    return memcmp(v->said.hello.greeting.magic, TEAM_MAGIC, come) == 0;
}

/* Reads on. False: the connection is at its end, or of no use. */
static bool visitor_read(struct gathering *g, struct visitor *v)
{
    char waste[1024];
    for (;;) {
        bool whole = v->got >= sizeof v->said;
        size_t wants = v->refused ? sizeof waste : visitor_wants(v);
        char *to = v->refused ? waste : whole ? v->own + (v->got - sizeof v->said) : (char *)&v->said + v->got;
        ssize_t got = recv(v->fd, to, wants, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return true;
        if (got <= 0)
            return false;
        if (v->refused)
            return true; /* the others are served in between */
        v->got += (size_t)got;
        if (!visitor_is_ours(v) || ((size_t)got == wants && !visitor_look(g, v)))
            return false;
        if (v->number)
            return true;
    }
}

/* ---- connections ---- */

static void gather_switch_listener(struct gathering *g, bool on)
{
    struct epoll_event event = { .events = on ? EPOLLIN : 0, .data.ptr = NULL };
    if (g->listens != on)
        epoll_ctl(g->events, EPOLL_CTL_MOD, g->listener, &event);
    g->listens = on;
}

static void gather_accept(struct gathering *g)
{
    char from[64];
    int fd = team_accept(g->listener, from);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            snprintf(g->note, sizeof g->note, "; a connection could not be taken: %s", strerror(errno));
            g->crowded = g->oldest != NULL;
            if (!g->crowded)
                g->rests_until = ncs_clock() + LISTENER_REST;
        }
        return;
    }
    struct visitor *v = ncs_new(sizeof *v);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = v };
    v->fd = fd;
    memcpy(v->from, from, sizeof v->from);
    visitor_queue(g, v);
    if (epoll_ctl(g->events, EPOLL_CTL_ADD, fd, &event) != 0)
        visitor_close(g, v);
}

static void gather_handle(struct gathering *g, const struct epoll_event *event, struct ncs_error *err)
{
    struct visitor *v = event->data.ptr;
    if (!v) {
        gather_accept(g);
    } else if (v->number) {
        const struct ncs_peer *peer = &g->team->peers[v->number];
        g->lost = true;
        ncs_fail(err, NCS_NO_DEVICE, "process %d (host %s) has ended before all processes had joined", v->number, peer->host);
    } else if (!visitor_read(g, v)) {
        visitor_close(g, v);
    }
}

/* Until when nothing need be done. */
static int64_t gather_next(const struct gathering *g)
{
    int64_t next = g->oldest && g->oldest->until < g->until ? g->oldest->until : g->until;
    return !g->listens && g->rests_until < next ? g->rests_until : next;
}

/* Handles what has come; an event may close no other visitor than its own. Where there are more visitors than the job has processes,
 * and some strangers, or no descriptor for one more, the oldest must go: members say their hello at once. */
static bool gather_round(struct gathering *g, struct ncs_error *err)
{
    struct epoll_event events[EVENTS];
    int64_t now = ncs_clock();
    while (g->oldest && (g->crowded || g->oldest->until <= now || g->waiting > STRANGERS + g->team->processes)) {
        visitor_close(g, g->oldest);
        g->crowded = false;
    }
    gather_switch_listener(g, now >= g->rests_until);
    int count = epoll_wait(g->events, events, EVENTS, team_left(gather_next(g)));
    for (int i = 0; i < count && !g->lost; i++)
        gather_handle(g, &events[i], err);
    return !g->lost;
}

/* ---- who has not come ---- */

static bool gather_fail(const struct gathering *g, struct ncs_error *err)
{
    struct ncs_str text = { 0 };
    char patience[32];
    int *missing = ncs_new((size_t)g->team->processes * sizeof *missing), count = 0;
    for (int i = 1; i < g->team->processes; i++)
        if (!g->members[i])
            missing[count++] = i;
    ncs_str_add(&text, count == 1 ? "process " : "processes ");
    ncs_str_add_many_ranks(&text, missing, (size_t)count);
    ncs_fail(err, NCS_NO_DEVICE, "%s of %d %s not joined within %s%s", text.text, g->team->processes, count == 1 ? "has" : "have",
             team_patience_text(g->options->patience, patience), g->note);
    ncs_fail_hint(err, "all processes need the same command; --rendezvous HOST:PORT names a host and port that they reach");
    ncs_free(missing);
    ncs_str_free(&text);
    return false;
}

/* The members that have come learn why it does not go on. */
static void gather_tell_failure(struct gathering *g, const char *why)
{
    for (int i = 1; i < g->team->processes; i++)
        if (g->members[i])
            team_post(&g->team->links[i], TEAM_OWN, TEAM_FAILED, why, strlen(why), NULL, 0, ncs_clock());
}

/* ---- all have come ---- */

static int gather_compare(const void *a, const void *b, void *arg)
{
    const struct ncs_peer *peers = arg;
    int one = *(const int *)a, other = *(const int *)b, hosts = strcmp(peers[one].host, peers[other].host);
    return hosts ? hosts : one - other;
}

/* Numbers the processes of each host, if the launcher has not. */
static void gather_number_locals(struct ncs_team *team)
{
    bool known = true;
    for (int i = 0; i < team->processes; i++)
        known &= team->peers[i].local >= 0 && team->peers[i].locals > team->peers[i].local;
    if (known)
        return;
    int *order = ncs_new((size_t)team->processes * sizeof *order);
    for (int i = 0; i < team->processes; i++)
        order[i] = i;
    qsort_r(order, (size_t)team->processes, sizeof *order, gather_compare, team->peers);
    for (int from = 0, to; from < team->processes; from = to) {
        for (to = from; to < team->processes && strcmp(team->peers[order[from]].host, team->peers[order[to]].host) == 0; to++)
            team->peers[order[to]].local = to - from;
        for (int i = from; i < to; i++)
            team->peers[order[i]].locals = to - from;
    }
    ncs_free(order);
}

static bool gather_complete(struct gathering *g, struct ncs_error *err)
{
    struct ncs_team *team = g->team;
    const struct ncs_peer *self = &team->peers[0];
    gather_number_locals(team);
    for (int i = 1; i < team->processes; i++) {
        struct team_peers peers = { .local = team->peers[i].local,
                                    .locals = team->peers[i].locals,
                                    .leader_local = self->local,
                                    .leader_locals = self->locals,
                                    .leader_pid = self->pid };
        memcpy(peers.leader_host, self->host, sizeof peers.leader_host);
        if (!team_post(&team->links[i], TEAM_OWN, TEAM_COMPLETE, &peers, sizeof peers, self->hello, self->hello_bytes,
                       ncs_clock() + VISIT_LIMIT))
            return ncs_fail(err, NCS_NO_DEVICE, "process %d (host %s) has ended before all processes had joined", i,
                            team->peers[i].host);
    }
    return true;
}

/* ---- */

static bool gather_begin(struct gathering *g, char **file, struct ncs_error *err)
{
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = NULL };
    team_allow_descriptors(g->team->processes + STRANGERS + DESCRIPTORS);
    g->listener = team_publish(g->options, &g->address, file, err);
    if (g->listener < 0)
        return false;
    g->events = epoll_create1(EPOLL_CLOEXEC);
    g->listens = g->events >= 0 && epoll_ctl(g->events, EPOLL_CTL_ADD, g->listener, &event) == 0;
    return g->listens || ncs_fail(err, NCS_INTERNAL, "connections cannot be waited for: %s", strerror(errno));
}

static bool gather_all(struct gathering *g, struct ncs_error *err)
{
    while (g->joined < g->team->processes - 1) {
        if (ncs_clock() >= g->until)
            return gather_fail(g, err);
        if (!gather_round(g, err))
            return false;
    }
    return gather_complete(g, err);
}

static void gather_end(struct gathering *g, char *file)
{
    while (g->oldest)
        visitor_close(g, g->oldest);
    for (int i = 1; i < g->team->processes; i++)
        ncs_free(g->members[i]);
    ncs_free(g->members);
    if (g->listener >= 0)
        close(g->listener);
    if (g->events >= 0)
        close(g->events);
    if (file)
        unlink(file);
    ncs_free(file);
    explicit_bzero(g->address.token, sizeof g->address.token);
}

struct ncs_team *ncs_team_gather(const struct ncs_team_options *options, struct ncs_error *err)
{
    struct gathering g = { .options = options, .until = ncs_clock() + options->patience, .listener = -1, .events = -1 };
    struct ncs_error own = { .status = NCS_OK };
    char *file = NULL;
    if (options->hello_bytes > NCS_TEAM_HELLO_MOST) {
        ncs_fail(err, NCS_INTERNAL, "the hello of process 0 is too long");
        return NULL;
    }
    g.team = team_new(options);
    g.members = ncs_new((size_t)g.team->processes * sizeof *g.members);
    bool whole = g.team->processes == 1 || (team_hmac_open(&own) && gather_begin(&g, &file, &own) && gather_all(&g, &own));
    if (!whole)
        gather_tell_failure(&g, own.text);
    gather_end(&g, file);
    if (whole)
        return g.team;
    if (err)
        *err = own;
    team_free(g.team);
    team_leave_launcher();
    return NULL;
}
