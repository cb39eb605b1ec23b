/* The memory that this process may expect to get. */
#ifndef NCS_BASE_AVAILABLE_H
#define NCS_BASE_AVAILABLE_H

#include <stddef.h>

/* The minimum of the system's available memory, the limits of the process's control groups and the
 * process's own limits, in bytes. `root` is prepended to paths of /proc and /sys: "" except in tests. */
size_t ncs_available_memory(const char *root);

#endif
