/* Spreads work on a range over the machine's cores. */
#ifndef NCS_BASE_PARALLEL_H
#define NCS_BASE_PARALLEL_H

#include <stddef.h>

/* Calls body for pieces that together cover [0, count), each of at least `grain` elements (unless count is
 * smaller), on this thread and on a pool that starts on first use; returns when all are done. A count
 * below two grains, or a call while another is in progress, stays on this thread. Pieces run in any order
 * and concurrently: bodies must write to disjoint memory. */
void ncs_parallel(size_t count, size_t grain, void (*body)(size_t begin, size_t end, void *arg), void *arg);

/* Cores that this process may use. */
int ncs_cores(void);

#endif
