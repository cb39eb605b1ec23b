/* Runs scenarios and prints their reports:
 *
 *   cc -o run examples/run.c $(pkg-config --cflags --libs ncclscript)
 *   ./run FILE... */
#include <ncclscript/ncclscript.h>
#include <stdio.h>

static int run_file(const char *file)
{
    ncclscript_scenario *scenario;
    ncclscript_report *report;
    int worst = 0;

    if (ncclscript_open(file, NULL, &scenario) != NCCLSCRIPT_OK) {
        fprintf(stderr, "%s\n", ncclscript_error(scenario));
        worst = NCCLSCRIPT_INVALID;
    }
    for (size_t i = 0; i < ncclscript_cases(scenario); i++) {
        if (ncclscript_run(scenario, i, &report) != NCCLSCRIPT_OK) {
            fprintf(stderr, "%s\n", ncclscript_error(scenario));
            worst = NCCLSCRIPT_INVALID;
            continue;
        }
        fputs(ncclscript_report_text(report), stdout);
        if (!ncclscript_report_as_expected(report))
            worst = ncclscript_report_exit_status(report);
        ncclscript_report_free(report);
    }
    ncclscript_close(scenario);
    return worst;
}

int main(int argc, char **argv)
{
    int status = 0;
    for (int i = 1; i < argc; i++) {
        int one = run_file(argv[i]);
        status = one > status ? one : status;
    }
    return status;
}
