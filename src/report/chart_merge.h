/* Ranks whose rows of a chart are the same: the page draws and lists each such group once, so that 64
 * ranks that wait for one rank are one row and one arrow. Room report only. */
#ifndef NCS_REPORT_CHART_MERGE_H
#define NCS_REPORT_CHART_MERGE_H

#include "report/chart.h"

struct ncs_chart_group {
    int *rank;
    size_t ranks, ranks_room; /* ascending; the first one stands for all */
    size_t first, rows;       /* its rows of the chart */
};

struct ncs_chart_groups {
    const struct ncs_chart *chart; /* borrowed */
    struct ncs_chart_group *group;
    size_t groups, room; /* by their first rank */
    size_t *of;          /* by rank: its group */
    size_t *bar;
    size_t bars; /* bars of the groups in order, as indices of the chart's */
    size_t *at;  /* by bar of the chart: the index in `bar` of the bar that stands for it */
};

/* Ranks with different times, texts, places or marks are different. The chart must outlive the groups. */
void ncs_chart_merge(const struct ncs_result *r, const struct ncs_chart *l, struct ncs_chart_groups *out);
void ncs_chart_groups_free(struct ncs_chart_groups *g); /* the contents */

#endif
