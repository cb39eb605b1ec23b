/* Orders for qsort and bsearch. */
#ifndef NCS_BASE_ORDER_H
#define NCS_BASE_ORDER_H

/* Compares ints, ascending. */
static inline int ncs_order_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

#endif
