/* Who comes to a team, who does not, and who is not let in. */
#define _GNU_SOURCE /* unshare */
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "lab.h"

enum { MOST = 64, SILENT = 100 };
#define SECRET "a secret that is longer than 16 bytes"

static pid_t start_member(int number, int processes)
{
    static struct lab lab;
    lab_options(&lab, number, processes);
    return lab_fork(lab_member, &lab);
}

static void expect_statuses(const pid_t *pids, int count, int status)
{
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(lab_wait(pids[i]), status);
}

/* ---- all come ---- */

static void meet(int processes)
{
    struct lab lab;
    pid_t pids[MOST];
    for (int i = 1; i < processes; i++)
        pids[i] = start_member(i, processes);
    lab_options(&lab, 0, processes);
    lab.options.hello = "leader";
    lab.options.hello_bytes = 6;
    struct ncs_team *team = lab_gather(&lab);
    ck_assert_int_eq(ncs_team_size(team), processes);
    for (int i = 1; i < processes; i++) {
        const struct ncs_peer *peer = ncs_team_peer(team, i);
        ck_assert_int_eq(peer->pid, pids[i]);
        ck_assert_int_eq(peer->local, i);
        ck_assert_int_eq(peer->locals, processes);
        ck_assert_str_eq(peer->host, ncs_team_peer(team, 0)->host);
        ck_assert(!peer->gone);
    }
    ncs_team_end(team, 42);
    expect_statuses(pids + 1, processes - 1, 42);
}

START_TEST(test_all_come)
{
    lab_begin();
    meet(1);
    meet(2);
    meet(4);
    meet(MOST);
    lab_end();
}
END_TEST

static int curious_member(void *arg)
{
    struct lab *lab = arg;
    struct ncs_team *team = ncs_team_join(&lab->options, &lab->err);
    if (!team)
        return LAB_NOT_JOINED;
    const struct ncs_peer *leader = ncs_team_peer(team, 0), *own = ncs_team_peer(team, lab->launcher.number);
    bool right = leader->pid == getppid() && leader->hello_bytes == NCS_TEAM_HELLO_MOST && own->pid == getpid() &&
                 own->local == lab->launcher.number && own->locals == 3 && leader->local == 0 && leader->locals == 3 &&
                 strcmp(own->host, leader->host) == 0;
    int status = ncs_team_serve(team, lab_echo, NULL, &lab->err);
    ncs_team_end(team, 0);
    return right ? status : 1;
}

/* By the host that the launcher names; it does not say how the processes of a host are numbered. */
START_TEST(test_long_hellos)
{
    struct lab lab;
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    static char hello[NCS_TEAM_HELLO_MOST];
    int port = lab_free_port();
    pid_t pids[2];
    for (int i = 2; i >= 0; i--) {
        lab_options(&lab, i, 3);
        snprintf(lab.launcher.host, sizeof lab.launcher.host, "localhost");
        lab.launcher.port = port;
        lab.launcher.local = lab.launcher.locals = -1;
        memset(hello, 'a' + i, sizeof hello);
        lab.options.hello = hello;
        lab.options.hello_bytes = sizeof hello;
        if (i)
            pids[i - 1] = lab_fork(curious_member, &lab);
    }
    struct ncs_team *team = lab_gather(&lab);
    for (int i = 1; i < 3; i++) {
        const struct ncs_peer *peer = ncs_team_peer(team, i);
        const char *text = peer->hello;
        ck_assert_uint_eq(peer->hello_bytes, sizeof hello);
        ck_assert(text[0] == 'a' + i && text[sizeof hello - 1] == 'a' + i);
        ck_assert_int_eq(peer->local, i);
    }
    ncs_team_end(team, 0);
    expect_statuses(pids, 2, 0);
}
END_TEST

/* ---- who does not come ---- */

static char *file_of(const struct lab *lab)
{
    struct ncs_error err;
    char *path = team_file_path(lab->launcher.job, &err);
    ck_assert_msg(path, "%s", err.text);
    return path;
}

