/* The options of `bench`, most of them with the letters and names of nccl-tests. */
#ifndef NCS_CLI_BENCH_OPTIONS_H
#define NCS_CLI_BENCH_OPTIONS_H

#include "bench/document.h"
#include "cli/option.h"

/* clang-format off */
enum ncs_bench_option {
    NCS_BENCH_ROW_LEAST, NCS_BENCH_ROW_MOST, NCS_BENCH_ROW_STEP, NCS_BENCH_ROW_FACTOR,
    NCS_BENCH_ROW_TYPE, NCS_BENCH_ROW_OP, NCS_BENCH_ROW_ROOT, NCS_BENCH_ROW_THREADS, NCS_BENCH_ROW_GPUS,
    NCS_BENCH_ROW_DEVICES, NCS_BENCH_ROW_DRIVER, NCS_BENCH_ROW_NCCL_LIB, NCS_BENCH_ROW_CUDART_LIB,
    NCS_BENCH_ROW_TIMEOUT, NCS_BENCH_ROW_MEMORY, NCS_BENCH_ROW_ITERS, NCS_BENCH_ROW_WARMUP,
    NCS_BENCH_ROW_ROUNDS, NCS_BENCH_ROW_CYCLES, NCS_BENCH_ROW_CHECK, NCS_BENCH_ROW_AVERAGE,
    NCS_BENCH_ROW_CLOCK, NCS_BENCH_ROW_MODEL, NCS_BENCH_ROW_EACH, NCS_BENCH_ROW_SKIP,
    NCS_BENCH_ROW_BLOCKING, NCS_BENCH_ROW_NULL_STREAM, NCS_BENCH_ROW_ENQUEUEING, NCS_BENCH_ROW_REGISTER,
    NCS_BENCH_ROW_CTA_POLICY, NCS_BENCH_ROW_USED, NCS_BENCH_ROW_TIMESTAMPS, NCS_BENCH_ROW_DEVICE_CTAS,
    NCS_BENCH_ROW_UNALIGN, NCS_BENCH_ROW_PARALLEL_INIT, NCS_BENCH_ROW_GRAPH, NCS_BENCH_ROW_DEVICE_CODE,
    NCS_BENCH_ROW_SCENARIO, NCS_BENCH_ROW_SET, NCS_BENCH_ROW_OUTPUT, NCS_BENCH_ROW_FORMAT,
    NCS_BENCH_ROW_COMPARE, NCS_BENCH_ROW_THRESHOLD, NCS_BENCH_ROW_HELP,
};
/* clang-format on */

extern const struct ncs_option ncs_bench_option[];

/* What is measured, and on what. False after a usage error. */
bool ncs_bench_read_setting(const struct ncs_option_value *v, struct ncs_bench_setting *setting);
struct ncs_run_options ncs_bench_run_options(const struct ncs_option_value *v, const struct ncs_bench_setting *setting);
/* --threshold as a share: 0.05 for "5%". False after a usage error. */
bool ncs_bench_read_threshold(const struct ncs_option_value *v, double *threshold);

/* Runs the scenario of --scenario; returns the exit status. */
int ncs_bench_scenario(const struct ncs_option_value *v);

#endif
