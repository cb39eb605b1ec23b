/* How communicators grow, are set aside and end: grow, revoke, suspend, finalize, destroy and abort,
 * non-blocking ones, estimates of groups. */
#include "comm_lab.h"

#include "harness.h"

static ncclResult_t reduce_on(struct kernel_rank *r, ncclComm_t comm)
{
    return api->ncclAllReduce(r->x, r->x, 1, ncclFloat32, ncclSum, comm, r->stream);
}

/* ---- grow ---- */

static ncclUniqueId grow_id;
static struct ncs_gate *grow_gate;
static bool grow_known;

static bool wait_for_id(void)
{
    while (!grow_known)
        if (!machine->gate_wait(grow_gate, -1, "id", "grow", -1, -1))
            return false;
    return true;
}

/* World of `nranks`; the last one is a newcomer to the communicator of the others. */
static void grow_by_one(struct kernel_rank *r)
{
    int old = r->nranks - 1;
    ncclComm_t few = NULL, more = NULL;
    OK(api->ncclCommSplit(r->world, r->rank < old ? 0 : NCCL_SPLIT_NOCOLOR, 0, &few, NULL));
    SILENT(4, api->ncclCommGrow(NULL, 4, NULL, -1, NULL, NULL));
    ck_assert_int_eq(api->ncclCommGrow(NULL, 0, NULL, -1, &more, NULL), 4);
    if (r->rank == old) {
        REFUSED(4, "ncclCommGrow: new ranks must pass valid rank >= 0, got -1",
                api->ncclCommGrow(NULL, 4, NULL, -1, &more, NULL));
        REFUSED(4, "ncclCommGrow: new ranks must pass non-NULL uniqueId", api->ncclCommGrow(NULL, 4, NULL, 9, &more, NULL));
        if (!wait_for_id())
            return;
        REFUSED(4, "ncclCommGrow: new rank 9 exceeds total ranks 4", api->ncclCommGrow(NULL, 4, &grow_id, 9, &more, NULL));
        OK(api->ncclCommGrow(NULL, r->nranks, &grow_id, r->rank, &more, NULL));
    } else {
        ck_assert_int_eq(api->ncclCommGrow(few, old, NULL, -1, &more, NULL), 4);
        REFUSED(4, "ncclCommGrow: existing ranks must pass rank=-1, got 0", api->ncclCommGrow(few, 9, NULL, 0, &more, NULL));
        if (r->rank == 1 || old == 1) {
            OK(api->ncclCommGetUniqueId(few, &grow_id));
            grow_known = true;
            machine->gate_wake(grow_gate);
        }
        bool knows = r->rank == 1 || old == 1;
        OK(api->ncclCommGrow(few, r->nranks, knows ? &grow_id : NULL, -1, &more, NULL));
        OK(api->ncclCommDestroy(few));
    }
    ck_assert_int_eq(rank_of(more), r->rank);
    ck_assert_int_eq(count_of(more), r->nranks);
    ck_assert_float_eq(sum_on(r, more, 1), (float)r->nranks);
    OK(api->ncclCommDestroy(more));
}

START_TEST(grows_by_one)
{
    for (int ranks = 2; ranks <= 4; ranks++) {
        struct ncs_machine_options options = { 0 };
        grow_known = false;
        kernel_open(&options);
        grow_gate = machine->gate_new();
        ck_assert_int_eq(kernel_run(ranks, grow_by_one), NCS_STOP_DONE);
        machine->gate_free(grow_gate);
        kernel_end();
    }
}
END_TEST

static void grow_without_coordinator(struct kernel_rank *r)
{
    ncclConfig_t c = non_blocking();
    ncclComm_t more = NULL;
    /* Rank 1 of three comes back at once; the first and the last wait inside the call. */
    OK(api->ncclCommGrow(r->world, 4, NULL, -1, &more, &c));
    ck_assert_int_eq(r->rank, 1);
}

START_TEST(nobody_coordinates)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(3, grow_without_coordinator), NCS_STOP_QUIET);
    ck_assert(!kernel_rank[0].finished && kernel_rank[1].finished && !kernel_rank[2].finished);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    for (size_t i = 0; i < s.jobs; i++)
        if (s.job[i].kind == NCS_JOB_GROW)
            ck_assert_str_eq(s.job[i].why, "no rank has made an id with ncclCommGetUniqueId");
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

