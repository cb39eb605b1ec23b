/* The frame of the timeline's picture, and the data from which the page's script draws it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/types.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/safe.h"
#include "report/html/html.h"
#include "report/places.h"

/* ---- classes of bars ---- */

int ncs_html_color(const struct ncs_bar *bar)
{
    const struct ncs_call *call = bar->call;
    if (!call)
        return bar->kind == NCS_BAR_END ? 6 : bar->kind == NCS_BAR_WAIT ? 5 : 4;
    const struct ncs_fn_info *info = &ncs_fn_info[call->fn];
    if (info->counted)
        return ncs_call_is_one_sided(call) ? 2 : ncs_call_is_pair(call) ? 1 : 0;
    if (strstr(info->name, "Synchronize") || strstr(info->name, "Query") || call->fn == NCS_FN_ncclCommGetAsyncError)
        return 5;
    return strncmp(info->name, "nccl", 4) == 0 ? 3 : 4;
}

static bool bar_has_failed(const struct ncs_bar *bar)
{
    if (bar->kind == NCS_BAR_DEVICE)
        return bar->end >= 0 && bar->device->status != 0;
    return bar->kind == NCS_BAR_CALL && bar->call->returned && bar->call->rc != 0 && bar->call->rc != ncclInProgress;
}

/* Ended, not over, not begun, failed: as in script/model.js. */
static int bar_state(const struct ncs_bar *bar)
{
    return bar->queued ? 2 : bar->end < 0 && bar->kind != NCS_BAR_END ? 1 : bar_has_failed(bar) ? 3 : 0;
}

/* ---- texts, each once ---- */

struct texts {
    struct ncs_map known; /* hash -> index + 1 */
    const char **text;
    size_t count, room;
};

static size_t text_number(struct texts *t, const char *text)
{
    uint64_t key = ncs_hash_bytes(0, text, strlen(text));
    size_t found = ncs_map_number(&t->known, key);
    if (found && strcmp(t->text[found - 1], text) == 0)
        return found - 1;
    NCS_PUSH(t->text, t->count, t->room, text);
    if (!found)
        ncs_map_put_number(&t->known, key, t->count);
    return t->count - 1;
}

/* JSON inside a script element: "<" is escaped, so that no text can end the element. */
static void add_json_text(struct ncs_str *out, const char *text)
{
    struct ncs_str utf8 = { 0 };
    ncs_safe_utf8(&utf8, text ? text : "", text ? strlen(text) : 0);
    ncs_str_add(out, "\"");
    for (size_t i = 0; i < utf8.bytes; i++) {
        unsigned char c = (unsigned char)utf8.text[i];
        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\' || c == '<' || c == '&' || c == '>')
            ncs_str_addf(out, "\\u%04x", c);
        else
            ncs_str_add_bytes(out, &c, 1);
    }
    ncs_str_add(out, "\"");
    ncs_str_free(&utf8);
}

/* ---- the data: numbers, but for the lists of texts; read by script/model.js ---- */

static void data_groups(struct ncs_page *p)
{
    ncs_str_add(p->out, ",\n\"groups\":[");
    for (size_t i = 0; i < p->groups.groups; i++) {
        const struct ncs_chart_group *g = &p->groups.group[i];
        struct ncs_str name = { 0 };
        ncs_html_ranks(&name, g->rank, g->ranks);
        ncs_str_addf(p->out, "%s{\"name\":\"%s\",\"ranks\":[", i ? ",\n" : "", name.text);
        ncs_str_free(&name);
        for (size_t k = 0, end; k < g->ranks; k = end) {
            for (end = k + 1; end < g->ranks && g->rank[end] == g->rank[end - 1] + 1;)
                end++;
            ncs_str_addf(p->out, "%s%d,%d", k ? "," : "", g->rank[k], g->rank[end - 1]);
        }
        ncs_str_add(p->out, "],\"rows\":[");
        for (size_t k = g->first; k < g->first + g->rows; k++) {
            ncs_str_add(p->out, k > g->first ? "," : "");
            add_json_text(p->out, p->chart.row[k].name);
            ncs_str_addf(p->out, ",%zu", p->chart.row[k].bars);
        }
        ncs_str_add(p->out, "]}");
    }
    ncs_str_add(p->out, "]");
}

