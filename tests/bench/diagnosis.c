/* How long an explanation takes: from the machine's verdict to the finished report, without the run itself, in
 * processor time, so that others on the machine do not count. Once as it is told of a run that cannot be made again,
 * and once with what is found tried on runs of its own. Usage: diagnosis [--ranks N] FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "driver/driver.h"
#include "report/report.h"
#include "run/private.h"
#include "script/script.h"

enum { RUNS = 9, MANY_RANKS = 256, RUNS_OF_MANY = 3 };

struct took {
    double diagnosis, report; /* ms */
    size_t findings, lines;
};

struct size {
    int ranks;
    double untried, tried; /* targets in ms; 0 = none */
};

static const struct ncs_machine *real;
static struct ncs_program scripted;
static double stopped, told, resumed; /* ms; 0 = not yet */
static int unfreed;                   /* ranks of the run itself */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The runs after the first one are trials. */
static enum ncs_stop run_and_look(void)
{
    enum ncs_stop stop = real->run();
    if (!stopped)
        stopped = now();
    return stop;
}

/* The first that the runner asks for once it has its findings; it tries them when the ranks are gone. */
static void stats_and_look(uint64_t *objects, uint64_t *bytes, uint64_t *trace)
{
    if (!told)
        told = now();
    real->stats(objects, bytes, trace);
}

static void free_and_look(void *rank)
{
    scripted.rank_free(rank);
    if (unfreed && --unfreed == 0)
        resumed = now();
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    return lines;
}

static void measure(const struct ncs_scenario *scenario, const struct ncs_driver *driver, bool tried, struct took *took)
{
    struct ncs_run_options options = {
        .driver = "sim",
        .ranks = scenario->ranks,
        .hosts = scenario->hosts,
        .eager = UINT64_MAX,
        .policy = scenario->policy,
        .verify = scenario->verify,
        .once = !tried,
    };
    struct ncs_program program = scripted;
    program.rank_free = free_and_look;
    stopped = told = resumed = 0;
    unfreed = scenario->ranks;
    struct ncs_run *run = ncs_run_new(&options, &program, NULL, NULL);
    const struct ncs_result *result = ncs_run_execute_on(run, driver);
    double end = now();
    struct ncs_report_run report = { .scenario = scenario, .result = result };
    struct ncs_report_style style = { 0 };
    struct ncs_str text = { 0 };
    ncs_report_text(&report, &style, &text);
    took->report = now() - end;
    took->diagnosis = told - stopped + end - resumed;
    took->findings = result->diagnosis.findings;
    took->lines = lines_of(text.text);
    ncs_str_free(&text);
    ncs_run_free(run);
}

static bool explain_once(const char *file, int ranks, bool tried, struct took *took)
{
    struct ncs_error err = { 0 };
    struct ncs_script_settings settings = { .policy = -1, .ranks = ranks };
    struct ncs_scenario scenario;
    ncs_scenario_init(&scenario, file);
    struct ncs_script *script = ncs_script_load(file, &settings, &scenario, &err);
    struct ncs_driver_choice choice = { .name = "sim" };
    const struct ncs_driver *sim = script ? ncs_driver_open(&choice, &err) : NULL;
    if (sim) {
        struct ncs_machine machine = *sim->machine;
        struct ncs_driver driver = *sim;
        real = sim->machine;
        machine.run = run_and_look;
        machine.stats = stats_and_look;
        driver.machine = &machine;
        scripted = ncs_script_program(script, &scenario);
        measure(&scenario, &driver, tried, took);
    } else {
        printf("%s: %s\n", file, err.text);
    }
    ncs_script_free(script);
    ncs_scenario_free(&scenario);
    return sim;
}

static int compare(const void *a, const void *b)
{
    const struct took *x = a, *y = b;
    double left = x->diagnosis + x->report, right = y->diagnosis + y->report;
    return (left > right) - (left < right);
}

/* The median of several. */
static bool explain(const char *file, int ranks, bool tried, struct took *out)
{
    struct took took[RUNS];
    int runs = ranks > MANY_RANKS ? RUNS_OF_MANY : RUNS;
    for (int i = 0; i < runs; i++)
        if (!explain_once(file, ranks, tried, &took[i]))
            return false;
    qsort(took, (size_t)runs, sizeof *took, compare);
    *out = took[runs / 2];
    return true;
}

static void say(const char *what, const struct took *t, double target)
{
    double both = t->diagnosis + t->report;
    printf("  %s %9.3f ms", what, both);
    if (target > 0)
        printf(" (target %g, ratio %.2f)", target, both / target);
}

static bool explain_both(const char *file, const struct size *size)
{
    struct took untried, tried;
    if (!explain(file, size->ranks, false, &untried) || !explain(file, size->ranks, true, &tried))
        return false;
    const char *name = strrchr(file, '/');
    printf("%-18s %5d ranks", name ? name + 1 : file, size->ranks);
    say("untried", &untried, size->untried);
    say("tried", &tried, size->tried);
    printf("  report %.3f ms, %zu finding%s, %zu lines\n", tried.report, tried.findings, tried.findings == 1 ? "" : "s",
           tried.lines);
    fflush(stdout);
    return true;
}

int main(int argc, char **argv)
{
    static const struct size usual[] = { { 8, 1, 5 }, { 64, 0, 0 }, { 1024, 50, 1000 } };
    bool asked = argc > 2 && strcmp(argv[1], "--ranks") == 0, well = true;
    struct size own = { asked ? atoi(argv[2]) : 0, 0, 0 };
    const struct size *size = asked ? &own : usual;
    size_t sizes = asked ? 1 : sizeof usual / sizeof *usual;
    int first = asked ? 3 : 1;
    if (first >= argc || (asked && own.ranks < 1)) {
        fprintf(stderr, "usage: diagnosis [--ranks N] FILE...\n");
        return 2;
    }
    ncs_mem_begin();
    for (size_t s = 0; s < sizes; s++)
        for (int i = first; i < argc; i++)
            well &= explain_both(argv[i], &size[s]);
    return well ? 0 : 1;
}
