/* A run as one self-contained HTML page: findings, picture, and tables of all calls. Without its
 * script the page still shows everything; the script zooms, folds and describes bars.
 *
 * Texts of a scenario are untrusted. They are inserted as text only, and the page's security policy
 * forbids everything but its own script, which it names by hash. */
#include "report/html.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "report/format.h"
#include "report/waits.h"

extern const unsigned char ncs_css_chart[], ncs_js_chart[];
extern const size_t ncs_css_chart_bytes, ncs_js_chart_bytes;

/* SHA-256 of page/chart.js, base64. tests/report/page.sh prints the right value. */
static const char script_hash[] = "FDuuCx67mx4gElZkePk/ntY/T0pRxuQrhXkhQ6DcOzk=";

void ncs_html_text(struct ncs_str *out, const char *text)
{
    struct ncs_str utf8 = { 0 };
    ncs_safe_utf8(&utf8, text ? text : "", text ? strlen(text) : 0);
    for (size_t i = 0; i < utf8.bytes; i++) {
        unsigned char c = (unsigned char)utf8.text[i];
        if (strchr("&<>\"'", c) && c)
            ncs_str_addf(out, "&#%d;", c);
        else if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
            ncs_str_addf(out, "\\x%02x", c);
        else
            ncs_str_add_bytes(out, &c, 1);
    }
    ncs_str_free(&utf8);
}

const char *ncs_html_bar_kind(const struct ncs_bar *bar)
{
    static const char *const kinds[] = {
        [NCS_BAR_CALL] = "call", [NCS_BAR_WAIT] = "wait", [NCS_BAR_DEVICE] = "op", [NCS_BAR_END] = "end",
    };
    return kinds[bar->kind];
}

uint64_t ncs_html_bar_number(const struct ncs_chart *l, const struct ncs_bar *bar)
{
    return bar->number ? bar->number : (uint64_t)(bar - l->bar) + 1;
}

/* ---- the tables ---- */

static void add_us(int64_t ns, struct ncs_str *out)
{
    ncs_str_addf(out, "%" PRId64, ns / 1000);
    if (ns % 1000)
        ncs_str_addf(out, ".%03d", (int)(ns % 1000));
}

static void html_add_row(const struct ncs_chart *l, const struct ncs_bar *bar, struct ncs_str *out)
{
    struct ncs_place place = bar->host ? bar->host->place : bar->call ? bar->call->place
                                                                      : (struct ncs_place){ NULL, 0 };
    ncs_str_addf(out, "<tr id=\"%c%" PRIu64 "\"><td>", ncs_html_bar_kind(bar)[0], ncs_html_bar_number(l, bar));
    ncs_html_text(out, l->row[bar->row].name);
    ncs_str_add(out, "<td>");
    if (place.line > 0)
        ncs_str_addf(out, "%d", place.line);
    ncs_str_add(out, "<td>");
    if (!bar->queued)
        add_us(bar->begin, out);
    ncs_str_add(out, "<td>");
    if (bar->end >= 0)
        add_us(bar->end - bar->begin, out);
    ncs_str_add(out, "<td>");
    ncs_html_text(out, bar->text);
    if (bar->call && bar->call->label && bar->kind == NCS_BAR_CALL) {
        ncs_str_add(out, " [");
        ncs_html_text(out, bar->call->label);
        ncs_str_add(out, "]");
    }
    ncs_str_add(out, "\n");
}

static void html_add_table(const struct ncs_chart *l, size_t first, size_t end, struct ncs_str *out)
{
    size_t calls = 0;
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < l->row[i].bars; k++)
            calls += l->bar[l->row[i].bar[k]].kind == NCS_BAR_CALL;
    ncs_str_addf(out,
                 "<details><summary>rank %d: %zu call%s</summary><table><thead><tr><th>where"
                 "<th>line<th>at (us)<th>took (us)<th>what</thead><tbody>\n",
                 l->row[first].rank, calls, calls == 1 ? "" : "s");
    for (size_t i = first; i < end; i++)
        for (size_t k = 0; k < l->row[i].bars; k++)
            html_add_row(l, &l->bar[l->row[i].bar[k]], out);
    ncs_str_add(out, "</tbody></table></details>\n");
}

static void add_tables(const struct ncs_chart *l, struct ncs_str *out)
{
    ncs_str_add(out, "<h2>Every call</h2>\n<p class=\"dim\">Of each rank: its threads, then its streams. A row "
                     "without a time that it took was not over when the run ended.</p>\n");
    for (size_t i = 0, end; i < l->rows; i = end) {
        for (end = i + 1; end < l->rows && l->row[end].rank == l->row[i].rank;)
            end++;
        html_add_table(l, i, end, out);
    }
}

/* ---- the head ---- */

