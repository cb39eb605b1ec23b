/* Opens a driver by name. */
#include "driver/driver.h"

#include <string.h>

#include "base/near.h"

static const char *const names[] = { "sim", "nccl", NULL };

const struct ncs_driver *ncs_driver_open(const char *name, struct ncs_error *err)
{
    if (strcmp(name, "sim") == 0)
        return &ncs_driver_sim;
    if (strcmp(name, "nccl") == 0) {
        ncs_fail(err, NCS_NO_DEVICE,
                 "driver nccl: this build runs scenarios on the simulator only");
        ncs_fail_hint(err, "use --driver sim");
        return NULL;
    }
    ncs_fail(err, NCS_BAD_INPUT, "no driver \"%s\": expected sim or nccl", name);
    ncs_fail_near(err, name, names, 0);
    return NULL;
}
