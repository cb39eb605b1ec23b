/* Places of calls in the program. Compiled code has no lines here, so each calling address gets a number
 * greater than any line, which the journal and the diagnosis treat as a line. A finished report then gets
 * the name instead of the number: "line 1000000003" becomes "train_step+0x1a2". */
#ifndef NCS_EXEC_SITE_H
#define NCS_EXEC_SITE_H

#include <stdbool.h>

#include "api/local.h"
#include "base/str.h"

/* The place of a call that returns to this address; 0 if the caller is only a language's binding. */
struct ncs_place ncs_site_of(void *address);

/* Appends " at train_step+0x1a2"; nothing for a line that is no such number. */
void ncs_site_add(struct ncs_str *out, int line);

/* The place as reports print it, "train_step+0x1a2"; NULL = it is not known. */
const char *ncs_site_text(struct ncs_place place);
/* True if reports print the place so. */
bool ncs_site_is(struct ncs_place place, const char *text);

/* Replaces numbers by names in a report for people, or in one of JSON: there "line" becomes null and "at"
 * holds the name. */
void ncs_sites_name(struct ncs_str *out, bool json);

#endif
