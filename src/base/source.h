/* A text that a user wrote, by lines: where a byte of it is, and what a message shows of it. */
#ifndef NCS_BASE_SOURCE_H
#define NCS_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

struct ncs_source {
    const char *file;  /* as given on the command line; borrowed */
    const char *text;  /* UTF-8 (not checked here), a zero byte at its end; borrowed */
    size_t bytes;
    size_t *start;     /* byte at which each line begins */
    size_t lines;
};

/* A part of a source: byte offset and length. A length of 0 is a place between two bytes. */
struct ncs_span {
    size_t at, bytes;
};

void ncs_source_init(struct ncs_source *s, const char *file, const char *text, size_t bytes);
void ncs_source_free(struct ncs_source *s); /* its index, not the text */

/* The line (from 1) of a byte; `column`, unless NULL: of the byte in its line, from 1, in code
 * points, as editors count. */
int ncs_source_line(const struct ncs_source *s, size_t at, int *column);

/* The byte at a line and a column of ncs_source_line, at most the end of that line. */
size_t ncs_source_byte(const struct ncs_source *s, int line, int column);

/* Appends the line in which span begins, after its number, and below it carets under the part of the
 * span that is on it: "   12 | text" and "      |  ^^". Control characters are shown as ncs_safe_line
 * shows them; of a long line a window around the span is shown. */
void ncs_source_show(const struct ncs_source *s, struct ncs_span span, struct ncs_str *out);

#endif
