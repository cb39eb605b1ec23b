#include "base/processes.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

bool ncs_each_child(pid_t parent, bool (*look)(pid_t child, void *arg), void *arg)
{
    char path[300];
    int child;
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *tasks = opendir(path);
    for (struct dirent *e; tasks && !found && (e = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/%d/task/%.16s/children", (int)parent, e->d_name);
        FILE *list = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (list && !found && fscanf(list, "%d", &child) == 1)
            found = look((pid_t)child, arg);
        if (list)
            fclose(list);
    }
    if (tasks)
        closedir(tasks);
    return found;
}

bool ncs_process_has_mapped(pid_t process, const char *file)
{
    char path[64], line[4352];
    bool found = false;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *f = fopen(path, "r");
    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, file) != NULL;
    if (f)
        fclose(f);
    return found;
}