static void reuse_growth(struct kernel_rank *r)
{
    ncclComm_t more = NULL, again = NULL;
    if (r->rank == 1) {
        if (!wait_for_id())
            return;
        OK(api->ncclCommGrow(NULL, 2, &grow_id, 1, &more, NULL));
        ck_assert_int_eq(api->ncclCommGrow(NULL, 2, &grow_id, 1, &again, NULL), 6);
        return;
    }
    ncclComm_t one = NULL;
    ncclUniqueId id;
    OK(api->ncclGetUniqueId(&id));
    OK(api->ncclCommInitRank(&one, 1, id, 0));
    OK(api->ncclCommGetUniqueId(one, &grow_id));
    grow_known = true;
    machine->gate_wake(grow_gate);
    OK(api->ncclCommGrow(one, 2, &grow_id, -1, &more, NULL));
}

START_TEST(an_id_is_good_for_one_growth)
{
    grow_known = false;
    kernel_open(&(struct ncs_machine_options){ 0 });
    grow_gate = machine->gate_new();
    ck_assert_int_eq(kernel_run(2, reuse_growth), NCS_STOP_DONE);
    machine->gate_free(grow_gate);
    kernel_end();
}
END_TEST

/* ---- revoke ---- */

static void revoke(struct kernel_rank *r)
{
    ncclComm_t next = NULL;
    ck_assert_float_eq(sum_on(r, r->world, 1), 3);
    OK(api->ncclCommRevoke(NULL, 77));
    SILENT(4, api->ncclCommRevoke(r->world, 1));
    if (r->rank == 0)
        OK(reduce_on(r, r->world)); /* nobody else comes */
    OK(api->ncclCommRevoke(r->world, 0));
    OK(api->cudaStreamSynchronize(r->stream));
    REFUSED(5, "AllReduce: communicator was revoked", reduce_on(r, r->world));
    OK(api->ncclGroupStart());
    ck_assert_int_eq(reduce_on(r, r->world), 5);
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
    ck_assert_int_eq(api->ncclCommFinalize(r->world), 4);
    ck_assert_int_eq(api->ncclCommRevoke(r->world, 0), 4);
    ck_assert_int_eq(count_of(r->world), 3);
    OK(api->ncclCommSplit(r->world, 0, 0, &next, NULL));
    ck_assert_float_eq(sum_on(r, next, 1), 3);
    OK(api->ncclCommDestroy(next));
    OK(api->ncclCommDestroy(r->world));
}

START_TEST(revoked_ones_only_make_others)
{
    run_all(3, revoke);
}
END_TEST

static void revoke_late(struct kernel_rank *r)
{
    ncclComm_t copy = NULL;
    OK(api->ncclCommSplit(r->world, 0, 0, &copy, NULL));
    OK(api->ncclCommFinalize(copy));
    ck_assert_int_eq(api->ncclCommRevoke(copy, 0), 4);
    ck_assert_int_eq(api->ncclCommFinalize(copy), 4);
    /* The early return is not recorded in the group. */
    OK(api->ncclGroupStart());
    ck_assert_int_eq(api->ncclCommRevoke(copy, 0), 4);
    OK(api->ncclGroupEnd());
    OK(api->ncclCommDestroy(copy));
    REFUSED(4, "Error: corrupted comm object detected", api->ncclCommRevoke(copy, 0));
}

START_TEST(finalized_ones_are_not_revoked)
{
    run_all(2, revoke_late);
}
END_TEST

/* ---- suspend ---- */

static uint64_t figure(ncclComm_t comm, ncclCommMemStat_t stat)
{
    uint64_t v = UINT64_MAX;
    OK(api->ncclCommMemStats(comm, stat, &v));
    return v;
}

static void suspend(struct kernel_rank *r)
{
    ck_assert_uint_eq(figure(r->world, ncclStatGpuMemSuspend), 0);
    ck_assert_float_eq(sum_on(r, r->world, 1), 2);
    uint64_t bytes = figure(r->world, ncclStatGpuMemSuspend);
    ck_assert_uint_gt(bytes, 0);
    ck_assert_uint_eq(figure(r->world, ncclStatGpuMemTotal), bytes + figure(r->world, ncclStatGpuMemPersist));
    uint64_t v;
    SILENT(4, api->ncclCommMemStats(r->world, 9, NULL));
    ck_assert_int_eq(api->ncclCommMemStats(r->world, 9, &v), 4);
    ck_assert_int_eq(api->ncclCommResume(r->world), 5);
    OK(api->ncclCommSuspend(r->world, 0)); /* no bit that it knows */
    OK(api->ncclCommSuspend(r->world, 2));
    ck_assert_uint_eq(figure(r->world, ncclStatGpuMemSuspended), 0);
    OK(api->ncclCommSuspend(r->world, NCCL_SUSPEND_MEM));
    ck_assert_uint_eq(figure(r->world, ncclStatGpuMemSuspended), 1);
    REFUSED(5, "MemManager: Already suspended", api->ncclCommSuspend(r->world, NCCL_SUSPEND_MEM));
    REFUSED(4, "the real library crashes here: it uses a communicator that is suspended", reduce_on(r, r->world));
    OK(api->ncclCommResume(r->world));
    ck_assert_float_eq(sum_on(r, r->world, 1), 2);
}

