/* The processes below `exec` that are no part of the job, or not yet. */
#ifndef NCS_SHIM_STRANGERS_H
#define NCS_SHIM_STRANGERS_H

#include <stdbool.h>
#include <sys/types.h>

/* How a process outside of the job may wait so that it will not join by itself. */
enum stranger {
    STRANGER_LAUNCHES, /* for anything: it has not loaded the libraries, or processes of the job come from it */
    STRANGER_MAY_JOIN, /* for another process only: it has loaded them, and may be a rank that is late */
};

/* Calls `look` for each of them, until it returns false. Returns whether all returned true. */
bool strangers_each(bool (*look)(pid_t process, enum stranger kind));

#endif
