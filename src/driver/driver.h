/* Opens a driver by name. */
#ifndef NCS_DRIVER_DRIVER_H
#define NCS_DRIVER_DRIVER_H

#include "api/driver.h"
#include "base/error.h"

/* NULL and err for a name that is none and for a driver that cannot run here. */
const struct ncs_driver *ncs_driver_open(const char *name, struct ncs_error *err);

#endif
