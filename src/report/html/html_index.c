/* The index of several runs: one row for each, red if it was not as expected. */
#include <string.h>

#include "report/html/html.h"

static void add_count(struct ncs_str *out, const char *name, size_t count)
{
    if (count)
        ncs_str_addf(out, ", %zu %s", count, name);
}

/* The message without the verdict, which has a column of its own. */
static const char *cause_of(const struct ncs_report_page *page)
{
    const char *verdict = ncs_verdict_name(page->verdict);
    size_t bytes = strlen(verdict);
    if (strncmp(page->message, verdict, bytes) != 0)
        return page->message;
    return page->message + bytes + strspn(page->message + bytes, ":;, ");
}

static void add_row(const struct ncs_report_page *page, struct ncs_str *out)
{
    bool skipped = page->verdict == NCS_SKIPPED;
    ncs_str_addf(out, "<tr class=\"%s\"><td>%s<td>%s<td>",
                 skipped             ? "dim"
                 : page->as_expected ? "good"
                                     : "bad",
                 skipped             ? "skipped"
                 : page->as_expected ? "as expected"
                                     : "not as expected",
                 ncs_verdict_name(page->verdict));
    if (page->file) {
        ncs_str_add(out, "<a href=\"");
        ncs_html_text(out, page->file);
        ncs_str_add(out, "\">");
    }
    ncs_html_text(out, page->name);
    ncs_str_add(out, page->file ? "</a><td>" : "<td>");
    ncs_html_text(out, cause_of(page));
    ncs_str_add(out, "\n");
}

void ncs_report_index(const struct ncs_report_page *page, size_t pages, size_t not_run, struct ncs_str *out)
{
    size_t expected = 0, skipped = 0;
    for (size_t i = 0; i < pages; i++) {
        skipped += page[i].verdict == NCS_SKIPPED;
        expected += page[i].verdict != NCS_SKIPPED && page[i].as_expected;
    }
    size_t unexpected = pages - expected - skipped;
    ncs_html_head(out, "ncclscript run", unexpected ? "not as expected" : "as expected", false);
    ncs_str_addf(out, "<p>%zu run%s: %zu as expected", pages, pages == 1 ? "" : "s", expected);
    add_count(out, "not as expected", unexpected);
    add_count(out, "skipped", skipped);
    add_count(out, "not run", not_run);
    ncs_str_add(out, "</p>\n<div class=\"scroll\"><table class=\"runs\"><thead><tr><th scope=\"col\">result"
                     "<th scope=\"col\">verdict<th scope=\"col\">run<th scope=\"col\">message</thead><tbody>\n");
    for (int as_expected = 0; as_expected <= 1; as_expected++) /* what needs a look comes first */
        for (size_t i = 0; i < pages; i++)
            if (as_expected == (page[i].as_expected || page[i].verdict == NCS_SKIPPED))
                add_row(&page[i], out);
    ncs_str_add(out, "</tbody></table></div>\n</main>\n</body>\n</html>\n");
}
