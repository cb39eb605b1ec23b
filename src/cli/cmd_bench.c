/* ncclscript bench: times collectives, with the options and columns of nccl-tests. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/model.h"
#include "api/version.h"
#include "base/file.h"
#include "base/near.h"
#include "base/quantity.h"
#include "base/safe.h"
#include "bench/document.h"
#include "bench/table.h"
#include "cli/bench_options.h"
#include "cli/command.h"
#include "cli/log.h"
#include "cli/memory.h"
#include "cli/output.h"
#include "report/report.h"

struct benching {
    const struct ncs_option_value *value;
    struct ncs_bench_setting setting;
    struct ncs_run_options run;
    struct ncs_bench_document *document;
    struct ncs_bench_baseline *baseline; /* NULL: --compare is not given */
    double threshold;
    struct ncs_str slower;
    struct ncs_log log;
    bool table; /* print it */
    bool ran, left_out;
    enum ncs_verdict verdict; /* the worst so far */
};

/* ---- output ---- */

static void print_table(const struct benching *b, struct ncs_str *text)
{
    if (text->bytes && b->table) {
        ncs_out(text->text);
        ncs_out_flush();
    }
    ncs_str_free(text);
}

static void print_setting(const struct benching *b)
{
    const struct ncs_bench_setting *s = &b->setting;
    const struct ncs_bench_options *o = &s->options;
    struct ncs_str out = { 0 };
    ncs_str_addf(&out, "# %s, driver %s: %d rank%s\n", s->program, s->driver, s->ranks, s->ranks == 1 ? "" : "s");
    if (o->clock == NCS_BENCH_VIRTUAL)
        ncs_str_addf(&out, "# Times are virtual, by the model %s: %s.\n", s->model, ncs_models[b->run.model].about);
    else if (strcmp(s->driver, "sim") == 0)
        ncs_str_add(&out, "# Times are those of this host, which simulates: they say nothing of a GPU.\n");
    ncs_str_addf(&out,
                 "# nThread %d nGpus %d minBytes %zu maxBytes %zu step: %zu(%s) warmup iters: %d iters: %d "
                 "agg iters: %d validation: %d graph: %d\n",
                 s->threads, s->gpus, o->least, o->most, o->factor > 1 ? o->factor : o->step, o->factor > 1 ? "factor" : "bytes",
                 o->warmup, o->iters, o->rounds, o->checks, o->launches);
    print_table(b, &out);
}

static const char *format_now(char *text, size_t room)
{
    time_t now = time(NULL);
    struct tm local;
    strftime(text, room, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &local));
    return text;
}

static void on_row(void *arg, const struct ncs_bench_row *row)
{
    struct benching *b = arg;
    struct ncs_str out = { 0 };
    char timestamp[32];
    ncs_bench_table_row(row, b->setting.options.timestamps ? format_now(timestamp, sizeof timestamp) : NULL, &out);
    print_table(b, &out);
    ncs_bench_document_row(b->document, row);
    if (b->baseline)
        ncs_bench_baseline_row(b->baseline, row, b->threshold, &b->slower);
}

/* A run that does not pass is reported as `run` reports it. */
static void report_failure(struct benching *b, const struct ncs_bench_collective *c, const struct ncs_result *result)
{
    struct ncs_scenario scenario;
    struct ncs_str name = { 0 }, out = { 0 };
    ncs_str_addf(&name, "bench %s", c->name);
    ncs_scenario_init(&scenario, name.text);
    ncs_report_text(&(struct ncs_report_run){ .scenario = &scenario, .result = result },
                    &(struct ncs_report_style){ .color = b->table && ncs_wants_color(NCS_COLOR_AUTO, stdout) }, &out);
    ncs_bench_document_error(b->document, out.text);
    if (b->table)
        ncs_out(out.text);
    else
        ncs_err(out.text);
    ncs_scenario_free(&scenario);
    ncs_str_free(&name);
    ncs_str_free(&out);
}

static void print_sums(const struct benching *b)
{
    struct ncs_str out = { 0 };
    size_t wrong;
    double busbw;
    ncs_bench_document_sums(b->document, &wrong, &busbw);
    ncs_str_addf(&out, "# %-20s : %zu %s\n", "Out of bounds values", wrong, wrong > 0 ? "FAILED" : "OK");
    ncs_str_addf(&out, "# %-20s : %g\n#\n", "Avg bus bandwidth", busbw);
    print_table(b, &out);
}

static bool write_document(struct benching *b)
{
    const char *file = ncs_option_last(&b->value[NCS_BENCH_ROW_OUTPUT]);
    struct ncs_str out = { 0 };
    struct ncs_error err = { 0 };
    bool ok = true;
    ncs_bench_document_text(b->document, &b->setting, &out);
    if (b->value[NCS_BENCH_ROW_FORMAT].number == 1 || (file && strcmp(file, "-") == 0))
        ncs_out_document(out.text, out.bytes);
    if (file && strcmp(file, "-") != 0)
        ok = ncs_file_write(file, out.text, out.bytes, true, &err);
    if (!ok) {
        ncs_print_error(&err);
        ncs_out_file_failed();
    }
    ncs_str_free(&out);
    return ok;
}

