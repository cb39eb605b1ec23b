/* Building blocks of the drawings: signs, a table of which some rows and columns are shown, and
 * texts for values and for pieces of data. */
#ifndef NCS_REPORT_DRAW_GRID_H
#define NCS_REPORT_DRAW_GRID_H

#include "report/draw.h"

struct ncs_signs {
    const char *joint[16]; /* by the sides that have lines: 1 left, 2 right, 4 up, 8 down */
    const char *arrow, *cross, *dots, *nothing, *put, *arrived, *complete;
};
const struct ncs_signs *ncs_draw_signs(const struct ncs_draw_style *style);
int ncs_draw_width(const struct ncs_draw_style *style);

/* Some of 0 .. total - 1, ascending. */
struct ncs_pick {
    int *at;
    size_t count, room;
    uint64_t total;
};
/* True if the pick leaves out items before its item i; i = count means at the end. */
bool ncs_pick_gap(const struct ncs_pick *p, size_t i);
void ncs_pick_add(struct ncs_pick *p, int what); /* in its place, once only */
void ncs_pick_drop(struct ncs_pick *p, size_t i);
void ncs_pick_free(struct ncs_pick *p);
/* Picks the ranks of a communicator that are shown: all if they are few; else the first, the last
 * and the remarkable ones. */
void ncs_pick_ranks(struct ncs_pick *p, const struct ncs_seen *seen, bool all);

struct ncs_grid {
    const struct ncs_signs *signs;
    const struct ncs_pick *row, *column;
    bool numbered; /* the columns have their numbers on top */
    size_t widest; /* of a cell; 0 = no bound */
    char **cell;   /* row by row; only picked ones; owned */
    size_t cells;  /* their number when the grid was made */
    size_t *width;
};
void ncs_grid_make(struct ncs_grid *g, const struct ncs_signs *signs, const struct ncs_pick *row, const struct ncs_pick *column);
void ncs_grid_free(struct ncs_grid *g);
/* Takes the text over. */
void ncs_grid_put(struct ncs_grid *g, size_t row, size_t column, struct ncs_str *text);
size_t ncs_grid_width(const struct ncs_grid *g);
void ncs_grid_border(const struct ncs_grid *g, bool top, struct ncs_str *out);
/* Appends one row. In a cell whose text begins with `arrived` or ends with `complete`, the sign
 * replaces the blank. */
void ncs_grid_row(const struct ncs_grid *g, size_t row, struct ncs_str *out);

size_t ncs_draw_cells(const char *text); /* that the text takes in a terminal */
/* Pads with blanks up to so many cells from `start` on. */
void ncs_draw_pad(struct ncs_str *out, size_t start, size_t width);
/* Cuts the line that begins at `start` of out to the width of the terminal; the line
 * has no newline yet. */
void ncs_draw_cut(const struct ncs_draw_style *style, struct ncs_str *out, size_t start);
/* Indented text of several lines, broken between words. */
void ncs_draw_words(const struct ncs_draw_style *style, struct ncs_str *out, const char *text);

/* Appends the number in short form: 1.5, 2e-5, nan. True = it was rounded. */
bool ncs_draw_float(int dtype, double value, struct ncs_str *out);
bool ncs_draw_word(int dtype, uint64_t word, struct ncs_str *out);
bool ncs_draw_value(int dtype, const void *element, struct ncs_str *out);
void ncs_draw_letters(int rank, struct ncs_str *out); /* A .. Z, AA .. */
/* "rank 4", or "rank 4 as 0" if the communicator numbers its ranks differently from the run */
void ncs_draw_rank(const struct ncs_seen *seen, int i, struct ncs_str *out);
const char *ncs_draw_op(const struct ncs_seen *seen); /* "sum"; NULL: nothing is reduced */

/* draw_steps.c */
void ncs_draw_steps(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out);
/* draw_tree.c: chains along a ring, and trees */
void ncs_draw_chain(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out);
void ncs_draw_tree(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out);

#endif
