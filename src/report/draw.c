/* Draws one collective: a table of the inputs, the lines along which the data go, a
 * table of the outputs. */
#include "report/draw_call.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"

/* ---- the lines between ---- */

struct spans {
    size_t middle;            /* the row of the operator */
    size_t first[2], last[2]; /* rows that the bars of both sides span */
};

static bool ends_at(const struct ncs_drawing *d, bool after, size_t row)
{
    const struct ncs_seen_rank *r = &d->seen->rank[d->row.at[row]];
    if (!after)
        return d->seen->over ? r->before.count > 0 : r->presence >= NCS_PRESENT && !r->call;
    return r->after.count > 0;
}

/* The row where all lines meet: the root's row if it is shown, else the middle one. */
static size_t middle_of(const struct ncs_drawing *d)
{
    for (size_t i = 0; d->seen->over && i < d->row.count; i++)
        if (d->row.at[i] == d->seen->root)
            return i;
    return (d->row.count - 1) / 2;
}

static struct spans spans_of(const struct ncs_drawing *d)
{
    struct spans s = { .middle = middle_of(d) };
    for (int side = 0; side < 2; side++) {
        s.first[side] = s.last[side] = s.middle;
        for (size_t i = 0; i < d->row.count; i++) {
            if (!ends_at(d, side, i))
                continue;
            s.first[side] = i < s.first[side] ? i : s.first[side];
            s.last[side] = i > s.last[side] ? i : s.last[side];
        }
    }
    return s;
}

static const char *joint(const struct ncs_drawing *d, bool left, bool right, bool up, bool down)
{
    return d->signs->joint[left + 2 * right + 4 * up + 8 * down];
}

/* `gap`: draws the line above the row, which stands for ranks that are left out. */
static void draw_add_lines(const struct ncs_drawing *d, const struct spans *s, size_t row, bool gap)
{
    const char *line = d->signs->joint[3], *label = ncs_drawing_label(d);
    bool middle = row == s->middle && !gap, in = !gap && ends_at(d, false, row);
    bool out = !gap && d->seen->over && ends_at(d, true, row);
    bool up0 = row > s->first[0] && row <= s->last[0], up1 = row > s->first[1] && row <= s->last[1];
    bool down0 = gap ? up0 : row >= s->first[0] && row < s->last[0];
    bool down1 = gap ? up1 : row >= s->first[1] && row < s->last[1];
    ncs_str_addf(d->out, "%s%s", in ? line : " ", in ? line : " ");
    if (!d->seen->over) {
        ncs_str_addf(d->out, "%s ", joint(d, in, false, up0, down0));
        return;
    }
    ncs_str_add(d->out, joint(d, in, middle, up0, down0));
    if (middle)
        ncs_str_addf(d->out, "%s%s%s", line, label, line);
    else
        ncs_str_addf(d->out, "%*s", (int)ncs_draw_cells(label) + 2, "");
    ncs_str_add(d->out, joint(d, middle, out, up1, down1));
    ncs_str_addf(d->out, "%s%s", out ? line : " ", out ? d->signs->arrow : " ");
}

/* The bar passes a rank that is missing. */
static void draw_add_bar(const struct ncs_drawing *d, const struct spans *s, size_t row)
{
    bool up = row > s->first[0] && row <= s->last[0], down = row >= s->first[0] && row < s->last[0];
    ncs_str_addf(d->out, "%s ", joint(d, false, false, up, down));
}

/* ---- the lines of the drawing ---- */

static void draw_end_line(const struct ncs_drawing *d, size_t start)
{
    ncs_draw_cut(d->style, d->out, start);
    ncs_str_add(d->out, "\n");
}

static size_t lines_width(const struct ncs_drawing *d)
{
    return d->seen->over ? 8 + ncs_draw_cells(ncs_drawing_label(d)) : 4;
}

static void add_titles(const struct ncs_drawing *d)
{
    size_t start = d->out->bytes, left = 2 + d->name + 2;
    ncs_str_addf(d->out, "%*s", (int)left, "");
    ncs_str_add(d->out, "before");
    ncs_draw_pad(d->out, start, left + ncs_grid_width(&d->side[0]) + lines_width(d));
    ncs_str_add(d->out, d->seen->over ? "after" : "");
    draw_end_line(d, start);
}

static void add_borders(const struct ncs_drawing *d, bool top)
{
    size_t start = d->out->bytes;
    ncs_str_addf(d->out, "%*s", (int)(2 + d->name + 2), "");
    ncs_grid_border(&d->side[0], top, d->out);
    if (d->seen->over) {
        ncs_str_addf(d->out, "%*s", (int)lines_width(d), "");
        ncs_grid_border(&d->side[1], top, d->out);
    }
    draw_end_line(d, start);
}

