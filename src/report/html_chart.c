/* The picture of a timeline. The axis is not linear: calls that take no time stand side by side,
 * and a time that is a thousand times longer is drawn less than ten times as long. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/order.h"
#include "base/quantity.h"
#include "report/html.h"

/* As in page/chart.js. */
enum { LANE = 18, GAP = 8, FOLDED = 14, AXIS = 22, BAR = 14 };

enum {
    STEP = 10,         /* width of a bar that takes no time */
    QUEUED = 12,       /* width of a bar that has not begun */
    MARGIN = 130,      /* at the right, for the arrows of waits */
    UNFOLDED = 16,     /* ranks that are not folded at first */
    TICK = 90,         /* between two times on the axis */
    TICKS = 400, LABELS = 1500, /* at most; the script labels the visible part */
};

struct chart {
    const struct ncs_chart *l;
    const struct ncs_timeline *t;
    struct ncs_str *out;
    int64_t *time; size_t times; /* at which anything begins or ends, ascending */
    int64_t *x;                  /* the left edge of each time */
    size_t *wide;                /* bars side by side at each time */
    int64_t *from, *to;          /* by bar */
    int64_t end, width;
    size_t *first;               /* by rank: its first row; one more at the end */
    int *top;                    /* by rank */
    int height;
    bool folded;
};

/* ---- where times are ---- */

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool takes_none(const struct ncs_bar *bar)
{
    return bar->end == bar->begin;
}

static size_t at_time(const struct chart *c, int64_t time)
{
    const int64_t *found = bsearch(&time, c->time, c->times, sizeof *c->time, compare_times);
    return found ? (size_t)(found - c->time) : 0;
}

static void collect_times(struct chart *c)
{
    const struct ncs_chart *l = c->l;
    size_t count = 0;
    c->time = ncs_new((2 * l->bars + 2) * sizeof *c->time);
    c->time[count++] = 0;
    c->time[count++] = l->now;
    for (size_t i = 0; i < l->bars; i++) {
        c->time[count++] = l->bar[i].begin;
        if (l->bar[i].end >= 0)
            c->time[count++] = l->bar[i].end;
    }
    qsort(c->time, count, sizeof *c->time, compare_times);
    for (size_t i = 0; i < count; i++)
        if (c->times == 0 || c->time[c->times - 1] != c->time[i])
            c->time[c->times++] = c->time[i];
}

/* Counts, for each time, the most bars of one row that take no time at it; the axis
 * leaves room for them. */
static void count_wide(struct chart *c)
{
    c->wide = ncs_new(c->times * sizeof *c->wide);
    for (size_t i = 0; i < c->l->rows; i++) {
        const struct ncs_chart_row *row = &c->l->row[i];
        size_t run = 0;
        int64_t last = -1;
        for (size_t k = 0; k < row->bars; k++) {
            const struct ncs_bar *bar = &c->l->bar[row->bar[k]];
            if (!takes_none(bar))
                continue;
            run = bar->begin == last ? run + 1 : 1;
            last = bar->begin;
            size_t at = at_time(c, last);
            c->wide[at] = run > c->wide[at] ? run : c->wide[at];
        }
    }
}

/* How long a time is drawn. */
static int64_t length(int64_t ns)
{
    int bits = 0;
    for (int64_t n = ns / 250; n > 0; n /= 2)
        bits++;
    return 12 + 7 * bits;
}

static void place_times(struct chart *c)
{
    int64_t x = 4;
    collect_times(c);
    count_wide(c);
    c->x = ncs_new(c->times * sizeof *c->x);
    for (size_t i = 0; i < c->times; i++) {
        c->x[i] = x;
        x += (int64_t)c->wide[i] * STEP;
        x += i + 1 < c->times ? length(c->time[i + 1] - c->time[i]) : 0;
    }
    c->end = x + STEP;
}

/* ---- where bars are ---- */

static void place_chart_row(struct chart *c, const struct ncs_chart_row *row)
{
    size_t run = 0, queued = 0;
    int64_t last = -1;
    for (size_t k = 0; k < row->bars; k++) {
        size_t b = row->bar[k];
        const struct ncs_bar *bar = &c->l->bar[b];
        int64_t x = c->x[at_time(c, bar->begin)];
        if (bar->begin != last)
            run = 0;
        last = bar->begin;
        c->from[b] = x + (int64_t)run * STEP;
        /* An operation begins behind the call that enqueued it, or inside it. */
        const struct ncs_bar *cause = bar->cause && !bar->queued ? &c->l->bar[bar->cause - 1] : NULL;
        if (cause && cause->begin == bar->begin)
            c->from[b] = takes_none(cause) ? c->to[bar->cause - 1] : c->from[bar->cause - 1];
        if (takes_none(bar)) {
            c->to[b] = c->from[b] + STEP;
            run++;
        } else if (bar->queued) {
            c->from[b] = c->end + (int64_t)queued++ * QUEUED;
            c->to[b] = c->from[b] + QUEUED;
        } else {
            c->to[b] = bar->end < 0 ? c->end : c->x[at_time(c, bar->end)];
        }
        if (c->to[b] > c->width)
            c->width = c->to[b];
    }
}

