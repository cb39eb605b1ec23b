/* Rows of ranks: merging, aligning, cutting. */
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"

enum { SHOWN = 16 };

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

static int compare_rows(const void *a, const void *b)
{
    const struct ncs_row *x = *(const struct ncs_row *const *)a;
    const struct ncs_row *y = *(const struct ncs_row *const *)b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->keep != y->keep)
        return x->keep ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int compare_in_place(const void *a, const void *b)
{
    int order = compare_rows(a, b);
    const struct ncs_row *x = *(const struct ncs_row *const *)a;
    const struct ncs_row *y = *(const struct ncs_row *const *)b;
    return order ? order : (x > y) - (x < y);
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* A line for the first `count` rows of the list, which are equal. */
static struct line make_line(const struct ncs_row *const *row, size_t count)
{
    struct line line = { .row = row[0] };
    int *rank = ncs_new(count * sizeof *rank);
    size_t ranks = 0;
    for (size_t i = 0; i < count; i++)
        rank[i] = row[i]->rank;
    qsort(rank, count, sizeof *rank, by_number);
    for (size_t i = 0; i < count; i++)
        if (!ranks || rank[ranks - 1] != rank[i])
            rank[ranks++] = rank[i];
    ncs_str_add(&line.who, ranks == 1 ? "rank " : "ranks ");
    ncs_str_add_ranks(&line.who, rank, ranks);
    ncs_free(rank);
    bool plural = ranks > 1 && strncmp(row[0]->text, "waits ", 6) == 0;
    ncs_str_addf(&line.what, "%s%s", plural ? "wait" : "", row[0]->text + (plural ? 5 : 0));
    return line;
}

/* The lines of the table in the order of their first rows. */
static size_t make_lines(const struct ncs_rows *rows, struct line *line)
{
    const struct ncs_row **row = ncs_new(rows->count * sizeof *row);
    for (size_t i = 0; i < rows->count; i++)
        row[i] = &rows->row[i];
    bool merge = rows->merge || rows->count > SHOWN;
    if (merge)
        qsort(row, rows->count, sizeof *row, compare_in_place);
    size_t lines = 0;
    for (size_t i = 0, n; i < rows->count; i += n) {
        for (n = 1; merge && i + n < rows->count && compare_rows(&row[i], &row[i + n]) == 0;)
            n++;
        line[lines++] = make_line(row + i, n);
    }
    ncs_free(row);
    qsort(line, lines, sizeof *line, compare_lines);
    return lines;
}

static void pad(struct ncs_str *out, size_t from, size_t to)
{
    ncs_str_addf(out, "%*s", from < to ? (int)(to - from) : 0, "");
}

/* The first ones, and those to keep, unless there are as many of these. */
static bool is_shown(const struct line *line, size_t at, size_t *kept)
{
    *kept += line[at].row->keep;
    return at < SHOWN || (line[at].row->keep && *kept <= SHOWN);
}

static void print_lines(const struct line *line, size_t count, bool all, struct ncs_str *out)
{
    size_t who = 0, text = 0, left_out = 0, kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!all && !is_shown(line, i, &kept)) {
            left_out++;
            continue;
        }
        size_t w = line[i].who.bytes, t = ncs_safe_width(line[i].what.text);
        who = w > who ? w : who;
        text = line[i].row->line > 0 && t > text ? t : text;
    }
    kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!all && !is_shown(line, i, &kept))
            continue;
        ncs_str_addf(out, "    %s", line[i].who.text);
        pad(out, line[i].who.bytes, who);
        ncs_str_addf(out, "  %s", line[i].what.text);
        if (line[i].row->line > 0) {
            pad(out, ncs_safe_width(line[i].what.text), text);
            ncs_str_addf(out, "    line %d", line[i].row->line);
        }
        ncs_str_add(out, "\n");
    }
    if (left_out)
        ncs_str_addf(out, "    and %zu more; -v shows them\n", left_out);
}

void ncs_rows_print(struct ncs_rows *rows, bool all, struct ncs_str *out)
{
    struct line *line = ncs_new(rows->count * sizeof *line);
    size_t lines = make_lines(rows, line);
    print_lines(line, lines, all, out);
    for (size_t i = 0; i < lines; i++) {
        ncs_str_free(&line[i].who);
        ncs_str_free(&line[i].what);
    }
    ncs_free(line);
    for (size_t i = 0; i < rows->count; i++)
        ncs_free(rows->row[i].text);
    ncs_free(rows->row);
    *rows = (struct ncs_rows){ .merge = rows->merge };
}