static void add_presence(const struct ncs_drawing *d, int i)
{
    const struct ncs_seen_rank *r = &d->seen->rank[i];
    struct ncs_str text = { 0 };
    if (r->call && r->presence != NCS_ABSENT)
        ncs_str_addf(&text, "at odds: %s", r->call);
    else if (r->presence == NCS_ABSENT)
        ncs_str_addf(&text, "missing: made %" PRIu32 " call%s", r->number, r->number == 1 ? "" : "s");
    else
        ncs_str_add(&text, r->presence == NCS_OVER     ? "done"
                           : r->presence == NCS_CALLED ? "called, has not begun"
                                                       : "has come, waits");
    if (r->line && r->presence != NCS_ABSENT)
        ncs_str_addf(&text, ", line %d", r->line);
    ncs_str_add(d->out, " ");
    ncs_safe_line(d->out, text.text);
    ncs_str_free(&text);
}

static void draw_add_row(const struct ncs_drawing *d, const struct spans *s, size_t row)
{
    int i = d->row.at[row];
    const struct ncs_seen_rank *r = &d->seen->rank[i];
    size_t start = d->out->bytes;
    ncs_str_add(d->out, "  ");
    ncs_draw_rank(d->seen, i, d->out);
    ncs_draw_pad(d->out, start, 2 + d->name + 2);
    if (!d->seen->over && r->presence == NCS_ABSENT) {
        size_t at = start + 2 + d->name + 2, width = ncs_grid_width(&d->side[0]);
        ncs_str_add(d->out, " ");
        for (size_t k = 2; k < width; k++)
            ncs_str_add(d->out, k % 2 ? " " : d->signs->nothing);
        ncs_draw_pad(d->out, start, at - start + width);
        ncs_str_addf(d->out, "%s ", d->signs->cross);
    } else {
        ncs_grid_row(&d->side[0], row, d->out);
    }
    if (d->seen->over) {
        draw_add_lines(d, s, row, false);
        ncs_grid_row(&d->side[1], row, d->out);
    } else {
        if (r->presence == NCS_ABSENT)
            draw_add_bar(d, s, row);
        else
            draw_add_lines(d, s, row, false);
        add_presence(d, i);
    }
    draw_end_line(d, start);
}

/* Where ranks are left out before the row. */
static void add_gap(const struct ncs_drawing *d, const struct spans *s, size_t row)
{
    int before = row ? d->row.at[row - 1] + 1 : 0;
    size_t start = d->out->bytes, left = 2 + d->name + 2;
    ncs_str_addf(d->out, "  %s %d more", d->signs->dots, d->row.at[row] - before);
    ncs_draw_pad(d->out, start, left + ncs_grid_width(&d->side[0]));
    draw_add_lines(d, s, row, true);
    draw_end_line(d, start);
}

static void draw_add_table(const struct ncs_drawing *d)
{
    struct spans s = spans_of(d);
    add_titles(d);
    add_borders(d, true);
    for (size_t i = 0; i < d->row.count; i++) {
        if (ncs_pick_gap(&d->row, i))
            add_gap(d, &s, i);
        draw_add_row(d, &s, i);
    }
    add_borders(d, false);
}

/* ---- what stands around it ---- */

static int common_line(const struct ncs_seen *s)
{
    int line = 0;
    for (int i = 0; i < s->ranks; i++) {
        if (s->rank[i].presence == NCS_ABSENT)
            continue;
        if (line && s->rank[i].line != line)
            return 0;
        line = s->rank[i].line;
    }
    return line;
}

/* Counts the ranks that call it in place, and the ranks that could. */
static void count_in_place(const struct ncs_seen *s, int *in_place, int *can)
{
    *in_place = *can = 0;
    for (int i = 0; i < s->ranks; i++) {
        *in_place += s->rank[i].in_place;
        *can += s->rank[i].before.count > 0 && s->rank[i].after.count > 0;
    }
}

static void draw_add_heading(const struct ncs_drawing *d)
{
    const struct ncs_seen *s = d->seen;
    size_t start = d->out->bytes;
    int in_place, can, line = common_line(s);
    count_in_place(s, &in_place, &can);
    ncs_str_add(d->out, "communicator ");
    ncs_safe_line(d->out, s->comm);
    ncs_str_addf(d->out, ", call %" PRIu32 "%s: ", s->number, s->over ? "" : ", not over");
    ncs_safe_line(d->out, s->call);
    if (in_place && in_place == can && s->over)
        ncs_str_add(d->out, ", in place");
    if (line && s->over)
        ncs_str_addf(d->out, ", line %d", line);
    draw_end_line(d, start);
}

