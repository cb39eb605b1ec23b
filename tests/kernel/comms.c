/* Communicators made out of others, and their ends: codes in NCCL's order, texts, who waits for whom. */
#include "comm_lab.h"

#include <limits.h>

#include "harness.h"

/* ---- split ---- */

static void split_rows(struct kernel_rank *r)
{
    ncclComm_t row = NULL, reversed = NULL;
    OK(api->ncclCommSplit(r->world, r->rank / 2, 0, &row, NULL));
    ck_assert_int_eq(count_of(row), 2);
    ck_assert_int_eq(rank_of(row), r->rank % 2);
    ck_assert_float_eq(sum_on(r, row, (float)r->rank), r->rank < 2 ? 1 : 5);
    /* By key, then by old rank; negative colours other than -1 are colours. */
    OK(api->ncclCommSplit(r->world, -2, r->rank < 2 ? 7 : INT_MIN, &reversed, NULL));
    ck_assert_int_eq(rank_of(reversed), (r->rank + 2) % 4);
    OK(api->ncclCommDestroy(row));
    OK(api->ncclCommDestroy(reversed));
}

START_TEST(splits_by_colour_and_key)
{
    run_all(4, split_rows);
}
END_TEST

static void split_without_colour(struct kernel_rank *r)
{
    ncclComm_t half = (ncclComm_t)&half;
    OK(api->ncclCommSplit(r->world, r->rank == 1 ? NCCL_SPLIT_NOCOLOR : 3, 0, &half, NULL));
    if (r->rank == 1) {
        ck_assert_ptr_null(half);
        return;
    }
    ck_assert_int_eq(count_of(half), 2);
    ck_assert_int_eq(rank_of(half), r->rank / 2);
}

START_TEST(no_colour_gives_no_communicator)
{
    run_all(3, split_without_colour);
}
END_TEST

static void refuse_split(struct kernel_rank *r)
{
    ncclComm_t out = NULL;
    int junk[64] = { 0 };
    ncclConfig_t bad = unset;
    bad.splitShare = 2;
    REFUSED(4, "ncclCommSplit : comm argument is NULL", api->ncclCommSplit(NULL, 0, 0, NULL, NULL));
    REFUSED(4, "Error: corrupted comm object detected", api->ncclCommSplit((ncclComm_t)junk, 0, 0, NULL, NULL));
    REFUSED(4, "ncclCommSplit : newcomm argument is NULL", api->ncclCommSplit(r->world, 0, 0, NULL, &bad));
    REFUSED(4, "Invalid config splitShare attribute value 2", api->ncclCommSplit(r->world, 0, 0, &out, &bad));
    /* Nobody has come to a split by that: the next is the first. */
    OK(api->ncclCommSplit(r->world, 0, 0, &out, NULL));
    ck_assert_int_eq(count_of(out), r->nranks);
    /* An error poisons the group. */
    OK(api->ncclGroupStart());
    ck_assert_int_eq(api->ncclCommSplit(NULL, 0, 0, &out, NULL), 4);
    OK(api->ncclCommDestroy(r->world));
    ck_assert_int_eq(api->ncclGroupEnd(), 4);
    ck_assert_int_eq(count_of(r->world), r->nranks);
}

START_TEST(split_checks_in_order)
{
    run_all(1, refuse_split);
    run_all(2, refuse_split);
}
END_TEST

static void split_twice_in_a_group(struct kernel_rank *r)
{
    ncclComm_t a = NULL, b = NULL;
    OK(api->ncclGroupStart());
    OK(api->ncclCommSplit(r->world, 0, r->rank, &a, NULL));
    OK(api->ncclCommSplit(r->world, r->rank % 2, -r->rank, &b, NULL));
    ck_assert_ptr_null(a);
    OK(api->ncclGroupEnd());
    ck_assert_int_eq(count_of(a), 4);
    ck_assert_int_eq(rank_of(a), r->rank);
    ck_assert_int_eq(count_of(b), 2);
    ck_assert_int_eq(rank_of(b), 1 - r->rank / 2);
}

START_TEST(two_splits_in_a_group)
{
    run_all(4, split_twice_in_a_group);
}
END_TEST

