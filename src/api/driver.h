/* A driver: the functions of NCCL and CUDA as one table, and the driver's further abilities. */
#ifndef NCS_API_DRIVER_H
#define NCS_API_DRIVER_H

#include "api/gen/api.h"
#include "api/machine.h"

struct ncs_driver {
    const char *name;          /* "sim", "nccl" */
    const struct ncs_api *api; /* a member that the library lacks is NULL */
    const struct ncs_machine *machine;
    bool real; /* NCCL itself: nothing is virtual */
};

extern const struct ncs_driver ncs_driver_sim; /* defined by room sim */

#endif
