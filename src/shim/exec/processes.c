#include "shim/exec/exec.h"

#include <stdlib.h>

#include "base/mem.h"
#include "shim/many/job.h"

static int process_order(const void *a, const void *b)
{
    const struct ncs_report_process *x = a, *y = b;
    unsigned i = (unsigned)x->rank, k = (unsigned)y->rank; /* -1 comes last */
    return i != k ? (i > k) - (i < k) : (x->pid > y->pid) - (x->pid < y->pid);
}

struct ncs_report_process *ncs_exec_processes(size_t *count)
{
    struct ncs_report_process *list = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t i = 0; i < job_processes(); i++) {
        const struct server_process *p = job_process(i);
        for (size_t k = 0; k < p->ranks; k++)
            NCS_PUSH(list, *count, room, ((struct ncs_report_process){ p->rank[k], (int)p->pid }));
        if (p->ranks == 0)
            NCS_PUSH(list, *count, room, ((struct ncs_report_process){ -1, (int)p->pid }));
    }
    if (list)
        qsort(list, *count, sizeof *list, process_order);
    return list;
}
