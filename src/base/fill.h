/* Fits text to the width of a terminal. A column is a code point; escape sequences of colours have none. */
#ifndef NCS_BASE_FILL_H
#define NCS_BASE_FILL_H

#include "base/str.h"

/* Appends whole lines of prose, each behind `indent` blanks. A paragraph is one or more lines without blanks at
 * their beginning; one with a line that is too wide is filled anew. A line "- item" begins a paragraph of its own.
 * Other lines, as of code, stay as they are. width 0: so do all lines. */
void ncs_fill_prose(struct ncs_str *out, const char *text, size_t indent, int width);

/* Appends whole lines, each of which is broken by itself where it is too wide. What is broken off stands below the
 * line's second column if it has one (two blanks or more, as in a list of names and texts), else two blanks deeper.
 * width 0: the lines stay as they are. */
void ncs_fill_lines(struct ncs_str *out, const char *text, int width);

#endif
