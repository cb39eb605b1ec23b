#include "shim/many/relatives.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "shim/shim.h"

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

/* Calls `look` for each child of the process's threads, until it returns true. Returns whether one did. */
static bool relatives_each_child(pid_t parent, bool (*look)(pid_t child, void *arg), void *arg)
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

/* ---- the same program ---- */

struct same_file {
    char file[4096]; /* that this process runs */
    int depth;
};

static bool runs_same_file(pid_t process, void *arg)
{
    struct same_file *s = arg;
    char file[4096], number[16];
    snprintf(number, sizeof number, "%d", (int)process);
    if (process != getpid() && relatives_file(number, file, sizeof file) && strcmp(file, s->file) == 0)
        return true;
    s->depth++;
    bool found = s->depth < RELATIVES_DEEP && relatives_each_child(process, runs_same_file, s);
    s->depth--;
    return found;
}

/* A shell that has started the program is no relative, as it runs another file. */
bool relatives_are_there(void)
{
    struct same_file same = { .depth = 0 };
    const char *root = getenv(NCS_PROGRAM);
    if (!root || (pid_t)atoi(root) != getpid())
        return root != NULL;
    return relatives_file("self", same.file, sizeof same.file) && runs_same_file(getpid(), &same);
}

/* ---- processes that may join ---- */

struct may_join {
    bool (*is_of_job)(pid_t process);
    bool leads_to_job; /* the process that was looked at last is of the job, or an ancestor of one that is */
    int depth;
};

static bool relatives_is_dead(pid_t process)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *f = fopen(path, "r");
    const char *state = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
    if (f)
        fclose(f);
    return !state || state[1] != ' ' || state[2] == 'Z' || state[2] == 'X';
}

/* True if the process or one below it may join. */
static bool may_join(pid_t process, void *arg)
{
    struct may_join *m = arg, below = { .is_of_job = m->is_of_job, .depth = m->depth + 1 };
    if (process == getpid() || relatives_is_dead(process))
        return false;
    bool found = m->depth < RELATIVES_DEEP && relatives_each_child(process, may_join, &below);
    bool is_of_job = m->is_of_job(process), leads = is_of_job || below.leads_to_job;
    m->leads_to_job |= leads;
    return found || !leads || (!is_of_job && !ncs_shim_rests(process)); /* a launcher may start another one */
}

bool relatives_may_join(pid_t root, bool (*is_of_job)(pid_t process))
{
    struct may_join m = { .is_of_job = is_of_job };
    return relatives_each_child(root, may_join, &m);
}
