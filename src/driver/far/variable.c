/* Variables of this process that a run sets, and how they were before. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "driver/far/far.h"

/* The latest first. */
static struct far_variable {
    struct far_variable *next;
    char *name, *value; /* NULL = it was not set */
} * far_variables;

void far_put_here(const char *setting)
{
    char *name = ncs_copy_text(setting), *value = strchr(name, '=');
    struct far_variable *v = ncs_new(sizeof *v);
    if (value)
        *value++ = '\0';
    *v = (struct far_variable){ far_variables, name, ncs_copy_text(getenv(name)) };
    far_variables = v;
    ncs_set_variable(name, value);
}

void far_take_back(void)
{
    for (struct far_variable *v = far_variables, *next; v; v = next) {
        next = v->next;
        ncs_set_variable(v->name, v->value);
        ncs_free(v->name);
        ncs_free(v->value);
        ncs_free(v);
    }
    far_variables = NULL;
}

const char *ncs_driver_variable(const char *name)
{
    const char *value = getenv(name);
    for (const struct far_variable *v = far_variables; v; v = v->next)
        if (strcmp(v->name, name) == 0)
            value = v->value;
    return value;
}
