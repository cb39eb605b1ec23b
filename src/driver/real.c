#include "driver/real.h"

#include "driver/far/far.h"
#include "driver/token.h"
#include "driver/world.h"

const struct ncs_driver *ncs_driver_real(const struct ncs_api *functions)
{
    static const struct ncs_driver real = { "nccl", &ncs_real.wrapped, &ncs_machine_real, true };
    ncs_real.plain = far_is_on() ? far_table(functions) : functions;
    ncs_real_wrap(&ncs_real.wrapped);
    ncs_waits_wrap(&ncs_real.wrapped);
    ncs_standins_wrap(&ncs_real.wrapped);
    return &real;
}

bool ncs_real_lead(struct ncs_team *team, struct ncs_error *err)
{
    return far_lead(team, ncs_real_lose, err);
}

int ncs_real_serve(const struct ncs_api *functions, struct ncs_team *team, struct ncs_error *err)
{
    static struct ncs_api served;
    ncs_real.plain = functions;
    served = *functions;
    ncs_standins_wrap(&served);
    return far_serve(team, &served, err);
}
