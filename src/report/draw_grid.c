/* Signs, picks, tables, and texts of numbers. */
#include "report/draw_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/mem.h"
#include "base/safe.h"
#include "verify/element.h"

static const struct ncs_signs signs[2] = {
    { .joint = { " ", "-", "-", "-", "|", "+", "+", "+", "|", "+", "+", "+", "|", "+", "+", "+" },
      .arrow = ">",
      .cross = "x",
      .dots = "...",
      .nothing = ".",
      .put = "=",
      .arrived = ">",
      .complete = "*" },
    { .joint = { " ", "─", "─", "─", "│", "┘", "└", "┴", "│", "┐", "┌", "┬", "│", "┤", "├", "┼" },
      .arrow = "▶",
      .cross = "✗",
      .dots = "…",
      .nothing = "·",
      .put = "═",
      .arrived = "▶",
      .complete = "✓" },
};

const struct ncs_signs *ncs_draw_signs(const struct ncs_draw_style *style)
{
    return &signs[style->unicode];
}

int ncs_draw_width(const struct ncs_draw_style *style)
{
    enum { USUAL = 80, LEAST = 48 };
    return style->width <= 0 ? USUAL : style->width < LEAST ? LEAST : style->width;
}

/* Bytes of a drawing sign or of an ASCII character at the text; 0 = another character. */
static size_t sign_at(const char *text)
{
    static const char *const own[] = { "\xe2\x94", "\xe2\x95", "\xe2\x96", "\xe2\x9c", "\xe2\x80\xa6" };
    if ((unsigned char)*text < 0x80)
        return 1;
    if (strncmp(text, signs[1].nothing, 2) == 0)
        return 2;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(text, own[i], strlen(own[i])) == 0)
            return 3;
    return 0;
}

size_t ncs_draw_cells(const char *text)
{
    size_t cells = 0;
    for (const char *at = text; *at; cells++) {
        size_t bytes = sign_at(at);
        if (bytes == 0)
            return ncs_safe_width(text); /* which is slow */
        at += bytes;
    }
    return cells;
}

/* ---- picks ---- */

bool ncs_pick_gap(const struct ncs_pick *p, size_t i)
{
    int before = i > 0 ? p->at[i - 1] + 1 : 0;
    return i < p->count ? p->at[i] != before : (uint64_t)before < p->total;
}

static bool pick_has(const struct ncs_pick *p, int what)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->at[i] == what)
            return true;
    return false;
}

void ncs_pick_add(struct ncs_pick *p, int what)
{
    if (what < 0 || (uint64_t)what >= p->total || pick_has(p, what))
        return;
    NCS_PUSH(p->at, p->count, p->room, what);
    for (size_t i = p->count - 1; i > 0 && p->at[i - 1] > what; i--) {
        p->at[i] = p->at[i - 1];
        p->at[i - 1] = what;
    }
}

void ncs_pick_drop(struct ncs_pick *p, size_t i)
{
    memmove(&p->at[i], &p->at[i + 1], (p->count - i - 1) * sizeof *p->at);
    p->count--;
}

void ncs_pick_free(struct ncs_pick *p)
{
    ncs_free(p->at);
    *p = (struct ncs_pick){ 0 };
}

void ncs_pick_ranks(struct ncs_pick *p, const struct ncs_seen *seen, bool all)
{
    enum { FEW = 8, FIRST = 4, WRONG = 3, MISSING = 4, ALL = 32 };
    int wrong = 0, missing = 0;
    p->total = (uint64_t)seen->ranks;
    if (seen->ranks <= FEW || (all && seen->ranks <= ALL)) {
        for (int i = 0; i < seen->ranks; i++)
            ncs_pick_add(p, i);
        return;
    }
    for (int i = 0; i < FIRST; i++)
        ncs_pick_add(p, i);
    ncs_pick_add(p, seen->ranks - 1);
    ncs_pick_add(p, seen->root);
    for (int i = 0; i < seen->ranks; i++) {
        const struct ncs_seen_rank *r = &seen->rank[i];
        if ((r->wrongs && wrong++ < WRONG) || (!seen->over && (r->presence == NCS_ABSENT || r->call) && missing++ < MISSING))
            ncs_pick_add(p, i);
    }
}

/* ---- tables ---- */

void ncs_grid_make(struct ncs_grid *g, const struct ncs_signs *s, const struct ncs_pick *row, const struct ncs_pick *column)
{
    *g = (struct ncs_grid){ .signs = s, .row = row, .column = column };
    g->cells = row->count * column->count;
    g->cell = ncs_new(g->cells * sizeof *g->cell);
    g->width = ncs_new(column->count * sizeof *g->width);
}

void ncs_grid_free(struct ncs_grid *g)
{
    NCS_FREE_ALL(g->cell, g->cells);
    ncs_free(g->width);
    g->cell = NULL;
    g->width = NULL;
}