static void html_add_head(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_str title = { 0 };
    ncs_report_case(run, &title);
    ncs_str_addf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                      "'unsafe-inline'; script-src 'sha256-%s'\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                 script_hash);
    ncs_html_text(out, title.text);
    ncs_str_addf(out, ": %s</title>\n<style>\n", ncs_verdict_name(run->result->verdict));
    ncs_str_add_bytes(out, ncs_css_chart, ncs_css_chart_bytes);
    ncs_str_add(out, "</style>\n</head>\n<body>\n<h1>");
    ncs_html_text(out, title.text);
    ncs_str_add(out, "</h1>\n");
    ncs_str_free(&title);
}

static void html_add_facts(const struct ncs_report_run *run, struct ncs_str *out)
{
    const struct ncs_result *r = run->result;
    const char *about = run->scenario->about, *slash = strrchr(run->scenario->file, '/');
    if (about && about[0] && strcmp(about, slash ? slash + 1 : run->scenario->file) != 0) {
        ncs_str_add(out, "<p>");
        ncs_html_text(out, about);
        ncs_str_add(out, "</p>\n");
    }
    ncs_str_addf(out, "<p class=\"dim\">%d rank%s, %s, NCCL %s, %s policy, seed %" PRIu64 ", %" PRIu64
                      " calls, %s time ",
                 r->ranks, r->ranks == 1 ? "" : "s", r->driver, r->nccl,
                 r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict", r->seed, r->calls,
                 strcmp(r->driver, "sim") == 0 ? "virtual" : "real");
    add_us(r->timeline->now, out);
    ncs_str_add(out, " us</p>\n");
}

static void add_report(const struct ncs_report_run *run, struct ncs_str *out)
{
    const struct ncs_report_style style = { .verbose = run->result->verdict != NCS_PASS && run->as_expected };
    struct ncs_str text = { 0 };
    ncs_report_text(run, &style, &text);
    ncs_str_addf(out, "<h2>What happened</h2>\n<pre class=\"%s\">",
                 run->result->verdict == NCS_PASS ? "good" : "bad");
    ncs_html_text(out, text.text);
    ncs_str_add(out, "</pre>\n");
    ncs_str_free(&text);
}

static void html_add_waits(const struct ncs_result *r, struct ncs_str *out)
{
    struct ncs_str tree = { 0 };
    if (!r->diagnosis.waits)
        return;
    ncs_waits_tree(&r->diagnosis, false, &tree);
    ncs_str_add(out, "<h2>Who waits for whom</h2>\n<pre>");
    ncs_html_text(out, tree.text);
    ncs_str_add(out, "</pre>\n");
    ncs_str_free(&tree);
}

static void html_add_key(struct ncs_str *out)
{
    static const char *const keys[] = {
        "collective", "send, receive", "one-sided", "communicator, group", "memory, streams, events",
        "wait of a host thread",
    };
    ncs_str_add(out, "<ul class=\"keys\">");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        ncs_str_addf(out, "<li><svg width=\"14\" height=\"12\"><rect class=\"k%zu\" width=\"14\" height=\"12\"/>"
                          "</svg>%s", i, keys[i]);
    ncs_str_add(out, "<li><svg width=\"14\" height=\"12\"><rect class=\"k5 open\" x=\"1\" y=\"1\" width=\"12\" "
                     "height=\"10\"/></svg>not over<li><svg width=\"14\" height=\"12\"><rect class=\"k0 queued\" "
                     "x=\"1\" y=\"1\" width=\"12\" height=\"10\"/></svg>not begun</ul>\n");
}

static void add_timeline(const struct ncs_result *r, const struct ncs_chart *l, struct ncs_str *out)
{
    ncs_str_add(out, "<h2>Timeline</h2>\n"
                     "<p class=\"dim\">A bar is a call of a thread, or an operation of a stream. Calls that "
                     "take no time stand side by side, and long times are drawn shortened. Grey lines "
                     "join operations that met, from the last one to arrive; red lines go from a waiting "
                     "thread to the thread that it waits for.");
    for (size_t i = 0; i < r->diagnosis.waits; i++)
        if (r->diagnosis.wait[i].peers > NCS_WAITS_DRAWN) {
            ncs_str_addf(out, " If a thread waits for more than %d ranks, only %d lines are drawn.",
                         NCS_WAITS_DRAWN, NCS_WAITS_DRAWN);
            break;
        }
    ncs_str_add(out, "</p>\n");
    html_add_key(out);
    ncs_str_add(out, "<div class=\"tools\" id=\"tools\"></div>\n");
    ncs_html_chart(r, l, out);
}

void ncs_report_html(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_chart rows;
    ncs_chart_build(run->result, &rows);
    html_add_head(run, out);
    html_add_facts(run, out);
    add_report(run, out);
    add_timeline(run->result, &rows, out);
    html_add_waits(run->result, out);
    add_tables(&rows, out);
    ncs_str_add(out, "<div id=\"told\" role=\"status\" aria-live=\"polite\" hidden>Point at a bar, or press "
                     "Tab and the arrow keys.</div>\n<script>");
    ncs_str_add_bytes(out, ncs_js_chart, ncs_js_chart_bytes);
    ncs_str_add(out, "</script>\n</body>\n</html>\n");
    ncs_chart_free(&rows);
}
