/* Text that came from a scenario, made fit to be shown: a terminal must not obey it, and a JSON
 * text must be UTF-8. */
#ifndef NCS_BASE_SAFE_H
#define NCS_BASE_SAFE_H

#include <stddef.h>

#include "base/str.h"

/* Appends the text as one line: white space becomes a blank, other control characters \xNN. */
void ncs_safe_line(struct ncs_str *out, const char *text);

/* The same of a line that a rank printed, with its end. Tabs are the script's own alignment and do no harm. */
void ncs_safe_output(struct ncs_str *out, const char *line);

/* Appends the bytes with whatever is no UTF-8 replaced by U+FFFD. */
void ncs_safe_utf8(struct ncs_str *out, const char *text, size_t bytes);

#define NCS_SAFE_MOST ((size_t)64 << 10)

/* A copy for ncs_free; NULL gives NULL. Of a text of more than NCS_SAFE_MOST bytes it is the beginning, and how
 * many bytes more there are. */
char *ncs_safe_copy(const char *text);

/* Cells of a terminal that a text takes: wide characters have two, combining ones none. */
size_t ncs_safe_width(const char *text);

#endif
