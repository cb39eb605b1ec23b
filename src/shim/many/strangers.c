#include "shim/many/job.h"

#include <unistd.h>

#include "base/processes.h"
#include "shim/many/server.h"

/* Bounds the search: a program may start any number of processes. */
enum { STRANGERS_DEEP = 16 };

struct strangers {
    bool (*look)(pid_t process, enum stranger kind);
    int depth;
    bool all, any; /* any: one that was found belongs to the job */
};

static bool strangers_look(pid_t child, void *arg);

/* Notes whether the process or one below it belongs to the job. */
static void strangers_search(struct strangers *s, pid_t process)
{
    bool joined = job_has_process(process), before = s->any;
    s->any = joined;
    if (s->depth++ < STRANGERS_DEEP)
        ncs_each_child(process, strangers_look, s);
    if (--s->depth > 0 && !joined && s->all)
        s->all = s->look(process, !s->any && ncs_process_has_mapped(process, "/libncclscript-sim.so") ? STRANGER_MAY_JOIN
                                                                                                      : STRANGER_LAUNCHES);
    s->any |= before;
}

static bool strangers_look(pid_t child, void *arg)
{
    struct strangers *s = arg;
    if (child != getpid() && s->all)
        strangers_search(s, child);
    return !s->all;
}

bool strangers_each(bool (*look)(pid_t process, enum stranger kind))
{
    struct strangers s = { .look = look, .all = true };
    strangers_search(&s, getppid()); /* `exec`, which started this process, too */
    return s.all;
}
