#include "cli/bench_options.h"

#include <stdlib.h>
#include <string.h>

#include "api/model.h"
#include "bench/table.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/memory.h"
#include "driver/driver.h"
#include "scenario/scenario.h"

enum { PRESET_RANKS = 8 };

static const char *const drivers[] = { "sim", "nccl", NULL };
static const char *const clocks[] = { "host", "virtual", NULL };
static const char *const all[] = { "all", NULL };
static const char *const op_words[] = { "sum", "prod", "max", "min", "avg", "mulsum", "all", NULL };
static const char *const type_words[] = {
    "int8",   "uint8", "int32",   "uint32",  "int64",   "uint64", "half", "float",      "double",     "bfloat16", "f8e4m3",
    "f8e5m2", "all",   "float16", "float32", "float64", "char",   "int",  "float8e4m3", "float8e5m2", NULL,
};

const struct ncs_option ncs_bench_option[] = {
    [NCS_BENCH_ROW_LEAST] = { "minbytes", 'b', NCS_OPTION_SIZE, "SIZE", "32M", "Sizes", "begin with this size", NULL, 1, 0 },
    [NCS_BENCH_ROW_MOST] = { "maxbytes", 'e', NCS_OPTION_SIZE, "SIZE", "32M", "Sizes", "end with this size", NULL, 1, 0 },
    [NCS_BENCH_ROW_STEP] = { "stepbytes", 'i', NCS_OPTION_SIZE, "SIZE", "1M", "Sizes", "add this for the next size", NULL, 1, 0 },
    [NCS_BENCH_ROW_FACTOR] = NCS_ROW_NUMBER("stepfactor", 'f', "N", NULL, "Sizes",
                                            "multiply by this for the next size, instead of adding", 1, 1 << 30),
    [NCS_BENCH_ROW_TYPE] = { "datatype", 'd', NCS_OPTION_CHOICE, "TYPE|all", "float", "Sizes", "type of the elements", type_words,
                             0, 0 },
    [NCS_BENCH_ROW_OP] = NCS_ROW_WORDS("op", 'o', "sum", "Sizes", "operator of reductions", op_words),
    [NCS_BENCH_ROW_ROOT] = { "root", 'r', NCS_OPTION_INT, "RANK|all", "0", "Sizes", "root of collectives that have one", all, 0,
                             NCS_RANKS_MOST - 1 },
    [NCS_BENCH_ROW_THREADS] = NCS_ROW_NUMBER("nthreads", 't', "N", "1", "Ranks", "threads; ranks = -t times -g", 1,
                                             NCS_RANKS_MOST),
    [NCS_BENCH_ROW_GPUS] = NCS_ROW_NUMBER("ngpus", 'g', "N", "8, on NCCL all", "Ranks", "GPUs per thread", 1, NCS_RANKS_MOST),
    [NCS_BENCH_ROW_DEVICES] = NCS_ROW_NUMBER("devices", 0, "N", "8", "Ranks", "GPUs per host of the simulator", 1, 64),
    [NCS_BENCH_ROW_DRIVER] = NCS_ROW_WORDS("driver", 0, "sim", "Ranks", "the simulator, or real NCCL", drivers),
    [NCS_BENCH_ROW_NCCL_LIB] = NCS_ROW_TEXTS("nccl-lib", 0, "PATH", "libnccl.so.2", "Ranks", "the NCCL library of driver nccl"),
    [NCS_BENCH_ROW_CUDART_LIB] = NCS_ROW_TEXTS("cudart-lib", 0, "PATH", "libcudart.so.13", "Ranks",
                                               "the CUDA runtime library of driver nccl"),
    [NCS_BENCH_ROW_TIMEOUT] = NCS_ROW_TIME("timeout", 'T', NULL, "Ranks",
                                           "end after this time; on NCCL, after this time without progress"),
    [NCS_BENCH_ROW_MEMORY] = NCS_OPTION_MEMORY("Ranks"),
    [NCS_BENCH_ROW_ITERS] = NCS_ROW_NUMBER("iters", 'n', "N", "20", "Timing", "number of calls that are timed together", 1,
                                           100000000),
    [NCS_BENCH_ROW_WARMUP] = NCS_ROW_NUMBER("warmup_iters", 'w', "N", "1", "Timing", "number of calls before the timing", 0,
                                            100000000),
    [NCS_BENCH_ROW_ROUNDS] = NCS_ROW_NUMBER("agg_iters", 'm', "N", "1", "Timing", "number of calls in one group", 1, 1000000),
    [NCS_BENCH_ROW_CYCLES] = NCS_ROW_NUMBER("run_cycles", 'N', "N", "1", "Timing", "repeat the sizes, 0: until interrupted", 0,
                                            1000000000),
    [NCS_BENCH_ROW_CHECK] = NCS_ROW_NUMBER("check", 'c', "N", "1", "Timing", "verify N calls of each size, 0: none", 0, 1000000),
    [NCS_BENCH_ROW_AVERAGE] = NCS_ROW_NUMBER("average", 'a', "0..3", "1", "Timing",
                                             "which time: 0 rank 0, 1 the mean, 2 the fastest, 3 the slowest", 0, 3),
    [NCS_BENCH_ROW_CLOCK] = NCS_ROW_WORDS("clock", 0, "host", "Timing", "this host's time, or the simulator's virtual time",
                                          clocks),
    [NCS_BENCH_ROW_MODEL] = NCS_ROW_WORDS("model", 0, "plain", "Timing", "model virtual time on the links of this machine",
                                          ncs_model_names),
    [NCS_BENCH_ROW_EACH] = NCS_ROW_NUMBER("per_iter_timing", 'I', "0|1", "0", "Timing",
                                          "also time each call by itself: least, most, p99", 0, 1),
    [NCS_BENCH_ROW_SKIP] = NCS_ROW_NUMBER("per_iter_skip", 'K', "N", "0", "Timing",
                                          "leave the first N calls out of these figures", 0, 100000000),
    [NCS_BENCH_ROW_BLOCKING] = NCS_ROW_NUMBER("blocking", 'z', "0..3", "0", "Timing",
                                              "wait after 0 the last call, 1 each and for all ranks, 2 each, 3 each group", 0, 3),
    [NCS_BENCH_ROW_NULL_STREAM] = NCS_ROW_NUMBER("stream_null", 'y', "0|1", "0", "Timing", "use the default stream", 0, 1),
    [NCS_BENCH_ROW_ENQUEUEING] = NCS_ROW_NUMBER("report_cputime", 'C', "0|1", "0", "Timing",
                                                "report the time that a rank takes to enqueue a call", 0, 1),
    [NCS_BENCH_ROW_REGISTER] = NCS_ROW_NUMBER("local_register", 'R', "0..2", "0", "Timing",
                                              "register the buffers: 1 with the communicator, 2 as symmetric windows", 0, 2),
    [NCS_BENCH_ROW_CTA_POLICY] = NCS_ROW_NUMBER("cta_policy", 'x', "0..2", NULL, "Timing",
                                                "the communicator's CTA policy: 0 default, 1 efficiency, 2 none", 0, 2),
    [NCS_BENCH_ROW_UNALIGN] = NCS_ROW_NUMBER("unalign", 'u', "N", "0", "Timing", "begin buffers at this element", 0, 1 << 20),
    [NCS_BENCH_ROW_PARALLEL_INIT] = NCS_ROW_NUMBER("parallel_init", 'p', "0|1", "0", "Timing",
                                                   "accepted: ranks always initialize in parallel", 0, 1),
    [NCS_BENCH_ROW_GRAPH] = NCS_ROW_NUMBER("cudagraph", 'G', "N", "0", "Timing",
                                           "capture the calls in a graph and launch it N times, 0: no graph", 0, 1000000),
    [NCS_BENCH_ROW_DEVICE_CODE] = NCS_ROW_NUMBER("device_implementation", 'D', "0", "0", "Timing",
                                                 "only 0: no kernels of the device API here", 0, 0),
    [NCS_BENCH_ROW_DEVICE_CTAS] = NCS_ROW_NUMBER("device_cta_count", 'V', "N", "16", "Timing",
                                                 "accepted: only kernels of the device API use it", 1, 127),
    [NCS_BENCH_ROW_SCENARIO] = NCS_ROW_TEXTS("scenario", 0, "FILE", NULL, "Scenarios",
                                             "time the calls of a scenario, by their labels, in virtual time"),
    [NCS_BENCH_ROW_SET] = NCS_ROW_TEXTS("set", 0, "NAME=VALUE", NULL, "Scenarios",
                                        "set a parameter of the scenario; may be given again"),
    [NCS_BENCH_ROW_TIMESTAMPS] = NCS_ROW_NUMBER("report_timestamps", 'S', "0|1", "0", "Output",
                                                "end each line with the time of day", 0, 1),
    [NCS_BENCH_ROW_USED] = NCS_ROW_NUMBER("memory_report", 'M', "0|1", "0", "Output", "report the use of device memory", 0, 1),
    [NCS_BENCH_ROW_OUTPUT] = NCS_ROW_TEXTS("output_file", 'J', "FILE", NULL, "Output",
                                           "also write the figures as JSON; -: to standard output"),
    [NCS_BENCH_ROW_FORMAT] = NCS_ROW_WORDS("format", 0, "text", "Output", "the table, or one JSON object", ncs_text_or_json),
    [NCS_BENCH_ROW_COMPARE] = NCS_ROW_TEXTS("compare", 0, "FILE", NULL, "Output",
                                            "exit with 1 if a time is slower than in this file of -J or of nccl-tests"),
    [NCS_BENCH_ROW_THRESHOLD] = NCS_ROW_TEXTS("threshold", 0, "PERCENT", "5%", "Output", "how much slower a time may be"),
    [NCS_BENCH_ROW_HELP] = NCS_OPTION_HELP,
    { 0 },
};

