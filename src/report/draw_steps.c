/* The steps of a ring: each rank's part of every chunk after each step. A reduce-scatter leaves one
 * complete chunk on each rank, an all-gather passes the chunks on, an all-reduce does both. The
 * simulator computes in one pass, so these steps are computed from the inputs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "report/draw_math.h"

enum { MOST_RANKS = 1024, STEPS_SHOWN = 2 };

struct piece {
    union ncs_partial value;
    bool held, complete, arrived;
};

struct ring {
    const struct ncs_seen *seen;
    const struct ncs_draw_style *style;
    struct ncs_str *out;
    int n;
    struct piece *piece; /* n * rank + chunk */
    struct ncs_pick row, column;
    bool gathers, reduces, rounded;
};

static struct piece *draw_steps_element_at(struct ring *r, int rank, int chunk)
{
    return &r->piece[(size_t)rank * (size_t)r->n + (size_t)chunk];
}

/* An all-reduce goes round twice, over parts of one buffer. */
static bool is_both(const struct ring *r)
{
    return r->gathers && r->reduces;
}

static uint64_t draw_steps_part_of(const struct ring *r)
{
    return is_both(r) ? (r->seen->count + (uint64_t)r->n - 1) / (uint64_t)r->n : r->seen->count;
}

/* Loads each rank's contribution. False: some of the data were not kept. */
static bool draw_steps_load(struct ring *r)
{
    for (int c = 0; c < r->n; c++) {
        bool gather = !r->reduces;
        uint64_t element = gather ? 0 : (uint64_t)c * draw_steps_part_of(r);
        if (is_both(r) && element >= r->seen->count)
            continue; /* fewer elements than ranks: the chunk is empty */
        if (!ncs_partial_known(r->seen, element))
            return false;
        for (int k = 0; k < r->n; k++)
            if (!gather || k == c)
                *draw_steps_element_at(r, k, c) = (struct piece){ ncs_partial_of(r->seen, k, element), true, gather, false };
    }
    return true;
}

static int draw_steps_before(const struct ring *r, int rank, int steps)
{
    return ((rank - steps) % r->n + r->n) % r->n;
}

/* Which chunk the rank sends in a step, from 0. */
static int sent(const struct ring *r, bool gather, int rank, int step)
{
    return draw_steps_before(r, rank, gather ? step : step + 1);
}

/* All ranks send at the same time, so no rank sends data that arrive in the same step. */
static void make_step(struct ring *r, bool gather, int step)
{
    struct piece *moving = ncs_new((size_t)r->n * sizeof *moving);
    for (int k = 0; k < r->n; k++)
        moving[k] = *draw_steps_element_at(r, k, sent(r, gather, k, step));
    for (int k = 0; k < r->n; k++)
        for (int c = 0; c < r->n; c++)
            draw_steps_element_at(r, k, c)->arrived = false;
    for (int k = 0; k < r->n; k++) {
        struct piece *to = draw_steps_element_at(r, (k + 1) % r->n, sent(r, gather, k, step));
        if (!moving[k].held)
            continue;
        if (gather) {
            *to = moving[k];
        } else {
            to->value = ncs_partial_join(r->seen, moving[k].value, to->value);
            to->complete = step == r->n - 2;
            if (to->complete)
                to->value = ncs_partial_end(r->seen, to->value);
        }
        to->arrived = true;
    }
    ncs_free(moving);
}

/* ---- drawing ---- */

static void draw_steps_fill(struct ring *r, struct ncs_grid *g)
{
    const struct ncs_signs *signs = ncs_draw_signs(r->style);
    ncs_grid_make(g, signs, &r->row, &r->column);
    g->numbered = true;
    for (size_t i = 0; i < r->row.count; i++)
        for (size_t c = 0; c < r->column.count; c++) {
            const struct piece *p = draw_steps_element_at(r, r->row.at[i], r->column.at[c]);
            struct ncs_str text = { 0 };
            if (p->arrived)
                ncs_str_add(&text, signs->arrived);
            if (!p->held)
                ncs_str_add(&text, signs->nothing);
            else
                r->rounded |= ncs_partial_text(r->seen, p->value, &text);
            if (p->held && p->complete)
                ncs_str_add(&text, signs->complete);
            ncs_grid_put(g, i, c, &text);
        }
}

static size_t name_width(const struct ring *r)
{
    size_t most = 0;
    for (size_t i = 0; i < r->row.count; i++) {
        struct ncs_str name = { 0 };
        ncs_draw_rank(r->seen, r->row.at[i], &name);
        most = name.bytes > most ? name.bytes : most;
        ncs_str_free(&name);
    }
    return most;
}

