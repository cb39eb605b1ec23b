#include "notation/notation.h"

void ncs_notation_schema(struct ncs_str *out)
{
    ncs_str_add(out, "{}\n");
}