START_TEST(suspended_and_resumed)
{
    run_all(2, suspend);
}
END_TEST

static void suspend_alone(struct kernel_rank *r)
{
    if (r->rank == 0)
        OK(api->ncclCommSuspend(r->world, NCCL_SUSPEND_MEM));
}

START_TEST(a_suspension_waits_for_all)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, suspend_alone), NCS_STOP_QUIET);
    struct ncs_snapshot s;
    machine->snapshot(&s);
    ck_assert_int_eq(s.job[0].kind, NCS_JOB_SUSPEND);
    ck_assert_uint_eq(s.job[0].misses, 1);
    ncs_snapshot_free(&s);
    kernel_end();
}
END_TEST

/* ---- non-blocking ---- */

static ncclComm_t join_later(struct kernel_rank *r)
{
    ncclConfig_t c = non_blocking();
    ncclComm_t world = NULL;
    OK(api->ncclCommSplit(r->world, 0, 0, &world, &c));
    return world;
}

static void poll_split(struct kernel_rank *r)
{
    ncclComm_t parent = join_later(r), child = NULL;
    OK(api->ncclCommSplit(parent, 0, -r->rank, &child, NULL)); /* 0, not 7 */
    ck_assert_int_eq(settle(parent), ncclSuccess);
    ck_assert_int_eq(rank_of(child), r->nranks - 1 - r->rank);
    ncclResult_t rc = reduce_on(r, child); /* as non-blocking as its parent */
    ck_assert(rc == ncclSuccess || rc == ncclInProgress);
    ck_assert_int_eq(settle(child), ncclSuccess);
    OK(api->cudaStreamSynchronize(r->stream));
    ck_assert_int_eq(api->ncclCommFinalize(child), ncclInProgress);
    ck_assert_int_eq(settle(child), ncclSuccess);
    OK(api->ncclCommDestroy(child));
}

START_TEST(a_split_of_a_non_blocking_parent)
{
    run_all(3, poll_split);
    run_with(&(struct ncs_machine_options){ .ready_after = 3 }, 3, poll_split);
}
END_TEST

static void use_too_early(struct kernel_rank *r)
{
    ncclComm_t parent = join_later(r), child = NULL;
    if (r->rank == 0) {
        OK(api->ncclCommSplit(parent, 0, 0, &child, NULL));
        int n;
        REFUSED(4,
                "Attempt to use communicator before the previous operation returned "
                "ncclSuccess",
                api->ncclCommCount(parent, &n));
        ck_assert_ptr_null(child);
    }
    sum_on(r, r->world, 1);
    if (r->rank != 0)
        OK(api->ncclCommSplit(parent, 0, 0, &child, NULL));
    ck_assert_int_eq(settle(parent), ncclSuccess);
    ck_assert_ptr_nonnull(child);
}

START_TEST(in_progress_is_not_ready)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, use_too_early), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static void stay_in_error(struct kernel_rank *r)
{
    ncclComm_t comm = join_later(r);
    ncclResult_t state = 0;
    int n;
    ck_assert_int_eq(api->ncclBroadcast(r->x, r->x, 1, ncclFloat32, 9, comm, r->stream), 4);
    OK(api->ncclCommGetAsyncError(comm, &state));
    ck_assert_int_eq(state, 4);
    ck_assert_int_eq(api->ncclCommCount(comm, &n), 4);
    ck_assert_int_eq(reduce_on(r, comm), 4);
    ck_assert_int_eq(api->ncclCommFinalize(comm), 4);
    ck_assert_int_eq(api->ncclCommDestroy(comm), 4);
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
    OK(api->ncclCommAbort(comm));
    /* A blocking one forgets. */
    ck_assert_int_eq(api->ncclBroadcast(r->x, r->x, 1, ncclFloat32, 9, r->world, r->stream), 4);
    ck_assert_float_eq(sum_on(r, r->world, 1), 2);
}

