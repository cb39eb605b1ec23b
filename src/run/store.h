/* The store's keys and the host barriers: how ranks exchange data and meet outside NCCL. Waits go
 * through the machine's gates, so that the hang detector sees them. */
#ifndef NCS_RUN_STORE_H
#define NCS_RUN_STORE_H

#include "api/machine.h"
#include "base/map.h"

struct run_barrier;

struct run_store {
    struct ncs_map keys;     /* hash of the key -> chain of entries */
    struct ncs_map barriers; /* hash of the ranks -> chain of barriers */
    struct run_barrier *everyone;
    struct ncs_map ids;       /* hash of the bytes -> chain of unique ids (run/id.c) */
    struct ncs_gate *changed; /* no rank waits here; waking it informs pollers of a change */
};

/* Returns the gates to the machine, which must still be open. */
void ncs_run_store_free(struct run_store *store, const struct ncs_machine *machine);
void ncs_run_id_free(struct run_store *store);

#endif