static int64_t option_or(const struct ncs_option_value *v, int64_t preset)
{
    return v->given ? v->number : preset;
}

static int word_index(const struct ncs_option_value *v, const char *const *words, const char *preset)
{
    int i = 0;
    if (v->given)
        return (int)v->number;
    while (strcmp(words[i], preset) != 0)
        i++;
    return i;
}

static struct ncs_bench_options bench_options(const struct ncs_option_value *v)
{
    const char *type = type_words[word_index(&v[NCS_BENCH_ROW_TYPE], type_words, "float")];
    int op = word_index(&v[NCS_BENCH_ROW_OP], op_words, "sum");
    return (struct ncs_bench_options){
        .least = (size_t)option_or(&v[NCS_BENCH_ROW_LEAST], 32 << 20),
        .most = (size_t)option_or(&v[NCS_BENCH_ROW_MOST], 32 << 20),
        .step = (size_t)option_or(&v[NCS_BENCH_ROW_STEP], 1 << 20),
        .factor = (size_t)option_or(&v[NCS_BENCH_ROW_FACTOR], 1),
        .iters = (int)option_or(&v[NCS_BENCH_ROW_ITERS], 20),
        .warmup = (int)option_or(&v[NCS_BENCH_ROW_WARMUP], 1),
        .rounds = (int)option_or(&v[NCS_BENCH_ROW_ROUNDS], 1),
        .launches = (int)option_or(&v[NCS_BENCH_ROW_GRAPH], 0),
        .cycles = (int)option_or(&v[NCS_BENCH_ROW_CYCLES], 1),
        .checks = (int)option_or(&v[NCS_BENCH_ROW_CHECK], 1),
        .type = strcmp(type, "all") == 0 ? -1 : ncs_bench_type(type),
        .op = op == NCS_BENCH_OPS ? -1 : op,
        .root = (int)option_or(&v[NCS_BENCH_ROW_ROOT], 0),
        .average = (enum ncs_bench_average)option_or(&v[NCS_BENCH_ROW_AVERAGE], NCS_BENCH_MEAN),
        .blocking = (enum ncs_bench_blocking)option_or(&v[NCS_BENCH_ROW_BLOCKING], NCS_BENCH_FREE),
        .clock = (enum ncs_bench_clock)option_or(&v[NCS_BENCH_ROW_CLOCK],
                                                 v[NCS_BENCH_ROW_MODEL].given ? NCS_BENCH_VIRTUAL : NCS_BENCH_HOST),
        .each = v[NCS_BENCH_ROW_EACH].number == 1,
        .skip = (int)option_or(&v[NCS_BENCH_ROW_SKIP], 0),
        .null_stream = v[NCS_BENCH_ROW_NULL_STREAM].number == 1,
        .enqueueing = v[NCS_BENCH_ROW_ENQUEUEING].number == 1,
        .registration = (enum ncs_bench_registration)option_or(&v[NCS_BENCH_ROW_REGISTER], NCS_BENCH_UNREGISTERED),
        .cta_policy = (int)option_or(&v[NCS_BENCH_ROW_CTA_POLICY], -1),
        .memory = v[NCS_BENCH_ROW_USED].number == 1,
        .timestamps = v[NCS_BENCH_ROW_TIMESTAMPS].number == 1,
        .unalign = (size_t)option_or(&v[NCS_BENCH_ROW_UNALIGN], 0),
    };
}

