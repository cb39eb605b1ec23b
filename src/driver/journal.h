/* Puts the journal in front of a driver. */
#ifndef NCS_DRIVER_JOURNAL_H
#define NCS_DRIVER_JOURNAL_H

#include "api/journal.h"

/* Returns the functions of `api`, with each call recorded in j; a function that `api` lacks (NULL) stays
 * NULL. Both must outlive the use of the result. NCCL's and CUDA's signatures have no room for a context,
 * so a process can wrap only one journal and one driver: the latest call counts. Call it only while no
 * wrapped function runs. */
const struct ncs_api *ncs_journal_wrap(struct ncs_journal *j, const struct ncs_api *api);

#endif
