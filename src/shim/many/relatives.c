#include "shim/many/client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/channel.h"
#include "base/processes.h"

/* Bounds the search: a program may start any number of processes. */
enum { RELATIVES_DEEP = 16 };

static size_t relatives_file(pid_t process, char *out, size_t room)
{
    char path[64] = "/proc/self/exe";
    if (process)
        snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
    ssize_t bytes = readlink(path, out, room - 1);
    out[bytes > 0 ? bytes : 0] = '\0';
    return bytes > 0 ? (size_t)bytes : 0;
}

struct same_file {
    char file[4096]; /* that this process runs */
    int depth;
};

static bool runs_same_file(pid_t process, void *arg)
{
    struct same_file *s = arg;
    char file[4096];
    if (process != getpid() && relatives_file(process, file, sizeof file) && strcmp(file, s->file) == 0)
        return true;
    s->depth++;
    bool found = s->depth < RELATIVES_DEEP && ncs_each_child(process, runs_same_file, s);
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
    return relatives_file(0, same.file, sizeof same.file) && runs_same_file(getpid(), &same);
}
