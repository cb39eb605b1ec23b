/* A text that a user wrote, indexed by lines: the position of a byte, and the excerpt that a message shows. */
#ifndef NCS_BASE_SOURCE_H
#define NCS_BASE_SOURCE_H

#include <stddef.h>

#include "base/str.h"

struct ncs_source {
    const char *file; /* as given on the command line; borrowed */
    const char *text; /* UTF-8 (not checked here), ends with a zero byte; borrowed */
    size_t bytes;
    size_t *start; /* byte at which each line begins */
    size_t lines;
};

/* A part of a source: byte offset and length. A length of 0 is a position between two bytes. */
struct ncs_span {
    size_t at, bytes;
};

void ncs_source_init(struct ncs_source *s, const char *file, const char *text, size_t bytes);
void ncs_source_free(struct ncs_source *s); /* its index, not the text */

/* The line of a byte, from 1. `column`, unless NULL: its column, from 1, in code points as editors count. */
int ncs_source_line(const struct ncs_source *s, size_t at, int *column);

/* The byte at a line and column as of ncs_source_line, at most the end of that line. */
size_t ncs_source_byte(const struct ncs_source *s, int line, int column);

/* Appends the line in which span begins, after its number, and below it carets under the part of the span
 * on that line: "   12 | text" and "      |  ^^". Control characters are shown as by ncs_safe_line; a long
 * line is cut to a window around the span. */
void ncs_source_show(const struct ncs_source *s, struct ncs_span span, struct ncs_str *out);

#endif