static void add_meaning(const struct ncs_drawing *d)
{
    const char *words = ncs_fn_info[ncs_fn_info[d->seen->fn].same].moves;
    struct ncs_str text = { 0 };
    for (; words && *words; words++) {
        if (strncmp(words, "OP", 2) == 0) {
            ncs_str_add(&text, d->seen->scaled ? "sum" : ncs_draw_op(d->seen));
            words++;
        } else if (strncmp(words, "ROOT", 4) == 0) {
            ncs_draw_rank(d->seen, d->seen->root, &text);
            words += 3;
        } else {
            ncs_str_add_bytes(&text, words, 1);
        }
    }
    if (d->seen->scaled)
        ncs_str_add(&text, ", each times its own scalar");
    ncs_draw_words(d->style, d->out, text.text);
    ncs_str_free(&text);
}

static void add_ranks_line(const struct ncs_drawing *d, const int *rank, size_t count, const char *verb)
{
    struct ncs_str text = { 0 };
    if (count) {
        ncs_str_addf(&text, "%s rank%s ", verb, count == 1 ? "" : "s");
        ncs_str_add_many_ranks(&text, rank, count);
        ncs_draw_words(d->style, d->out, text.text);
    }
    ncs_str_free(&text);
}

/* "wrong, marked !: on ranks 1, 3" */
static void add_notes(const struct ncs_drawing *d)
{
    const struct ncs_seen *s = d->seen;
    int in_place, can, *list = ncs_new((size_t)s->ranks * sizeof *list);
    size_t n = 0;
    for (int i = 0; i < s->ranks; i++)
        if (s->rank[i].wrongs)
            list[n++] = s->rank[i].rank;
    add_ranks_line(d, list, n, d->wrong ? "! the result is wrong on" : "the result is wrong, further on, on");
    for (int i = n = 0; i < s->ranks; i++)
        if (s->rank[i].presence == NCS_ABSENT && !s->over)
            list[n++] = s->rank[i].rank;
    add_ranks_line(d, list, n, "it waits for");
    count_in_place(s, &in_place, &can);
    for (int i = n = 0; i < s->ranks; i++)
        if (s->rank[i].in_place)
            list[n++] = s->rank[i].rank;
    if (in_place != can && s->over)
        add_ranks_line(d, list, n, "in place on");
    ncs_free(list);
    if (s->unfit) {
        struct ncs_str text = { 0 };
        ncs_str_addf(&text, "without values: %s", s->unfit);
        ncs_draw_words(d->style, d->out, text.text);
        ncs_str_free(&text);
    }
    if (d->labels && d->seen->ranks > 1)
        ncs_draw_words(d->style, d->out,
                       ncs_blocks_are_many(ncs_fn_info[d->seen->fn].reads)
                           ? "A0 is part 0 of what the first rank puts in, B1 part 1 of the second's"
                           : "A is what the first rank puts in, B the second's, and so on");
    if (d->rounded)
        ncs_draw_words(d->style, d->out, "numbers are shown with four digits");
}

static void draw_begin(struct ncs_drawing *d)
{
    const struct ncs_fn_info *info = &ncs_fn_info[d->seen->fn];
    d->signs = ncs_draw_signs(d->style);
    d->bytes = ncs_dtype_bytes(d->seen->dtype);
    d->blocks = ncs_blocks_are_many(info->reads) || ncs_blocks_are_many(info->writes);
    for (int i = 0; i < d->seen->ranks; i++) {
        struct ncs_str name = { 0 };
        ncs_draw_rank(d->seen, i, &name);
        d->name = ncs_draw_cells(name.text) > d->name ? ncs_draw_cells(name.text) : d->name;
        ncs_str_free(&name);
    }
}

void ncs_draw(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out)
{
    if (seen->src >= 0) {
        ncs_draw_pairs(&seen, 1, style, out);
        return;
    }
    struct ncs_drawing d = { .seen = seen, .style = style, .out = out };
    draw_begin(&d);
    draw_add_heading(&d);
    add_meaning(&d);
    if (seen->count == 0) {
        ncs_draw_words(style, out, "no elements: nothing moves, and no rank waits");
        return;
    }
    ncs_drawing_lay_out(&d);
    draw_add_table(&d);
    add_notes(&d);
    ncs_grid_free(&d.side[0]);
    ncs_grid_free(&d.side[1]);
    ncs_pick_free(&d.row);
    ncs_pick_free(&d.column);
    if (style->what == NCS_DRAW_STEPS)
        ncs_draw_steps(seen, style, out);
    if (style->what == NCS_DRAW_TREE)
        ncs_draw_tree(seen, style, out);
}
