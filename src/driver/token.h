/* The token of real runs: one lock that is held by whichever rank is in its script, the journal or
 * the runner's own data, and given back around every call of the libraries and every wait. So ranks
 * run side by side in NCCL and CUDA, and one at a time outside. Private to this room. */
#ifndef NCS_DRIVER_TOKEN_H
#define NCS_DRIVER_TOKEN_H

#include "api/driver.h"

/* Around a call: gives the token back if the caller has it; takes it again if `held`, and notes what
 * came back, which may be progress. */
bool ncs_token_leave(void);
void ncs_token_take(bool held, enum ncs_fn fn, int rc);

bool ncs_token_is_held(void); /* by the caller */

/* Gives the token to others for so many nanoseconds of real time. False when the run is over. */
bool ncs_token_pause(int64_t nanoseconds);
bool ncs_token_over(void);   /* the run is over: waits return */

/* Notes that something has come about, as a wait sees it. */
void ncs_token_progress(void);

/* Takes the token for a function that a stream runs, on CUDA's own thread, as `local`, a visitor until
 * `back`. NULL: the run is over, the function is not to be run; `back` all the same. */
struct real_context;
struct real_context *ncs_token_lend(struct ncs_local *local);
void ncs_token_back(struct real_context *visitor);

extern const struct ncs_machine ncs_machine_real;

/* real_wrap.c: the same functions, each with the token given back while it runs. */
void ncs_real_wrap(struct ncs_api *out);

/* waits.c: those that block for as long as a device works become polls, and host functions get the
 * token. */
void ncs_waits_wrap(struct ncs_api *out);
void ncs_waits_forget(void); /* the streams of a run */

/* standin.c: what stands for kernels. */
void ncs_standins_wrap(struct ncs_api *out);
void ncs_standins_forget(void); /* frees what no device uses any more */

#endif
