/* What the files of the page share. */
#ifndef NCS_REPORT_HTML_H
#define NCS_REPORT_HTML_H

#include "report/chart.h"

/* Appends text of any origin so that it is text and nothing else, in attributes too. */
void ncs_html_text(struct ncs_str *out, const char *text);
/* What a bar is called on the page, in a row's id and in an attribute: "call" 17, "op" 3 ... */
const char *ncs_html_bar_kind(const struct ncs_bar *bar);
uint64_t ncs_html_bar_number(const struct ncs_chart *l, const struct ncs_bar *bar);

/* Appends the picture, and what its script needs to know of it. */
void ncs_html_chart(const struct ncs_result *r, const struct ncs_chart *l, struct ncs_str *out);

#endif
