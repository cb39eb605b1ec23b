/* Percentiles of the times of single calls. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/bench.h"

static int order_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By nearest rank: the smallest time that at least `percent` of all do not exceed. */
static double percentile(const double *sorted, size_t count, unsigned percent)
{
    size_t rank = (count * percent + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

void ncs_bench_summarize(struct ncs_bench_each *each, size_t skip)
{
    if (skip >= each->times)
        return;
    size_t count = each->times - skip;
    double *sorted = ncs_new(count * sizeof *sorted), sum = 0, squares = 0;
    memcpy(sorted, each->time + skip, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, order_times);
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    each->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - each->mean) * (sorted[i] - each->mean);
    each->deviation = sqrt(squares / (double)count);
    each->least = sorted[0];
    each->most = sorted[count - 1];
    each->p50 = percentile(sorted, count, 50);
    each->p95 = percentile(sorted, count, 95);
    each->p99 = percentile(sorted, count, 99);
    ncs_free(sorted);
}
