/* Variables of the environment that ranks do not share, for the diagnosis: those that NCCL needs alike on all ranks. */
#include <string.h>

#include "api/weight.h"
#include "base/mem.h"
#include "driver/driver.h"
#include "run/private.h"

static void unlike_report(struct ncs_run *run, const char *name)
{
    int ranks = run->options.ranks;
    const char **value = ncs_new((size_t)ranks * sizeof *value);
    for (int r = 0; r < ranks; r++) {
        const char *own = ncs_owns_variable(&run->options.owns, r, name);
        value[r] = own ? own : ncs_driver_variable(name);
    }
    ncs_notices_setting(&run->notices, name, value, ranks);
}

void ncs_run_unlike_report(struct ncs_run *run)
{
    const struct ncs_owns *owns = &run->options.owns;
    const char **name = ncs_new(0);
    size_t names = 0, room = 0;
    for (size_t i = 0; i < owns->count; i++) {
        if (!owns->own[i].variable)
            continue;
        char *of = ncs_copy_text(owns->own[i].variable);
        of[strcspn(of, "=")] = '\0';
        bool known = ncs_variable_of(of).effect == NCS_EFFECT_NONE;
        for (size_t k = 0; k < names && !known; k++)
            known = strcmp(name[k], of) == 0;
        if (known)
            ncs_free(of);
        else
            NCS_PUSH(name, names, room, of);
    }
    for (size_t i = 0; i < names; i++) {
        unlike_report(run, name[i]);
        ncs_free((char *)name[i]);
    }
    ncs_free(name);
}
