/* Expressions of Lua in scalars, and texts with ${expression} in them: their free names, whether
 * they are right, and what they become in the translation. */
#ifndef NCS_NOTATION_EXPRESSION_H
#define NCS_NOTATION_EXPRESSION_H

#include "base/str.h"
#include "notation/lint/lint.h"

/* Calls on_name for each free name of an expression; as ncs_lint_expression, which it is but for
 * names that stand alone. */
bool ncs_expression_names(const char *text, size_t bytes,
                          void (*on_name)(void *arg, const struct ncs_lint_name *name), void *arg,
                          struct ncs_lint_error *err);

/* A name as Lua has them, no keyword. */
bool ncs_is_identifier(const char *text, size_t bytes);

/* A value whose methods can be called as it stands: x, x:part(0), rows[1]. */
bool ncs_is_prefix(const char *text, size_t bytes);

enum ncs_text_part { NCS_TEXT_END, NCS_TEXT_PLAIN, NCS_TEXT_EXPRESSION, NCS_TEXT_OPEN };

/* The next part of a text from *at on, as *part: a piece as it stands, an expression of ${}, or (OPEN)
 * the beginning of one that does not end. */
enum ncs_text_part ncs_text_next(const char *text, size_t bytes, size_t *at, struct ncs_span *part);

#endif