static void drive_four(struct kernel_rank *r)
{
    ncclComm_t all[4], row[4] = { NULL };
    OK(api->ncclCommInitAll(all, 4, NULL));
    OK(api->ncclGroupStart());
    for (int i = 0; i < 4; i++)
        OK(api->ncclCommSplit(all[i], i / 2, 0, &row[i], NULL));
    OK(api->ncclGroupEnd());
    for (int i = 0; i < 4; i++) {
        int device = -1;
        OK(api->ncclCommCuDevice(row[i], &device));
        ck_assert_int_eq(device, i);
        ck_assert_int_eq(rank_of(row[i]), i % 2);
        OK(api->ncclCommDestroy(row[i]));
        OK(api->ncclCommDestroy(all[i]));
    }
    (void)r;
}

START_TEST(one_thread_splits_for_four_ranks)
{
    run_all(1, drive_four);
}
END_TEST

static void split_without_two(struct kernel_rank *r)
{
    ncclComm_t out;
    if (r->rank != 2)
        OK(api->ncclCommSplit(r->world, 0, 0, &out, NULL));
}

START_TEST(a_split_waits_for_all)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(4, split_without_two), NCS_STOP_QUIET);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    size_t splits = 0;
    for (size_t i = 0; i < s.jobs; i++)
        if (s.job[i].kind == NCS_JOB_SPLIT) {
            splits++;
            ck_assert_uint_eq(s.job[i].misses, 1);
            ck_assert_int_eq(s.missing[s.job[i].miss], 2);
        }
    ck_assert_uint_eq(splits, 3);
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

static void big_split(struct kernel_rank *r)
{
    ncclComm_t column = NULL;
    OK(api->ncclCommSplit(r->world, r->rank % 16, 0, &column, NULL));
    ck_assert_int_eq(count_of(column), 16);
    ck_assert_int_eq(rank_of(column), r->rank / 16);
    ck_assert_float_eq(sum_on(r, column, 1), 16);
    OK(api->ncclCommDestroy(column));
}

START_TEST(splits_of_256)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(256, big_split), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

/* ---- families ---- */

static void abort_family(struct kernel_rank *r)
{
    ncclConfig_t share = unset;
    share.splitShare = 1;
    ncclComm_t parent = NULL, child = NULL;
    OK(api->ncclCommSplit(r->world, 0, 0, &parent, &share));
    OK(api->ncclCommSplit(parent, 0, 0, &child, NULL));
    ck_assert_float_eq(sum_on(r, parent, 1), 2);
    ck_assert_int_eq(api->ncclCommSuspend(parent, NCCL_SUSPEND_MEM), 5);
    if (r->rank == 0) {
        /* Rank 1 never comes: the abort of the child ends the parent's work too. */
        OK(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, parent, r->stream));
        OK(api->ncclCommAbort(child));
        OK(api->cudaStreamSynchronize(r->stream));
        OK(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, parent, r->stream));
        OK(api->cudaStreamSynchronize(r->stream));
        OK(api->ncclCommAbort(parent));
    }
    ck_assert_float_eq(sum_on(r, r->world, 1), 2); /* no member of that family */
}

START_TEST(shared_resources_are_aborted_together)
{
    run_all(2, abort_family);
}
END_TEST

static void abort_stranger(struct kernel_rank *r)
{
    ncclComm_t child = NULL;
    OK(api->ncclCommSplit(r->world, 0, 0, &child, NULL));
    OK(api->ncclCommAbort(child));
    ck_assert_float_eq(sum_on(r, r->world, 1), 2);
    REFUSED(4, "Error: corrupted comm object detected", api->ncclCommAbort(child));
    ck_assert_int_eq(api->ncclCommDestroy(child), 4);
    ck_assert_msg(strstr(last_error(), " has already been destroyed") != NULL, "%s", last_error());
    ck_assert_int_eq(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, child, r->stream), 4);
    ck_assert_int_eq(api->ncclGroupEnd(), 5); /* no level was left open */
}

START_TEST(a_child_may_be_aborted_alone)
{
    run_all(2, abort_stranger);
}
END_TEST

/* ---- shrink ---- */

static void refuse_shrink(struct kernel_rank *r)
{
    ncclComm_t out = NULL;
    int list[] = { 3, 1 }, own[] = { 2, 0 }, twice[] = { 3, 3 }, outside[] = { 9, 3 };
    REFUSED(4, "the real library crashes here: comm is NULL", api->ncclCommShrink(NULL, list, 2, &out, NULL, 0));
    REFUSED(4, "ncclCommShrink : newcomm argument is NULL", api->ncclCommShrink(r->world, NULL, 0, NULL, NULL, 0));
    REFUSED(4, "ncclCommShrink : excludeRanksList argument is NULL", api->ncclCommShrink(r->world, NULL, 0, &out, NULL, 0));
    ck_assert_int_eq(api->ncclCommShrink(r->world, list, 0, &out, NULL, 0), 4);
    ck_assert_int_eq(list[0], 3); /* not sorted yet */
    if (r->rank != 0)
        return;
    ck_assert_int_eq(api->ncclCommShrink(r->world, own, 2, &out, NULL, 0), 4);
    ck_assert(own[0] == 0 && own[1] == 2);
    ck_assert_int_eq(api->ncclCommShrink(r->world, twice, 2, &out, NULL, 0), 4);
    ck_assert_int_eq(api->ncclCommShrink(r->world, outside, 2, &out, NULL, 0), 4);
    ck_assert_str_eq(last_error(), "the real library crashes here: a number in the list is not a rank "
                                   "of the communicator");
}