static uint64_t data_bytes(const struct ncs_call *c)
{
    int dtype = c && c->number ? ncs_call_dtype(c) : -1;
    return dtype < 0 ? 0 : ncs_call_count(c) * ncs_dtype_bytes(dtype);
}

/* Begin, length (-1: not over), class + 8 x kind + 32 x state, communicator, name, text, label + 1, line
 * (below 0: -1 - a text that names the place), file, number on the communicator, bytes, enqueuing bar + 1. */
static void data_bar(struct ncs_page *p, struct texts *t, const struct ncs_bar *bar)
{
    const struct ncs_call *c = bar->call;
    struct ncs_place place = ncs_bar_place(bar);
    const char *at = ncs_report_place(p->run, place.line);
    ncs_str_addf(p->out, "%" PRId64 ",%" PRId64 ",%d,%d,%zu,%zu,%zu,%d,%d,%" PRIu32 ",%" PRIu64 ",%zu", bar->begin,
                 bar->end < 0 ? -1 : bar->end - bar->begin, ncs_html_color(bar) + 8 * (int)bar->kind + 32 * bar_state(bar),
                 c ? c->comm : -1, text_number(t, bar->name), text_number(t, bar->text),
                 c && c->label ? text_number(t, c->label) + 1 : 0, at ? -1 - (int)text_number(t, at) : place.line,
                 ncs_html_file(p, place), c ? c->number : 0, data_bytes(c), bar->cause ? p->groups.at[bar->cause - 1] + 1 : 0);
}

static void data_bars(struct ncs_page *p)
{
    struct texts t = { 0 };
    ncs_str_add(p->out, ",\n\"bars\":[");
    for (size_t i = 0; i < p->groups.bars; i++) {
        ncs_str_add(p->out, i ? ",\n" : "\n");
        data_bar(p, &t, &p->chart.bar[p->groups.bar[i]]);
    }
    ncs_str_add(p->out, "],\n\"texts\":[");
    for (size_t i = 0; i < t.count; i++) {
        ncs_str_add(p->out, i ? ",\n" : "");
        add_json_text(p->out, t.text[i]);
    }
    ncs_str_add(p->out, "]");
    ncs_map_free(&t.known);
    ncs_free(t.text);
}

