/* The journal: numbers of calls, groups, signatures in words, user operators. */
#include "journal_lab.h"

#include "api/meeting.h"

/* ---- numbers, groups, signatures ---- */

START_TEST(counted_calls_are_numbered_per_communicator_and_rank)
{
    open_plain();
    ncclUniqueId id = new_id();
    ncclComm_t a = join(0, 2, id, 0), b = join(1, 2, id, 1), other = join(0, 1, new_id(), 0);
    reduce(0, a, 4, ncclSum);
    reduce(0, other, 4, ncclSum);
    nccl_code = ncclInvalidArgument;
    reduce(0, a, 0, ncclSum);
    nccl_code = ncclSuccess;
    reduce(1, b, 4, ncclSum);
    ck_assert_int_eq(journal->newest->number, 1);
    ck_assert_int_eq(journal->newest->comm_rank, 1);
    struct ncs_member *m = journal->comm[0]->member;
    ck_assert_uint_eq(m[0].calls, 2);
    ck_assert_uint_eq(m[1].calls, 1);
    ck_assert_uint_eq(journal->comm[1]->member[0].calls, 1);
    ck_assert_ptr_eq(ncs_journal_call(journal, 0, 0, 1), m[0].first);
    ck_assert_ptr_eq(ncs_journal_call(journal, 0, 0, 2), m[0].last);
    ck_assert_ptr_eq(m[0].first->next_counted, m[0].last);
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 0, 3));
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 0, 0));
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 2, 1));
    ck_assert_ptr_null(ncs_journal_call(journal, 2, 0, 1));
    ck_assert_ptr_null(ncs_journal_call(journal, -1, 0, 1));
    reduce(1, b, 0, ncclSum);
    ck_assert(ncs_call_signature(m[0].last) == ncs_call_signature(m[1].last));
    reduce(0, a, 4, ncclSum);
    reduce(1, b, 4, ncclMax);
    ck_assert(ncs_call_signature(m[0].last) != ncs_call_signature(m[1].last));
    reduce(0, (ncclComm_t)(void *)&id, 4, ncclSum);
    ck_assert_int_eq(journal->newest->comm, -1);
    ck_assert_int_eq(journal->newest->number, 0);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(groups_are_numbered_by_their_outermost_start)
{
    open_plain();
    ncclComm_t comm = join(0, 1, new_id(), 0);
    api->ncclGroupStart();
    ck_assert_uint_eq(journal->newest->group, 1);
    api->ncclGroupStart();
    reduce(0, comm, 4, ncclSum);
    ck_assert_uint_eq(journal->newest->group, 1);
    ck_assert_int_eq(locals[0].group_depth, 2);
    ncs_local = &locals[1];
    api->ncclGroupStart();
    ck_assert_uint_eq(journal->newest->group, 2);
    ncs_local = &locals[0];
    api->ncclGroupEnd();
    ck_assert_uint_eq(locals[0].group, 1);
    nccl_code = ncclInvalidUsage;
    api->ncclGroupEnd();
    ck_assert_uint_eq(journal->newest->group, 1);
    ck_assert_uint_eq(locals[0].group, 0);
    api->ncclGroupEnd();
    ck_assert_int_eq(locals[0].group_depth, 0);
    ck_assert_uint_eq(journal->newest->group, 0);
    reduce(0, comm, 4, ncclSum);
    ck_assert_uint_eq(journal->newest->group, 0);
    ck_assert_uint_eq(locals[1].group, 2);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_handle_may_come_at_the_end_of_the_group)
{
    ncclComm_t handle = NULL, lost = NULL;
    int comm, rank;

    open_plain();
    ncclUniqueId id = new_id(), second = new_id();
    is_late = true;
    api->ncclGroupStart();
    api->ncclCommInitRank(&handle, 1, id, 0);
    ck_assert_ptr_null(journal->comm[0]->member[0].handle);
    api->ncclGroupEnd();
    ck_assert_ptr_nonnull(handle);
    ck_assert_ptr_eq(journal->comm[0]->member[0].handle, handle);
    ck_assert(ncs_journal_find(journal, handle, &comm, &rank));
    api->ncclGroupStart();
    api->ncclCommInitRank(&lost, 1, second, 0);
    nccl_code = ncclInternalError;
    api->ncclGroupEnd();
    ck_assert_ptr_null(journal->comm[1]->member[0].handle);
    ncs_journal_close(journal);
}
END_TEST

