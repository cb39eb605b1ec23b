/* Work on a range, spread over the machine's cores. */
#ifndef NCS_BASE_PARALLEL_H
#define NCS_BASE_PARALLEL_H

#include <stddef.h>

/* Calls body for pieces that together are [0, count), each of at least `grain` (unless count is
 * smaller), on this thread and on a pool that starts when first needed; returns when all are done.
 * A count below two grains, and a call made while another is in progress, stay on this thread.
 * Pieces may run in any order and at once: the body's duty is to write apart. */
void ncs_parallel(size_t count, size_t grain, void (*body)(size_t begin, size_t end, void *arg),
                  void *arg);

/* Cores that this process may use. */
int ncs_cores(void);

#endif
