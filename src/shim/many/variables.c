#define _GNU_SOURCE /* environ */
#include "shim/many/server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

const char *variables_next(const char *at)
{
    return at + strlen(at) + 1;
}

const char *variables_find(const char *list, const char *name, size_t bytes)
{
    for (const char *v = list; *v; v = variables_next(v))
        if (strncmp(v, name, bytes) == 0 && v[bytes] == '=')
            return v + bytes + 1;
    return NULL;
}

char *variables_copy(const char *list)
{
    size_t bytes = 1;
    for (const char *v = list; *v; v = variables_next(v))
        bytes += strlen(v) + 1;
    char *copy = ncs_new(bytes);
    memcpy(copy, list, bytes);
    return copy;
}

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

void variables_adopt(const char *list)
{
    for (const char *v = list; *v; v = variables_next(v)) {
        const char *is = strchr(v, '=');
        char *name = is ? ncs_copy_text(v) : NULL;
        if (name) {
            name[is - v] = '\0';
            ncs_set_variable(name, is + 1);
        }
        ncs_free(name);
    }
    variables_unset_others(list);
}
