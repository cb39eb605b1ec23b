/* Communicators that are over: what is kept of them does not grow with their number, and a handle of
 * the past never means another communicator. */
#include "comm_lab.h"

#include "harness.h"

enum { ROUNDS = 1500 };

/* One split off, one of its own by an id, one of its own by its device: all destroyed. */
static void make_and_end(struct kernel_rank *r)
{
    ncclComm_t part = NULL, own = NULL, all = NULL;
    ncclUniqueId id;
    OK(api->ncclCommSplit(r->world, 0, 0, &part, NULL));
    OK(api->ncclGetUniqueId(&id));
    OK(api->ncclCommInitRank(&own, 1, id, 0));
    OK(api->ncclCommInitAll(&all, 1, (int[]){ r->rank }));
    OK(api->ncclCommDestroy(part));
    OK(api->ncclCommDestroy(own));
    OK(api->ncclCommDestroy(all));
}

static void make_many(struct kernel_rank *r)
{
    uint64_t objects[2], bytes[2], unused;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < ROUNDS * (k ? 3 : 1); i++)
            make_and_end(r);
        machine->stats(&objects[k], &bytes[k], &unused);
    }
    /* The other rank may be a few calls behind, or ahead. */
    ck_assert_uint_lt(objects[1], objects[0] + 64);
    ck_assert_uint_lt(bytes[1], bytes[0] + 64 * 1024);
}

START_TEST(ended_ones_do_not_pile_up)
{
    run_all(2, make_many);
}
END_TEST

static void keep_a_handle(struct kernel_rank *r)
{
    ncclComm_t first = NULL, shared = NULL, child = NULL;
    ncclConfig_t shares = unset;
    shares.splitShare = 1;
    OK(api->ncclCommSplit(r->world, 0, 0, &first, NULL));
    OK(api->ncclCommSplit(r->world, 0, 0, &shared, NULL));
    OK(api->ncclCommSplit(shared, 0, 0, &child, &shares));
    OK(api->ncclCommDestroy(first));
    OK(api->ncclCommDestroy(shared));
    ck_assert_int_eq(api->ncclCommDestroy(first), 4);
    ck_assert_ptr_nonnull(strstr(last_error(), "has already been destroyed"));
    for (int i = 0; i < ROUNDS; i++)
        make_and_end(r);
    ck_assert_int_eq(api->ncclCommDestroy(first), 4);
    ck_assert_int_eq(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, first, r->stream), 4);
    ck_assert_float_eq(sum_on(r, child, 1), 2); /* with what was its parent's */
    OK(api->ncclCommDestroy(child));
}

START_TEST(a_handle_of_the_past_means_nothing_else)
{
    run_all(2, keep_a_handle);
}
END_TEST

NCS_TEST_MAIN("ended", ended_ones_do_not_pile_up, a_handle_of_the_past_means_nothing_else)
