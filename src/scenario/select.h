/* Which cases are meant: an expression of parts of names with `and`, `or`, `not` and ( ), as pytest
 * has it. "reduce and not (bugs or ranks=8)" */
#ifndef NCS_SCENARIO_SELECT_H
#define NCS_SCENARIO_SELECT_H

#include <stdbool.h>

#include "base/error.h"

struct ncs_select;

/* NULL and err (text, and the column of the expression from 1) when it is no such expression. */
struct ncs_select *ncs_select_parse(const char *text, struct ncs_error *err);
/* A part is in a name whatever the case of its letters. */
bool ncs_select_matches(const struct ncs_select *s, const char *name);
void ncs_select_free(struct ncs_select *s); /* NULL is a no-op */

#endif
