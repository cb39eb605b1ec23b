#include "shim/exec/unlike.h"

#include <string.h>

#include "api/weight.h"
#include "base/mem.h"
#include "shim/many/job.h"
#include "shim/many/variables.h"

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
    char **name = NULL;
    size_t names = 0, room = 0;
    int ranks = 0;
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        for (size_t k = 0; k < p->ranks; k++)
            ranks = p->rank[k] >= ranks ? p->rank[k] + 1 : ranks;
        for (const char *v = p->variables; *v; v = variables_next(v)) {
            char *of = ncs_copy_text(v);
            of[strcspn(of, "=")] = '\0';
            bool known = ncs_variable_of(of).effect == NCS_EFFECT_NONE;
            for (size_t k = 0; k < names && !known; k++)
                known = strcmp(name[k], of) == 0;
            if (known)
                ncs_free(of);
            else
                NCS_PUSH(name, names, room, of);
        }
    }
    for (size_t i = 0; i < names; i++) {
        ncs_notices_setting(notices, name[i], unlike_values(name[i], ranks), ranks);
        ncs_free(name[i]);
    }
    ncs_free(name);
}
