/* Shared by the files of the page. */
#ifndef NCS_REPORT_HTML_H
#define NCS_REPORT_HTML_H

#include "report/chart.h"

/* Appends untrusted text, escaped for elements and attributes. */
void ncs_html_text(struct ncs_str *out, const char *text);
/* The kind of a bar in row ids and attributes of the page: "call" 17, "op" 3 ... */
const char *ncs_html_bar_kind(const struct ncs_bar *bar);
uint64_t ncs_html_bar_number(const struct ncs_chart *l, const struct ncs_bar *bar);

/* Appends the picture and the data that its script needs. */
void ncs_html_chart(const struct ncs_result *r, const struct ncs_chart *l, struct ncs_str *out);

#endif