/* Bytes of the character at the text. */
static size_t draw_grid_character(const char *text)
{
    size_t n = 1;
    while (((unsigned char)text[n] & 0xc0) == 0x80)
        n++;
    return n;
}

/* Cuts the text to so many cells. Each of its characters must take one cell. */
static void draw_grid_cut(struct ncs_str *text, size_t width, const char *dots)
{
    size_t at = 0, keep = width > ncs_draw_cells(dots) ? width - ncs_draw_cells(dots) : 0;
    if (ncs_draw_cells(text->text) <= width)
        return;
    while (keep-- > 0)
        at += draw_grid_character(text->text + at);
    text->bytes = at;
    text->text[at] = '\0';
    ncs_str_add(text, dots);
}

static bool starts(const char *text, const char *sign)
{
    return strncmp(text, sign, strlen(sign)) == 0;
}

static bool draw_grid_ends(const char *text, const char *sign)
{
    size_t a = strlen(text), b = strlen(sign);
    return a >= b && strcmp(text + a - b, sign) == 0;
}

void ncs_grid_put(struct ncs_grid *g, size_t row, size_t column, struct ncs_str *text)
{
    if (!text->text)
        ncs_str_add(text, "");
    if (g->widest)
        draw_grid_cut(text, g->widest, g->signs->dots);
    size_t width = ncs_draw_cells(text->text);
    width -= starts(text->text, g->signs->arrived); /* the marks replace blanks */
    width -= draw_grid_ends(text->text, g->signs->complete);
    if (g->width[column] < width)
        g->width[column] = width;
    g->cell[row * g->column->count + column] = ncs_str_take(text);
}

size_t ncs_grid_width(const struct ncs_grid *g)
{
    size_t width = 1, dots = ncs_draw_cells(g->signs->dots);
    for (size_t i = 0; i <= g->column->count; i++) {
        if (ncs_pick_gap(g->column, i))
            width += dots + 3;
        if (i < g->column->count)
            width += g->width[i] + 3;
    }
    return width;
}

static void repeat(struct ncs_str *out, const char *sign, size_t times)
{
    while (times-- > 0)
        ncs_str_add(out, sign);
}

static void border_piece(const struct ncs_grid *g, bool top, bool first, const char *head, size_t width, struct ncs_str *out)
{
    const char *line = g->signs->joint[3];
    size_t used = head ? strlen(head) : 0;
    ncs_str_add(out, g->signs->joint[first ? (top ? 10 : 6) : (top ? 11 : 7)]);
    ncs_str_add(out, line);
    if (head && used <= width)
        ncs_str_add(out, head);
    else
        used = 0;
    repeat(out, line, width + 1 - used);
}

void ncs_grid_border(const struct ncs_grid *g, bool top, struct ncs_str *out)
{
    bool first = true;
    for (size_t i = 0; i <= g->column->count; i++) {
        if (ncs_pick_gap(g->column, i)) {
            border_piece(g, top, first, NULL, ncs_draw_cells(g->signs->dots), out);
            first = false;
        }
        if (i == g->column->count)
            break;
        char number[16];
        snprintf(number, sizeof number, "%d", g->column->at[i]);
        border_piece(g, top, first, top && g->numbered ? number : NULL, g->width[i], out);
        first = false;
    }
    ncs_str_add(out, g->signs->joint[top ? 9 : 5]);
}

void ncs_grid_row(const struct ncs_grid *g, size_t row, struct ncs_str *out)
{
    const struct ncs_signs *s = g->signs;
    const char *bar = s->joint[12];
    ncs_str_add(out, bar);
    for (size_t i = 0; i <= g->column->count; i++) {
        if (ncs_pick_gap(g->column, i))
            ncs_str_addf(out, " %s %s", s->dots, bar);
        if (i == g->column->count)
            break;
        const char *text = g->cell[row * g->column->count + i];
        text = text ? text : "";
        bool left = starts(text, s->arrived), right = draw_grid_ends(text, s->complete);
        size_t cells = ncs_draw_cells(text) - left - right;
        ncs_str_addf(out, "%s%*s", left ? s->arrived : " ", (int)(g->width[i] - cells), "");
        text += left ? strlen(s->arrived) : 0;
        ncs_str_add_bytes(out, text, strlen(text) - (right ? strlen(s->complete) : 0));
        ncs_str_addf(out, "%s%s", right ? s->complete : " ", bar);
    }
}

/* ---- lines ---- */

void ncs_draw_pad(struct ncs_str *out, size_t start, size_t width)
{
    size_t used = out->bytes > start ? ncs_draw_cells(out->text + start) : 0;
    if (used < width)
        ncs_str_addf(out, "%*s", (int)(width - used), "");
}

