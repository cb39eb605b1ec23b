#include "yaml/private.h"

struct ncs_span ncs_yaml_part(const struct ncs_yaml *y, const struct ncs_yaml_node *scalar,
                              size_t at, size_t bytes)
{
    if (scalar->at.bytes == scalar->bytes && at + bytes <= scalar->bytes && !scalar->of)
        return (struct ncs_span){ scalar->at.at + at, bytes };
    (void)y;
    return scalar->at;
}
