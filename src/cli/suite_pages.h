/* `--html DIR`: a page for each run of a suite, and an index of them. */
#ifndef NCS_CLI_SUITE_PAGES_H
#define NCS_CLI_SUITE_PAGES_H

#include "cli/selection.h"
#include "report/report.h"

struct ncs_pages;

/* True if the value of --html names a folder: one that exists, a name that ends in a slash, or, for
 * several runs, any name that does not end in .html. */
bool ncs_pages_wanted(const char *path, size_t runs);
struct ncs_pages *ncs_pages_new(const char *folder, const struct ncs_selection *selection);
void ncs_pages_free(struct ncs_pages *p); /* NULL is a no-op */

/* Writes the page of a run. False after a message on standard error. */
bool ncs_pages_write(const struct ncs_pages *p, size_t run, const struct ncs_report_run *report);
/* Takes note of the result of the next run, in the order of the selection. */
void ncs_pages_add(struct ncs_pages *p, const struct ncs_report_entry *entry);
/* Writes index.html; after the last run. False after a message on standard error. */
bool ncs_pages_finish(struct ncs_pages *p);

#endif
