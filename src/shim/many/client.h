/* The side of the program: its calls go to the machine of the job. */
#ifndef NCS_SHIM_CLIENT_H
#define NCS_SHIM_CLIENT_H

#include <stdbool.h>

#include "api/gen/api.h"
#include "shim/shim.h"

/* True if this process is one of many and has a machine elsewhere. The answer never changes in one process. `launcher`: the
 * variable by which a launcher states several processes, or NULL. single: one states that there is one process. */
bool client_is_wanted(const char *launcher, bool single);

/* True once client_join has been called. */
bool client_is_on(void);

/* Joins the job. False after a line on standard error. Once for a process. */
bool client_join(void);

/* The table whose functions the machine carries out, for the calling thread's next call, which comes from there. `named`:
 * the rank that the thread has said of itself, or -1. NULL: the machine is gone. */
const struct ncs_api *client_api(const struct ncs_shim_above *above, int site, int named);

/* See sim_outside_refuse. */
cudaError_t client_refuse(int error);
/* See ncs_shim_count_kernel. */
void client_count_kernel(const char *name);
bool client_skips_kernels(void);

/* ---- relatives.c: the other processes of the program that `exec` has started ---- */

/* True if this process may be one of many: another one started it, and may start more, or it has forked others that run the same
 * file. */
bool relatives_are_there(void);

#endif
