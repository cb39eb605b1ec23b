/* How much memory this process may expect to get. */
#ifndef NCS_BASE_AVAILABLE_H
#define NCS_BASE_AVAILABLE_H

#include <stddef.h>

/* The least of what the system has available, the limits of the control groups that the process is
 * in, and its own limits. `root` stands in front of the paths of /proc and /sys: "" but for tests. */
size_t ncs_available_memory(const char *root);

#endif