static const struct ncs_call *made(ncclResult_t rc)
{
    ck_assert_int_eq(rc, ncclSuccess);
    return journal->newest;
}

static void described(const char *want)
{
    struct ncs_str s = { 0 };

    ncs_call_describe(journal->newest, &s);
    ck_assert_str_eq(s.text, want);
    ncs_str_free(&s);
}

START_TEST(signatures_and_words)
{
    char x;
    const struct ncs_call *call;

    open_plain();
    ncclComm_t comm = join(0, 4, new_id(), 0);
    described("ncclCommInitRank");
    call = made(api->ncclBroadcast(NULL, &x, 4, ncclInt32, 1, comm, NULL));
    described("Broadcast int32 x 4 root 1");
    uint64_t broadcast_1 = ncs_call_signature(call);
    call = made(api->ncclBcast(&x, 4, ncclInt32, 1, comm, NULL));
    described("Broadcast int32 x 4 root 1");
    ck_assert(ncs_call_signature(call) == broadcast_1);
    ck_assert_ptr_eq(ncs_call_sendbuff(call), &x);
    ck_assert_ptr_eq(ncs_call_recvbuff(call), &x);
    ck_assert_int_eq(ncs_call_root(call), 1);
    call = made(api->ncclBcast(&x, 4, ncclInt32, 2, comm, NULL));
    ck_assert(ncs_call_signature(call) != broadcast_1);
    call = made(api->ncclBcast(&x, 5, ncclInt32, 1, comm, NULL));
    ck_assert(ncs_call_signature(call) != broadcast_1);
    call = made(api->ncclBcast(&x, 4, ncclUint32, 1, comm, NULL));
    ck_assert(ncs_call_signature(call) != broadcast_1);

    call = made(api->ncclSend(&x, 8, ncclFloat32, 3, comm, NULL));
    described("Send float32 x 8 to 3");
    uint64_t send_3 = ncs_call_signature(call);
    ck_assert_ptr_eq(ncs_call_sendbuff(call), &x);
    ck_assert_ptr_null(ncs_call_recvbuff(call));
    ck_assert_int_eq(ncs_call_peer(call), 3);
    ck_assert_int_eq(ncs_call_op(call), -1);
    call = made(api->ncclSend(&x, 9, ncclInt8, 3, comm, NULL));
    ck_assert(ncs_call_signature(call) == send_3);
    call = made(api->ncclRecv(&x, 8, ncclFloat32, 3, comm, NULL));
    described("Recv float32 x 8 from 3");
    ck_assert(ncs_call_signature(call) != send_3);
    ck_assert_ptr_eq(ncs_call_recvbuff(call), &x);

    reduce(0, comm, 1024, ncclSum);
    described("AllReduce float32 x 1024 sum");
    reduce(0, comm, 1, 4711);
    described("AllReduce float32 x 1 premulsum");
    uint64_t user = ncs_call_signature(journal->newest);
    reduce(0, comm, 1, 4712);
    ck_assert(ncs_call_signature(journal->newest) == user);
    reduce(0, comm, 1, -3);
    described("AllReduce float32 x 1 op -3");
    made(api->ncclSend(&x, 8, (ncclDataType_t)99, 3, comm, NULL));
    described("Send dtype 99 x 8 to 3");
    ncs_journal_close(journal);
}
END_TEST

START_TEST(what_failed_takes_no_place)
{
    open_plain();
    ncclComm_t a = join(0, 2, new_id(), 0);
    nccl_code = ncclInvalidArgument;
    reduce(0, a, 4, ncclSum);
    nccl_code = ncclSuccess;
    reduce(0, a, 4, ncclSum);
    api->ncclGroupStart();
    reduce(0, a, 4, ncclSum);
    nccl_code = ncclInvalidUsage;
    api->ncclGroupEnd();
    nccl_code = ncclSuccess;
    reduce(0, a, 4, ncclSum);
    static const uint32_t ordinals[] = { 0, 1, 0, 2 };
    for (uint32_t n = 1; n <= 4; n++)
        ck_assert_uint_eq(ncs_journal_call(journal, 0, 0, n)->ordinal, ordinals[n - 1]);
    ncs_journal_close(journal);
}
END_TEST

