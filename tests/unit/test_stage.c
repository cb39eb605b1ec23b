/* Pinned memory for copies is shared out without overlap, and what is given back is there again. */
#include "harness.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "driver/stage.h"

enum { ROOM = 64 * 1024, PIECES = 64 };

static unsigned char memory[ROOM];

START_TEST(a_whole_and_its_parts)
{
    struct stage_arena a = { .base = memory, .bytes = ROOM };

    ck_assert_ptr_null(ncs_pinned_take(&a, 0));
    ck_assert_ptr_null(ncs_pinned_take(&a, ROOM + 1));
    ck_assert_ptr_eq(ncs_pinned_take(&a, ROOM), memory);
    ck_assert_ptr_null(ncs_pinned_take(&a, 1));
    ncs_pinned_give(&a, memory);
    unsigned char *one = ncs_pinned_take(&a, 1), *two = ncs_pinned_take(&a, ROOM / 2);
    ck_assert_ptr_nonnull(one);
    ck_assert_ptr_nonnull(two);
    ck_assert_ptr_null(ncs_pinned_take(&a, ROOM / 2));
    ncs_pinned_give(&a, one);
    ck_assert_ptr_eq(ncs_pinned_take(&a, 2), one);
    ncs_free(a.used);
}
END_TEST

/* Each piece is filled with its number, and nobody else writes there. */
START_TEST(no_piece_overlaps)
{
    struct stage_arena a = { .base = memory, .bytes = ROOM };
    struct {
        unsigned char *at;
        size_t bytes;
    } piece[PIECES] = { 0 };
    struct ncs_random random = { 7 };
    size_t refused = 0;

    for (int turn = 0; turn < 20000; turn++) {
        size_t i = ncs_random_below(&random, PIECES);
        if (piece[i].at) {
            size_t own = 0;
            while (own < piece[i].bytes && piece[i].at[own] == i)
                own++;
            ck_assert_uint_eq(own, piece[i].bytes);
            ncs_pinned_give(&a, piece[i].at);
            piece[i].at = NULL;
            continue;
        }
        piece[i].bytes = 1 + ncs_random_below(&random, 4096);
        piece[i].at = ncs_pinned_take(&a, piece[i].bytes);
        refused += !piece[i].at;
        if (piece[i].at) {
            ck_assert(piece[i].at >= memory);
            ck_assert(piece[i].at + piece[i].bytes <= memory + ROOM);
            memset(piece[i].at, (int)i, piece[i].bytes);
        }
    }
    ck_assert_uint_gt(refused, 0);
    for (size_t i = 0; i < PIECES; i++)
        if (piece[i].at)
            ncs_pinned_give(&a, piece[i].at);
    ck_assert_ptr_eq(ncs_pinned_take(&a, ROOM), memory);
    ncs_free(a.used);
}
END_TEST

/* The memory that a call reads and writes on its own rank. */
static const struct {
    enum ncs_fn fn;
    int rank;
    size_t in, out; /* elements for a count of 3, root 1, 4 ranks */
} extents[] = {
    { NCS_FN_ncclAllReduce, 0, 3, 3 },  { NCS_FN_ncclReduceScatter, 0, 12, 3 }, { NCS_FN_ncclAllGather, 0, 3, 12 },
    { NCS_FN_ncclAlltoAll, 0, 12, 12 }, { NCS_FN_ncclReduce, 0, 3, 0 },         { NCS_FN_ncclReduce, 1, 3, 3 },
    { NCS_FN_ncclBroadcast, 0, 0, 3 },  { NCS_FN_ncclBroadcast, 1, 3, 3 },      { NCS_FN_ncclGather, 0, 3, 0 },
    { NCS_FN_ncclGather, 1, 3, 12 },    { NCS_FN_ncclScatter, 0, 0, 3 },        { NCS_FN_ncclScatter, 1, 12, 3 },
    { NCS_FN_ncclSend, 0, 3, 0 },       { NCS_FN_ncclRecv, 0, 0, 3 },
};

static void set(struct ncs_call *call, enum ncs_kind kind, int64_t value)
{
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];

    for (int i = 0; i < info->nargs; i++)
        if (info->arg[i].kind == kind)
            call->arg[i].i = value;
}

START_TEST(extents_of_calls)
{
    for (size_t i = 0; i < sizeof extents / sizeof *extents; i++) {
        struct ncs_call call = { .fn = extents[i].fn, .comm_rank = extents[i].rank };
        size_t in, out;

        set(&call, NCS_ARG_COUNT, 3);
        set(&call, NCS_ARG_DTYPE, ncclFloat64);
        set(&call, NCS_ARG_ROOT, 1);
        ck_assert(ncs_meet_extent(&call, 4, &in, &out));
        ck_assert_msg(in == 8 * extents[i].in && out == 8 * extents[i].out, "row %zu: %zu, %zu", i, in, out);
        set(&call, NCS_ARG_COUNT, INT64_MAX);
        ck_assert(!ncs_meet_extent(&call, 4, &in, &out));
    }
}
END_TEST

NCS_TEST_MAIN("stage", a_whole_and_its_parts, no_piece_overlaps, extents_of_calls)
