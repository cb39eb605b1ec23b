/* What nobody can ask a machine for, told from the journal alone: of real hardware, or of a run that was
 * recorded elsewhere. */
#ifndef NCS_TRACE_INFER_H
#define NCS_TRACE_INFER_H

#include "api/local.h"
#include "api/snapshot.h"

/* What is known beside the journal. */
struct ncs_known {
    const struct ncs_local *const *local; /* of the threads, for groups that are still open */
    size_t locals;
    /* Whether a call is known to have come about; NULL = of none. */
    bool (*is_over)(void *arg, const struct ncs_call *call);
    /* Whether a call's own rank has given it up: it keeps nothing back, and nobody meets it any more. */
    bool (*is_gone)(void *arg, const struct ncs_call *call);
    /* Told of the calls of each meeting that has come about; NULL = nobody is. */
    void (*met)(void *arg, struct ncs_call *const *calls, size_t count);
    void *arg;
};

/* Adds to a snapshot that has contexts, and of operations only callbacks that are not over: the
 * operations that ranks have enqueued and that cannot have come about, and what each context that is in
 * a call waits for. A journal that has dropped records tells nothing. */
void ncs_infer(const struct ncs_journal *j, const struct ncs_known *known, struct ncs_snapshot *s);

#endif
