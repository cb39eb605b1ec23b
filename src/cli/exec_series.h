/* Several starts of one program under exec: with many seeds, or with a fault at each place where it calls. */
#ifndef NCS_CLI_EXEC_SERIES_H
#define NCS_CLI_EXEC_SERIES_H

#include <stdint.h>

#include "base/error.h"
#include "cli/exec_program.h"

struct ncs_exec_series {
    struct ncs_exec_start start; /* of each; the series sets `more` and `output` */
    bool verbose;                /* also prints what each start prints; else of the first of each bad end */
    bool json;
    bool timed; /* a time limit is set; else the series sets one */
};

/* Runs the program `times` times, with the seeds from `seed` on. Prints a table on standard output. Returns the status of
 * the first run whose status is not 0. */
int ncs_exec_repeat(const struct ncs_exec_series *series, int64_t times, int64_t seed);

/* `fault`: a kind of fault and its fields without the time, as "kill rank=2" (run/fault_text.h). Runs the program once, then
 * once for each place where the rank calls NCCL or CUDA, with the fault there. Prints a table. Returns 0 if no run ended by
 * a hang, a wrong result, a signal or the time limit; else the status of the first that did. */
int ncs_exec_sweep(const struct ncs_exec_series *series, const char *fault);
/* False, with err, if the text is no fault that a sweep can use. */
bool ncs_exec_sweep_check(const char *fault, struct ncs_error *err);

#endif
