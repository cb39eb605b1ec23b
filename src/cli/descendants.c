#include "cli/descendants.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

enum { DESCENDANTS_DEEP = 64 };

/* Children that a thread has started. */
static void descend(const char *thread_folder, const char *thread, int depth);

static void kill_tree(pid_t process, bool itself, int depth)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = depth < DESCENDANTS_DEEP ? opendir(path) : NULL;
    for (struct dirent *e; tasks && (e = readdir(tasks));)
        if (e->d_name[0] != '.')
            descend(path, e->d_name, depth);
    if (tasks)
        closedir(tasks);
    if (itself)
        kill(process, SIGKILL);
}

static void descend(const char *thread_folder, const char *thread, int depth)
{
    char path[160];
    int child;
    snprintf(path, sizeof path, "%s/%.16s/children", thread_folder, thread);
    FILE *list = fopen(path, "r");
    while (list && fscanf(list, "%d", &child) == 1)
        kill_tree((pid_t)child, true, depth + 1);
    if (list)
        fclose(list);
}

void ncs_descendants_kill(pid_t of)
{
    kill_tree(of, false, 0);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}