static void expect_text(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part), "\"%s\" is not in \"%s\"", part, text);
}

static int refused_member(void *arg)
{
    struct lab *lab = arg;
    struct ncs_team *team = ncs_team_join(&lab->options, &lab->err);
    if (team)
        return 1;
    fprintf(stderr, "%s\n", lab->err.text);
    return strcmp(lab->err.text, lab->options.hello) == 0 ? LAB_NOT_JOINED : 2;
}

static int failing_leader(void *arg)
{
    struct lab *lab = arg;
    if (ncs_team_gather(&lab->options, &lab->err))
        return 1;
    fprintf(stderr, "%s\n", lab->err.text);
    return strstr(lab->err.text, lab->options.hello) ? LAB_NOT_JOINED : 2;
}

/* The member is told what the leader says; its hello is what it expects. */
START_TEST(test_missing)
{
    static const char text[] = "processes 2..5 of 6 have not joined within 2 s";
    struct lab member, lab;
    lab_begin();
    lab_options(&member, 1, 6);
    member.options.hello = text;
    member.options.hello_bytes = sizeof text;
    lab_options(&lab, 0, 6);
    lab.options.patience = 2 * LAB_SECOND;
    pid_t pid = lab_fork(refused_member, &member);
    ck_assert_ptr_null(ncs_team_gather(&lab.options, &lab.err));
    /* On a very slow machine not even that one has come. */
    if (!strstr(lab.err.text, "processes 1..5")) {
        ck_assert_str_eq(lab.err.text, text);
        ck_assert_int_eq(lab_wait(pid), LAB_NOT_JOINED);
    }
    expect_text(lab.err.hint, "--rendezvous HOST:PORT");
    lab_end();
}
END_TEST

START_TEST(test_no_leader)
{
    struct lab lab;
    char rendezvous[32];
    lab_begin();
    lab_options(&lab, 1, 2);
    lab.options.patience = LAB_SECOND / 4;
    ck_assert_ptr_null(ncs_team_join(&lab.options, &lab.err));
    ck_assert_str_eq(lab.err.text, "process 0 has not said within 250 ms where it is to be found");
    snprintf(rendezvous, sizeof rendezvous, "127.0.0.1:%d", lab_free_port());
    lab.options.rendezvous = rendezvous;
    ck_assert_ptr_null(ncs_team_join(&lab.options, &lab.err));
    ck_assert_str_eq(lab.err.text, "process 0 has not said within 250 ms where it is to be found");
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    ck_assert_ptr_null(ncs_team_join(&lab.options, &lab.err));
    expect_text(lab.err.text, "process 0 (host 127.0.0.1, port ");
    expect_text(lab.err.text, ") cannot be reached: Connection refused");
    expect_text(lab.err.hint, "--rendezvous HOST:PORT");
    unsetenv("NCCLSCRIPT_TOKEN");
    lab.options.rendezvous = NULL;
    lab.launcher.locals = -1;
    ck_assert_ptr_null(ncs_team_join(&lab.options, &lab.err));
    ck_assert_str_eq(lab.err.text, "Open MPI does not say where process 0 is to be found");
    lab_end();
}
END_TEST

/* A member that has been taken in, and ends before the others have come. */
START_TEST(test_early_end)
{
    struct lab leader, lab;
    struct lab_says says;
    char answer[sizeof(struct ncs_frame_head) + TEAM_MAC];
    lab_begin();
    lab_options(&leader, 0, 3);
    leader.options.hello = "process 1 (host ";
    leader.options.hello_bytes = 17;
    pid_t pid = lab_fork(failing_leader, &leader);
    lab_options(&lab, 1, 3);
    struct team_address address = lab_find(&lab);
    int fd = lab_connect(&address);
    lab_fill_hello(&says, &lab);
    lab_introduce(fd, &says, address.token);
    ck_assert_uint_eq(lab_answer(fd, answer, sizeof answer), sizeof answer);
    close(fd);
    ck_assert_int_eq(lab_wait(pid), LAB_NOT_JOINED);
    lab_end();
}
END_TEST

