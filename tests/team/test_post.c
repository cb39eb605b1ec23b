/* Messages, and the end of processes. */
#include "lab.h"

enum { MEMBERS = 4, THREADS = 6, ROUNDS = 50 };

static struct ncs_team *start_team(struct lab *lab, pid_t *pids, int members)
{
    for (int i = 1; i <= members; i++) {
        static struct lab member;
        lab_options(&member, i, members + 1);
        pids[i] = lab_fork(lab_member, &member);
    }
    lab_options(lab, 0, members + 1);
    return lab_gather(lab);
}

START_TEST(test_lengths)
{
    static const size_t lengths[] = { 0, 1, 2, 15, 16, 17, 4095, 65536, (5 << 20) + 3, NCS_TEAM_MOST };
    enum { LENGTHS = sizeof lengths / sizeof *lengths };
    struct lab lab;
    struct lab_ears ears;
    pid_t pids[3];
    lab_begin();
    struct ncs_team *team = start_team(&lab, pids, 2);
    lab_listen(team, &ears);
    for (int i = 0; i < LENGTHS; i++)
        for (int k = 1; k <= 2; k++)
            ck_assert(lab_send(team, k, (uint32_t)i * 7, lengths[i]));
    lab_until(&ears, 2 * LENGTHS, 0);
    ck_assert(!lab_send(team, 1, 0, NCS_TEAM_MOST + 1));
    ncs_team_end(team, 9);
    ck_assert_int_eq(lab_wait(pids[1]), 9);
    ck_assert_int_eq(lab_wait(pids[2]), 9);
    lab_end();
}
END_TEST

static void *send_many(void *arg)
{
    struct ncs_team *team = arg;
    for (uint32_t i = 0; i < ROUNDS; i++)
        for (int k = 1; k <= MEMBERS; k++)
            if (!lab_send(team, k, i, i * 997 % 70000))
                return team;
    return NULL;
}

START_TEST(test_threads)
{
    struct lab lab;
    struct lab_ears ears;
    pid_t pids[MEMBERS + 1];
    pthread_t threads[THREADS];
    lab_begin();
    struct ncs_team *team = start_team(&lab, pids, MEMBERS);
    lab_listen(team, &ears);
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, send_many, team), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    lab_until(&ears, THREADS * ROUNDS * MEMBERS, 0);
    ncs_team_end(team, 77);
    for (int i = 1; i <= MEMBERS; i++)
        ck_assert_int_eq(lab_wait(pids[i]), 77);
    lab_end();
}
END_TEST

START_TEST(test_killed_member)
{
    struct lab lab;
    struct lab_ears ears;
    pid_t pids[4];
    lab_begin();
    struct ncs_team *team = start_team(&lab, pids, 3);
    lab_listen(team, &ears);
    kill(pids[2], SIGKILL);
    lab_until(&ears, 0, 1);
    ck_assert_int_eq(ears.last_lost, 2);
    ck_assert_msg(strstr("the connection ended Connection reset by peer", ears.why), "%s", ears.why);
    ck_assert(ncs_team_peer(team, 2)->gone);
    ck_assert(!lab_send(team, 2, 0, 10));
    ck_assert(lab_send(team, 1, 0, 10));
    ck_assert(lab_send(team, 3, 0, 10));
    lab_until(&ears, 2, 1);
    ncs_team_end(team, 1);
    ck_assert_int_eq(lab_wait(pids[1]), 1);
    ck_assert_int_eq(lab_wait(pids[2]), -1);
    ck_assert_int_eq(lab_wait(pids[3]), 1);
    lab_end();
}
END_TEST

static int killed_leader(void *arg)
{
    struct lab *lab = arg;
    struct ncs_team *team = lab_gather(lab);
    lab_send(team, 1, 0, 1000);
    raise(SIGKILL);
    return 0;
}

static int orphan_member(void *arg)
{
    struct lab *lab = arg;
    lab_own = ncs_team_join(&lab->options, &lab->err);
    if (!lab_own)
        return 1;
    int status = ncs_team_serve(lab_own, lab_echo, NULL, &lab->err);
    bool told = strstr(lab->err.text, "process 0 (host ") && strstr(lab->err.text, "is gone before the job's end: ");
    ncs_team_end(lab_own, 0);
    return status == -1 && told ? LAB_LEADER_GONE : 2;
}

START_TEST(test_killed_leader)
{
    struct lab leader, member;
    lab_begin();
    lab_options(&leader, 0, 3);
    pid_t leads = lab_fork(killed_leader, &leader), members[2];
    for (int i = 0; i < 2; i++) {
        lab_options(&member, i + 1, 3);
        members[i] = lab_fork(orphan_member, &member);
    }
    ck_assert_int_eq(lab_wait(leads), -1);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(lab_wait(members[i]), LAB_LEADER_GONE);
    lab_end();
}
END_TEST

struct sender {
    struct ncs_team *team;
    int sent;
};

static void *send_until_lost(void *arg)
{
    struct sender *s = arg;
    while (lab_send(s->team, 1, 0, 1 << 20))
        s->sent++;
    return NULL;
}

