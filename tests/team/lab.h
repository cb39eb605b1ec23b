/* Jobs of forked processes, which meet in a folder of the test's own. */
#ifndef NCS_TESTS_TEAM_LAB_H
#define NCS_TESTS_TEAM_LAB_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread.h"
#include "harness.h"
#include "team/address.h"
#include "team/greeting.h"
#include "team/seal.h"
#include "team/socket.h"
#include "team/team.h"

#define LAB_SECOND ((int64_t)1000000000)

struct lab {
    struct ncs_launcher launcher;
    struct ncs_team_options options;
    struct ncs_error err;
};

static char lab_folder[64];

/* The folder is made by the first of a test's jobs; its parent process has the same id for all of them. */
static inline void lab_begin(void)
{
    snprintf(lab_folder, sizeof lab_folder, "/tmp/team_lab.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(lab_folder));
    setenv("XDG_RUNTIME_DIR", lab_folder, 1);
    unsetenv("NCCLSCRIPT_TOKEN");
    struct ncs_error err;
    ck_assert_msg(team_hmac_open(&err), "%s", err.text);
    unsetenv("PMIX_NAMESPACE");
    unsetenv("PMI_RANK");
}

/* What all of the test's jobs have left: nothing. */
static inline void lab_end(void)
{
    ck_assert_msg(rmdir(lab_folder) == 0, "%s is not empty", lab_folder);
}

/* One process of a job on this host. */
static inline void lab_options(struct lab *lab, int number, int processes)
{
    *lab = (struct lab){
        .launcher = { .name = "Open MPI", .number = number, .processes = processes, .local = number, .locals = processes }
    };
    snprintf(lab->launcher.job, sizeof lab->launcher.job, "lab");
    lab->options = (struct ncs_team_options){ .launcher = &lab->launcher, .patience = 60 * LAB_SECOND };
}

static inline struct ncs_team *lab_gather(struct lab *lab)
{
    struct ncs_team *team = ncs_team_gather(&lab->options, &lab->err);
    ck_assert_msg(team, "%s (%s)", lab->err.text, lab->err.hint);
    return team;
}

/* Runs main(arg) in a process of its own, whose exit status it returns. */
static inline pid_t lab_fork(int (*main)(void *arg), void *arg)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0)
        _exit(main(arg));
    return pid;
}