static int killed_leader(void *arg)
{
    struct lab *lab = arg;
    signal(SIGALRM, SIG_DFL); /* the test's own limit ends all its processes */
    alarm(1);
    return ncs_team_gather(&lab->options, &lab->err) ? 0 : 1;
}

/* A leader that ends while a member waits for the others, without a word. */
START_TEST(test_early_end_of_leader)
{
    struct lab leader, lab;
    lab_begin();
    lab_options(&leader, 0, 3);
    leader.options.patience = 60 * LAB_SECOND;
    pid_t pid = lab_fork(killed_leader, &leader);
    lab_options(&lab, 1, 3);
    ck_assert_ptr_null(ncs_team_join(&lab.options, &lab.err));
    expect_text(lab.err.text, "process 0 (host 127.0.0.1) has ended before all processes had joined: ");
    ck_assert_int_eq(lab_wait(pid), -1);
    char *path = file_of(&lab);
    unlink(path);
    ncs_free(path);
    lab_end();
}
END_TEST

/* ---- who is not let in ---- */

static struct team_no hear_refusal(int fd)
{
    struct {
        struct ncs_frame_head head;
        struct team_no no;
    } answer;
    ck_assert_uint_eq(lab_answer(fd, &answer, sizeof answer), sizeof answer);
    ck_assert_uint_eq(answer.head.kind, TEAM_OWN);
    ck_assert_uint_eq(answer.head.line, TEAM_NO);
    close(fd);
    return answer.no;
}

/* A greeting is refused before anything is proved: nothing proves the refusal either. */
static void expect_greeting_refusal(const struct team_address *address, const struct lab_says *says, const char *why)
{
    static const uint8_t none[TEAM_MAC];
    int fd = lab_connect(address);
    lab_say(fd, &says->talk.hello.greeting, sizeof says->talk.hello.greeting);
    struct team_no no = hear_refusal(fd);
    expect_text(no.why, why);
    ck_assert_mem_eq(no.proof, none, sizeof none);
}

/* A process that knows the token is refused for good, and can see that the leader does it; another one cannot. */
static void expect_refusal(const struct team_address *address, struct lab_says *says, bool knows, const char *why)
{
    uint8_t token[TEAM_TOKEN];
    int fd = lab_connect(address);
    memcpy(token, address->token, sizeof token);
    token[3] ^= !knows;
    lab_introduce(fd, says, token);
    struct team_no no = hear_refusal(fd);
    ck_assert_str_eq(no.why, why);
    ck_assert_int_eq(no.again, !knows);
    ck_assert_int_eq(team_is_proof(address->token, TEAM_FOR_NO, &says->talk, &no, offsetof(struct team_no, proof), no.proof),
                     knows);
}

/* What another member of this job has sent, again. */
static void expect_no_replay(const struct team_address *address, const struct lab *lab)
{
    struct lab_says says;
    for (int part = 0; part < 5; part++) {
        int fd = lab_connect(address), other = lab_connect(address);
        lab_fill_hello(&says, lab);
        says.talk.hello.bytes = 1; /* which does not come: it is not taken in */
        lab_introduce(fd, &says, address->token);
        struct lab_says again = says;
        lab_hear_challenge(other, &again);
        ck_assert_mem_ne(&again.talk.challenge, &says.talk.challenge, sizeof says.talk.challenge);
        switch (part) {
        case 1: /* the leader's proof is no member's */
            ck_assert(team_prove(address->token, TEAM_FOR_LEADER, &again.talk, says.proof.own, TEAM_MAC, again.proof.member));
            break;
        case 2: lab_fill_proof(&again, (uint8_t[TEAM_TOKEN]){ 0 }, NULL); break;
        case 3: memset(&again.proof, 0, sizeof again.proof); break;
        case 4: /* made for this connection, but not for what the member says of itself */
            lab_fill_proof(&again, address->token, NULL);
            again.proof.own[31] ^= 1;
            break;
        default: break; /* all of it again */
        }
        lab_say(other, &again.proof, sizeof again.proof);
        struct team_no no = hear_refusal(other);
        ck_assert_str_eq(no.why, "its secret is another job's");
        close(fd);
    }
}

