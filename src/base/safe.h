/* Makes text of a scenario safe to print: a terminal must not obey it, and JSON must be valid UTF-8. */
#ifndef NCS_BASE_SAFE_H
#define NCS_BASE_SAFE_H

#include <stddef.h>

#include "base/str.h"

/* Appends the text as one line of valid UTF-8: white space becomes a blank; other control characters, invalid bytes, and
 * characters that change how other text is shown become \xNN. */
void ncs_safe_line(struct ncs_str *out, const char *text);

/* As ncs_safe_line, for a line that a rank printed, with its end. Tabs stay: scripts align columns with them. */
void ncs_safe_output(struct ncs_str *out, const char *line);

/* Appends the bytes for a format that escapes control bytes itself. U+FFFD takes the place of each byte that is not valid UTF-8,
 * and of characters that change how other text is shown. */
void ncs_safe_utf8(struct ncs_str *out, const char *text, size_t bytes);

/* Appends the name of a place for a report of any format: valid UTF-8 on one line; quotes and backslashes become `?`. */
void ncs_safe_name(struct ncs_str *out, const char *name);

#define NCS_SAFE_MOST ((size_t)64 << 10)

/* A copy, to be freed with ncs_free; NULL gives NULL. A text of more than NCS_SAFE_MOST bytes is cut
 * there, and the number of missing bytes is appended. */
char *ncs_safe_copy(const char *text);

/* The width of a text in terminal cells: wide characters take two, combining ones none. */
size_t ncs_safe_width(const char *text);

#endif
