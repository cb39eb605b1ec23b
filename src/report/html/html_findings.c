/* Links from each line of a finding to the bar in the picture that it speaks of. */
#include <string.h>

#include "base/mem.h"
#include "report/html/html.h"
#include "report/rows.h"

enum { LINKS = 24 }; /* per finding */

static bool is_numbered(const struct ncs_page *p, const struct ncs_bar *bar, const struct ncs_finding *f)
{
    const struct ncs_call *c = bar->call;
    const char *name = c && c->comm >= 0 ? p->r->journal->comm[c->comm]->name : NULL;
    return f->call && c && c->number == f->call && f->comm && name && strcmp(name, f->comm) == 0;
}

/* How well a bar of a host thread fits a line of a finding; 0 = not at all. */
static int fitness(const struct ncs_page *p, const struct ncs_bar *bar, const struct ncs_finding *f, int line)
{
    if (bar->host && bar->kind != NCS_BAR_DEVICE && line > 0 && ncs_bar_place(bar).line == line)
        return is_numbered(p, bar, f) ? 4 : 3;
    if (bar->kind == NCS_BAR_CALL && is_numbered(p, bar, f))
        return 2;
    return bar->kind == NCS_BAR_DEVICE ? 0 : 1;
}

/* The bar of a rank that fits best, and of equal ones the last; number of bars = it has none. */
static size_t bar_for(const struct ncs_page *p, const struct ncs_finding *f, int rank, int line)
{
    const struct ncs_chart *l = &p->chart;
    const struct ncs_chart_group *g = &p->groups.group[p->groups.of[rank]];
    size_t found = l->bars;
    int best = 1;
    for (size_t i = g->first; i < g->first + g->rows; i++)
        for (size_t k = 0; k < l->row[i].bars; k++) {
            size_t bar = l->row[i].bar[k];
            int fits = fitness(p, &l->bar[bar], f, line);
            if (fits >= best) {
                best = fits;
                found = bar;
            }
        }
    return found;
}

struct link {
    const char *text;
    int line;
    size_t bar;
    int *rank;
    size_t ranks, room;
};

static void add_link(struct link *link, size_t *links, const struct ncs_finding_row *row, size_t bar)
{
    size_t i = 0;
    while (i < *links &&
           (link[i].bar != bar || link[i].line != row->line || strcmp(link[i].text, ncs_sentence_text(row->said)) != 0))
        i++;
    if (i == LINKS)
        return;
    if (i == *links)
        link[(*links)++] = (struct link){ .text = ncs_sentence_text(row->said), .line = row->line, .bar = bar };
    NCS_PUSH(link[i].rank, link[i].ranks, link[i].room, row->rank);
}

static void html_add_links(struct ncs_page *p, const struct ncs_finding *f)
{
    struct link link[LINKS];
    size_t links = 0;
    for (size_t i = 0; i < f->rows; i++) {
        int rank = ncs_process_of(&p->r->diagnosis, f->row[i].rank);
        size_t bar = rank >= 0 && rank < p->r->ranks ? bar_for(p, f, rank, f->row[i].line) : p->chart.bars;
        if (bar < p->chart.bars)
            add_link(link, &links, &f->row[i], p->groups.at[bar]);
    }
    for (size_t i = 0; i < links; i++) {
        ncs_str_addf(p->out, "<li><a class=\"go\" href=\"#b%zu\">", link[i].bar);
        ncs_html_ranks(p->out, link[i].rank, link[i].ranks);
        ncs_str_add(p->out, "</a> ");
        struct ncs_str text = { 0 };
        ncs_rows_add_text(&text, link[i].text, link[i].ranks > 1);
        ncs_html_linked(p, text.text);
        ncs_str_free(&text);
        if (link[i].line > 0 && !strstr(link[i].text, "line ")) {
            struct ncs_str line = { 0 };
            ncs_str_addf(&line, " (line %d)", link[i].line);
            ncs_html_linked(p, line.text);
            ncs_str_free(&line);
        }
        ncs_str_add(p->out, "\n");
        ncs_free(link[i].rank);
    }
}

void ncs_html_findings(struct ncs_page *p)
{
    const struct ncs_diagnosis *d = &p->r->diagnosis;
    bool any = false;
    for (size_t i = 0; i < d->findings; i++) {
        const struct ncs_finding *f = &d->finding[i];
        if (!f->rows)
            continue;
        if (!any)
            ncs_str_add(p->out, "<h2>Where in the timeline</h2>\n");
        any = true;
        ncs_str_addf(p->out, "<section class=\"finding\"><h3>%s</h3>\n<p>", f->rule);
        ncs_html_linked(p, f->title);
        ncs_str_add(p->out, "</p>\n<ul>\n");
        html_add_links(p, f);
        ncs_str_add(p->out, "</ul></section>\n");
    }
}