static void try_hellos(const struct lab *lab, const struct team_address *address)
{
    struct lab_says says;
    struct team_hello *hello = &says.talk.hello;
    lab_fill_hello(&says, lab);
    expect_refusal(address, &says, false, "its secret is another job's");
    hello->processes = 5;
    expect_refusal(address, &says, false, "its secret is another job's");
    expect_refusal(address, &says, true, "it is one of 5 processes, and process 0 is one of 3");
    hello->processes = 3;
    hello->number = 3;
    expect_refusal(address, &says, true, "its number is 3, and the members' are 1 to 2");
    hello->number = -1;
    expect_refusal(address, &says, true, "its number is -1, and the members' are 1 to 2");
    hello->number = 1;
    hello->bytes = UINT32_MAX;
    expect_refusal(address, &says, true, "its hello is too long");
    hello->greeting.order = 0x04030201;
    expect_greeting_refusal(address, &says, "its processor orders bytes otherwise");
    lab_fill_hello(&says, lab);
    memset(hello->greeting.version, '\033', sizeof hello->greeting.version);
    expect_greeting_refusal(address, &says, "it is ncclscript \\x1b");
    snprintf(hello->greeting.version, sizeof hello->greeting.version, "0.0.9");
    expect_greeting_refusal(address, &says, "it is ncclscript 0.0.9, and process 0 is ncclscript ");
    expect_no_replay(address, lab);
}

static int strangers(void *arg)
{
    struct lab *lab = arg;
    char garbage[4096];
    struct lab_says says;
    struct team_address address = lab_find(lab);
    int silent[SILENT];
    memset(garbage, 0xa5, sizeof garbage);
    for (int i = 0; i < SILENT; i++) { /* more than the leader bears with; they stay until the process ends */
        silent[i] = lab_connect(&address);
        lab_fill_hello(&says, lab);
        says.talk.hello.bytes = i % 4 > 1 ? NCS_TEAM_HELLO_MOST : 0;
        if (i % 4 == 3)
            lab_introduce(silent[i], &says, address.token);
        else
            lab_say(silent[i], &says.talk.hello, i % 4 == 0 ? 0 : i % 4 == 1 ? 100 : sizeof says.talk.hello);
    }
    for (int i = 0; i < 30; i++) {
        int fd = lab_connect(&address);
        lab_say(fd, i % 2 ? garbage : "GET / HTTP/1.1\r\n\r\n", i % 2 ? sizeof garbage : 18);
        if (i % 3)
            lab_answer(fd, garbage + 2048, 1);
        close(fd);
    }
    try_hellos(lab, &address);
    pid_t first = start_member(1, 3);
    /* The first has been taken in when another one is told that the number is taken. */
    lab_fill_hello(&says, lab);
    says.talk.hello.bytes = NCS_TEAM_HELLO_MOST; /* of which nothing comes: it is not taken in itself */
    for (bool told = false; !told;) {
        struct {
            struct ncs_frame_head head;
            struct team_no no;
        } answer;
        int fd = lab_connect(&address);
        lab_introduce(fd, &says, address.token);
        told = poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 100) == 1;
        if (told) {
            ck_assert_uint_eq(lab_answer(fd, &answer, sizeof answer), sizeof answer);
            ck_assert_str_eq(answer.no.why, "another process has its number, 1");
            ck_assert_int_eq(answer.no.again, 0);
        }
        close(fd);
    }
    pid_t second = start_member(2, 3);
    return lab_wait(first) == 5 && lab_wait(second) == 5 ? 5 : 1;
}

START_TEST(test_strangers)
{
    struct lab lab, stranger;
    lab_begin();
    lab_options(&stranger, 1, 3);
    pid_t pid = lab_fork(strangers, &stranger);
    lab_options(&lab, 0, 3);
    struct ncs_team *team = lab_gather(&lab);
    ncs_team_end(team, 5);
    ck_assert_int_eq(lab_wait(pid), 5);
    lab_end();
}
END_TEST

