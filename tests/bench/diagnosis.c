/* How long an explanation takes: from the machine's verdict to the finished report, without the run
 * itself, in processor time, so that others on the machine do not count. The scenarios are those whose
 * reports have to fit a screen. Usage: diagnosis FOLDER [NAME] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "driver/driver.h"
#include "report/report.h"
#include "run/private.h"
#include "script/script.h"

enum { RUNS = 9 };

struct took {
    double diagnosis, report; /* ms */
    size_t findings, lines;
};

static const struct ncs_machine *real;
static double stopped, told; /* ms */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static enum ncs_stop run_and_look(void)
{
    enum ncs_stop stop = real->run();
    stopped = now();
    return stop;
}

/* The first that the runner asks for once it has its findings. */
static void stats_and_look(uint64_t *objects, uint64_t *bytes, uint64_t *trace)
{
    told = now();
    real->stats(objects, bytes, trace);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    return lines;
}

static bool explain_once(const char *file, int ranks, struct took *took)
{
    struct ncs_error err = { 0 };
    struct ncs_script_settings settings = { .policy = -1, .ranks = ranks };
    struct ncs_scenario scenario;
    ncs_scenario_init(&scenario, file);
    struct ncs_script *script = ncs_script_load(file, &settings, &scenario, &err);
    struct ncs_driver_choice choice = { .name = "sim" };
    const struct ncs_driver *sim = script ? ncs_driver_open(&choice, &err) : NULL;
    if (!sim) {
        printf("%s: %s\n", file, err.text);
        return false;
    }
    struct ncs_machine machine = *sim->machine;
    struct ncs_driver driver = *sim;
    real = sim->machine;
    machine.run = run_and_look;
    machine.stats = stats_and_look;
    driver.machine = &machine;
    struct ncs_run_options options = {
        .driver = "sim", .ranks = scenario.ranks, .devices = scenario.devices, .eager = UINT64_MAX,
        .policy = scenario.policy, .verify = scenario.verify, .once = true,
    };
    struct ncs_program program = ncs_script_program(script, &scenario);
    struct ncs_run *run = ncs_run_new(&options, &program, NULL, NULL);
    const struct ncs_result *result = ncs_run_execute_on(run, &driver);
    struct ncs_report_run report = { .scenario = &scenario, .result = result };
    struct ncs_report_style style = { 0 };
    struct ncs_str text = { 0 };
    double begin = now();
    ncs_report_text(&report, &style, &text);
    took->report = now() - begin;
    took->diagnosis = told - stopped;
    took->findings = result->diagnosis.findings;
    took->lines = lines_of(text.text);
    ncs_str_free(&text);
    ncs_run_free(run);
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct took *x = a, *y = b;
    double left = x->diagnosis + x->report, right = y->diagnosis + y->report;
    return (left > right) - (left < right);
}

static bool explain(const char *folder, const char *name, int ranks, double target)
{
    struct took took[RUNS];
    char file[512];
    snprintf(file, sizeof file, "%s/%s.lua", folder, name);
    for (int i = 0; i < RUNS; i++)
        if (!explain_once(file, ranks, &took[i]))
            return false;
    qsort(took, RUNS, sizeof *took, compare);
    const struct took *median = &took[RUNS / 2];
    double both = median->diagnosis + median->report;
    printf("%-14s %5d ranks  diagnosis %9.3f ms, report %8.3f ms  target %g ms, ratio %.2f  (%zu "
           "finding%s, %zu lines)\n",
           name, ranks, median->diagnosis, median->report, target, both / target, median->findings,
           median->findings == 1 ? "" : "s", median->lines);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {
        "skipped_call", "comm_order", "ring", "half_skip", "no_two_agree", "swapped", "errors",
        "killed", "wrong_peer", "sends", "pairs", "barrier", "keys", "group_end", "split", "parts",
    };
    static const struct {
        int ranks;
        double target;
    } sizes[] = { { 8, 1 }, { 1024, 50 } };
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: diagnosis FOLDER [NAME]\n");
        return 2;
    }
    bool well = true;
    ncs_mem_begin();
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (argc == 2 || strcmp(argv[2], names[i]) == 0)
                well &= explain(argv[1], names[i], sizes[s].ranks, sizes[s].target);
    return well ? 0 : 1;
}
