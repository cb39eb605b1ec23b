/* Memory of other processes that they have pinned in place (cudaHostRegister). It is in no allocation of the machine, because two
 * processes may use the same addresses. Operations copy it when they run, as they copy other pinned memory. */
#ifndef NCS_SIM_REGISTERED_H
#define NCS_SIM_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>

#include "ncclscript/cuda_abi.h"

struct process;

struct registered {
    const char *from;
    size_t bytes;
    unsigned flags;
    int device;
    struct registered *next;
};

/* Returns cudaErrorHostMemoryAlreadyRegistered if some of it is. */
cudaError_t sim_registered_add(struct process *p, int device, const void *from, size_t bytes, unsigned flags);
/* The registration that contains the address; NULL = none. */
const struct registered *sim_registered_find(const struct process *p, const void *at);
/* True if one registration contains all of these bytes. */
bool sim_registered_holds(const struct process *p, const void *at, size_t bytes);
/* False: none begins there. */
bool sim_registered_remove(struct process *p, const void *from);
void sim_registered_free(struct process *p); /* all */

#endif