/* Calls are paired by their sequence: a collective of the communicator, a message of its peer and direction. */
START_TEST(each_sequence_is_numbered_by_itself)
{
    char x;
    open_plain();
    ncclComm_t a = join(0, 4, new_id(), 0);
    reduce(0, a, 4, ncclSum);
    api->ncclSend(&x, 1, ncclInt8, 2, a, NULL);
    api->ncclSend(&x, 1, ncclInt8, 3, a, NULL);
    api->ncclRecv(&x, 1, ncclInt8, 3, a, NULL);
    reduce(0, a, 0, ncclSum);                   /* NCCL drops what is empty, */
    api->ncclSend(&x, 0, ncclInt8, 3, a, NULL); /* but not of messages */
    nccl_code = ncclInvalidUsage;
    api->ncclSend(&x, 1, ncclInt8, 3, a, NULL);
    nccl_code = ncclSuccess;
    api->ncclSignal(2, 0, 0, 0, a, NULL);
    api->ncclSend(&x, 1, ncclInt8, 3, a, NULL);
    reduce(0, a, 4, ncclSum);
    static const uint32_t ordinals[] = { 1, 1, 1, 1, 0, 2, 0, 1, 3, 2 };
    for (uint32_t n = 1; n <= sizeof ordinals / sizeof *ordinals; n++)
        ck_assert_uint_eq(ncs_journal_call(journal, 0, 0, n)->ordinal, ordinals[n - 1]);
    ncs_journal_close(journal);
}
END_TEST

/* A group that fails takes its calls out of the sequences that they are in, and out of no other. */
START_TEST(what_failed_leaves_other_sequences_alone)
{
    char x;
    open_plain();
    ncclComm_t a = join(0, 4, new_id(), 0);
    api->ncclSend(&x, 1, ncclInt8, 1, a, NULL);
    api->ncclGroupStart();
    api->ncclSend(&x, 1, ncclInt8, 1, a, NULL);
    reduce(0, a, 4, ncclSum);
    nccl_code = ncclInvalidUsage;
    api->ncclGroupEnd();
    nccl_code = ncclSuccess;
    reduce(0, a, 4, ncclSum);
    api->ncclRecv(&x, 1, ncclInt8, 1, a, NULL);
    api->ncclSend(&x, 1, ncclInt8, 1, a, NULL);
    static const uint32_t ordinals[] = { 1, 0, 0, 1, 1, 2 };
    for (uint32_t n = 1; n <= sizeof ordinals / sizeof *ordinals; n++)
        ck_assert_uint_eq(ncs_journal_call(journal, 0, 0, n)->ordinal, ordinals[n - 1]);
    ncs_journal_close(journal);
}
END_TEST

/* ---- operators ---- */

START_TEST(operators_are_kept_as_they_were_created)
{
    float half = 0.5f, quarter = 0.25f, got;
    ncclRedOp_t op;

    open_plain();
    ncclUniqueId id = new_id();
    ncclComm_t comm = join(0, 2, id, 0), peer = join(1, 2, id, 1), other = join(0, 1, new_id(), 0);
    api->ncclRedOpCreatePreMulSum(&op, &half, ncclFloat32, ncclScalarHostImmediate, comm);
    half = 0; /* copied before the call returned */
    reduce(0, comm, 4, op);
    struct ncs_redop *first = journal->newest->redop;
    ck_assert_ptr_nonnull(first);
    memcpy(&got, first->scalar, sizeof got);
    ck_assert(got == 0.5f);
    ck_assert_int_eq(first->dtype, ncclFloat32);
    ck_assert(!first->on_device);
    ck_assert_uint_eq(first->destroyed, 0);
    reduce(0, comm, 4, ncclAvg);
    ck_assert_ptr_null(journal->newest->redop);
    reduce(0, other, 4, op);
    ck_assert_ptr_null(journal->newest->redop);
    reduce(1, peer, 4, op);
    ck_assert_ptr_null(journal->newest->redop);

    api->ncclRedOpDestroy(op, comm);
    ck_assert_uint_eq(first->destroyed, journal->newest->id);
    reduce(0, comm, 4, op);
    ck_assert_ptr_eq(journal->newest->redop, first);

    api->ncclRedOpCreatePreMulSum(&op, &quarter, ncclFloat64, ncclScalarDevice, comm);
    reduce(0, comm, 4, op);
    struct ncs_redop *second = journal->newest->redop;
    ck_assert_ptr_ne(second, first);
    ck_assert(second->on_device);
    ck_assert_ptr_eq(second->pointer, &quarter);
    ck_assert_int_eq(second->dtype, ncclFloat64);
    nccl_code = ncclInvalidArgument;
    api->ncclRedOpDestroy(op, comm);
    ck_assert_uint_eq(second->destroyed, 0);
    api->ncclRedOpCreatePreMulSum(&op, &quarter, ncclFloat64, ncclScalarDevice, comm);
    ck_assert_ptr_eq(journal->comm[0]->redops, second);
    ncs_journal_close(journal);
}
END_TEST

