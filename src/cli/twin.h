/* Runs a scenario in a process of its own; the result is lines that can be compared. */
#ifndef NCS_CLI_TWIN_H
#define NCS_CLI_TWIN_H

#include <stddef.h>
#include <stdint.h>

#include "cli/option.h"
#include "cli/selection.h"
#include "run/run.h"

/* The lines that are compared, by kind. A key on one side alone is a difference, except for values: a
 * value that only one side could check is not compared. */
enum ncs_twin_kind {
    NCS_TWIN_FINDING,     /* rule and culprits of the first error, unless a rank's own error explains it */
    NCS_TWIN_ERROR,       /* the first that ended a rank: its line and name */
    NCS_TWIN_EXPECTATION, /* a failed one: rank and line */
    NCS_TWIN_WRONG,       /* a wrong result: rank, call and line */
    NCS_TWIN_VALUE,       /* of a checked result: its fingerprint, or "bound" if several are right: either is equal to it */
};

struct ncs_twin_line {
    enum ncs_twin_kind kind;
    char *key, *text;
};

struct ncs_twin {
    enum ncs_verdict verdict;
    bool loaded;  /* else the mistakes of the scenario have been printed */
    char *reason; /* of a run that was skipped, or whose process died; or NULL */
    uint64_t checked, expectations;
    char nccl[16];              /* the version */
    struct ncs_twin_line *line; /* sorted */
    size_t lines, room;
};

/* 0 if the libraries of driver nccl can be opened; otherwise prints the reason and returns the exit
 * status. Loads nothing into this process: a loaded library would not survive a fork. */
int ncs_twin_libraries(const char *nccl_lib, const char *cudart_lib);

/* A run of the selection whose file loads. value: as of the options of `run` (run_options.h). */
void ncs_twin_run(const struct ncs_selection *selection, size_t run, const struct ncs_option_value *value, struct ncs_twin *out);
void ncs_twin_free(struct ncs_twin *t); /* the contents */

#endif
