/* The journal and its wrapper, in front of a driver that does as it is told. */
#include "harness.h"

#include <pthread.h>
#include <string.h>

#include "api/journal.h"
#include "api/snapshot.h"
#include "base/mem.h"
#include "base/str.h"
#include "driver/journal.h"

/* ---- a driver: result codes and handles are set by the tests ---- */

static struct ncs_api fake;
static const struct ncs_api *api;
static struct ncs_journal *journal;
static struct ncs_local locals[4];

static ncclResult_t nccl_code;
static int next_id = 1, device, redop_handle = 77;
static char handle_memory[16];
static size_t handles;
static _Thread_local ncclComm_t *late; /* where an init in a group is to store its handle at the group's end */
static bool is_late;
static struct ncs_call in_flight; /* a copy of the record as the driver saw it */

static ncclComm_t next_handle(void)
{
    return (ncclComm_t)(void *)&handle_memory[handles++];
}

static ncclResult_t get_unique_id(ncclUniqueId *id)
{
    memset(id, 0, sizeof *id);
    id->internal[0] = (char)next_id++;
    return ncclSuccess;
}

static ncclResult_t init_rank(ncclComm_t *out, int nranks, ncclUniqueId id, int rank)
{
    (void)nranks, (void)id, (void)rank;
    if (ncs_local)
        in_flight = *ncs_local->call;
    if (nccl_code == ncclSuccess && is_late)
        late = out;
    else if (nccl_code == ncclSuccess)
        *out = next_handle();
    return nccl_code;
}

static ncclResult_t init_all(ncclComm_t *out, int ndev, const int *devices)
{
    (void)devices;
    for (int i = 0; i < ndev && nccl_code == ncclSuccess; i++)
        out[i] = next_handle();
    return nccl_code;
}

static ncclResult_t end_comm(ncclComm_t comm)
{
    (void)comm;
    return nccl_code;
}

static ncclResult_t create_op(ncclRedOp_t *op, void *scalar, ncclDataType_t dtype,
                              ncclScalarResidence_t residence, ncclComm_t comm)
{
    (void)scalar, (void)dtype, (void)residence, (void)comm;
    *op = (ncclRedOp_t)redop_handle;
    return nccl_code;
}

static ncclResult_t destroy_op(ncclRedOp_t op, ncclComm_t comm)
{
    (void)op, (void)comm;
    return nccl_code;
}

static ncclResult_t all_reduce(const void *send, void *recv, size_t count, ncclDataType_t dtype,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    (void)send, (void)recv, (void)count, (void)dtype, (void)op, (void)comm, (void)stream;
    in_flight = *ncs_local->call;
    return nccl_code;
}

static ncclResult_t broadcast(const void *send, void *recv, size_t count, ncclDataType_t dtype,
                              int root, ncclComm_t comm, cudaStream_t stream)
{
    (void)send, (void)recv, (void)count, (void)dtype, (void)root, (void)comm, (void)stream;
    return nccl_code;
}

static ncclResult_t bcast(void *buff, size_t count, ncclDataType_t dtype, int root, ncclComm_t comm,
                          cudaStream_t stream)
{
    (void)buff, (void)count, (void)dtype, (void)root, (void)comm, (void)stream;
    return nccl_code;
}

static ncclResult_t do_send(const void *buff, size_t count, ncclDataType_t dtype, int peer,
                            ncclComm_t comm, cudaStream_t stream)
{
    (void)buff, (void)count, (void)dtype, (void)peer, (void)comm, (void)stream;
    return nccl_code;
}

static ncclResult_t do_recv(void *buff, size_t count, ncclDataType_t dtype, int peer,
                            ncclComm_t comm, cudaStream_t stream)
{
    (void)buff, (void)count, (void)dtype, (void)peer, (void)comm, (void)stream;
    return nccl_code;
}

static ncclResult_t group_start(void)
{
    return ncclSuccess;
}

static ncclResult_t group_end(void)
{
    if (late)
        *late = next_handle();
    late = NULL;
    return nccl_code;
}

static const char *error_string(ncclResult_t result)
{
    (void)result;
    return "text";
}

static cudaError_t get_device(int *out)
{
    *out = device;
    return cudaSuccess;
}

static cudaError_t device_sync(void)
{
    return cudaSuccess;
}

/* Calls made by another thread of the run while a synchronisation is in flight. */
static int calls_meanwhile;

static cudaError_t stream_sync(cudaStream_t stream)
{
    struct ncs_local *mine = ncs_local;

    (void)stream;
    ncs_local = &locals[1];
    for (int i = 0; i < calls_meanwhile; i++)
        api->cudaDeviceSynchronize();
    ncs_local = mine;
    return cudaSuccess;
}

