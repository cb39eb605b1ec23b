/* The journal: what a record says, and how communicators come to be known. */
#include "journal_lab.h"

/* ---- records ---- */

static struct ncs_place somewhere(void *arg)
{
    return (struct ncs_place){ arg, 14 };
}

START_TEST(a_record_says_who_what_and_where)
{
    char send[8], recv[8], file[] = "a.lua";
    struct ncs_call *call;

    open_plain();
    ncclComm_t comm = join(2, 1, new_id(), 0);
    locals[2].thread = 3;
    locals[2].where = somewhere;
    locals[2].where_arg = file;
    locals[2].label = "metric";
    locals[2].unverified = true;
    nccl_code = ncclInvalidArgument;
    ck_assert_int_eq(api->ncclAllReduce(send, recv, 8, ncclInt8, ncclMax, comm, cudaStreamLegacy), ncclInvalidArgument);
    call = journal->newest;
    ck_assert_int_eq(call->id, 3);
    ck_assert_int_eq(journal->calls, 3);
    ck_assert_int_eq(call->fn, NCS_FN_ncclAllReduce);
    ck_assert(call->returned);
    ck_assert_int_eq(call->rc, ncclInvalidArgument);
    ck_assert_int_eq(call->rank, 2);
    ck_assert_int_eq(call->thread, 3);
    ck_assert_str_eq(call->place.file, "a.lua");
    ck_assert_int_eq(call->place.line, 14);
    ck_assert_str_eq(call->label, "metric");
    ck_assert(call->unverified);
    ck_assert_ptr_eq(ncs_call_sendbuff(call), send);
    ck_assert_ptr_eq(ncs_call_recvbuff(call), recv);
    ck_assert_uint_eq(ncs_call_count(call), 8);
    ck_assert_int_eq(ncs_call_dtype(call), ncclInt8);
    ck_assert_int_eq(ncs_call_op(call), ncclMax);
    ck_assert_int_eq(ncs_call_root(call), -1);
    ck_assert_int_eq(ncs_call_peer(call), -1);
    ck_assert_ptr_eq(ncs_call_stream(call), cudaStreamLegacy);
    ck_assert_ptr_null(locals[2].call);
    ck_assert(!in_flight.returned);
    ck_assert_int_eq(in_flight.id, 3);
    ck_assert_int_eq(in_flight.number, 1);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(what_the_driver_lacks_stays_absent)
{
    open_plain();
    ck_assert_ptr_null(api->ncclReduce);
    ck_assert(!ncs_api_has(api, NCS_FN_ncclReduce));
    ck_assert(ncs_api_has(api, NCS_FN_ncclSend));
    ck_assert_int_eq(ncs_fn_from_name("ncclSend"), NCS_FN_ncclSend);
    ck_assert_int_eq(ncs_fn_from_name("ncclNothing"), -1);
    ncs_journal_close(journal);
}
END_TEST

static int asked_code;

static void on_asked(enum ncs_fn fn, const union ncs_arg *arg)
{
    ck_assert_int_eq(fn, NCS_FN_ncclGetErrorString);
    asked_code = (int)arg[0].i;
}

START_TEST(a_text_is_no_call_but_has_a_hook)
{
    open_plain();
    ck_assert_ptr_null(api->cudaGetErrorString);
    const char *text = api->ncclGetErrorString(ncclInvalidUsage);
    journal->asked = on_asked;
    ck_assert_str_eq(api->ncclGetErrorString(ncclInvalidUsage), text);
    ck_assert_int_eq(asked_code, ncclInvalidUsage);
    ck_assert_int_eq(journal->calls, 0);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_thread_that_is_nobodys_is_recorded)
{
    open_plain();
    ncs_local = NULL;
    ncclUniqueId id = new_id();
    ncclComm_t comm = NULL;
    ck_assert_int_eq(api->ncclCommInitRank(&comm, 1, id, 0), ncclSuccess);
    ck_assert_int_eq(api->ncclGroupStart(), ncclSuccess);
    ck_assert_int_eq(api->ncclSend(NULL, 1, ncclInt8, 0, comm, NULL), ncclSuccess);
    ck_assert_int_eq(journal->newest->rank, -1);
    ck_assert_int_eq(journal->newest->number, 1);
    ck_assert_int_eq(journal->newest->group, 0);
    ncs_journal_close(journal);
}
END_TEST

/* ---- communicators ---- */

START_TEST(ranks_meet_by_id)
{
    int comm, rank;

    open_plain();
    ncclUniqueId one = new_id(), two = new_id();
    device = 5;
    ncclComm_t b = join(1, 2, two, 0);
    device = 0;
    ncclComm_t a0 = join(0, 2, one, 1), a1 = join(1, 2, one, 0);
    ck_assert_uint_eq(journal->comms, 2);
    ck_assert(ncs_journal_find(journal, a0, &comm, &rank));
    ck_assert_int_eq(comm, 1);
    ck_assert_int_eq(rank, 1);
    ck_assert(ncs_journal_find(journal, a1, &comm, &rank));
    ck_assert_int_eq(comm, 1);
    ck_assert_int_eq(rank, 0);
    ck_assert(ncs_journal_find(journal, b, &comm, &rank));
    ck_assert_int_eq(comm, 0);
    ck_assert(!ncs_journal_find(journal, &comm, &comm, &rank));
    ck_assert_int_eq(journal->comm[0]->nranks, 2);
    ck_assert_int_eq(journal->comm[0]->member[0].rank, 1);
    ck_assert_int_eq(journal->comm[0]->member[0].device, 5);
    ck_assert_int_eq(journal->comm[0]->member[1].rank, -1);
    ck_assert_ptr_null(journal->comm[0]->member[1].handle);
    ck_assert_int_eq(journal->comm[1]->member[1].rank, 0);
    ck_assert_ptr_eq(journal->comm[1]->member[1].handle, a0);

    ck_assert_str_eq(journal->comm[1]->name, "comm2");
    ncs_journal_name(journal, a1, "world");
    ncs_journal_name(journal, a0, "other");
    ck_assert_str_eq(journal->comm[1]->name, "world");
    ck_assert_str_eq(journal->comm[0]->name, "comm1");
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_communicator_is_known_while_its_init_blocks)
{
    open_plain();
    join(3, 4, new_id(), 2);
    ck_assert(!in_flight.returned);
    ck_assert_int_eq(in_flight.comm, 0);
    ck_assert_int_eq(in_flight.comm_rank, 2);
    ck_assert_int_eq(in_flight.number, 0);
    ck_assert_uint_eq(in_flight.arg[2].u, journal->comm[0]->key);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_failed_init_leaves_no_handle)
{
    int comm, rank;

    open_plain();
    ncclUniqueId id = new_id();
    nccl_code = ncclInvalidArgument;
    ck_assert_ptr_null(join(0, 1, id, 0));
    ck_assert_uint_eq(journal->comms, 1);
    ck_assert_ptr_null(journal->comm[0]->member[0].handle);
    nccl_code = ncclSuccess;
    ncclComm_t handle = join(0, 1, id, 0);
    ck_assert(ncs_journal_find(journal, handle, &comm, &rank));
    ck_assert_int_eq(comm, 0);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(nonsense_makes_no_communicator)
{
    static const int nonsense[][2] = {
        { 0, 0 }, { -1, 0 }, { 2, 2 }, { 2, -1 }, { 0x7fffffff, 0 },
    };

    open_plain();
    for (size_t i = 0; i < sizeof nonsense / sizeof *nonsense; i++) {
        join(0, nonsense[i][0], new_id(), nonsense[i][1]);
        ck_assert_int_eq(journal->newest->comm, -1);
    }
    ck_assert_uint_eq(journal->comms, 0);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(ranks_that_disagree_on_their_number_are_held)
{
    open_plain();
    ncclUniqueId id = new_id();
    join(0, 2, id, 0);
    ncclComm_t third = join(2, 3, id, 2);
    ck_assert_int_eq(journal->comm[0]->nranks, 2);
    ck_assert_int_eq(journal->comm[0]->members, 3);
    ck_assert_ptr_eq(journal->comm[0]->member[2].handle, third);
    ck_assert_int_eq(journal->comm[0]->member[1].rank, -1);
    join(3, 2, id, 0); /* rank 0 is taken */
    ck_assert_int_eq(journal->comm[0]->member[0].rank, 0);
    ck_assert_int_eq(journal->newest->comm_rank, 0);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(init_all_makes_one_communicator_per_call)
{
    ncclComm_t comms[2];
    int devices[2] = { 3, 1 }, comm, rank;

    open_plain();
    ck_assert_int_eq(api->ncclCommInitAll(comms, 2, devices), ncclSuccess);
    ck_assert_int_eq(journal->newest->comm, 0);
    ck_assert(ncs_journal_find(journal, comms[1], &comm, &rank));
    ck_assert_int_eq(comm, 0);
    ck_assert_int_eq(rank, 1);
    ck_assert_int_eq(journal->comm[0]->member[0].device, 3);
    ck_assert_int_eq(journal->comm[0]->member[1].device, 1);
    ck_assert_int_eq(journal->comm[0]->member[1].rank, 0);
    ck_assert_int_eq(api->ncclCommInitAll(comms, 2, NULL), ncclSuccess);
    ck_assert_uint_eq(journal->comms, 2);
    ck_assert_int_eq(journal->comm[1]->member[1].device, 1);
    nccl_code = ncclUnhandledCudaError;
    api->ncclCommInitAll(comms, 2, NULL);
    ck_assert_uint_eq(journal->comms, 2);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(the_end_of_a_rank_is_noted)
{
    int comm, rank;

    open_plain();
    ncclUniqueId id = new_id();
    ncclComm_t a = join(0, 2, id, 0), b = join(1, 2, id, 1);
    struct ncs_member *m = journal->comm[0]->member;
    nccl_code = ncclInvalidArgument;
    api->ncclCommDestroy(a);
    ck_assert_uint_eq(m[0].gone, 0);
    nccl_code = ncclSuccess;
    api->ncclCommDestroy(a);
    ck_assert_uint_eq(m[0].gone, journal->newest->id);
    ck_assert(!m[0].aborted);
    api->ncclCommAbort(b);
    ck_assert_uint_eq(m[1].gone, journal->newest->id);
    ck_assert(m[1].aborted);
    ck_assert(ncs_journal_find(journal, a, &comm, &rank));
    ck_assert_int_eq(comm, 0);
    ncs_journal_close(journal);
}
END_TEST

NCS_TEST_MAIN("journal", a_record_says_who_what_and_where, what_the_driver_lacks_stays_absent, a_text_is_no_call_but_has_a_hook,
              a_thread_that_is_nobodys_is_recorded, ranks_meet_by_id, a_communicator_is_known_while_its_init_blocks,
              a_failed_init_leaves_no_handle, nonsense_makes_no_communicator, ranks_that_disagree_on_their_number_are_held,
              init_all_makes_one_communicator_per_call, the_end_of_a_rank_is_noted)