static int compare_arrows(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    size_t i = 0;
    while (i < 2 && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}

/* Arrows between groups, each once. An arrow from a bar to itself says that the ranks of one group met. */
static void data_arrows(struct ncs_page *p)
{
    const struct ncs_chart *l = &p->chart;
    uint64_t(*arrow)[3] = ncs_new((l->arrows + 1) * sizeof *arrow);
    size_t written = 0;
    for (size_t i = 0; i < l->arrows; i++) {
        arrow[i][0] = l->arrow[i].kind;
        arrow[i][1] = p->groups.at[l->arrow[i].from];
        arrow[i][2] = p->groups.at[l->arrow[i].to];
    }
    qsort(arrow, l->arrows, sizeof *arrow, compare_arrows);
    ncs_str_add(p->out, ",\n\"arrows\":[");
    for (size_t i = 0; i < l->arrows; i++)
        if (i == 0 || compare_arrows(arrow[i], arrow[i - 1]) != 0)
            ncs_str_addf(p->out, "%s%d,%d,%d", written++ ? "," : "", (int)arrow[i][0], (int)arrow[i][1], (int)arrow[i][2]);
    ncs_str_add(p->out, "]");
    ncs_free(arrow);
}

static void data_marks(struct ncs_page *p)
{
    const struct ncs_timeline *t = p->r->timeline;
    size_t written = 0;
    ncs_str_add(p->out, ",\n\"marks\":[");
    for (size_t i = 0; i < t->marks; i++) {
        if (t->mark[i].rank < 0 || t->mark[i].rank >= p->r->ranks)
            continue;
        ncs_str_addf(p->out, "%s[%zu,%" PRId64 ",", written++ ? "," : "", p->groups.of[t->mark[i].rank], t->mark[i].time);
        add_json_text(p->out, t->mark[i].text);
        ncs_str_add(p->out, "]");
    }
    ncs_str_add(p->out, "]");
}

static void add_data(struct ncs_page *p)
{
    const struct ncs_journal *j = p->r->journal;
    ncs_str_addf(p->out, "<script type=\"application/json\" id=\"data\">{\"now\":%" PRId64 ",\n\"comms\":[", p->chart.now);
    for (size_t i = 0; i < j->comms; i++) {
        struct ncs_str name = { 0 };
        if (j->comm[i])
            ncs_html_comm(&name, j->comm[i]);
        ncs_str_add(p->out, i ? "," : "");
        add_json_text(p->out, name.text);
        ncs_str_free(&name);
    }
    ncs_str_add(p->out, "]");
    data_groups(p);
    data_bars(p);
    data_arrows(p);
    data_marks(p);
    ncs_str_add(p->out, "}</script>\n");
}

/* ---- the frame ---- */

static void add_key(struct ncs_str *out)
{
    static const char *const keys[] = {
        "collective", "send, receive", "one-sided", "communicator, group", "memory, streams, events", "wait of a host thread",
    };
    ncs_str_add(out, "<ul class=\"keys\" id=\"keys\">");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ncs_str_addf(out, "<li><span class=\"key k%zu\"></span>%s", i, keys[i]);
    ncs_str_add(out, "</ul>\n<ul class=\"keys\"><li><span class=\"key open\"></span>not over when the run ended"
                     "<li><span class=\"key queued\"></span>not begun<li><span class=\"key bad\"></span>failed</ul>\n");
}

static void add_legend(struct ncs_page *p)
{
    ncs_str_add(p->out, "<p class=\"dim\">A bar is a call of a thread, or an operation of a stream. Grey lines join "
                        "operations that met, from the last one to arrive; red lines lead from a waiting thread to "
                        "the thread that it waits for.");
    if (strcmp(p->r->driver, "sim") == 0)
        ncs_str_add(p->out, " Times are those of the simulator's virtual clock: they show the order of events and "
                            "who waits for whom, and do not predict NCCL's speed.");
    if (p->groups.groups < (size_t)p->r->ranks)
        ncs_str_add(p->out, " Ranks that did the same at the same times share a row.");
    for (size_t i = 0; i < p->r->diagnosis.waits; i++)
        if (p->r->diagnosis.wait[i].peers > NCS_WAITS_DRAWN) {
            ncs_str_addf(p->out, " If a thread waits for more than %d ranks, only %d lines are drawn.", NCS_WAITS_DRAWN,
                         NCS_WAITS_DRAWN);
            break;
        }
    ncs_str_add(p->out, "</p>\n");
}

void ncs_html_timeline(struct ncs_page *p)
{
    ncs_str_add(p->out, "<h2>Timeline</h2>\n");
    add_legend(p);
    add_key(p->out);
    ncs_str_add(p->out, "<noscript><p>The picture needs JavaScript. The tables below list every call.</p></noscript>\n"
                        "<div id=\"tools\" hidden></div>\n<div id=\"view\" hidden>\n<div id=\"box\" tabindex=\"0\" "
                        "role=\"application\" aria-label=\"Timeline. Arrow keys go "
                        "from bar to bar, Enter shows the selected bar's row in the table, Escape ends the selection.\" "
                        "aria-describedby=\"panel\"></div>\n<section id=\"panel\" aria-live=\"polite\" aria-label=\""
                        "Selected call\"></section>\n</div>\n");
    add_data(p);
}