/* Places threads before streams, because an operation is placed relative to its call. */
static void place_bars(struct chart *c)
{
    c->from = ncs_new((c->l->bars + 1) * sizeof *c->from);
    c->to = ncs_new((c->l->bars + 1) * sizeof *c->to);
    for (int hosts = 1; hosts >= 0; hosts--)
        for (size_t i = 0; i < c->l->rows; i++)
            if (c->l->row[i].host == hosts)
                place_chart_row(c, &c->l->row[i]);
    c->width = (c->width > c->end ? c->width : c->end) + MARGIN;
}

static size_t chart_rows_of(const struct chart *c, int rank)
{
    return c->first[rank + 1] - c->first[rank];
}

static void place_ranks(struct chart *c)
{
    size_t ranks = (size_t)c->l->ranks, row = 0;
    int y = AXIS;
    c->folded = c->l->ranks > UNFOLDED;
    c->first = ncs_new((ranks + 1) * sizeof *c->first);
    c->top = ncs_new(ranks * sizeof *c->top);
    for (size_t r = 0; r < ranks; r++) {
        c->first[r] = row;
        while (row < c->l->rows && c->l->row[row].rank == (int)r)
            row++;
        c->first[r + 1] = row;
        c->top[r] = y;
        y += c->folded ? FOLDED : (int)chart_rows_of(c, (int)r) * LANE + GAP;
    }
    c->height = y;
}

static double middle(const struct chart *c, size_t row)
{
    int rank = c->l->row[row].rank;
    double at = (double)(row - c->first[rank]) + 0.5;
    return c->top[rank] +
           (c->folded ? FOLDED * at / (double)chart_rows_of(c, rank) : GAP / 2 + LANE * at);
}

/* ---- bars ---- */

/* Classes of page/chart.css: collectives, pairs, one-sided, communicators, CUDA, waits, no call. */
static int html_chart_color_of(const struct ncs_bar *bar)
{
    const struct ncs_call *call = bar->call;
    if (!call)
        return bar->kind == NCS_BAR_END ? 6 : bar->kind == NCS_BAR_WAIT ? 5 : 4;
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (info->counted)
        return ncs_call_is_one_sided(call)                                            ? 2
               : ncs_call_is_pair(call)                   ? 1
                                                                                      : 0;
    if (strstr(info->name, "Synchronize") || strstr(info->name, "Query") ||
        call->fn == NCS_FN_ncclCommGetAsyncError)
        return 5;
    return strncmp(info->name, "nccl", 4) == 0 ? 3 : 4;
}

static bool html_chart_has_failed(const struct ncs_bar *bar)
{
    if (bar->kind == NCS_BAR_DEVICE)
        return bar->end >= 0 && bar->device->status != 0;
    return bar->kind == NCS_BAR_CALL && bar->call->returned && bar->call->rc != 0 &&
           bar->call->rc != ncclInProgress;
}

static void html_chart_add_bar(const struct chart *c, size_t b)
{
    const struct ncs_bar *bar = &c->l->bar[b];
    int64_t width = c->to[b] - c->from[b];
    const char *state = bar->queued                  ? " queued"
                        : bar->end < 0               ? " open"
                        : html_chart_has_failed(bar) ? " bad"
                                                     : "";
    ncs_str_addf(c->out,
                 "<rect data-%s=\"%" PRIu64 "\" class=\"k%d%s\" x=\"%" PRId64
                 "\" y=\"2\" width=\"%" PRId64 "\" height=\"%d\" data-name=\"",
                 ncs_html_bar_kind(bar), ncs_html_bar_number(c->l, bar), html_chart_color_of(bar),
                 state, c->from[b], width > 3 ? width - 1 : 2, BAR);
    ncs_html_text(c->out, bar->name);
    ncs_str_add(c->out, "\"/>\n");
}

