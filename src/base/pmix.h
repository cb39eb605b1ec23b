/* PMIx, by which launchers such as Open MPI's mpirun and srun --mpi=pmix let their processes exchange values. The library is opened
 * by its name when it is asked for: without it, and without a launcher that speaks PMIx, everything here is false. One thread. */
#ifndef NCS_BASE_PMIX_H
#define NCS_BASE_PMIX_H

#include <stdbool.h>
#include <stdint.h>

/* True while this process is connected to its launcher; connects at the first call. */
bool ncs_pmix_open(void);
/* Ends the connection: some launchers hold a process that ends without it for one that failed. */
void ncs_pmix_close(void);

/* Facts of the launcher, from ncs_pmix_open on; -1 = it does not say. */
int ncs_pmix_number(void);
int ncs_pmix_processes(void);
int ncs_pmix_local(void);
int ncs_pmix_locals(void);

/* Publishes a text of this process. */
bool ncs_pmix_put(const char *key, const char *text);

enum ncs_pmix_got { NCS_PMIX_GOT, NCS_PMIX_LATE, NCS_PMIX_FAILED };
/* The text that a process has published, waiting for it: *text is to be freed with ncs_free. LATE: it has not published it so
 * far; this may be said before the time is over. */
enum ncs_pmix_got ncs_pmix_get(int number, const char *key, int64_t patience, char **text);

#endif
