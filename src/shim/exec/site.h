/* Where in the program calls were made. A compiled program has no lines, so each place that calls
 * gets a number that no line has, which the journal and the diagnosis take for one; when a report is
 * written its name is put in the number's place: "line 1000000003" becomes "train_step+0x1a2". */
#ifndef NCS_EXEC_SITE_H
#define NCS_EXEC_SITE_H

#include "api/local.h"
#include "base/str.h"

/* The place of a call that returns to this address; 0 where only a binding of some language calls. */
struct ncs_place ncs_site_of(void *address);

/* " at train_step+0x1a2"; nothing for a line that is no place's. */
void ncs_site_add(struct ncs_str *out, int line);

/* Puts names in place of numbers in a report for people, or in one of JSON, where a field "line" is
 * null and "at" has the name. */
void ncs_sites_name(struct ncs_str *out, bool json);

#endif
