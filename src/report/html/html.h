/* Shared by the files of the page. */
#ifndef NCS_REPORT_HTML_H
#define NCS_REPORT_HTML_H

#include "report/chart_merge.h"
#include "report/sources.h"

struct ncs_page {
    const struct ncs_report_run *run;
    const struct ncs_result *r;
    struct ncs_chart chart;
    struct ncs_chart_groups groups;
    struct ncs_sources *sources;
    struct ncs_str *out;
};

/* Appends untrusted text, escaped for elements and attributes. */
void ncs_html_text(struct ncs_str *out, const char *text);
void ncs_html_us(struct ncs_str *out, int64_t ns); /* "12.5" */
/* "rank 3", "ranks 0, 2..7". */
void ncs_html_ranks(struct ncs_str *out, const int *rank, size_t ranks);
/* "tp (ranks 0, 1)": communicators may share a name. */
void ncs_html_comm(struct ncs_str *out, const struct ncs_comm_info *comm);
/* The document from its first byte to its title, shown as a heading; the browser's title has the verdict, too, if it
 * is not NULL. `script`: the page's own runs. */
void ncs_html_head(struct ncs_str *out, const char *title, const char *verdict, bool script);

/* Parts of the page, each with its heading. */
void ncs_html_findings(struct ncs_page *p); /* links from findings to bars */
void ncs_html_timeline(struct ncs_page *p); /* the frame of the picture, and the script's data */
void ncs_html_statistics(struct ncs_page *p);
void ncs_html_calls(struct ncs_page *p); /* a table for each group of ranks */
void ncs_html_sources(struct ncs_page *p);

/* Appends the number of a line, as a link if the page shows the file. */
void ncs_html_line(struct ncs_page *p, struct ncs_place place);
/* The index of the file among those that the page shows; -1 = it is not shown. */
int ncs_html_file(struct ncs_page *p, struct ncs_place place);
/* Appends text in which "line 12" is a link, if all lines are of one file that the page shows. */
void ncs_html_linked(struct ncs_page *p, const char *text);
/* Classes of page.css: collectives, pairs, one-sided, communicators, CUDA, waits, no call. */
int ncs_html_color(const struct ncs_bar *bar);

#endif
