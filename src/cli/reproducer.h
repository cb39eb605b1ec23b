/* A scenario that reproduces a recorded job: written, run, and compared with what the record shows. */
#ifndef NCS_CLI_REPRODUCER_H
#define NCS_CLI_REPRODUCER_H

#include "reproduce/write.h"

/* The workload of a run of the file, and how it ended. False if it has no calls. */
bool ncs_reproducer_read(const struct ncs_result *result, const char *file, struct ncs_workload *workload,
                         struct ncs_reproduced *expected);

/* True, with err, if the host had no memory for the run or for a trial of it: then nothing follows from how it ended. */
bool ncs_reproducer_was_short(const struct ncs_result *result, struct ncs_error *err);

/* Runs the text of a scenario on the simulator, silently, through a file of its own; seed 0 = none. False, with err, if it cannot be
 * run. */
bool ncs_reproducer_try(const char *text, bool yaml, uint64_t seed, struct ncs_reproduced *out, struct ncs_error *err);

/* Adds to the error of a file that exists how to replace it. `force`: --force was given. */
void ncs_reproducer_hint_force(const char *file, bool force, struct ncs_error *err);

/* Runs the job as a scenario, writes it to the file (YAML if its name ends so), and prints on standard error whether it ends as
 * `expected`; if not, the file declares how it ends. `origin`: what it was made of, "dumps (Flight Recorder dumps)". `replace`: an
 * existing file is replaced. `options`: of the run that was recorded; NULL = it is not known. Returns an exit status: 0, or 1
 * if it ends otherwise, or 2 after an error. */
int ncs_reproducer_write(const char *file, bool replace, const struct ncs_workload *workload, const char *origin,
                         const struct ncs_reproduced *expected, const struct ncs_run_options *options);

/* Runs the scenario that a program has written, and prints on standard error whether it ends as it declares; if not, the file
 * gets a comment. A file that is no scenario is removed. False after an error, which it has printed. `ways`: all ways to
 * write it (ncs_reproduced_add_ways): the first that ends as it declares takes the place of a file that does not. `status`: the program's exit status, of which the scenario may know nothing. */
bool ncs_reproducer_check(const char *file, const struct ncs_str *ways, int status);

#endif
