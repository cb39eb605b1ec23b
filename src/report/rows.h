/* The table of a text report: one row per rank, texts aligned, "line N" on the right. */
#ifndef NCS_REPORT_ROWS_H
#define NCS_REPORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct ncs_row {
    int rank;
    char *text; /* owned by the table, fit to be shown */
    int line;   /* 0 = unknown */
    bool keep;  /* a culprit's row: never omitted */
};

struct ncs_rows {
    struct ncs_row *row;
    size_t count, room;
    bool merge; /* ranks with equal rows always share one */
};

void ncs_rows_add(struct ncs_rows *rows, int rank, const char *text, int line, bool keep);

/* Adds the text of a row that one rank has, or several: "waits in x" is "wait in x" then. */
void ncs_rows_add_text(struct ncs_str *out, const char *text, bool several);

/* Compares two texts and ignores the numbers in them: -1, 0 or 1. */
int ncs_compare_shapes(const char *a, const char *b);

/* Appends the table and empties it. Up to 16 rows are printed one by one unless `merge` is set;
 * from 17 on, ranks with equal rows share a line. Unless `all` is set, if the lines are still too
 * many, rows that differ only in numbers share one, and the rest is counted. `more`: a table that
 * follows with the same columns; or NULL. */
void ncs_rows_print(struct ncs_rows *rows, struct ncs_rows *more, bool all, struct ncs_str *out);

#endif