/* ---- comparison ---- */

static bool read_baseline(struct benching *b)
{
    const char *file = ncs_option_last(&b->value[NCS_BENCH_ROW_COMPARE]);
    struct ncs_error err = { 0 };
    if (!file)
        return true;
    b->baseline = ncs_bench_baseline_read(file, &err);
    if (b->baseline && ncs_bench_baseline_fits(b->baseline, &b->setting, &err))
        return true;
    ncs_print_error(&err);
    return false;
}

static void compare(struct benching *b)
{
    struct ncs_str out = { 0 };
    size_t compared, slower;
    const char *file = ncs_option_last(&b->value[NCS_BENCH_ROW_COMPARE]);
    ncs_bench_baseline_counts(b->baseline, &compared, &slower);
    ncs_str_add(&out, "# Compared with ");
    ncs_safe_line(&out, file);
    if (compared == 0)
        ncs_str_add(&out, ": it has none of these figures\n");
    else
        ncs_str_addf(&out, ": %zu time%s, %zu slower by more than %g %%\n", compared, compared == 1 ? "" : "s", slower,
                     100 * b->threshold);
    if (b->slower.text)
        ncs_str_add(&out, b->slower.text);
    print_table(b, &out);
    b->verdict = ncs_verdict_worse(b->verdict, compared == 0 ? NCS_EMPTY : slower > 0 ? NCS_WRONG : NCS_PASS);
}

/* ---- running ---- */

/* Lowers the largest size to what the memory budget allows, as nccl-tests does. */
static void fit_memory(struct benching *b, const struct ncs_bench_collective *c, struct ncs_bench_options *o)
{
    size_t budget = ncs_budget() / 2, ranks = (size_t)b->setting.ranks; /* the rest is for the ranks themselves */
    if (strcmp(b->setting.driver, "sim") != 0 || ncs_budget() == NCS_BUDGET_NONE)
        return;
    size_t before = o->most;
    while (o->most > 1 && ncs_bench_memory(c, o, b->setting.ranks) > budget / ranks)
        o->most /= 2;
    if (o->most == before)
        return;
    o->least = o->least > o->most ? o->most : o->least;
    struct ncs_str out = { 0 };
    char size[32], words[NCS_BUDGET_WORDS];
    ncs_str_addf(&out, "#\n# Reducing maxBytes to %zu (%s): %s\n", o->most, ncs_format_size(o->most, size, sizeof size),
                 ncs_budget_words(words));
    print_table(b, &out);
}

/* False, after a line that says why, if the collective cannot run on so many ranks. */
static bool can_run(struct benching *b, const struct ncs_bench_collective *c)
{
    int ranks = b->setting.ranks;
    struct ncs_str out = { 0 };
    if (!c->power_of_two || (ranks & (ranks - 1)) == 0)
        return true;
    ncs_str_addf(&out, "# left out: it needs a number of ranks that is a power of 2, not %d\n", ranks);
    print_table(b, &out);
    b->left_out = true;
    return false;
}

static void print_used(const struct benching *b, const struct ncs_bench *bench)
{
    static const char *const what[NCS_BENCH_STAGES] = {
        [NCS_BENCH_INITIALIZED] = "Initialization",
        [NCS_BENCH_ALLOCATED] = "User-Allocated",
        [NCS_BENCH_COLLECTED] = "Collective",
    };
    struct ncs_str out = { 0 };
    char size[32];
    int64_t total = 0;
    ncs_str_addf(&out, "# %-20s :", "GPU memory usage");
    for (int stage = NCS_BENCH_INITIALIZED; stage < NCS_BENCH_STAGES; stage++) {
        int64_t used = ncs_bench_used(bench, (enum ncs_bench_stage)stage);
        ncs_str_addf(&out, " %s %s%s |", what[stage], used < 0 ? "-" : "",
                     ncs_format_size((uint64_t)(used < 0 ? -used : used), size, sizeof size));
        total += used;
    }
    ncs_str_addf(&out, " Total %s\n", ncs_format_size((uint64_t)(total < 0 ? 0 : total), size, sizeof size));
    print_table(b, &out);
}

static void bench_one(struct benching *b, const struct ncs_bench_collective *c)
{
    struct ncs_str out = { 0 };
    struct ncs_bench_options o = b->setting.options;
    ncs_str_addf(&out, "#\n# Collective test starting: %s\n", c->name);
    print_table(b, &out);
    if (!can_run(b, c))
        return;
    fit_memory(b, c, &o);
    ncs_bench_table_head(&o, &out);
    print_table(b, &out);
    struct ncs_bench *bench = ncs_bench_new(c, &o, &b->run, on_row, b);
    const struct ncs_result *result = ncs_bench_execute(bench);
    b->setting.nccl_version = ncs_nccl_version_code(result->nccl);
    b->verdict = ncs_verdict_worse(b->verdict, result->verdict);
    if (result->verdict != NCS_PASS)
        report_failure(b, c, result);
    else if (o.memory)
        print_used(b, bench);
    b->ran = b->ran || result->verdict != NCS_SKIPPED;
    ncs_bench_free(bench);
}

