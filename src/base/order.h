/* Orders for qsort and bsearch. */
#ifndef NCS_BASE_ORDER_H
#define NCS_BASE_ORDER_H

#include <stdint.h>

/* Compare ints, and counts, ascending. */
static inline int ncs_order_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static inline int ncs_order_counts(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#endif
