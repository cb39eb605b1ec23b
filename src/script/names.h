/* Checks the names in a script against its environment. */
#ifndef NCS_SCRIPT_NAMES_H
#define NCS_SCRIPT_NAMES_H

#include "base/complaint.h"
#include "notation/lint/lint.h"
#include "script/state.h"

/* Makes the environment of a rank that never runs; it has all names of a run. On lack of memory
 * returns NULL and fills err. */
struct ncs_judge;
struct ncs_judge *ncs_judge_new(struct ncs_script *script, struct ncs_error *err);
void ncs_judge_free(struct ncs_judge *n); /* NULL is a no-op */

/* Complains if this use would fail on any rank. The use's text begins `skip` bytes behind the
 * complaints' text. */
void ncs_judge_name(struct ncs_judge *n, const struct ncs_lint_name *use, size_t skip, struct ncs_complaints *c);

#endif
