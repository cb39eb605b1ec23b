#include "shim/many/strangers.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "shim/many/job.h"
#include "shim/many/server.h"

/* Bounds the search: a program may start any number of processes. */
enum { STRANGERS_DEEP = 16 };

struct strangers {
    bool (*look)(pid_t process, enum stranger kind);
    bool all;
};

static bool strangers_has_libraries(pid_t process)
{
    char path[64], line[4352];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *f = fopen(path, "r");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, "/libncclscript-sim.so") != NULL;
    if (f)
        fclose(f);
    return found;
}

/* Returns whether the process or one below it belongs to the job. */
static bool strangers_search(struct strangers *s, pid_t process, int depth);

/* The children that a thread has started. */
static bool strangers_search_list(struct strangers *s, const char *thread_folder, const char *thread, int depth)
{
    char path[320];
    int child;
    bool any = false;
    snprintf(path, sizeof path, "%s/%.16s/children", thread_folder, thread);
    FILE *list = fopen(path, "r");
    while (list && s->all && fscanf(list, "%d", &child) == 1)
        any |= child != getpid() && strangers_search(s, (pid_t)child, depth + 1);
    if (list)
        fclose(list);
    return any;
}

static bool strangers_search(struct strangers *s, pid_t process, int depth)
{
    char path[64];
    bool joined = job_has_process(process), any = joined;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = depth < STRANGERS_DEEP ? opendir(path) : NULL;
    for (struct dirent *e; tasks && s->all && (e = readdir(tasks));)
        if (e->d_name[0] != '.')
            any |= strangers_search_list(s, path, e->d_name, depth);
    if (tasks)
        closedir(tasks);
    if (depth > 0 && !joined && s->all)
        s->all = s->look(process, !any && strangers_has_libraries(process) ? STRANGER_MAY_JOIN : STRANGER_LAUNCHES);
    return any;
}

bool strangers_each(bool (*look)(pid_t process, enum stranger kind))
{
    struct strangers s = { .look = look, .all = true };
    strangers_search(&s, getppid(), 0); /* `exec`, which started this process, too */
    return s.all;
}
