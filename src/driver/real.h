/* Driver nccl over open libraries. */
#ifndef NCS_DRIVER_REAL_H
#define NCS_DRIVER_REAL_H

#include "api/driver.h"

/* Over the functions of open libraries, which must stay. */
const struct ncs_driver *ncs_driver_real(const struct ncs_api *functions);

#endif
