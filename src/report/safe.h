/* Text that came from a scenario, made fit to be shown: a terminal must not obey it, and a JSON
 * text must be UTF-8. */
#ifndef NCS_REPORT_SAFE_H
#define NCS_REPORT_SAFE_H

#include <stddef.h>

#include "base/str.h"

/* Appends the text as one line: white space becomes a blank, other control characters \xNN. */
void ncs_safe_line(struct ncs_str *out, const char *text);

/* Appends the bytes with whatever is no UTF-8 replaced by U+FFFD. */
void ncs_safe_utf8(struct ncs_str *out, const char *text, size_t bytes);

/* Columns that the text takes: its characters. */
size_t ncs_safe_width(const char *text);

#endif