START_TEST(shrink_checks_in_order)
{
    run_all(4, refuse_shrink);
}
END_TEST

static void shrink_around_two(struct kernel_rank *r)
{
    ncclComm_t rest = NULL;
    int list[] = { 3, 2 };
    ck_assert_float_eq(sum_on(r, r->world, 1), 5);
    if (r->rank == 2 || r->rank == 3)
        return;
    OK(api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, r->world, r->stream));
    OK(api->ncclCommShrink(r->world, list, 2, &rest, NULL, NCCL_SHRINK_ABORT));
    ck_assert(list[0] == 2 && list[1] == 3);
    OK(api->cudaStreamSynchronize(r->stream)); /* what ran on the parent was cut short */
    ck_assert_int_eq(count_of(rest), 3);
    ck_assert_int_eq(rank_of(rest), r->rank == 4 ? 2 : r->rank);
    ck_assert_float_eq(sum_on(r, rest, 1), 3);
    OK(api->ncclCommAbort(r->world));
    OK(api->ncclCommDestroy(rest));
}

START_TEST(survivors_shrink)
{
    run_all(5, shrink_around_two);
}
END_TEST

static void other_lists(struct kernel_rank *r)
{
    ncclComm_t rest = NULL;
    int list[] = { r->rank == 0 ? 2 : 3 };
    if (r->rank < 2)
        api->ncclCommShrink(r->world, list, 1, &rest, NULL, 0);
}

START_TEST(other_lists_never_meet)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(4, other_lists), NCS_STOP_QUIET);
    kernel_end();
}
END_TEST

/* ---- scalable init ---- */

static ncclUniqueId many_id[3];

static void scalable(struct kernel_rank *r)
{
    ncclComm_t comm = NULL;
    ncclUniqueId *id = many_id;
    if (r->rank == 0)
        for (int i = 0; i < 3; i++)
            OK(api->ncclGetUniqueId(&id[i]));
    sum_on(r, r->world, 1);
    REFUSED(4, "improper usage of ncclCommInitRank: nId = 5, nranks=4",
            api->ncclCommInitRankScalable(&comm, 4, r->rank, 5, id, NULL));
    REFUSED(4, "improper usage of ncclCommInitRank: nId = 0, nranks=4",
            api->ncclCommInitRankScalable(&comm, 4, r->rank, 0, id, NULL));
    REFUSED(4, "CommInitRank : newcomm argument is NULL", api->ncclCommInitRankScalable(NULL, 4, 9, 3, id, NULL));
    REFUSED(4, "Invalid rank requested : 9/4", api->ncclCommInitRankScalable(&comm, 4, 9, 3, id, NULL));
    OK(api->ncclCommInitRankScalable(&comm, 4, 3 - r->rank, 3, id, NULL));
    ck_assert_int_eq(rank_of(comm), 3 - r->rank);
    ck_assert_float_eq(sum_on(r, comm, 1), 4);
    OK(api->ncclCommDestroy(comm));
}

START_TEST(init_with_several_ids)
{
    run_all(4, scalable);
}
END_TEST

static void ids_in_other_order(struct kernel_rank *r)
{
    ncclComm_t comm = NULL;
    if (r->rank == 0)
        for (int i = 0; i < 2; i++)
            OK(api->ncclGetUniqueId(&many_id[i]));
    sum_on(r, r->world, 1);
    ncclUniqueId mine[2] = { many_id[r->rank], many_id[1 - r->rank] };
    api->ncclCommInitRankScalable(&comm, 2, r->rank, 2, mine, NULL);
}

START_TEST(ids_in_other_order_never_meet)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, ids_in_other_order), NCS_STOP_QUIET);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    ck_assert(s.job[0].refused);
    ck_assert_str_eq(s.job[0].why, "the ranks do not pass the same ids");
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

