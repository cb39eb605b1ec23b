/* The lines of a text, and small parts of them. */
#ifndef NCS_TRACE_LINES_H
#define NCS_TRACE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { NCS_LINE_MOST = 4096 }; /* bytes; the rest of a longer line is not looked at */

struct ncs_lines {
    const char *at, *end;
    int number; /* of the line, from 1 */
    bool whole; /* it ends with a newline */
    struct ncs_str text;
};

struct ncs_lines ncs_lines_of(const struct ncs_str *text);
bool ncs_lines_next(struct ncs_lines *l); /* false: there is none, and the memory is free */

/* Reads the number behind `word` in the text; false if there is none, or if it has more than 18 digits. */
bool ncs_number_after(const char *text, const char *word, int64_t *number);
/* Reads "0, 2, 5-7" up to the bracket that closes; the caller frees the array. */
int *ncs_ranks_in(const char *text, size_t *count);

#endif
