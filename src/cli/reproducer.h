/* A scenario that reproduces a recorded job: written, run, and compared with what the record shows. */
#ifndef NCS_CLI_REPRODUCER_H
#define NCS_CLI_REPRODUCER_H

#include "reproduce/emit.h"
#include "run/run.h"

/* The outcome of a run, as far as a reproducer keeps it. */
struct ncs_reproduced {
    enum ncs_verdict verdict;
    char *error;     /* the name of the first error that ended a rank; NULL = none */
    char *why;       /* class of the cause; NULL = none */
    int *rank; size_t ranks; /* its culprits */
};
void ncs_reproduced_of(const struct ncs_result *r, struct ncs_reproduced *out);
/* By rank, the statement by which a rank ends that does not come to its end: an error, or a fault that stops it. */
char **ncs_reproduced_last(const struct ncs_result *r, const struct ncs_reproduced *of);
void ncs_reproduced_free_last(char **last, const struct ncs_result *r);
void ncs_reproduced_free(struct ncs_reproduced *r); /* the contents */
bool ncs_reproduced_equal(const struct ncs_reproduced *a, const struct ncs_reproduced *b);

/* Runs the scenario in the file on the simulator, silently; seed 0 = none. False, with err, if it cannot be run. */
bool ncs_reproducer_run(const char *file, uint64_t seed, struct ncs_reproduced *out, struct ncs_error *err);

/* Runs the text of a scenario through a file of its own, for trials. */
bool ncs_reproducer_try(const char *text, bool yaml, uint64_t seed, struct ncs_reproduced *out, struct ncs_error *err);

/* The settings of a scenario that is made of a run with these options; NULL = they are not known. */
void ncs_reproducer_settings(const struct ncs_run_options *options, const struct ncs_reproduced *outcome,
                             struct ncs_workload_text *text);
/* Appends "hang: skipped-call, rank 2". */
void ncs_reproduced_add(const struct ncs_reproduced *r, struct ncs_str *out);
bool ncs_reproducer_is_yaml(const char *file); /* by its name */

/* Writes the job to the file (YAML if its name ends so), runs it, and prints on standard error whether it ends as `expected`;
 * if not, the file declares how it ends. `origin`: what it was made of, "dumps (Flight Recorder dumps)". `replace`: an
 * existing file is replaced. `options`: of the run that was recorded; NULL = it is not known. Returns an exit status: 0, or 1 if it ends otherwise, or 2 after an error. */
int ncs_reproducer_write(const char *file, bool replace, const struct ncs_workload *workload, const char *origin,
                         const struct ncs_reproduced *expected, const struct ncs_run_options *options);

#endif
