#include "base/available.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/str.h"

#define FILE_BYTES ((size_t)1 << 20)

static void lower(size_t *least, uint64_t bytes)
{
    if (bytes < *least)
        *least = (size_t)bytes;
}

/* Reads the text of root/path; leaves it empty if there is no such file. */
static void read_text(const char *root, const char *path, struct ncs_str *text)
{
    struct ncs_str name = { 0 };
    struct ncs_error ignored;
    ncs_str_clear(text);
    ncs_str_addf(&name, "%s%s", root, path);
    if (!ncs_file_read(name.text, FILE_BYTES, "a text", text, &ignored))
        ncs_str_clear(text);
    ncs_str_add(text, "");
    ncs_str_free(&name);
}

/* ---- the system ---- */

static void lower_to_system(const char *root, size_t *least)
{
    static const char key[] = "MemAvailable:";
    struct ncs_str text = { 0 };
    read_text(root, "/proc/meminfo", &text);
    const char *at = strstr(text.text, key);
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (at)
        lower(least, (uint64_t)strtoull(at + sizeof key - 1, NULL, 10) << 10);
    else if (pages > 0 && size > 0)
        lower(least, (uint64_t)pages * (uint64_t)size);
    ncs_str_free(&text);
}

/* ---- control groups ---- */

/* Reads a number of bytes; "max" and anything else that is no number mean no limit. */
static void lower_to_file(const char *root, const char *path, size_t *least)
{
    struct ncs_str text = { 0 };
    char *end;
    read_text(root, path, &text);
    unsigned long long bytes = strtoull(text.text, &end, 10);
    if (end != text.text)
        lower(least, bytes);
    ncs_str_free(&text);
}

/* Applies the limits of the group and of all groups around it. In a container the mounted tree may begin
 * at the group itself; then only the limits at that root are found. */
static void lower_to_groups(const char *root, const char *mount, const char *group, const char *file, size_t *least)
{
    struct ncs_str path = { 0 };
    size_t bytes = strlen(group);
    for (;;) {
        ncs_str_clear(&path);
        ncs_str_addf(&path, "%s%.*s/%s", mount, (int)bytes, group, file);
        lower_to_file(root, path.text, least);
        if (bytes == 0)
            break;
        do
            bytes--;
        while (bytes > 0 && group[bytes] != '/');
    }
    ncs_str_free(&path);
}

/* True if a list such as "cpu,memory" has memory. */
static bool names_memory(const char *list, size_t bytes)
{
    for (const char *end = list + bytes; list < end;) {
        size_t n = strcspn(list, ",:");
        if (n == 6 && strncmp(list, "memory", n) == 0)
            return true;
        list += n + 1;
    }
    return false;
}

/* The kernel writes "0::/group" for cgroup version 2 and "4:memory:/group" for version 1. */
static void lower_to_control(const char *root, size_t *least)
{
    struct ncs_str text = { 0 };
    read_text(root, "/proc/self/cgroup", &text);
    for (char *line = strtok(text.text, "\n"); line; line = strtok(NULL, "\n")) {
        char *list = strchr(line, ':'), *group = list ? strchr(list + 1, ':') : NULL;
        if (!group)
            continue;
        size_t bytes = (size_t)(group - ++list);
        group++;
        if (bytes == 0)
            lower_to_groups(root, "/sys/fs/cgroup", group, "memory.max", least);
        else if (names_memory(list, bytes))
            lower_to_groups(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", least);
    }
    ncs_str_free(&text);
}

/* ---- the process ---- */

static void lower_to_own(size_t *least)
{
    static const int resources[] = { RLIMIT_AS, RLIMIT_DATA };
    struct rlimit limit;
    for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
        if (getrlimit(resources[i], &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
            lower(least, limit.rlim_cur);
}

size_t ncs_available_memory(const char *root)
{
    size_t least = SIZE_MAX;
    lower_to_system(root, &least);
    lower_to_control(root, &least);
    lower_to_own(&least);
    return least;
}
