/* Driver nccl over open libraries. */
#ifndef NCS_DRIVER_REAL_H
#define NCS_DRIVER_REAL_H

#include "api/driver.h"
#include "base/error.h"

struct ncs_team;

/* Over the functions of open libraries, which must stay. */
const struct ncs_driver *ncs_driver_real(const struct ncs_api *functions);

/* See ncs_driver_lead and ncs_driver_serve. */
bool ncs_real_lead(struct ncs_team *team, struct ncs_error *err);
int ncs_real_serve(const struct ncs_api *functions, struct ncs_team *team, struct ncs_error *err);

#endif
