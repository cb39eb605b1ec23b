#include "run/environ.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Sets the variable of "NAME=value"; "NAME" alone removes it. */
static void environ_put(const char *setting)
{
    char *name = ncs_copy_text(setting), *value = strchr(name, '=');
    if (value)
        *value++ = '\0';
    ncs_set_variable(name, value);
    ncs_free(name);
}

static char *current(const char *setting)
{
    struct ncs_str s = { 0 };
    ncs_str_add_bytes(&s, setting, strcspn(setting, "="));
    const char *value = getenv(s.text);
    if (value)
        ncs_str_addf(&s, "=%s", value);
    return ncs_str_take(&s);
}

void run_environ_set(struct run_environ *e, char *const *settings, size_t count)
{
    e->old = ncs_new(count * sizeof *e->old);
    e->count = count;
    for (size_t i = 0; i < count; i++) {
        e->old[i] = current(settings[i]);
        environ_put(settings[i]);
    }
}

void run_environ_restore(struct run_environ *e)
{
    while (e->count > 0) {
        environ_put(e->old[--e->count]);
        ncs_free(e->old[e->count]);
    }
    ncs_free(e->old);
    e->old = NULL;
}