static int bench_all(struct benching *b, const struct ncs_bench_collective *only)
{
    b->verdict = NCS_SKIPPED; /* gives way to every other */
    print_setting(b);
    for (const struct ncs_bench_collective *c = ncs_bench_collective; c->name; c++)
        if ((!only || c == only) && b->verdict != NCS_INTERRUPTED)
            bench_one(b, c);
    if (b->ran)
        print_sums(b);
    else if (b->left_out)
        b->verdict = NCS_EMPTY;
    if (b->baseline && (b->verdict == NCS_PASS || b->verdict == NCS_WRONG))
        compare(b);
    write_document(b);
    return ncs_verdict_exit(b->verdict);
}

static void on_bench_signal(int number)
{
    (void)number;
    ncs_run_interrupt();
}

static bool find_collective(const struct ncs_parsed *parsed, const struct ncs_bench_collective **only)
{
    const char *names[32], *name = parsed->operands ? parsed->operand[0] : NULL;
    struct ncs_str list = { 0 };
    size_t count = 0;
    if (!name || parsed->value[NCS_BENCH_ROW_SCENARIO].given) {
        ncs_usage_error("bench", NULL, name ? "a collective or --scenario, not both" : "no collective was given");
        return false;
    }
    *only = strcmp(name, "all") == 0 ? NULL : ncs_bench_find(name);
    if (*only || strcmp(name, "all") == 0)
        return true;
    for (const struct ncs_bench_collective *c = ncs_bench_collective; c->name; c++)
        ncs_str_addf(&list, "%s, ", names[count++] = c->name);
    names[count++] = "all";
    ncs_usage_error("bench", ncs_nearest(name, names, count), "unknown collective `%s`: expected %sor all", name, list.text);
    ncs_str_free(&list);
    return false;
}

static int bench_main(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    struct benching b = { .value = v };
    const struct ncs_bench_collective *only;
    const char *file = ncs_option_last(&v[NCS_BENCH_ROW_OUTPUT]);
    ncs_memory_limit("bench", &v[NCS_BENCH_ROW_MEMORY], 1);
    signal(SIGINT, on_bench_signal);
    signal(SIGTERM, on_bench_signal);
    if (v[NCS_BENCH_ROW_SCENARIO].given && parsed->operands == 0)
        return ncs_bench_scenario(v);
    if (!find_collective(parsed, &only) || !ncs_bench_read_setting(v, &b.setting) || !ncs_bench_read_threshold(v, &b.threshold))
        return 2;
    int status = 2;
    if (read_baseline(&b)) {
        if (file && strcmp(file, "-") == 0)
            ncs_out_divert();
        b.table = v[NCS_BENCH_ROW_FORMAT].number == 0;
        b.log.to_stderr = !b.table;
        b.run = ncs_bench_run_options(v, &b.setting);
        b.run.log_arg = &b.log;
        b.document = ncs_bench_document_new();
        status = bench_all(&b, only);
        ncs_bench_document_free(b.document);
    }
    ncs_log_close(&b.log);
    ncs_bench_baseline_free(b.baseline);
    ncs_str_free(&b.slower);
    return status;
}

static void offer_collectives(void (*on_word)(void *arg, const char *word), void *arg)
{
    for (const struct ncs_bench_collective *c = ncs_bench_collective; c->name; c++)
        on_word(arg, c->name);
    on_word(arg, "all");
}

const struct ncs_command ncs_cmd_bench = {
    .name = "bench",
    .operands = "COLLECTIVE|all|--scenario FILE",
    .summary = "time collectives, with the options and columns of nccl-tests",
    .about = "COLLECTIVE is a name from nccl-tests: all_reduce, broadcast, alltoall, sendrecv ...\n"
             "A command line of nccl-tests works unchanged:\n"
             "  ncclscript bench ./build/all_reduce_perf -b 8 -e 128M -f 2 -g 8\n"
             "\n"
             "bench calls NCCL or the simulator directly and times the calls of each size. Then it makes one\n"
             "call with known data and verifies every element. On the simulator, the times are those of this\n"
             "host (--clock host), or virtual (--clock virtual, --model). bench computes algbw and busbw as\n"
             "nccl-tests does. Each rank has a thread of its own, for any -t and -g.\n"
             "\n"
             "--scenario runs a scenario on the simulator and times its collectives, sends and receives by\n"
             "label (calls without a label by line).\n"
             "\n"
             "Exit status: 0 all is right, 1 an element was wrong or --compare found a slower time,\n"
             "5 nothing was measured or nothing compared; otherwise that of `run`.\n",
    .option = ncs_bench_option,
    .several = "one collective, or `all`",
    .words = offer_collectives,
    .main = bench_main,
};
