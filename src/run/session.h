/* A run that continues piece by piece, on the simulator, for the prompt. Its ranks wait for lines
 * (ncs_run_await). Between ncs_run_begin and ncs_run_free the runner's thread may wake them and let
 * the run go on as often as it likes. ncs_run_execute does not work on such a run. */
#ifndef NCS_RUN_SESSION_H
#define NCS_RUN_SESSION_H

#include "run/run.h"

/* Opens the machine and makes the ranks; nothing runs yet. On failure returns false and fills err;
 * free the run then. */
bool ncs_run_begin(struct ncs_run *run, struct ncs_error *err);

/* Called in a rank's context: waits for the next line. False when the run is over:
 * unwind and return. */
bool ncs_run_await(struct ncs_run *run);
/* Called on the runner's thread: wakes the rank from ncs_run_await once the run goes on. */
void ncs_run_call(struct ncs_run *run, int rank);

/* Continues until nothing more can happen. With events >= 0: until no rank can go on and so many
 * events have happened; the result is then HELD while more events are due. */
enum ncs_stop ncs_run_go_on(struct ncs_run *run, int64_t events);

/* The present state of the run, for the diagnosis; ranks that wait for a line count as working. The
 * caller frees both. Also updates the counters of the result. */
void ncs_run_look(struct ncs_run *run, struct ncs_snapshot *snapshot, struct ncs_diagnosis *out);
/* The diagnosis of the run as if the ranks that wait for a line had ended. */
void ncs_run_look_ahead(struct ncs_run *run, struct ncs_diagnosis *out);
const struct ncs_result *ncs_run_so_far(const struct ncs_run *run);

/* Async-signal-safe. A computing script gives up its line, as if by an error that no script can
 * catch. The request holds until the run has come to rest. */
void ncs_run_break(struct ncs_run *run);
bool ncs_run_is_broken(const struct ncs_run *run);

/* True if the memory budget is used up: later output of the run is unreliable. A line that computes
 * without end is broken off, and the result's skip_reason says so. */
bool ncs_run_is_spent(const struct ncs_run *run);

#endif
