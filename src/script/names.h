/* Names of scripts held against the environment that they are for. */
#ifndef NCS_SCRIPT_NAMES_H
#define NCS_SCRIPT_NAMES_H

#include "base/complaint.h"
#include "notation/lint/lint.h"
#include "script/state.h"

/* Makes the environment of a rank of this script that never runs: its names are those that a run has.
 * NULL and err when there is no memory. */
struct ncs_judge;
struct ncs_judge *ncs_judge_new(struct ncs_script *script, struct ncs_error *err);
void ncs_judge_free(struct ncs_judge *n); /* NULL is a no-op */

/* Complains when this use would fail on any rank. The text of the use begins `skip` bytes behind that
 * of the complaints. */
void ncs_judge_name(struct ncs_judge *n, const struct ncs_lint_name *use, size_t skip,
                     struct ncs_complaints *c);

#endif
