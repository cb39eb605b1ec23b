/* Variables of the environment that ranks do not share, for the diagnosis: those that NCCL needs alike on all ranks. */
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
    struct ncs_effective names = { 0 };
    for (size_t i = 0; i < owns->count; i++)
        if (owns->own[i].variable)
            ncs_effective_add(&names, owns->own[i].variable);
    for (size_t i = 0; i < names.count; i++)
        unlike_report(run, names.name[i]);
    ncs_effective_free(&names);
}
