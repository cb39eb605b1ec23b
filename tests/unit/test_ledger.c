/* The ledger: what calls make and free, what is left, and what was freed too early. Calls are made by hand. */
#include "harness.h"

#include <string.h>

#include "base/mem.h"
#include "diagnose/ledger/ledger.h"

#define RECORDS 128

static struct ncs_journal *journal;
static struct ncs_call records[RECORDS];
static struct ncs_local local;
static struct ncs_ledger *ledger;
static uint64_t made;
static int line, rank, process;
static bool raw, ending, ended_process;
static char x[64], y[64];
static char handles[16];

#define WORLD ((const void *)&handles[1])
#define PAIR ((const void *)&handles[2])
#define H(n) ((const void *)&handles[3 + (n)])

static int process_now(void)
{
    return process;
}

static bool process_gone(int number)
{
    return number == 1 && ended_process;
}

static void open_ledger(bool one_process)
{
    memset(records, 0, sizeof records);
    made = 0;
    rank = process = 0;
    line = 1;
    raw = true;
    ending = ended_process = false;
    memset(&local, 0, sizeof local);
    ncs_local = &local;
    journal = ncs_journal_open(1 << 20, false);
    ledger = ncs_ledger_open(
        journal, &(struct ncs_ledger_options){ .one_process = one_process, .process = process_now, .gone = process_gone });
}

static void close_ledger(void)
{
    ncs_ledger_close(ledger);
    for (size_t i = 0; i < RECORDS; i++)
        ck_assert_uint_eq(records[i].pins, 0);
    ncs_journal_close(journal);
    ncs_local = NULL;
}

static struct ncs_call *make(enum ncs_fn fn)
{
    ck_assert_uint_lt(made, RECORDS);
    struct ncs_call *call = &records[made++];
    *call = (struct ncs_call){ .id = made,
                               .fn = fn,
                               .returned = true,
                               .rank = rank,
                               .place.line = line,
                               .comm = -1,
                               .comm_rank = -1,
                               .by_c_name = raw,
                               .ending = ending };
    return call;
}

static void allocate(const void *p, uint64_t bytes)
{
    struct ncs_call *call = make(NCS_FN_cudaMalloc);
    call->arg[0].p = p;
    call->arg[1].u = bytes;
    ncs_ledger_call(ledger, call);
}

static void with(enum ncs_fn fn, const void *p, const void *q)
{
    struct ncs_call *call = make(fn);
    call->arg[0].p = p;
    call->arg[1].p = q;
    ncs_ledger_call(ledger, call);
}

static void give(const void *p)
{
    with(NCS_FN_cudaFree, p, NULL);
}

static void register_at(const void *comm, const void *p, uint64_t bytes, const void *handle)
{
    struct ncs_call *call = make(NCS_FN_ncclCommRegister);
    call->arg[0].p = comm;
    call->arg[1].p = p;
    call->arg[2].u = bytes;
    call->arg[3].p = &handle;
    ncs_ledger_call(ledger, call);
}

/* The handle is filled at the end of the group. */
static void window_in_group(const void *comm, const void *p, const void **cell, uint64_t group)
{
    struct ncs_call *call = make(NCS_FN_ncclCommWindowRegister);
    call->group = group;
    call->arg[0].p = comm;
    call->arg[1].p = p;
    call->arg[2].u = 64;
    call->arg[3].p = cell;
    ncs_ledger_call(ledger, call);
}

static void end_group(uint64_t group, int rc)
{
    struct ncs_call *call = make(NCS_FN_ncclGroupEnd);
    call->group = group;
    call->rc = rc;
    ncs_ledger_call(ledger, call);
}

static void operator_on(const void *comm, int value)
{
    ncclRedOp_t op = (ncclRedOp_t)value;
    struct ncs_call *call = make(NCS_FN_ncclRedOpCreatePreMulSum);
    call->arg[0].p = &op;
    call->arg[4].p = comm;
    ncs_ledger_call(ledger, call);
}

static void end_operator(const void *comm, int value)
{
    struct ncs_call *call = make(NCS_FN_ncclRedOpDestroy);
    call->arg[0].i = value;
    call->arg[1].p = comm;
    ncs_ledger_call(ledger, call);
}

static size_t lefts(void)
{
    size_t count;
    ncs_ledger_left(ledger, &count);
    return count;
}

