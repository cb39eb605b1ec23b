/* Lua expressions in scalars, and texts that contain ${expression}: their free names, their
 * syntax, and their translation. */
#ifndef NCS_NOTATION_EXPRESSION_H
#define NCS_NOTATION_EXPRESSION_H

#include "notation/lint/lint.h"

/* As ncs_lint_expression, with a faster path for names that stand alone: calls on_name for each free name. */
bool ncs_expression_names(const char *text, size_t bytes, void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                          struct ncs_lint_error *err);

/* True for a name in the sense of Lua that is not a keyword. */
bool ncs_is_identifier(const char *text, size_t bytes);

/* True for a value whose methods can be called without parentheses around it: x, x:part(0), rows[1]. */
bool ncs_is_prefix(const char *text, size_t bytes);

enum ncs_text_part { NCS_TEXT_END, NCS_TEXT_PLAIN, NCS_TEXT_EXPRESSION, NCS_TEXT_OPEN };

/* Reads the next part of a text at *at into *part: plain text, the expression inside ${}, or (OPEN) a "${"
 * that is not closed. */
enum ncs_text_part ncs_text_next(const char *text, size_t bytes, size_t *at, struct ncs_span *part);

#endif
