#include "cli/descendants.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "base/processes.h"

enum { DESCENDANTS_DEEP = 64 };

struct descent {
    int signal;
    pid_t except;
    int depth;
};

/* Those below it first. */
static bool descend(pid_t process, void *arg)
{
    struct descent *d = arg;
    if (process == d->except)
        return false;
    if (d->depth++ < DESCENDANTS_DEEP)
        ncs_each_child(process, descend, d);
    if (--d->depth > 0)
        kill(process, d->signal);
    return false;
}

void ncs_descendants_signal(pid_t of, int signal, pid_t except)
{
    descend(of, &(struct descent){ .signal = signal, .except = except });
}

void ncs_descendants_kill(pid_t of)
{
    ncs_descendants_signal(of, SIGKILL, 0);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}
