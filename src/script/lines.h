/* The lines of a chunk that was translated from another text. */
#ifndef NCS_SCRIPT_LINES_H
#define NCS_SCRIPT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"
#include "notation/notation.h"

/* For each line of a text, the line of its origin. */
struct ncs_lines {
    int *line;
    size_t count;             /* 0 = the text is the original */
    struct ncs_key_line *key; /* keys that the text declares */
    size_t keys;
};

void ncs_lines_free(struct ncs_lines *lines);

/* The line of a key in the text, in the table of the key `within` or (NULL) anywhere; 0 = not
 * found. Of several, the least nested key counts. */
int ncs_lines_of_key(const struct ncs_lines *lines, const char *within, const char *key);

/* The origin of a line (from 1); 0 = none. */
int ncs_lines_from(const struct ncs_lines *lines, int line);

/* Replaces the lines in code that lua_dump wrote unstripped. All lines that Lua reports afterwards,
 * also in its own messages and tracebacks, are those of the user's text. */
bool ncs_lines_apply(const struct ncs_lines *lines, struct ncs_str *code, struct ncs_error *err);

#endif