static bool bench_options_fit(const struct ncs_option_value *v, const struct ncs_bench_setting *s)
{
    const struct ncs_bench_options *o = &s->options;
    const char *wrong = NULL;
    if (o->least > o->most)
        wrong = "--minbytes is larger than --maxbytes";
    else if (o->each && o->skip >= o->iters)
        wrong = "--per_iter_skip leaves none of the --iters calls";
    else if (s->ranks > NCS_RANKS_MOST)
        wrong = "-t times -g are more than 65536 ranks";
    else if (o->root >= s->ranks)
        wrong = "--root is no rank: there are -t times -g";
    else if (o->launches > 0 && o->each)
        wrong = "--per_iter_timing times single calls: it does not go with --cudagraph";
    else if (o->launches > 0 && o->blocking != NCS_BENCH_FREE)
        wrong = "--blocking waits after calls, and nothing can wait inside a graph: it does not go with --cudagraph";
    else if (o->launches > 0 && o->null_stream)
        wrong = "the default stream cannot be captured: --stream_null does not go with --cudagraph";
    else if (o->clock == NCS_BENCH_VIRTUAL && v[NCS_BENCH_ROW_DRIVER].number == 1)
        wrong = "--clock virtual is for --driver sim: real NCCL has no virtual time";
    else if (v[NCS_BENCH_ROW_MODEL].given && o->clock == NCS_BENCH_HOST)
        wrong = "--model makes virtual times: it does not go with --clock host";
    else if (v[NCS_BENCH_ROW_THRESHOLD].given && !v[NCS_BENCH_ROW_COMPARE].given)
        wrong = "--threshold is for --compare";
    if (wrong)
        ncs_usage_error("bench", NULL, "%s", wrong);
    return !wrong;
}

