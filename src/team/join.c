/* A member comes to its team. */
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/safe.h"
#include "base/thread.h"
#include "team/address.h"
#include "team/greeting.h"
#include "team/inside.h"
#include "team/socket.h"

#define SECOND ((int64_t)1000000000)
#define JOIN_ANSWER (20 * SECOND) /* for what takes the connection to answer; the leader does so at once */
#define JOIN_PAUSE (SECOND / 50)
#define JOIN_PAUSE_MOST (SECOND / 4)

struct joining {
    struct ncs_team *team;
    const struct ncs_team_options *options;
    int64_t until;
    struct team_place last; /* that was tried; no host = none so far */
    char why[256];          /* it did not lead to the team */
    bool final;             /* the leader has refused this process for good */
};

/* The next message of the team itself. Another kind of message does not come from a leader. NULL: *message is it. */
static const char *join_hear(struct team_link *link, int64_t until, struct ncs_message *message)
{
    struct pollfd p = { .fd = link->fd, .events = POLLIN };
    const char *why = NULL;
    while (!team_next(link, message)) {
        enum ncs_inbox_got read = ncs_inbox_read(&link->inbox, link->fd, &why);
        if (read == NCS_INBOX_OVER)
            return why;
        if (until >= 0 && ncs_clock() >= until)
            return "it does not answer";
        if (read == NCS_INBOX_NOTHING)
            poll(&p, 1, until < 0 ? -1 : team_left(until));
    }
    return message->kind == TEAM_OWN ? NULL : "it is not process 0 of this job";
}

static void join_note(struct joining *j, const char *text, size_t bytes)
{
    struct ncs_str copy = { 0 }, line = { 0 };
    ncs_str_add_bytes(&copy, text, strnlen(text, bytes));
    ncs_safe_line(&line, copy.text);
    snprintf(j->why, sizeof j->why, "%s", line.text);
    ncs_str_free(&copy);
    ncs_str_free(&line);
}

/* An answer that is not the one that was hoped for. Only the leader of this job can refuse for good: it proves that it is. */
static bool join_refused(struct joining *j, const struct ncs_message *answer, const struct team_talk *talk,
                         const uint8_t token[TEAM_TOKEN])
{
    struct team_no no = { .again = 1, .why = "it is not process 0 of this job" };
    if (answer->line == TEAM_NO && answer->bytes == sizeof no)
        memcpy(&no, answer->body, sizeof no);
    join_note(j, no.why, sizeof no.why);
    j->final = !no.again && team_is_proof(token, TEAM_FOR_NO, talk, &no, offsetof(struct team_no, proof), no.proof);
    return false;
}

/* Sends, and hears the answer. A refusal may come before all is sent. */
static bool join_ask(struct joining *j, struct iovec *parts, int count, int64_t limit, struct ncs_message *answer)
{
    bool sent = team_send_whole(j->team->links[0].fd, parts, count, limit);
    const char *why = join_hear(&j->team->links[0], limit, answer);
    if (why)
        join_note(j, sent ? why : "it does not read", sizeof j->why);
    return !why;
}

static bool join_introduce(struct joining *j, const uint8_t token[TEAM_TOKEN])
{
    struct team_talk talk;
    struct team_proof proof;
    struct ncs_message answer;
    const void *own = j->options->hello;
    size_t own_bytes = j->options->hello_bytes;
    struct iovec hello = { &talk.hello, sizeof talk.hello }, rest[] = { { &proof, sizeof proof }, { (void *)own, own_bytes } };
    int64_t limit = ncs_clock() + JOIN_ANSWER;
    memset(&talk, 0, sizeof talk);
    if (!team_fill_hello(&talk.hello, j->options)) {
        join_note(j, "the system gives no random numbers", sizeof j->why);
        return false;
    }
    if (!join_ask(j, &hello, 1, limit, &answer))
        return false;
    if (answer.line != TEAM_ASK || answer.bytes != sizeof talk.challenge)
        return join_refused(j, &answer, &talk, token);
    memcpy(&talk.challenge, answer.body, sizeof talk.challenge);
    if (!team_prove(token, TEAM_FOR_OWN, &talk, own, own_bytes, proof.own) ||
        !team_prove(token, TEAM_FOR_MEMBER, &talk, proof.own, sizeof proof.own, proof.member) ||
        !join_ask(j, rest, 2, limit, &answer))
        return false;
    if (answer.line != TEAM_YES || answer.bytes != TEAM_MAC ||
        !team_is_proof(token, TEAM_FOR_LEADER, &talk, NULL, 0, answer.body))
        return join_refused(j, &answer, &talk, token);
    return team_link_seal(&j->team->links[0], token, &talk, false);
}