/* The exit status; -1 = it was killed. */
static inline int lab_wait(pid_t pid)
{
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- a member that sends everything back ---- */

static struct ncs_team *lab_own;

static inline void lab_echo(void *arg, int from, const struct ncs_message *m)
{
    (void)arg;
    ncs_team_send(lab_own, from, m->kind + 1, m->line, m->body, m->bytes / 2, (const char *)m->body + m->bytes / 2,
                  m->bytes - m->bytes / 2);
}

enum { LAB_NOT_JOINED = 100, LAB_LEADER_GONE = 101 };

/* Its exit status is that of the job. */
static inline int lab_member(void *arg)
{
    struct lab *lab = arg;
    lab_own = ncs_team_join(&lab->options, &lab->err);
    if (!lab_own) {
        fprintf(stderr, "member %d: %s\n", lab->launcher.number, lab->err.text);
        return LAB_NOT_JOINED;
    }
    int status = ncs_team_serve(lab_own, lab_echo, NULL, &lab->err);
    ncs_team_end(lab_own, 0);
    return status < 0 ? LAB_LEADER_GONE : status;
}

/* ---- a leader that counts what it hears ---- */

struct lab_ears {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int messages, lost, wrong;
    size_t bytes;
    int last_lost;
    char why[128];
};

static inline void lab_ears_new(struct lab_ears *ears)
{
    *ears = (struct lab_ears){ .last_lost = -1 };
    pthread_mutex_init(&ears->lock, NULL);
    pthread_cond_init(&ears->changed, NULL);
}

/* Bodies are numbers that count up from the line. */
static inline void lab_heard(void *arg, int from, const struct ncs_message *m)
{
    struct lab_ears *ears = arg;
    const unsigned char *bytes = m->body;
    bool right = m->kind == 2 && from > 0 && (uintptr_t)m->body % NCS_FRAME_ALIGNED == 0;
    for (size_t i = 0; right && i < m->bytes; i++)
        right = bytes[i] == (unsigned char)(m->line + i);
    pthread_mutex_lock(&ears->lock);
    ears->messages++;
    ears->wrong += !right;
    ears->bytes += m->bytes;
    pthread_cond_broadcast(&ears->changed);
    pthread_mutex_unlock(&ears->lock);
}

static inline void lab_lost(void *arg, int peer, const char *why)
{
    struct lab_ears *ears = arg;
    pthread_mutex_lock(&ears->lock);
    ears->lost++;
    ears->last_lost = peer;
    snprintf(ears->why, sizeof ears->why, "%s", why);
    pthread_cond_broadcast(&ears->changed);
    pthread_mutex_unlock(&ears->lock);
}

static inline void lab_listen(struct ncs_team *team, struct lab_ears *ears)
{
    struct ncs_error err;
    lab_ears_new(ears);
    ck_assert_msg(ncs_team_listen(team, lab_heard, lab_lost, ears, &err), "%s", err.text);
}

/* Until so many messages have come and so many peers are lost. */
static inline void lab_until(struct lab_ears *ears, int messages, int lost)
{
    pthread_mutex_lock(&ears->lock);
    while (ears->messages < messages || ears->lost < lost)
        pthread_cond_wait(&ears->changed, &ears->lock);
    ck_assert_int_eq(ears->messages, messages);
    ck_assert_int_eq(ears->lost, lost);
    ck_assert_int_eq(ears->wrong, 0);
    pthread_mutex_unlock(&ears->lock);
}

/* A message whose body is as lab_heard expects it. */
static inline bool lab_send(struct ncs_team *team, int to, uint32_t line, size_t bytes)
{
    unsigned char *body = malloc(bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        body[i] = (unsigned char)(line + i);
    bool sent = ncs_team_send(team, to, 1, line, body, bytes / 3, body + bytes / 3, bytes - bytes / 3);
    free(body);
    return sent;
}

/* ---- strangers ---- */

/* Where the leader of the test's job is to be found, as a member finds it. */
static inline struct team_address lab_find(const struct lab *lab)
{
    struct team_address address = { .count = 0 };
    enum team_way way = TEAM_BY_OPTION;
    struct ncs_error err;
    while (!address.count) {
        ck_assert_msg(team_find(&lab->options, &way, ncs_clock() + LAB_SECOND, &address, &err), "%s", err.text);
        team_pause(LAB_SECOND / 100);
    }
    return address;
}

static inline int lab_connect(const struct team_address *address)
{
    const char *why = "";
    int fd = team_connect(address->places[0].host, address->places[0].port, ncs_clock() + 60 * LAB_SECOND, &why);
    ck_assert_msg(fd >= 0, "%s", why);
    return fd;
}

static inline void lab_say(int fd, const void *bytes, size_t count)
{
    team_send_whole(fd, &(struct iovec){ (void *)bytes, count }, 1, ncs_clock() + 60 * LAB_SECOND);
}

/* What the leader answers until it closes the connection. */
static inline size_t lab_answer(int fd, void *bytes, size_t room)
{
    size_t count = 0;
    for (ssize_t got; count < room; count += (size_t)got) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        poll(&p, 1, -1);
        got = read(fd, (char *)bytes + count, room - count);
        if (got <= 0)
            break;
    }
    return count;
}

/* ---- members whose every byte is chosen ---- */

struct lab_says { /* how one introduces itself; a test changes what it wants to */
    struct team_talk talk;
    struct team_proof proof;
};

static inline void lab_fill_hello(struct lab_says *says, const struct lab *lab)
{
    memset(says, 0, sizeof *says);
    ck_assert(team_fill_hello(&says->talk.hello, &lab->options));
}

/* The hello, and the challenge that comes back. */
static inline void lab_hear_challenge(int fd, struct lab_says *says)
{
    struct {
        struct ncs_frame_head head;
        struct team_challenge challenge;
    } ask;
    lab_say(fd, &says->talk.hello, sizeof says->talk.hello);
    ck_assert_uint_eq(lab_answer(fd, &ask, sizeof ask), sizeof ask);
    ck_assert_uint_eq(ask.head.line, TEAM_ASK);
    says->talk.challenge = ask.challenge;
}

static inline void lab_fill_proof(struct lab_says *says, const uint8_t token[TEAM_TOKEN], const void *own)
{
    struct team_proof *proof = &says->proof;
    ck_assert(team_prove(token, TEAM_FOR_OWN, &says->talk, own, own ? says->talk.hello.bytes : 0, proof->own));
    ck_assert(team_prove(token, TEAM_FOR_MEMBER, &says->talk, proof->own, sizeof proof->own, proof->member));
}

/* All that a member without a hello of its own says. */
static inline void lab_introduce(int fd, struct lab_says *says, const uint8_t token[TEAM_TOKEN])
{
    lab_hear_challenge(fd, says);
    lab_fill_proof(says, token, NULL);
    lab_say(fd, &says->proof, sizeof says->proof);
}

static inline int lab_free_port(void)
{
    int port = 0, fd = team_listen_at(TEAM_HERE, &port);
    close(fd);
    return port;
}

#endif
