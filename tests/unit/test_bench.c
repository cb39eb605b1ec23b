/* The arithmetic of bench: sizes and factors, data, percentiles; and that a spoiled result is counted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "bench/bench.h"
#include "bench/data.h"
#include "bench/document.h"
#include "bench/table.h"
#include "harness.h"
#include "verify/element.h"

/* By the formulas of nccl-tests' documentation (doc/PERFORMANCE.md), for 8 ranks and 1 GB in 1 s. */
START_TEST(bus_bandwidth_is_nccl_tests)
{
    static const struct {
        const char *name;
        double busbw;
    } want[] = {
        { "all_reduce", 2 * 7 / 8.0 },
        { "reduce_scatter", 7 / 8.0 },
        { "all_gather", 7 / 8.0 },
        { "broadcast", 1 },
        { "reduce", 1 },
        { "alltoall", 7 / 8.0 },
        { "gather", 7 / 8.0 },
        { "scatter", 7 / 8.0 },
        { "sendrecv", 1 },
        { "hypercube", 7 / 8.0 },
    };
    size_t size = (size_t)1 << 30;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct ncs_bench_collective *c = ncs_bench_find(want[i].name);
        ck_assert_ptr_nonnull(c);
        struct ncs_bench_shape s = c->shape(size / 4, 4, 8);
        double moved = (double)s.count * 4 * c->volume(8) * c->factor(8) / (double)size;
        ck_assert_msg(fabs(moved - want[i].busbw) < 1e-9, "%s: %g, want %g", want[i].name, moved, want[i].busbw);
    }
}
END_TEST

START_TEST(names_of_programs_are_found)
{
    ck_assert_str_eq(ncs_bench_find("./build/all_reduce_perf")->name, "all_reduce");
    ck_assert_str_eq(ncs_bench_find("/opt/nccl-tests/alltoall_perf_mpi")->name, "alltoall");
    ck_assert_str_eq(ncs_bench_find("reducescatter")->name, "reduce_scatter");
    ck_assert_ptr_null(ncs_bench_find("all"));
    ck_assert_ptr_null(ncs_bench_find(""));
    ck_assert_ptr_null(ncs_bench_find("a_name_that_is_longer_than_any_that_there_is_all_reduce"));
}
END_TEST

/* Blocks are cut to 16 bytes, and in-place buffers lie within the larger one. */
START_TEST(shapes_fit_their_buffers)
{
    for (const struct ncs_bench_collective *c = ncs_bench_collective; c->name; c++)
        for (int n = 1; n <= 9; n++)
            for (size_t bytes = 1; bytes <= 8; bytes *= 2)
                for (size_t size = 1; size < 5000; size += 61) {
                    struct ncs_bench_options o = { .most = size };
                    struct ncs_bench_shape s = c->shape(size / bytes, bytes, n);
                    size_t room = ncs_bench_memory(c, &o, n) / 2 / bytes, last = (size_t)n - 1;
                    ck_assert_uint_le(s.send + s.send_step * last, room);
                    ck_assert_uint_le(s.recv + s.recv_step * last, room);
                    ck_assert_uint_le(s.count, s.send);
                    if (s.send != s.recv)
                        ck_assert_uint_eq(s.count * bytes % 16, 0);
                }
}
END_TEST

START_TEST(elements_are_small_numbers)
{
    for (int type = 0; type < ncclNumTypes; type++)
        for (unsigned value = 0; value < 8; value++) {
            unsigned char element[8] = { 0 };
            double got;
            uint64_t word;
            ncs_bench_element(type, value, element);
            if (ncs_dtype_is_float(type)) {
                ncs_element_values(type, element, 1, &got);
                ck_assert_double_eq(got, value);
            } else {
                ncs_element_words(type, element, 1, &word);
                ck_assert_uint_eq(word, value);
            }
        }
}
END_TEST

START_TEST(percentiles_are_nearest_ranks)
{
    double time[101];
    struct ncs_bench_each e = { .time = time, .times = 101 };
    time[0] = 1e6; /* skipped */
    for (int i = 1; i <= 100; i++)
        time[i] = 101 - i;
    ncs_bench_summarize(&e, 1);
    ck_assert_double_eq(e.least, 1);
    ck_assert_double_eq(e.most, 100);
    ck_assert_double_eq(e.mean, 50.5);
    ck_assert_double_eq(e.p50, 50);
    ck_assert_double_eq(e.p95, 95);
    ck_assert_double_eq(e.p99, 99);
    ck_assert(fabs(e.deviation - sqrt((100.0 * 100 - 1) / 12)) < 1e-9);
    ck_assert_double_eq(time[0], 1e6); /* in order */
}
END_TEST

static uint64_t wrong_out, wrong_in;

static void add_wrong(void *arg, const struct ncs_bench_row *row)
{
    (void)arg;
    ck_assert(row->out.checked);
    wrong_out += row->out.wrong;
    wrong_in += row->in.wrong;
}

