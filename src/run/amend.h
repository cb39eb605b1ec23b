/* Changes calls while they are made: edits (diagnose/finding.h) apply to one run, not to its
 * program, on any driver. Edits come in rounds. A round numbers calls as all earlier rounds have
 * left them. */
#ifndef NCS_RUN_AMEND_H
#define NCS_RUN_AMEND_H

#include <stdbool.h>
#include <stddef.h>

#include "api/journal.h"
#include "diagnose/finding.h"

struct ncs_amendments;

struct ncs_amendments *ncs_amend_new(void);
/* Adds a round with the edits that were found in the journal of a run with all earlier rounds.
 * Returns false and adds nothing if the journal no longer has a call that an edit names. */
bool ncs_amend_add(struct ncs_amendments *a, const struct ncs_journal *j, const struct ncs_edit *edit, size_t edits);
void ncs_amend_free(struct ncs_amendments *a); /* NULL is a no-op */

#endif