START_TEST(an_error_stays)
{
    run_all(2, stay_in_error);
}
END_TEST

static void mix_modes(struct kernel_rank *r)
{
    ncclComm_t comm = join_later(r), a = NULL, b = NULL;
    OK(api->ncclGroupStart());
    OK(api->ncclCommSplit(r->world, 0, 0, &a, NULL));
    REFUSED(4, "Blocking and nonblocking communicators are not allowed in the same group.",
            api->ncclCommSplit(comm, 0, 0, &b, NULL));
    ck_assert_int_eq(api->ncclGroupEnd(), 4);
    ck_assert_ptr_null(a);
    /* Two non-blocking ones may share a group: its end says so. */
    ncclComm_t other = join_later(r);
    OK(api->ncclGroupStart());
    OK(api->ncclCommSplit(comm, 0, 0, &a, NULL));
    OK(api->ncclCommSplit(other, 0, 0, &b, NULL));
    ck_assert_int_eq(api->ncclGroupEnd(), ncclInProgress);
    ck_assert_int_eq(settle(comm), ncclSuccess);
    ck_assert_int_eq(settle(other), ncclSuccess);
    ck_assert(a && b);
    /* Nothing was queued: nothing is in progress. */
    OK(api->ncclGroupStart());
    OK(api->ncclAllReduce(r->x, r->x, 0, ncclFloat32, ncclSum, comm, r->stream));
    OK(api->ncclGroupEnd());
    (void)b;
}

START_TEST(a_group_has_one_mode)
{
    run_all(2, mix_modes);
}
END_TEST

/* ---- the end ---- */

