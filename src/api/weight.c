#include "api/weight.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

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

void ncs_effective_add(struct ncs_effective *e, const char *variable)
{
    char *name = ncs_copy_text(variable);
    name[strcspn(name, "=")] = '\0';
    bool known = ncs_variable_of(name).effect == NCS_EFFECT_NONE;
    for (size_t i = 0; i < e->count && !known; i++)
        known = strcmp(e->name[i], name) == 0;
    if (known)
        ncs_free(name);
    else
        NCS_PUSH(e->name, e->count, e->room, name);
}

void ncs_effective_free(struct ncs_effective *e)
{
    for (size_t i = 0; i < e->count; i++)
        ncs_free(e->name[i]);
    ncs_free(e->name);
}
