#include "driver/real.h"

#include "driver/token.h"

const struct ncs_driver *ncs_driver_real(const struct ncs_api *functions)
{
    static struct ncs_api wrapped;
    static const struct ncs_driver real = { "nccl", &wrapped, &ncs_machine_real, true };
    ncs_real_wrap(functions, &wrapped);
    ncs_waits_wrap(functions, &wrapped);
    ncs_standins_wrap(functions, &wrapped);
    ncs_machine_real_uses(functions);
    return &real;
}
