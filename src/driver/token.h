/* The token of real runs: a lock that a thread holds while it runs its script or uses the journal or the
 * runner's data, and gives back around every call of the libraries and every wait. Ranks thus run side by
 * side in NCCL and CUDA, and one at a time elsewhere. Private to this room. */
#ifndef NCS_DRIVER_TOKEN_H
#define NCS_DRIVER_TOKEN_H

#include "api/driver.h"

/* Around a call: leave gives the token back if the caller holds it, and returns whether it did; take takes
 * it again if `held`, and notes the result code, which may be progress. */
bool ncs_token_leave(void);
void ncs_token_take(bool held, enum ncs_fn fn, int rc);

bool ncs_token_is_held(void); /* by the caller */

/* Gives the token to others for that much real time. False when the run is over. */
bool ncs_token_pause(int64_t nanoseconds);
bool ncs_token_over(void); /* true: the run is over, and waits return */

/* Notes progress that a wait has seen. */
void ncs_token_progress(void);

/* Takes the token for a function that a stream runs, on CUDA's own thread, as a visitor named `local`
 * until `back`. NULL: the run is over and the function must not run; call `back` nevertheless. */
struct real_context;
struct real_context *ncs_token_lend(struct ncs_local *local);
void ncs_token_back(struct real_context *visitor);

extern const struct ncs_machine ncs_machine_real;

/* real_wrap.c: the libraries' functions, each with the token given back while it runs. */
void ncs_real_wrap(struct ncs_api *out);

/* waits.c: functions that block until a device has finished become polls, and host functions get the token. */
void ncs_waits_wrap(struct ncs_api *out);
void ncs_waits_forget(void); /* drops the streams of a run */

/* standin.c: functions that stand in for kernels. */
void ncs_standins_wrap(struct ncs_api *out);
void ncs_standins_forget(void); /* frees memory that no device uses any more */

#endif
