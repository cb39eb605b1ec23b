/* All-to-all, gather and scatter on the machine against plain loops: every type, every number of
 * ranks up to 8, every root, in place and not. The whole memory of every rank is compared. */
#include <stdint.h>

#include "api/types.h"
#include "base/hash.h"
#include "../kernel/kernel.h"

#include "harness.h"

enum { RANKS = 8, COUNT = 5, WIDTH = 8, ROOM = RANKS * COUNT * WIDTH, GUARD = 64 };

enum shape { ALL_TO_ALL, GATHER, SCATTER, SHAPES };

/* What all ranks do in a run. */
static struct {
    enum shape shape;
    int dtype, root;
    size_t count;
    bool in_place, grouped;
} now;

struct memory {
    unsigned char *send, *recv; /* device, ROOM + GUARD each */
    unsigned char was_send[ROOM + GUARD], was_recv[ROOM + GUARD];
};

static struct memory memory[RANKS];

static bool is_root(const struct kernel_rank *r)
{
    return r->rank == now.root;
}

/* In place the root's own block is where it belongs already. */
static const void *send_of(const struct kernel_rank *r, size_t bytes)
{
    const struct memory *m = &memory[r->rank];
    if (now.shape == SCATTER)
        return is_root(r) ? m->send : NULL;
    return now.in_place && now.shape == GATHER && is_root(r) ? m->recv + (size_t)r->rank * bytes : m->send;
}

static void *recv_of(const struct kernel_rank *r, size_t bytes)
{
    const struct memory *m = &memory[r->rank];
    if (now.shape == GATHER)
        return is_root(r) ? m->recv : NULL;
    return now.in_place && now.shape == SCATTER && is_root(r) ? m->send + (size_t)r->rank * bytes : m->recv;
}

static ncclResult_t issue(const struct kernel_rank *r)
{
    size_t bytes = now.count * ncs_dtype_bytes(now.dtype);
    const void *send = send_of(r, bytes);
    void *recv = recv_of(r, bytes);
    ncclDataType_t dtype = (ncclDataType_t)now.dtype;
    switch (now.shape) {
    case ALL_TO_ALL: return api->ncclAlltoAll(send, recv, now.count, dtype, r->world, r->stream);
    case GATHER: return api->ncclGather(send, recv, now.count, dtype, now.root, r->world, r->stream);
    default: return api->ncclScatter(send, recv, now.count, dtype, now.root, r->world, r->stream);
    }
}

static void take_part(struct kernel_rank *r)
{
    struct memory *m = &memory[r->rank];
    struct ncs_random random = { (uint64_t)r->rank + 1 };
    OK(api->cudaMalloc((void **)&m->send, sizeof m->was_send));
    OK(api->cudaMalloc((void **)&m->recv, sizeof m->was_recv));
    for (size_t i = 0; i < sizeof m->was_send; i++) {
        m->was_send[i] = (unsigned char)ncs_random_next(&random);
        m->was_recv[i] = (unsigned char)ncs_random_next(&random);
    }
    memcpy(m->send, m->was_send, sizeof m->was_send);
    memcpy(m->recv, m->was_recv, sizeof m->was_recv);
    if (now.grouped)
        OK(api->ncclGroupStart());
    OK(issue(r));
    if (now.grouped)
        OK(api->ncclGroupEnd());
    OK(api->cudaStreamSynchronize(r->stream));
}

