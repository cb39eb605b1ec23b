/* The environment variables of a scenario. They are set before the driver opens, and
 * restored afterwards. */
#ifndef NCS_RUN_ENVIRON_H
#define NCS_RUN_ENVIRON_H

#include <stddef.h>

struct run_environ {
    char **old; /* "NAME=value" as it was, or "NAME" if it was not set */
    size_t count;
};

void run_environ_set(struct run_environ *e, char *const *settings, size_t count);
void run_environ_restore(struct run_environ *e);

#endif
