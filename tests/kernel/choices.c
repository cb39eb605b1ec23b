/* The choices of a run as text: made again they give the same run, and nothing else does. */
#include "base/hash.h"
#include "base/str.h"
#include "kernel.h"

#include "harness.h"

enum { RANKS = 4, SEEDS = 60 };

static uint64_t program;

/* Collectives, exchanges, events, polls and sleeps; some programs hang. */
static void body(struct kernel_rank *r)
{
    struct ncs_random random = { program * 2654435761u + 17 };
    int next = (r->rank + 1) % r->nranks, previous = (r->rank + r->nranks - 1) % r->nranks;
    cudaEvent_t event;
    cudaStream_t side;
    OK(api->cudaEventCreate(&event));
    OK(api->cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    for (int i = 0; i < 6; i++) {
        switch (ncs_random_below(&random, 6)) {
        case 0: OK(kernel_reduce(r)); break;
        case 1:
            OK(api->ncclGroupStart());
            OK(api->ncclSend(r->x, 8, ncclFloat32, next, r->world, side));
            OK(api->ncclRecv(r->x + 8, 8, ncclFloat32, previous, r->world, side));
            OK(api->ncclGroupEnd());
            break;
        case 2:
            OK(api->cudaEventRecord(event, side));
            OK(api->cudaStreamWaitEvent(r->stream, event, 0));
            break;
        case 3:
            for (int k = 0; k < 3 && api->cudaStreamQuery(side) != cudaSuccess; k++)
                machine->sleep(2000);
            break;
        case 4: OK(api->cudaMemsetAsync(r->x, 0, 16, r->rank % 2 ? side : r->stream)); break;
        default:
            if (program % 5 == 0 && r->rank == 1)
                break; /* left out */
            OK(api->ncclBroadcast(r->x, r->x, 16, ncclFloat32, 0, r->world, r->stream));
            break;
        }
    }
    api->cudaStreamSynchronize(r->stream);
    api->cudaStreamSynchronize(side);
}

struct outcome {
    enum ncs_stop stop;
    uint64_t trace;
    int64_t now;
    char *schedule;
    struct ncs_error misfit;
};

static struct outcome run(struct ncs_machine_options options)
{
    struct outcome o = { 0 };
    struct ncs_str text = { 0 };
    kernel_open(&options);
    o.stop = kernel_run(RANKS, body);
    o.trace = kernel_trace();
    o.now = machine->now();
    machine->schedule(&text, &o.misfit);
    ncs_str_add(&text, "");
    o.schedule = ncs_str_take(&text);
    kernel_end();
    return o;
}

static void same(const struct outcome *a, const struct outcome *b)
{
    ck_assert_int_eq(b->misfit.status, NCS_OK);
    ck_assert_int_eq(a->stop, b->stop);
    ck_assert_uint_eq(a->trace, b->trace);
    ck_assert_int_eq(a->now, b->now);
    ck_assert_str_eq(a->schedule, b->schedule);
}

START_TEST(replay_is_the_same_run)
{
    size_t others = 0, hangs = 0;
    for (program = 0; program < SEEDS; program++) {
        struct ncs_machine_options options = {
            .seeded = true, .seed = program + 1, .kernel_slots = (int)(program % 3), .eager = program % 2 ? 64 : 0
        };
        struct outcome recorded = run(options), other;
        ck_assert_int_gt((int)strlen(recorded.schedule), 0);
        options.seeded = false;
        struct outcome fifo = run(options);
        ck_assert_str_eq(fifo.schedule, "");
        options.schedule = recorded.schedule;
        for (int threads = 0; threads < 2; threads++) {
            options.own_threads = threads == 1;
            other = run(options);
            same(&recorded, &other);
            free(other.schedule);
        }
        /* No choice but the default ones: the run without a seed. */
        options.schedule = "";
        other = run(options);
        same(&fifo, &other);
        others += fifo.trace != recorded.trace;
        hangs += recorded.stop == NCS_STOP_QUIET;
        free(other.schedule);
        free(fifo.schedule);
        free(recorded.schedule);
    }
    ck_assert_uint_gt(others, SEEDS - 5);
    ck_assert_uint_gt(hangs, 0);
}
END_TEST

/* The beginning of a schedule, and the default from there on. */
START_TEST(beginning_is_followed)
{
    program = 1;
    struct outcome all = run((struct ncs_machine_options){ .seeded = true, .seed = 3 });
    size_t half = strlen(all.schedule) / 2;
    char *cut = strpbrk(all.schedule + half, "cedyl");
    ck_assert_ptr_nonnull(cut);
    cut[strcspn(cut, ".")] = '\0';
    ck_assert_uint_gt(strlen(all.schedule), half);
    struct outcome o = run((struct ncs_machine_options){ .schedule = all.schedule });
    ck_assert_int_eq(o.misfit.status, NCS_OK);
    ck_assert_str_eq(o.schedule, all.schedule);
    ck_assert_uint_ne(o.trace, all.trace);
    free(o.schedule);
    free(all.schedule);
}
END_TEST

START_TEST(misfits_are_told)
{
    static const char *const schedules[] = { "c4", "e1", "c0.c0.l1", "99999.c1", "1.d0", "b0" };
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        struct outcome o = run((struct ncs_machine_options){ .schedule = schedules[i] });
        ck_assert_msg(o.misfit.status == NCS_BAD_INPUT, "%s fits", schedules[i]);
        ck_assert_msg(strstr(o.misfit.text, "the schedule is not of this run") != NULL, "%s", o.misfit.text);
        free(o.schedule);
    }
}
END_TEST

START_TEST(bad_texts_are_refused)
{
    static const char *const texts[] = { "c",  "x1", "c1.", ".c1", "c1..c2", "c1 ", "c-1", "1c1", "c99999999999999999999",
                                         "C1", "@f" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ncs_error err = { 0 };
        machine = ncs_driver_sim.machine;
        ck_assert_msg(!machine->open(&(struct ncs_machine_options){ .schedule = texts[i] }, &err), "`%s` is taken", texts[i]);
        ck_assert_int_eq(err.status, NCS_BAD_INPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "expected choices"));
    }
}
END_TEST

NCS_TEST_MAIN("kernel choices", replay_is_the_same_run, beginning_is_followed, misfits_are_told, bad_texts_are_refused)
