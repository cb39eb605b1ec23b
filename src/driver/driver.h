/* Opens a driver by name. */
#ifndef NCS_DRIVER_DRIVER_H
#define NCS_DRIVER_DRIVER_H

#include "api/driver.h"
#include "base/error.h"
#include "driver/library.h"

struct ncs_driver_choice {
    const char *name;       /* "sim", "nccl", "plan" (plan.h) */
    const char *nccl_lib;   /* of driver nccl: paths of the libraries; NULL: the usual ones */
    const char *cudart_lib;
};

/* NULL and err for a name that is none and for a driver that cannot run here. Once driver nccl is
 * open it stays: a process has one NCCL and one CUDA runtime. */
const struct ncs_driver *ncs_driver_open(const struct ncs_driver_choice *choice,
                                         struct ncs_error *err);

/* Only opens the libraries of driver nccl; asks for no device. */
bool ncs_driver_load(const struct ncs_driver_choice *choice, struct ncs_error *err);
const struct ncs_api *ncs_driver_real_api(void); /* theirs; a member that they lack is NULL */

/* The libraries of driver nccl as it was last opened, or tried to be: an array of two, NCCL first. */
const struct ncs_library *ncs_driver_libraries(void);

/* How many devices the CUDA runtime sees; -1 and why there is no telling. */
int ncs_driver_devices(const struct ncs_api *api, const char **why);

#endif
