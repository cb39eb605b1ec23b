/* The environment that a scenario declares: set before the driver is opened, as it was afterwards. */
#ifndef NCS_RUN_ENVIRON_H
#define NCS_RUN_ENVIRON_H

#include <stddef.h>

struct run_environ {
    char **old; /* "NAME=value" that was there, or "NAME" of one that was not */
    size_t count;
};

void run_environ_set(struct run_environ *e, char *const *settings, size_t count);
void run_environ_restore(struct run_environ *e);

#endif
