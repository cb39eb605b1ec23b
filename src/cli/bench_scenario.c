/* bench --scenario: runs a scenario on the simulator and prints how long its communication took. */
#include <stdio.h>

#include "api/model.h"
#include "bench/spans.h"
#include "cli/bench_options.h"
#include "cli/log.h"
#include "cli/output.h"
#include "cli/run_options.h"
#include "report/report.h"

/* Options for a scenario, too. The others say what bench itself calls: a scenario says that for itself. */
static const bool for_scenarios[NCS_BENCH_ROW_HELP + 1] = {
    [NCS_BENCH_ROW_SCENARIO] = true, [NCS_BENCH_ROW_SET] = true,    [NCS_BENCH_ROW_GPUS] = true,
    [NCS_BENCH_ROW_THREADS] = true,  [NCS_BENCH_ROW_MODEL] = true,  [NCS_BENCH_ROW_TIMEOUT] = true,
    [NCS_BENCH_ROW_MEMORY] = true,   [NCS_BENCH_ROW_FORMAT] = true, [NCS_BENCH_ROW_HELP] = true,
};

static bool bench_scenario_fits(const struct ncs_option_value *v)
{
    for (int row = 0; row < NCS_BENCH_ROW_HELP; row++)
        if (v[row].given && !for_scenarios[row]) {
            ncs_usage_error("bench", NULL, "--%s does not go with --scenario, which has calls of its own",
                            ncs_bench_option[row].name);
            return false;
        }
    return true;
}

/* With JSON on standard output, the report of the run is on standard error. */
static void bench_scenario_print(const struct ncs_scenario *scenario, const struct ncs_result *result, bool json)
{
    struct ncs_bench_spans spans = { 0 };
    struct ncs_str out = { 0 };
    struct ncs_report_style style = { .color = !json && ncs_wants_color(NCS_COLOR_AUTO, stdout) };
    ncs_report_text(
        &(struct ncs_report_run){ .scenario = scenario, .result = result, .as_expected = result->verdict == NCS_PASS }, &style,
        &out);
    (json ? ncs_err : ncs_out)(out.text);
    ncs_str_clear(&out);
    if (result->timeline)
        ncs_bench_spans(result, &spans);
    if (json) {
        ncs_bench_spans_json(&spans, scenario->file, &out);
    } else {
        ncs_str_addf(&out, "# Times are virtual, by the model %s: %s.\n", ncs_models[result->model].name,
                     ncs_models[result->model].about);
        ncs_bench_spans_text(&spans, &out);
    }
    ncs_out(out.text);
    ncs_bench_spans_free(&spans);
    ncs_str_free(&out);
}

static int bench_scenario_run(const struct ncs_option_value *v, struct ncs_script *script, const struct ncs_scenario *scenario,
                              bool json)
{
    struct ncs_log log = { .to_stderr = json };
    struct ncs_run_options o = ncs_run_make_options(v, scenario);
    struct ncs_program program = ncs_script_program(script, scenario);
    o.timeline = o.once = true;
    o.on_log = ncs_log_line;
    o.log_arg = &log;
    struct ncs_run *run = ncs_run_new(&o, &program, NULL, NULL);
    const struct ncs_result *result = ncs_run_execute(run);
    enum ncs_verdict verdict = result->verdict;
    bench_scenario_print(scenario, result, json);
    ncs_run_free(run);
    ncs_log_close(&log);
    return ncs_verdict_exit(verdict);
}

int ncs_bench_scenario(const struct ncs_option_value *v)
{
    struct ncs_option_value value[NCS_RUN_HELP + 1] = { 0 }; /* as of `run` */
    struct ncs_scenario scenario;
    struct ncs_error err = { 0 };
    const char *file = ncs_option_last(&v[NCS_BENCH_ROW_SCENARIO]);
    if (!bench_scenario_fits(v))
        return 2;
    int64_t threads = v[NCS_BENCH_ROW_THREADS].given ? v[NCS_BENCH_ROW_THREADS].number : 1,
            gpus = v[NCS_BENCH_ROW_GPUS].given ? v[NCS_BENCH_ROW_GPUS].number : 1;
    if (v[NCS_BENCH_ROW_THREADS].given || v[NCS_BENCH_ROW_GPUS].given)
        value[NCS_RUN_RANKS] = (struct ncs_option_value){ .given = true, .number = threads * gpus };
    value[NCS_RUN_TIMEOUT] = v[NCS_BENCH_ROW_TIMEOUT];
    value[NCS_RUN_MODEL] = v[NCS_BENCH_ROW_MODEL];
    value[NCS_RUN_SET] = v[NCS_BENCH_ROW_SET];
    struct ncs_script_settings settings = ncs_run_settings(value);
    ncs_scenario_init(&scenario, file);
    struct ncs_script *script = ncs_script_load(file, &settings, &scenario, &err);
    int status = 2;
    if (script)
        status = bench_scenario_run(value, script, &scenario, v[NCS_BENCH_ROW_FORMAT].number == 1);
    else
        ncs_print_error(&err);
    ncs_scenario_free(&scenario);
    ncs_script_free(script);
    return status;
}
