/* Shared by the files that draw one collective. */
#ifndef NCS_REPORT_DRAW_CALL_H
#define NCS_REPORT_DRAW_CALL_H

#include "report/draw_grid.h"

struct ncs_drawing {
    const struct ncs_seen *seen;
    const struct ncs_draw_style *style;
    const struct ncs_signs *signs;
    struct ncs_str *out;
    size_t bytes; /* of an element */
    struct ncs_pick row, column;
    bool blocks, labels;     /* labels: pieces of data by names, not by values */
    uint64_t shown;          /* values of a block */
    bool rounded, wrong;     /* some values shown are rounded, are wrong */
    struct ncs_grid side[2]; /* before, after */
    size_t name;             /* cells of the ranks' names */
};

/* Selects the rows and columns that fit and fills both tables (draw_cells.c). */
void ncs_drawing_lay_out(struct ncs_drawing *d);
/* The label in the middle of the lines between the tables. */
const char *ncs_drawing_label(const struct ncs_drawing *d);

#endif