static const struct ncs_left *left(size_t i)
{
    size_t count;
    const struct ncs_left *all = ncs_ledger_left(ledger, &count);
    ck_assert_uint_lt(i, count);
    return &all[i];
}

static size_t stales(void)
{
    size_t count;
    ncs_ledger_stale(ledger, &count);
    return count;
}

START_TEST(what_is_freed_is_not_left)
{
    open_ledger(false);
    allocate(x, 64);
    give(x);
    allocate(NULL, 0); /* gives no memory */
    struct ncs_call *call = make(NCS_FN_cudaMalloc);
    call->rc = cudaErrorMemoryAllocation;
    ncs_ledger_call(ledger, call);
    ck_assert_uint_eq(lefts(), 0);
    close_ledger();
}
END_TEST

START_TEST(a_line_is_a_row_with_its_ranks)
{
    open_ledger(false);
    for (rank = 2; rank >= 0; rank--)
        for (int i = 0; i < 3; i++) {
            line = 7;
            allocate(x + 8 * i, 8);
        }
    rank = 1;
    line = 9;
    allocate(y, 16);
    ck_assert_uint_eq(lefts(), 2);
    const struct ncs_left *row = left(0);
    ck_assert_int_eq(row->kind, NCS_RESOURCE_MEMORY);
    ck_assert_int_eq(row->place.line, 7);
    ck_assert_uint_eq(row->count, 9);
    ck_assert_uint_eq(row->bytes, 72);
    ck_assert_uint_eq(row->ranks, 3);
    ck_assert_int_eq(row->rank[0], 0);
    ck_assert_int_eq(row->rank[2], 2);
    ck_assert(row->even && row->raw && row->lost);
    struct ncs_str s = { 0 };
    ncs_left_format(&s, row);
    ck_assert_str_eq(s.text, "3 allocations of device memory each (24 B), made by cudaMalloc at line 7");
    ncs_str_clear(&s);
    ncs_left_format(&s, left(1));
    ck_assert_str_eq(s.text, "1 allocation of device memory (16 B), made by cudaMalloc at line 9");
    ncs_str_free(&s);
    rank = 0;
    line = 7;
    allocate(x + 32, 8); /* one more than the others have */
    ck_assert(!left(0)->even);
    close_ledger();
}
END_TEST

START_TEST(the_end_of_a_script_frees_nothing_for_it)
{
    open_ledger(false);
    raw = false;
    allocate(x, 64);
    ending = true;
    give(x);
    ck_assert_uint_eq(lefts(), 1);
    ck_assert(!left(0)->lost);
    ck_assert_uint_eq(stales(), 0);
    close_ledger();
}
END_TEST

START_TEST(a_communicator_takes_its_own_along)
{
    open_ledger(false);
    operator_on(WORLD, 5);
    operator_on(PAIR, 5); /* the same number on another one */
    register_at(PAIR, x, 64, H(0));
    with(NCS_FN_ncclCommDestroy, PAIR, NULL);
    ck_assert_uint_eq(lefts(), 1);
    ck_assert_int_eq(left(0)->kind, NCS_RESOURCE_OPERATOR);
    end_operator(WORLD, 5);
    ck_assert_uint_eq(lefts(), 0);
    close_ledger();
}
END_TEST

START_TEST(a_reset_frees_all_of_its_process)
{
    open_ledger(false);
    allocate(x, 64);
    rank = 1;
    allocate(y, 64);
    with(NCS_FN_cudaDeviceReset, NULL, NULL);
    ck_assert_uint_eq(lefts(), 1);
    ck_assert_int_eq(left(0)->rank[0], 0);
    close_ledger();
}
END_TEST