static void open_with(size_t limit)
{
    fake = (struct ncs_api){
        .ncclGetUniqueId = get_unique_id,
        .ncclCommInitRank = init_rank,
        .ncclCommInitAll = init_all,
        .ncclCommDestroy = end_comm,
        .ncclCommAbort = end_comm,
        .ncclRedOpCreatePreMulSum = create_op,
        .ncclRedOpDestroy = destroy_op,
        .ncclAllReduce = all_reduce,
        .ncclBroadcast = broadcast,
        .ncclBcast = bcast,
        .ncclSend = do_send,
        .ncclRecv = do_recv,
        .ncclGroupStart = group_start,
        .ncclGroupEnd = group_end,
        .ncclGetErrorString = error_string,
        .cudaGetDevice = get_device,
        .cudaDeviceSynchronize = device_sync,
        .cudaStreamSynchronize = stream_sync,
    };
    journal = ncs_journal_open(limit, false);
    api = ncs_journal_wrap(journal, &fake);
    for (int i = 0; i < 4; i++)
        locals[i] = (struct ncs_local){ .rank = i };
    ncs_local = &locals[0];
}

static void open_plain(void)
{
    open_with(1 << 20);
}

static ncclUniqueId new_id(void)
{
    ncclUniqueId id;

    ck_assert_int_eq(api->ncclGetUniqueId(&id), ncclSuccess);
    return id;
}

static ncclComm_t join(int local, int nranks, ncclUniqueId id, int rank)
{
    ncclComm_t comm = NULL;

    ncs_local = &locals[local];
    api->ncclCommInitRank(&comm, nranks, id, rank);
    return comm;
}

static void reduce(int local, ncclComm_t comm, size_t count, int op)
{
    ncs_local = &locals[local];
    api->ncclAllReduce(NULL, NULL, count, ncclFloat32, (ncclRedOp_t)op, comm, NULL);
}

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
    ck_assert_int_eq(api->ncclAllReduce(send, recv, 8, ncclInt8, ncclMax, comm, cudaStreamLegacy),
                     ncclInvalidArgument);
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
    ck_assert_ptr_eq(api->ncclGetErrorString, error_string);
    ck_assert_int_eq(ncs_fn_from_name("ncclSend"), NCS_FN_ncclSend);
    ck_assert_int_eq(ncs_fn_from_name("ncclNothing"), -1);
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
    ck_assert(m[0].hash == m[1].hash);
    reduce(0, a, 4, ncclSum);
    reduce(1, b, 4, ncclMax);
    ck_assert(m[0].hash != m[1].hash);
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

/* ---- the limit ---- */

static size_t held_records(void)
{
    size_t n = 0;

    for (struct ncs_call *call = journal->oldest; call; call = call->newer) {
        ck_assert(!call->newer || (call->newer->older == call && call->newer->id > call->id));
        n++;
    }
    ck_assert_uint_eq(n * sizeof(struct ncs_call), journal->held);
    return n;
}

