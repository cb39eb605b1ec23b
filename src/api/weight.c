#include "api/weight.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *variable;
    struct ncs_variable is;
} weights[] = {
#define NCS_WEIGHT(variable, weight, effect) { variable, { weight, NCS_EFFECT_##effect } },
#include "api/weight.def"
#undef NCS_WEIGHT
};

struct ncs_variable ncs_variable_of(const char *name)
{
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        const char *row = weights[i].variable;
        size_t bytes = strcspn(row, "*");
        if (row[bytes] == '*' ? strncmp(row, name, bytes) == 0 : strcmp(row, name) == 0)
            return weights[i].is;
    }
    return (struct ncs_variable){ NCS_DIFFERS, NCS_EFFECT_NONE };
}
