/* Verification: what is counted and not checked, and sends that meet receives. */
#include "verify_lab.h"

static void left_out(struct world *w, enum ncs_unverified why, uint64_t count)
{
    const struct ncs_left_out *l = &ncs_verify_left_out(w->v)[why];
    ck_assert_msg(l->count == count, "%s: %ju, not %ju", ncs_unverified_name(why), (uintmax_t)l->count, (uintmax_t)count);
    ck_assert_uint_eq(l->calls, count < 4 ? count : 4);
}

START_TEST(test_counts)
{
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, 40, 40);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0); /* zeros */
    w.set[1]->unverified = true;
    before(&w);
    memset(w.recv[0], 0, 40);
    memset(w.recv[2], 0, 40);
    after(&w); /* rank 1's output stays wrong */
    wrong(&w, 0);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 1);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    w.set[2]->arg[3].i = ncclMax; /* the ranks disagree */
    before(&w);
    after(&w);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 4);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    ncs_verify_exclude(w.v, &w.set[1], 1);
    before(&w);
    after(&w);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 7);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    ncs_verify_before(w.v, w.set, 2); /* one rank is not there */
    ncs_verify_after(w.v, w.set, 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 9);

    collective(&w, NCS_FN_ncclAllReduce, 10, ncclFloat32, ncclSum, 0);
    after(&w); /* never captured */
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 12);

    collective(&w, NCS_FN_ncclAllReduce, 0, ncclFloat32, ncclSum, 0);
    before(&w);
    after(&w); /* no data */
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 12);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);
    left_out(&w, NCS_UNVERIFIED_ASKED, 1);
    left_out(&w, NCS_UNVERIFIED_DISAGREEMENT, 6);
    left_out(&w, NCS_UNVERIFIED_UNPAIRED, 5);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