bool ncs_bench_read_threshold(const struct ncs_option_value *v, double *threshold)
{
    const char *text = ncs_option_last(&v[NCS_BENCH_ROW_THRESHOLD]);
    char *end;
    double percent = text ? strtod(text, &end) : 5;
    bool fine = !text || (end != text && (!*end || strcmp(end, "%") == 0) && percent >= 0 && percent < 1e6);
    if (!fine)
        ncs_usage_error("bench", NULL, "`--threshold %s`: expected a percentage, as 5%%", text);
    *threshold = percent / 100;
    return fine;
}

/* The ranks that are asked for; otherwise all GPUs, or as many as a usual host has. */
static int ranks_of_options(const struct ncs_option_value *v, struct ncs_bench_setting *s)
{
    int64_t gpus = option_or(&v[NCS_BENCH_ROW_GPUS], PRESET_RANKS), threads = option_or(&v[NCS_BENCH_ROW_THREADS], 1);
    if (!v[NCS_BENCH_ROW_GPUS].given && v[NCS_BENCH_ROW_DRIVER].number == 1) {
        struct ncs_error err = { 0 };
        struct ncs_driver_choice choice = { "nccl", ncs_option_last(&v[NCS_BENCH_ROW_NCCL_LIB]),
                                            ncs_option_last(&v[NCS_BENCH_ROW_CUDART_LIB]) };
        const struct ncs_driver *driver = ncs_driver_open(&choice, &err);
        const char *why;
        int devices = driver ? ncs_driver_devices(driver->api, &why) : 0;
        gpus = devices > threads ? devices / threads : 1;
    }
    s->gpus = (int)gpus;
    s->threads = (int)threads;
    return threads * gpus > INT32_MAX ? INT32_MAX : (int)(threads * gpus);
}

bool ncs_bench_read_setting(const struct ncs_option_value *v, struct ncs_bench_setting *s)
{
    *s = (struct ncs_bench_setting){ .program = ncs_program_version,
                                     .driver = drivers[v[NCS_BENCH_ROW_DRIVER].number],
                                     .model = ncs_models[v[NCS_BENCH_ROW_MODEL].number].name,
                                     .options = bench_options(v) };
    s->ranks = ranks_of_options(v, s);
    return bench_options_fit(v, s);
}

struct ncs_run_options ncs_bench_run_options(const struct ncs_option_value *v, const struct ncs_bench_setting *s)
{
    bool real = v[NCS_BENCH_ROW_DRIVER].number == 1;
    return (struct ncs_run_options){
        .driver = s->driver,
        .nccl_lib = ncs_option_last(&v[NCS_BENCH_ROW_NCCL_LIB]),
        .cudart_lib = ncs_option_last(&v[NCS_BENCH_ROW_CUDART_LIB]),
        .ranks = s->ranks,
        .hosts.devices = (int)option_or(&v[NCS_BENCH_ROW_DEVICES], PRESET_RANKS),
        .eager = UINT64_MAX,
        .model = (int)v[NCS_BENCH_ROW_MODEL].number,
        .verify = s->options.checks > 0,
        .timeout = v[NCS_BENCH_ROW_TIMEOUT].number,
        .needs_gpus = real ? s->ranks : 0,
        .once = true,
        .on_log = ncs_log_line,
    };
}