static void html_chart_add_rank(const struct chart *c, int rank)
{
    size_t full = chart_rows_of(c, rank) * LANE;
    ncs_str_addf(c->out, "<g class=\"r%s\" transform=\"", c->folded ? " small" : "");
    if (c->folded)
        ncs_str_addf(c->out, "translate(0 %d) scale(1 %.4f)\">\n", c->top[rank] + 1,
                     (double)(FOLDED - 2) / (double)full);
    else
        ncs_str_addf(c->out, "translate(0 %d)\">\n", c->top[rank] + GAP / 2);
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++) {
        const struct ncs_chart_row *row = &c->l->row[i];
        ncs_str_addf(c->out, "<g class=\"l\" data-rank=\"%d\" data-row=\"%zu\" transform=\"translate(0 %zu)\">",
                     rank, i - c->first[rank], (i - c->first[rank]) * LANE);
        for (size_t k = 0; k < row->bars; k++)
            html_chart_add_bar(c, row->bar[k]);
        ncs_str_add(c->out, "</g>\n");
    }
    ncs_str_add(c->out, "</g>\n");
}

/* Labels the bars that have room for a name. */
static void add_labels(const struct chart *c)
{
    size_t labels = 0;
    ncs_str_add(c->out, "<g id=\"labels\">\n");
    for (size_t b = 0; b < c->l->bars && labels < LABELS && !c->folded; b++) {
        const struct ncs_bar *bar = &c->l->bar[b];
        if (c->to[b] - c->from[b] < (int64_t)(strlen(bar->name) * 68 / 10 + 8))
            continue;
        labels++;
        ncs_str_addf(c->out, "<text class=\"t\" x=\"%" PRId64 "\" y=\"%.0f\">", c->from[b] + 4,
                     middle(c, bar->row) + 4);
        ncs_html_text(c->out, bar->name);
        ncs_str_add(c->out, "</text>\n");
    }
    ncs_str_add(c->out, "</g>\n");
}

/* ---- around them ---- */

static void add_axis(const struct chart *c)
{
    int64_t next = 0, step = c->width / TICKS > TICK ? c->width / TICKS : TICK;
    char time[32];
    ncs_str_add(c->out, "<g class=\"tick\">\n");
    for (size_t i = 0; i < c->times; i++) {
        if (c->x[i] < next)
            continue;
        next = c->x[i] + step;
        ncs_str_addf(c->out, "<path d=\"M%" PRId64 " 16V%d\"/><text class=\"t\" x=\"%" PRId64
                             "\" y=\"13\">%s</text>\n",
                     c->x[i], c->height, c->x[i],
                     ncs_format_duration(c->time[i], time, sizeof time));
    }
    ncs_str_add(c->out, "</g>\n");
}

static void add_stripes(const struct chart *c)
{
    for (int r = 0; r < c->l->ranks; r++)
        ncs_str_addf(c->out, "<rect class=\"%s\" x=\"0\" y=\"%d\" width=\"%" PRId64 "\" height=\"%d\"%s/>\n",
                     "stripe", c->top[r], c->width,
                     (r + 1 < c->l->ranks ? c->top[r + 1] : c->height) - c->top[r],
                     r % 2 ? " fill-opacity=\"0\"" : "");
}

static void add_marks(const struct chart *c)
{
    for (size_t i = 0; i < c->t->marks; i++) {
        const struct ncs_mark *m = &c->t->mark[i];
        if (m->rank < 0 || m->rank >= c->l->ranks)
            continue;
        size_t at = 0;
        while (at + 1 < c->times && c->time[at + 1] <= m->time)
            at++;
        int64_t x = c->x[at] + (int64_t)c->wide[at] * STEP;
        ncs_str_addf(c->out, "<path class=\"mark\" d=\"M%" PRId64 " %dv14\"/><text class=\"t\" x=\"%" PRId64
                             "\" y=\"%d\">", x, c->top[m->rank], x + 3, c->top[m->rank] + 11);
        ncs_html_text(c->out, m->text);
        ncs_str_add(c->out, "</text>\n");
    }
}

/* ---- arrows ---- */

struct ends {
    double x1, y1, x2, y2;
};

static struct ends ends_of(const struct chart *c, const struct ncs_arrow *a)
{
    const struct ncs_bar *from = &c->l->bar[a->from], *to = &c->l->bar[a->to];
    struct ends e = { .y1 = middle(c, from->row), .y2 = middle(c, to->row) };
    if (a->kind == NCS_ARROW_WAIT) {
        e.x1 = (double)c->to[a->from];
        e.x2 = (double)c->to[a->to];
    } else {
        e.x1 = (double)c->from[a->from];
        e.x2 = (double)c->from[a->to] > e.x1 ? (double)c->from[a->to] : e.x1;
    }
    return e;
}

static double bulge(const struct ends *e)
{
    double far = e->y2 > e->y1 ? e->y2 - e->y1 : e->y1 - e->y2;
    return 24 + (far / 6 < 90 ? far / 6 : 90);
}