/* A member that is stopped holds up its own messages, and no others. */
START_TEST(test_stopped_member)
{
    struct lab lab;
    struct lab_ears ears;
    pid_t pids[3];
    pthread_t thread;
    lab_begin();
    struct ncs_team *team = start_team(&lab, pids, 2);
    struct sender sender = { .team = team };
    lab_listen(team, &ears);
    kill(pids[1], SIGSTOP);
    int status;
    ck_assert_int_eq(waitpid(pids[1], &status, WUNTRACED), pids[1]);
    ck_assert_int_eq(pthread_create(&thread, NULL, send_until_lost, &sender), 0);
    for (uint32_t i = 0; i < 20; i++)
        ck_assert(lab_send(team, 2, i, 100000));
    lab_until(&ears, 20, 0);
    kill(pids[1], SIGKILL);
    pthread_join(thread, NULL);
    lab_until(&ears, 20, 1);
    ncs_team_end(team, 2);
    ck_assert_int_eq(lab_wait(pids[2]), 2);
    lab_wait(pids[1]);
    lab_end();
}
END_TEST

/* The end does not wait for a member that is stopped; the others get their status. */
START_TEST(test_end_of_stopped)
{
    struct lab lab;
    pid_t pids[3];
    lab_begin();
    struct ncs_team *team = start_team(&lab, pids, 2);
    kill(pids[1], SIGSTOP);
    ncs_team_end(team, 8);
    ck_assert_int_eq(lab_wait(pids[2]), 8);
    kill(pids[1], SIGCONT);
    ck_assert_int_eq(lab_wait(pids[1]), 8);
    lab_end();
}
END_TEST

/* ---- members that do not speak as members do ---- */

enum { SHORT = 4, LATE, CHANGED, TWICE, MIRROR, RUDE = MIRROR };

/* The seal of a message without a body; `count` is its number on the connection. */
static void seal_head(const struct lab_says *says, const uint8_t token[TEAM_TOKEN], const struct ncs_frame_head *head,
                      uint64_t count, uint8_t seal[TEAM_SEAL])
{
    struct team_seal out, in;
    ck_assert(team_seal_begin(&out, &in, token, &says->talk, false));
    ck_assert(team_seal_of(&out, count, &(struct iovec){ (void *)head, sizeof *head }, 1, seal));
    team_seal_end(&out);
    team_seal_end(&in);
}

static int rude_member(void *arg)
{
    static const struct ncs_frame_head heads[RUDE] = {
        { NCS_FRAME_MAGIC, 1, 0, UINT32_MAX },
        { NCS_FRAME_MAGIC, TEAM_OWN, TEAM_COMPLETE, 0 },
        { 0, 1, 0, 0 },
        { NCS_FRAME_MAGIC, 1, 0, NCS_TEAM_MOST }, /* of which little comes */
        { NCS_FRAME_MAGIC, 1, 0, 0 },             /* the second message as the first */
        { NCS_FRAME_MAGIC, 1, 0, 0 },             /* changed on its way */
        { NCS_FRAME_MAGIC, 2, 1, 0 },             /* twice the same */
        { NCS_FRAME_MAGIC, 1, 0, 0 },             /* what the leader has sent comes back */
    };
    struct lab *lab = arg;
    struct team_address address = lab_find(lab);
    struct lab_says says;
    enum { YES = sizeof(struct ncs_frame_head) + TEAM_MAC };
    char answers[YES + sizeof(struct ncs_frame_head) +
                 (sizeof(struct team_peers) + NCS_FRAME_ALIGNED - 1) / NCS_FRAME_ALIGNED * NCS_FRAME_ALIGNED + TEAM_SEAL];
    uint8_t seal[TEAM_SEAL];
    int number = lab->launcher.number, fd = lab_connect(&address);
    char rest[64];
    lab_fill_hello(&says, lab);
    lab_introduce(fd, &says, address.token);
    lab_answer(fd, answers, sizeof answers); /* yes, and that the team is complete */
    struct ncs_frame_head head = heads[number - 1];
    seal_head(&says, address.token, &head, number == LATE, seal);
    head.line += number == CHANGED;
    if (number == MIRROR)
        lab_say(fd, answers + YES, sizeof answers - YES);
    for (int i = 0; i < (number == TWICE ? 2 : 1); i++) {
        lab_say(fd, &head, sizeof head);
        if (number != SHORT)
            lab_say(fd, seal, sizeof seal);
    }
    if (number == SHORT)
        lab_say(fd, answers, 10);
    else
        lab_answer(fd, rest, sizeof rest);
    close(fd);
    return 0;
}

/* A member is lost if it sends something wrong, or ends in the middle of a message. Its proper messages before that are heard; a
 * message that comes twice is heard once. */
START_TEST(test_rude_members)
{
    struct lab lab, member;
    struct lab_ears ears;
    pid_t pids[RUDE + 2];
    lab_begin();
    for (int i = 1; i <= RUDE + 1; i++) {
        lab_options(&member, i, RUDE + 2);
        pids[i] = lab_fork(i <= RUDE ? rude_member : lab_member, &member);
    }
    lab_options(&lab, 0, RUDE + 2);
    struct ncs_team *team = lab_gather(&lab);
    lab_listen(team, &ears);
    lab_until(&ears, 1, RUDE);
    for (int i = 1; i <= RUDE; i++)
        ck_assert(ncs_team_peer(team, i)->gone);
    ck_assert(lab_send(team, RUDE + 1, 0, 1000));
    lab_until(&ears, 2, RUDE);
    ncs_team_end(team, 0);
    for (int i = 1; i <= RUDE + 1; i++)
        ck_assert_int_eq(lab_wait(pids[i]), 0);
    lab_end();
}
END_TEST

NCS_TEST_MAIN("post", test_lengths, test_threads, test_killed_member, test_killed_leader, test_stopped_member,
              test_end_of_stopped, test_rude_members)
