#include "driver/real.h"

#include "driver/token.h"
#include "driver/world.h"

const struct ncs_driver *ncs_driver_real(const struct ncs_api *functions)
{
    static const struct ncs_driver real = { "nccl", &ncs_real.wrapped, &ncs_machine_real, true };
    ncs_real.plain = functions;
    ncs_real_wrap(&ncs_real.wrapped);
    ncs_waits_wrap(&ncs_real.wrapped);
    ncs_standins_wrap(&ncs_real.wrapped);
    return &real;
}
