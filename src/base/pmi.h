/* PMI-1, by which Hydra (MPICH, Intel MPI) lets its processes exchange values: lines over a connection that each has inherited. One
 * thread. */
#ifndef NCS_BASE_PMI_H
#define NCS_BASE_PMI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pmix.h"

/* True while this process is connected to its launcher; connects at the first call. The launcher counts its processes like this: else
 * it is not the one that is meant, as that of a launcher inside it. */
bool ncs_pmi_open(int number, int processes);
void ncs_pmi_close(void);

/* One process publishes a text, without blanks and of at most NCS_PMI_MOST bytes; all others ask for it. Both count as having come to
 * one barrier: nobody gets the text before all processes have called one of the two. */
enum { NCS_PMI_MOST = 1000 };
bool ncs_pmi_put(const char *key, const char *text);
/* As ncs_pmix_get. LATE: ask again. */
enum ncs_pmix_got ncs_pmi_get(const char *key, int64_t patience, char **text);

#endif