static bool join_try(struct joining *j, const struct team_place *place, const uint8_t token[TEAM_TOKEN])
{
    struct team_link *link = &j->team->links[0];
    const char *why = "";
    j->last = *place;
    link->fd = team_connect(place->host, place->port, j->until, &why);
    if (link->fd < 0) {
        join_note(j, why, sizeof j->why);
        return false;
    }
    if (join_introduce(j, token))
        return true;
    close(link->fd);
    link->fd = -1;
    team_link_unseal(link);
    ncs_inbox_free(&link->inbox);
    link->inbox = (struct ncs_inbox){ .bytes = NULL };
    return false;
}

static bool join_fail(const struct joining *j, struct ncs_error *err)
{
    char patience[32];
    if (j->final)
        return ncs_fail(err, NCS_BAD_INPUT, "process 0 (host %s, port %d) refuses this process: %s", j->last.host, j->last.port,
                        j->why);
    if (j->last.port)
        ncs_fail(err, NCS_NO_DEVICE, "process 0 (host %s, port %d) cannot be reached: %s", j->last.host, j->last.port, j->why);
    else
        ncs_fail(err, NCS_NO_DEVICE, "process 0 has not said within %s where it is to be found",
                 team_patience_text(j->options->patience, patience));
    return ncs_fail_hint(err, "--rendezvous HOST:PORT names a host and port that all processes reach");
}

/* A connection to the leader, which has taken this process in. */
static bool join_reach(struct joining *j, struct ncs_error *err)
{
    enum team_way way = TEAM_BY_OPTION;
    int64_t pause = JOIN_PAUSE;
    for (;;) {
        struct team_address address;
        if (!team_find(j->options, &way, j->until, &address, err))
            return false;
        for (int i = 0; i < address.count && (i == 0 || ncs_clock() < j->until); i++) {
            if (join_try(j, &address.places[i], address.token))
                return true;
            if (j->final)
                return join_fail(j, err);
        }
        if (ncs_clock() >= j->until)
            return join_fail(j, err);
        team_pause(pause);
        pause = pause * 2 < JOIN_PAUSE_MOST ? pause * 2 : JOIN_PAUSE_MOST;
    }
}

/* What the leader says when all have joined. */
static bool join_learn(struct joining *j, const struct ncs_message *message)
{
    struct ncs_team *team = j->team;
    struct ncs_peer *self = &team->peers[team->self], *leader = &team->peers[0];
    struct team_peers peers;
    if (message->bytes < sizeof peers || message->bytes - sizeof peers > NCS_TEAM_HELLO_MOST)
        return false;
    memcpy(&peers, message->body, sizeof peers);
    size_t bytes = message->bytes - sizeof peers;
    void *hello = ncs_new(bytes);
    memcpy(hello, (const char *)message->body + sizeof peers, bytes);
    team_name_host(leader->host, peers.leader_host);
    leader->pid = (pid_t)peers.leader_pid;
    leader->local = peers.leader_local;
    leader->locals = peers.leader_locals;
    leader->hello = hello;
    leader->hello_bytes = bytes;
    self->local = peers.local;
    self->locals = peers.locals;
    return true;
}

/* The leader says how it goes on, or ends; its patience is the measure. */
static bool join_wait(struct joining *j, struct ncs_error *err)
{
    struct ncs_message message;
    const char *why = join_hear(&j->team->links[0], -1, &message);
    if (!why && message.line == TEAM_COMPLETE && join_learn(j, &message))
        return true;
    if (!why && message.line == TEAM_FAILED) {
        join_note(j, message.body, message.bytes);
        return ncs_fail(err, NCS_NO_DEVICE, "%s", j->why);
    }
    return ncs_fail(err, NCS_NO_DEVICE, "process 0 (host %s) has ended before all processes had joined: %s", j->last.host,
                    why ? why : "its message is broken");
}

struct ncs_team *ncs_team_join(const struct ncs_team_options *options, struct ncs_error *err)
{
    struct joining j = { .options = options, .until = ncs_clock() + options->patience };
    if (options->hello_bytes > NCS_TEAM_HELLO_MOST) {
        ncs_fail(err, NCS_INTERNAL, "the hello of process %d is too long", options->launcher->number);
        return NULL;
    }
    j.team = team_new(options);
    if (team_hmac_open(err) && join_reach(&j, err) && join_wait(&j, err))
        return j.team;
    team_free(j.team);
    team_leave_launcher();
    return NULL;
}
