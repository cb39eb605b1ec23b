/* Tables of all calls: one for each group of ranks that did the same. They stand in <noscript>, which a
 * browser with scripts reads as text: 50 000 rows cost nothing until a table is opened. */

#include "report/html/html.h"

static void html_add_row(struct ncs_page *p, size_t number)
{
    const struct ncs_chart *l = &p->chart;
    const struct ncs_bar *bar = &l->bar[p->groups.bar[number]];
    struct ncs_str *out = p->out;
    ncs_str_addf(out, "<tr id=\"b%zu\"><td>", number);
    ncs_html_text(out, l->row[bar->row].name);
    ncs_str_add(out, "<td>");
    ncs_html_line(p, ncs_bar_place(bar));
    ncs_str_add(out, "<td>");
    if (!bar->queued)
        ncs_html_us(out, bar->begin);
    ncs_str_add(out, "<td>");
    if (bar->end >= 0)
        ncs_html_us(out, bar->end - bar->begin);
    ncs_str_add(out, "<td>");
    ncs_html_text(out, bar->text);
    if (bar->call && bar->call->label && bar->kind == NCS_BAR_CALL) {
        ncs_str_add(out, " [");
        ncs_html_text(out, bar->call->label);
        ncs_str_add(out, "]");
    }
    ncs_str_add(out, "\n");
}

static size_t group_bars(const struct ncs_chart *l, const struct ncs_chart_group *g, bool calls)
{
    size_t count = 0;
    for (size_t i = g->first; i < g->first + g->rows; i++)
        for (size_t k = 0; k < l->row[i].bars; k++)
            count += !calls || l->bar[l->row[i].bar[k]].kind == NCS_BAR_CALL;
    return count;
}

static void html_add_table(struct ncs_page *p, size_t group, size_t first)
{
    const struct ncs_chart_group *g = &p->groups.group[group];
    size_t calls = group_bars(&p->chart, g, true), bars = group_bars(&p->chart, g, false);
    ncs_str_addf(p->out, "<details class=\"calls\" data-first=\"%zu\" data-bars=\"%zu\"><summary>", first, bars);
    ncs_html_ranks(p->out, g->rank, g->ranks);
    ncs_str_addf(p->out,
                 ": %zu call%s%s</summary><noscript><table><thead><tr><th scope=\"col\">thread or stream"
                 "<th scope=\"col\">line<th scope=\"col\">at (us)<th scope=\"col\">took (us)"
                 "<th scope=\"col\">call</thead><tbody>\n",
                 calls, calls == 1 ? "" : "s", g->ranks > 1 ? " each" : "");
    for (size_t i = first; i < first + bars; i++)
        html_add_row(p, i);
    ncs_str_add(p->out, "</tbody></table></noscript></details>\n");
}

void ncs_html_calls(struct ncs_page *p)
{
    size_t first = 0;
    ncs_str_add(p->out, "<h2>Every call</h2>\n<p class=\"dim\">Each table lists the calls of a rank's threads, then "
                        "the operations of its streams. An empty \"took\" means that the call or operation was not "
                        "over when the run ended. Ranks that did the same at the same times share a table.</p>\n");
    for (size_t i = 0; i < p->groups.groups; i++) {
        html_add_table(p, i, first);
        first += group_bars(&p->chart, &p->groups.group[i], false);
    }
}