/* ---- configurations ---- */

static int try_config(ncclConfig_t c)
{
    ncclUniqueId id;
    ncclComm_t comm = (ncclComm_t)&id;
    OK(api->ncclGetUniqueId(&id));
    int rc = api->ncclCommInitRankConfig(&comm, 1, id, 0, &c);
    if (rc == ncclInvalidArgument)
        ck_assert_ptr_null(comm);
    else
        OK(api->ncclCommAbort(comm));
    return rc;
}

#define TRY(field, value)        \
    ({                           \
        ncclConfig_t c_ = unset; \
        c_.field = (value);      \
        try_config(c_);          \
    })

static void configurations(struct kernel_rank *r)
{
    (void)r;
    static const struct {
        size_t offset;
        int bad, good;
    } rows[] = {
        { offsetof(ncclConfig_t, blocking), 2, 1 },
        { offsetof(ncclConfig_t, cgaClusterSize), -1, 900 },
        { offsetof(ncclConfig_t, maxCTAs), 0, 65 },
        { offsetof(ncclConfig_t, splitShare), -1, 1 },
        { offsetof(ncclConfig_t, collnetEnable), 2, 1 },
        { offsetof(ncclConfig_t, CTAPolicy), 4, 3 },
        { offsetof(ncclConfig_t, shrinkShare), 2, 0 },
        { offsetof(ncclConfig_t, nvlsCTAs), 0, 1 },
        { offsetof(ncclConfig_t, nChannelsPerNetPeer), 65, 64 },
        { offsetof(ncclConfig_t, nvlinkCentricSched), 2, 1 },
        { offsetof(ncclConfig_t, graphUsageMode), 3, 2 },
        { offsetof(ncclConfig_t, numRmaCtx), -1, 0 },
        { offsetof(ncclConfig_t, maxP2pPeers), 0, 1 },
        { offsetof(ncclConfig_t, graphStreamOrdering), 2, 0 },
        { offsetof(ncclConfig_t, launchOrderImplicit), 2, 1 },
        { offsetof(ncclConfig_t, numRmaSig), -1, 0 },
        { offsetof(ncclConfig_t, rmaEagerInit), 2, 1 },
        { offsetof(ncclConfig_t, hostCftMode), 0, 3 },
        { offsetof(ncclConfig_t, nvlsHostMode), 4, 3 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int good = 0; good < 2; good++) {
            ncclConfig_t c = unset;
            memcpy((char *)&c + rows[i].offset, good ? &rows[i].good : &rows[i].bad, sizeof(int));
            ck_assert_int_eq(try_config(c), good ? 0 : 4);
        }
    ck_assert_int_eq(TRY(trafficClass, -77), 0);
    ck_assert_int_eq(TRY(minCTAs, 4), 0);
    ck_assert_int_eq(TRY(minCTAs, 0), 4);
    ck_assert_str_eq(last_error(), "Invalid config min/max channels attribute value 0/-2147483648");
    ncclConfig_t c = unset;
    c.minCTAs = 4;
    c.maxCTAs = 4;
    ck_assert_int_eq(try_config(c), 0);
    c.minCTAs = 5;
    ck_assert_int_eq(try_config(c), 4);
    ck_assert_int_eq(TRY(magic, 1), 4);
    ck_assert_int_eq(TRY(netName, "Socket"), 0);
    ck_assert_int_eq(TRY(netName, "pigeon"), 5);
    ck_assert_str_eq(last_error(), "Failed to initialize any NET plugin");
    /* Fields that the application's header, or its struct, did not have yet are not looked at. */
    c = unset;
    c.maxP2pPeers = -1;
    c.version = NCCL_VERSION(2, 30, 2);
    ck_assert_int_eq(try_config(c), 0);
    c.version = NCCL_VERSION(2, 30, 3);
    ck_assert_int_eq(try_config(c), 4);
    c.size = 88;
    ck_assert_int_eq(try_config(c), 0);
}

START_TEST(configurations_are_checked)
{
    run_all(1, configurations);
}
END_TEST

NCS_TEST_MAIN("comms", splits_by_colour_and_key, no_colour_gives_no_communicator, split_checks_in_order, two_splits_in_a_group,
              one_thread_splits_for_four_ranks, a_split_waits_for_all, splits_of_256, shared_resources_are_aborted_together,
              a_child_may_be_aborted_alone, shrink_checks_in_order, survivors_shrink, other_lists_never_meet,
              init_with_several_ids, ids_in_other_order_never_meet, configurations_are_checked)