static void add_arrows(const struct chart *c)
{
    struct ncs_str match = { 0 }, waits = { 0 }, heads = { 0 };
    for (size_t i = 0; i < c->l->arrows; i++) {
        struct ends e = ends_of(c, &c->l->arrow[i]);
        double out = bulge(&e);
        if (c->l->arrow[i].kind != NCS_ARROW_WAIT) {
            ncs_str_addf(&match, "M%.0f %.1fL%.0f %.1f", e.x1, e.y1, e.x2, e.y2);
            continue;
        }
        ncs_str_addf(&waits, "M%.0f %.1fC%.0f %.1f %.0f %.1f %.0f %.1f", e.x1, e.y1, e.x1 + out, e.y1,
                     e.x2 + out, e.y2, e.x2, e.y2);
        ncs_str_addf(&heads, "M%.0f %.1f%s", e.x2, e.y2, c->folded ? "l6 -2v4z" : "l8 -4v8z");
    }
    ncs_str_addf(c->out, "<path id=\"match\" class=\"match\" d=\"%s\"/>\n", match.bytes ? match.text : "");
    ncs_str_addf(c->out, "<path id=\"waits\" class=\"waits\" d=\"%s\"/>\n", waits.bytes ? waits.text : "");
    ncs_str_addf(c->out, "<path id=\"heads\" class=\"heads\" d=\"%s\"/>\n", heads.bytes ? heads.text : "");
    ncs_str_free(&match);
    ncs_str_free(&waits);
    ncs_str_free(&heads);
}

/* ---- what the script is told: numbers alone ---- */

static void html_chart_add_data(const struct chart *c)
{
    ncs_str_addf(c->out, "<script type=\"application/json\" id=\"data\">{\"width\":%" PRId64
                         ",\"folded\":%s,\"rows\":[", c->width, c->folded ? "true" : "false");
    for (int r = 0; r < c->l->ranks; r++)
        ncs_str_addf(c->out, "%s%zu", r ? "," : "", chart_rows_of(c, r));
    ncs_str_add(c->out, "],\"arrows\":[");
    for (size_t i = 0; i < c->l->arrows; i++) {
        const struct ncs_arrow *a = &c->l->arrow[i];
        struct ends e = ends_of(c, a);
        size_t from = c->l->bar[a->from].row, to = c->l->bar[a->to].row;
        ncs_str_addf(c->out, "%s[%d,%.0f,%d,%zu,%.0f,%d,%zu]", i ? "," : "",
                     a->kind == NCS_ARROW_WAIT, e.x1, c->l->row[from].rank,
                     from - c->first[c->l->row[from].rank], e.x2, c->l->row[to].rank,
                     to - c->first[c->l->row[to].rank]);
    }
    ncs_str_add(c->out, "]}</script>\n");
}

/* ---- the whole ---- */

static void html_chart_add_names(const struct chart *c)
{
    ncs_str_addf(c->out, "<div id=\"names\"><div style=\"height:%dpx\"></div>\n", AXIS);
    for (int r = 0; r < c->l->ranks; r++) {
        ncs_str_addf(c->out, "<div class=\"n%s\" style=\"height:%dpx\"><span class=\"who\">rank %d</span><ol>",
                     c->folded ? " folded" : "",
                     (r + 1 < c->l->ranks ? c->top[r + 1] : c->height) - c->top[r], r);
        for (size_t i = c->first[r]; i < c->first[r + 1]; i++) {
            ncs_str_add(c->out, "<li>");
            ncs_html_text(c->out, c->l->row[i].name);
        }
        ncs_str_add(c->out, "</ol></div>\n");
    }
    ncs_str_add(c->out, "</div>\n");
}

void ncs_html_chart(const struct ncs_result *r, const struct ncs_chart *l, struct ncs_str *out)
{
    struct chart chart = { .l = l, .t = r->timeline, .out = out }, *c = &chart;
    place_times(c);
    place_bars(c);
    place_ranks(c);
    ncs_str_add(out, "<div id=\"box\" role=\"application\" aria-label=\"timeline: arrow keys go from bar to "
                     "bar, Enter to its row in the table\">\n");
    html_chart_add_names(c);
    ncs_str_addf(out, "<svg id=\"chart\" role=\"img\" aria-label=\"what each rank did when; the tables below "
                      "say the same\" width=\"%" PRId64 "\" height=\"%d\" viewBox=\"0 0 %" PRId64
                      " %d\" preserveAspectRatio=\"none\">\n",
                 c->width, c->height, c->width, c->height);
    add_stripes(c);
    add_axis(c);
    for (int rank = 0; rank < l->ranks; rank++)
        html_chart_add_rank(c, rank);
    add_arrows(c);
    add_labels(c);
    add_marks(c);
    ncs_str_add(out, "</svg></div>\n");
    html_chart_add_data(c);
    ncs_free(c->time);
    ncs_free(c->x);
    ncs_free(c->wide);
    ncs_free(c->from);
    ncs_free(c->to);
    ncs_free(c->first);
    ncs_free(c->top);
}