START_TEST(test_off)
{
    struct world w;
    world_open(&w, 3, true);
    ncs_verify_off(w.v);
    buffers(&w, 40, 40);
    collective(&w, NCS_FN_ncclReduce, 10, ncclFloat32, ncclSum, 1);
    before(&w);
    after(&w); /* wrong */
    collective(&w, NCS_FN_ncclGather, 3, ncclFloat32, -1, 0);
    before(&w);
    for (int i = 0; i < 3; i++)
        ncs_verify_finished(w.v, w.set[i]);
    left_out(&w, NCS_UNVERIFIED_OFF, 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 0);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

START_TEST(test_budget)
{
    struct world w;
    world_open(&w, 4, true);
    ncs_verify_close(w.v);
    w.v = ncs_verify_open(&w.journal, 4 * 100);
    buffers(&w, 104, 104);
    for (size_t count = 24; count <= 26; count++) { /* the third needs 416 bytes */
        collective(&w, NCS_FN_ncclAllReduce, count, ncclInt32, ncclMax, 0);
        before(&w);
        for (int r = 0; r < 4; r++)
            memset(w.recv[r], 0, 104);
        after(&w);
    }
    ck_assert_uint_eq(ncs_verify_checked(w.v), 8);
    left_out(&w, NCS_UNVERIFIED_ROOM, 4);
    wrong(&w, 0);
    world_close(&w);
}
END_TEST

/* An all-to-all that an abort has cut short keeps its copies only as long as somebody could go on with it. */
START_TEST(test_left_behind)
{
    struct world w;
    world_open(&w, 2, true);
    ncs_verify_close(w.v);
    w.v = ncs_verify_open(&w.journal, 200);
    buffers(&w, 64, 64);
    collective(&w, NCS_FN_ncclAlltoAll, 8, ncclInt32, -1, 0);
    before(&w);                                                      /* takes 128 bytes, */
    collective(&w, NCS_FN_ncclAllReduce, 16, ncclInt32, ncclMax, 0); /* and so does this */
    before(&w);
    after(&w);
    left_out(&w, NCS_UNVERIFIED_ROOM, 2);
    w.member[0].gone = w.member[1].gone = 1;
    collective(&w, NCS_FN_ncclAllReduce, 16, ncclInt32, ncclMax, 0);
    before(&w);
    for (int r = 0; r < 2; r++)
        memset(w.recv[r], 0, 64);
    after(&w);
    left_out(&w, NCS_UNVERIFIED_ROOM, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);
    world_close(&w);
}
END_TEST

START_TEST(test_many_wrong)
{
    struct world w;
    world_open(&w, 16, true);
    buffers(&w, 4, 4);
    struct ncs_call *sets[6][RANKS];
    for (int i = 0; i < 6; i++) {
        collective(&w, NCS_FN_ncclAllReduce, 1, ncclInt32, ncclSum, 0);
        memcpy(sets[i], w.set, sizeof w.set);
    }
    for (int i = 5; i >= 0; i--) {
        ncs_verify_before(w.v, sets[i], 16);
        ncs_verify_after(w.v, sets[i], 16);
    }
    const struct ncs_wrong *list = wrong(&w, 96);
    for (uint64_t i = 0; i < 64; i++)
        ck_assert_uint_eq(list[i].call->id, i + 1);
    world_close(&w);
}
END_TEST

static struct ncs_call *send_of(struct world *w, int from, int to, unsigned char *x)
{
    return call_of(w, NCS_FN_ncclSend, from, x, x, 4, ncclInt8, -1, to);
}

static struct ncs_call *recv_of(struct world *w, int at, int from, unsigned char *x)
{
    return call_of(w, NCS_FN_ncclRecv, at, x, x, 4, ncclInt8, -1, from);
}

START_TEST(test_pairs)
{
    struct world w;
    world_open(&w, 3, true);
    buffers(&w, 64, 64);
    fill(&w, ncclInt8, 64, 8, false);
    unsigned char *s = w.send[0], *d = w.recv[1];

    /* A send that came to nothing and one to another rank do not count. */
    struct ncs_call *bad = send_of(&w, 0, 1, s);
    bad->ordinal = 0;
    w.sent[0][1]--;
    ncs_verify_before(w.v, &bad, 1);
    struct ncs_call *other = send_of(&w, 0, 2, s + 40);
    struct ncs_call *first = send_of(&w, 0, 1, s + 4), *second = send_of(&w, 0, 1, s + 8);
    struct ncs_call *one = recv_of(&w, 1, 0, d), *two = recv_of(&w, 1, 0, d + 4);
    struct ncs_call *elsewhere = recv_of(&w, 2, 0, w.recv[2]);

    /* The driver exchanges them: its grouping is not believed. */
    struct ncs_call *crossed[] = { second, one }, *rest[] = { first, two };
    ncs_verify_before(w.v, crossed, 2);
    ncs_verify_before(w.v, rest, 2);
    memcpy(d, s + 8, 4);
    memcpy(d + 4, s + 4, 4);
    ncs_verify_after(w.v, crossed, 2);
    ncs_verify_after(w.v, rest, 2);
    wrong(&w, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 2);

    struct ncs_call *right[] = { other, elsewhere };
    ncs_verify_before(w.v, right, 2);
    memcpy(w.recv[2], s + 40, 4);
    ncs_verify_after(w.v, right, 2);
    wrong(&w, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 3);

    /* A send that runs ahead of its receive, and changes its buffer then. */
    struct ncs_call *eager = send_of(&w, 0, 1, s + 12), *late = recv_of(&w, 1, 0, d + 8);
    ncs_verify_before(w.v, &eager, 1);
    memcpy(d + 8, s + 12, 4);
    ncs_verify_after(w.v, &eager, 1);
    memset(s + 12, 0, 4);
    ncs_verify_before(w.v, &late, 1);
    ncs_verify_after(w.v, &late, 1);
    wrong(&w, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 4);

    /* Other bytes: not checked. Another type of the same bytes: checked. */
    struct ncs_call *longer = send_of(&w, 0, 1, s), *shorter = recv_of(&w, 1, 0, d);
    shorter->arg[1].u = 2;
    struct ncs_call *uneven[] = { longer, shorter };
    ncs_verify_before(w.v, uneven, 2);
    ncs_verify_after(w.v, uneven, 2);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 1);
    struct ncs_call *bytes = send_of(&w, 0, 1, s), *words = recv_of(&w, 1, 0, d);
    words->arg[1].u = 1;
    words->arg[2].i = ncclFloat32;
    struct ncs_call *even[] = { bytes, words };
    ncs_verify_before(w.v, even, 2);
    memcpy(d, s, 4);
    ncs_verify_after(w.v, even, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 5);
    bytes = send_of(&w, 0, 1, s), words = recv_of(&w, 1, 0, d);
    words->arg[1].u = 1;
    words->arg[2].i = ncclFloat32;
    struct ncs_call *told[] = { bytes, words }; /* that their types differ is no reason */
    ncs_verify_exclude(w.v, told, 2);
    ncs_verify_before(w.v, told, 2);
    memset(d, ~s[0], 4);
    ncs_verify_after(w.v, told, 2);
    wrong(&w, 3);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 6);

    /* To oneself. */
    struct ncs_call *self[] = { send_of(&w, 2, 2, w.send[2]), recv_of(&w, 2, 2, w.recv[2] + 8) };
    ncs_verify_before(w.v, self, 2);
    memcpy(w.recv[2] + 8, w.send[2], 4);
    ncs_verify_after(w.v, self, 2);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 7);
    wrong(&w, 3);
    world_close(&w);
}
END_TEST

NCS_TEST_MAIN("verify pairs", test_counts, test_off, test_budget, test_left_behind, test_many_wrong, test_pairs)
