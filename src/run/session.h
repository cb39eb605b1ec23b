/* A run that goes on piece by piece, on the simulator: for the prompt, where people say what comes next.
 * Its program's ranks wait for lines (ncs_run_await); between ncs_run_begin and ncs_run_free the runner's
 * thread wakes them and lets the run go on, as often as it likes. ncs_run_execute is not for such a run. */
#ifndef NCS_RUN_SESSION_H
#define NCS_RUN_SESSION_H

#include "run/run.h"

/* Opens the machine and makes the ranks; nothing runs yet. False and err on failure: free the run. */
bool ncs_run_begin(struct ncs_run *run, struct ncs_error *err);

/* In a rank's context: waits for the next line. False when the run is over: unwind and return. */
bool ncs_run_await(struct ncs_run *run);
/* On the runner's thread: what ncs_run_await waits for has come to the rank, once it goes on. */
void ncs_run_call(struct ncs_run *run, int rank);

/* Goes on until nothing can happen any more, or, with events >= 0, until no rank can go on and so many
 * events have happened: then HELD while more are due. */
enum ncs_stop ncs_run_go_on(struct ncs_run *run, int64_t events);

/* How the run stands: ranks that wait for a line are at work, as far as the diagnosis goes. The caller
 * frees both; `snapshot` may be NULL. Also brings the numbers of the result up to date. */
void ncs_run_look(struct ncs_run *run, struct ncs_snapshot *snapshot, struct ncs_diagnosis *out);
const struct ncs_result *ncs_run_so_far(const struct ncs_run *run);

/* Async-signal-safe: scripts that compute give up their line, as if it had raised an error that nobody
 * can catch. It holds until the run has come to rest. */
void ncs_run_break(struct ncs_run *run);
bool ncs_run_is_broken(const struct ncs_run *run);

/* The memory budget is used up: nothing that the run shows from now on can be relied on. A line that
 * computes without end is broken, and the result's skip_reason says so. */
bool ncs_run_is_spent(const struct ncs_run *run);

#endif