/* The leader's message at the end says whom it has refused. */
START_TEST(test_refusal_is_told)
{
    struct lab lab, other;
    char rendezvous[32], text[256];
    int port = lab_free_port();
    snprintf(rendezvous, sizeof rendezvous, "127.0.0.1:%d", port);
    snprintf(text, sizeof text,
             "process 0 (host 127.0.0.1, port %d) refuses this process: it is one of 9 processes, "
             "and process 0 is one of 3",
             port);
    lab_begin();
    lab_options(&lab, 0, 3);
    lab_options(&other, 1, 9);
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    lab.options.rendezvous = other.options.rendezvous = rendezvous;
    lab.options.patience = 3 * LAB_SECOND;
    other.options.hello = text;
    other.options.hello_bytes = strlen(text) + 1;
    pid_t pid = lab_fork(refused_member, &other);
    ck_assert_ptr_null(ncs_team_gather(&lab.options, &lab.err));
    expect_text(lab.err.text, "processes 1, 2 of 3 have not joined within 3 s; a process at ");
    expect_text(lab.err.text, "127.0.0.1 was refused: it is one of 9 processes, and process 0 is one of 3");
    ck_assert_int_eq(lab_wait(pid), LAB_NOT_JOINED);
    lab_end();
}
END_TEST

static int leaving_leader(void *arg)
{
    struct lab *lab = arg;
    return ncs_team_gather(&lab->options, &lab->err) ? 0 : 1;
}

static int secret_member(void *arg)
{
    setenv("NCCLSCRIPT_TOKEN", "another secret of enough bytes", 1);
    return refused_member(arg);
}

START_TEST(test_secrets)
{
    struct lab lab, member;
    char rendezvous[32], text[256];
    int port = lab_free_port();
    lab_begin();
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    snprintf(rendezvous, sizeof rendezvous, "localhost:%d", port);
    snprintf(text, sizeof text, "process 0 (host localhost, port %d) cannot be reached: its secret is another job's", port);
    lab_options(&lab, 0, 2);
    lab_options(&member, 1, 2);
    lab.options.rendezvous = member.options.rendezvous = rendezvous;
    member.options.patience = 2 * LAB_SECOND;
    member.options.hello = text;
    member.options.hello_bytes = strlen(text) + 1;
    pid_t wrong = lab_fork(secret_member, &member);
    pid_t leader = lab_fork(leaving_leader, &lab);
    ck_assert_int_eq(lab_wait(wrong), LAB_NOT_JOINED);
    member.options.patience = 60 * LAB_SECOND;
    struct ncs_team *team = ncs_team_join(&member.options, &member.err);
    ck_assert_msg(team, "%s", member.err.text);
    ck_assert_int_eq(lab_wait(leader), 0);
    ck_assert_int_eq(ncs_team_serve(team, lab_echo, NULL, &member.err), -1);
    expect_text(member.err.text, ") is gone before the job's end: ");
    ncs_team_end(team, 0);
    lab_end();
}
END_TEST

/* A port that others can reach needs a secret, which is not short; the loopback has a file. */
START_TEST(test_no_secret)
{
    static const char *const secrets[] = { "", "short" };
    static const char *const texts[] = { "the processes of a job that meet at a port of a network need a secret",
                                         "NCCLSCRIPT_TOKEN has fewer than 16 characters" };
    struct lab lab;
    lab_begin();
    for (int i = 0; i < 8; i++) {
        bool by_option = i & 1, leader = i & 2;
        lab_options(&lab, !leader, 2);
        lab.launcher.local = lab.launcher.locals = -1;
        lab.options.rendezvous = by_option ? "0.0.0.0:9" : NULL;
        snprintf(lab.launcher.host, sizeof lab.launcher.host, "node1");
        setenv("NCCLSCRIPT_TOKEN", secrets[i / 4], 1);
        ck_assert_ptr_null((leader ? ncs_team_gather : ncs_team_join)(&lab.options, &lab.err));
        ck_assert_str_eq(lab.err.text, texts[i / 4]);
        expect_text(lab.err.hint, "the same NCCLSCRIPT_TOKEN");
    }
    lab_end();
}
END_TEST

