/* ncclscript run: loads scenarios, runs each, reports. */
#include <stdio.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/run_options.h"
#include "cli/suite.h"

static int run_operands(const struct ncs_parsed *parsed)
{
    const struct ncs_option_value *v = parsed->value;
    char *schedule;
    struct ncs_suite suite = {
        .value = v,
        .json = v[NCS_RUN_FORMAT].number == 1,
        .quiet = v[NCS_RUN_QUIET].given,
        .style = { .color = ncs_wants_color((enum ncs_color)v[NCS_RUN_COLOR].number, stdout),
                   .verbose = v[NCS_RUN_VERBOSE].given },
    };
    suite.log = (struct ncs_log){ .quiet = suite.quiet, .to_stderr = suite.json };
    if (v[NCS_RUN_UNSAFE].given)
        fprintf(stderr, "ncclscript run: --unsafe: scripts may run programs and use files\n");
    struct ncs_files files = { 0 };
    struct ncs_error err;
    int status = 0;
    if (!ncs_run_read_schedule(v, &schedule, &err) || !ncs_run_options_fit(v, &err)) {
        ncs_print_error(&err);
        status = 2;
    }
    suite.schedule = schedule;
    for (size_t i = 0; i < parsed->operands && !status; i++)
        if (!ncs_files_add(&files, parsed->operand[i], &err)) {
            ncs_print_error(&err);
            status = 2;
        }
    if (!status)
        status = ncs_suite_run(&suite, &files);
    ncs_files_free(&files);
    ncs_free(schedule);
    ncs_log_close(&suite.log);
    return status;
}

static int run_main(const struct ncs_command *self, int argc, char **argv)
{
    struct ncs_parsed parsed;
    if (!ncs_options_parse(self, argc, argv, &parsed))
        return 2;
    int status = 0;
    if (parsed.help) {
        struct ncs_str out = { 0 };
        ncs_options_help(self, &out);
        ncs_out(out.text);
        ncs_str_free(&out);
    } else if (!parsed.operands) {
        ncs_usage_error(self->name, NULL, "no scenario was given");
        status = 2;
    } else {
        status = run_operands(&parsed);
    }
    ncs_parsed_free(self, &parsed);
    return status;
}

const struct ncs_command ncs_cmd_run = {
    .name = "run",
    .operands = "FILE|DIR...",
    .summary = "run scenarios and report what happened",
    .about = "A folder stands for all *.lua below it. Several scenarios end in one summary line,\n"
             "and the exit status is that of the worst.\n"
             "\n"
             "NCCL's environment variables do to the simulator what they do to NCCL; those that\n"
             "a scenario declares win. NCCL_DEBUG=INFO shows NCCL's log, on standard output, or\n"
             "on standard error beside --format json; NCCL_DEBUG_FILE names a file for it.\n",
    .option = ncs_run_option,
    .main = run_main,
};
