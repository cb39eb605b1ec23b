/* What one process of a job tells of its machine, for a comparison with the others (cli/doctor_compare.h). */
#ifndef NCS_CLI_DOCTOR_FACTS_H
#define NCS_CLI_DOCTOR_FACTS_H

#include <stddef.h>

#include "cli/health.h"

/* The facts of this process as one JSON text of less than `most` bytes, to be freed with ncs_free. Variables for which there is
 * no room are only counted. */
char *ncs_doctor_facts(const struct ncs_health *h, size_t most);

#endif