static void draw_steps_add_table(struct ring *r, bool gather, int step)
{
    const struct ncs_signs *signs = ncs_draw_signs(r->style);
    size_t name = name_width(r), width = (size_t)ncs_draw_width(r->style);
    struct ncs_grid g;
    draw_steps_fill(r, &g);
    while (r->column.count > 2 && 4 + name + ncs_grid_width(&g) + 14 + name > width) {
        ncs_grid_free(&g);
        ncs_pick_drop(&r->column, r->column.count - 2);
        draw_steps_fill(r, &g);
    }
    ncs_str_addf(r->out, "%*s", (int)(4 + name), "");
    ncs_grid_border(&g, true, r->out);
    ncs_str_add(r->out, "\n");
    for (size_t i = 0; i < r->row.count; i++) {
        int rank = r->row.at[i];
        size_t start = r->out->bytes;
        if (ncs_pick_gap(&r->row, i))
            ncs_str_addf(r->out, "  %s %d more\n", signs->dots, rank - (i ? r->row.at[i - 1] + 1 : 0));
        start = r->out->bytes;
        ncs_str_add(r->out, "  ");
        ncs_draw_rank(r->seen, rank, r->out);
        ncs_draw_pad(r->out, start, 4 + name);
        ncs_grid_row(&g, i, r->out);
        if (draw_steps_element_at(r, rank, sent(r, gather, rank, step))->held) { /* an empty chunk is not sent */
            ncs_str_addf(r->out, " chunk %d %s%s ", sent(r, gather, rank, step), signs->joint[3], signs->arrow);
            ncs_draw_rank(r->seen, (rank + 1) % r->n, r->out);
        }
        ncs_draw_cut(r->style, r->out, start);
        ncs_str_add(r->out, "\n");
    }
    ncs_str_addf(r->out, "%*s", (int)(4 + name), "");
    ncs_grid_border(&g, false, r->out);
    ncs_str_add(r->out, "\n");
    ncs_grid_free(&g);
}

static void add_phase(struct ring *r, bool gather)
{
    int steps = r->n - 1;
    bool all = r->style->all || steps <= STEPS_SHOWN + 1;
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "%s in %d step%s: each rank sends a chunk to the next one, which %s",
                 gather ? "all-gather" : "reduce-scatter", steps, steps == 1 ? "" : "s",
                 gather ? "keeps it" : "joins it to its own");
    ncs_draw_words(r->style, r->out, text.text);
    ncs_str_free(&text);
    for (int step = 0; step < steps; step++) {
        make_step(r, gather, step);
        if (!all && step == STEPS_SHOWN)
            ncs_str_addf(r->out, "  %s\n", ncs_draw_signs(r->style)->dots);
        if (!all && step >= STEPS_SHOWN && step < steps - 1)
            continue;
        ncs_str_addf(r->out, "  step %d of %d\n", step + 1, steps);
        draw_steps_add_table(r, gather, step);
    }
}

static void draw_steps_add_legend(struct ring *r)
{
    const struct ncs_signs *signs = ncs_draw_signs(r->style);
    struct ncs_str text = { 0 };
    ncs_str_addf(&text, "%s has come in this step, %s is complete; of each chunk its first element%s", signs->arrived,
                 signs->complete, r->rounded ? ", with four digits" : "");
    ncs_draw_words(r->style, r->out, text.text);
    ncs_str_free(&text);
}

static void add_ring(struct ring *r)
{
    ncs_draw_words(r->style, r->out,
                   "in steps, as NCCL's ring does it in principle: without its channels, the slices of "
                   "chunks and the protocol; the simulator computes in one pass");
    if (r->n < 2) {
        ncs_draw_words(r->style, r->out, "a ring of one rank has no steps");
        return;
    }
    if (r->n <= MOST_RANKS)
        r->piece = ncs_new((size_t)r->n * (size_t)r->n * sizeof *r->piece);
    if (!r->piece || !draw_steps_load(r)) {
        ncs_draw_words(r->style, r->out, "the steps are not drawn: not all inputs were kept");
        return;
    }
    ncs_pick_ranks(&r->row, r->seen, r->style->all);
    r->column.total = (uint64_t)r->n;
    for (size_t i = 0; i < r->row.count; i++)
        ncs_pick_add(&r->column, r->row.at[i]);
    if (r->reduces)
        add_phase(r, false);
    if (r->gathers)
        add_phase(r, true);
    draw_steps_add_legend(r);
}

void ncs_draw_steps(const struct ncs_seen *seen, const struct ncs_draw_style *style, struct ncs_str *out)
{
    struct ring r = { .seen = seen, .style = style, .out = out, .n = seen->nranks };
    if (!seen->over || seen->count == 0)
        return;
    const struct ncs_fn_info *info = &ncs_fn_info[seen->fn];
    if (info->composed || info->pair || info->one_sided) {
        ncs_draw_words(style, out, "no ring: every part goes straight from its rank to the other");
        return;
    }
    if (info->rooted) {
        ncs_draw_chain(seen, style, out);
        return;
    }
    r.reduces = info->reduces;
    r.gathers = info->reads != NCS_BLOCKS_ALL;
    add_ring(&r);
    ncs_free(r.piece);
    ncs_pick_free(&r.row);
    ncs_pick_free(&r.column);
}