static enum ncs_verdict bench_with(const char *collective, struct ncs_plant plant, int launches)
{
    const struct ncs_bench_options o = { .least = 4096,
                                         .most = 4096,
                                         .step = 1,
                                         .iters = 2,
                                         .rounds = 1,
                                         .cycles = 1,
                                         .checks = 1,
                                         .type = ncclFloat32,
                                         .average = NCS_BENCH_MEAN,
                                         .launches = launches };
    const struct ncs_run_options run = {
        .driver = "sim", .ranks = 4, .hosts.devices = 8, .verify = true, .once = true, .plant = plant
    };
    wrong_out = wrong_in = 0;
    struct ncs_bench *b = ncs_bench_new(ncs_bench_find(collective), &o, &run, add_wrong, NULL);
    enum ncs_verdict verdict = ncs_bench_execute(b)->verdict;
    ncs_bench_free(b);
    return verdict;
}

/* Of calls, and of the launches of graphs of them. */
START_TEST(spoiled_results_are_counted)
{
    for (int launches = 0; launches <= 3; launches += 3) {
        ck_assert_int_eq(bench_with("all_reduce", (struct ncs_plant){ .kind = NCS_PLANT_NONE }, launches), NCS_PASS);
        ck_assert_uint_eq(wrong_out + wrong_in, 0);
        ck_assert_int_eq(bench_with("all_reduce", (struct ncs_plant){ .kind = NCS_PLANT_BIT, .rank = 1 }, launches), NCS_WRONG);
        ck_assert_uint_eq(wrong_out, 1);
        ck_assert_uint_eq(wrong_in, 1);
        ck_assert_int_eq(bench_with("all_gather", (struct ncs_plant){ .kind = NCS_PLANT_STALE, .rank = 2 }, launches), NCS_WRONG);
        ck_assert_uint_gt(wrong_out, 500); /* of 1024 elements; some are equal by chance */
    }
}
END_TEST

/* Results so large that they go past the caches, also where they are not aligned for that. */
START_TEST(large_results_are_right)
{
    static const char *const collectives[] = { "all_reduce", "reduce_scatter" };
    for (int i = 0; i < 4; i++) {
        const struct ncs_bench_options o = { .least = 17 << 20,
                                             .most = 17 << 20,
                                             .step = 1,
                                             .iters = 1,
                                             .rounds = 1,
                                             .cycles = 1,
                                             .checks = 1,
                                             .type = i < 2 ? ncclFloat32 : ncclBfloat16,
                                             .average = NCS_BENCH_MEAN,
                                             .unalign = (size_t)i % 2 };
        const struct ncs_run_options run = { .driver = "sim", .ranks = 3, .hosts.devices = 8, .verify = true, .once = true };
        wrong_out = wrong_in = 0;
        struct ncs_bench *b = ncs_bench_new(ncs_bench_find(collectives[i / 2]), &o, &run, add_wrong, NULL);
        ck_assert_int_eq(ncs_bench_execute(b)->verdict, NCS_PASS);
        ck_assert_uint_eq(wrong_out + wrong_in, 0);
        ncs_bench_free(b);
    }
}
END_TEST

/* A file as nccl-tests 2.19.6 writes it: no collective but in args, the root a text. */
START_TEST(baselines_of_nccl_tests_are_read)
{
    static const char text[] =
        "{\"version\":1,\"args\":[\"./build/reduce_perf\",\"-g\",\"2\"],\"nccl_version\":23007,"
        "\"config\":{\"nthreads\":1,\"ngpus\":2},\"results\":[{\"size\":64,\"count\":16,\"type\":\"float\","
        "\"redop\":\"sum\",\"root\":\"     1\",\"out_of_place\":{\"time\":10.0,\"alg_bw\":1.0,\"bus_bw\":1.0,"
        "\"nwrong\":0.0},\"in_place\":{\"time\":20.0}}]}";
    char file[] = "/tmp/ncclscript_bench_XXXXXX";
    FILE *out = fdopen(mkstemp(file), "w");
    fputs(text, out);
    fclose(out);
    struct ncs_error err = { 0 };
    struct ncs_bench_baseline *b = ncs_bench_baseline_read(file, &err);
    remove(file);
    ck_assert_msg(b, "%s", err.text);
    struct ncs_bench_setting setting = { .driver = "nccl", .ranks = 2 };
    ck_assert(ncs_bench_baseline_fits(b, &setting, &err));
    setting.driver = "sim";
    ck_assert(!ncs_bench_baseline_fits(b, &setting, &err));
    struct ncs_bench_row row = { .collective = ncs_bench_find("reduce"),
                                 .size = 64,
                                 .type = ncclFloat32,
                                 .op = ncclSum,
                                 .root = 1,
                                 .out = { .time = 10.4 },
                                 .in = { .time = 30 } };
    struct ncs_str slower = { 0 };
    size_t compared, count;
    ncs_bench_baseline_row(b, &row, 0.05, &slower);
    row.root = 0; /* is not in the file */
    ncs_bench_baseline_row(b, &row, 0.05, &slower);
    ncs_bench_baseline_counts(b, &compared, &count);
    ck_assert_uint_eq(compared, 2);
    ck_assert_uint_eq(count, 1);
    ck_assert_str_eq(slower.text, "#   reduce, 64 B, float, sum, root 1, in place: 30.00 us, was 20.00 us (+50.0 %)\n");
    ncs_str_free(&slower);
    ncs_bench_baseline_free(b);
}
END_TEST

NCS_TEST_MAIN("bench", bus_bandwidth_is_nccl_tests, names_of_programs_are_found, shapes_fit_their_buffers,
              elements_are_small_numbers, percentiles_are_nearest_ranks, spoiled_results_are_counted, large_results_are_right,
              baselines_of_nccl_tests_are_read)