START_TEST(memory_is_freed_before_its_registration)
{
    open_ledger(false);
    line = 3;
    allocate(x, 64);
    line = 4;
    register_at(WORLD, x + 16, 8, H(0));
    line = 5;
    give(x);
    with(NCS_FN_ncclCommDeregister, WORLD, H(0));
    size_t count;
    const struct ncs_stale *stale = ncs_ledger_stale(ledger, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(stale->calls, 2);
    ck_assert_int_eq(stale->call[0]->place.line, 5);
    ck_assert_int_eq(stale->call[1]->place.line, 4);
    for (int i = 0; i < 3; i++) { /* again at the same lines: one mistake, three times more */
        line = 4;
        allocate(x, 64);
        register_at(WORLD, x, 64, H(0));
        line = 5;
        give(x);
        with(NCS_FN_ncclCommDeregister, WORLD, H(0));
    }
    stale = ncs_ledger_stale(ledger, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(stale->calls, 8);
    close_ledger();
}
END_TEST

START_TEST(what_is_in_order_is_not_stale)
{
    open_ledger(false);
    allocate(x, 64);
    allocate(y, 64);
    register_at(WORLD, x, 64, H(0));
    give(y); /* other memory */
    with(NCS_FN_ncclCommDeregister, WORLD, H(0));
    give(x);
    allocate(x, 64);
    register_at(PAIR, x, 64, H(1));
    with(NCS_FN_ncclCommAbort, PAIR, NULL);
    give(x);
    rank = 1; /* a process of its own may have the same addresses */
    allocate(x, 64);
    register_at(WORLD, x, 64, H(0));
    rank = 0;
    allocate(x, 64);
    give(x);
    ck_assert_uint_eq(stales(), 0);
    close_ledger();
}
END_TEST

START_TEST(a_window_of_a_group_is_there_when_the_group_has_ended)
{
    const void *cell = NULL;
    open_ledger(false);
    allocate(x, 64);
    window_in_group(WORLD, x, &cell, 1);
    ck_assert_uint_eq(lefts(), 1); /* the memory */
    cell = H(0);
    end_group(1, ncclSuccess);
    ck_assert_uint_eq(lefts(), 2);
    with(NCS_FN_ncclCommWindowDeregister, WORLD, H(0));
    cell = NULL;
    window_in_group(WORLD, x, &cell, 2);
    cell = H(0); /* some versions write it before the group fails */
    end_group(2, ncclInvalidArgument);
    give(x);
    ck_assert_uint_eq(lefts(), 0);
    ck_assert_uint_eq(stales(), 0);
    close_ledger();
}
END_TEST

static void export_and_open(const void *p, const void *mapped)
{
    static char handle[CUDA_IPC_HANDLE_SIZE] = "x";
    with(NCS_FN_cudaIpcGetMemHandle, handle, p);
    rank = process = 1;
    with(NCS_FN_cudaIpcOpenMemHandle, mapped, handle);
    rank = process = 0;
}

START_TEST(exported_memory_is_freed_while_it_is_mapped)
{
    open_ledger(true);
    allocate(x, 64);
    export_and_open(x, y);
    give(x);
    ck_assert_uint_eq(stales(), 1);
    ck_assert_uint_eq(lefts(), 0); /* nobody can close that mapping any more */
    close_ledger();
}
END_TEST

START_TEST(a_mapping_ends_with_its_process)
{
    open_ledger(true);
    allocate(x, 64);
    export_and_open(x, y);
    ended_process = true;
    give(x);
    ck_assert_uint_eq(stales(), 0);
    ended_process = false;
    allocate(x, 64);
    export_and_open(x, y);
    rank = process = 1;
    with(NCS_FN_cudaIpcCloseMemHandle, y, NULL);
    rank = process = 0;
    give(x);
    ck_assert_uint_eq(stales(), 0);
    close_ledger();
}
END_TEST

START_TEST(each_kind_has_words_and_what_frees_it)
{
    for (int fn = 0; fn < NCS_FN_COUNT; fn++) {
        enum ncs_resource kind = ncs_fn_info[fn].makes;
        if (kind == NCS_RESOURCE_NONE)
            continue;
        struct ncs_str s = { 0 };
        ncs_resource_format(&s, kind, 2, 8, false);
        ck_assert_ptr_null(strstr(s.text, "(null)"));
        ncs_str_free(&s);
        ck_assert_ptr_nonnull(ncs_resource_name(kind));
        const char *freer = ncs_resource_freer((enum ncs_fn)fn);
        ck_assert_ptr_nonnull(freer);
        ck_assert_int_eq(ncs_fn_info[ncs_fn_from_name(freer)].frees, kind);
    }
}
END_TEST

NCS_TEST_MAIN("ledger", what_is_freed_is_not_left, a_line_is_a_row_with_its_ranks, the_end_of_a_script_frees_nothing_for_it,
              a_communicator_takes_its_own_along, a_reset_frees_all_of_its_process, memory_is_freed_before_its_registration,
              what_is_in_order_is_not_stale, a_window_of_a_group_is_there_when_the_group_has_ended,
              exported_memory_is_freed_while_it_is_mapped, a_mapping_ends_with_its_process, each_kind_has_words_and_what_frees_it)
