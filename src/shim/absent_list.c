#include "shim/absent.h"

#include "shim/shim.h"

static struct ncs_absent *_Atomic called; /* the latest first */

void ncs_shim_count_absent(struct ncs_absent *function)
{
    if (atomic_fetch_add(&function->calls, 1) > 0)
        return;
    struct ncs_absent *first = atomic_load(&called);
    do
        function->next = first;
    while (!atomic_compare_exchange_weak(&called, &first, function));
    ncs_shim_warn("%s: %s", function->name, function->why);
}

void ncs_shim_list_absent(struct ncs_str *out)
{
    for (const struct ncs_absent *at = atomic_load(&called); at; at = at->next) {
        unsigned calls = atomic_load(&at->calls);
        ncs_str_addf(out, "%s%s", out->bytes ? ", " : "", at->name);
        if (calls > 1)
            ncs_str_addf(out, " (%u calls)", calls);
    }
}
