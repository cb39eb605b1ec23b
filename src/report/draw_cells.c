/* The contents of the cells of both tables, and how many of them fit. */
#include "report/draw_call.h"

#include <string.h>

#include "api/types.h"

static bool moves(const struct ncs_drawing *d)
{
    return ncs_draw_op(d->seen) == NULL;
}

/* ---- what a cell holds ---- */

/* The block of a buffer that column c shows. -1: none, because the buffer is
 * another rank's block. */
static int64_t draw_cells_block_of(const struct ncs_drawing *d, const struct ncs_sample *s, int rank, int c)
{
    if (s->count == 0)
        return -1;
    if (s->count == d->seen->count)
        return c == rank ? 0 : -1;
    return c;
}

/* The rank and the block of its input that column c of the rank shows afterwards. */
static void source_of(const struct ncs_drawing *d, int rank, int c, int *from, int *block)
{
    const struct ncs_seen *s = d->seen;
    enum ncs_blocks reads = ncs_fn_info[s->fn].reads;
    *from = ncs_blocks_are_roots(reads) ? s->root : c;
    *block = ncs_blocks_are_many(reads) && !ncs_fn_info[s->fn].reduces ? rank : 0;
}

static bool has_values(const struct ncs_seen *s)
{
    for (int i = 0; i < s->ranks; i++)
        if ((s->rank[i].before.count && !s->rank[i].before.bytes) ||
            (s->rank[i].presence == NCS_OVER && s->rank[i].after.count && !s->rank[i].after.bytes))
            return false;
    return !s->unfit && s->count > 0 && ncs_dtype_bytes(s->dtype) > 0;
}

static void draw_cells_add_value(struct ncs_drawing *d, const struct ncs_sample *s, uint64_t element, struct ncs_str *out)
{
    const void *at = ncs_sample_at(s, d->bytes, element);
    if (!at) {
        ncs_str_add(out, d->signs->dots);
        return;
    }
    d->rounded |= ncs_draw_value(d->seen->dtype, at, out);
    if (!ncs_sample_is_wrong(s, element))
        return;
    d->wrong = true;
    ncs_str_add(out, "!");
}

static void draw_cells_add_label(const struct ncs_drawing *d, int from, int block, struct ncs_str *out)
{
    ncs_draw_letters(from, out);
    if (ncs_blocks_are_many(ncs_fn_info[d->seen->fn].reads))
        ncs_str_addf(out, "%d", block);
}

/* True if the output block begins like that input block. */
static bool same_data(const struct ncs_drawing *d, int rank, int64_t block, int from, int from_block)
{
    const struct ncs_sample *a = &d->seen->rank[rank].after, *b = &d->seen->rank[from].before;
    uint64_t n = d->seen->count, i = 0;
    for (; i < n; i++) {
        const void *x = ncs_sample_at(a, d->bytes, (uint64_t)block * n + i);
        const void *y = ncs_sample_at(b, d->bytes, (uint64_t)from_block * n + i);
        if (!x || !y)
            break;
        if (memcmp(x, y, d->bytes) != 0 || ncs_sample_is_wrong(a, (uint64_t)block * n + i))
            return false;
    }
    return i > 0;
}

/* Labels a piece that moved by its origin, as far as the kept data show it. */
static void add_moved(struct ncs_drawing *d, int rank, int64_t block, int c, struct ncs_str *out)
{
    const struct ncs_seen_rank *r = &d->seen->rank[rank];
    int from, from_block;
    source_of(d, rank, c, &from, &from_block);
    bool known = r->after.bytes && d->seen->rank[from].before.bytes;
    if (known ? same_data(d, rank, block, from, from_block) : !r->unchecked && !d->seen->unfit) {
        draw_cells_add_label(d, from, from_block, out);
        return;
    }
    d->wrong |= known;
    ncs_str_add(out, known ? "?!" : "?");
}

static void draw_cells_add_block(struct ncs_drawing *d, bool after, int rank, int c, struct ncs_str *out)
{
    const struct ncs_seen_rank *r = &d->seen->rank[rank];
    const struct ncs_sample *s = after ? &r->after : &r->before;
    int64_t block = draw_cells_block_of(d, s, rank, c);
    if (block < 0) {
        ncs_str_add(out, d->signs->nothing);
        return;
    }
    if (d->labels && !after) {
        draw_cells_add_label(d, rank, s->count == d->seen->count && d->seen->ranks > 1 ? 0 : c, out);
        return;
    }
    if (d->labels && moves(d)) {
        add_moved(d, rank, block, c, out);
        return;
    }
    if (d->labels) {
        ncs_str_addf(out, d->seen->unfit || r->unchecked ? "?" : "%s", ncs_draw_op(d->seen));
        return;
    }
    uint64_t first = (uint64_t)block * d->seen->count;
    for (uint64_t i = 0; i < d->shown; i++) {
        ncs_str_add(out, i ? " " : "");
        draw_cells_add_value(d, s, first + i, out);
    }
    if (d->shown < d->seen->count)
        ncs_str_addf(out, " %s", d->signs->dots);
}