/* Who takes the leader's place, and says no, is not believed: the member goes on until its leader is there. */
START_TEST(test_false_leader)
{
    struct {
        struct ncs_frame_head head;
        struct team_no no;
    } answer = { .head = { NCS_FRAME_MAGIC, TEAM_OWN, TEAM_NO, sizeof answer.no }, .no.why = "go away" };
    struct lab lab;
    char from[64], rendezvous[32];
    int port = lab_free_port();
    lab_begin();
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    snprintf(rendezvous, sizeof rendezvous, "127.0.0.1:%d", port);
    lab_options(&lab, 1, 2);
    lab.options.rendezvous = rendezvous;
    pid_t pid = lab_fork(lab_member, &lab);
    int listener = team_listen_at(TEAM_HERE, &port);
    struct pollfd p = { .fd = listener, .events = POLLIN };
    for (int i = 0; i < 3; i++) {
        memset(answer.no.proof, i, sizeof answer.no.proof);
        poll(&p, 1, -1);
        int fd = team_accept(listener, from);
        lab_say(fd, &answer, sizeof answer);
        close(fd);
    }
    close(listener);
    lab_options(&lab, 0, 2);
    lab.options.rendezvous = rendezvous;
    ncs_team_end(lab_gather(&lab), 12);
    ck_assert_int_eq(lab_wait(pid), 12);
    lab_end();
}
END_TEST

static int crowded_leader(void *arg)
{
    struct lab *lab = arg;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 40, 40 }), 0);
    struct ncs_team *team = ncs_team_gather(&lab->options, &lab->err);
    if (!team)
        return 1;
    ncs_team_end(team, 0);
    return 0;
}

/* Where the leader has no descriptor left, the oldest stranger goes, and no younger one. So many would last beyond the leader's
 * patience, if each could stay for the time that strangers have. */
START_TEST(test_few_descriptors)
{
    enum { CROWD = 400 };
    struct lab leader, lab;
    char byte;
    int fds[CROWD];
    lab_begin();
    lab_options(&leader, 0, 2);
    pid_t pid = lab_fork(crowded_leader, &leader);
    lab_options(&lab, 1, 2);
    struct team_address address = lab_find(&lab);
    for (int i = 0; i < CROWD; i++)
        fds[i] = lab_connect(&address);
    for (int i = 0; i < CROWD - 40; i++)
        ck_assert_uint_eq(lab_answer(fds[i], &byte, 1), 0);
    ck_assert_int_eq(poll(&(struct pollfd){ .fd = fds[CROWD - 1], .events = POLLIN }, 1, 0), 0);
    struct ncs_team *team = ncs_team_join(&lab.options, &lab.err);
    ck_assert_msg(team, "%s", lab.err.text);
    ncs_team_end(team, 0);
    ck_assert_int_eq(lab_wait(pid), 0);
    lab_end();
}
END_TEST

/* ---- places ---- */

START_TEST(test_rendezvous)
{
    static const char *const good[] = { "a:1", "node1.x:65535", "[::1]:80", "127.0.0.1:9" };
    static const char *const bad[] = { "",        "a",     "a:",   ":1",   "a:0",
                                       "a:65536", "a:-1",  "a:+1", "a: 1", "a:0x10",
                                       "::1:80",  "[]:80", "[:80", "a:1x", "a:99999999999999999999" };
    struct ncs_error err;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(ncs_team_check_rendezvous(good[i], &err), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!ncs_team_check_rendezvous(bad[i], &err), "%s", bad[i]);
    expect_text(err.text, "expected HOST:PORT");
}
END_TEST

static bool meet_at(const char *rendezvous)
{
    struct lab lab, member;
    lab_options(&lab, 0, 2);
    lab_options(&member, 1, 2);
    lab.options.rendezvous = member.options.rendezvous = rendezvous;
    pid_t pid = lab_fork(lab_member, &member);
    struct ncs_team *team = lab_gather(&lab);
    ncs_team_end(team, 3);
    return lab_wait(pid) == 3;
}

