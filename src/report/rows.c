/* Rows of ranks: merging, aligning, cutting. */
#include "report/rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/safe.h"

/* WIDEST: the widest text before the aligned "line N"; longer ones stick out. */
enum { SHOWN = 16, WIDEST = 100 };

struct line {
    struct ncs_str who;  /* "rank 2", "ranks 0, 1, 3" */
    struct ncs_str what; /* the row's text, its verb agreeing with who */
    const struct ncs_row *row;
};

void ncs_rows_add(struct ncs_rows *rows, int rank, const char *text, int line, bool keep)
{
    struct ncs_str safe = { 0 };
    ncs_safe_line(&safe, text ? text : "");
    struct ncs_row row = { .rank = rank, .text = ncs_str_take(&safe), .line = line, .keep = keep };
    if (!row.text)
        row.text = ncs_copy_text("");
    NCS_PUSH(rows->row, rows->count, rows->room, row);
}

/* Reads one character; a whole number counts as one '0'. Advances *text. */
static int next_of_shape(const char **text)
{
    if (!isdigit((unsigned char)**text))
        return **text ? (unsigned char)*(*text)++ : 0;
    while (isdigit((unsigned char)**text))
        ++*text;
    return '0';
}

int ncs_compare_shapes(const char *a, const char *b)
{
    int x, y;
    do {
        x = next_of_shape(&a);
        y = next_of_shape(&b);
    } while (x && x == y);
    return (x > y) - (x < y);
}

typedef int compare_texts(const char *a, const char *b);

static int compare_by(compare_texts *texts, const void *a, const void *b)
{
    const struct ncs_row *x = *(const struct ncs_row *const *)a;
    const struct ncs_row *y = *(const struct ncs_row *const *)b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->keep != y->keep)
        return x->keep ? -1 : 1;
    return texts(x->text, y->text);
}

/* Rows that compare equal stay in their order. */
static int in_place(int order, const void *a, const void *b)
{
    const struct ncs_row *x = *(const struct ncs_row *const *)a;
    const struct ncs_row *y = *(const struct ncs_row *const *)b;
    return order ? order : (x > y) - (x < y);
}

static int compare_rows(const void *a, const void *b)
{
    return compare_by(strcmp, a, b);
}

static int compare_in_place(const void *a, const void *b)
{
    return in_place(compare_rows(a, b), a, b);
}

static int compare_shapes(const void *a, const void *b)
{
    return compare_by(ncs_compare_shapes, a, b);
}

static int compare_shapes_in_place(const void *a, const void *b)
{
    return in_place(compare_shapes(a, b), a, b);
}

static int rows_compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

void ncs_rows_add_text(struct ncs_str *out, const char *text, bool several)
{
    bool plural = several && strncmp(text, "waits ", 6) == 0;
    ncs_str_addf(out, "%s%s", plural ? "wait" : "", text + (plural ? 5 : 0));
}

/* One line for the first `count` rows of the list, which are equal or differ only in numbers. */
static struct line make_line(const struct ncs_row *const *row, size_t count, bool all)
{
    struct line line = { .row = row[0] };
    int *rank = ncs_new(count * sizeof *rank);
    size_t ranks = 0;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        rank[i] = row[i]->rank;
        same = same && strcmp(row[0]->text, row[i]->text) == 0;
    }
    qsort(rank, count, sizeof *rank, ncs_order_ints);
    for (size_t i = 0; i < count; i++)
        if (!ranks || rank[ranks - 1] != rank[i])
            rank[ranks++] = rank[i];
    ncs_str_add(&line.who, ranks == 1 ? "rank " : "ranks ");
    if (all)
        ncs_str_add_ranks(&line.who, rank, ranks);
    else
        ncs_str_add_many_ranks(&line.who, rank, ranks);
    ncs_free(rank);
    ncs_rows_add_text(&line.what, row[0]->text, ranks > 1);
    ncs_str_add(&line.what, same ? "" : ", and so on");
    return line;
}

/* How many rows from the first on the comparison treats as one. */
static size_t run_of_rows(const struct ncs_row *const *row, size_t count, int (*compare)(const void *, const void *))
{
    size_t run = 1;
    while (compare && run < count && compare(&row[0], &row[run]) == 0)
        run++;
    return run;
}

