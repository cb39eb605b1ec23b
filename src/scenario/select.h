/* Selects cases by an expression of parts of names with `and`, `or`, `not` and ( ), as in pytest: "reduce
 * and not (bugs or ranks=8)". */
#ifndef NCS_SCENARIO_SELECT_H
#define NCS_SCENARIO_SELECT_H

#include <stdbool.h>

#include "base/error.h"

struct ncs_select;

/* NULL and err (text, and the column of the expression from 1) if the expression is malformed. */
struct ncs_select *ncs_select_parse(const char *text, struct ncs_error *err);
/* Parts match regardless of upper and lower case. */
bool ncs_select_matches(const struct ncs_select *s, const char *name);
void ncs_select_free(struct ncs_select *s); /* NULL is a no-op */

#endif
