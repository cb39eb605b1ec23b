#include "driver/real.h"

const struct ncs_driver *ncs_driver_real(const struct ncs_api *functions)
{
    static struct ncs_driver real = { .name = "nccl" };
    real.api = functions;
    return &real;
}