START_TEST(the_oldest_records_are_dropped)
{
    open_with(8 * sizeof(struct ncs_call));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    for (int i = 0; i < 100; i++)
        reduce(0, comm, 4, ncclSum);
    size_t held = held_records();
    ck_assert(held >= 7 && held <= 8);
    ck_assert_uint_eq(journal->dropped + held, 102);
    struct ncs_member *m = &journal->comm[0]->member[0];
    ck_assert_uint_eq(m->calls, 100);
    ck_assert_uint_eq(m->last->number, 100);
    ck_assert_uint_eq(m->first->number, 101 - held);
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 0, 1));
    ck_assert_ptr_eq(ncs_journal_call(journal, 0, 0, 100), journal->newest);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_member_may_lose_all_its_records)
{
    open_with(4 * sizeof(struct ncs_call));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    reduce(0, comm, 4, ncclSum);
    for (int i = 0; i < 10; i++)
        api->cudaDeviceSynchronize();
    struct ncs_member *m = &journal->comm[0]->member[0];
    ck_assert_ptr_null(m->first);
    ck_assert_ptr_null(m->last);
    reduce(0, comm, 4, ncclSum);
    ck_assert_ptr_eq(m->first, journal->newest);
    ck_assert_uint_eq(m->first->number, 2);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(pinned_records_stay)
{
    open_with(8 * sizeof(struct ncs_call));
    ncclComm_t comm = join(0, 1, new_id(), 0);
    for (int i = 0; i < 5; i++)
        reduce(0, comm, 4, ncclSum);
    struct ncs_call *third = ncs_journal_call(journal, 0, 0, 3);
    ncs_call_pin(third);
    ncs_call_pin(third);
    for (int i = 0; i < 50; i++)
        reduce(0, comm, 4, ncclSum);
    ncs_call_unpin(third);
    reduce(0, comm, 4, ncclSum);
    ck_assert_ptr_eq(journal->oldest, third);
    ck_assert_ptr_eq(journal->comm[0]->member[0].first, third);
    ck_assert_ptr_eq(ncs_journal_call(journal, 0, 0, 3), third);
    ck_assert_uint_gt(third->next_counted->number, 40);
    ck_assert_uint_eq(third->next_counted->next_counted->number, third->next_counted->number + 1);
    ncs_call_unpin(third);
    for (int i = 0; i < 3; i++)
        reduce(0, comm, 4, ncclSum);
    ck_assert_ptr_null(ncs_journal_call(journal, 0, 0, 3));
    ck_assert(held_records() <= 8);
    ncs_call_pin(NULL);
    ncs_call_unpin(NULL);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(more_pinned_records_than_fit_are_held)
{
    open_with(4 * sizeof(struct ncs_call));
    for (int i = 0; i < 20; i++) {
        api->cudaDeviceSynchronize();
        ncs_call_pin(journal->newest);
    }
    ck_assert_uint_eq(held_records(), 20);
    ck_assert_uint_eq(journal->dropped, 0);
    for (struct ncs_call *call = journal->oldest; call; call = call->newer)
        ncs_call_unpin(call);
    api->cudaDeviceSynchronize();
    ck_assert(held_records() <= 4);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(pending_records_stay)
{
    open_with(4 * sizeof(struct ncs_call));
    calls_meanwhile = 50;
    api->cudaStreamSynchronize(NULL);
    ck_assert_int_eq(journal->oldest->fn, NCS_FN_cudaStreamSynchronize);
    ck_assert(journal->oldest->returned);
    ck_assert_int_eq(journal->oldest->rank, 0);
    ck_assert_int_eq(journal->newest->rank, 1);
    ck_assert(held_records() <= 4);
    for (int i = 0; i < 4; i++)
        api->cudaDeviceSynchronize();
    ck_assert_int_ne(journal->oldest->fn, NCS_FN_cudaStreamSynchronize);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_snapshot_releases_its_calls)
{
    struct ncs_snapshot s = { 0 };
    struct ncs_call *call;

    open_plain();
    api->cudaDeviceSynchronize();
    call = journal->newest;
    s.context = ncs_new(sizeof *s.context);
    s.contexts = 1;
    s.op = ncs_new(sizeof *s.op);
    s.ops = 1;
    s.part = ncs_new(sizeof *s.part);
    s.parts = 1;
    s.job = ncs_new(2 * sizeof *s.job);
    s.jobs = 2; /* the second has no call */
    s.context[0].message = ncs_copy_text("an error");
    s.context[0].call = s.op[0].call = s.part[0].call = s.job[0].call = call;
    for (int i = 0; i < 4; i++)
        ncs_call_pin(call);
    ncs_snapshot_free(&s);
    ck_assert_uint_eq(call->pins, 0);
    ck_assert_uint_eq(s.contexts, 0);
    ncs_snapshot_free(&s);
    ncs_journal_close(journal);
}
END_TEST

START_TEST(a_journal_of_nothing)
{
    ncs_journal_close(NULL);
    open_with(0);
    api->cudaDeviceSynchronize();
    api->cudaDeviceSynchronize();
    ck_assert_uint_eq(held_records(), 1);
    ncs_journal_close(journal);
}
END_TEST

/* ---- threads ---- */

enum { EACH = 500 };

static void *call_often(void *arg)
{
    struct ncs_local *local = arg;

    ncs_local = local;
    for (int i = 0; i < EACH; i++) {
        api->ncclGroupStart();
        api->cudaDeviceSynchronize();
        api->ncclGroupEnd();
    }
    return NULL;
}

START_TEST(a_locked_journal_serves_threads)
{
    pthread_t threads[4];

    open_plain();
    ncs_journal_close(journal);
    journal = ncs_journal_open(64 * sizeof(struct ncs_call), true);
    api = ncs_journal_wrap(journal, &fake);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, call_often, &locals[i]), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(journal->calls, 4 * 3 * EACH);
    ck_assert_uint_eq(journal->newest->id, 4 * 3 * EACH);
    ck_assert(held_records() <= 64 + 4);
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

NCS_TEST_MAIN("journal", a_record_says_who_what_and_where, what_the_driver_lacks_stays_absent,
              a_thread_that_is_nobodys_is_recorded, ranks_meet_by_id,
              a_communicator_is_known_while_its_init_blocks, a_failed_init_leaves_no_handle,
              nonsense_makes_no_communicator, ranks_that_disagree_on_their_number_are_held,
              init_all_makes_one_communicator_per_call, the_end_of_a_rank_is_noted,
              counted_calls_are_numbered_per_communicator_and_rank,
              groups_are_numbered_by_their_outermost_start,
              a_handle_may_come_at_the_end_of_the_group, signatures_and_words,
              operators_are_kept_as_they_were_created, the_oldest_records_are_dropped,
              a_member_may_lose_all_its_records, pinned_records_stay,
              more_pinned_records_than_fit_are_held, pending_records_stay,
              a_snapshot_releases_its_calls, a_journal_of_nothing, a_locked_journal_serves_threads,
              what_failed_takes_no_place)
