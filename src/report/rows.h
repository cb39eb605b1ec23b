/* The table of a text report: one row per rank, texts aligned, "line N" at the right. */
#ifndef NCS_REPORT_ROWS_H
#define NCS_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct ncs_row {
    int rank;
    char *text; /* owned by the table, fit to be shown */
    int line;   /* 0 = unknown */
    bool keep;  /* never left out of a table that is cut: a culprit's */
};

struct ncs_rows {
    struct ncs_row *row;
    size_t count, room;
    bool merge; /* ranks with equal rows always share one */
};

void ncs_rows_add(struct ncs_rows *rows, int rank, const char *text, int line, bool keep);

/* -1, 0 or 1 for two texts without a look at their numbers. */
int ncs_compare_shapes(const char *a, const char *b);

/* Appends the table and empties it. Up to 16 rows are shown one by one unless `merge` is set; of
 * more, ranks with equal rows share one. Unless `all` is set, of what is still too much those that
 * differ in their numbers only share one, and the rest is counted. */
void ncs_rows_print(struct ncs_rows *rows, bool all, struct ncs_str *out);

#endif