void ncs_draw_cut(const struct ncs_draw_style *style, struct ncs_str *out, size_t start)
{
    struct ncs_str line = { 0 };
    ncs_str_add_bytes(&line, out->text + start, out->bytes - start);
    while (line.bytes > 0 && line.text[line.bytes - 1] == ' ')
        line.text[--line.bytes] = '\0';
    if (line.bytes)
        draw_grid_cut(&line, (size_t)ncs_draw_width(style), ncs_draw_signs(style)->dots);
    out->bytes = start;
    out->text[start] = '\0';
    ncs_str_add(out, line.text ? line.text : "");
    ncs_str_free(&line);
}

void ncs_draw_words(const struct ncs_draw_style *style, struct ncs_str *out, const char *text)
{
    size_t width = (size_t)ncs_draw_width(style), used = 0;
    struct ncs_str word = { 0 };
    while (*text) {
        size_t bytes = strcspn(text, " ");
        ncs_str_clear(&word);
        ncs_str_add_bytes(&word, text, bytes);
        size_t cells = ncs_draw_cells(word.text);
        if (used > 2 && used + 1 + cells > width) {
            ncs_str_add(out, "\n");
            used = 0;
        }
        ncs_str_add(out, used == 0 ? "  " : " ");
        used += (used == 0 ? 2 : 1) + cells;
        ncs_str_add(out, word.text);
        text += bytes + (text[bytes] == ' ');
    }
    ncs_str_add(out, "\n");
    ncs_str_free(&word);
}

/* ---- texts ---- */

/* "1.678e+07" is 1.678e7 */
static void add_short(const char *text, struct ncs_str *out)
{
    const char *e = strchr(text, 'e');
    if (!e) {
        ncs_str_add(out, text);
        return;
    }
    ncs_str_add_bytes(out, text, (size_t)(e - text) + 1);
    e++;
    if (*e == '-')
        ncs_str_add(out, "-");
    e += *e == '-' || *e == '+';
    ncs_str_add(out, e + strspn(e, "0"));
}

static double draw_grid_add_number(double value, struct ncs_str *out)
{
    char text[64];
    if (isnan(value) || isinf(value)) {
        ncs_str_add(out, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return value;
    }
    if (value == rint(value) && fabs(value) < 1e6)
        snprintf(text, sizeof text, "%.0f", value);
    else
        snprintf(text, sizeof text, "%.4g", value);
    add_short(text, out);
    return strtod(text, NULL);
}

bool ncs_draw_float(int dtype, double value, struct ncs_str *out)
{
    double told = draw_grid_add_number(value, out);
    if (isnan(value) || isinf(value))
        return false;
    ncs_element_round(dtype, &told, 1); /* 1.6 is a float32 well enough */
    return told != value;
}

bool ncs_draw_word(int dtype, uint64_t word, struct ncs_str *out)
{
    enum { LONG = 9 };
    char text[64];
    ncs_element_word_text(dtype, word, text, sizeof text);
    if (strlen(text) > LONG) {
        draw_grid_add_number(ncs_element_signed(dtype) ? (double)(int64_t)word : (double)word, out);
        return true;
    }
    ncs_str_add(out, text);
    return false;
}

bool ncs_draw_value(int dtype, const void *element, struct ncs_str *out)
{
    uint64_t word;
    double value;
    if (ncs_float_format(dtype)) {
        ncs_element_values(dtype, element, 1, &value);
        return ncs_draw_float(dtype, value, out);
    }
    ncs_element_words(dtype, element, 1, &word);
    return ncs_draw_word(dtype, word, out);
}

void ncs_draw_letters(int rank, struct ncs_str *out)
{
    char text[8], *at = text + sizeof text - 1;
    *at = '\0';
    for (rank++; rank > 0; rank = (rank - 1) / 26)
        *--at = (char)('A' + (rank - 1) % 26);
    ncs_str_add(out, at);
}

void ncs_draw_rank(const struct ncs_seen *seen, int i, struct ncs_str *out)
{
    bool own = false;
    for (int k = 0; k < seen->ranks && seen->src < 0; k++)
        own |= seen->rank[k].rank >= 0 && seen->rank[k].rank != k;
    if (seen->rank[i].rank < 0)
        ncs_str_addf(out, "rank ? as %d", seen->src < 0 ? i : i == 0 ? seen->src : seen->dst);
    else
        ncs_str_addf(out, "rank %d", seen->rank[i].rank);
    if (own && seen->rank[i].rank >= 0)
        ncs_str_addf(out, " as %d", i);
}

const char *ncs_draw_op(const struct ncs_seen *seen)
{
    if (!ncs_fn_info[seen->fn].reduces)
        return NULL;
    const char *name = seen->scaled ? "premulsum" : ncs_redop_name(seen->op);
    return name ? name : "?";
}
