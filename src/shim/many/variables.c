#define _GNU_SOURCE /* environ */
#include "shim/many/variables.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/safe.h"
#include "base/str.h"
#include "shim/shim.h"

enum { VARIABLES_TOLD = 4 }; /* more would hide the program's own output */

static struct {
    pid_t pid;    /* of the first process */
    char *list;
    char *told[VARIABLES_TOLD]; /* names */
    size_t tolds;
} first;

/* These name hardware or a file of one process, and may differ. */
static const char *const variables_own[] = { "NCCL_HOSTID", "NCCL_IB_HCA", "NCCL_RAS_ADDR", "NCCL_SOCKET_IFNAME", "NCCL_TOPO_DUMP_FILE" };

static const char *variables_next(const char *at)
{
    return at + strlen(at) + 1;
}

/* The value of the variable; NULL = it is not set. */
static const char *variables_find(const char *list, const char *name, size_t bytes)
{
    for (const char *v = list; *v; v = variables_next(v))
        if (strncmp(v, name, bytes) == 0 && v[bytes] == '=')
            return v + bytes + 1;
    return NULL;
}

/* ---- the first process ---- */

/* This process has inherited those of exec. */
static void variables_unset_others(const char *list)
{
    for (char **v = environ; v && *v;) {
        size_t bytes = strcspn(*v, "=");
        char *name = strncmp(*v, "NCCL_", strlen("NCCL_")) == 0 && !variables_find(list, *v, bytes) ? ncs_copy_text(*v) : NULL;
        if (!name) {
            v++;
            continue;
        }
        name[bytes] = '\0';
        unsetenv(name); /* the next one takes its place */
        ncs_free(name);
    }
}

void variables_adopt(pid_t pid, const char *list)
{
    size_t bytes = 1;
    for (const char *v = list; *v; v = variables_next(v)) {
        const char *is = strchr(v, '=');
        char *name = is ? ncs_copy_text(v) : NULL;
        if (name) {
            name[is - v] = '\0';
            setenv(name, is + 1, 1);
        }
        ncs_free(name);
        bytes += strlen(v) + 1;
    }
    variables_unset_others(list);
    first.pid = pid;
    first.list = ncs_new(bytes);
    memcpy(first.list, list, bytes);
}

/* ---- the others ---- */

static bool variables_may_differ(const char *name)
{
    bool may = false;
    for (size_t i = 0; i < sizeof variables_own / sizeof *variables_own; i++)
        may |= strcmp(variables_own[i], name) == 0;
    for (size_t i = 0; i < first.tolds; i++)
        may |= strcmp(first.told[i], name) == 0;
    return may;
}

static void variables_add_value(struct ncs_str *line, const char *value)
{
    if (value && *value)
        ncs_safe_line(line, value);
    else
        ncs_str_add(line, value ? "empty" : "not set");
}

/* Takes the name. */
static void variables_tell(char *name, const char *own, pid_t pid, const char *other)
{
    struct ncs_str line = { 0 };
    ncs_str_addf(&line, "%s is ", name);
    variables_add_value(&line, own);
    ncs_str_addf(&line, " in process %d and ", (int)first.pid);
    variables_add_value(&line, other);
    ncs_shim_warn("%s in process %d: the simulator uses the setting of process %d for all", line.text, (int)pid, (int)first.pid);
    ncs_str_free(&line);
    first.told[first.tolds++] = name;
}

/* Tells of the variables of one list that the other has not, or that differ there. `list` is the other process's. */
static void variables_compare_names(const char *names, pid_t pid, const char *list)
{
    for (const char *v = names; *v && first.tolds < VARIABLES_TOLD; v = variables_next(v)) {
        size_t bytes = strcspn(v, "=");
        const char *own = variables_find(first.list, v, bytes), *other = variables_find(list, v, bytes);
        char *name = ncs_copy_text(v);
        name[bytes] = '\0';
        if ((own && other && strcmp(own, other) == 0) || variables_may_differ(name))
            ncs_free(name);
        else
            variables_tell(name, own, pid, other);
    }
}

void variables_compare(pid_t pid, const char *list)
{
    if (!first.list)
        return;
    variables_compare_names(first.list, pid, list);
    variables_compare_names(list, pid, list);
}
