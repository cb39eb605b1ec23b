#include "cli/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { DESCENDANTS_DEEP = 64 };

struct descent {
    int signal;
    pid_t except;
};

/* Children that a thread has started. */
static void descend(const struct descent *d, const char *thread_folder, const char *thread, int depth);

static void signal_tree(const struct descent *d, pid_t process, bool itself, int depth)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = depth < DESCENDANTS_DEEP ? opendir(path) : NULL;
    for (struct dirent *e; tasks && (e = readdir(tasks));)
        if (e->d_name[0] != '.')
            descend(d, path, e->d_name, depth);
    if (tasks)
        closedir(tasks);
    if (itself)
        kill(process, d->signal);
}

static void descend(const struct descent *d, const char *thread_folder, const char *thread, int depth)
{
    char path[160];
    int child;
    snprintf(path, sizeof path, "%s/%.16s/children", thread_folder, thread);
    FILE *list = fopen(path, "r");
    while (list && fscanf(list, "%d", &child) == 1)
        if (child != d->except)
            signal_tree(d, (pid_t)child, true, depth + 1);
    if (list)
        fclose(list);
}

void ncs_descendants_signal(pid_t of, int signal, pid_t except)
{
    signal_tree(&(struct descent){ signal, except }, of, false, 0);
}

void ncs_descendants_kill(pid_t of)
{
    ncs_descendants_signal(of, SIGKILL, 0);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}
