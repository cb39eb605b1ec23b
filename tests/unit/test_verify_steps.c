/* Verification of calls that move in steps, and of signals. */
#include "verify_lab.h"

enum { N = 3, COUNT = 4 };

static void finish(struct world *w)
{
    for (int r = 0; r < w->n; r++)
        ncs_verify_finished(w->v, w->set[r]);
}

static int32_t *ints(unsigned char *p)
{
    return (int32_t *)(void *)p;
}

static void inputs(struct world *w)
{
    for (int r = 0; r < w->n; r++)
        for (int i = 0; i < w->n * COUNT; i++)
            ints(w->send[r])[i] = 1000 * r + i;
}

/* Pair by pair, as the data moves; rank `late` receives its blocks one place on. */
static void exchange(struct world *w, int late)
{
    for (int s = 0; s < w->n; s++)
        for (int d = 0; d < w->n; d++) {
            struct ncs_call *pair[] = { w->set[s], w->set[d] };
            size_t n = s == d ? 1 : 2, block = COUNT * sizeof(int32_t);
            int to = d == late ? (s + 1) % w->n : s;
            ncs_verify_before(w->v, pair, n);
            memcpy(w->recv[d] + (size_t)to * block, w->send[s] + (size_t)d * block, block);
            ncs_verify_after(w->v, pair, n);
        }
}

START_TEST(an_all_to_all_is_checked_when_a_rank_has_finished)
{
    struct world w;
    world_open(&w, N, true);
    buffers(&w, N * COUNT * 4, N * COUNT * 4);
    inputs(&w);
    collective(&w, NCS_FN_ncclAlltoAll, COUNT, ncclInt32, 0, 0);
    exchange(&w, -1);
    ck_assert_uint_eq(ncs_verify_checked(w.v), 0);
    finish(&w);
    ck_assert_uint_eq(ncs_verify_checked(w.v), N);
    wrong(&w, 0);

    collective(&w, NCS_FN_ncclAlltoAll, COUNT, ncclInt32, 0, 0);
    exchange(&w, 1);
    finish(&w);
    const struct ncs_wrong *x = wrong(&w, 1);
    ck_assert_int_eq(x->comm_rank, 1);
    ck_assert_int_eq(x->pattern, NCS_PATTERN_BLOCKS);
    ck_assert_uint_eq(x->differ, N * COUNT);

    collective(&w, NCS_FN_ncclAlltoAll, COUNT, ncclInt32, 0, 0);
    w.set[0]->unverified = true;
    exchange(&w, -1);
    finish(&w);
    ck_assert_uint_eq(ncs_verify_unchecked(w.v), 1);
    wrong(&w, 1);
    world_close(&w);
}
END_TEST

/* A scatter's output on a rank is known as soon as the root was there. */
START_TEST(a_scatter_needs_its_root_alone)
{
    struct world w;
    world_open(&w, N, true);
    buffers(&w, N * COUNT * 4, N * COUNT * 4);
    inputs(&w);
    for (int bad = 0; bad < 2; bad++) {
        size_t block = COUNT * sizeof(int32_t);
        collective(&w, NCS_FN_ncclScatter, COUNT, ncclInt32, 0, 2);
        struct ncs_call *pair[] = { w.set[2], w.set[0] };
        ncs_verify_before(w.v, pair, 2);
        memcpy(w.recv[0], w.send[2] + (bad ? block : 0), block);
        ncs_verify_after(w.v, pair, 2);
        ncs_verify_finished(w.v, w.set[0]);
        ck_assert_uint_eq(ncs_verify_checked(w.v), (uint64_t)bad + 1);
    }
    ck_assert_int_eq(wrong(&w, 1)->pattern, NCS_PATTERN_BLOCKS);
    world_close(&w);
}
END_TEST

static struct ncs_call *wait_call(struct world *w, int rank, ncclWaitSignalDesc_t *d, int count)
{
    struct ncs_call *call = call_of(w, NCS_FN_ncclWaitSignal, rank, NULL, NULL, 0, 0, 0, 0);
    for (int i = 0; i < ncs_fn_info[call->fn].nargs; i++)
        if (ncs_fn_info[call->fn].arg[i].kind == NCS_ARG_WAITS)
            call->arg[i].p = d;
        else if (ncs_fn_info[call->fn].arg[i].kind == NCS_ARG_ITEMS)
            call->arg[i].i = count;
    return call;
}

START_TEST(a_wait_must_not_end_before_its_signals)
{
    struct world w;
    ncclWaitSignalDesc_t d[] = { { .opCnt = 1, .peer = 0 }, { .opCnt = 2, .peer = 2 } };
    world_open(&w, N, true);
    for (int i = 0; i < 3; i++) {
        struct ncs_call *s = call_of(&w, NCS_FN_ncclSignal, i ? 2 : 0, NULL, NULL, 0, 0, 0, 1);
        ncs_verify_after(w.v, &s, 1);
    }
    struct ncs_call *enough = wait_call(&w, 1, d, 2), *more = wait_call(&w, 1, &d[1], 1);
    ncs_verify_after(w.v, &enough, 1);
    wrong(&w, 0);
    ncs_verify_after(w.v, &more, 1); /* none is left */
    const struct ncs_wrong *x = wrong(&w, 1);
    ck_assert_ptr_eq(x->call, more);
    ck_assert_str_eq(x->text, "the wait ended although rank 2 had sent only 2 of 4");
    world_close(&w);
}
END_TEST

NCS_TEST_MAIN("verify steps", an_all_to_all_is_checked_when_a_rank_has_finished, a_scatter_needs_its_root_alone,
              a_wait_must_not_end_before_its_signals)
