/* The options of `run`, and the settings that follow from them. */
#ifndef NCS_CLI_RUN_OPTIONS_H
#define NCS_CLI_RUN_OPTIONS_H

#include "cli/option.h"
#include "report/report.h"
#include "run/run.h"
#include "scenario/scenario.h"
#include "script/script.h"

/* clang-format off */
enum ncs_run_row {
    NCS_RUN_RANKS, NCS_RUN_DRIVER, NCS_RUN_NCCL_LIB, NCS_RUN_CUDART_LIB, NCS_RUN_NCCL, NCS_RUN_SEED,
    NCS_RUN_SCHEDULE, NCS_RUN_TIMEOUT, NCS_RUN_MEMORY, NCS_RUN_POLICY, NCS_RUN_MODEL, NCS_RUN_RANKS_AS, NCS_RUN_SET,
    NCS_RUN_NO_VERIFY, NCS_RUN_FAIL_ON, NCS_RUN_REPAIR, NCS_RUN_PROVE, NCS_RUN_UNSAFE, NCS_RUN_SELECT, NCS_RUN_LIST, NCS_RUN_REPEAT,
    NCS_RUN_FAIL_FAST,
    NCS_RUN_JOBS, NCS_RUN_PROCESSES, NCS_RUN_RENDEZVOUS, NCS_RUN_FORMAT, NCS_RUN_REPORT, NCS_RUN_DRAW, NCS_RUN_LEAKS, NCS_RUN_TRACE, NCS_RUN_HTML, NCS_RUN_RECORD, NCS_RUN_DUMP,
    NCS_RUN_NO_TIMES, NCS_RUN_COLOR,
    NCS_RUN_VERBOSE, NCS_RUN_QUIET, NCS_RUN_DEBUG,
    NCS_RUN_HELP,
};
/* clang-format on */

extern const struct ncs_option ncs_run_option[];

/* True if the options can be combined; otherwise false and err. */
bool ncs_run_options_fit(const struct ncs_option_value *v, struct ncs_error *err);
/* The text of --schedule, or of the file that it names, for ncs_free; NULL = not given. */
bool ncs_run_read_schedule(const struct ncs_option_value *v, char **schedule, struct ncs_error *err);

/* --format */
const struct ncs_report_format *ncs_run_format(const struct ncs_option_value *v);
/* --fail-on */
enum ncs_fail_on ncs_run_fail_on(const struct ncs_option_value *v);
/* --jobs: processes. */
int ncs_run_jobs(const struct ncs_option_value *v);

/* The settings for reading a scenario's declaration. */
struct ncs_script_settings ncs_run_settings(const struct ncs_option_value *v);
/* The command line over the scenario over the defaults. */
struct ncs_run_options ncs_run_make_options(const struct ncs_option_value *v, const struct ncs_scenario *s);
/* Appends the command that repeats one case as it was run now; `name` is its file and name. `seeded`: the
 * name contains the seed. */
void ncs_run_add_command(const struct ncs_option_value *v, const char *name, bool seeded, struct ncs_str *out);

#endif