static void draw_cells_add_element(struct ncs_drawing *d, bool after, int rank, int c, struct ncs_str *out)
{
    const struct ncs_seen_rank *r = &d->seen->rank[rank];
    const struct ncs_sample *s = after ? &r->after : &r->before;
    if (s->count == 0)
        ncs_str_add(out, d->signs->nothing);
    else if (!d->labels)
        draw_cells_add_value(d, s, (uint64_t)c, out);
    else if (!after)
        ncs_draw_letters(rank, out);
    else if (d->seen->unfit || r->unchecked || r->wrongs)
        ncs_str_add(out, "?");
    else if (moves(d))
        ncs_draw_letters(d->seen->root, out);
    else
        ncs_str_add(out, ncs_draw_op(d->seen));
}

static void draw_cells_fill(struct ncs_drawing *d, bool after, size_t widest)
{
    struct ncs_grid *g = &d->side[after];
    ncs_grid_free(g);
    ncs_grid_make(g, d->signs, &d->row, &d->column);
    g->numbered = d->blocks;
    g->widest = widest;
    for (size_t i = 0; i < d->row.count; i++)
        for (size_t c = 0; c < d->column.count; c++) {
            struct ncs_str text = { 0 };
            int rank = d->row.at[i];
            (d->blocks ? draw_cells_add_block : draw_cells_add_element)(d, after, rank, d->column.at[c], &text);
            ncs_grid_put(g, i, c, &text);
        }
}

/* ---- what fits ---- */

const char *ncs_drawing_label(const struct ncs_drawing *d)
{
    const char *op = ncs_draw_op(d->seen);
    return op ? op : d->signs->joint[3];
}

/* Cells for both tables. */
static size_t room(const struct ncs_drawing *d)
{
    size_t used = 2 + d->name + 2 + (d->seen->over ? 8 + ncs_draw_cells(ncs_drawing_label(d)) : 28);
    size_t width = (size_t)ncs_draw_width(d->style);
    return width > used ? width - used : 0;
}

static bool draw_cells_fits(struct ncs_drawing *d, size_t widest)
{
    size_t width;
    d->rounded = d->wrong = false;
    draw_cells_fill(d, false, widest);
    width = ncs_grid_width(&d->side[0]);
    if (d->seen->over) {
        draw_cells_fill(d, true, widest);
        width += ncs_grid_width(&d->side[1]);
    }
    return width <= room(d);
}

static void draw_cells_fit(struct ncs_drawing *d)
{
    enum { SHOWN = 4 };
    size_t least = d->blocks ? 2 : 1;
    uint64_t most = d->seen->count < SHOWN ? d->seen->count : SHOWN;
    for (d->shown = most; d->blocks && !d->labels && d->shown > 1 && !draw_cells_fits(d, 0);)
        d->shown--;
    while (!draw_cells_fits(d, 0) && d->column.count > least)
        ncs_pick_drop(&d->column, d->column.count - (d->blocks ? 2 : 1));
    for (size_t widest = 24; widest >= 3 && !draw_cells_fits(d, widest); widest--)
        continue;
}

static void pick_columns(struct ncs_drawing *d)
{
    enum { MOST = 16 };
    const struct ncs_seen *s = d->seen;
    ncs_pick_free(&d->column);
    if (d->blocks) {
        d->column.total = (uint64_t)s->ranks;
        for (size_t i = 0; i < d->row.count; i++)
            ncs_pick_add(&d->column, d->row.at[i]);
        return;
    }
    d->column.total = d->labels ? 1 : s->count;
    for (int i = 0; i < MOST && (uint64_t)i < d->column.total; i++) {
        bool kept = i == 0 || d->labels;
        for (int r = 0; r < s->ranks && !kept; r++)
            kept = ncs_sample_at(&s->rank[r].before, d->bytes, (uint64_t)i) != NULL;
        if (!kept)
            return;
        ncs_pick_add(&d->column, i);
    }
}

/* True if the values distinguish the pieces. */
static bool tells(struct ncs_drawing *d)
{
    const struct ncs_grid *g = &d->side[0];
    size_t cells = d->row.count * d->column.count;
    for (size_t i = 0; i < cells; i++)
        for (size_t k = i + 1; k < cells; k++)
            if (strcmp(g->cell[i], g->cell[k]) == 0 && strcmp(g->cell[i], d->signs->nothing) != 0)
                return false;
    return true;
}

void ncs_drawing_lay_out(struct ncs_drawing *d)
{
    ncs_pick_ranks(&d->row, d->seen, d->style->all);
    d->labels = !has_values(d->seen);
    pick_columns(d);
    draw_cells_fit(d);
    if (d->labels || !d->blocks || !moves(d) || tells(d))
        return;
    d->labels = true;
    pick_columns(d);
    draw_cells_fit(d);
}
