#include "shim/many/relatives.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"

/* Bounds the search: a program may start any number of processes. */
enum { RELATIVES_DEEP = 16 };

static size_t relatives_file(const char *process, char *out, size_t room)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%.16s/exe", process);
    ssize_t bytes = readlink(path, out, room - 1);
    out[bytes > 0 ? bytes : 0] = '\0';
    return bytes > 0 ? (size_t)bytes : 0;
}

struct relatives {
    char file[4096]; /* that this process runs */
    bool found;
};

static void relatives_look(struct relatives *r, pid_t parent, int depth);

static void relatives_look_at(struct relatives *r, const char *process, int depth)
{
    char file[4096];
    pid_t number = (pid_t)atoi(process);
    if (number != getpid() && relatives_file(process, file, sizeof file))
        r->found = strcmp(file, r->file) == 0;
    if (!r->found)
        relatives_look(r, number, depth + 1);
}

/* The children of all threads of the process. */
static void relatives_look(struct relatives *r, pid_t parent, int depth)
{
    char path[300], name[32];
    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    DIR *tasks = depth < RELATIVES_DEEP ? opendir(path) : NULL;
    for (struct dirent *e; tasks && !r->found && (e = readdir(tasks));) {
        snprintf(path, sizeof path, "/proc/%d/task/%.16s/children", (int)parent, e->d_name);
        FILE *list = e->d_name[0] == '.' ? NULL : fopen(path, "r");
        while (list && !r->found && fscanf(list, "%31s", name) == 1)
            relatives_look_at(r, name, depth);
        if (list)
            fclose(list);
    }
    if (tasks)
        closedir(tasks);
}

/* A shell that has started the program is no relative, as it runs another file. */
bool relatives_are_there(void)
{
    struct relatives r = { .found = false };
    const char *root = getenv(NCS_PROGRAM);
    if (!root || !relatives_file("self", r.file, sizeof r.file))
        return false;
    pid_t first = (pid_t)atoi(root);
    char file[4096];
    r.found = first != getpid() && relatives_file(root, file, sizeof file) && strcmp(file, r.file) == 0;
    if (!r.found)
        relatives_look(&r, first, 0);
    return r.found;
}
