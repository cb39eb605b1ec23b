/* A run as one self-contained HTML page: findings, picture, statistics, and tables of all calls. Without
 * its script the page shows everything but the picture.
 *
 * Texts of a scenario are untrusted. They are inserted as text only, and the page's security policy
 * forbids everything but its own script, which it names by hash. */
#include "report/html/html.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/safe.h"
#include "report/format.h"
#include "report/waits.h"

extern const unsigned char ncs_css_page[], ncs_js_page[];
extern const size_t ncs_css_page_bytes, ncs_js_page_bytes;
extern const char ncs_js_page_hash[]; /* SHA-256 in base64; made by the build */

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

void ncs_html_us(struct ncs_str *out, int64_t ns)
{
    ncs_str_addf(out, "%" PRId64, ns / 1000);
    if (ns % 1000)
        ncs_str_addf(out, ".%03d", (int)(ns % 1000));
}

void ncs_html_ranks(struct ncs_str *out, const int *rank, size_t ranks)
{
    ncs_str_add(out, ranks == 1 ? "rank " : "ranks ");
    ncs_str_add_many_ranks(out, rank, ranks);
}

void ncs_html_comm(struct ncs_str *out, const struct ncs_comm_info *comm)
{
    int *rank = ncs_new(((size_t)comm->members + 1) * sizeof *rank);
    size_t ranks = 0;
    for (int i = 0; i < comm->members; i++)
        if (comm->member[i].rank >= 0)
            rank[ranks++] = comm->member[i].rank;
    ncs_str_addf(out, "%s (", comm->name);
    ncs_html_ranks(out, rank, ranks);
    ncs_str_add(out, ")");
    ncs_free(rank);
}

void ncs_html_head(struct ncs_str *out, const char *title, const char *verdict, bool script)
{
    ncs_str_addf(out,
                 "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
                 "'unsafe-inline'%s%s%s\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                 script ? "; script-src 'sha256-" : "", script ? ncs_js_page_hash : "", script ? "'" : "");
    ncs_html_text(out, title);
    ncs_str_addf(out, "%s%s</title>\n<style>\n", verdict ? ": " : "", verdict ? verdict : "");
    ncs_str_add_bytes(out, ncs_css_page, ncs_css_page_bytes);
    ncs_str_add(out, "</style>\n</head>\n<body>\n<main>\n<h1>");
    ncs_html_text(out, title);
    ncs_str_add(out, "</h1>\n");
}

static void html_add_facts(struct ncs_page *p)
{
    const struct ncs_result *r = p->r;
    const char *about = p->run->scenario->about, *slash = strrchr(p->run->scenario->file, '/');
    if (about && about[0] && strcmp(about, slash ? slash + 1 : p->run->scenario->file) != 0) {
        ncs_str_add(p->out, "<p>");
        ncs_html_text(p->out, about);
        ncs_str_add(p->out, "</p>\n");
    }
    if (p->run->origin) {
        ncs_str_addf(p->out,
                     "<p class=\"dim\">%d rank%s, %s%s%s, %" PRIu64 " calls. Times are the order of the calls, "
                     "1 us for each: the files have no clock that all ranks share.</p>\n",
                     r->ranks, r->ranks == 1 ? "" : "s", p->run->origin, r->nccl[0] ? ", NCCL " : "", r->nccl, r->calls);
        return;
    }
    ncs_str_addf(p->out, "<p class=\"dim\">%d rank%s, %s, NCCL %s, %s policy, seed %" PRIu64 ", %" PRIu64 " calls, %s time ",
                 r->ranks, r->ranks == 1 ? "" : "s", r->driver, r->nccl, r->policy == NCS_POLICY_TYPICAL ? "typical" : "strict",
                 r->seed, r->calls, strcmp(r->driver, "sim") == 0 ? "virtual" : "real");
    ncs_html_us(p->out, r->timeline->now);
    ncs_str_add(p->out, " us</p>\n");
}

static void html_add_report(struct ncs_page *p)
{
    const struct ncs_report_style style = { .verbose = p->r->verdict != NCS_PASS && p->run->as_expected };
    struct ncs_str text = { 0 };
    ncs_report_text(p->run, &style, &text);
    ncs_str_addf(p->out, "<h2>What happened</h2>\n<pre class=\"%s\">", p->r->verdict == NCS_PASS ? "good" : "bad");
    ncs_html_linked(p, text.text);
    ncs_str_add(p->out, "</pre>\n");
    ncs_str_free(&text);
}

static void html_add_waits(struct ncs_page *p)
{
    struct ncs_str tree = { 0 };
    if (!p->r->diagnosis.waits)
        return;
    ncs_waits_tree(&p->r->diagnosis, false, &tree);
    ncs_str_add(p->out, "<h2>Who waits for whom</h2>\n<pre>");
    ncs_html_linked(p, tree.text);
    ncs_str_add(p->out, "</pre>\n");
    ncs_str_free(&tree);
}

void ncs_report_html(const struct ncs_report_run *run, struct ncs_str *out)
{
    struct ncs_page page = { .run = run, .r = run->result, .out = out }, *p = &page;
    struct ncs_str title = { 0 };
    ncs_chart_build(run, &p->chart);
    ncs_chart_merge(run->result, &p->chart, &p->groups);
    p->sources = ncs_sources_open(run);
    ncs_report_case(run, &title);
    ncs_html_head(out, title.text, ncs_verdict_name(run->result->verdict), true);
    html_add_facts(p);
    html_add_report(p);
    ncs_html_findings(p);
    ncs_html_timeline(p);
    html_add_waits(p);
    ncs_html_statistics(p);
    ncs_html_sources(p);
    ncs_html_calls(p);
    ncs_str_add(out, "</main>\n<script>");
    ncs_str_add_bytes(out, ncs_js_page, ncs_js_page_bytes);
    ncs_str_add(out, "</script>\n</body>\n</html>\n");
    ncs_str_free(&title);
    ncs_sources_free(p->sources);
    ncs_chart_groups_free(&p->groups);
    ncs_chart_free(&p->chart);
}