START_TEST(test_hosts)
{
    char at[300], host[256];
    int port = 0, v6 = team_listen_at(TEAM_HERE_V6, &port);
    team_host(host);
    lab_begin();
    snprintf(at, sizeof at, "localhost:%d", lab_free_port());
    ck_assert(meet_at(at));
    if (v6 >= 0) {
        close(v6);
        snprintf(at, sizeof at, "[::1]:%d", port);
        ck_assert(meet_at(at));
    }
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    ck_assert(meet_at(at));
    snprintf(at, sizeof at, "0.0.0.0:%d", lab_free_port());
    ck_assert(meet_at(at));
    lab_end();
}
END_TEST

/* A port that is taken: the option's is needed, the launcher's is not. */
START_TEST(test_taken_port)
{
    struct lab lab, member;
    char rendezvous[32];
    int port = 0, listener = team_listen_at(TEAM_HERE, &port);
    setenv("NCCLSCRIPT_TOKEN", SECRET, 1);
    lab_options(&lab, 0, 2);
    snprintf(rendezvous, sizeof rendezvous, "127.0.0.1:%d", port);
    lab.options.rendezvous = rendezvous;
    ck_assert_ptr_null(ncs_team_gather(&lab.options, &lab.err));
    expect_text(lab.err.text, "process 0 cannot listen at port ");
    expect_text(lab.err.text, "Address already in use");
    lab.options.rendezvous = NULL;
    lab.launcher.locals = lab.launcher.local = -1;
    lab.launcher.port = port;
    snprintf(lab.launcher.job, sizeof lab.launcher.job, "lab %d", (int)getpid());
    snprintf(lab.launcher.host, sizeof lab.launcher.host, "127.0.0.1");
    close(listener);
    member = lab;
    member.options.launcher = &member.launcher;
    member.launcher.number = 1;
    member.launcher.port = 0;
    pid_t pid = lab_fork(lab_member, &member);
    lab.launcher.port = 0;
    ncs_team_end(lab_gather(&lab), 4);
    ck_assert_int_eq(lab_wait(pid), 4);
}
END_TEST

/* ---- the file of one host ---- */

/* What an earlier leader has left: its port is closed, or another program's by now. */
START_TEST(test_stale_file)
{
    struct lab lab;
    struct ncs_error err;
    lab_begin();
    lab_options(&lab, 0, 2);
    char *path = file_of(&lab);
    for (int taken = 0; taken < 2; taken++) {
        struct team_address stale = { .count = 1 };
        int listener = team_listen_at(TEAM_HERE, &stale.places[0].port);
        if (!taken)
            close(listener);
        ck_assert_msg(team_file_write(path, &stale, &err), "%s", err.text);
        pid_t pid = start_member(1, 2);
        if (taken) { /* the other program closes the connection, after the member has come to it */
            struct pollfd p = { .fd = listener, .events = POLLIN };
            char from[64];
            poll(&p, 1, -1);
            close(team_accept(listener, from));
            close(listener);
        }
        ncs_team_end(lab_gather(&lab), 6);
        ck_assert_int_eq(lab_wait(pid), 6);
    }
    ncs_free(path);
    lab_end();
}
END_TEST

