/* Samples of operations that the verification keeps for drawings. */
#include "verify_lab.h"

#include "verify/seen.h"

static const struct ncs_seen *only(struct world *w)
{
    size_t count;
    uint64_t more;
    const struct ncs_seen *const *seen = ncs_verify_seen(w->v, &count, &more);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(more, 0);
    return seen[0];
}

static void open_looking(struct world *w, int n, size_t most)
{
    static char name[] = "lab";
    world_open(w, n, true);
    w->comm.name = name;
    ncs_verify_look(w->v, most);
}

static void check_sample(const struct ncs_sample *s, const unsigned char *buffer, uint64_t count)
{
    uint64_t kept = 0;
    ck_assert_uint_eq(s->count, count);
    for (uint64_t i = 0; i < count; i++) {
        const void *at = ncs_sample_at(s, 4, i);
        ck_assert_int_eq(at != NULL, i % s->part < s->each);
        kept += at != NULL;
        if (at)
            ck_assert_mem_eq(at, buffer + 4 * i, 4);
    }
    ck_assert(kept > 0);
    ck_assert_ptr_null(ncs_sample_at(s, 4, count));
}

static void all_reduce(struct world *w, size_t count)
{
    struct reference f = ascending(w, ncclInt32, ncclSum);
    buffers(w, count * 4, count * 4);
    fill(w, ncclInt32, count, 5, false);
    collective(w, NCS_FN_ncclAllReduce, count, ncclInt32, ncclSum, 0);
    before(w);
    reduce(w, &f, 0, count, w->recv[0]);
    all_write(w, w->recv[0], count * 4);
}

START_TEST(inputs_and_outputs_are_kept_by_parts)
{
    for (size_t count = 1; count < 100; count += 7) {
        struct world w;
        open_looking(&w, 3, 10);
        all_reduce(&w, count);
        after(&w);
        const struct ncs_seen *s = only(&w);
        ck_assert_str_eq(s->comm, "lab");
        ck_assert_int_eq(s->fn, NCS_FN_ncclAllReduce);
        ck_assert(s->over && !s->unfit);
        ck_assert_int_eq(s->ranks, 3);
        for (int r = 0; r < 3; r++) {
            ck_assert_int_eq(s->rank[r].presence, NCS_OVER);
            ck_assert_int_eq(s->rank[r].rank, 100 + r);
            ck_assert(!s->rank[r].wrongs && !s->rank[r].after.wrong);
            check_sample(&s->rank[r].before, w.send[r], count);
            check_sample(&s->rank[r].after, w.recv[r], count);
        }
        world_close(&w);
    }
}
END_TEST

START_TEST(wrong_elements_are_known)
{
    struct world w;
    open_looking(&w, 3, 10);
    all_reduce(&w, 6);
    w.recv[1][4 * 2] ^= 1;
    after(&w);
    const struct ncs_seen *s = only(&w);
    ck_assert_uint_eq(s->rank[1].wrongs, 1);
    for (uint64_t i = 0; i < 6; i++) {
        ck_assert_int_eq(ncs_sample_is_wrong(&s->rank[1].after, i), i == 2);
        ck_assert(!ncs_sample_is_wrong(&s->rank[0].after, i));
    }
    world_close(&w);
}
END_TEST

START_TEST(nothing_is_kept_unasked)
{
    struct world w;
    size_t count;
    uint64_t more;
    world_open(&w, 2, true);
    all_reduce(&w, 4);
    after(&w);
    ncs_verify_seen(w.v, &count, &more);
    ck_assert_uint_eq(count, 0);
    ck_assert_uint_eq(more, 0);
    world_close(&w);
}
END_TEST

START_TEST(what_is_too_much_is_counted)
{
    struct world w;
    size_t count;
    uint64_t more;
    open_looking(&w, 2, 2);
    for (int i = 0; i < 5; i++) {
        all_reduce(&w, 4);
        after(&w);
    }
    ncs_verify_seen(w.v, &count, &more);
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(more, 3);
    world_close(&w);
}
END_TEST

START_TEST(who_is_missing_is_known)
{
    struct world w;
    open_looking(&w, 3, 0); /* nobody looks */
    struct ncs_call *call = call_of(&w, NCS_FN_ncclAllReduce, 2, NULL, NULL, 8, ncclInt32, ncclSum, 0);
    ncs_verify_unfinished(w.v, call, true);
    ncs_verify_look(w.v, 1);
    ncs_verify_unfinished(w.v, call, true);
    ncs_verify_unfinished(w.v, call_of(&w, NCS_FN_ncclAllReduce, 0, NULL, NULL, 9, ncclInt32, ncclSum, 0), false);
    const struct ncs_seen *s = only(&w);
    ck_assert(!s->over);
    ck_assert_int_eq(s->rank[0].presence, NCS_CALLED);
    ck_assert_int_eq(s->rank[1].presence, NCS_ABSENT);
    ck_assert_int_eq(s->rank[2].presence, NCS_PRESENT);
    ck_assert_str_eq(s->rank[0].call, "AllReduce int32 x 9 sum"); /* not as the first one */
    ck_assert_ptr_null(s->rank[2].call);
    world_close(&w);
}
END_TEST

START_TEST(sends_meet_their_receives)
{
    struct world w;
    open_looking(&w, 2, 4);
    buffers(&w, 12, 12);
    fill(&w, ncclInt32, 3, 9, false);
    struct ncs_call *pair[] = {
        call_of(&w, NCS_FN_ncclSend, 0, w.send[0], NULL, 3, ncclInt32, 0, 1),
        call_of(&w, NCS_FN_ncclRecv, 1, NULL, w.recv[1], 3, ncclInt32, 0, 0),
    };
    ncs_verify_before(w.v, pair, 2);
    memcpy(w.recv[1], w.send[0], 12);
    ncs_verify_after(w.v, pair, 2);
    const struct ncs_seen *s = only(&w);
    ck_assert_int_eq(s->src, 0);
    ck_assert_int_eq(s->dst, 1);
    ck_assert_int_eq(s->ranks, 2);
    ck_assert(s->over);
    check_sample(&s->rank[0].before, w.send[0], 3);
    check_sample(&s->rank[1].after, w.recv[1], 3);
    world_close(&w);
}
END_TEST

NCS_TEST_MAIN("verify seen", inputs_and_outputs_are_kept_by_parts, wrong_elements_are_known, nothing_is_kept_unasked,
              what_is_too_much_is_counted, who_is_missing_is_known, sends_meet_their_receives)
