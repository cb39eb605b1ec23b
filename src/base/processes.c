#include "base/processes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "/proc/4711/maps" */
static FILE *process_open(pid_t process, const char *file)
{
    char path[128], number[16];
    snprintf(number, sizeof number, "%d", (int)process);
    snprintf(path, sizeof path, "/proc/%s/%s", process ? number : "self", file);
    return fopen(path, "r");
}

static FILE *task_open(pid_t process, pid_t thread, const char *file)
{
    char path[64];
    snprintf(path, sizeof path, "task/%d/%s", (int)thread, file);
    return process_open(process, path);
}

bool ncs_task_line(pid_t process, pid_t thread, const char *file, char *line, size_t room)
{
    FILE *f = task_open(process, thread, file);
    bool read = f && fgets(line, (int)room, f);
    if (f)
        fclose(f);
    return read;
}

char ncs_task_state(pid_t process, pid_t thread)
{
    char line[512];
    const char *state = ncs_task_line(process, thread, "stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    return state && state[1] != '\0' ? state[2] : '\0';
}

int ncs_each_task(pid_t process, bool (*look)(pid_t thread, void *arg), void *arg)
{
    char path[64] = "/proc/self/task";
    int found = 0;
    if (process)
        snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    for (struct dirent *e; tasks && !found && (e = readdir(tasks));)
        found = e->d_name[0] != '.' && look((pid_t)atoi(e->d_name), arg);
    if (tasks)
        closedir(tasks);
    return tasks ? found : -1;
}

struct children {
    pid_t parent;
    bool (*look)(pid_t child, void *arg);
    void *arg;
};

static bool look_at_children(pid_t thread, void *of)
{
    const struct children *c = of;
    int child;
    bool found = false;
    FILE *list = task_open(c->parent, thread, "children");
    while (list && !found && fscanf(list, "%d", &child) == 1)
        found = c->look((pid_t)child, c->arg);
    if (list)
        fclose(list);
    return found;
}

bool ncs_each_child(pid_t parent, bool (*look)(pid_t child, void *arg), void *arg)
{
    struct children c = { parent, look, arg };
    return ncs_each_task(parent, look_at_children, &c) > 0;
}

bool ncs_process_has_mapped(pid_t process, const char *file)
{
    char line[4352];
    bool found = false;
    FILE *f = process_open(process, "maps");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, file) != NULL;
    if (f)
        fclose(f);
    return found;
}
