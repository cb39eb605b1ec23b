/* One run of a scenario in a process of its own, told in lines that can be compared. */
#ifndef NCS_CLI_TWIN_H
#define NCS_CLI_TWIN_H

#include <stddef.h>
#include <stdint.h>

#include "cli/option.h"
#include "cli/selection.h"
#include "run/run.h"

/* What is compared: of each kind the lines of both runs. A key that one side alone has is a difference,
 * but for values: what one of them could not check is not compared. */
enum ncs_twin_kind {
    NCS_TWIN_FINDING,     /* rule and culprits of the first error, where no rank's own explains it */
    NCS_TWIN_ERROR,       /* the first that ended a rank: its line and name */
    NCS_TWIN_EXPECTATION, /* that failed: rank and line */
    NCS_TWIN_WRONG,       /* a result: rank, call and line */
    NCS_TWIN_VALUE,       /* of a result that was checked: its fingerprint, "bound" where several are
                           * right */
};

struct ncs_twin_line {
    enum ncs_twin_kind kind;
    char *key, *text;
};

struct ncs_twin {
    enum ncs_verdict verdict;
    bool loaded;                  /* else what is wrong with the scenario has been said */
    char *reason;                 /* of a run that was skipped, or whose process died; or NULL */
    uint64_t checked, expectations;
    struct ncs_twin_line *line;   /* sorted */
    size_t lines, room;
};

/* 0 when the libraries of driver nccl can be opened; otherwise what is wrong is said, and the exit status
 * that it is. Nothing is loaded into this process: what is would not outlive a fork. */
int ncs_twin_libraries(const char *nccl_lib, const char *cudart_lib);

/* A run of the plan, of a file that does load. value: as of the options of `run` (run_options.h). */
void ncs_twin_run(const struct ncs_selection *selection, size_t run,
                  const struct ncs_option_value *value, struct ncs_twin *out);
void ncs_twin_free(struct ncs_twin *t); /* the contents */

#endif