START_TEST(test_bad_files)
{
    static const char *const texts[] = { "",
                                         "ncclscript 1",
                                         "ncclscript 1 80 12",
                                         "ncclscript 1 99999 00112233445566778899aabbccddeeff",
                                         "ncclscript 1 80 00112233445566778899aabbccddeefg",
                                         "ncclscript 1 0 00112233445566778899aabbccddeeff" };
    static const char good[] = "ncclscript 1 80 00112233445566778899aabbccddeeff\n";
    struct lab lab;
    struct team_address address;
    lab_begin();
    lab_options(&lab, 0, 2);
    char *path = file_of(&lab), other[300];
    for (size_t i = 0; i <= sizeof texts / sizeof *texts; i++) {
        bool last = i == sizeof texts / sizeof *texts;
        FILE *out = fopen(path, "w");
        fputs(last ? good : texts[i], out);
        fclose(out);
        ck_assert_int_eq(team_file_read(path, &address), last);
    }
    ck_assert_int_eq(address.places[0].port, 80);
    ck_assert_int_eq(address.token[15], 0xff);
    snprintf(other, sizeof other, "%s/other", lab_folder);
    ck_assert_int_eq(rename(path, other), 0);
    ck_assert_int_eq(symlink(other, path), 0);
    ck_assert(!team_file_read(path, &address));
    unlink(path);
    unlink(other);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert(!team_file_read(path, &address));
    unlink(path);
    ncs_free(path);
    lab_end();
}
END_TEST

/* In a /tmp of the test's own, where the system allows that. */
START_TEST(test_folders)
{
    struct lab lab;
    struct stat about;
    char folder[64];
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/tmp", "tmpfs", 0, NULL) != 0) {
        fprintf(stderr, "left out: no file system of its own\n");
        return;
    }
    snprintf(folder, sizeof folder, "/tmp/ncclscript-%ld", (long)geteuid());
    setenv("XDG_RUNTIME_DIR", "/tmp/nowhere", 1);
    lab_options(&lab, 0, 2);
    lab.options.patience = LAB_SECOND / 10;
    ck_assert_ptr_null(ncs_team_gather(&lab.options, &lab.err));
    expect_text(lab.err.text, "process 1 of 2 has not joined within 100 ms");
    ck_assert_int_eq(stat(folder, &about), 0);
    ck_assert_int_eq(about.st_mode & 07777, 0700);
    ck_assert_int_eq(rename(folder, "/tmp/elsewhere"), 0);
    ck_assert_int_eq(symlink("/tmp/elsewhere", folder), 0);
    ck_assert_ptr_null(ncs_team_gather(&lab.options, &lab.err));
    expect_text(lab.err.text, "is not this user's alone");
    ck_assert_ptr_null(ncs_team_join(&lab.options, &lab.err));
    expect_text(lab.err.text, "is not this user's alone");
    unlink(folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(chmod(folder, 0777), 0);
    ck_assert_ptr_null(ncs_team_gather(&lab.options, &lab.err));
    expect_text(lab.err.text, "is not this user's alone");
}
END_TEST

/* An example of RFC 4231 (4.3), in one part and in several. */
START_TEST(test_hmac)
{
    static const char text[] = "what do ya want for nothing?";
    static const uint8_t right[TEAM_MAC] = { 0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24,
                                             0x26, 0x08, 0x95, 0x75, 0xc7, 0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27,
                                             0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43 };
    struct ncs_error err;
    uint8_t code[TEAM_MAC];
    ck_assert_msg(team_hmac_open(&err), "%s", err.text);
    struct team_hmac *hmac = team_hmac_new("Jefe", 4);
    for (size_t cut = 0; cut < sizeof text; cut++) {
        const struct iovec parts[] = { { (void *)text, cut }, { NULL, 0 }, { (void *)(text + cut), sizeof text - 1 - cut } };
        ck_assert(team_hmac_of(hmac, parts, 3, code));
        ck_assert_mem_eq(code, right, sizeof right);
    }
    team_hmac_free(hmac);
    ck_assert(team_codes_equal(code, right, sizeof right));
    for (size_t i = 0; i < sizeof code; i++) {
        code[i] ^= 0x80;
        ck_assert(!team_codes_equal(code, right, sizeof right));
        code[i] ^= 0x80;
    }
}
END_TEST

NCS_TEST_MAIN("meeting", test_all_come, test_long_hellos, test_missing, test_no_leader, test_early_end, test_early_end_of_leader,
              test_strangers, test_refusal_is_told, test_secrets, test_no_secret, test_false_leader, test_few_descriptors,
              test_rendezvous, test_hosts, test_taken_port, test_stale_file, test_bad_files, test_folders, test_hmac)
