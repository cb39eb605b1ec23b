/* The lines of a chunk that was translated from another text. */
#ifndef NCS_SCRIPT_LINES_H
#define NCS_SCRIPT_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/str.h"

/* For each line of a text, the line that it comes from. */
struct ncs_lines {
    int *line;
    size_t count; /* 0 = the text is as it was written */
};

/* Where a line (from 1; 0 = none) comes from. */
int ncs_lines_from(const struct ncs_lines *lines, int line);

/* Replaces code that lua_dump wrote, not stripped, by the same with the lines that it comes from:
 * whatever asks Lua for a line, a message or a traceback of Lua's own too, is given that of the
 * text that the user wrote. */
bool ncs_lines_apply(const struct ncs_lines *lines, struct ncs_str *code, struct ncs_error *err);

#endif