/* The same with loops: from what the memories were to what they must be. */
static void expect(int nranks)
{
    static unsigned char send[RANKS][ROOM + GUARD], recv[RANKS][ROOM + GUARD];
    size_t b = now.count * ncs_dtype_bytes(now.dtype), root = (size_t)now.root;
    for (int r = 0; r < nranks; r++) {
        memcpy(send[r], memory[r].was_send, sizeof send[r]);
        memcpy(recv[r], memory[r].was_recv, sizeof recv[r]);
    }
    for (size_t r = 0; r < (size_t)nranks; r++)
        for (size_t k = 0; k < (size_t)nranks; k++)
            if (now.shape == ALL_TO_ALL)
                memcpy(recv[r] + k * b, memory[k].was_send + r * b, b);
            else if (now.shape == GATHER && r == root && !(now.in_place && k == root))
                memcpy(recv[r] + k * b, memory[k].was_send, b);
            else if (now.shape == SCATTER && k == root && !(now.in_place && r == root))
                memcpy(recv[r], memory[k].was_send + r * b, b);
    for (int r = 0; r < nranks; r++) {
        ck_assert_msg(memcmp(memory[r].send, send[r], sizeof send[r]) == 0,
                      "shape %d, type %d, %d ranks, root %d: rank %d's send buffer changed", now.shape, now.dtype, nranks,
                      now.root, r);
        ck_assert_msg(memcmp(memory[r].recv, recv[r], sizeof recv[r]) == 0,
                      "shape %d, type %d, %d ranks, root %d, in place %d: rank %d received wrongly", now.shape, now.dtype, nranks,
                      now.root, now.in_place, r);
    }
}

static void run_one(int nranks, const struct ncs_machine_options *options)
{
    kernel_open(options);
    ck_assert_int_eq(kernel_run(nranks, take_part), NCS_STOP_DONE);
    expect(nranks);
    kernel_end();
}

static void every_case(enum shape shape)
{
    int cases = 0;
    for (int dtype = 0; dtype < ncclNumTypes; dtype++)
        for (int nranks = 1; nranks <= RANKS; nranks++)
            for (int in_place = 0; in_place < (shape == ALL_TO_ALL ? 1 : 2); in_place++) {
                now.shape = shape;
                now.dtype = dtype;
                now.root = (dtype + nranks) % nranks;
                now.count = (size_t)(1 + (dtype + nranks) % COUNT);
                now.in_place = in_place;
                now.grouped = cases % 3 == 0;
                run_one(nranks, &(struct ncs_machine_options){ .seeded = cases % 2 == 1,
                                                               .seed = (uint64_t)cases,
                                                               .eager = cases % 5 == 0 ? 1 << 20 : 0,
                                                               .own_threads = cases % 16 == 0 });
                cases++;
            }
    ck_assert_int_gt(cases, 0);
}

START_TEST(all_to_all_moves_block_by_block)
{
    every_case(ALL_TO_ALL);
}
END_TEST
START_TEST(gather_collects_at_the_root)
{
    every_case(GATHER);
}
END_TEST
START_TEST(scatter_deals_out_from_the_root)
{
    every_case(SCATTER);
}
END_TEST

/* Nothing is queued, nobody is waited for; but the arguments are still looked at. */
static void make_empty_calls(struct kernel_rank *r)
{
    if (r->rank > 0)
        return;
    now.count = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        now.shape = (enum shape)shape;
        now.root = 0;
        OK(issue(r));
        now.root = r->nranks;
        if (shape != ALL_TO_ALL)
            ck_assert_int_eq(issue(r), ncclInvalidArgument);
        now.root = 0;
        now.dtype = ncclNumTypes;
        ck_assert_int_eq(issue(r), ncclInvalidArgument);
        now.dtype = ncclInt8;
    }
    ck_assert_int_eq(api->ncclGather(NULL, NULL, 0, ncclInt8, 0, NULL, r->stream), ncclInvalidArgument);
    ck_assert_str_eq(api->ncclGetLastError(NULL), "Gather : comm argument is NULL");
    OK(api->cudaStreamSynchronize(r->stream));
}

START_TEST(empty_calls_take_no_part)
{
    now.dtype = ncclInt8;
    kernel_open(&(struct ncs_machine_options){ 0 });
    ck_assert_int_eq(kernel_run(2, make_empty_calls), NCS_STOP_DONE);
    kernel_end();
}
END_TEST

NCS_TEST_MAIN("data in steps", all_to_all_moves_block_by_block, gather_collects_at_the_root, scatter_deals_out_from_the_root,
              empty_calls_take_no_part)
