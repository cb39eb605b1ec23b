/* Collectives as small diagrams for a terminal: each rank's data before and after; the
 * steps of a ring or a tree; for an unfinished call, the ranks that have arrived and those
 * that are missing. */
#ifndef NCS_REPORT_DRAW_H
#define NCS_REPORT_DRAW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "run/run.h"
#include "verify/seen.h"

enum ncs_draw_what { NCS_DRAW_NOTHING, NCS_DRAW_CALLS, NCS_DRAW_STEPS, NCS_DRAW_TREE };

struct ncs_draw_style {
    enum ncs_draw_what what;
    int width;    /* cells of a line, at least 48; 0 = 80 */
    bool unicode; /* lines and arrows; otherwise all is ASCII */
    bool all;     /* no limit on calls, sends and ranks */
};

/* Appends the diagram of one collective, whole lines. */
void ncs_draw(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out);
/* Draws sends with their receives, and puts, of one communicator. */
void ncs_draw_pairs(const struct ncs_seen *const *pair, size_t count, const struct ncs_draw_style *style, struct ncs_str *out);
/* Draws all operations that the run has kept (options.look). */
void ncs_draw_run(const struct ncs_result *result, const struct ncs_draw_style *style, struct ncs_str *out);

#endif