/* Makes the lines of the table, in the order of their first rows. */
static size_t make_lines(const struct ncs_rows *rows, bool all, struct line *line)
{
    const struct ncs_row **row = ncs_new(rows->count * sizeof *row);
    for (size_t i = 0; i < rows->count; i++)
        row[i] = &rows->row[i];
    int (*same)(const void *, const void *) = NULL;
    size_t lines = 0;
    if (rows->merge || rows->count > SHOWN) {
        same = compare_rows;
        qsort(row, rows->count, sizeof *row, compare_in_place);
        for (size_t i = 0; i < rows->count; lines++)
            i += run_of_rows(row + i, rows->count - i, same);
    }
    if (lines > SHOWN && !all) {
        same = compare_shapes;
        qsort(row, rows->count, sizeof *row, compare_shapes_in_place);
    }
    lines = 0;
    for (size_t i = 0, n; i < rows->count; i += n) {
        n = run_of_rows(row + i, rows->count - i, same);
        line[lines++] = make_line(row + i, n, all);
    }
    ncs_free(row);
    qsort(line, lines, sizeof *line, rows_compare_lines);
    return lines;
}

static void pad(struct ncs_str *out, size_t from, size_t to)
{
    ncs_str_addf(out, "%*s", from < to ? (int)(to - from) : 0, "");
}

/* Shows the first lines, and further ones marked `keep` unless those are too many. */
static bool rows_is_shown(const struct line *line, size_t at, size_t *kept)
{
    *kept += line[at].row->keep;
    return at < SHOWN || (line[at].row->keep && *kept <= SHOWN);
}

/* The lines of one table, and how many of them are not shown. */
struct row_lines {
    struct line *line;
    size_t count, left_out;
};

/* The widths of the columns. */
struct row_widths {
    size_t who, text;
};

static void rows_measure(struct row_lines *table, bool all, struct row_widths *widths)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct line *line = &table->line[i];
        if (!all && !rows_is_shown(table->line, i, &kept)) {
            table->left_out++;
            continue;
        }
        size_t t = ncs_safe_width(line->what.text);
        widths->who = line->who.bytes > widths->who ? line->who.bytes : widths->who;
        widths->text = line->row->line > 0 && t > widths->text && t <= WIDEST ? t : widths->text;
    }
}

static void print_lines(const struct row_lines *table, const struct row_widths *widths, bool all, struct ncs_str *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct line *line = &table->line[i];
        if (!all && !rows_is_shown(table->line, i, &kept))
            continue;
        ncs_str_addf(out, "    %s", line->who.text);
        pad(out, line->who.bytes, widths->who);
        ncs_str_addf(out, "  %s", line->what.text);
        if (line->row->line > 0) {
            pad(out, ncs_safe_width(line->what.text), widths->text);
            ncs_str_addf(out, "    line %d", line->row->line);
        }
        ncs_str_add(out, "\n");
    }
    if (table->left_out)
        ncs_str_addf(out, "    and %zu more; -v shows them\n", table->left_out);
}

static void rows_clear(struct ncs_rows *rows, struct row_lines *table)
{
    for (size_t i = 0; i < table->count; i++) {
        ncs_str_free(&table->line[i].who);
        ncs_str_free(&table->line[i].what);
    }
    ncs_free(table->line);
    NCS_FREE_EACH(rows->row, rows->count, text);
    *rows = (struct ncs_rows){ .merge = rows->merge };
}

void ncs_rows_print(struct ncs_rows *rows, struct ncs_rows *more, bool all, struct ncs_str *out)
{
    struct ncs_rows *of[] = { rows, more };
    struct row_lines table[2] = { 0 };
    struct row_widths widths = { 0 };
    size_t tables = more ? 2 : 1;
    for (size_t i = 0; i < tables; i++) {
        table[i].line = ncs_new(of[i]->count * sizeof *table[i].line);
        table[i].count = make_lines(of[i], all, table[i].line);
        rows_measure(&table[i], all, &widths);
    }
    for (size_t i = 0; i < tables; i++) {
        print_lines(&table[i], &widths, all, out);
        rows_clear(of[i], &table[i]);
    }
}
