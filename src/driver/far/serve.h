/* The other side: a process that makes the calls of its ranks for the process that leads. */
#ifndef NCS_DRIVER_SERVE_H
#define NCS_DRIVER_SERVE_H

#include "api/gen/api.h"
#include "base/error.h"

struct ncs_team;

/* Serves until the leader ends the job. Returns the job's exit status; -1 and err if the leader is gone. Threads may still be in
 * calls then: the process can only exit. api: the libraries' functions, and the project's own. */
int far_serve(struct ncs_team *team, const struct ncs_api *api, struct ncs_error *err);

#endif