/* A call of another thread's is in order before one if that thread has waited for something since. */
START_TEST(threads_without_order_are_rivals)
{
    open_plain();
    ncclComm_t comm = join(0, 1, new_id(), 0);
    locals[1].rank = 0;
    locals[1].thread = 1;
    for (int i = 0; i < 2; i++) {
        locals[i].journals_waits = true;
        locals[i].heard = journal->calls;
    }
    reduce(0, comm, 4, ncclSum);
    uint64_t first = journal->newest->id;
    ck_assert_uint_eq(ncs_call_rare(journal->newest)->rival, 0);
    reduce(1, comm, 4, ncclSum);
    ck_assert_uint_eq(ncs_call_rare(journal->newest)->rival, first);
    uint64_t second = journal->newest->id;
    reduce(1, comm, 4, ncclSum); /* behind its own */
    ck_assert_uint_eq(ncs_call_rare(journal->newest)->rival, 0);
    reduce(0, comm, 4, ncclSum);
    ck_assert_uint_eq(ncs_call_rare(journal->newest)->rival, second + 1);
    ncs_local = &locals[1];
    ncs_journal_heard(journal);
    reduce(1, comm, 4, ncclSum);
    ck_assert_uint_eq(ncs_call_rare(journal->newest)->rival, 0);
    locals[0].journals_waits = false; /* it may have waited for all that is known */
    reduce(0, comm, 4, ncclSum);
    ck_assert_uint_eq(ncs_call_rare(journal->newest)->rival, 0);
    ncs_journal_close(journal);
}
END_TEST

/* As a repair does: a call is withdrawn, and calls are made in its place. */
static int end_the_group_instead(void *arg, struct ncs_call *call)
{
    if (call->fn != NCS_FN_ncclAllReduce)
        return 0;
    ncs_journal_withdraw(journal, call);
    nccl_code = ncclInvalidUsage;
    *(int *)arg += api->ncclGroupEnd() == ncclInvalidUsage;
    nccl_code = ncclSuccess;
    return 0;
}

START_TEST(what_was_withdrawn_is_in_no_group)
{
    int failed = 0;
    open_plain();
    ncclComm_t comm = join(0, 1, new_id(), 0);
    reduce(0, comm, 4, ncclSum);
    ncs_journal_fault(journal, end_the_group_instead, &failed);
    api->ncclGroupStart();
    reduce(0, comm, 4, ncclSum);
    ck_assert_int_eq(failed, 1);
    ck_assert_uint_eq(journal->comm[0]->member[0].calls, 1);
    ck_assert_int_eq(journal->newest->fn, NCS_FN_ncclGroupEnd);
    ncs_journal_close(journal);
}
END_TEST

NCS_TEST_MAIN("journal calls", counted_calls_are_numbered_per_communicator_and_rank, groups_are_numbered_by_their_outermost_start,
              a_handle_may_come_at_the_end_of_the_group, signatures_and_words, what_failed_takes_no_place,
              each_sequence_is_numbered_by_itself, what_failed_leaves_other_sequences_alone,
              operators_are_kept_as_they_were_created, threads_without_order_are_rivals, what_was_withdrawn_is_in_no_group)
