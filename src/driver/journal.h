/* The journal in front of a driver. */
#ifndef NCS_DRIVER_JOURNAL_H
#define NCS_DRIVER_JOURNAL_H

#include "api/journal.h"

/* The same functions as `api`, each call recorded in j; what `api` lacks (NULL) stays absent. Both
 * must outlive the use of the result. NCCL's and CUDA's signatures have no room for a context, so
 * the wrapper serves one journal and one driver per process: the last call counts, and it must be
 * made while no wrapped function runs. */
const struct ncs_api *ncs_journal_wrap(struct ncs_journal *j, const struct ncs_api *api);

#endif
