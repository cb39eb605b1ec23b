/* What a driver is: NCCL's and CUDA's functions as one table, and what else it can do. */
#ifndef NCS_API_DRIVER_H
#define NCS_API_DRIVER_H

#include "api/gen/api.h"
#include "api/machine.h"

struct ncs_driver {
    const char *name;                  /* "sim", "nccl" */
    const struct ncs_api *api;         /* a member that the library lacks is NULL */
    const struct ncs_machine *machine;
    bool real;                         /* NCCL itself: nothing is virtual */
};

extern const struct ncs_driver ncs_driver_sim; /* defined by room sim */

#endif