static void end_in_one_process(struct kernel_rank *r)
{
    ncclComm_t all[3];
    cudaStream_t stream[3];
    float *x[3];
    OK(api->ncclCommInitAll(all, 3, NULL));
    for (int i = 0; i < 3; i++) {
        OK(api->cudaSetDevice(i));
        OK(api->cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
        OK(api->cudaMalloc((void **)&x[i], sizeof(float)));
        *x[i] = 1;
    }
    OK(api->ncclGroupStart());
    for (int i = 0; i < 3; i++)
        OK(api->ncclAllReduce(x[i], x[i], 1, ncclFloat32, ncclSum, all[i], stream[i]));
    OK(api->ncclGroupEnd());
    /* The last handle takes the resources with it: only that call waits. */
    OK(api->ncclCommDestroy(all[0]));
    ck_assert_int_eq(api->cudaStreamQuery(stream[0]), cudaErrorNotReady);
    OK(api->ncclCommDestroy(all[2]));
    ck_assert_float_eq(*x[1], 1);
    OK(api->ncclCommDestroy(all[1]));
    ck_assert_float_eq(*x[0], 3);
    REFUSED(4, "comm 0x3 has already been destroyed", api->ncclCommDestroy(all[1]));
    (void)r;
}

START_TEST(the_last_handle_of_a_process_waits)
{
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(1, end_in_one_process), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

static void leak_levels(struct kernel_rank *r)
{
    ncclComm_t all[9];
    OK(api->ncclCommDestroy(r->world));
    ck_assert_int_eq(api->ncclCommDestroy(r->world), 4);
    OK(api->ncclGroupEnd()); /* closes the level that was left open */
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
    ck_assert_int_eq(api->ncclCommInitAll(all, 9, NULL), 1);
    ck_assert_int_eq(api->ncclGroupStart(), 0);
    ck_assert_int_eq(api->ncclGroupEnd(), 0);
    ck_assert_int_eq(r->rank, 0);
    api->ncclGroupEnd(); /* starts the eight ranks of nine, which wait for ever */
}

static void keep_levels(struct kernel_rank *r)
{
    ncclComm_t all[9];
    OK(api->ncclCommDestroy(r->world));
    ck_assert_int_eq(api->ncclCommDestroy(r->world), 4);
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
    ck_assert_int_eq(api->ncclCommInitAll(all, 9, NULL), 1);
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
}

START_TEST(levels_leak_only_on_demand)
{
    run_all(1, keep_levels);
    kernel_open(&(struct ncs_machine_options){ .quirks = true });
    ck_assert_int_eq(kernel_run(1, leak_levels), NCS_STOP_QUIET);
    kernel_end();
}
END_TEST

static void lack_a_device(void *arg)
{
    const bool *quirks = arg;
    ncclComm_t comm = NULL;
    ncclUniqueId id;
    OK(api->ncclGetUniqueId(&id)); /* needs none */
    /* Before any argument is looked at. */
    ck_assert_int_eq(api->ncclCommInitRank(NULL, 0, id, 9), 1);
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
    ck_assert_int_eq(api->ncclCommInitRankConfig(&comm, 1, id, 0, NULL), 1);
    ck_assert_int_eq(api->ncclGroupEnd(), *quirks ? 0 : 5);
    ck_assert_int_eq(api->ncclCommInitRankScalable(&comm, 1, 0, 1, &id, NULL), 1);
    ck_assert_int_eq(api->ncclGroupEnd(), *quirks ? 0 : 5);
    ck_assert_int_eq(api->ncclGroupEnd(), 5);
    ck_assert_int_eq(api->ncclCommInitAll(NULL, -1, NULL), 1);
    ck_assert_int_eq(api->ncclCommSplit(NULL, 0, 0, NULL, NULL), 1);
    OK(api->ncclCommDestroy(NULL));
    *(bool *)arg = true;
}

START_TEST(without_a_device)
{
    for (int i = 0; i < 2; i++) {
        bool state = i == 1;
        struct ncs_local local = { .rank = 0 };
        struct ncs_context_options options = { .local = &local, .main = lack_a_device, .arg = &state };
        struct ncs_error err;
        kernel_open(&(struct ncs_machine_options){ .lack = NCS_LACK_DEVICES, .quirks = i == 1 });
        ck_assert(machine->spawn(&options, &err));
        ck_assert_int_eq(machine->run(), NCS_STOP_DONE);
        ck_assert(state);
        machine->close();
    }
}
END_TEST

/* ---- estimates and properties ---- */

static void estimate(struct kernel_rank *r)
{
    ncclSimInfo_t info = { sizeof info, NCCL_SIM_INFO_MAGIC, NCCL_VERSION(2, 30, 7), NCCL_UNDEF_FLOAT };
    REFUSED(5, "ncclGroupEnd: not in a group call.", api->ncclGroupSimulateEnd(&info));
    OK(api->ncclGroupStart());
    OK(reduce_on(r, r->world));
    OK(api->ncclGroupStart());
    OK(api->ncclGroupSimulateEnd(&info)); /* nested */
    ck_assert_float_eq(info.estimatedTime, NCCL_UNDEF_FLOAT);
    OK(api->ncclGroupSimulateEnd(&info));
    ck_assert_float_eq(info.estimatedTime, 10); /* microseconds */
    OK(api->cudaStreamQuery(r->stream));        /* nothing was launched */
    ck_assert_float_eq(r->x[0], (float)(r->rank + 1));
    info.estimatedTime = NCCL_UNDEF_FLOAT;
    OK(api->ncclGroupStart());
    OK(api->ncclGroupSimulateEnd(&info));
    ck_assert_float_eq(info.estimatedTime, NCCL_UNDEF_FLOAT);
    info.magic = 0;
    OK(api->ncclGroupStart());
    REFUSED(4, "ncclSimInfo_t argument not initialized via NCCL_SIM_INFO_INITIALIZER", api->ncclGroupSimulateEnd(&info));
    /* Jobs run. */
    ncclComm_t half = NULL;
    OK(api->ncclGroupStart());
    OK(api->ncclCommSplit(r->world, 0, 0, &half, NULL));
    OK(api->ncclGroupSimulateEnd(NULL));
    ck_assert_int_eq(count_of(half), 2);
    ncclCommProperties_t p = { .size = sizeof p };
    OK(api->ncclCommQueryProperties(half, &p));
    ck_assert(p.rank == r->rank && p.nRanks == 2 && p.cudaDev == r->rank && p.nLsaTeams == 1);
    ck_assert_float_eq(sum_on(r, r->world, 1), 2);
}

START_TEST(a_group_is_estimated)
{
    run_all(2, estimate);
}
END_TEST

NCS_TEST_MAIN("lives", grows_by_one, nobody_coordinates, an_id_is_good_for_one_growth, revoked_ones_only_make_others,
              finalized_ones_are_not_revoked, suspended_and_resumed, a_suspension_waits_for_all, a_split_of_a_non_blocking_parent,
              in_progress_is_not_ready, an_error_stays, a_group_has_one_mode, the_last_handle_of_a_process_waits,
              levels_leak_only_on_demand, without_a_device, a_group_is_estimated)
