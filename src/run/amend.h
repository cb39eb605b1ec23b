/* Calls changed while they are made: edits (diagnose/finding.h) applied to a run and not to its
 * program, on any driver. They come in rounds: the numbers of one are those of the calls as all rounds
 * before it have left them. */
#ifndef NCS_RUN_AMEND_H
#define NCS_RUN_AMEND_H

#include <stdbool.h>
#include <stddef.h>

#include "api/journal.h"
#include "diagnose/finding.h"

struct ncs_amendments;

struct ncs_amendments *ncs_amend_new(void);
/* Another round, for what the journal tells of: of a run with all rounds before. False, and no round,
 * when a call that an edit speaks of is not there any more. */
bool ncs_amend_add(struct ncs_amendments *a, const struct ncs_journal *j,
                   const struct ncs_edit *edit, size_t edits);
void ncs_amend_free(struct ncs_amendments *a); /* NULL is a no-op */

#endif
