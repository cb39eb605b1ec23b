#include "shim/exec/exec.h"

#include <string.h>

#include "api/weight.h"
#include "base/mem.h"
#include "shim/many/job.h"
#include "shim/many/server.h"

/* By rank; ranks that no process has have none. */
static const char **unlike_values(const char *name, int ranks)
{
    const char **value = ncs_new((size_t)ranks * sizeof *value);
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        for (size_t k = 0; k < p->ranks; k++)
            if (p->rank[k] >= 0)
                value[p->rank[k]] = variables_find(p->variables, name, strlen(name));
    }
    return value;
}

void ncs_exec_unlike(struct ncs_notices *notices)
{
    struct ncs_effective names = { 0 };
    int ranks = 0;
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        for (size_t k = 0; k < p->ranks; k++)
            ranks = p->rank[k] >= ranks ? p->rank[k] + 1 : ranks;
        for (const char *v = p->variables; *v; v = variables_next(v))
            ncs_effective_add(&names, v);
    }
    for (size_t i = 0; i < names.count; i++)
        ncs_notices_setting(notices, names.name[i], unlike_values(names.name[i], ranks), ranks);
    ncs_effective_free(&names);
}
