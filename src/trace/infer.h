/* Derives from the journal alone which operations and calls wait, where no machine can be asked: on real
 * hardware, or for a run that was recorded elsewhere. */
#ifndef NCS_TRACE_INFER_H
#define NCS_TRACE_INFER_H

#include "api/local.h"
#include "api/snapshot.h"

/* Known facts beside the journal. */
struct ncs_known {
    const struct ncs_local *const *local; /* of the threads, for groups that are still open */
    size_t locals;
    const uint64_t *ending; /* groups at whose ends threads may still be; 0 = none */
    size_t endings;
    /* True if the call is known to have completed; NULL = unknown for all. */
    bool (*is_over)(void *arg, const struct ncs_call *call);
    /* True if the call's own rank has given it up: it delays nothing, and no other call can meet it. */
    bool (*is_gone)(void *arg, const struct ncs_call *call);
    /* Called with the calls of each completed meeting; NULL = no hook. */
    void (*met)(void *arg, struct ncs_call *const *calls, size_t count);
    void *arg;
};

/* Completes a snapshot that has contexts, and of operations only unfinished callbacks: adds the operations
 * that ranks have enqueued and that cannot have completed, and what each context inside a call waits for.
 * Adds nothing if the journal has dropped records. */
void ncs_infer(const struct ncs_journal *j, const struct ncs_known *known, struct ncs_snapshot *s);

#endif
