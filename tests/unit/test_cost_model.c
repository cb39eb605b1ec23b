/* The models of machines against published results of nccl-tests, within a fifth, and NCCL's own prediction. */
#include <string.h>

#include "api/model.h"
#include "harness.h"
#include "sim/kernel/world.h"
#include "sim/settings/cost.h"

static int find_model(const char *name)
{
    int i = 0;
    while (strcmp(ncs_models[i].name, name) != 0)
        i++;
    return i;
}

#define MiB ((size_t)1 << 20)
#define GiB ((size_t)1 << 30)

static const struct {
    const char *model;
    int nranks, hosts;
    size_t bytes;
    double time; /* published, in microseconds; of large sizes by the published bus bandwidth */
    const char *source;
} published[] = {
    { "hgx-a100", 8, 1, GiB, 8142.6, "NVIDIA/nccl#527" },
    { "hgx-a100", 16, 2, 8 * GiB, 8 * 1073.74 * 1.875 / 91 * 1e3, "NVIDIA/nccl-tests#100, 91 GB/s" },
    { "hgx-h100", 8, 1, 8, 12.90, "aws/aws-k8s-tester#503" },
    { "hgx-h100", 8, 1, 8 * GiB, 8 * 1073.74 * 1.75 / 480 * 1e3, "NVIDIA/nccl-tests#212, 480 GB/s" },
    { "hgx-h100", 16, 2, 4096, 25.87, "NVIDIA/nccl#1453, NCCL's prediction" },
    { "hgx-h100", 8, 2, 4 * MiB, 103.1, "NVIDIA/nccl#1411" },
    { "hgx-h100", 8, 2, 8 * MiB, 157.1, "NVIDIA/nccl#1411" },
    { "hgx-h100", 8, 2, 16 * MiB, 244.7, "NVIDIA/nccl#1411" },
    { "hgx-h100", 8, 2, 32 * MiB, 432.4, "NVIDIA/nccl#1411" },
    { "hgx-h100", 8, 2, 64 * MiB, 825.4, "NVIDIA/nccl#1411" },
    { "hgx-h100", 8, 2, 128 * MiB, 1493.1, "NVIDIA/nccl#1411" },
    { "hgx-h100", 8, 2, 256 * MiB, 2946.6, "NVIDIA/nccl#1411" },
};

START_TEST(all_reduces_are_within_a_fifth)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        sim_world.options.model = find_model(published[i].model);
        double time =
            (double)sim_cost_collective(NCS_FN_ncclAllReduce, published[i].bytes, published[i].nranks, published[i].hosts) / 1e3;
        double ratio = time / published[i].time;
        ck_assert_msg(ratio > 0.8 && ratio < 1.2, "%s, %zu B: %.2f us, published %.2f us (%s)", published[i].model,
                      published[i].bytes, time, published[i].time, published[i].source);
    }
}
END_TEST

/* More bytes, ranks or hosts never take less time. */
START_TEST(costs_do_not_fall)
{
    static const enum ncs_fn fns[] = { NCS_FN_ncclAllReduce, NCS_FN_ncclAllGather, NCS_FN_ncclReduceScatter, NCS_FN_ncclBroadcast,
                                       NCS_FN_ncclReduce };
    for (sim_world.options.model = 0; ncs_model_names[sim_world.options.model]; sim_world.options.model++)
        for (size_t f = 0; f < sizeof fns / sizeof *fns; f++)
            for (size_t bytes = 1; bytes < 8 * GiB; bytes *= 2) {
                int64_t before = 0;
                for (int n = 2; n <= 8; n++) {
                    int64_t now = sim_cost_collective(fns[f], bytes, n, 1);
                    ck_assert_int_ge(now, before);
                    ck_assert_int_ge(sim_cost_collective(fns[f], 2 * bytes, n, 1), now);
                    before = now;
                }
                ck_assert_int_ge(sim_cost_collective(fns[f], bytes, 16, 2), before);
                ck_assert_int_ge(sim_cost_message(2 * bytes, true, 1), sim_cost_message(bytes, true, 1));
                ck_assert_int_ge(sim_cost_message(bytes, false, 1), sim_cost_message(bytes, true, 1));
                ck_assert_int_ge(sim_cost_copy(bytes, true), sim_cost_copy(bytes, false));
            }
}
END_TEST

/* The simulator's own constants: 10 us, and the bytes at 100 GB/s. */
START_TEST(plain_is_plain)
{
    sim_world.options.model = 0;
    ck_assert_int_eq(sim_cost_step(), 10000);
    ck_assert_int_eq(sim_cost_copy(1000, true), 10010);
    ck_assert_int_eq(sim_cost_collective(NCS_FN_ncclAllReduce, 4000, 8, 2), 10040);
    ck_assert_int_eq(sim_cost_message(4000, false, 7), 10040);
}
END_TEST

NCS_TEST_MAIN("cost_model", all_reduces_are_within_a_fifth, costs_do_not_fall, plain_is_plain)
